"""Extensions: what users add to the graph and exchange in it. Rule: product contract, section 12.

Modules of nodes come by `--nodes` or from packages (entry point `afp.nodes`): a node sees ours by name, and one whose
type is a `Table` of the module makes a table that is validated, stored and published like ours. A classifier of
suspects is named (`afp.classifiers`), readers of other files are offered by their ending (`afp.readers`). What is
active holds for a process; workers are told and activate the same.
"""

import hashlib
import sys
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import cache
from importlib import import_module
from importlib.metadata import entry_points
from importlib.util import module_from_spec, spec_from_file_location
from inspect import getmembers, isfunction
from pathlib import Path
from types import ModuleType
from typing import get_args, get_type_hints

from afp_nodes.classifier import DEFAULT_CLASSIFIER, Classifier
from afp_nodes.schemas import TABLES, Table
from afp_nodes.studies.plugins import UnknownNameError, named
from dataflows.inputs import READERS, Document, Limits, Reader, Source
from dataflows.inputs.chunks import SeekableFile
from dataflows.inputs.members import Item
from dataflows.inputs.refused import too_large, unreadable

NODES = "afp.nodes"
CLASSIFIERS = "afp.classifiers"
DOCUMENT_READERS = "afp.readers"
DEFAULT = "recorded"

OUR_ENDINGS = frozenset(READERS)

DIGEST_CHARACTERS = 8


class ExtensionError(Exception):
    """An extension cannot be used; the message names the module and what is wrong with it."""


@dataclass(frozen=True, slots=True)
class Given:
    """What a job was told to use: modules or files of nodes, and the name of a classifier. Picklable."""

    nodes: tuple[str, ...] = ()
    classifier: str = DEFAULT


@dataclass(frozen=True, slots=True)
class Extension:
    """What is active: modules of nodes, the tables that they make, a classifier; `digest` tells one from another."""

    modules: tuple[ModuleType, ...] = ()
    tables: tuple[type[Table], ...] = ()
    classifier: Classifier = DEFAULT_CLASSIFIER
    digest: str = ""

    def made(self, code_version: str) -> str:
        """The version of derivations that these take part in."""
        return f"{code_version}+{self.digest}" if self.digest else code_version


NONE = Extension()
_active = NONE


def active() -> Extension:
    """What this process uses."""
    return _active


def activate(given: Given = Given()) -> Extension:
    """Uses what is given, and what installed packages offer, from now on.

    Raises:
        ExtensionError: something of it cannot be loaded, or has a name that is taken.
    """
    global _active  # noqa: PLW0603 - one process, one graph
    for schema in _active.tables:
        TABLES.pop(schema.table_name(), None)
    _active = NONE
    _offer_readers()
    offered = sorted(point.value for point in entry_points(group=NODES))
    modules = tuple(_module(name) for name in dict.fromkeys((*offered, *given.nodes)))
    tables = tuple(schema for module in modules for schema in _tables(module))
    _refuse_unfit(tables)
    classifier = _classifier(given.classifier)
    told = [*map(_source, modules), given.classifier.encode()]
    if classifier is not DEFAULT_CLASSIFIER:
        told.append(_source(sys.modules[classifier.seeds.__module__]))
    digest = hashlib.sha256(b"\0".join(told)).hexdigest()[:DIGEST_CHARACTERS]
    is_ours = not modules and classifier is DEFAULT_CLASSIFIER
    _active = NONE if is_ours else Extension(modules, tables, classifier, digest)
    TABLES.update({schema.table_name(): schema for schema in tables})
    return _active


def _module(name: str) -> ModuleType:
    """A module by its name, or a file of one by its path."""
    try:
        return _of_file(Path(name)) if name.endswith(".py") else import_module(name)
    except Exception as error:
        raise ExtensionError(f"The nodes of {name} cannot be loaded: {type(error).__name__}: {error}") from error


@cache
def _of_file(path: Path) -> ModuleType:
    spec = spec_from_file_location(path.stem, path)
    if spec is None or spec.loader is None or not path.is_file():
        raise FileNotFoundError(f"there is no file {path}")
    module = module_from_spec(spec)
    sys.modules.setdefault(path.stem, module)
    spec.loader.exec_module(module)
    return module


def _nodes(module: ModuleType) -> Iterator[tuple[str, Callable[..., object]]]:
    """The functions of a module that are nodes."""
    for name, function in getmembers(module, isfunction):
        if function.__module__ == module.__name__ and not name.startswith("_"):
            yield name, function


def _tables(module: ModuleType) -> Iterator[type[Table]]:
    """The tables that a module's nodes make."""
    for name, function in _nodes(module):
        made = get_args(get_type_hints(function).get("return"))
        if made and isinstance(made[0], type) and issubclass(made[0], Table) and made[0].__module__ == module.__name__:
            if made[0].table_name() != name:
                raise ExtensionError(
                    f"Node {name} of {module.__name__} makes the table {made[0].table_name()}: give both one name."
                )
            yield made[0]


def refuse_taken_nodes(ours: Sequence[ModuleType], added: Sequence[ModuleType]) -> None:
    """Raises `ExtensionError` where a node that was added has the name of another."""
    owners = {name: module.__name__ for module in ours for name, _ in _nodes(module)}
    for module in added:
        for name, _ in _nodes(module):
            if name in owners:
                raise ExtensionError(f"Node {name} of {module.__name__} has the name of one of {owners[name]}.")
            owners[name] = module.__name__


def _refuse_unfit(tables: Sequence[type[Table]]) -> None:
    """Raises `ExtensionError` for tables whose name is taken, and for those that chunks of runs cannot hold."""
    for schema in tables:
        name, module = schema.table_name(), schema.__module__
        if name in TABLES:
            raise ExtensionError(f"Table {name} of {module} has the name of one of ours.")
        if "run_id" not in schema.key_columns():
            raise ExtensionError(f"Table {name} of {module} needs `run_id` in its key: rows are kept by run.")


def _classifier(name: str) -> Classifier:
    try:
        found: Classifier = named(CLASSIFIERS, "classifier", {DEFAULT: DEFAULT_CLASSIFIER}, name)
    except UnknownNameError as error:
        raise ExtensionError(str(error)) from error
    return found


def _source(module: ModuleType) -> bytes:
    """The source of a module; of one in a package that of the whole package, which it may use."""
    if module.__file__ is None:
        return module.__name__.encode()
    package = sys.modules[module.__name__.partition(".")[0]]
    is_package = hasattr(package, "__path__") and package.__file__ is not None
    files = sorted(Path(str(package.__file__)).parent.rglob("*.py")) if is_package else [Path(module.__file__)]
    return b"\0".join(file.read_bytes() for file in files)


def _offer_readers() -> None:
    """Raises `ExtensionError` for an ending that we read, or that two packages offer to read."""
    for ending in READERS.keys() - OUR_ENDINGS:
        del READERS[ending]
    for point in entry_points(group=DOCUMENT_READERS):
        if point.name in READERS:
            raise ExtensionError(f"The reader {point.value} is for {point.name}, which another reads already.")
        READERS[point.name] = _reader(point.name)


def _reader(ending: str) -> Reader:
    """A reader of ours around one that a package offers: an open file in, documents as bytes out."""

    def read(file: SeekableFile, source: Source, limits: Limits) -> Iterator[Item]:
        position = -1
        try:
            documents: Callable[[SeekableFile], Iterator[bytes]] = named(DOCUMENT_READERS, "reader", {}, ending)
            for position, data in enumerate(documents(file)):
                if len(data) > limits.max_document_bytes:
                    yield too_large(limits.max_document_bytes).at(source.uri, position)
                else:
                    yield Document.of(source.uri, position, data)
        except Exception as error:  # noqa: BLE001 - it is a package's code that runs here
            failed = OSError(f"the reader of {ending} failed: {type(error).__name__}: {error}")
            yield unreadable(failed).at(source.uri, position + 1)

    return read

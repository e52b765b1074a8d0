"""The graph over one chunk of runs: from the facts of its recordings to the frames of its tables."""

import hashlib
import logging
from collections.abc import Collection, Iterable, Iterator
from contextlib import contextmanager
from functools import cache
from types import ModuleType
from typing import Any, Literal, get_args, get_type_hints

import polars as pl
from hamilton import driver, lifecycle

from afp_nodes import (
    context_sources,
    coverage,
    facts,
    lives,
    loops,
    runs,
    standings,
    suspects,
    timelines,
    values,
    variables,
    verdicts,
)
from afp_nodes.context import begun, calls, committed, compositions, histories, missing, offered, sent, sights
from afp_nodes.context import events as context_events
from afp_nodes.record import FactCollector, ReadInput, read_document
from afp_nodes.routing import deliveries, outcomes, refusals
from afp_nodes.routing import events as routing_events
from afp_nodes.routing import verdicts as routing_verdicts
from afp_nodes.schemas import DERIVED_TABLES, FACT_TABLES, Frame
from dataflows.declared import DOCUMENT, NOTHING_DECLARED, Declarations, declared_of_recorded_and_listed
from dataflows.extensions import ExtensionError, active, refuse_taken_nodes

NODE_MODULES = (
    facts,
    loops,
    values,
    context_sources,
    timelines,
    lives,
    coverage,
    suspects,
    variables,
    runs,
    begun,
    calls,
    context_events,
    compositions,
    committed,
    histories,
    sent,
    offered,
    sights,
    missing,
    routing_events,
    routing_verdicts,
    deliveries,
    refusals,
    outcomes,
    standings,
    verdicts,
)
"""Modules of nodes, in reading order."""

CHUNK_TABLES = tuple(t.table_name() for t in (*FACT_TABLES, *DERIVED_TABLES))
"""Tables that each chunk of runs has a part of."""

Frames = dict[str, pl.DataFrame]
"""Frames by name."""


ENGINE: Literal["in-memory"] = "in-memory"
"""The engine that computes a chunk's frames: streaming takes longer to start than these small frames take in all."""


class SchemaError(Exception):
    """A node gave a frame that is not the one its type declares."""


class Borders(lifecycle.NodeExecutionMethod):  # type: ignore[misc]
    """Computes each node's frame once, and holds it to the schema its type declares."""

    def __init__(self, *, validate: bool = False, strangers: Collection[str] = ()) -> None:
        """`validate` also checks keys, words and NULLs of every frame, which costs more than making it.

        Frames of nodes that users added are always checked so; `strangers` are the modules of these.
        """
        self.validate = validate
        self.strangers = strangers

    def run_to_execute_node(self, *, node_name: str, node_callable: Any, node_kwargs: dict[str, Any], **_: Any) -> Any:
        """Execute a node; its frame is computed here, so that several readers share one computation.

        Raises `ExtensionError` for whatever goes wrong in a node that a user added, and names it.
        """
        if node_callable.__module__ not in self.strangers:
            return self._computed(node_name, node_callable, node_kwargs, validate=self.validate)
        try:
            return self._computed(node_name, node_callable, node_kwargs, validate=True)
        except Exception as error:
            raise ExtensionError(
                f"Node {node_name} of {node_callable.__module__} failed; nothing was published."
                f" {type(error).__name__}: {error}"
            ) from error

    def _computed(self, node_name: str, node_callable: Any, node_kwargs: dict[str, Any], *, validate: bool) -> Any:
        result = node_callable(**node_kwargs)
        if not isinstance(result, pl.LazyFrame):
            return result
        frame = result.collect()
        schema = _schema_of(node_callable)
        if schema is not None:
            _hold_to(schema, frame, node_name)
            if validate:
                schema.validate(frame)
        return frame.lazy()


def graph(*, validate: bool = False) -> driver.Driver:
    """The driver of the derivation graph, with the modules of nodes that users added."""
    return _graph(active().modules, validate=validate)


@cache
def _graph(added: tuple[ModuleType, ...], *, validate: bool) -> driver.Driver:
    logging.getLogger("hamilton").setLevel(logging.CRITICAL)
    refuse_taken_nodes(NODE_MODULES, added)
    borders = Borders(validate=validate, strangers=frozenset(module.__name__ for module in added))
    with _told_of(added):
        return driver.Builder().with_modules(*NODE_MODULES, *added).with_adapters(borders).build()


@contextmanager
def _told_of(added: tuple[ModuleType, ...]) -> Iterator[None]:
    """What Hamilton finds wrong with the graph is due to the nodes that were added, where some were."""
    try:
        yield
    except ValueError as error:
        if not added:
            raise
        names = ", ".join(module.__name__ for module in added)
        raise ExtensionError(f"The nodes of {names} do not fit into the graph: {error}") from error


def derive(facts: Frames, declared: Frames = NOTHING_DECLARED, *, validate: bool = False, **inputs: Any) -> Frames:
    """Every table of one chunk of runs, by name.

    `facts` holds one frame for each fact, `declared` one for what applications declare (see `afp_nodes.facts`).
    `inputs` replaces what the nodes take by default: `max_lives`, `max_depth`, `classifier`.

    Raises:
        SchemaError: a node gave a frame that its type does not declare.
    """
    extension = active()
    tables = [*CHUNK_TABLES, *(schema.table_name() for schema in extension.tables)]
    given = {"facts": facts, "declared": declared, "classifier": extension.classifier, **inputs}
    with pl.Config(engine_affinity=ENGINE), _told_of(extension.modules):
        made = graph(validate=validate).execute(tables, inputs=given)
        return {name: made[name].collect() for name in tables}


def tables_of(documents: Iterable[bytes | tuple[str, bytes]], *, validate: bool = False, **inputs: Any) -> Frames:
    """Every table of the recordings in `documents`, in memory: no store, no files.

    Unit lists and declarations are known by their names alone: a document may be given as a pair of its file's name
    and its bytes.

    Raises:
        RefusedError: a document, or an entry of a list of them, cannot be taken in.
    """
    collector = FactCollector(keep_tokens=False)
    others: list[tuple[str, str, str]] = []
    for document in documents:
        name, data = ("", document) if isinstance(document, bytes) else document
        read, sha256 = read_document(data, name), hashlib.sha256(data).hexdigest()
        if isinstance(read, ReadInput):
            _refuse_entries(read)
            others.append((sha256, read.kind, read.content_json))
            continue
        for recording in read if isinstance(read, list) else [read]:
            collector.add(recording, sha256)
    facts = collector.frames()
    declarations = Declarations.among(pl.DataFrame(others, schema=DOCUMENT, orient="row"))
    recorded = facts["run_records"]["run_id"].cast(pl.String).to_list()
    declared = declared_of_recorded_and_listed(declarations, recorded)
    return derive(facts, declared, validate=validate, **inputs)


def _refuse_entries(read: ReadInput) -> None:
    for _, refused in read.refused_entries:
        raise refused


@cache
def _schema_of(node_callable: Any) -> type[Frame] | None:
    """The schema in a node's return type, where it declares one."""
    declared = get_args(get_type_hints(node_callable).get("return"))
    return declared[0] if declared and issubclass(declared[0], Frame) else None


def _hold_to(schema: type[Frame], frame: pl.DataFrame, node_name: str) -> None:
    expected = schema.dtypes()
    if dict(frame.schema) == expected:
        return
    wrong = [
        f"column '{n}' is {frame.schema.get(n, 'missing')}; it should be {expected.get(n, 'left out')}"
        for n in sorted(expected.keys() | frame.schema.keys())
        if frame.schema.get(n) != expected.get(n)
    ] or ["its columns stand in another order"]
    raise SchemaError(f"{node_name} does not follow {schema.__name__}: {'; '.join(wrong)}")

"""Finding: which files and URLs the paths of a command name, each real file once."""

import os
import re
import stat
from collections import defaultdict
from collections.abc import Iterable
from dataclasses import dataclass
from operator import attrgetter

from afp_nodes.refusals import Refusal, RefusedError
from dataflows.inputs.endings import ending_of
from dataflows.inputs.readers import READERS
from dataflows.inputs.refused import (
    leads_nowhere,
    leads_outside,
    name_is_no_text,
    no_regular_file,
    unreadable,
)
from dataflows.inputs.sources import Source

_URL = re.compile(r"[A-Za-z][A-Za-z0-9+.-]*://")
_LOCAL_URL = re.compile(r"(file|local)://")


class NoSuchPathError(Exception):
    """A path of the command that leads nowhere; the message names it and says what is wrong with it."""


@dataclass(frozen=True, slots=True)
class Found:
    """What the paths of a command hold.

    `sources` are sorted by `uri`. `ignored` counts files of other endings; `repeated` the further names, by links of
    either kind, of files that are among the sources. `refusals` are of what is there and cannot be looked into.
    """

    sources: list[Source]
    ignored: int
    refusals: list[Refusal]
    repeated: int


def find_sources(
    paths: Iterable[str | os.PathLike[str]], except_folders: Iterable[str | os.PathLike[str]] = ()
) -> Found:
    """All files of an accepted ending that are named, or lie anywhere below a folder or URL that is named.

    Other files are ignored, also when they are named themselves: a shell that spells out `inbox/*` names them all.
    A path that is a link is followed, for it was named. Below it no link is followed out of what was named; one to a
    file inside is only counted, as that file is found without it. Of several names of one file the least is taken.
    `except_folders` are not entered, wherever they lie.

    Raises:
        NoSuchPathError: a path leads nowhere, or to a service that does not answer.
    """
    walk = _Walk(os.path.realpath(folder) for folder in except_folders)
    for path in (os.fspath(path) for path in paths):
        if _URL.match(path) and not _LOCAL_URL.match(path):
            walk.add_url(path)
        else:
            walk.add_path(_LOCAL_URL.sub("", path))
    return walk.found()


class _Walk:
    """What was come across so far, by absolute path without links."""

    def __init__(self, folders_to_leave_out: Iterable[str]) -> None:
        self._roots: list[str] = []
        self._folders = set(folders_to_leave_out)
        self._sources: dict[str, Source] = {}
        self._names: dict[tuple[int, int], list[str]] = defaultdict(list)
        self._links: list[str] = []
        self._ignored: set[str] = set()
        self._refusals: dict[str, Refusal] = {}
        self._repeated = 0

    def add_url(self, url: str) -> None:
        from dataflows.inputs.urls import sources_at  # noqa: PLC0415 - fsspec takes 0.2 s to load; most have no URLs

        try:
            sources = sources_at(url)
        except OSError as error:
            raise NoSuchPathError(f"{url} cannot be read: {error.strerror or error}") from error
        accepted = {source.uri: source for source in sources if ending_of(source.uri, READERS)}
        self._sources |= accepted
        self._ignored |= {source.uri for source in sources} - accepted.keys()

    def add_path(self, path: str) -> None:
        if not path:
            raise NoSuchPathError("an empty path is not there; the current folder is `.`")
        root = os.path.realpath(path)
        if not _is_text(root):
            self._refuse(root, name_is_no_text())
            return
        try:
            status = os.stat(root)
        except (FileNotFoundError, NotADirectoryError) as error:
            raise NoSuchPathError(
                f"{path} is not there: neither a file nor a folder; correct the path, then run again"
            ) from error
        except OSError as error:
            self._refuse(root, unreadable(error))
            return
        self._roots.append(root)
        if stat.S_ISDIR(status.st_mode):
            self._add_folders([root])
        else:
            self._add_file(root, status, has_other_names=status.st_nlink > 1)

    def _add_folders(self, waiting: list[str]) -> None:
        """A stack, not recursion: folders may lie deeper than Python may call."""
        while waiting:
            folder = waiting.pop()
            if folder in self._folders:
                continue
            self._folders.add(folder)
            try:
                with os.scandir(folder) as entries:
                    waiting.extend(entry.path for entry in entries if self._is_folder(entry))
            except OSError as error:
                self._refuse(folder, unreadable(error))

    def _is_folder(self, entry: os.DirEntry[str]) -> bool:
        """Whether the entry is a folder to be entered; anything else is taken down here."""
        try:
            if not _is_text(entry.name):
                self._refuse(entry.path, name_is_no_text())
            elif entry.is_symlink():
                self._links.append(entry.path)
            elif entry.is_dir(follow_symlinks=False):
                return True
            elif not ending_of(entry.name, READERS):
                self._ignored.add(entry.path)  # not worth asking the disk about
            else:
                status = entry.stat(follow_symlinks=False)
                self._add_file(entry.path, status, has_other_names=status.st_nlink > 1)
        except OSError as error:
            self._refuse(entry.path, unreadable(error))
        return False

    def _add_file(self, path: str, status: os.stat_result, *, has_other_names: bool) -> None:
        if not ending_of(path, READERS):
            self._ignored.add(path)
        elif not stat.S_ISREG(status.st_mode):
            self._refuse(path, no_regular_file())
        else:
            self._sources[path] = Source.of_file(path, status)
            if has_other_names:
                self._names[status.st_dev, status.st_ino].append(path)

    def found(self) -> Found:
        """All of it, when nothing more is to be added."""
        for link in self._links:
            self._add_link(link)
        self._keep_one_name_each()
        sources = sorted(self._sources.values(), key=attrgetter("uri"))
        refusals = sorted(self._refusals.values(), key=attrgetter("source_uri"))
        return Found(sources, len(self._ignored), refusals, self._repeated)

    def _add_link(self, link: str) -> None:
        """A link is read only where it names a file inside that no accepted name leads to."""
        target = os.path.realpath(link)
        try:
            status = os.stat(target)
        except OSError as error:
            if ending_of(link, READERS):
                self._refuse(link, leads_nowhere(error))
            else:
                self._ignored.add(link)
            return
        is_folder = stat.S_ISDIR(status.st_mode)
        if not is_folder and not ending_of(link, READERS):
            self._ignored.add(link)
        elif not self._is_inside(target):
            self._refuse(link, leads_outside())
        elif target in self._sources:
            self._repeated += 1
        elif not is_folder:
            self._add_file(link, status, has_other_names=True)

    def _is_inside(self, target: str) -> bool:
        return any(target == root or target.startswith(os.path.join(root, "")) for root in self._roots)

    def _keep_one_name_each(self) -> None:
        for names in self._names.values():
            for further in set(names) - {min(names)}:
                del self._sources[further]
                self._repeated += 1

    def _refuse(self, path: str, refused: RefusedError) -> None:
        uri = os.fsencode(path).decode("utf-8", "backslashreplace")
        self._refusals[uri] = refused.at(uri, 0)


def _is_text(name: str) -> bool:
    """Whether the name can be stored: file systems also hold names that are no valid UTF-8."""
    return name.isascii() or name.encode(errors="replace").decode() == name

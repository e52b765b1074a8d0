"""Members: the documents inside an archive, which is read from front to back and never unpacked to disk."""

from collections import Counter
from collections.abc import Iterator
from typing import TypeAlias

from afp_nodes.refusals import Refusal, RefusedError
from dataflows.inputs.chunks import Chunks
from dataflows.inputs.documents import Document, Ignored, Limits
from dataflows.inputs.endings import ending_of
from dataflows.inputs.forms import FORMS
from dataflows.inputs.refused import damaged

Item: TypeAlias = Document | Refusal | Ignored

ARCHIVE_ENDINGS = frozenset({".zip", ".tar", ".tar.gz", ".tgz"})


class Members:
    """Hands the members of one archive to the readers of their endings.

    A member's name is text and nothing else. Where a name stands twice, the positions of the second go on after those
    of the first.
    """

    def __init__(self, archive_uri: str, limits: Limits) -> None:
        self._archive_uri = archive_uri
        self._limits = limits
        self._next_position: Counter[str] = Counter()

    def read(self, name: str, contents: Chunks) -> Iterator[Item]:
        """The documents of one member, whose contents may not be used up afterwards."""
        if ending := ending_of(name, FORMS):
            for item in FORMS[ending](contents, self._uri(name), self._next_position[name], self._limits):
                self._next_position[name] = item.position + 1
                yield item
        elif ending_of(name, ARCHIVE_ENDINGS):
            yield self.refused(name, _nested())
        else:
            yield self.ignored(name)

    def refused(self, name: str, refused: RefusedError) -> Refusal:
        """A member that cannot be read."""
        refusal = refused.at(self._uri(name), self._next_position[name])
        self._next_position[name] += 1
        return refusal

    def ignored(self, name: str) -> Ignored:
        """A member that is no document."""
        return Ignored(self._uri(name))

    def _uri(self, name: str) -> str:
        return f"{self._archive_uri}::{name}"


def _nested() -> RefusedError:
    return damaged("is an archive inside an archive, which is not opened", "unpack the outer archive, give the folder")

"""Forgotten: what a store must not take in again, told by keyed hashes alone. Rule: product contract, section 10.

Light, like the manifest: reading a store needs no more.
"""

import hashlib
from collections.abc import Iterable
from dataclasses import dataclass, replace
from secrets import token_hex
from typing import Self

KEY_BYTES = 32
MARK_BYTES = 16


@dataclass(frozen=True, slots=True)
class Forgotten:
    """Marks of documents and runs that were removed for good, and the snapshots that held them.

    `key` is random and the store's own: without it, nobody can tell whether some id or digest is among the marks.
    Documents of `runs` are refused whatever they hold; of `documents` only the same bytes are.
    """

    key: str = ""
    documents: frozenset[str] = frozenset()
    runs: frozenset[str] = frozenset()
    versions: frozenset[int] = frozenset()

    def __bool__(self) -> bool:
        """Whether anything was forgotten."""
        return bool(self.key)

    def has_document(self, sha256: str) -> bool:
        """Whether the document of that digest was forgotten."""
        return bool(self.documents) and self._mark(sha256) in self.documents

    def has_run(self, run_id: str) -> bool:
        """Whether the run was forgotten, so that no document brings it back."""
        return bool(self.runs) and self._mark(run_id) in self.runs

    def more(self, documents: Iterable[str] = (), runs: Iterable[str] = (), versions: Iterable[int] = ()) -> Self:
        """These and more: digests of documents, ids of runs, and the snapshots that held them."""
        keyed = self if self.key else replace(self, key=token_hex(KEY_BYTES))
        return replace(
            keyed,
            documents=self.documents | {*map(keyed._mark, documents)},
            runs=self.runs | {*map(keyed._mark, runs)},
            versions=self.versions | {*versions},
        )

    def _mark(self, text: str) -> str:
        key = bytes.fromhex(self.key)
        return hashlib.blake2b(text.encode("utf-8", "surrogatepass"), key=key, digest_size=MARK_BYTES).hexdigest()

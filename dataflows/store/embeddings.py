"""Embeddings, kept in the store: an answer is embedded once, whatever is derived again.

Rule: product contract, section 6. They lie under `cache/`, by embedder, in files named for the hash of what is
in them: a file that is not what its name says is not read. Writers never change a file, so they do not disturb each
other. All of it can be removed at any time, and where it cannot be written nothing is kept.
"""

import hashlib
import io
import time
from collections.abc import Collection, Iterator
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from secrets import token_hex

import polars as pl

from afp_nodes.studies.embedders import embedded, embedder
from afp_nodes.studies.similarity import Embedding
from dataflows.store.parts import TEMPORARY
from dataflows.store.writers import OLD

FOLDER = "cache/embeddings"
MOST_FILES = 16
"""From so many files of one embedder on, one is made of them."""

_COLUMNS = pl.Schema({"text_sha256": pl.String(), "vector": pl.List(pl.Float64())})


@dataclass(frozen=True, slots=True)
class KeptEmbeddings:
    """The embeddings that one store keeps."""

    root: Path

    def of(self, embedder_id: str, texts: Collection[str]) -> dict[str, Embedding]:
        """The embedding of each text, made where none is kept.

        Raises `UnknownNameError` where there is no such embedder, `EmbeddingError` where it gives something else.
        """
        embedder(embedder_id)
        names = {_sha256(text.encode("utf-8", "surrogatepass")): text for text in texts}
        folder = self.root / FOLDER / _sha256(embedder_id.encode("utf-8", "surrogatepass"))[:16]
        kept = {name: vector for file in _files(folder) for name, vector in _read(file) if name in names}
        made = embedded(embedder_id, [text for name, text in names.items() if name not in kept])
        if not made:
            return {names[name]: Embedding(embedder_id, vector) for name, vector in kept.items()}
        lengths = {len(vector) for vector in (*kept.values(), *(embedding.vector for embedding in made.values()))}
        if len(lengths) > 1:  # the embedder was exchanged for another of its name
            made, kept = embedded(embedder_id, texts), {}
            _remove(folder)
        _keep(folder, {name: made[text].vector for name, text in names.items() if text in made})
        return {**{names[name]: Embedding(embedder_id, vector) for name, vector in kept.items()}, **made}


def remove_leftovers(root: Path) -> None:
    """Removes what writers that were killed left half written."""
    for file in (root / FOLDER).glob(f"*/*{TEMPORARY}"):
        file.unlink(missing_ok=True)


def _files(folder: Path) -> list[Path]:
    return sorted(folder.glob("*.parquet"))


def _read(file: Path) -> Iterator[tuple[str, tuple[float, ...]]]:
    """What a file holds; nothing when it is gone, or is not what its name says."""
    try:
        data = file.read_bytes()
    except OSError:
        return
    if _sha256(data) == file.stem:
        for name, vector in pl.read_parquet(io.BytesIO(data)).iter_rows():
            yield name, tuple(vector)


def _keep(folder: Path, vectors: dict[str, tuple[float, ...]]) -> None:
    """Writes vectors by the hash of their text; makes one file of many. Where that fails, nothing is kept."""
    with suppress(OSError):
        folder.mkdir(parents=True, exist_ok=True)
        _remove_old(folder)
        earlier = _files(folder)
        many = len(earlier) >= MOST_FILES
        merged = dict(pair for file in earlier for pair in _read(file)) if many else {}
        written = _written(folder, merged | vectors)
        for file in earlier if many else ():
            if file != written:
                file.unlink(missing_ok=True)


def _written(folder: Path, vectors: dict[str, tuple[float, ...]]) -> Path:
    """A new file, whole or not at all. Raises `OSError`."""
    buffer = io.BytesIO()
    rows = sorted((name, list(vector)) for name, vector in vectors.items())
    pl.DataFrame(rows, schema=_COLUMNS, orient="row").write_parquet(buffer, compression="zstd")
    temporary = folder / f"{token_hex(8)}{TEMPORARY}"
    try:
        temporary.write_bytes(buffer.getvalue())
        return temporary.rename(folder / f"{_sha256(buffer.getvalue())}.parquet")
    finally:
        temporary.unlink(missing_ok=True)


def _remove(folder: Path) -> None:
    for file in _files(folder):
        with suppress(OSError):
            file.unlink(missing_ok=True)


def _remove_old(folder: Path) -> None:
    """Removes what a killed writer left long ago. Raises `OSError`."""
    for file in folder.glob(f"*{TEMPORARY}"):
        if file.stat().st_mtime < time.time() - OLD.total_seconds():
            file.unlink(missing_ok=True)


def _sha256(data: bytes) -> str:
    return hashlib.sha256(data).hexdigest()

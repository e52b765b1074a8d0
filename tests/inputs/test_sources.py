"""Sources: when a file need not be read again."""

import os
import pickle
from pathlib import Path

from dataflows.inputs import Source, find_sources, is_unchanged


def the_source(path: Path) -> Source:
    [source] = find_sources([path]).sources
    return source


def written(path: Path, text: str) -> Path:
    path.write_text(text)
    return path


def test_a_file_nobody_touched_is_unchanged(tmp_path: Path) -> None:
    path = written(tmp_path / "run.json", "{}")
    before = the_source(path)
    assert is_unchanged(the_source(path), {before.uri: before.fingerprint})


def test_a_file_never_seen_is_not_unchanged(tmp_path: Path) -> None:
    assert not is_unchanged(the_source(written(tmp_path / "run.json", "{}")), {})


def test_another_file_of_same_size_and_time_is_seen(tmp_path: Path) -> None:
    path = written(tmp_path / "run.json", "[1]")
    before, status = the_source(path), path.stat()
    replacement = written(tmp_path / "new", "[2]")
    os.utime(replacement, ns=(status.st_atime_ns, status.st_mtime_ns))
    replacement.replace(path)
    after = the_source(path)
    assert (after.size_bytes, after.modified_ns) == (before.size_bytes, before.modified_ns)
    assert not is_unchanged(after, {before.uri: before.fingerprint})


def test_each_part_of_the_fingerprint_counts() -> None:
    source = Source("/in/run.json", 1, 2, 3, 4)
    for changed in ((0, 2, 3, 4), (1, 0, 3, 4), (1, 2, 0, 4), (1, 2, 3, 5)):
        assert not is_unchanged(source, {source.uri: changed})


def test_a_source_is_small_enough_to_send_to_workers(tmp_path: Path) -> None:
    source = the_source(written(tmp_path / "it's 100% été.json", "{}"))
    sent = pickle.dumps(source)
    assert pickle.loads(sent) == source
    assert len(sent) < 500


def test_an_inode_fits_a_signed_integer(tmp_path: Path) -> None:
    inodes = {the_source(written(tmp_path / f"{name}.json", "{}")).inode for name in range(20)}
    assert len(inodes) == 20
    assert all(0 <= inode < 2**63 for inode in inodes)

"""The life of a key, what each of its values fed, and how sure the record is (record format, sections 13 to 15)."""

from dataclasses import dataclass, field
from typing import NamedTuple

from tests.oracle.recording import Log

MAX_LIVES = 100
MAX_DEPTH = 20


class Moment(NamedTuple):
    """One write or one read of a key at a commit position."""

    kind: str
    at: int
    verb: str | None = None
    from_write: int | None = None


@dataclass
class Timeline:
    """The moments of one key, or why there are none."""

    moments: list[Moment] = field(default_factory=list)
    notes: list[str] = field(default_factory=list)
    missing: str | None = None


class Life(NamedTuple):
    """One value of a key: from a write, or from before the run (None), to the next write."""

    key: str
    written: int | None


class Node(NamedTuple):
    """A life in a forward slice, with the positions that read it as far as it was expanded."""

    life: Life
    depth: int
    reads: list[int]


class Edge(NamedTuple):
    """A life that fed another, and what says so."""

    parent: Life
    child: Life
    basis: str


@dataclass
class Slice:
    """Everything a life fed, directly or not, within the budgets."""

    nodes: list[Node] = field(default_factory=list)
    edges: list[Edge] = field(default_factory=list)
    notes: list[str] = field(default_factory=list)
    missing: str | None = None
    by_nodes: bool = False
    by_depth: bool = False


def opening(log: Log, key: str) -> tuple[str | None, list[str]]:
    """What both doors say first: why the key has no life, and what must be known about it."""
    if not log.commits:
        return "empty-log", []
    notes = []
    if key not in log.writes and key not in log.reads:
        notes.append("unknown-key")
        if log.reads:
            return "never-written", notes
    if not log.reads:
        notes.append("reads-not-recorded")
    return None, notes


def timeline(log: Log, key: str, before: int | None = None) -> Timeline:
    """Writes and reads of a key before a bound, ascending; at one position the read comes first."""
    missing, notes = opening(log, key)
    if missing:
        return Timeline([], notes, missing)
    writes, limit = log.writes.get(key, []), len(log.commits) if before is None else before
    moments = []
    for at in range(min(limit, len(log.commits))):
        if at in log.reads.get(key, []):
            moments.append(Moment("read", at, from_write=max((w for w in writes if w < at), default=None)))
        if at in writes:
            moments.append(Moment("write", at, verb=log.commits[at].last_row(key).verb))
    if any(m.kind == "read" and m.from_write is None for m in moments):
        notes.append("pre-run-origin")
    return Timeline(moments, notes)


def next_write(log: Log, life: Life) -> int | None:
    """The write that ends a life; None where it lives to the end of the log."""
    after = -1 if life.written is None else life.written
    return min((at for at in log.writes.get(life.key, []) if at > after), default=None)


def readers(log: Log, life: Life) -> list[int]:
    """Positions that read a life: after its own write, up to and with the next one."""
    after, end = -1 if life.written is None else life.written, next_write(log, life)
    return [at for at in log.reads.get(life.key, []) if at > after and (end is None or at <= end)]


def fed(log: Log, life: Life, reader: int) -> list[Edge]:
    """What a reader wrote from a life: by the read list of the path's last row where there is one, else by the step."""
    edges = []
    for path in log.commits[reader].paths:
        read_keys = log.commits[reader].last_row(path).read_keys
        if read_keys is None:
            edges.append(Edge(life, Life(path, reader), "stage"))
        elif life.key in read_keys:
            edges.append(Edge(life, Life(path, reader), "per-write"))
    return edges


def forward(
    log: Log, key: str, before: int | None = None, max_lives: int = MAX_LIVES, max_depth: int = MAX_DEPTH
) -> Slice:
    """Breadth first from the last life before a bound: who read it, what it fed, and so on.

    The bound picks the root and nothing else. A life is made once, at the depth of its first discovery.
    """
    missing, notes = opening(log, key)
    if missing:
        return Slice(notes=notes, missing=missing)
    root = Life(key, max((at for at in log.writes.get(key, []) if before is None or at < before), default=None))
    depths, result, stage_edge_seen = {root: 0}, Slice(), False
    pending = [root]
    while pending:
        life = pending.pop(0)
        reads, is_deep = readers(log, life), depths[life] >= max_depth
        result.nodes.append(Node(life, depths[life], [] if is_deep else reads))
        if is_deep:
            result.by_depth |= bool(reads)
            continue
        for edge in (edge for reader in reads for edge in fed(log, life, reader)):
            stage_edge_seen |= edge.basis == "stage"
            if edge.child not in depths and len(depths) >= max_lives:
                result.by_nodes = True
                continue
            if edge.child not in depths:
                depths[edge.child] = depths[life] + 1
                pending.append(edge.child)
            result.edges.append(edge)
    result.notes = notes + [
        note
        for note, holds in (
            ("pre-run-origin", root.written is None),
            ("conservative-fed-edges", stage_edge_seen),
            ("truncated", result.by_nodes or result.by_depth),
        )
        if holds
    ]
    return result


def coverage(found: Slice | None) -> str:
    """How exactly the record says what a life fed, by its forward slice."""
    if found is None:
        return "unknown"
    if "reads-not-recorded" in found.notes:
        return "conservative"
    if not found.edges:
        return "unknown"
    return "conservative" if any(edge.basis == "stage" for edge in found.edges) else "exact"

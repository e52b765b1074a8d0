"""Whatever order documents arrive in, in whatever batches, the tables are those of one batch."""

import random
import tempfile
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from hypothesis import given, settings
from hypothesis import strategies as st

from dataflows.job import run
from dataflows.store import Store
from dataflows.store.checking import check
from dataflows.store.compaction import compact
from dataflows.store.upkeep import rollback, vacuum
from tests.declaring import declaration, recording, units, write
from tests.stores import told_tables

RUNS = st.sampled_from("qrs")
MEMBERS = st.sampled_from(["rows", "other"])
RECORDINGS = st.builds(
    lambda run_id, complete, session: recording(run_id, complete=complete, sessionId=session),
    RUNS,
    st.booleans(),
    st.sampled_from("xy"),
)
DECLARATIONS = st.builds(
    lambda run_ids, find, others: declaration(run_ids, find=find, **others),
    st.one_of(st.just("*"), st.lists(RUNS, min_size=1, max_size=2, unique=True)),
    MEMBERS,
    st.dictionaries(st.sampled_from("tu"), MEMBERS, max_size=2),
)
IDS = st.lists(st.sampled_from("abc"), max_size=3)
LISTS = st.lists(
    st.builds(lambda run_id, available, sent: units(run_id, *available, sent=(*sent,)), RUNS, IDS, IDS),
    min_size=1,
    max_size=2,
)
UPKEEP = st.sampled_from(["nothing", "nothing", "compact", "vacuum", "rollback"])


@st.composite
def arrivals(draw: st.DrawFn) -> tuple[dict[str, Any], list[tuple[list[str], str]]]:
    """Documents by their names, and batches in which they arrive, each with what is done to the store after it."""
    kinds = {"": (RECORDINGS, 3), "__declarations": (DECLARATIONS, 3), "__units": (LISTS, 3)}
    documents = {
        f"d{number}{ending}": document
        for ending, (drawn, most) in kinds.items()
        for number, document in enumerate(draw(st.lists(drawn, min_size=1, max_size=most)))
    }
    names = draw(st.permutations(sorted(documents)))
    cuts = sorted(draw(st.sets(st.integers(1, len(names) - 1), max_size=3)))
    batches = [names[start:end] for start, end in zip([0, *cuts], [*cuts, len(names)], strict=True)]
    return documents, [(batch, draw(UPKEEP)) for batch in batches]


@settings(max_examples=settings.default.max_examples // 2)
@given(arrivals(), st.integers(0, 9))
def test_the_order_and_the_batches_in_which_documents_arrive_change_no_table(
    arriving: tuple[dict[str, Any], list[tuple[list[str], str]]], seed: int
) -> None:
    documents, batches = arriving
    with tempfile.TemporaryDirectory() as folder:
        places = write(Path(folder) / "inbox", **documents)
        whole = _taken_in(Path(folder) / "whole", list(places.values()))
        for batch, upkeep in batches:
            store = _taken_in(Path(folder) / "apart", [places[name] for name in batch])
            _kept_up(store, upkeep, random.Random(seed))
        store = _taken_in(Path(folder) / "apart", list(places.values()))
        assert told_tables(store) == told_tables(whole)


def _taken_in(store: Path, paths: Sequence[Path]) -> Store:
    run([str(path) for path in paths], str(store))
    assert check(Store(store)) == []
    return Store(store)


def _kept_up(store: Store, upkeep: str, dice: random.Random) -> None:
    """One piece of upkeep; what a rollback takes away comes again with the last batch."""
    if upkeep == "compact":
        compact(store)
    elif upkeep == "vacuum":
        vacuum(store, keep_days=0)
    elif upkeep == "rollback":
        rollback(store, dice.choice(store.versions()))
    assert check(store) == []

"""Which writes introduce which suspects, and what would remove them."""

import polars as pl
import pytest

from afp_nodes.classifier import Classifier, Seed, recorded_seeds
from afp_nodes.context_sources import context_sources, source_writers, value_index
from afp_nodes.schemas import (
    Commits,
    ContextSources,
    FoldedValues,
    LoopFrames,
    Reads,
    Scopes,
    SuspectWrites,
    Timelines,
    ValueIndex,
    Writes,
)
from afp_nodes.suspects import ablation_hooks, suspect_writes, suspects
from afp_nodes.timelines import moments
from afp_nodes.words import SuspectKind
from tests.tables import shown, table

SLOT = "systemPromptInjections"
FACT = '{"source":"fact","sourceId":"f"}'


@pytest.mark.parametrize(
    ("key", "value", "named"),
    [
        (SLOT, f"[{FACT},null,7,{FACT}]", ["injection f", "injection f"]),
        (SLOT, '[{"source":"memory","sourceId":"m"},{"source":"FACT","sourceId":"x"}]', ["memory m"]),
        (SLOT, '[{"source":"fact","sourceId":""},{"source":"fact","sourceId":5}]', ["injection "]),
        (SLOT, f'{{"0":{FACT}}}', []),
        ("lastToolResult", '{"toolName":"calc","result":{}}', ["tool calc"]),
        ("lastToolResult", '{"toolName":5}', []),
        ("lastToolResult", "null", []),
        ("history", f"[{FACT}]", []),
    ],
)
def test_a_value_names_the_sources_that_somebody_could_leave_out(key: str, value: str, named: list[str]) -> None:
    assert [f"{seed.kind} {seed.suspect_id}" for seed in recorded_seeds(key, value)] == named


def test_of_two_sources_with_one_id_the_first_stands() -> None:
    sources = _sources(f'[{{"source":"memory","sourceId":"f"}},{FACT},{{"source":"rag","sourceId":"r"}}]')
    assert shown(suspects(sources), "suspect_rank", "suspect_kind", "suspect_id", "spec_json") == [
        (0, "memory", "f", '{"kind":"memory","excludeMemoryIds":["f"]}'),
        (1, "injection", "r", '{"kind":"injection","excludeInjectionIds":["r"]}'),
    ]


def test_a_classifier_can_be_replaced_and_is_asked_once_per_value() -> None:
    asked = []

    def seeds(key: str, value_json: str) -> list[Seed]:
        asked.append((key, value_json))
        return [Seed(SuspectKind.TOOL, key)]

    sources = pl.concat([_sources("[1]"), _sources("[1]").with_columns(run_id=pl.lit("b", pl.Categorical()))])
    found = suspects(sources, Classifier(seeds))
    assert shown(found, "suspect_id") == [(SLOT,)]
    assert asked == [(SLOT, "[1]")]


def test_a_call_draws_on_the_last_write_before_it_and_the_tool_result_comes_last() -> None:
    frames = table(
        LoopFrames,
        """
        run_id | loop_index | scope | llm_call_id | llm_commit_idx
        a      | 0          | ''    | call#2      | 2
        a      | 1          | ''    |             |
        """,
    )
    reads = table(
        Reads,
        """
        run_id | scope | runtime_stage_id | key   | position | first_position
        a      | ''    | call#2           | x     | 0        | 1
        a      | ''    | call#2           | never | 1        | 0
        a      | ''    | call#2           | last  | 2        |
        """,
    )
    commits = table(
        Commits,
        """
        run_id | scope | commit_idx | runtime_stage_id
        a      | ''    | 0          | w#0
        a      | ''    | 1          | w#0
        a      | ''    | 2          | call#2
        a      | ''    | 3          | w#0
        """,
    )
    writes = table(
        Writes,
        """
        run_id | scope | commit_idx | key            | runtime_stage_id | entries
        a      | ''    | 0          | x              | w#0              | 1
        a      | ''    | 1          | lastToolResult | w#0              | 1
        a      | ''    | 2          | x              | call#2           | 1
        """,
    )
    found = source_writers(frames, reads, writes, commits, table(Scopes, "run_id | scope | position"))
    assert shown(found, "position", "key", "writer_id", "fold_commit_idx", "proximate") == [
        (0, "never", None, None, False),
        (1, "x", "w#0", 3, False),
        (2, "lastToolResult", "w#0", 3, True),
    ]
    values = table(
        FoldedValues,
        """
        run_id | scope | key            | fold_commit_idx | value_json | basis
        a      | ''    | x              | 3               |            | [3]
        a      | ''    | lastToolResult | 3               |            | [3]
        """,
    )
    assert shown(context_sources(found, values), "position", "writer_commit_idx", "value_json") == [
        (0, None, None),
        (1, 3, None),
    ]
    assert shown(value_index(found, values), "key", "writer_id", "value_json", "basis") == [("x", "w#0", None, [3])]


def test_a_mount_takes_its_suspects_from_its_own_loop_and_the_runs_log_from_the_first() -> None:
    frames = table(
        LoopFrames,
        """
        run_id | loop_index | scope
        a      | 0          | m#1
        a      | 1          | m#2
        """,
    )
    sources = table(
        ContextSources,
        f"""
        run_id | loop_index | position | key    | writer_id | value_json
        a      | 0          | 0        | {SLOT} | ''        | [{FACT}]
        a      | 1          | 0        | {SLOT} | ''        | []
        """,
    )
    index = table(
        ValueIndex,
        f"""
        run_id | key    | writer_id | scope | value_json
        a      | {SLOT} | ''        | m#1   | [{FACT}]
        """,
    )
    found = suspect_writes(index, sources, frames, suspects(sources))
    assert shown(found, "scope", "writer_id", "suspect_id") == [("", "", "f"), ("m#1", "", "f")]


def test_a_hook_stands_once_for_a_step_however_often_it_wrote() -> None:
    life = table(
        Timelines,
        """
        run_id | scope | key | position | kind  | commit_idx | runtime_stage_id | life
        a      | ''    | k   | 0        | write | 0          | late#9           | 0
        a      | ''    | k   | 1        | write | 1          | w#1              | 1
        a      | ''    | k   | 2        | read  | 2          | w#1              | 1
        a      | ''    | k   | 3        | write | 2          | w#1              | 2
        """,
    )
    named = table(
        SuspectWrites,
        """
        run_id | scope | key | writer_id | suspect_rank | suspect_kind | suspect_id
        a      | ''    | k   | w#1       | 0            | tool         | t
        a      | ''    | k   | w#1       | 1            | memory       | m
        a      | ''    | k   | late#9    | 0            | tool         | t
        """,
    )
    told = moments(life, named)
    assert shown(ablation_hooks(told, named), "position", "writer_id", "suspect_id") == [
        (0, "late#9", "t"),
        (1, "w#1", "t"),
        (2, "w#1", "m"),
    ]
    assert shown(told, "position", "suspect_kind", "suspect_id") == [
        (0, "tool", "t"),
        (1, "tool", "t"),
        (2, None, None),
        (3, "tool", "t"),
    ]


def _sources(value_json: str) -> pl.LazyFrame:
    return table(
        ContextSources,
        f"""
        run_id | loop_index | position | key    | writer_id | value_json
        a      | 0          | 0        | {SLOT} | w#0       | {value_json}
        """,
    )

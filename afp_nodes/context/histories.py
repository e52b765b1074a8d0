"""Histories: the tool results that a run's record shows, where it shows them, and what a window took away.

Events tell of results that came, logs of the messages that were kept. A window strategy commits a shorter history;
the earlier value still shows what there was. Rule: product contract, section 9.
"""

from collections.abc import Iterator
from typing import Any

import dataframely as dy
import polars as pl
from msgspec import Struct

from afp_nodes import javascript
from afp_nodes.addresses import OWN_LOG, execution_number
from afp_nodes.context.begun import COMPACTIONS, HISTORY
from afp_nodes.context.committed import BEFORE_THE_LOG
from afp_nodes.context.contents import content, list_reader, name
from afp_nodes.distinct import mapped_once, read_once
from afp_nodes.schemas import (
    BegunValues,
    Evictions,
    HistoryResults,
    ResultSightings,
    Scopes,
    ToolCalls,
    ToolResults,
    Writes,
)
from afp_nodes.signs import PLACEHOLDERS

LOG = ["run_id", "scope"]
RESULT = ["run_id", "tool_call_id"]
READ_OF_A_HISTORY = ("position", "tool_call_id", "content", "is_list", "is_named")
NO_IDS = ("", *PLACEHOLDERS)
"""Ids that tell no call from another."""


class _Message(Struct, rename="camel"):
    role: Any = None
    tool_call_id: Any = None
    content: Any = None


def history_results(
    writes: dy.LazyFrame[Writes], begun_values: dy.LazyFrame[BegunValues], call_mounts: dy.LazyFrame[Scopes]
) -> dy.LazyFrame[HistoryResults]:
    """One row per tool result in a value of `history`, of logs that hold model calls.

    A value is what a commit wrote, or what the leg began with. One without a result has a row without a call.
    """
    rows = writes.filter(pl.col("key") == HISTORY)
    mounted = rows.join(call_mounts.select(LOG), on=LOG, how="semi")
    verbs = pl.col("verbs").list
    committed = pl.concat([rows.filter(pl.col("scope") == ""), mounted]).select(
        *LOG,
        "commit_idx",
        "runtime_stage_id",
        replaces=verbs.contains("set") | verbs.contains("delete"),
        written=pl.coalesce("overwrite_json", "update_json", pl.lit("null")),
    )
    begun = begun_values.filter(pl.col("key") == HISTORY).select(
        "run_id",
        scope=OWN_LOG,
        commit_idx=pl.lit(BEFORE_THE_LOG, pl.Int64),
        runtime_stage_id=OWN_LOG,
        replaces=pl.lit(value=True),
        written="value_json",
    )
    shortened = _shortened(begun_values).with_columns(commit_idx=pl.lit(BEFORE_THE_LOG, pl.Int64))
    told = {column: HistoryResults.dtypes()[column] for column in READ_OF_A_HISTORY}
    return (
        read_once(pl.concat([begun, committed]), "written", _results, told)
        .join(shortened, on=["run_id", "commit_idx"], how="left")
        .with_columns(is_named=pl.col("is_named") & pl.col("is_shortened").is_null())
        .sort(*LOG, "commit_idx", "position")
        .with_columns(number=execution_number("runtime_stage_id"))
        .select(HistoryResults.column_names())
        .pipe(HistoryResults.cast)
    )


def result_sightings(history_results: dy.LazyFrame[HistoryResults]) -> dy.LazyFrame[ResultSightings]:
    """One row per tool result and log, with the first value of that log's history that holds it."""
    return (
        history_results.drop_nulls("tool_call_id")
        .sort(*LOG, "commit_idx", "position")
        .unique([*LOG, "tool_call_id"], keep="first", maintain_order=True)
        .with_columns(listed=pl.int_range(pl.len()))
        .select(ResultSightings.column_names())
        .pipe(ResultSightings.cast)
    )


def tool_results(
    tool_calls: dy.LazyFrame[ToolCalls], result_sightings: dy.LazyFrame[ResultSightings]
) -> dy.LazyFrame[ToolResults]:
    """One row per tool call whose result the record shows: by an event, in the run's own log, or in a mount."""
    spoken = pl.col("result_json").map_batches(lambda told: mapped_once(told, _spoken), return_dtype=pl.String)
    ended = (
        tool_calls.filter(pl.col("end_event_idx").is_not_null(), ~pl.col("tool_call_id").is_in(NO_IDS))
        .sort("end_event_idx")
        .unique(RESULT, keep="first", maintain_order=True)
        .select(*RESULT, event_idx="end_event_idx", event_content=spoken)
    )
    own = result_sightings.filter(pl.col("scope") == "")
    mounted = result_sightings.filter(pl.col("scope") != "").sort("number", "listed", nulls_last=True)
    first = mounted.unique(RESULT, keep="first", maintain_order=True)
    shown = own.select(*RESULT, pl.col("commit_idx", "number", "listed", "content").name.prefix("log_")).join(
        first.select(*RESULT, pl.col("scope", "commit_idx", "number", "listed", "content").name.prefix("mount_")),
        on=RESULT,
        how="full",
        coalesce=True,
    )
    return (
        ended.join(shown, on=RESULT, how="full", coalesce=True)
        .select(ToolResults.column_names())
        .pipe(ToolResults.cast)
    )


def evictions(history_results: dy.LazyFrame[HistoryResults]) -> dy.LazyFrame[Evictions]:
    """One row per tool result that a commit left out of the history it wrote anew, though the value before held it."""
    span, result = [*LOG, "span"], [*LOG, "span", "tool_call_id"]
    begins = pl.col("replaces") & (pl.col("position") == 0)
    held = history_results.sort(*LOG, "commit_idx", "position").with_columns(
        span=begins.cast(pl.Int64).cum_sum().over(LOG)
    )
    anew = held.filter("is_list", begins).select(*span, "commit_idx", "runtime_stage_id", "number")
    return (
        held.drop_nulls("tool_call_id")
        .select(result)
        .unique()
        .with_columns(span=pl.col("span") + 1)
        .join(anew, on=span)
        .join(held.filter("replaces").select(result), on=result, how="anti")
        .select(Evictions.column_names())
        .pipe(Evictions.cast)
    )


_messages = list_reader(_Message)


def _results(written: str) -> Iterator[tuple[int, str | None, str | None, bool, bool]]:
    """The tool results in what was written of a history; whether that is a list, and names the call of each result."""
    messages = _messages(written)
    results = [message for message in messages or [] if message.role == "tool"]
    named = [(call_id, content(m.content)) for m in results if (call_id := name(m.tool_call_id)) is not None]
    is_named = messages is not None and len(named) == len(results)
    for position, (call_id, told) in enumerate(named or [(None, None)]):
        yield position, call_id, told, messages is not None, is_named


class _Compaction(Struct, rename="camel"):
    removed_message_count: Any = None


_compactions = list_reader(_Compaction)


def _shortened(begun_values: pl.LazyFrame) -> pl.LazyFrame:
    """The runs whose leg began with a history that an earlier leg had taken messages away from."""
    return read_once(
        begun_values.filter(pl.col("key") == COMPACTIONS), "value_json", _removals, {"is_shortened": pl.Boolean()}
    ).select("run_id", "is_shortened")


def _removals(compactions_json: str) -> list[tuple[bool]]:
    compactions = _compactions(compactions_json) or []
    return [(True,)] if any(each.removed_message_count != 0 for each in compactions) else []


def _spoken(result: str) -> str | None:
    return content(javascript.parse_as_spelled(result))

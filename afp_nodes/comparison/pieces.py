"""Pieces: what the context of each model call was composed of, and which of its slots the record shows whole.

Units go by their id, the result of a tool by the call it answers: its tool and its arguments, never its id. Beside the
units a context holds the system prompt, the messages and the tools that were offered. Rule: product contract,
sections 4 and 9.
"""

import dataframely as dy
import polars as pl

from afp_nodes.comparison.places import commit, event, places
from afp_nodes.comparison.redaction import Redactions, redacted_under, touched
from afp_nodes.comparison.sides import LOOP
from afp_nodes.context.events import TOOL_RESULT
from afp_nodes.context.sent import MEMORY_SOURCES, MEMORY_SPELLING, WHOLE_MEMORY
from afp_nodes.schemas import (
    AskedCalls,
    ContextPieces,
    ContextSights,
    RunRecords,
    SeenLoops,
    SentUnits,
    ShownSlots,
    SlotRecords,
    SlotSights,
)
from afp_nodes.words import Piece, Side, Sight, UnitKind

KINDS = {
    "base": Piece.PROMPT,
    "user": Piece.USER,
    "assistant": Piece.MODEL,
    "registry": Piece.TOOL,
    TOOL_RESULT: Piece.TOOL_RESULT,
    **dict.fromkeys(MEMORY_SOURCES, Piece.MEMORY),
}
"""Kinds by the source of a record; any other with an id is an injection."""
CONTENT_NAMES = ("rawContent", "contentSummary")
RESULT_NAMES = ("result", "lastToolResult", "toolResults", "history")
MESSAGE_NAMES = ("history", "content", "userMessage", "userPrompt", "llmLatestContent")
"""Names under which a redacted record takes out what was composed, a tool's result, or a message."""
SHOWN = (Sight.WHOLE, Sight.FALLBACK)


def context_pieces(
    seen_loops: dy.LazyFrame[SeenLoops],
    slot_records: dy.LazyFrame[SlotRecords],
    sent_units: dy.LazyFrame[SentUnits],
    asked_calls: dy.LazyFrame[AskedCalls],
    run_records: dy.LazyFrame[RunRecords],
    redactions: Redactions,
) -> dy.LazyFrame[ContextPieces]:
    """One row per thing that a call's context was composed of.

    A memory that a slot names as a whole is followed by the entries that it is known to hold.
    """
    of_loop = seen_loops.select("run_id", "call", "iteration", "scope")
    records = slot_records.join(of_loop, on=["run_id", "call"]).with_columns(kind=_kind())
    entries = _entries(sent_units, slot_records).join(of_loop, on=["run_id", "call"])
    columns = [*LOOP, "slot", "position", "kind", "name", "content", "scope", "event_idx", "commit_idx"]
    results = _with_calls(records.filter(pl.col("kind") == Piece.TOOL_RESULT), asked_calls)
    others = records.filter(pl.col("kind") != Piece.TOOL_RESULT).with_columns(name=_own_name())
    return (
        pl.concat([frame.select(columns) for frame in (results, others, entries)])
        .join(run_records.select("run_id", "redacted_names"), on="run_id")
        .with_columns(
            kept_out=_kept_out(redactions), places_json=places(event("event_idx"), commit("scope", "commit_idx"))
        )
        .with_columns(content=pl.when(~pl.col("kept_out")).then("content"))
        .sort(*LOOP, pl.col("slot").to_physical(), "position", "name", nulls_last=True)
        .with_columns(position=pl.int_range(pl.len()).over(LOOP))
        .select(ContextPieces.column_names())
        .pipe(ContextPieces.cast)
    )


def shown_slots(
    seen_loops: dy.LazyFrame[SeenLoops],
    slot_sights: dy.LazyFrame[SlotSights],
    sent_sights: dy.LazyFrame[ContextSights],
) -> dy.LazyFrame[ShownSlots]:
    """One row per slot of a call that the record shows whole.

    A slot of which the run shows no trace is not known to be empty.
    """
    memory = sent_sights.filter(pl.col("unit_kind") == UnitKind.MEMORY, pl.col("side") == Side.SENT)
    return (
        slot_sights.filter(pl.col("sight").is_in(SHOWN))
        .join(seen_loops.select("run_id", "call", "iteration"), on=["run_id", "call"])
        .join(memory.select("run_id", "call", entries="sight"), on=["run_id", "call"], how="left")
        .select(*LOOP, "slot", shows_entries=pl.col("entries").is_in(SHOWN).fill_null(value=False))
        .pipe(ShownSlots.cast)
    )


def _kind() -> pl.Expr:
    is_memory = pl.col("source_id").str.contains("^memory:").fill_null(value=False)
    known = pl.col("source").replace_strict(KINDS, default=None, return_dtype=pl.Enum(Piece))
    return (
        pl.when(known.is_null() & is_memory)
        .then(pl.lit(Piece.MEMORY))
        .when(known.is_null() & pl.col("source_id").is_not_null())
        .then(pl.lit(Piece.INJECTION))
        .otherwise(known.fill_null(pl.lit(Piece.OTHER)))
        .cast(pl.Enum(Piece))
    )


def _own_name() -> pl.Expr:
    """The unit's id, memory by its bare entry id; of what has none its source, where that is not its kind."""
    entry = pl.col("source_id").str.extract(MEMORY_SPELLING)
    source = pl.when(pl.col("kind") == Piece.OTHER).then("source")
    return pl.coalesce(entry, "source_id", source, pl.lit(""))


def _entries(sent_units: pl.LazyFrame, slot_records: pl.LazyFrame) -> pl.LazyFrame:
    """The entries of memories that a slot names as a whole; their text stands in that of the memory."""
    wholes = slot_records.select("run_id", "call", "slot", "position", spelling="source_id").unique(
        ["run_id", "call", "spelling"], keep="first", maintain_order=True
    )
    is_entry = pl.col("spelling").str.contains(WHOLE_MEMORY) & (pl.col("unit_id") != pl.col("spelling"))
    return (
        sent_units.filter(is_entry)
        .drop("position")
        .join(wholes, on=["run_id", "call", "spelling"])
        .with_columns(name="unit_id", kind=pl.lit(Piece.MEMORY, pl.Enum(Piece)))
    )


def _with_calls(results: pl.LazyFrame, asked_calls: pl.LazyFrame) -> pl.LazyFrame:
    """Results of tools with the name of the call that each answers.

    Where one id was given to several calls before, results answer them in order if there are as many of them; else only
    if all those calls are equal. A call that nothing names leaves its result without a name.
    """
    with_id = results.with_columns(
        nth=pl.int_range(pl.len()).over(*LOOP, "source_id", order_by="position"),
        results=pl.len().over(*LOOP, "source_id"),
    )
    asked = asked_calls.select("run_id", "name", source_id="tool_call_id", asked_in="iteration", asked_at="position")
    before = (
        with_id.select(*LOOP, "source_id")
        .unique()
        .join(asked, on=["run_id", "source_id"])
        .filter(pl.col("asked_in") < pl.col("iteration"))
        .sort("asked_in", "asked_at")
        .group_by(*LOOP, "source_id", maintain_order=True)
        .agg(names="name")
    )
    calls = pl.col("names").list.len()
    name = (
        pl.when(calls == pl.col("results"))
        .then(pl.col("names").list.get(pl.col("nth"), null_on_oob=True))
        .when((calls > pl.col("results")) & (pl.col("names").list.n_unique() == 1))
        .then(pl.col("names").list.first())
    )
    return with_id.join(before, on=[*LOOP, "source_id"], how="left").with_columns(name=name)


def _kept_out(redactions: Redactions) -> pl.Expr:
    is_result = pl.col("kind") == Piece.TOOL_RESULT
    is_message = pl.col("kind").is_in([Piece.USER, Piece.MODEL])
    return (
        redacted_under(CONTENT_NAMES)
        | (is_result & redacted_under(RESULT_NAMES))
        | (is_message & redacted_under(MESSAGE_NAMES))
        | touched(pl.col("content"), redactions)
    )

"""Decisions: what the model answered with in each loop, and what the agent did then.

The log decides where it holds the answer, else the events; what the record redacts in one is not read from the other.
Rule: product contract, section 4.
"""

from typing import Any

import dataframely as dy
import polars as pl

from afp_nodes import javascript
from afp_nodes.addresses import LOG_POSITION, NAME
from afp_nodes.comparison.naming import call_name, made_calls, named
from afp_nodes.comparison.places import commit, event, places
from afp_nodes.comparison.redaction import Redactions, redacted_under, touched
from afp_nodes.comparison.sides import LOOP
from afp_nodes.distinct import mapped_once, told_by
from afp_nodes.record.run_facts import LLM_END
from afp_nodes.schemas import (
    AskedCalls,
    Events,
    FoldPoints,
    LoopAnswers,
    LoopDecisions,
    RunRecords,
    SeenLoops,
    States,
    ToolCalls,
    Writes,
)
from afp_nodes.templates import filled
from afp_nodes.values import folded_values
from afp_nodes.words import StateKind

ROUTE_DECIDED = "agentfootprint.agent.route_decided"
TEXT_KEY, CALLS_KEY = "llmLatestContent", "llmLatestToolCalls"
ANSWER_KEYS = (TEXT_KEY, CALLS_KEY, "totalInputTokens", "totalOutputTokens")
"""What the commit of a call writes once the model has answered; a value that stays the same is not written again."""
ANSWER_NAMES = (TEXT_KEY, CALLS_KEY, "content", "toolCalls", "history")
"""Names under which a redacted record takes out what the model answered."""


def loop_answers(
    seen_loops: dy.LazyFrame[SeenLoops], writes: dy.LazyFrame[Writes], events: dy.LazyFrame[Events]
) -> dy.LazyFrame[LoopAnswers]:
    """One row per loop: the model's answer as the log has it, and as the events do."""
    committed = _answered_in_log(seen_loops, writes)
    ended = _last_events(seen_loops, events, LLM_END, _end_told, {"told_count": pl.Int64(), "told_text": pl.String()})
    routed = _last_events(seen_loops, events, ROUTE_DECIDED, _route_told, {"route": pl.String()})
    return (
        seen_loops.select(LOOP)
        .join(committed.select(*LOOP, "scope", "commit_idx"), on=LOOP, how="left")
        .join(_in_force(committed, writes, CALLS_KEY, "committed_calls"), on=LOOP, how="left")
        .join(_in_force(committed, writes, TEXT_KEY, "committed_text"), on=LOOP, how="left")
        .join(ended, on=LOOP, how="left")
        .join(routed.rename({"event_idx": "route_event_idx"}), on=LOOP, how="left")
        .select(LoopAnswers.column_names())
        .pipe(LoopAnswers.cast)
    )


def asked_calls(
    loop_answers: dy.LazyFrame[LoopAnswers],
    seen_loops: dy.LazyFrame[SeenLoops],
    tool_calls: dy.LazyFrame[ToolCalls],
    states: dy.LazyFrame[States],
    redactions: Redactions,
) -> dy.LazyFrame[AskedCalls]:
    """One row per tool call that the model asked for, as the log lists them, else as the events show them made.

    Those of earlier legs stand in the history that the leg began with.
    """
    committed = loop_answers.drop_nulls("committed_calls").select(*LOOP, listed="committed_calls")
    made = (
        made_calls(seen_loops, tool_calls)
        .join(committed, on=LOOP, how="anti")
        .select(*LOOP, "position", "tool_call_id", name=named(pl.col("tool_name"), pl.col("args_json")))
    )
    return (
        pl.concat([_listed(pl.concat([_begun_with(states), committed])), made])
        .with_columns(kept_out=touched(pl.col("name"), redactions))
        .with_columns(name=pl.when(~pl.col("kept_out")).then("name"))
        .select(AskedCalls.column_names())
        .pipe(AskedCalls.cast)
    )


def loop_decisions(
    loop_answers: dy.LazyFrame[LoopAnswers],
    asked_calls: dy.LazyFrame[AskedCalls],
    run_records: dy.LazyFrame[RunRecords],
    redactions: Redactions,
) -> dy.LazyFrame[LoopDecisions]:
    """One row per loop that a record shows: the calls the model asked for, else what it said.

    Its calls are known where the log lists them, or the events show as many made as were asked for.
    """
    asked = (
        asked_calls.sort(*LOOP, "position")
        .group_by(LOOP, maintain_order=True)
        .agg(known=pl.len().cast(pl.Int64), names="name", hides_some=pl.col("kept_out").any())
    )
    is_listed = pl.col("committed_calls").str.starts_with("[")
    count = pl.when(is_listed).then("known").when(pl.col("committed_calls").is_null()).then("told_count")
    calls = filled("[{}]", pl.col("names").list.join(","))
    text = pl.coalesce(_spoken(pl.col("committed_text")), "told_text")
    all_named = (pl.col("known") == pl.col("call_count")) & ~pl.col("names").list.contains(None)
    hidden = redacted_under(ANSWER_NAMES) | touched(pl.col("text"), redactions) | pl.col("hides_some")
    return (
        loop_answers.join(asked, on=LOOP, how="left")
        .join(run_records.select("run_id", "redacted_names"), on="run_id")
        .with_columns(
            pl.col("known").fill_null(0), pl.col("names").fill_null([]), pl.col("hides_some").fill_null(value=False)
        )
        .with_columns(call_count=count, text=text)
        .with_columns(kept_out=hidden)
        .with_columns(
            calls_json=pl.when(all_named & ~pl.col("kept_out")).then(calls),
            text=pl.when(~pl.col("kept_out")).then("text"),
            places_json=places(event("event_idx"), commit("scope", "commit_idx")),
            route_places_json=places(event("route_event_idx")),
        )
        .select(LoopDecisions.column_names())
        .pipe(LoopDecisions.cast)
    )


def _answered_in_log(seen_loops: pl.LazyFrame, writes: pl.LazyFrame) -> pl.LazyFrame:
    """The loops whose call's commit writes something of an answer: a call that failed writes none."""
    written = writes.filter(pl.col("key").cast(pl.String).is_in(ANSWER_KEYS)).select(LOG_POSITION).unique()
    return (
        seen_loops.drop_nulls("commit_idx").join(written, on=LOG_POSITION, how="semi").select(*LOOP, *LOG_POSITION[1:])
    )


def _in_force(committed: pl.LazyFrame, writes: dy.LazyFrame[Writes], key: str, name: str) -> pl.LazyFrame:
    """The value that a key of the call's log had with the call's commit.

    A log whose first write only adds to the value grew it from one that it does not hold.
    """
    points = committed.select("run_id", "scope", key=pl.lit(key, NAME), fold_commit_idx="commit_idx")
    begins = (
        writes.filter(pl.col("key").cast(pl.String) == key)
        .group_by("run_id", "scope")
        .agg(verb=pl.col("verbs").sort_by("commit_idx").first().list.first())
        .filter(pl.col("verb") == "set")
    )
    return (
        folded_values(writes, points.pipe(FoldPoints.cast))
        .join(begins, on=["run_id", "scope"], how="semi")
        .join(committed, left_on=["run_id", "scope", "fold_commit_idx"], right_on=LOG_POSITION)
        .select(*LOOP, pl.col("value_json").alias(name))
    )


def _last_events(
    seen_loops: pl.LazyFrame, events: pl.LazyFrame, kind: str, read: Any, told: dict[str, pl.DataType]
) -> pl.LazyFrame:
    """The last own event of a kind in each loop, with what its payload tells."""
    starts = seen_loops.drop_nulls("start_event_idx").select(*LOOP, "start_event_idx", "next_event_idx")
    return (
        events.filter("own", pl.col("type") == kind)
        .select("run_id", "event_idx", "payload_json")
        .join(starts, on="run_id")
        .filter(
            pl.col("event_idx") > pl.col("start_event_idx"),
            (pl.col("event_idx") < pl.col("next_event_idx")).fill_null(value=True),
        )
        .sort("event_idx")
        .unique(LOOP, keep="last", maintain_order=True)
        .select(*LOOP, "event_idx", told_by(pl.col("payload_json"), read, told))
        .unnest("told")
    )


def _end_told(payload: str) -> tuple[int | None, str | None]:
    end = javascript.parse(payload)
    count, content = javascript.as_double(end.get("toolCallCount")), end.get("content")
    is_count = count is not None and 0 <= count < javascript.EXACT_INTEGERS and count.is_integer()
    return int(count) if count is not None and is_count else None, content if isinstance(content, str) else None


def _route_told(payload: str) -> tuple[str | None]:
    chosen = javascript.parse(payload).get("chosen")
    return (chosen if isinstance(chosen, str) else None,)


def _begun_with(states: pl.LazyFrame) -> pl.LazyFrame:
    """The calls that the history of an earlier leg lists, as loop 0."""
    begun = states.filter(pl.col("which") == StateKind.INITIAL, pl.col("state_json").str.contains('"toolCalls"'))
    listed = pl.col("state_json").map_batches(lambda texts: mapped_once(texts, _calls_of_state), return_dtype=pl.String)
    return begun.select(pl.col("run_id").cast(NAME), iteration=pl.lit(0, pl.Int64), listed=listed)


def _calls_of_state(state: str) -> str:
    history = javascript.parse(state).get("history")
    messages = [message for message in (history if isinstance(history, list) else []) if isinstance(message, dict)]
    calls = [message.get("toolCalls") for message in messages]
    return javascript.stringify([call for listed in calls if isinstance(listed, list) for call in listed])


def _listed(lists: pl.LazyFrame) -> pl.LazyFrame:
    """The calls of lists that a log or a state holds; what is no call with a name keeps its place."""
    told = {"tool_call_id": pl.List(pl.String()), "name": pl.List(pl.String())}
    return (
        lists.filter(pl.col("listed").str.starts_with("["))
        .select(*LOOP, told_by(pl.col("listed"), _calls_of_list, told))
        .unnest("told")
        .filter(pl.col("name").list.len() > 0)
        .explode("tool_call_id", "name")
        .with_columns(position=pl.int_range(pl.len()).over(LOOP))
        .select(*LOOP, "position", "tool_call_id", "name")
    )


def _calls_of_list(listed: str) -> tuple[list[str | None], list[str | None]]:
    calls = [call if isinstance(call, dict) else {} for call in javascript.parse(listed)]
    ids = [call.get("id") for call in calls]
    named_calls = [
        call_name(call["name"], call["args"]) if isinstance(call.get("name"), str) and "args" in call else None
        for call in calls
    ]
    return [each if isinstance(each, str) else None for each in ids], named_calls


def _spoken(json: pl.Expr) -> pl.Expr:
    """A committed text as it reads; a value that is none, as JSON text."""
    return json.map_batches(lambda texts: mapped_once(texts, _read), return_dtype=pl.String)


def _read(text: str) -> str:
    value = javascript.parse(text)
    return value if isinstance(value, str) else javascript.stringify(value)

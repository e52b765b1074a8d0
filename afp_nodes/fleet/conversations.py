"""Conversations: which runs belong together, and which of them count. Rule: product contract, section 5.

A turn that pauses gives several recordings, its legs: they have one answer between them, given by the last, and what
a leg repeats of an earlier one is counted there.
"""

from collections.abc import Iterable, Mapping

import dataframely as dy
import polars as pl

from afp_nodes.record.run_facts import LLM_END
from afp_nodes.schemas import Conversations, LegLinks, ProductionRuns, RepeatedWork, TurnLegs
from afp_nodes.words import ConversationLink

SESSION = ("session_id", "tenant", "principal")
"""What two runs of one session share; not recorded is a value of its own for the last two."""

NO_STATE = "44136fa355b3678a1146ad16f7e8649e94fb4fc21fe77e8310c060f61caaff8a"
"""Hash of the empty state, `{}`, which every run may have and which tells none from another."""


def leg_links(production_runs: dy.LazyFrame[ProductionRuns]) -> dy.LazyFrame[LegLinks]:
    """One row per run that began with the state that exactly one other run left.

    Whether its events show a resumption does not matter: those may be missing.
    """
    left = production_runs.filter(pl.col("shared_state_sha256") != NO_STATE).select(
        "shared_state_sha256", paused_run_id="run_id"
    )
    return (
        production_runs.join(left, left_on="initial_state_sha256", right_on="shared_state_sha256")
        .filter(pl.col("run_id") != pl.col("paused_run_id"))
        .filter(pl.len().over("run_id") == 1)
        .pipe(LegLinks.cast)
    )


def turn_legs(leg_links: dy.LazyFrame[LegLinks]) -> dy.LazyFrame[TurnLegs]:
    """One row per leg of a turn that paused.

    Several runs may go on from one pause, such as two answers to one question that was asked back: the turn then has
    several last legs.
    """
    links = leg_links.collect()
    pauses = dict(zip(links["run_id"], links["paused_run_id"], strict=True))
    columns = {"run_id": pl.String, "turn_run_id": pl.String, "leg": pl.Int64}
    rows = [(leg, *_way_back(leg, pauses)) for leg in sorted({*pauses, *pauses.values()})]
    return (
        pl.LazyFrame(rows, schema=columns, orient="row")
        .with_columns(is_last=~pl.col("run_id").is_in(list(pauses.values())))
        .pipe(TurnLegs.cast)
    )


def repeated_work(turn_legs: dy.LazyFrame[TurnLegs], stored: dict[str, pl.LazyFrame]) -> dy.LazyFrame[RepeatedWork]:
    """One row per leg: whether all its model calls, and all its tool calls, stand in earlier legs of its turn already.

    A model call stands in an earlier leg that has the same step with the same end. A tool call does that began in one
    and only ends here, which is told by its name: the record names a tool where its call begins. An id alone does not
    tell, since providers use one again.
    """
    run_ids = turn_legs.select("run_id").collect()["run_id"].to_list()
    of_legs = pl.col("run_id").is_in(run_ids)
    ends = stored["events"].filter(of_legs, pl.col("type") == LLM_END)
    first_leg = pl.col("leg").min().over("turn_run_id", "runtime_stage_id", "payload_json")
    model_calls = ends.join(turn_legs, on="run_id").with_columns(repeated=pl.col("leg") > first_leg)
    tool_calls = stored["tool_calls"].filter(of_legs).join(turn_legs, on="run_id")
    ended_here = tool_calls.with_columns(repeated=pl.col("tool_name").is_null() & (pl.col("leg") > 0))
    return (
        turn_legs.select("run_id")
        .join(_all_repeated(ended_here, "calls"), on="run_id", how="left")
        .join(_all_repeated(model_calls, "tokens"), on="run_id", how="left")
        .with_columns(pl.col("calls", "tokens").fill_null(value=False))
        .pipe(RepeatedWork.cast)
    )


def conversations(
    production_runs: dy.LazyFrame[ProductionRuns],
    leg_links: dy.LazyFrame[LegLinks],
    turn_legs: dy.LazyFrame[TurnLegs],
    repeated_work: dy.LazyFrame[RepeatedWork],
) -> dy.LazyFrame[Conversations]:
    """One row per production run, with the conversation it belongs to."""
    shares_session = pl.col("session_id").is_not_null() & (pl.len().over(SESSION) > 1)
    link = (
        pl.when(shares_session)
        .then(pl.lit(ConversationLink.SESSION))
        .when(pl.col("leg").is_not_null())
        .then(pl.lit(ConversationLink.RESUMED_LEG))
        .when(pl.col("session_id").is_not_null())
        .then(pl.lit(ConversationLink.SESSION))
        .otherwise(pl.lit(ConversationLink.ALONE))
    )
    runs = production_runs.join(turn_legs, on="run_id", how="left").join(repeated_work, on="run_id", how="left")
    in_order = [pl.col("started_at").is_null(), pl.col("started_at"), pl.col("leg").fill_null(0), pl.col("run_id")]
    return (
        runs.with_columns(link=link)
        .join(_joined(production_runs, leg_links), on="run_id")
        .sort("conversation_id", *in_order)
        .with_columns(
            position=pl.int_range(pl.len()).over("conversation_id"),
            answer_counted=pl.col("is_last").fill_null(value=True),
            calls_counted=~pl.col("calls").fill_null(value=False),
            tokens_counted=~pl.col("tokens").fill_null(value=False),
        )
        .pipe(Conversations.cast)
    )


def _way_back(leg: str, pauses: Mapping[str, str]) -> tuple[str, int]:
    """The first leg of a leg's turn, and how many pauses lie between; a circle of states ends where it began."""
    seen = {leg}
    while (earlier := pauses.get(leg)) is not None and earlier not in seen:
        seen.add(earlier)
        leg = earlier
    return leg, len(seen) - 1


def _all_repeated(work: pl.LazyFrame, name: str) -> pl.LazyFrame:
    """Whether all that a leg did is repeated; a leg that did nothing has no row."""
    return work.group_by("run_id").agg(pl.col("repeated").all().alias(name))


def _joined(runs: pl.LazyFrame, leg_links: pl.LazyFrame) -> pl.LazyFrame:
    """The conversation of each run: that of its session, joined with those of the runs its legs go on from."""
    of_session = pl.when(pl.col("session_id").is_null()).then("run_id").otherwise(pl.col("run_id").min().over(SESSION))
    named = runs.select("run_id", conversation_id=of_session)
    links = (
        leg_links.join(named, on="run_id")
        .join(named.rename({"run_id": "paused_run_id", "conversation_id": "paused_in"}), on="paused_run_id")
        .select("conversation_id", "paused_in")
        .collect()
    )
    least = pl.LazyFrame(
        sorted(_least_linked(links.iter_rows()).items()),
        schema={"conversation_id": pl.String, "least_id": pl.String},
        orient="row",
    )
    return named.join(least, on="conversation_id", how="left").select(
        "run_id", conversation_id=pl.coalesce("least_id", "conversation_id")
    )


def _least_linked(links: Iterable[tuple[str, str]]) -> dict[str, str]:
    """Each linked conversation with the least id among all it is linked with, over any number of links."""
    members: dict[str, set[str]] = {}
    for one, other in links:
        together = members.get(one, {one}) | members.get(other, {other})
        members |= dict.fromkeys(together, together)
    return {name: min(together) for name, together in members.items()}

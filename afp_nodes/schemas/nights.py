"""Nights, costs and findings: what a fleet says from day to day.

Rules: product contract, sections 5 and 8. A night is a day of the timezone in force: `2026-01-31` holds the runs that
began on that day there. Only production runs are counted, and what legs of one turn repeat of each other once.
"""

import dataframely as dy

from afp_nodes.schemas.base import Frame, Table
from afp_nodes.words import (
    Coverage,
    Ending,
    FindingState,
    FindingSubject,
    NightChange,
    NightDoubt,
    NightOutcome,
    NightRemark,
    Tier,
    VerdictKind,
)

RUN_ID = "id of the run"
NIGHT = "the day, in the timezone in force"
METRIC = "what is counted, see docs/nightly.md"


class FleetFacts(Frame):
    """One production run, with what nights are told by."""

    run_id = dy.String(primary_key=True, description=RUN_ID)
    started_at = dy.Datetime(time_unit="us", time_zone="UTC", nullable=True, description="its start; NULL = unknown")
    agentfootprint_version = dy.String(nullable=True, description="version of agentfootprint that recorded it")
    footprintjs_version = dy.String(nullable=True, description="version of footprintjs that recorded it")
    provider = dy.String(nullable=True, description="model provider; NULL = not recorded")
    model = dy.String(nullable=True, description="model; NULL = not recorded")
    question = dy.String(nullable=True, description="what was asked; NULL = not recorded, or redacted")
    answered = dy.Bool(nullable=True, description="it gave an answer; NULL = the record cannot tell")
    chart = dy.String(description="how its loops are laid out; `none` = no commit log")
    write_provenance = dy.String(nullable=True, description="whether writes list their reads, in the record's word")
    reads_recorded = dy.Bool(description="reads are recorded")
    events = dy.Int64(nullable=True, description="its events; NULL = they are missing")
    dropped_events = dy.Int64(nullable=True, description="events that were lost; NULL = not known")
    redacted_paths = dy.Int64(description="paths whose values were taken out")
    input_tokens = dy.Float64(nullable=True, description="tokens it was given; NULL = not recorded")
    output_tokens = dy.Float64(nullable=True, description="tokens it gave; NULL = not recorded")


class RunNights(Frame):
    """One production run with the night it belongs to, reported or not."""

    run_id = dy.String(primary_key=True, description=RUN_ID)
    night = dy.Date(description=NIGHT)
    began_at = dy.Datetime(time_unit="us", time_zone="UTC", description="its start, else the clock of its first event")


class NightWindows(Frame):
    """One night that is reported."""

    night = dy.Date(primary_key=True, description=NIGHT)
    timezone = dy.String(description="IANA name of the timezone whose days are nights")
    window_start = dy.Datetime(time_unit="us", time_zone="UTC", description="first moment of the day")
    window_end = dy.Datetime(time_unit="us", time_zone="UTC", description="first moment of the day after")


class Nights(Table):
    """One run of one night.

    Filled once `afp nightly` has reported a night: then every production run has a row, but those of which neither a
    start nor the clock of an event is recorded. Another `--timezone` makes all rows anew.
    """

    night = dy.Date(primary_key=True, description=NIGHT)
    run_id = dy.String(primary_key=True, description=RUN_ID)


class RunEndings(Frame):
    """One production run with how its record ends."""

    run_id = dy.String(primary_key=True, description=RUN_ID)
    ending = dy.Enum(
        Ending,
        description="`failed-call`: a model call began, did not end, and an error is recorded after it; `open-call`:"
        " the same without an error; `unknown`: events are missing, or their end may be",
    )


class NightRuns(Frame):
    """One run of a reported night, with what its night counts."""

    night = dy.Date(description=NIGHT)
    run_id = dy.String(primary_key=True, description=RUN_ID)
    ending = RunEndings.ending
    is_served = dy.Bool(description="its record does not end in a model call that never ended")
    answered = FleetFacts.answered
    answer_counted = dy.Bool(description="no later leg of its turn gives the turn's answer")
    tokens_counted = dy.Bool(description="its tokens are not those of earlier legs")
    doubt = dy.Bool(nullable=True, description="its answer is in doubt; NULL = nothing to judge by, or no answer")
    standing = dy.String(nullable=True, description="how its answer stands; NULL = no answer that counts")
    missing_context = dy.String(nullable=True, description="whether it went without a unit that was available")
    delivery = dy.String(nullable=True, description="whether the decided skill reached the model, as in `verdicts`")
    tool_error = dy.Bool(nullable=True, description="a tool call failed; NULL = no call with a known end that counts")
    dials = dy.String(description="what of the run was recorded at all")
    is_capped = dy.Bool(nullable=True, description="events were lost; NULL = not known")
    has_events = dy.Bool(description="events are recorded")
    has_log = dy.Bool(description="a commit log is recorded")
    has_reads = dy.Bool(description="reads are recorded")
    is_redacted = dy.Bool(description="values were taken out of its record")
    agentfootprint_version = FleetFacts.agentfootprint_version
    footprintjs_version = FleetFacts.footprintjs_version
    is_unchecked = dy.Bool(nullable=True, description="recorded by versions the rules were not checked against")
    question_key = dy.String(nullable=True, description="hash of what was asked, however it was typed")
    tokens = dy.Float64(nullable=True, description="its tokens, in and out; NULL = not known, or events were lost")
    cost = dy.Float64(nullable=True, description="what they cost; NULL = not known")
    currency = dy.String(nullable=True, description="in what; NULL = not priced")


class NightCoverages(Frame):
    """One word of coverage on one night, with the variables it is said of."""

    night = dy.Date(primary_key=True, description=NIGHT)
    coverage = dy.Enum(Coverage, primary_key=True, description="the word")
    variables = dy.Int64(min=0, description="variables of the night's runs it is said of")


class NightRates(Frame):
    """One rate of one night."""

    night = dy.Date(primary_key=True, description=NIGHT)
    metric = dy.String(primary_key=True, description=METRIC)
    hits = dy.Int64(min=0, description="how many it holds for")
    of = dy.Int64(min=0, description="of how many it is known whether it holds")
    rate = dy.Float64(nullable=True, description="the share; NULL = of none is it known")
    low = dy.Float64(
        nullable=True, description="lower bound of its 95% interval; NULL for variables, which go by their runs"
    )
    high = dy.Float64(nullable=True, description="upper bound of it")


class NightMeans(Frame):
    """One total of one night over its answers."""

    night = dy.Date(primary_key=True, description=NIGHT)
    metric = dy.String(primary_key=True, description=METRIC)
    total = dy.Float64(nullable=True, description="the total over the runs it is known of; NULL = of none")
    runs = dy.Int64(min=0, description="runs it is known of")
    answers = dy.Int64(min=0, description="answers among them")
    mean = dy.Float64(nullable=True, description="total for each answer; NULL = no answer")
    error = dy.Float64(nullable=True, description="standard error of that; NULL = fewer than two runs")


class NightBases(Frame):
    """One reported night with what it can be compared with."""

    night = dy.Date(primary_key=True, description=NIGHT)
    doubts = dy.List(dy.String(), description="why the night by itself says nothing; empty = it can be compared with")
    compared_with = dy.Date(nullable=True, description="the last earlier night that can be compared with; NULL = none")


class NightChanges(Frame):
    """One metric of one night beside that of the night it is compared with."""

    night = dy.Date(primary_key=True, description=NIGHT)
    metric = dy.String(primary_key=True, description=METRIC)
    verdict = dy.Enum(NightChange, description="`worse` and `better` only where the interval leaves out 0")
    now = dy.Float64(nullable=True, description="the metric; NULL = not known")
    before = dy.Float64(nullable=True, description="the metric of the other night; NULL = not known")
    low = dy.Float64(nullable=True, description="lower bound of the difference, wide enough for all metrics together")
    high = dy.Float64(nullable=True, description="upper bound of it")
    known = dy.Int64(min=0, description="runs it rests on")
    known_before = dy.Int64(min=0, description="runs of the other night it rests on")


class NightMixes(Frame):
    """One night beside the one it is compared with: how far its runs are other runs, from 0 (not) to 1 (wholly)."""

    night = dy.Date(primary_key=True, description=NIGHT)
    dials = dy.Float64(description="how they were recorded")
    versions = dy.Float64(description="share recorded by versions that recorded none of the other night")
    questions = dy.Float64(nullable=True, description="what they were asked; NULL = not recorded on one side")
    is_repeated = dy.Bool(nullable=True, description="questions are asked twice or more on average, on both nights")


class NightOutcomes(Frame):
    """One reported night with what it says."""

    night = dy.Date(primary_key=True, description=NIGHT)
    outcome = dy.Enum(NightOutcome, description="see `night_reports`")
    doubts = dy.List(dy.String(), description="see `night_reports`")
    remarks = dy.List(dy.String(), description="see `night_reports`")
    compared_with = NightBases.compared_with


class NightReports(Table):
    """One night that was reported, with what it says beside the night before.

    Nights between the first run's and the last that was reported have a row each, empty ones too; of more than 1,100
    the newest.
    """

    night = dy.Date(primary_key=True, description=NIGHT)
    timezone = NightWindows.timezone
    window_start = NightWindows.window_start
    window_end = NightWindows.window_end
    outcome = dy.Enum(
        NightOutcome,
        description="`worse`: a metric got worse beyond noise; `ok`: none is seen to be, which is not proof that none"
        " is; `inconclusive`: nothing can be said, for the reasons in `doubts`",
    )
    doubts = dy.List(
        dy.String(), description="why it is inconclusive, one of: " + ", ".join(f"`{word}`" for word in NightDoubt)
    )
    remarks = dy.List(
        dy.String(),
        description="what to know of the comparison, one of: " + ", ".join(f"`{word}`" for word in NightRemark),
    )
    compared_with = NightBases.compared_with
    runs = dy.Int64(min=0, description="production runs of the night")
    metrics_json = dy.String(description="every metric by its name: a number, or null = not known")
    rates_json = dy.String(
        description="every rate by its name: `{hits,of,rate,low,high}`, the bounds of a 95% Wilson interval;"
        " variables have none, since those of one run go together"
    )
    changes_json = dy.String(
        description="what is compared: a list of `{metric,verdict,now,before,low,high,known,known_before}`; `[]` where"
        " there is nothing to compare with"
    )
    versions_json = dy.String(
        description="what recorded the runs: a list of `{library,version,runs,standing}`; `standing` is `checked`,"
        " `newer`, `other` or `not-recorded`"
    )
    snapshot_id = dy.String(description="snapshot with which the row came to be as it is")


class Costs(Table):
    """One production run with what its tokens cost at the prices in force.

    Dated by the run: the latest price of its provider and model that is valid at its start counts. A leg that repeats
    the model calls of earlier ones has their cost again: sum where `conversations.tokens_counted`. Rule: product
    contract, section 8.
    """

    run_id = dy.String(primary_key=True, description=RUN_ID)
    input_cost = dy.Float64(nullable=True, description="cost of the tokens it was given; NULL = not priced, or unknown")
    output_cost = dy.Float64(nullable=True, description="cost of the tokens it gave; NULL = not priced, or unknown")
    currency = dy.String(nullable=True, description="currency of both; NULL = not priced")
    priced = dy.Bool(description="a price holds for it; FALSE says nothing of what it cost")
    at_least = dy.Bool(nullable=True, description="events were lost, so that it cost at least this; NULL = not known")


class NightFindings(Frame):
    """One finding on one night, or in runs without a night."""

    finding_id = dy.String(description="see `findings`")
    kind = dy.Enum(VerdictKind, description="question that the finding answers")
    subject_kind = dy.Enum(FindingSubject, description="what `subject_id` names")
    subject_id = dy.String(description="the subject")
    reason = dy.String(nullable=True, description="see `findings`")
    verdict = dy.String(description="see `findings`")
    night = dy.Date(nullable=True, description=f"{NIGHT}; NULL = the runs have none")
    runs = dy.Int64(min=1, description="runs that show it then")
    first_began_at = dy.Datetime(time_unit="us", time_zone="UTC", nullable=True, description="when the first began")
    first_run_id = dy.String(description="the first of them, by start and id")


class Findings(Table):
    """One thing that is found in production runs, or by a study, with its identity over nights.

    A variable is one that a step of its log read and of which the record does not say what it fed. A subject of a study
    is one whose verdict is `confirmed` or `cost-cause`: a study has no night, and what it found is never `gone`. What
    people write into `STORE/findings.toml` stands in `state`, `note` and `until`.
    """

    finding_id = dy.String(
        primary_key=True, description="kind, study, kind of subject, subject, reason and verdict, escaped"
    )
    kind = NightFindings.kind
    subject_kind = NightFindings.subject_kind
    subject_id = dy.String(
        description="unit (`result of TOOL` for what a tool gave), skill, tool, variable, or a study's subject"
    )
    reason = dy.String(
        nullable=True, description="of a unit why it was dropped, of a tool why it leaves doubt; NULL = not recorded"
    )
    verdict = dy.String(description="the word of its kind: `dropped`, `not-delivered`, `unknown`, a standing, a cause")
    tier = dy.Enum(Tier, description="what it may claim")
    study_id = dy.String(nullable=True, description="study that found it; NULL = production runs show it")
    first_night = dy.Date(nullable=True, description="first night of a run that shows it; NULL = none has a night")
    last_night = dy.Date(nullable=True, description="last night of a run that shows it; NULL = none has a night")
    runs = dy.Int64(min=0, description="runs that show it; of a study the good probe runs")
    nights = dy.Int64(min=0, description="nights on which runs show it")
    first_run_id = dy.String(nullable=True, description="first run that shows it, by start and id; NULL for a study's")
    state = dy.Enum(
        FindingState,
        description="`gone`: no run of the last night that says anything shows it; else what people say, `open` where"
        " they say nothing; `muted` ends after `until`",
    )
    note = dy.String(nullable=True, description="what people noted")
    until = dy.Date(nullable=True, description="last night for which it is muted; NULL = no end")

"""Closed vocabularies: every word a column may hold, spelled once."""

from enum import StrEnum


class SourceFormat(StrEnum):
    """The shape a recorded document came in."""

    ENVELOPE = "envelope"
    BARE = "bare"
    SNAPSHOT = "snapshot"
    CHECKPOINT = "checkpoint"


class DocumentStatus(StrEnum):
    """What became of a document that could be read."""

    ACTIVE = "active"
    DUPLICATE = "duplicate"
    SUPERSEDED = "superseded"


class InputKind(StrEnum):
    """A document that is not a recording."""

    STUDY = "study"
    UNITS = "units"
    DECLARATIONS = "declarations"


class QuarantineCode(StrEnum):
    """Why a document was not taken in. The last six are what an arm comparison is refused for."""

    NOT_JSON = "not-json"
    TRUNCATED = "truncated"
    WRONG_FORMAT = "wrong-format"
    UNKNOWN_SHAPE = "unknown-shape"
    WRONG_TYPE = "wrong-type"
    EMPTY_RECORDING = "empty-recording"
    SEVERAL_RUNS = "several-runs"
    UNREADABLE = "unreadable"
    TOO_DEEP = "too-deep"
    TOO_LARGE = "too-large"
    BAD_STUDY = "bad-study"
    BAD_UNITS = "bad-units"
    BAD_DECLARATIONS = "bad-declarations"
    TOO_FEW_ARMS = "too-few-arms"
    BLANK_ARM_ID = "blank-arm-id"
    REPEATED_ARM_ID = "repeated-arm-id"
    UNKNOWN_BASELINE = "unknown-baseline"
    UNDECLARED_ARM = "undeclared-arm"
    SAME_CONFIGURATION = "same-configuration"


class ConversationLink(StrEnum):
    """What joins a run to the others of its conversation."""

    SESSION = "session"
    RESUMED_LEG = "resumed-leg"
    ALONE = "alone"


class Chart(StrEnum):
    """How the agent's chart lays out its loops."""

    FLAT = "flat"
    GROUPED = "grouped"
    NONE = "none"


class StateKind(StrEnum):
    """Which state of a run a row holds."""

    SHARED = "shared"
    INITIAL = "initial"
    REDACTION = "redaction"


class MomentKind(StrEnum):
    """What happened to a variable at a moment."""

    WRITE = "write"
    READ = "read"


class Missing(StrEnum):
    """Why a key has no life."""

    EMPTY_LOG = "empty-log"
    NEVER_WRITTEN = "never-written"


class ReadsKind(StrEnum):
    """Where recorded reads come from."""

    EXECUTION_TREE = "execution-tree"
    MAP = "map"


class Coverage(StrEnum):
    """How exactly the record says what a key's value fed."""

    EXACT = "exact"
    CONSERVATIVE = "conservative"
    UNKNOWN = "unknown"


class Note(StrEnum):
    """What a reader of a variable's life must know about the record, in the order in which notes stand."""

    READS_NOT_RECORDED = "reads-not-recorded"
    PRE_RUN_ORIGIN = "pre-run-origin"
    CONSERVATIVE_FED_EDGES = "conservative-fed-edges"
    TRUNCATED = "truncated"


class Basis(StrEnum):
    """What says that a value fed a write: the write's own read list, or only that one step did both."""

    PER_WRITE = "per-write"
    STAGE = "stage"


class SuspectKind(StrEnum):
    """What kind of removable source a suspect is."""

    TOOL = "tool"
    INJECTION = "injection"
    MEMORY = "memory"


class StudyKind(StrEnum):
    """What the probe runs of a study change."""

    ABLATION = "ablation"
    RESTORATION = "restoration"
    ARMS = "arms"


class ReferenceFrom(StrEnum):
    """Where the answer comes from that the answers of probe runs are compared with."""

    PRIOR_RUN = "prior-run"
    BASELINE_ARM = "baseline-arm"


class ProbeVerdict(StrEnum):
    """What seeded reruns say of a subject; only `confirmed` claims a cause."""

    CONFIRMED = "confirmed"
    NOT_CONFIRMED = "not-confirmed"
    INCONCLUSIVE = "inconclusive"


class CostVerdict(StrEnum):
    """Whether removing a suspect saved loops beyond what removing others did."""

    COST_CAUSE = "cost-cause"
    NO_COST_EFFECT = "no-cost-effect"
    UNKNOWN = "unknown"


class SuspectClass(StrEnum):
    """What a suspect does to the answer and to the cost, taken together."""

    BOTH = "both"
    CONTENT_BUG = "content-bug"
    COST_CAUSE = "cost-cause"
    NO_DETECTED_EFFECT = "no-detected-effect"


class Ruling(StrEnum):
    """Which rule decided a verdict of a study, in the order in which they are asked."""

    NO_EMBEDDER = "no-embedder"
    NO_COMPARATOR = "no-comparator"
    NO_REFERENCE = "no-reference"
    BASELINE_FLIPPED = "baseline-flipped"
    BASELINE_TOO_SMALL = "baseline-too-small"
    MANIFEST_CONTRADICTS = "manifest-contradicts"
    TOO_FEW_RUNS = "too-few-runs"
    INSIDE_NULL_BAND = "inside-null-band"
    MAJORITY_FLIPPED = "majority-flipped"
    MINORITY_FLIPPED = "minority-flipped"
    NONE_FLIPPED = "none-flipped"


class Tier(StrEnum):
    """What a verdict row may claim, weakest first."""

    STRUCTURAL = "structural"
    CORRELATIONAL = "correlational"
    GATED = "gated"
    CAUSAL = "causal"


class DifferenceVerdict(StrEnum):
    """Whether two groups of runs differ, which is no word on why."""

    DIFFERS = "differs"
    NO_DIFFERENCE_SEEN = "no-difference-seen"
    NOT_COMPARABLE = "not-comparable"


class VerdictKind(StrEnum):
    """Which question a verdict answers."""

    ABLATION = "ablation"
    RESTORATION = "restoration"
    ARM = "arm"
    COST = "cost"
    OBSERVATIONAL = "observational"
    FLEET = "fleet"
    COVERAGE = "coverage"
    MISSING_CONTEXT = "missing-context"
    ROUTING = "routing"
    STANDING = "standing"


class MissingContextVerdict(StrEnum):
    """Whether a run went without context that was available."""

    DROPPED = "dropped"
    NONE_DROPPED = "none-dropped"
    UNKNOWN = "unknown"


class SubjectKind(StrEnum):
    """What a verdict is about."""

    VARIABLE = "variable"
    RUN = "run"
    ARM = "arm"
    SPEC = "spec"
    UNIT = "unit"


class Side(StrEnum):
    """Where a unit of context stood."""

    AVAILABLE = "available"
    SENT = "sent"


class Sight(StrEnum):
    """How well the record shows one side of a call's context, best first."""

    WHOLE = "whole"
    FALLBACK = "fallback"
    PART = "part"
    NONE = "none"


class Slot(StrEnum):
    """Where context goes in a model call."""

    SYSTEM_PROMPT = "system-prompt"
    MESSAGES = "messages"
    TOOLS = "tools"


class Place(StrEnum):
    """Where in a record a tool result shows, in the order in which places are listed."""

    EVENT = "event"
    STATE = "state"
    LOG = "log"


class UnitKind(StrEnum):
    """What kind of context a unit is."""

    INJECTION = "injection"
    MEMORY = "memory"
    TOOL_RESULT = "tool-result"
    DECLARED = "declared"


class DropReason(StrEnum):
    """Why a unit that was available was not sent, where the record says so."""

    EVICTED = "evicted"
    BELOW_THRESHOLD = "below-threshold"
    OVER_BUDGET = "over-budget"
    OVER_MAX_ENTRIES = "over-max-entries"
    OVER_CHAR_BUDGET = "over-char-budget"
    SUPERSEDED = "superseded"
    SKIPPED = "skipped"


class RoutingStatus(StrEnum):
    """Whether a record holds a routing verdict."""

    RECORDED = "recorded"
    NOT_RECORDED = "not-recorded"
    NOT_APPLICABLE = "not-applicable"


class CheckState(StrEnum):
    """Whether a record can answer a check."""

    REACHABLE = "reachable"
    UNREACHABLE = "unreachable"
    NOT_APPLICABLE = "not-applicable"


class UnreachableReason(StrEnum):
    """What of the routing check cannot be told: the decision or the delivery, for want of events or for a pause."""

    DECIDED_NO_EVENT = "decided/no-event"
    DECIDED_BEFORE_PAUSE = "decided/before-pause"
    DELIVERY_NO_EVENT = "delivery/no-event"
    DELIVERY_BEFORE_PAUSE = "delivery/before-pause"


class DeliveredVerdict(StrEnum):
    """Whether the decided skill was given to the model, where the record proves it."""

    DELIVERED = "delivered"
    NOT_DELIVERED = "not-delivered"


class Configured(StrEnum):
    """Whether a run was configured with a skill graph."""

    NONE = "none"
    GRAPH = "graph"


class BeforePause(StrEnum):
    """What became of the verdict from before a pause."""

    HELD = "held"
    LOST = "lost"


class RefusalForm(StrEnum):
    """How the reading of a skill was refused."""

    REJECTED = "rejected"
    REFUSED = "refused"
    REFUSED_UNNAMED = "refused-unnamed"


class CallStatus(StrEnum):
    """How a tool call ended where the record itself does not say."""

    RETURNED = "returned"
    ERROR = "error"
    UNKNOWN = "unknown"


class Assessment(StrEnum):
    """What a record says for and against the answer of its turn."""

    UNKNOWN = "unknown"
    KNOWN = "known"
    UNREFUTED = "unrefuted"
    NOT_APPLICABLE = "not-applicable"


class Standing(StrEnum):
    """The word that people read for an assessment."""

    ASK = "ask"
    NOT_SURE = "not-sure"
    KNOWN = "known"
    CONSISTENT = "consistent"
    NOT_ASSESSED = "not-assessed"


DOUBTFUL = (Standing.ASK, Standing.NOT_SURE)
"""Standings of an answer that somebody should look at."""


class TurnFrom(StrEnum):
    """Where the turn begins: after the last message of a person, or with the history."""

    PERSON = "person"
    WHOLE_HISTORY = "whole-history"


class Reason(StrEnum):
    """Why an answer is not known to stand, in the order in which reasons are given."""

    ASKED = "asked"
    ARGUMENT_ASKED = "argument-asked"
    ARGUMENT_ASSUMED = "argument-assumed"
    ARGUMENT_UNVERIFIED = "argument-unverified"
    ARGUMENT_READ = "argument-read"
    VALUE_CONTINGENT = "value-contingent"
    COVERAGE_GAP = "coverage-gap"
    DECLARED_ABSENT = "declared-absent"
    EMPTY_UNDECLARED = "empty-undeclared"
    PERIOD_NOT_HELD = "period-not-held"
    PERIOD_PARTLY_HELD = "period-partly-held"
    PERIOD_UNKNOWN = "period-unknown"
    PERIOD_UNDECLARED = "period-undeclared"
    PERIOD_DIFFERS_FROM_ASKED = "period-differs-from-asked"
    PERIOD_BEYOND_RETENTION = "period-beyond-retention"
    SOURCES_CONFLICT = "sources-conflict"
    VALUE_UNSUPPORTED = "value-unsupported"
    VALUE_SURVIVED_REVISION = "value-survived-revision"
    DERIVED_FROM_READING = "derived-from-reading"
    STOPPED_EARLY = "stopped-early"
    STEPS_UNFINISHED = "steps-unfinished"
    ANSWER_CHECK_FAILED = "answer-check-failed"
    CHECK_UNREACHABLE = "check-unreachable"


class ReasonClass(StrEnum):
    """What a reason makes of the standing."""

    ASK = "ask"
    NOT_SURE = "not-sure"


class SourceKind(StrEnum):
    """What a reason rests on: named calls, the answer itself, or the run as a whole."""

    CALLS = "calls"
    ANSWER = "answer"
    RUN = "run"


class StandingCheck(StrEnum):
    """A check of the record whose outcome it holds."""

    ARGUMENT_RULES = "argument-rules"
    ARGUMENT_SOURCES = "argument-sources"
    TOOL_COVERAGE = "tool-coverage"
    RESULT_SHAPE = "result-shape"
    RESULT_PERIOD = "result-period"
    NAMES_AND_NUMBERS = "names-and-numbers"
    ANSWER_CHECKS = "answer-checks"


class LoopSight(StrEnum):
    """What the record of one of two runs says of a loop that either of them has."""

    SHOWN = "shown"
    ENDED = "ended"
    NOT_SHOWN = "not-shown"


class DiffMoment(StrEnum):
    """What of two runs is compared, in the order in which it happens in a loop; `run` is the run as a whole."""

    CONTEXT = "context"
    DECISION = "decision"
    CALL = "call"
    RUN = "run"


class Sameness(StrEnum):
    """Whether two runs agree in something."""

    SAME = "same"
    DIFFERS = "differs"
    UNKNOWN = "unknown"


class Piece(StrEnum):
    """What kind of thing a piece of a call's context is, in the order in which they are listed."""

    PROMPT = "system prompt"
    USER = "user message"
    MODEL = "model message"
    INJECTION = "injection"
    MEMORY = "memory"
    TOOL_RESULT = "tool result"
    TOOL = "tool"
    OTHER = "other"


class Facet(StrEnum):
    """What of two runs as a whole is compared, in the order in which it is listed."""

    QUESTION = "question"
    CONFIGURATION = "configuration"
    ROUTING = "routing"
    DELIVERY = "delivery"
    ANSWER = "answer"
    STANDING = "standing"
    MODEL_CALLS = "model calls"
    TOKENS = "tokens"


class Ground(StrEnum):
    """What a row of a comparison rests on."""

    ALIKE = "alike"
    ONLY_A = "only-a"
    ONLY_B = "only-b"
    OTHER_CONTENT = "other-content"
    OTHER_CALLS = "other-calls"
    OTHER_WORDS = "other-words"
    CALLS_OR_WORDS = "calls-or-words"
    OTHER_STATUS = "other-status"
    OTHER_RESULT = "other-result"
    OTHER_ROUTE = "other-route"
    REDACTED = "redacted"
    NO_TEXT = "no-text"
    UNNAMED_CALL = "unnamed-call"
    NO_END = "no-end"
    NOT_SHOWN_A = "not-shown-a"
    NOT_SHOWN_B = "not-shown-b"
    NOT_SHOWN = "not-shown"


class Ending(StrEnum):
    """How the record of a run ends."""

    ANSWER = "answer"
    PAUSE = "pause"
    FAILED_CALL = "failed-call"
    OPEN_CALL = "open-call"
    OTHER = "other"
    UNKNOWN = "unknown"


class NightOutcome(StrEnum):
    """What a night says beside the one it is compared with."""

    OK = "ok"
    WORSE = "worse"
    INCONCLUSIVE = "inconclusive"


class NightDoubt(StrEnum):
    """Why a night is inconclusive, in the order in which the reasons are given."""

    NO_RUNS = "no-runs"
    TOO_FEW_RUNS = "too-few-runs"
    MOSTLY_REFUSED = "mostly-refused"
    OUTAGE = "outage"
    NO_EARLIER_NIGHT = "no-earlier-night"
    OTHER_DIALS = "other-dials"
    NOTHING_KNOWN = "nothing-known"


class NightRemark(StrEnum):
    """What a reader of a comparison of nights must know, in the order in which remarks are given."""

    NOT_THE_NIGHT_BEFORE = "not-the-night-before"
    OTHER_VERSIONS = "other-versions"
    UNCHECKED_VERSIONS = "unchecked-versions"
    OTHER_QUESTIONS = "other-questions"
    QUESTIONS_ASKED_ONCE = "questions-asked-once"
    RUNS_NOT_PRICED = "runs-not-priced"
    SEVERAL_CURRENCIES = "several-currencies"


class NightChange(StrEnum):
    """What became of a metric from one night to another."""

    WORSE = "worse"
    BETTER = "better"
    NO_DIFFERENCE_SEEN = "no-difference-seen"
    CANNOT_TELL = "cannot-tell"


class VersionStanding(StrEnum):
    """How a version of a recording library stands to those the rules were checked against."""

    CHECKED = "checked"
    NEWER = "newer"
    OTHER = "other"
    NOT_RECORDED = "not-recorded"


class FindingSubject(StrEnum):
    """What a finding is about; `arm` and `spec` and some of the units are subjects of studies."""

    UNIT = "unit"
    SKILL = "skill"
    TOOL = "tool"
    VARIABLE = "variable"
    ARM = "arm"
    SPEC = "spec"


class FindingState(StrEnum):
    """What people and the record say of a finding."""

    OPEN = "open"
    ACKNOWLEDGED = "acknowledged"
    MUTED = "muted"
    GONE = "gone"

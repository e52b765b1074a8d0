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
    """Why a document was not taken in. The last six are reserved for studies: nothing raises them yet."""

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


class Tier(StrEnum):
    """What a verdict row may claim, weakest first."""

    STRUCTURAL = "structural"
    CORRELATIONAL = "correlational"
    GATED = "gated"
    CAUSAL = "causal"


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


class CallStatus(StrEnum):
    """How a tool call ended where the record itself does not say."""

    RETURNED = "returned"
    ERROR = "error"
    UNKNOWN = "unknown"

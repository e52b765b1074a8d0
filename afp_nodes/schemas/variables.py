"""The life of every state key: who wrote it, who read it, what it fed, what could be removed."""

import dataframely as dy
import polars as pl

from afp_nodes.schemas.base import NULLABLE_KEY, Frame, Table
from afp_nodes.schemas.facts import RUN_ID, SCOPE, STEP
from afp_nodes.schemas.loops import LocatedCommits
from afp_nodes.words import Basis, Coverage, Missing, MomentKind, Note, ReadsKind, SuspectKind

KEY = "path of the variable; segments joined by U+001F"


class Timelines(Frame):
    """One moment of one variable, before suspects are joined. Rule: record format, section 13."""

    run_id = dy.Categorical(primary_key=True, description=RUN_ID)
    scope = dy.Categorical(primary_key=True, description=SCOPE)
    key = dy.Categorical(primary_key=True, description=KEY)
    position = dy.Int64(primary_key=True, min=0, description="order in the variable's life")
    kind = dy.Enum(MomentKind, description="at one commit the read comes before the write")
    commit_idx = dy.Int64(min=0, description="position of the commit in the scope's log")
    runtime_stage_id = dy.Categorical(description=STEP)
    stage_id = dy.Categorical(description="stable id of the stage")
    stage_name = dy.Categorical(description="display name of the stage")
    verb = dy.Categorical(nullable=True, description="verb of a write; NULL on reads")
    from_write_idx = dy.Int64(
        nullable=True, description="write the read saw: the last strictly earlier one; NULL = from before the run"
    )
    loop_index = LocatedCommits.loop_index
    variable = dy.Int64(min=0, description="number of the variable in this chunk of runs: a short key for joins")
    life = dy.Int64(min=0, description="number of the life a read saw or a write began, in this chunk")
    read_keys = dy.List(dy.String(), nullable=True, description="keys a write lists as read before it; NULL = no list")
    touch = dy.Int64(nullable=True, description="order in which the commit first touched the key; NULL on reads")


class Moments(Table):
    """One write or one recorded read of one variable. Rule: record format, sections 13 and 16."""

    run_id = Timelines.run_id
    scope = Timelines.scope
    key = Timelines.key
    position = Timelines.position
    kind = Timelines.kind
    commit_idx = Timelines.commit_idx
    runtime_stage_id = Timelines.runtime_stage_id
    stage_id = Timelines.stage_id
    stage_name = Timelines.stage_name
    verb = Timelines.verb
    from_write_idx = Timelines.from_write_idx
    loop_index = LocatedCommits.loop_index
    suspect_kind = dy.Enum(SuspectKind, nullable=True, description="kind of the first suspect a write introduced")
    suspect_id = dy.String(nullable=True, description="id of that suspect; NULL = none can be named")


class Lives(Table):
    """One life of one variable: from a write, or from before the run, to the next write.

    Rule: record format, section 14. A life from before the run is there when some step read it.
    """

    run_id = dy.Categorical(description=RUN_ID, metadata=NULLABLE_KEY)
    scope = dy.Categorical(description=SCOPE, metadata=NULLABLE_KEY)
    key = dy.Categorical(description=KEY, metadata=NULLABLE_KEY)
    commit_idx = dy.Int64(
        nullable=True, metadata=NULLABLE_KEY, description="write that began the life; NULL = before the run"
    )
    next_commit_idx = dy.Int64(nullable=True, description="next write of the key; NULL = lives to the end of the log")
    readers = dy.List(dy.Int64(), description="commit positions that read this life, ascending")

    @dy.rule()
    def one_row_a_life(cls) -> pl.Expr:  # noqa: N805 - a dataframely rule is a class method
        return pl.len().over("run_id", "scope", "key", "commit_idx") == 1


class LifeSpans(Frame):
    """One life of one variable, numbered. Rule: record format, section 14."""

    life = dy.Int64(primary_key=True, min=0, description="number of the life in this chunk; a variable's go by time")
    variable = Timelines.variable
    run_id = dy.Categorical(description=RUN_ID)
    scope = dy.Categorical(description=SCOPE)
    key = dy.Categorical(description=KEY)
    commit_idx = Lives.commit_idx
    next_commit_idx = Lives.next_commit_idx
    readers = Lives.readers


class FedLives(Frame):
    """One life that fed another, by number. Rule: record format, section 14."""

    from_life = dy.Int64(primary_key=True, min=0, description="life that was read")
    to_life = dy.Int64(primary_key=True, min=0, description="life that the reader wrote")
    to_commit_idx = dy.Int64(min=0, description="commit that read the one and wrote the other")
    touch = dy.Int64(min=0, description="order in which that commit first touched the written key")
    basis = dy.Enum(Basis, description="what says so")


class FedEdges(Table):
    """One value that fed another: a step read the first life and wrote the second.

    Rule: record format, section 14.
    """

    run_id = dy.Categorical(description=RUN_ID, metadata=NULLABLE_KEY)
    scope = dy.Categorical(description=SCOPE, metadata=NULLABLE_KEY)
    from_key = dy.Categorical(description="variable that was read", metadata=NULLABLE_KEY)
    from_commit_idx = dy.Int64(
        nullable=True, metadata=NULLABLE_KEY, description="write that began the life that was read; NULL = pre-run"
    )
    to_key = dy.Categorical(description="variable that was written", metadata=NULLABLE_KEY)
    to_commit_idx = dy.Int64(description="commit that read the one and wrote the other", metadata=NULLABLE_KEY)
    basis = dy.Enum(
        Basis, description="`per-write`: the write lists the key among its reads; `stage`: one step did both"
    )

    @dy.rule()
    def one_row_an_edge(cls) -> pl.Expr:  # noqa: N805 - a dataframely rule is a class method
        return pl.len().over("run_id", "scope", "from_key", "from_commit_idx", "to_key", "to_commit_idx") == 1


class Coverages(Frame):
    """How exactly the record says what one variable's last life fed. Rule: record format, sections 14 and 15."""

    run_id = dy.Categorical(primary_key=True, description=RUN_ID)
    scope = dy.Categorical(primary_key=True, description=SCOPE)
    key = dy.Categorical(primary_key=True, description=KEY)
    variable = Timelines.variable
    coverage = dy.Enum(
        Coverage, description="`exact` needs at least one edge and no edge that rests on the stage alone"
    )
    root_commit_idx = dy.Int64(nullable=True, description="write that began the life asked about; NULL = pre-run")
    reads_recorded = dy.Bool(description="some step of the variable's log has a recorded read")
    root_readers = dy.List(dy.Int64(), description="commit positions that read that life, ascending")
    reached_lives = dy.Int64(min=0, description="lives in the forward slice, the asked one included")
    stage_edge_seen = dy.Bool(description="some edge considered rests on the stage alone")
    truncated = dy.Bool(description="the slice was cut at its budgets of lives or depth")


class Variables(Table):
    """One state key of one log: written in it, or read by a step that commits in it.

    Rule: record format, sections 13 to 16.
    """

    run_id = dy.Categorical(primary_key=True, description=RUN_ID)
    scope = dy.Categorical(primary_key=True, description=SCOPE)
    key = dy.Categorical(primary_key=True, description=KEY)
    missing = dy.Enum(Missing, nullable=True, description="why there is no life; NULL = there is one")
    coverage = Coverages.coverage
    writes = dy.Int64(min=0, description="write moments")
    reads = dy.Int64(min=0, description="read moments")
    notes = dy.List(
        dy.String(), description="what a reader must know, codes in this order: " + ", ".join(f"`{n}`" for n in Note)
    )
    keys_read_kind = dy.Enum(ReadsKind, description="`map` when no execution tree is recorded")
    steps = dy.Int64(nullable=True, description="steps the tree records; NULL without a tree")
    steps_with_reads = dy.Int64(nullable=True, description="steps with a recorded read; NULL without a tree")


class Suspects(Frame):
    """One removable source named by one committed value. Rule: record format, sections 12 and 16.

    A value is classified once, however many writes hold it.
    """

    key = dy.Categorical(primary_key=True, description="key the value was committed under")
    value_json = dy.String(primary_key=True, description="the committed value")
    suspect_rank = dy.Int64(primary_key=True, min=0, description="order in which the classifier names them")
    suspect_kind = dy.Enum(SuspectKind, description="kind of the source")
    suspect_id = dy.String(description="id of the source")
    spec_json = dy.String(description="ablation spec that would remove the source")


class SuspectWrites(Frame):
    """One suspect that one step introduced by writing one key."""

    run_id = dy.Categorical(primary_key=True, description=RUN_ID)
    scope = dy.Categorical(primary_key=True, description=SCOPE)
    key = dy.Categorical(primary_key=True, description=KEY)
    writer_id = dy.Categorical(primary_key=True, description="step that wrote the value")
    suspect_rank = dy.Int64(primary_key=True, min=0, description="order among the suspects of that value")
    suspect_kind = Suspects.suspect_kind
    suspect_id = Suspects.suspect_id
    spec_json = Suspects.spec_json


class AblationHooks(Table):
    """One suspect of one variable with the spec that would remove it. Rule: record format, sections 12 and 16."""

    run_id = dy.Categorical(primary_key=True, description=RUN_ID)
    scope = dy.Categorical(primary_key=True, description=SCOPE)
    key = dy.Categorical(primary_key=True, description=KEY)
    position = dy.Int64(primary_key=True, min=0, description="order of first appearance in the variable's life")
    writer_id = dy.Categorical(description="step that wrote the value the suspect stands in")
    suspect_id = Suspects.suspect_id
    suspect_kind = Suspects.suspect_kind
    spec_json = Suspects.spec_json

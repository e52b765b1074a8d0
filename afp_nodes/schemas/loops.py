"""Loops and the values each model call was given."""

import dataframely as dy

from afp_nodes.schemas.base import Frame, Table
from afp_nodes.schemas.facts import RUN_ID, SCOPE, STEP

LOOP = "loop of the run, from 0: the frame's position, not the agent's iteration"


class FrameCommits(Frame):
    """One commit that lies in the body of a loop."""

    run_id = dy.Categorical(primary_key=True, description=RUN_ID)
    loop_index = dy.Int64(min=0, description=LOOP)
    scope = dy.Categorical(primary_key=True, description="log the frame is cut from: '' in a flat run, else the mount")
    commit_idx = dy.Int64(primary_key=True, min=0, description="position in that log")
    runtime_stage_id = dy.Categorical(description=STEP)
    stage_id = dy.Categorical(description="stable id of the stage")
    untracked_sources = dy.List(dy.String(), nullable=True, description="untracked inputs of the step")


class LoopFrames(Frame):
    """One loop with its call: the frame every later question about a loop is asked in.

    Rule: record format, section 10.
    """

    run_id = dy.Categorical(primary_key=True, description=RUN_ID)
    loop_index = dy.Int64(primary_key=True, min=0, description=LOOP)
    scope = dy.Categorical(description="log the frame is cut from: '' in a flat run, else the mount")
    head_commit_idx = dy.Int64(min=0, description="position where the frame opens, in its scope")
    llm_call_id = dy.Categorical(nullable=True, description="step of the model call; NULL = the frame holds none")
    llm_commit_idx = dy.Int64(nullable=True, description="position of that call's commit, in the frame's scope")
    body_ids = dy.List(dy.String(), description="step of each commit of the frame, repeats kept")
    incomplete_sources = dy.List(
        dy.String(), nullable=True, description="untracked inputs of the call's commit; NULL = none recorded"
    )


class Loops(Table):
    """One ReAct iteration of a run. Rule: record format, sections 10 and 11."""

    run_id = LoopFrames.run_id
    loop_index = LoopFrames.loop_index
    scope = LoopFrames.scope
    head_commit_idx = LoopFrames.head_commit_idx
    llm_call_id = LoopFrames.llm_call_id
    llm_commit_idx = LoopFrames.llm_commit_idx
    body_ids = LoopFrames.body_ids
    intermediate_text = dy.String(
        nullable=True, description="what the call's step wrote, `path=JSON` a line, cut at 2,000 UTF-16 units"
    )
    incomplete_sources = LoopFrames.incomplete_sources
    untracked_reads_present = dy.Bool(description="TRUE exactly when `incomplete_sources` is not empty")


class WriterFrames(Table):
    """One execution step that some loop's body holds, with the first such loop. Rule: record format, section 10."""

    run_id = dy.Categorical(primary_key=True, description=RUN_ID)
    runtime_stage_id = dy.Categorical(primary_key=True, description=STEP)
    frame_idx = dy.Int64(min=0, description="position of the first frame whose body holds the step")
    loop_index = dy.Int64(min=0, description="loop of that frame")


class LocatedCommits(Frame):
    """One commit with the loop its step lies in. Rule: record format, sections 10 and 16."""

    run_id = dy.Categorical(primary_key=True, description=RUN_ID)
    scope = dy.Categorical(primary_key=True, description=SCOPE)
    commit_idx = dy.Int64(primary_key=True, min=0, description="array position in the scope's log")
    runtime_stage_id = dy.Categorical(description=STEP)
    stage_id = dy.Categorical(description="stable id of the stage")
    stage_name = dy.Categorical(description="display name of the stage")
    loop_index = dy.Int64(nullable=True, description=LOOP + "; NULL = the step lies in no loop")


class StepWrites(Frame):
    """One key that the step of a loop's model call wrote. Rule: record format, section 11."""

    run_id = dy.Categorical(primary_key=True, description=RUN_ID)
    loop_index = dy.Int64(primary_key=True, min=0, description=LOOP)
    key = dy.Categorical(primary_key=True, description="path of the key")
    position = dy.Int64(min=0, description="order in which the step first touched the key")
    scope = dy.Categorical(description=SCOPE)
    fold_commit_idx = dy.Int64(min=0, description="last commit of the step: where the value is folded")


class StepTexts(Frame):
    """One loop whose model call wrote something, with what it wrote as text. Rule: record format, section 11."""

    run_id = dy.Categorical(primary_key=True, description=RUN_ID)
    loop_index = dy.Int64(primary_key=True, min=0, description=LOOP)
    intermediate_text = Loops.intermediate_text


class SourceWriters(Frame):
    """One key a loop's call could draw on, with the commit its value is folded at.

    Rule: record format, sections 9 and 11. The fold position is the *last* commit of the writer's id, which may
    come after the reader.
    """

    run_id = dy.Categorical(primary_key=True, description=RUN_ID)
    loop_index = dy.Int64(primary_key=True, min=0, description=LOOP)
    position = dy.Int64(primary_key=True, min=0, description="order among the call's reads; the proximate row is last")
    scope = dy.Categorical(description=SCOPE)
    key = dy.Categorical(description="key read, or `lastToolResult` on the proximate row")
    writer_id = dy.Categorical(nullable=True, description="step that last wrote the key before the call; NULL = none")
    fold_commit_idx = dy.Int64(nullable=True, description="last commit of that step: where the value is folded")
    proximate = dy.Bool(description="the tool result that stood before the call, read or not")


class FoldPoints(Frame):
    """One position at which the value of one key is wanted."""

    run_id = dy.Categorical(primary_key=True, description=RUN_ID)
    scope = dy.Categorical(primary_key=True, description=SCOPE)
    key = dy.Categorical(primary_key=True, description="path of the key")
    fold_commit_idx = dy.Int64(primary_key=True, min=0, description="position after which the value is wanted")


class FoldedValues(Frame):
    """The value of one key after one position. Rule: record format, sections 6 and 7."""

    run_id = dy.Categorical(primary_key=True, description=RUN_ID)
    scope = dy.Categorical(primary_key=True, description=SCOPE)
    key = dy.Categorical(primary_key=True, description="path of the key")
    fold_commit_idx = dy.Int64(primary_key=True, min=0, description="position after which the value holds")
    value_json = dy.String(nullable=True, description="the value as JSON text; NULL = absent")
    basis = dy.List(dy.Int64(), description="commit positions the value was made from, ascending")


class ContextSources(Table):
    """One value a loop's model call drew on. Rule: record format, section 11."""

    run_id = SourceWriters.run_id
    loop_index = SourceWriters.loop_index
    position = SourceWriters.position
    key = SourceWriters.key
    writer_id = SourceWriters.writer_id
    writer_commit_idx = dy.Int64(
        nullable=True, description="last commit of that step in the frame's scope; NULL on the proximate row"
    )
    value_json = dy.String(nullable=True, description="value the key held, folded there; NULL = absent")
    proximate = SourceWriters.proximate


class ValueIndex(Table):
    """One committed value that some loop drew on, by key and writer; the first loop decides.

    Rule: record format, section 16.
    """

    run_id = dy.Categorical(primary_key=True, description=RUN_ID)
    key = dy.Categorical(primary_key=True, description="path of the key")
    writer_id = dy.Categorical(primary_key=True, description="step that wrote it")
    scope = dy.Categorical(description="scope of the frame the value was taken from")
    value_json = dy.String(nullable=True, description="value as JSON text; NULL when absent")
    basis = dy.List(dy.Int64(), description="commit positions, in that scope, the value was folded from")

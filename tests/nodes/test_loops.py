"""Loops on tiny logs."""

from afp_nodes.loops import call_mounts, frame_commits, loop_frames, step_writes, writer_frames
from afp_nodes.schemas import Commits, LoopFrames, Scopes, Writes
from tests.tables import shown, table

NO_MOUNTS = table(Scopes, "run_id | scope | position")


def test_each_head_opens_the_next_loop_and_the_prelude_belongs_to_none() -> None:
    commits = table(
        Commits,
        """
        run_id | scope | commit_idx | runtime_stage_id | stage_id
        a      | ''    | 0          | seed#0           | seed
        a      | ''    | 1          | engine#1         | sf-injection-engine
        a      | ''    | 2          | inner#2          | sf-injection-engine/evaluate
        a      | ''    | 3          | call#3           | call-llm
        a      | ''    | 4          | engine#4         | grp/sf-injection-engine
        b      | ''    | 0          | engine#0         | sf-injection-engine
        """,
    )
    assert shown(frame_commits(commits, NO_MOUNTS), "run_id", "runtime_stage_id", "loop_index") == [
        ("a", "call#3", 0),
        ("a", "engine#1", 0),
        ("a", "engine#4", 1),
        ("a", "inner#2", 0),
        ("b", "engine#0", 0),
    ]


def test_an_engine_below_another_stage_counts_by_its_own_name_only() -> None:
    commits = table(
        Commits,
        """
        run_id | scope | commit_idx | runtime_stage_id | stage_id
        a      | ''    | 0          | head#0           | grp/sf-injection-engine
        a      | ''    | 1          | no#1             | grp/sf-injection-engine/x
        a      | ''    | 2          | no#2             | xsf-injection-engine
        a      | ''    | 3          | head#3           | sf-injection-engine/sub/deep
        """,
    )
    frames = loop_frames(frame_commits(commits, NO_MOUNTS), NO_MOUNTS)
    assert shown(frames, "loop_index", "head_commit_idx") == [(0, 0), (1, 3)]


def test_a_head_id_that_comes_again_opens_no_second_loop() -> None:
    commits = table(
        Commits,
        """
        run_id | scope | commit_idx | runtime_stage_id | stage_id
        a      | ''    | 0          | engine#1         | sf-injection-engine
        a      | ''    | 1          | call#2           | call-llm
        a      | ''    | 2          | engine#1         | sf-injection-engine
        a      | ''    | 3          | call#3           | call-llm
        """,
    )
    frames = loop_frames(frame_commits(commits, NO_MOUNTS), NO_MOUNTS)
    assert shown(frames, "loop_index", "llm_call_id", "body_ids") == [
        (0, "call#2", ["engine#1", "call#2", "engine#1", "call#3"])
    ]


def test_order_comes_from_the_log_not_from_the_rows() -> None:
    commits = table(
        Commits,
        """
        run_id | scope | commit_idx | runtime_stage_id | stage_id
        a      | ''    | 2          | late#2           | sf-injection-engine
        a      | ''    | 1          | between#1        | other
        a      | ''    | 0          | early#0          | sf-injection-engine
        """,
    )
    assert shown(writer_frames(frame_commits(commits, NO_MOUNTS)), "runtime_stage_id", "loop_index") == [
        ("between#1", 0),
        ("early#0", 0),
        ("late#2", 1),
    ]


def test_mounts_go_by_their_number_and_one_without_a_log_is_an_empty_loop() -> None:
    scopes = table(
        Scopes,
        """
        run_id | scope          | position | is_call_mount | mount_number
        a      | ''             | 0        | F             |
        a      | sf-llm-call#10 | 1        | T             | 10
        a      | sf-llm-call#2  | 2        | T             | 2
        a      | sf-tools#3     | 3        | F             | 3
        """,
    )
    commits = table(
        Commits,
        """
        run_id | scope         | commit_idx | runtime_stage_id | stage_id
        a      | ''            | 0          | engine#0         | sf-injection-engine
        a      | sf-llm-call#2 | 0          | ''               | sf-llm-call/seed
        a      | sf-llm-call#2 | 1          | call#3           | sf-llm-call/call-llm
        a      | sf-tools#3    | 0          | call#9           | call-llm
        """,
    )
    mounts = call_mounts(scopes)
    frames = loop_frames(frame_commits(commits, mounts), mounts)
    assert shown(frames, "loop_index", "scope", "llm_commit_idx", "body_ids") == [
        (0, "sf-llm-call#2", 1, ["", "call#3"]),
        (1, "sf-llm-call#10", None, []),
    ]


def test_a_steps_writes_are_those_of_all_its_commits_folded_at_the_last() -> None:
    frames = table(
        LoopFrames,
        """
        run_id | loop_index | scope | llm_call_id | llm_commit_idx
        a      | 0          | ''    | call#1      | 1
        a      | 1          | ''    |             |
        """,
    )
    commits = table(
        Commits,
        """
        run_id | scope | commit_idx | runtime_stage_id
        a      | ''    | 1          | call#1
        a      | ''    | 2          | other#2
        a      | ''    | 3          | call#1
        """,
    )
    writes = table(
        Writes,
        """
        run_id | scope | commit_idx | key | runtime_stage_id | position | verb | entries
        a      | ''    | 1          | y   | call#1           | 0        | set  | 1
        a      | ''    | 1          | x   | call#1           | 1        | set  | 1
        a      | ''    | 2          | z   | other#2          | 0        | set  | 1
        a      | ''    | 3          | a   | call#1           | 0        | set  | 1
        a      | ''    | 3          | y   | call#1           | 1        | set  | 1
        """,
    )
    assert shown(step_writes(frames, writes, commits), "position", "key", "fold_commit_idx") == [
        (0, "y", 3),
        (1, "x", 3),
        (2, "a", 3),
    ]

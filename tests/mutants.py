"""One-line faults of the derivations, and how to find out whether the tests see them.

A mutant is a line of a module with one thing wrong. It is put into a copy of the project, and the tests of the
rules are run there: they have to fail. A mutant whose line is gone is an error, so the list keeps up with the code.
"""

import shutil
import subprocess
import sys
from pathlib import Path
from typing import NamedTuple

PROJECT = Path(__file__).parents[1]
COPIED = ("afp_nodes", "dataflows", "tests", "pyproject.toml")
RULES = (
    "tests/reference/test_product.py",
    "tests/golden",
    "tests/nodes",
    "tests/assessment",
    "tests/routing",
    "tests/comparison",
    "tests/context",
    "tests/studies",
    "tests/probes/test_subjects.py",
    "tests/laws/test_oracle.py::test_the_budget_of_lives_is_spent_reader_by_reader",
    "tests/laws/test_oracle.py::test_the_product_says_what_the_oracle_says_of_a_sample",
)


class Mutant(NamedTuple):
    """A fault: what a line of a module says, and what it says when it is wrong."""

    module: str
    right: str
    wrong: str


MUTANTS = (
    Mutant("loops.py", '.agg(frame_idx=pl.col("loop_index").min())', '.agg(frame_idx=pl.col("loop_index").max())'),
    Mutant("loops.py", "return inside & ~inside.shift(1,", "return inside | ~inside.shift(1,"),
    Mutant("loops.py", '== pl.col("commit_idx").min().over(step)', '== pl.col("commit_idx").max().over(step)'),
    Mutant(
        "loops.py",
        'llm_commit_idx=pl.col("commit_idx").filter(is_call).first()',
        'llm_commit_idx=pl.col("commit_idx").filter(is_call).last()',
    ),
    Mutant("loops.py", '.sort("run_id", "mount_number", "position",', '.sort("run_id", "position",'),
    Mutant("context_sources.py", "allow_exact_matches=False", "allow_exact_matches=True"),
    Mutant(
        "context_sources.py",
        'agg(fold_commit_idx=pl.col("commit_idx").max())',
        'agg(fold_commit_idx=pl.col("commit_idx").min())',
    ),
    Mutant("context_sources.py", '"writer_id"], keep="first"', '"writer_id"], keep="last"'),
    Mutant("context_sources.py", 'position="first_position"', 'position="position"'),
    Mutant(
        "values.py", '(pl.col("verb") == "append") & holds_list & had_list', '(pl.col("verb") == "append") & had_list'
    ),
    Mutant("values.py", '[*LOG_KEY, "commit_idx"], keep="last"', '[*LOG_KEY, "commit_idx"], keep="first"'),
    Mutant("values.py", "basis = [commit_idx] if restarts else", "basis = [commit_idx] if not restarts else"),
    Mutant("timelines.py", '+ pl.col("written").cast(pl.Int64)', '- pl.col("written").cast(pl.Int64)'),
    Mutant("timelines.py", 'reads.filter(pl.col("position")', 'reads.filter(pl.col("first_position")'),
    Mutant("timelines.py", 'pl.col("suspect_rank") == 0', 'pl.col("suspect_rank") == 1'),
    Mutant("lives.py", "basis=pl.when(unlisted)", "basis=pl.when(~unlisted)"),
    Mutant("coverage.py", 'sort("from_life", "to_commit_idx", "touch")', 'sort("from_life", "touch", "to_commit_idx")'),
    Mutant("coverage.py", "< (max_lives - created)", "<= (max_lives - created)"),
    Mutant("coverage.py", "for _ in range(max_depth):", "for _ in range(max_depth + 1):"),
    Mutant(
        "coverage.py",
        'group_by("variable", maintain_order=True).last()',
        'group_by("variable", maintain_order=True).first()',
    ),
    Mutant("suspects.py", "first.setdefault(seed.suspect_id, seed)", "first[seed.suspect_id] = seed"),
    Mutant("classifier.py", 'if source == "memory" else', 'if source_id.startswith("memory") else'),
    Mutant("record/trees.py", "for step, read in last if read}", "for step, read in last}"),
    Mutant("record/trees.py", "TreeReads(dict(reversed(reads)),", "TreeReads(dict(reads),"),
    Mutant("javascript.py", "return sorted(indexes, key=int)", "return sorted(indexes)"),
    Mutant("javascript.py", "if not src or not isinstance(dst, list):", "if not isinstance(dst, list):"),
    Mutant("javascript.py", "return text.strip(WHITE_SPACE)", "return text.strip()"),
    Mutant(
        "javascript.py",
        "return isinstance(value, int | float) and not isinstance(value, bool)",
        "return isinstance(value, int | float)",
    ),
    Mutant("studies/spreads.py", "return reduce(add, values, 0.0)", "return math.fsum(values)"),
    Mutant(
        "studies/similarity.py",
        "return dot / (math.sqrt(squares) * math.sqrt(other_squares))",
        "return dot / math.sqrt(squares * other_squares)",
    ),
    Mutant("studies/rules.py", 'pl.col("flips") * 2 > pl.col("samples")', 'pl.col("flips") * 2 >= pl.col("samples")'),
    Mutant("studies/rules.py", 'pl.col("baseline_samples") < FEWEST_RUNS', 'pl.col("baseline_samples") < 1'),
    Mutant("studies/costs.py", "saved.filter(~CONFIRMED, ", "saved.filter("),
    Mutant("studies/costs.py", '"loops_saved") > pl.col("placebo_saved")', '"loops_saved") >= pl.col("placebo_saved")'),
    Mutant("studies/outcomes.py", 'pl.coalesce(name, f"recorded_{name}")', 'pl.coalesce(f"recorded_{name}", name)'),
    Mutant("studies/arms.py", "foremost[0] if len(foremost) == 1 else None", "foremost[0] if foremost else None"),
    Mutant("studies/arms.py", "for manifest in manifests for mismatch", "for manifest in manifests[:1] for mismatch"),
    Mutant("studies/rates.py", "others = baseline_samples - seed_0_is_reference", "others = baseline_samples"),
    Mutant("studies/stated.py", 'pl.col("error").is_not_null(), "run_id"', '"run_id"'),
    Mutant("assessment/members.py", "MOST_ENTRIES = 1_000", "MOST_ENTRIES = 999"),
    Mutant("assessment/turn.py", "in range(len(history) - 1, -1, -1)", "in range(len(history))"),
    Mutant("assessment/turn.py", "if 0 <= length <= utf16_length(content)", "if 0 <= length <= len(content)"),
    Mutant("assessment/emptiness.py", "if depth > MOST_BOUNDARIES:", "if depth >= MOST_BOUNDARIES:"),
    Mutant("assessment/arguments.py", '"rule" in self.row or', 'self.row.get("rule") is not None or'),
    Mutant(
        "assessment/arguments.py", "calls.setdefault(call, {})[argument] =", "calls.setdefault(argument, {})[call] ="
    ),
    Mutant("assessment/contingents.py", "if turn is None or turn <= 1:", "if turn is None or turn < 1:"),
    Mutant(
        "assessment/results.py",
        "for row in coverage if row.tool_call_id}",
        "for row in coverage if row.tool_call_id is not None}",
    ),
    Mutant("assessment/periods.py", 'row.get("beyondRetention") is True', 'row.get("beyondRetention")'),
    Mutant(
        "assessment/answers.py",
        'list(rows_of_turn(ledger, turn, "grounded"))[-1:]',
        'list(rows_of_turn(ledger, turn, "grounded"))[:1]',
    ),
    Mutant(
        "assessment/sources.py",
        "met.setdefault(reference.tool_call_id, reference.tool_name)",
        "met[reference.tool_call_id] = reference.tool_name",
    ),
    Mutant("assessment/sources.py", "return requested | returned", "return returned | requested"),
    Mutant(
        "assessment/fold.py",
        "(ALWAYS_ASKED | {REWRITES_KEY} if arguments else ALWAYS_ASKED)",
        "(ALWAYS_ASKED | {REWRITES_KEY})",
    ),
    Mutant("routing/events.py", "filter(is_type(LLM_START) & before_end).last()", "filter(is_type(LLM_START)).last()"),
    Mutant("routing/events.py", "if SKILL not in breakdown:", "if not breakdown.get(SKILL):"),
    Mutant("routing/events.py", '(pl.when(~keeps_out("skillGraph"))', "(pl.when(True)"),
    Mutant(
        "event_payloads.py",
        '.sort("event_idx").unique("run_id", keep="first")',
        '.sort("event_idx").unique("run_id", keep="last")',
    ),
    Mutant("routing/verdicts.py", '"id" not in top if to is None', 'top.get("id") is None if to is None'),
    Mutant("routing/verdicts.py", ', "has_history")', ")"),
    Mutant("routing/verdicts.py", "when(scores_held & held", "when(held"),
    Mutant("routing/verdicts.py", '.sort("is_silent", "held")', '.sort("held", "is_silent")'),
    Mutant(
        "routing/deliveries.py",
        'pl.col("event_idx").max().over("run_id", "iteration")',
        'pl.col("event_idx").min().over("run_id", "iteration")',
    ),
    Mutant("routing/deliveries.py", "shows=is_last & is_asked & is_whole", "shows=is_asked & is_whole"),
    Mutant("routing/deliveries.py", "nulls_equal=True", "nulls_equal=False"),
    Mutant("routing/refusals.py", "target.removeprefix(SKILL_PREFIX)", 'target.replace(SKILL_PREFIX, "")'),
    Mutant(
        "routing/refusals.py",
        'pl.col("position") == pl.col("position").max()',
        'pl.col("position") == pl.col("position").min()',
    ),
    Mutant("routing/outcomes.py", ".when(_has_verdict() | _routes_nothing())", ".when(_has_verdict())"),
    Mutant("comparison/rows.py", '(count_b == 0) & pl.col("knows_b")', "(count_b == 0)"),
    Mutant("comparison/rows.py", "& ~(is_result & has_unnamed)", ""),
    Mutant(
        "comparison/rows.py",
        'CALL_OF_LOOP = ["iteration", "name", "occurrence"]',
        'CALL_OF_LOOP = ["iteration", "name"]',
    ),
    Mutant(
        "comparison/pieces.py", 'pl.col("asked_in") < pl.col("iteration")', 'pl.col("asked_in") <= pl.col("iteration")'
    ),
    Mutant("comparison/decisions.py", '.filter(pl.col("verb") == "set")', ""),
    Mutant("comparison/loops.py", 'pl.col("complete").fill_null(value=True)', "pl.lit(value=True)"),
    Mutant("probe_subjects.py", 'own_arm").ne_missing(', 'own_arm").ne('),
    Mutant("probe_subjects.py", "judged_runs=_judged().sum()", "judged_runs=pl.len()"),
    Mutant("probe_subjects.py", 'compared_judged=(_judged() & pl.col("is_compared"))', "compared_judged=(_judged())"),
    Mutant("probe_subjects.py", ".clip(lower_bound=0)", ""),
    Mutant("probe_subjects.py", '.filter("can_be_probed").min()', ".min()"),
    Mutant(
        "probe_subjects.py",
        "pl.when(pl.col(whole) > 0).then(pl.col(part) / pl.col(whole))",
        "pl.col(part) / pl.col(whole)",
    ),
    Mutant("probe_subjects.py", "is_taken | is_shared", "is_taken"),
    Mutant("probe_subjects.py", "{1: 0, 0: 2}, default=1", "{1: 0, 0: 2}, default=2"),
    Mutant("probe_subjects.py", 'join(challenges, on=RUN, how="anti")', 'join(challenges, on=RUN, how="left")'),
    Mutant("context/calls.py", "pl.lit(0, pl.Int64),\n    )", "pl.lit(1, pl.Int64),\n    )"),
    Mutant("context/calls.py", "ordinal = pl.int_range(1, pl.len() + 1)", "ordinal = pl.int_range(pl.len())"),
    Mutant(
        "context/calls.py",
        'pl.col("call").max().over("run_id", "iteration")',
        'pl.col("call").min().over("run_id", "iteration")',
    ),
    Mutant("context/stretches.py", "pl.when(place < 0)", "pl.when(place < -1)"),
    Mutant(
        "context/stretches.py", '(pl.col(number) < pl.col("call_number"))', '(pl.col(number) <= pl.col("call_number"))'
    ),
    Mutant("context/stretches.py", 'pl.col("dropped_events").is_null() & ', ""),
    Mutant("context/events.py", "is_whole and retrieved.candidates_complete is not False", "is_whole"),
    Mutant("context/compositions.py", "pl.coalesce(proven, kept)", "pl.coalesce(kept, proven)"),
    Mutant("context/compositions.py", '.unique(CALL_SLOT, keep="last"', '.unique(CALL_SLOT, keep="first"'),
    Mutant("context/committed.py", 'fold_commit_idx=pl.col("commit_idx") - 1', 'fold_commit_idx=pl.col("commit_idx")'),
    Mutant("context/committed.py", "pl.concat([_begun(begun_values), writes", "pl.concat([writes"),
    Mutant("context/histories.py", 'held.filter("replaces")', "held"),
    Mutant("context/histories.py", "len(named) == len(results)", "bool(named)"),
    Mutant("context/sent.py", 'pl.coalesce(entry_id, "source_id")', 'pl.coalesce("source_id", entry_id)'),
    Mutant("context/sent.py", "slot_sights.filter(~is_fallback)", "slot_sights"),
    Mutant(
        "context/offered.py",
        'pl.col("event_idx") == pl.col("event_idx").max()',
        'pl.col("event_idx") == pl.col("event_idx").min()',
    ),
    Mutant("context/sights.py", "& all_ended", ""),
    Mutant("context/sights.py", "allow_exact_matches=False", "allow_exact_matches=True"),
    Mutant("context/sights.py", "all_offer | (keeps_turn & all_told)", "all_offer | all_told"),
    Mutant("context/missing.py", ".when(worth != UNKNOWN)", ".when(worth == UNKNOWN)"),
    Mutant(
        "context/missing.py",
        'pl.coalesce("sent_content", "content", "known_content")',
        'pl.coalesce("known_content", "sent_content", "content")',
    ),
    Mutant(
        "context/missing.py",
        '.sort("evicted_event")\n        .unique(UNIT, keep="last"',
        '.sort("evicted_event")\n        .unique(UNIT, keep="first"',
    ),
    Mutant(
        "verdicts.py", 'pl.col("cannot_tell").fill_null(value=True)', 'pl.col("cannot_tell").fill_null(value=False)'
    ),
)


def occurrences(mutant: Mutant) -> int:
    """How often the mutant's right text stands in its module; it must be once."""
    return (PROJECT / "afp_nodes" / mutant.module).read_text(encoding="utf-8").count(mutant.right)


def project_copy(folder: Path) -> Path:
    """A copy of what the tests of the rules need."""
    for name in COPIED:
        source, ignored = PROJECT / name, shutil.ignore_patterns("__pycache__")
        if source.is_dir():
            shutil.copytree(source, folder / name, ignore=ignored)
        else:
            shutil.copy(source, folder / name)
    return folder


def put_into(copy: Path, mutant: Mutant) -> None:
    """Make a mutant of a copy."""
    module = copy / "afp_nodes" / mutant.module
    module.write_text(module.read_text(encoding="utf-8").replace(mutant.right, mutant.wrong), encoding="utf-8")


def rules_hold(copy: Path) -> tuple[bool, str]:
    """Whether the tests of the rules pass in a copy, and the end of what they print."""
    command = [sys.executable, "-m", "pytest", "-x", "-q", "--tb=line", "-p", "no:cacheprovider", *RULES]
    done = subprocess.run(command, cwd=copy, capture_output=True, text=True, check=False, timeout=600)
    if done.returncode not in (0, 1):
        raise RuntimeError(f"the tests could not be run in {copy}:\n{done.stdout[-2000:]}{done.stderr[-2000:]}")
    return done.returncode == 0, done.stdout[-2000:]

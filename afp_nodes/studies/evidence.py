"""Evidence: the runs that a verdict rests on, and those it does not rest on. Rule: product contract, section 6.

Runs that failed, runs without an answer, seeds that one side lacks and what recordings say otherwise are listed, so
that a reader sees what the numbers leave out.
"""

import dataframely as dy
import polars as pl

from afp_nodes.schemas.studies import ProbeOutcomes, ProbeRuns, ProbeSides, StudySubjects
from afp_nodes.studies.outcomes import PROBE

SHOWN_CHARACTERS = 200
"""Of an answer that was recorded otherwise, and of the one that was stated, this much is shown."""


def probe_sides(
    study_subjects: dy.LazyFrame[StudySubjects],
    probe_outcomes: dy.LazyFrame[ProbeOutcomes],
    probe_runs: dy.LazyFrame[ProbeRuns],
) -> dy.LazyFrame[ProbeSides]:
    """One row per study and subject, its baseline too; one without runs has empty lists."""
    listed, failed, counts = (pl.col(name).is_not_null() for name in ("run_id", "error", "flipped"))
    told = pl.concat_list(_otherwise("output"), _otherwise("loops"), _otherwise("tokens")).list.drop_nulls()
    return (
        study_subjects.select("study_id", "subject_id")
        .join(probe_outcomes, on=["study_id", "subject_id"], how="left")
        .join(probe_runs.select(*PROBE, "flipped"), on=PROBE, how="left")
        .sort(PROBE)
        .group_by("study_id", "subject_id", maintain_order=True)
        .agg(
            seeds=pl.col("seed").filter(listed),
            runs=pl.struct("run_id", "seed", "flipped").filter(counts),
            failed=pl.struct("run_id", "seed", "error").filter(failed),
            without_answer=pl.struct("run_id", "seed").filter(listed & ~failed & ~counts),
            repeated=pl.struct("seed", "repeats").filter(pl.col("repeats") > 0),
            costs=pl.struct("run_id", "seed", "loops", "tokens").filter(counts),
            differing=told.filter(listed).explode().drop_nulls(),
        )
        .pipe(ProbeSides.cast)
    )


def _otherwise(name: str) -> pl.Expr:
    """What a recording says otherwise than the study, as an object; NULL where it does not."""
    recorded, stated = pl.col(f"recorded_{name}"), pl.col(name)
    if name == "output":
        recorded, stated = (text.str.slice(0, SHOWN_CHARACTERS) for text in (recorded, stated))
    told = pl.struct("run_id", "seed", differs=pl.lit(name), stated=stated, recorded=recorded)
    return pl.when(recorded.is_not_null()).then(told.struct.json_encode())

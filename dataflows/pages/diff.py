"""The page that puts two runs side by side. Rule: product contract, section 4."""

from typing import Any

from afp_nodes.words import DiffMoment, Sameness
from dataflows.comparison import ComparedRun, Comparison, Loop, Row, Shown
from dataflows.differences import Moments, by_loop, ground_of, name_of, sentences, sight_of, text_of, verdict_of
from dataflows.pages import page
from dataflows.printable import WITHHELD
from dataflows.wording import counted

VALUE_CHARACTERS = 4000
TONES = {Sameness.SAME: "good", Sameness.DIFFERS: "weak", Sameness.UNKNOWN: "open"}
ABSENCES = {Sameness.SAME: "nothing", Sameness.DIFFERS: "nothing", Sameness.UNKNOWN: "not recorded"}
"""What is said of a side of which its record shows nothing, by the verdict of the row."""


def diff_page(compared: Comparison) -> str:
    """The comparison as one HTML file; what is the same is folded away."""
    return page(
        "diff.html",
        title="Two runs side by side",
        runs=[_run(letter, run) for letter, run in (("A", compared.a), ("B", compared.b))],
        sentences=sentences(compared),
        loops=[_loop(loop, moments) for loop, moments in by_loop(compared)],
        whole=[_row(row) for row in compared.rows if row.moment == DiffMoment.RUN],
        tones=TONES,
        absences=ABSENCES,
    )


def _run(letter: str, run: ComparedRun) -> dict[str, str]:
    question = WITHHELD if run.question_withheld else run.question or "no question is recorded"
    return {"letter": letter, "run_id": run.run_id, "question": question}


def _loop(loop: Loop, moments: Moments) -> dict[str, Any]:
    """A loop; the context of one that not both runs show is folded away."""
    sight = sight_of(loop)
    told = [
        _moment(moment, rows, is_folded=bool(sight) and moment == DiffMoment.CONTEXT)
        for moment, rows in moments.items()
    ]
    return {"iteration": loop.iteration, "sight": sight, "moments": told}


def _moment(name: str, rows: tuple[Row, ...], *, is_folded: bool) -> dict[str, Any]:
    told = [_row(row) for row in rows if row.verdict != Sameness.SAME]
    same = [_row(row) for row in rows if row.verdict == Sameness.SAME]
    folds = [(f"{counted(len(told), 'row')}, {ground_of(rows[-1])}", told)] if is_folded else []
    return {
        "name": name,
        "verdict": verdict_of(rows),
        "told": [] if is_folded else told,
        "folds": [(sum_of, fold) for sum_of, fold in [*folds, (f"{len(same):,} the same", same)] if fold],
    }


def _row(row: Row) -> dict[str, Any]:
    return {
        "name": name_of(row),
        "verdict": row.verdict,
        "why": ground_of(row),
        "a": _text(row, row.a),
        "b": _text(row, row.b),
    }


def _text(row: Row, shown: Shown | None) -> str | None:
    """What a record shows, long texts cut: secrets in them were masked before."""
    if shown is None:
        return None
    text = text_of(row, shown)
    return text if len(text) <= VALUE_CHARACTERS else f"{text[:VALUE_CHARACTERS]}… ({len(text):,} characters)"

"""The page of one study. Rule: product contract, sections 2, 4 and 6."""

from typing import Any

from afp_nodes.words import ProbeVerdict
from dataflows.one_study import Study, Subject
from dataflows.pages import page
from dataflows.pages.study_plot import plot_text, study_plot
from dataflows.study_words import (
    baseline_notes,
    cost_text,
    facts,
    flips_text,
    interval_text,
    name,
    notes,
    similarity_text,
    verdict_text,
)

TONES = {ProbeVerdict.CONFIRMED: "bad", ProbeVerdict.NOT_CONFIRMED: "", ProbeVerdict.INCONCLUSIVE: "open"}


def study_page(study: Study) -> str:
    """The study as one HTML file."""
    return page(
        "study.html",
        title=f"Study {name(study.question.study_id)}",
        facts=facts(study),
        plot=study_plot(study),
        plot_text=plot_text(study),
        baseline_notes=baseline_notes(study),
        has_costs=any(subject.cost for subject in study.subjects),
        subjects=[_subject(study, subject) for subject in study.subjects],
    )


def _subject(study: Study, subject: Subject) -> dict[str, Any]:
    return {
        "name": name(subject.side.subject_id),
        "verdict": verdict_text(subject),
        "tone": TONES[ProbeVerdict(subject.verdict)],
        "flips": flips_text(subject),
        "interval": interval_text(subject),
        "similarity": similarity_text(subject),
        "cost": cost_text(subject),
        "notes": notes(study, subject),
    }

"""One study told on a terminal: what was asked, a table of verdicts, a plot of seeds, and what to know of each."""

from collections import Counter
from collections.abc import Iterator, Sequence

from afp_nodes.studies.comparators import DEFAULT_COMPARATOR
from dataflows.one_study import Probe, Side, Study, Subject
from dataflows.study_words import (
    baseline_notes,
    cost_text,
    facts,
    flips_text,
    interval_text,
    name,
    notes,
    number,
    similarity_text,
    verdict_text,
)

MARGIN = 14
"""Columns that the names of the facts take."""

CELLS = 41
"""Cells of the scale from 0 to 1."""

LABEL = 30
"""Columns that the name of a subject takes at most in the plot."""

DOT, BAND, THRESHOLD, SILENT = "●", "░", "¦", " "
HEADINGS = ("subject", "verdict", "flips", "flip rate, 95 %", "similarity", "cost")


def study_story(study: Study) -> str:
    """The study in lines."""
    lines = [f"{what:{MARGIN}}{said}" for what, said in facts(study)]
    lines += ["", *_table(study.subjects), "", *_plot(study)]
    lines += list(_noted(f"baseline {name(study.baseline.subject_id)}", baseline_notes(study)))
    for subject in study.subjects:
        lines += _noted(name(subject.side.subject_id), notes(study, subject))
    return "\n".join(lines)


def _noted(what: str, said: Sequence[str]) -> Iterator[str]:
    if said:
        yield from ("", what, *(f"  {line}" for line in said))


def _table(subjects: Sequence[Subject]) -> Iterator[str]:
    if not subjects:
        yield "the study has no subject that gets a verdict"
        return
    asked = len(HEADINGS) if any(subject.cost for subject in subjects) else len(HEADINGS) - 1
    rows = [cells[:asked] for cells in (HEADINGS, *map(_cells, subjects))]
    widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
    for row in rows:
        yield "  ".join(f"{cell:{width}}" for cell, width in zip(row, widths, strict=True)).rstrip()


def _cells(subject: Subject) -> tuple[str, ...]:
    return (
        name(subject.side.subject_id),
        verdict_text(subject),
        flips_text(subject),
        interval_text(subject),
        similarity_text(subject),
        cost_text(subject),
    )


def _plot(study: Study) -> Iterator[str]:
    sides = [study.baseline, *(subject.side for subject in study.subjects)]
    labels = [_cut(name(side.subject_id)) for side in sides]
    width = max(map(len, labels))
    yield f"similarity to the reference answer: {_legend(study)}"
    yield f"{'':{width}}  0{'0.5':^{CELLS}}1"
    for label, side in zip(labels, sides, strict=True):
        yield f"{label:{width}}  |{_scale(study, side)}|{_unplotted(side)}"


def _legend(study: Study) -> str:
    told = [f"{DOT} one seed, a digit that many (9: or more)"]
    told += [f"{BAND} the null band"] if _band(study) else []
    told += [f"{THRESHOLD} the threshold, {number(study.question.flip_threshold)}"] if _threshold(study) else []
    return ", ".join(told)


def _scale(study: Study, side: Side) -> str:
    """The scale of one subject: the band, the threshold on it, and its seeds over both."""
    cells = [SILENT] * CELLS
    for place in _band(study):
        cells[place] = BAND
    for place in _threshold(study):
        cells[place] = THRESHOLD
    seeds = Counter(_place(probe.similarity) for probe in side.probes if probe.similarity is not None)
    for place, count in seeds.items():
        cells[place] = DOT if count == 1 else str(min(count, 9))
    return "".join(cells)


def _band(study: Study) -> range:
    band = study.band
    if band is None or band.min is None or band.max is None:
        return range(0)
    return range(_place(band.min), _place(band.max) + 1)


def _threshold(study: Study) -> tuple[int, ...]:
    threshold = study.question.flip_threshold
    judges = study.question.comparator == DEFAULT_COMPARATOR and threshold is not None and 0 <= threshold <= 1
    return (_place(threshold),) if judges and threshold is not None else ()


def _place(similarity: float) -> int:
    """The cell of a similarity; one beyond the scale stands at its end."""
    return round(min(max(similarity, 0.0), 1.0) * (CELLS - 1))


def _unplotted(side: Side) -> str:
    silent = [probe for probe in side.probes if _is_silent(probe)]
    if not side.probes:
        return "  no run"
    return f"  {len(silent):,} without a similarity" if silent else ""


def _is_silent(probe: Probe) -> bool:
    return probe.similarity is None


def _cut(label: str) -> str:
    return label if len(label) <= LABEL else label[: LABEL - 1] + "…"

"""The plot of one study: each seed's similarity, the null band, and how far each flip rate may be off.

Vega-Altair describes it and vl-convert draws it on this machine, as an SVG that a page holds in itself. Its paper is
white in light and in dark.
"""

import base64
from io import StringIO
from typing import Any

import altair as alt

from dataflows.one_study import Side, Study, Subject
from dataflows.study_words import name, number

WIDTH = 330
STEP = 34
"""Height that a subject takes, in pixels."""

LABEL_PIXELS = 200
INK, CHANGED, SAME, BAND = "#1d2126", "#9b1c1c", "#1f5f8b", "#e7d9b8"

Values = list[dict[str, Any]]


def study_plot(study: Study) -> str:
    """The plot as the address of an image that holds it whole."""
    drawn = StringIO()
    _chart(study).save(drawn, format="svg")
    return "data:image/svg+xml;base64," + base64.b64encode(drawn.getvalue().encode()).decode()


def plot_text(study: Study) -> str:
    """What the plot shows, for those who do not see it."""
    told = [f"{name(side.subject_id)} {_similarities(side)}" for side in _sides(study)]
    return "Similarity of each seed's answer to the reference answer: " + "; ".join(told) + "."


def _similarities(side: Side) -> str:
    return ", ".join(number(probe.similarity) for probe in side.probes) or "no run"


def _sides(study: Study) -> list[Side]:
    return [study.baseline, *(subject.side for subject in study.subjects)]


def _chart(study: Study) -> alt.HConcatChart:
    labels = _labels(_sides(study))
    rows = alt.Y("subject:N", sort=labels, scale=alt.Scale(domain=labels), title=None)
    named = rows.axis(labelLimit=LABEL_PIXELS)
    band = _band(study)
    shaded = "; shaded: the null band" if band else ""
    left = alt.layer(*band, _seeds(study, labels, named), title=f"similarity to the reference answer{shaded}")
    right = alt.layer(*_rates(study, labels[1:], rows.axis(labels=False, ticks=False)), title="flip rate, 95 %")
    size = {"width": WIDTH, "height": STEP * len(labels)}
    chart: alt.HConcatChart = (
        alt.hconcat(left.properties(**size), right.properties(**size))
        .configure(background="#ffffff", padding=8)
        .configure_axis(labelColor=INK, titleColor=INK)
        .configure_title(color=INK, fontSize=12)
        .configure_legend(labelColor=INK, titleColor=INK, orient="bottom")
    )
    return chart


def _labels(sides: list[Side]) -> list[str]:
    """A label for each side; those that would be shown alike are numbered."""
    labels: list[str] = []
    for side in sides:
        label, again = name(side.subject_id), 1
        while label in labels:
            again += 1
            label = f"{name(side.subject_id)} ({again})"
        labels.append(label)
    return labels


def _seeds(study: Study, labels: list[str], rows: alt.Y) -> alt.Chart:
    values: Values = [
        {
            "subject": label,
            "seed": probe.seed,
            "similarity": probe.similarity,
            "answer": _answer(probe.flipped),
        }
        for label, side in zip(labels, _sides(study), strict=True)
        for probe in side.probes
        if probe.similarity is not None
    ]
    least = min((value["similarity"] for value in values), default=0)
    answers = [_answer(flipped) for flipped in (True, False, None)]
    seeds: alt.Chart = (
        alt.Chart(alt.InlineData(values=values))
        .mark_point(filled=True, size=60, opacity=0.85)
        .encode(
            x=alt.X("similarity:Q", scale=alt.Scale(domain=[min(0, least), 1]), title=None),
            y=rows,
            yOffset=alt.YOffset("seed:O"),
            color=alt.Color("answer:N", title=None, scale=alt.Scale(domain=answers, range=[CHANGED, SAME, INK])),
            shape=alt.Shape(
                "answer:N", title=None, scale=alt.Scale(domain=answers, range=["triangle-up", "circle", "cross"])
            ),
        )
    )
    return seeds


def _answer(flipped: bool | None) -> str:
    return {True: "changed", False: "same", None: "does not count"}[flipped]


def _band(study: Study) -> list[alt.Chart]:
    if study.band is None or study.band.min is None:
        return []
    data = alt.InlineData(values=[{"min": study.band.min, "max": study.band.max}])
    band = alt.Chart(data).mark_rect(color=BAND, stroke=BAND, strokeWidth=2)
    return [band.encode(x=alt.X("min:Q", title=None), x2="max:Q")]


def _rates(study: Study, labels: list[str], rows: alt.Y) -> list[alt.Chart]:
    values = [
        {
            "subject": label,
            "low": subject.flip_rate_low,
            "high": subject.flip_rate_high,
            "rate": subject.flips / subject.samples,
        }
        for label, subject in zip(labels, study.subjects, strict=True)
        if _has_rate(subject)
    ]
    interval = alt.Chart(alt.InlineData(values=values)).encode(y=rows)
    scale = alt.Scale(domain=[0, 1])
    axis = alt.Axis(format="%")
    return [
        interval.mark_rule(color=INK, strokeWidth=2).encode(
            x=alt.X("low:Q", scale=scale, title=None, axis=axis), x2="high:Q"
        ),
        interval.mark_point(filled=True, color=INK, size=60).encode(x=alt.X("rate:Q", scale=scale, title=None)),
    ]


def _has_rate(subject: Subject) -> bool:
    return subject.samples > 0 and subject.flip_rate_low is not None

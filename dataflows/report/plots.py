"""Plots of a report: drawn by Vega-Altair and vl-convert on this machine, in colours for light and for dark.

What a plot shows stands in a table of the report too, and in a sentence for those who do not see it.
"""

import base64
import re
from collections.abc import Callable
from dataclasses import dataclass
from io import StringIO
from typing import Any, Literal

import altair as alt

from dataflows.printable import glimpse
from dataflows.report.parts import Plot, PlotKind, Point
from dataflows.report.tones import TONES, Tone

SMALL, WIDE = 270, 560
HEIGHT, STEP = 120, 22
LABEL_PIXELS = 190
LABEL_CHARACTERS = 48
POINTS_TOLD = 40

Values = list[dict[str, Any]]


@dataclass(frozen=True, slots=True)
class Palette:
    """Colours of a plot; those of the page it lies on."""

    paper: str
    ink: str
    quiet: str
    line: str
    accent: str
    weak: str
    words: dict[str, str]
    others: tuple[str, ...]

    def colours(self) -> tuple[str, ...]:
        """All of them, in the same order in every palette."""
        return (self.paper, self.ink, self.quiet, self.line, self.accent, self.weak, *self.words.values(), *self.others)


def _words(good: str, weak: str, bad: str, open_: str, none: str) -> dict[str, str]:
    """A colour for each word of a verdict, the same in every plot."""
    colours = {Tone.GOOD: good, Tone.WEAK: weak, Tone.BAD: bad, Tone.OPEN: open_, Tone.NONE: none}
    return {word: colours[tone] for word, tone in TONES.items()}


LIGHT = Palette(
    paper="#ffffff",
    ink="#1d2126",
    quiet="#565e68",
    line="#dcd9d3",
    accent="#1f5f8b",
    weak="#b9d3e6",
    words=_words("#3f8f66", "#d19a3a", "#b8433c", "#7a6bc0", "#b3b0aa"),
    others=("#1f5f8b", "#d19a3a", "#3f8f66", "#7a6bc0", "#b8433c", "#b3b0aa"),
)
DARK = Palette(
    paper="#1d2126",
    ink="#e8e6e1",
    quiet="#a9b0b8",
    line="#363c44",
    accent="#86bfe6",
    weak="#2f4b60",
    words=_words("#6dbb90", "#e0b45f", "#e2796f", "#a99be6", "#6b727b"),
    others=("#86bfe6", "#e0b45f", "#6dbb90", "#a99be6", "#e2796f", "#6b727b"),
)


_COLOUR = re.compile(r'(?<=")#[0-9a-f]{6}(?=")')
"""A colour as the value of an attribute."""

_IN_DARK = dict(zip(LIGHT.colours(), DARK.colours(), strict=True))


def drawn(plot: Plot) -> tuple[str, str]:
    """The plot for light and for dark, each as the address of an image that holds it whole."""
    svg = StringIO()
    chart = _CHARTS[plot.kind](plot, LIGHT).configure(background=LIGHT.paper, padding=4)
    _configured(chart, LIGHT).save(svg, format="svg")
    light = svg.getvalue()
    return _image(light), _image(_COLOUR.sub(lambda found: _IN_DARK.get(found[0], found[0]), light))


def _image(svg: str) -> str:
    return "data:image/svg+xml;base64," + base64.b64encode(svg.encode()).decode()


def is_small(plot: Plot) -> bool:
    """Whether several of them fit beside each other."""
    return plot.kind == PlotKind.TREND


def plot_text(plot: Plot) -> str:
    """What the plot shows, for those who do not see it."""
    is_share = plot.is_share and plot.kind != PlotKind.BARS
    told = [f"{_label(point)} {_told(point, is_share=is_share)}" for point in plot.points[-POINTS_TOLD:]]
    left_out = len(plot.points) - len(told)
    before = f" (the last {len(told)} of {len(plot.points)})" if left_out > 0 else ""
    return f"{plot.title}{before}: {'; '.join(told)}. The table beside it has every number."


def _label(point: Point) -> str:
    return f"{point.label}, {point.part}" if point.part else point.label


def _told(point: Point, *, is_share: bool) -> str:
    def number(value: float) -> str:
        return f"{100 * value:.1f} %" if is_share else f"{value:,.0f}"

    if point.value is None:
        return "not known"
    between = "" if point.low is None or point.high is None else f" ({number(point.low)} to {number(point.high)})"
    return number(point.value) + between


def _configured(chart: Any, palette: Palette) -> Any:
    return (
        chart.configure_view(stroke=None)
        .configure_axis(
            labelColor=palette.quiet,
            titleColor=palette.quiet,
            gridColor=palette.line,
            domainColor=palette.line,
            tickColor=palette.line,
            labelLimit=LABEL_PIXELS,
            labelFontSize=11,
        )
        .configure_legend(
            labelColor=palette.quiet, titleColor=palette.quiet, orient="bottom", columns=4, labelLimit=150
        )
        .configure_text(color=palette.ink)
    )


def _values(plot: Plot) -> alt.InlineData:
    return alt.InlineData(
        values=[
            {
                "order": order,
                "label": _shown(point.label),
                "part": _shown(point.part),
                "value": point.value,
                "low": point.low,
                "high": point.high,
            }
            for order, point in enumerate(plot.points)
        ]
    )


def _shown(text: str) -> str:
    return glimpse(text, LABEL_CHARACTERS)


def _trend(plot: Plot, palette: Palette) -> Any:
    labels = [_shown(point.label) for point in plot.points]
    ticks = {labels[place] for place in (0, len(labels) // 2, -1)}
    scale = alt.Scale(domain=[0, 1]) if plot.is_share else alt.Scale(domainMin=0, nice=True)
    axis = alt.Axis(format="%" if plot.is_share else "~s", tickCount=4)
    along = alt.X("label:N", sort=labels, title=None, axis=alt.Axis(values=sorted(ticks), labelAngle=0, grid=False))
    base = alt.Chart(_values(plot)).encode(x=along)
    value = alt.Y("value:Q", title=None, scale=scale, axis=axis)
    marks = [base.mark_line(color=palette.accent, strokeWidth=2).encode(y=value)]
    if any(point.low is not None for point in plot.points):
        interval = base.mark_rule(color=palette.weak, strokeWidth=5, strokeCap="round")
        marks.insert(0, interval.encode(y=alt.Y("low:Q", title=None, scale=scale, axis=axis), y2="high:Q"))
    marks.append(base.mark_point(color=palette.accent, filled=True, size=36, opacity=1).encode(y=value))
    return alt.layer(*marks).properties(width=SMALL - 40, height=HEIGHT)


def _bars(plot: Plot, palette: Palette) -> Any:
    labels = list(dict.fromkeys(_shown(point.label) for point in plot.points))
    parts = list(dict.fromkeys(_shown(point.part) for point in plot.points))
    others = iter(palette.others * len(parts))
    colours = [palette.words.get(part) or next(others) for part in parts]
    stack: Literal["normalize", "zero"] = "normalize" if plot.is_share else "zero"
    return (
        alt.Chart(_values(plot))
        .mark_bar(stroke=palette.paper, strokeWidth=1)
        .encode(
            x=alt.X("value:Q", stack=stack, title=None, axis=alt.Axis(format="%" if plot.is_share else "~s")),
            y=alt.Y("label:N", sort=labels, title=None),
            color=alt.Color("part:N", title=None, scale=alt.Scale(domain=parts, range=colours)),
            order=alt.Order("order:Q"),
        )
        .properties(width=WIDE - LABEL_PIXELS, height=STEP * len(labels))
    )


def _intervals(plot: Plot, palette: Palette) -> Any:
    labels = list(dict.fromkeys(_shown(point.label) for point in plot.points))
    parts = list(dict.fromkeys(_shown(point.part) for point in plot.points))
    scale = alt.Scale(domain=[0, 1]) if plot.is_share else alt.Undefined
    axis = alt.Axis(format="%") if plot.is_share else alt.Undefined
    base = alt.Chart(_values(plot)).encode(y=alt.Y("label:N", sort=labels, title=None))
    colours = alt.Scale(domain=parts, range=[palette.words.get(part, palette.accent) for part in parts])
    rule = base.mark_rule(color=palette.quiet, strokeWidth=2).encode(
        x=alt.X("low:Q", title=None, scale=scale, axis=axis), x2="high:Q"
    )
    point = base.mark_point(filled=True, size=80, opacity=1).encode(
        x=alt.X("value:Q", title=None, scale=scale, axis=axis),
        color=alt.Color("part:N", title=None, scale=colours),
        shape=alt.Shape("part:N", title=None, scale=alt.Scale(domain=parts, range=_SHAPES[: len(parts)])),
    )
    return alt.layer(rule, point).properties(width=WIDE - LABEL_PIXELS, height=STEP * len(labels))


def _matrix(plot: Plot, palette: Palette) -> Any:
    rows = list(dict.fromkeys(_shown(point.label) for point in plot.points))
    columns = sorted({_shown(point.part) for point in plot.points}, key=lambda part: (part not in rows, part))
    base = alt.Chart(_values(plot)).encode(
        x=alt.X("part:N", sort=columns, title=None, axis=alt.Axis(labelAngle=-30, orient="top", grid=False)),
        y=alt.Y("label:N", sort=rows, title=None, axis=alt.Axis(grid=False)),
    )
    cells = base.mark_rect(stroke=palette.line, fill=palette.weak, fillOpacity=0.55)
    numbers = base.mark_text(color=palette.ink, fontSize=12).encode(text=alt.Text("value:Q", format=",.0f"))
    return alt.layer(cells, numbers).properties(width=44 * len(columns), height=28 * len(rows))


_SHAPES = ["circle", "triangle-up", "square", "diamond", "cross", "triangle-down"]

_CHARTS: dict[PlotKind, Callable[[Plot, Palette], Any]] = {
    PlotKind.TREND: _trend,
    PlotKind.BARS: _bars,
    PlotKind.INTERVALS: _intervals,
    PlotKind.MATRIX: _matrix,
}

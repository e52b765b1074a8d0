"""Differences: what of two compared runs differs first, what follows, and the words for it. None claims a cause."""

from collections import defaultdict
from collections.abc import Iterable, Iterator
from dataclasses import asdict, dataclass
from itertools import groupby
from typing import Any

from afp_nodes.comparison.rows import CALL, REPLY, REST, ROUTE
from afp_nodes.javascript import parse, stringify
from afp_nodes.words import DiffMoment, Facet, Ground, LoopSight, Piece, Sameness
from dataflows.comparison import Comparison, Loop, Row, Shown
from dataflows.wording import counted

LOOP_MOMENTS = (DiffMoment.CONTEXT, DiffMoment.DECISION, DiffMoment.CALL)
GIVEN = (Facet.QUESTION, Facet.CONFIGURATION)
"""Facets of a run that were there before its first loop: what they differ in follows from nothing in it."""

NAMES: dict[str, str] = {
    **{kind: f"{kind} {{}}" for kind in Piece},
    Piece.PROMPT: "the system prompt",
    Piece.USER: "the user's messages",
    Piece.MODEL: "the model's messages",
    Piece.TOOL_RESULT: "the output of {}",
    REPLY: "what the model answered",
    ROUTE: "what the agent did next",
    CALL: "{}",
    **{facet: f"the {facet}" for facet in Facet},
}
RESTS = {DiffMoment.CONTEXT: "all else in the context", DiffMoment.CALL: "all other calls"}
NO_NAME = "a call that is not named"
GROUNDS = {
    Ground.ALIKE: "the same",
    Ground.ONLY_A: "only in A",
    Ground.ONLY_B: "only in B",
    Ground.OTHER_CONTENT: "not the same",
    Ground.OTHER_CALLS: "other calls",
    Ground.OTHER_WORDS: "other words",
    Ground.CALLS_OR_WORDS: "calls in one, words in the other",
    Ground.OTHER_ROUTE: "another way on",
    Ground.OTHER_STATUS: "ended otherwise",
    Ground.OTHER_RESULT: "another result",
    Ground.REDACTED: "not compared: a record redacts it",
    Ground.NO_TEXT: "not known: a record does not hold its text",
    Ground.UNNAMED_CALL: "not known: a record does not tell which call it is",
    Ground.NO_END: "not known: a record does not show how it ended",
    Ground.NOT_SHOWN_A: "not known: the record of A does not show all of it",
    Ground.NOT_SHOWN_B: "not known: the record of B does not show all of it",
    Ground.NOT_SHOWN: "not known: neither record shows all of it",
}
SIGHTS = {
    LoopSight.SHOWN: "",
    LoopSight.ENDED: "{} had ended before",
    LoopSight.NOT_SHOWN: "not in the record of {}",
}
NONE = {
    Facet.ROUTING: "no skill graph",
    Facet.DELIVERY: "nothing to deliver",
    Facet.ANSWER: "no answer",
    Facet.STANDING: "no answer to assess",
}
"""What is said of a facet where the record tells that there is none."""


Moments = dict[str, tuple[Row, ...]]
"""The rows of a loop, by their moment."""


@dataclass(frozen=True, slots=True)
class Differences:
    """What differs first in a loop, of all and of each moment, and what lies before and after the first."""

    first: Row | None
    first_of: dict[str, Row | None]
    unclear_before: tuple[Row, ...]
    after: tuple[Row, ...]
    given: tuple[Row, ...]


def differences(compared: Comparison) -> Differences:
    """The first differences. Without any, everything that is not known lies before it."""
    in_loops = [row for row in compared.rows if row.iteration is not None]
    differing = [row for row in in_loops if row.verdict == Sameness.DIFFERS]
    first = next(iter(differing), None)
    before = in_loops if first is None else in_loops[: in_loops.index(first)]
    whole = [row for row in compared.rows if row.iteration is None and row.verdict == Sameness.DIFFERS]
    return Differences(
        first,
        {moment: next((row for row in differing if row.moment == moment), None) for moment in LOOP_MOMENTS},
        tuple(row for row in before if row.verdict == Sameness.UNKNOWN),
        (*differing[1:], *(row for row in whole if row.subject_kind not in GIVEN)),
        tuple(row for row in whole if row.subject_kind in GIVEN),
    )


def by_loop(compared: Comparison) -> Iterator[tuple[Loop, Moments]]:
    """Each loop with the rows of each of its moments, in order."""
    rows_of: dict[int | None, list[Row]] = defaultdict(list)
    for row in compared.rows:
        rows_of[row.iteration].append(row)
    for loop in compared.loops:
        of_moments = groupby(rows_of[loop.iteration], key=lambda row: row.moment)
        yield loop, {moment: tuple(rows) for moment, rows in of_moments}


def verdict_of(rows: Iterable[Row]) -> Sameness:
    """The verdict of rows taken together: one that differs makes all differ, one that is unknown all unknown."""
    verdicts = {row.verdict for row in rows}
    return next((word for word in (Sameness.DIFFERS, Sameness.UNKNOWN) if word in verdicts), Sameness.SAME)


def sentences(compared: Comparison) -> list[str]:
    """What is to be said first of two runs."""
    found = differences(compared)
    said = [_given(found), _first(compared, found), _first_of_each(found), _after(found)]
    return [sentence for sentence in said if sentence]


def as_data(compared: Comparison) -> dict[str, Any]:
    """The comparison as plain data, each row with its words."""
    found = differences(compared)
    return {
        "a": asdict(compared.a),
        "b": asdict(compared.b),
        "sentences": sentences(compared),
        "first_difference": found.first and found.first.position,
        "first_by_moment": {moment: row and row.position for moment, row in found.first_of.items()},
        "unknown_before": [row.position for row in found.unclear_before],
        "after": [row.position for row in found.after],
        "loops": [
            asdict(loop) | {moment: verdict_of(rows) for moment, rows in moments.items()}
            for loop, moments in by_loop(compared)
        ],
        "rows": [asdict(row) | {"name": name_of(row), "why": ground_of(row)} for row in compared.rows],
    }


def name_of(row: Row) -> str:
    """What a row compares, in words."""
    if row.subject_kind == REST:
        return RESTS[DiffMoment(row.moment)]
    which = f" (equal call {row.occurrence + 1})" if row.occurrence else ""
    return NAMES[row.subject_kind].format(_subject(row)) + which


def ground_of(row: Row) -> str:
    """What the verdict of a row rests on, in words."""
    return GROUNDS[Ground(row.ground)]


def text_of(row: Row, shown: Shown) -> str:
    """What a record shows of what a row compares, as people read it."""
    match row.moment, shown.value:
        case DiffMoment.RUN, None:
            return NONE[Facet(row.subject_kind)]
        case DiffMoment.DECISION, dict() as reply:
            return _reply(reply)
        case DiffMoment.CALL, dict() as call:
            told = [_plain(call[name]) for name in ("result", "error") if call.get(name) is not None]
            return " ".join([_plain(call["status"] or "no end is recorded"), *told])
        case _, None:
            return "a text that is not recorded"
        case _, value:
            return _plain(value)


def sight_of(loop: Loop) -> str:
    """What is to be said of a loop that not both runs show; else the empty text."""
    said = [SIGHTS[LoopSight(sight)].format(run) for run, sight in (("A", loop.sight_a), ("B", loop.sight_b))]
    return ", ".join(sentence for sentence in said if sentence)


def _given(found: Differences) -> str:
    return f"Not the same from the start: {_listed([name_of(row) for row in found.given])}." if found.given else ""


def _first(compared: Comparison, found: Differences) -> str:
    if found.first:
        row = found.first
        where = f"iteration {row.iteration}, in the {row.moment}"
        return f"The runs differ first in {where}: {name_of(row)}, {ground_of(row)}.{_doubt(found)}"
    if not compared.loops:
        return "Neither record shows a model call: there is no loop to compare."
    if found.unclear_before:
        return f"No loop is seen to differ; {_rows(found.unclear_before)} not known, so that one may."
    return "Context, decisions and calls are the same in every loop."


def _doubt(found: Differences) -> str:
    if not found.unclear_before:
        return ""
    return f" {_rows(found.unclear_before, 'before it')} not known: an earlier difference cannot be ruled out."


def _rows(rows: tuple[Row, ...], where: str = "") -> str:
    return f"{counted(len(rows), 'row')}{where and ' '}{where} {'is' if len(rows) == 1 else 'are'}"


def _first_of_each(found: Differences) -> str:
    """Where each moment differs first, if any does."""
    if not found.first:
        return ""
    seen = [f"the {moment} in iteration {row.iteration}" for moment, row in found.first_of.items() if row]
    unseen = [f"no {moment}" for moment, row in found.first_of.items() if not row]
    return f"First of its kind: {_listed(seen)}" + (f"; {_listed(unseen)} is seen to differ." if unseen else ".")


def _after(found: Differences) -> str:
    """What differs after the first difference: a sequence, no more."""
    if not found.first:
        return ""
    return f"After it: {_listed(list(_what_follows(found)))}." if found.after else "After it nothing is seen to differ."


def _what_follows(found: Differences) -> Iterator[str]:
    for moment in LOOP_MOMENTS:
        loops = sorted({row.iteration for row in found.after if row.moment == moment and row.iteration is not None})
        if loops:
            noun = "iteration" if len(loops) == 1 else "iterations"
            yield f"the {moment} of {noun} {_listed(list(_stretches(loops)))}"
    yield from (name_of(row) for row in found.after if row.iteration is None)


def _stretches(numbers: list[int]) -> Iterator[str]:
    """Ascending numbers; three and more that follow each other by the first and the last."""
    for _, stretch in groupby(enumerate(numbers), key=lambda placed: placed[1] - placed[0]):
        run = [str(number) for _, number in stretch]
        yield from [f"{run[0]} to {run[-1]}"] if len(run) > 2 else run


def _listed(words: list[str]) -> str:
    return " and ".join([", ".join(words[:-1]), words[-1]] if len(words) > 1 else words)


def _subject(row: Row) -> str:
    if row.subject is None:
        return NO_NAME if row.subject_kind in (Piece.TOOL_RESULT, CALL) else ""
    return _call_named(row.subject) if row.subject_kind in (Piece.TOOL_RESULT, CALL) else row.subject


def _call_named(name: str) -> str:
    """A call by its canonical name; one that hiding something has changed, as it stands."""
    try:
        return _call(parse(name))
    except ValueError:
        return name


def _reply(reply: dict[str, Any]) -> str:
    match reply:
        case {"calls": list() as calls}:
            return f"calls {', '.join(map(_call, calls))}"
        case {"calls": withheld}:
            return f"calls {withheld}"
        case {"text": text}:
            return _plain(text)
        case _:
            return f"asks for {counted(reply['call_count'], 'call')} of which not all are recorded"


def _call(call: Any) -> str:
    match call:
        case [str() as tool, arguments]:
            return f"{tool}({'' if arguments == {} else stringify(arguments)})"
        case _:
            return _plain(call)


def _plain(value: Any) -> str:
    return (value or "an empty text") if isinstance(value, str) else stringify(value)

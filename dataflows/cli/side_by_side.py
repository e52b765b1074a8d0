"""Two runs told side by side: what differs first, then loop after loop, and the runs as a whole."""

from collections.abc import Iterator, Sequence
from itertools import takewhile

from afp_nodes.comparison.rows import REST
from afp_nodes.words import DiffMoment, LoopSight, Sameness
from dataflows.comparison import ComparedRun, Comparison, Loop, Row
from dataflows.differences import Moments, by_loop, ground_of, name_of, sentences, sight_of, text_of, verdict_of
from dataflows.printable import WITHHELD, glimpse
from dataflows.wording import counted

SENTENCE_CHARACTERS = 800
NAME_CHARACTERS = 200
VALUE_CHARACTERS = 160
BEFORE_DIFFERENCE = 40
"""Of what two long texts begin with in common this much is shown."""


def side_by_side(compared: Comparison) -> str:
    """The comparison in lines; what is the same is counted, not told."""
    lines = [*_head(compared), ""]
    for loop, moments in by_loop(compared):
        lines += [*_loop(loop, moments), ""]
    return "\n".join([*lines, *_whole(compared)])


def _head(compared: Comparison) -> Iterator[str]:
    for letter, run in (("A", compared.a), ("B", compared.b)):
        yield f"{letter}  {glimpse(run.run_id, NAME_CHARACTERS)}"
        yield f"   {_question(run)}"
    yield ""
    yield from (glimpse(sentence, SENTENCE_CHARACTERS) for sentence in sentences(compared))


def _question(run: ComparedRun) -> str:
    if run.question_withheld:
        return WITHHELD
    return "no question is recorded" if run.question is None else glimpse(run.question, VALUE_CHARACTERS)


def _loop(loop: Loop, moments: Moments) -> Iterator[str]:
    sight = sight_of(loop)
    yield f"iteration {loop.iteration}{f': {sight}' if sight else ''}"
    is_aligned = loop.sight_a == loop.sight_b == LoopSight.SHOWN
    for moment, rows in moments.items():
        yield from _moment(moment, rows, is_told=is_aligned or moment != DiffMoment.CONTEXT)


def _moment(moment: str, rows: tuple[Row, ...], *, is_told: bool) -> Iterator[str]:
    """What a moment of a loop comes to, and every row that is not the same; of the context of one run only the sum."""
    told = [row for row in rows if row.verdict != Sameness.SAME] if is_told else []
    same = [row for row in rows if row.verdict == Sameness.SAME]
    sum_of = _same(moment, same, is_all=not told) if is_told else f"{_parts(rows)}, {ground_of(rows[-1])}"
    yield f"  {moment:<8}  {verdict_of(rows):<7}  {sum_of}".rstrip()
    for row in told:
        yield f"    {glimpse(name_of(row), VALUE_CHARACTERS)}: {ground_of(row)}"
        yield from _sides(row, "      ")


def _same(moment: str, rows: Sequence[Row], *, is_all: bool) -> str:
    """What is said of what is the same in a moment; of a decision, what it was."""
    if moment == DiffMoment.DECISION:
        return ", then ".join(glimpse(text_of(row, row.a), VALUE_CHARACTERS) for row in rows if row.a)
    if is_all:
        return _parts(rows)
    return f"{_parts(rows)} the same" if any(row.subject_kind != REST for row in rows) else ""


def _parts(rows: Sequence[Row]) -> str:
    """How many things of a moment have a row of their own."""
    named = sum(row.subject_kind != REST for row in rows)
    noun = "call" if rows[0].moment == DiffMoment.CALL else "part"
    return counted(named, noun) if named else f"no {noun}"


def _whole(compared: Comparison) -> Iterator[str]:
    yield "as a whole"
    for row in compared.rows:
        if row.moment == DiffMoment.RUN:
            alike = row.a is not None and row.verdict == Sameness.SAME
            said = glimpse(text_of(row, row.a), VALUE_CHARACTERS) if alike and row.a else ground_of(row)
            yield f"  {row.subject_kind:<13}  {row.verdict:<7}  {said}"
            if not alike:
                yield from _sides(row, " " * 26)


def _sides(row: Row, margin: str) -> Iterator[str]:
    """What each record shows; of long texts from a little before they part."""
    texts = {letter: text_of(row, shown) for letter, shown in (("A", row.a), ("B", row.b)) if shown}
    skipped = _common_beginning(list(texts.values())) if row.verdict == Sameness.DIFFERS else 0
    for letter, text in texts.items():
        yield f"{margin}{letter}  {'…' if skipped else ''}{glimpse(text[skipped:], VALUE_CHARACTERS)}"
    if len(texts) == 2 and texts["A"] == texts["B"] and row.verdict == Sameness.DIFFERS:
        yield f"{margin}they differ in what is masked"


def _common_beginning(texts: list[str]) -> int:
    """How much to leave out of the beginning of two texts that are too long to be shown in whole."""
    if len(texts) < 2 or max(map(len, texts)) <= VALUE_CHARACTERS or texts[0] == texts[1]:
        return 0
    alike = takewhile(lambda letters: letters[0] == letters[1], zip(*texts, strict=False))
    return max(sum(1 for _ in alike) - BEFORE_DIFFERENCE, 0)

"""A variable's life told as a person would tell it: in order, with loops, values, sources and what is not known."""

from collections.abc import Iterator
from itertools import groupby

from dataflows.printable import WITHHELD, glimpse, shown_key
from dataflows.shown import Value
from dataflows.variable_lives import Fed, Moment, VariableLife
from dataflows.wording import counted

VALUE_CHARACTERS = 160
SPEC_CHARACTERS = 400
NAMES_SHOWN = 6
"""Values that one step fed are named up to this many."""

OWN_LOG = "the run's own"
NO_READ = "no read of this key is recorded; that is not the same as nobody reading it"

COVERAGE = {
    "exact": "every link from its last value on rests on a write that lists what it read",
    "conservative": "some link rests only on one step having read the one value and written the other",
    "unknown": "no link from its last value to another value is recorded; that does not say that it fed none",
}
MISSING = {
    "empty-log": "this log holds no commit",
    "never-written": "no write and no read of this key is recorded in this log",
}
NOTES = {
    "reads-not-recorded": "this log records no reads at all: who read a value, and what it fed, cannot be told",
    "pre-run-origin": "part of this life begins with a value from before the run",
    "truncated": "what its last value fed was followed over 100 lives and 20 steps, and not beyond",
}
"""`conservative-fed-edges` is not among them: the sentence of the coverage says it."""

BASIS = {"per-write": "those writes list it among what they read", "stage": "one step did both"}


def story(life: VariableLife, limit: int) -> str:
    """The life in lines; of more than `limit` moments the first ones."""
    shown = life.moments[:limit]
    lines = [*_head(life), ""]
    if life.fed_before_run:
        lines += ["before the run", *(f"    {line}" for line in _fed(life.fed_before_run)), ""]
    for loop_index, moments in groupby(shown, key=lambda moment: moment.loop_index):
        lines.append("outside the loops" if loop_index is None else f"loop {loop_index}")
        for moment in moments:
            lines += _moment(moment, life)
        lines.append("")
    if len(shown) < len(life.moments):
        rest = counted(len(life.moments) - len(shown), "more moment")
        lines.append(f"{rest}: --limit {len(life.moments)} tells them all")
    return "\n".join(lines).rstrip()


def why(life: VariableLife) -> str:
    """Why the coverage is what it is."""
    if life.missing:
        return MISSING[life.missing]
    if "reads-not-recorded" in life.notes:
        return NOTES["reads-not-recorded"]
    return COVERAGE[life.coverage]


def scope_name(scope: str) -> str:
    """A log as people know it."""
    return glimpse(scope, VALUE_CHARACTERS) if scope else OWN_LOG


def _head(life: VariableLife) -> Iterator[str]:
    yield f"run       {glimpse(life.run_id, VALUE_CHARACTERS)}"
    yield f"question  {_question(life)}"
    yield f"key       {glimpse(shown_key(life.key), VALUE_CHARACTERS)}"
    yield f"log       {scope_name(life.scope)}"
    if life.other_scopes:
        yield f"          the key is also known in: {_named([scope_name(scope) for scope in life.other_scopes])}"
    yield f"coverage  {life.coverage}: {why(life)}"
    for note in life.notes:
        if note in NOTES and NOTES[note] != why(life):
            yield f"          {NOTES[note]}"
    yield f"moments   {counted(life.writes, 'write')}, {counted(life.reads, 'recorded read')}"
    if life.steps is not None:
        yield f"          reads are recorded for {life.steps_with_reads or 0:,} of {counted(life.steps, 'step')}"
    if not life.reads and not life.missing:
        yield f"          {NO_READ}"
    if life.chart == "grouped" and not life.scope:
        yield "          the loops of this run lie in subflows with logs of their own: here a moment has no loop"


def _question(life: VariableLife) -> str:
    if life.question_withheld:
        return WITHHELD
    return "not recorded" if life.question is None else glimpse(life.question, VALUE_CHARACTERS)


def _moment(moment: Moment, life: VariableLife) -> Iterator[str]:
    who = f"{glimpse(moment.stage_name, VALUE_CHARACTERS)} ({glimpse(moment.runtime_stage_id, VALUE_CHARACTERS)})"
    told = _written(moment) if moment.kind == "write" else _seen(moment)
    yield f"  commit {moment.commit_idx}  {who} {told}"
    for hook in moment.hooks:
        suspect = f"{hook.suspect_kind} {glimpse(hook.suspect_id, VALUE_CHARACTERS)}"
        yield f"    introduced {suspect}; a rerun without it: {glimpse(hook.spec_json, SPEC_CHARACTERS)}"
    if moment.suspect_id is not None and not moment.hooks:
        yield f"    introduced {moment.suspect_kind} {glimpse(moment.suspect_id, VALUE_CHARACTERS)}, as before"
    for line in _fed(moment.fed):
        yield f"    {line}"
    if moment.readers == 0 and life.reads:
        yield "    no read of this value is recorded"


def _written(moment: Moment) -> str:
    match moment.verb:
        case "set":
            return f"set it to {_value(moment.value)}"
        case "append":
            return f"appended {_value(moment.value)}"
        case "merge":
            return f"merged in {_value(moment.value)}"
        case "delete":
            return "deleted it"
        case verb:
            return f"wrote it ({glimpse(str(verb), VALUE_CHARACTERS)}): {_value(moment.value)}"


def _seen(moment: Moment) -> str:
    if moment.from_write_idx is None:
        return f"read the value from before the run: {_value(moment.value)}"
    since = f"commit {moment.from_write_idx}"
    match moment.written_by:
        case "set":
            return f"read what {since} set: {_value(moment.value)}"
        case "append":
            return f"read what had grown up to {since}, which appended {_value(moment.value)}"
        case "merge":
            return f"read what had grown up to {since}, which merged in {_value(moment.value)}"
        case "delete":
            return f"read it after {since} had deleted it"
        case _:
            return f"read what {since} wrote: {_value(moment.value)}"


def _value(value: Value) -> str:
    if value.redacted:
        return f"{WITHHELD}, a value that the record keeps out"
    if value.text is None:
        return "a value that is not recorded"
    shown = glimpse(value.text, VALUE_CHARACTERS)
    return f"{shown} ({value.characters:,} characters)" if value.characters > VALUE_CHARACTERS else shown


def _fed(fed: tuple[Fed, ...]) -> Iterator[str]:
    """What one value fed, a line for each step that wrote from it."""
    for (commit_idx, stage_name, basis), links in groupby(fed, key=lambda f: (f.commit_idx, f.stage_name, f.basis)):
        step = f" ({glimpse(stage_name, VALUE_CHARACTERS)})" if stage_name else ""
        keys = [glimpse(shown_key(link.key), VALUE_CHARACTERS) for link in links]
        yield f"fed at commit {commit_idx}{step}: {_named(keys)}; {BASIS[basis]}"


def _named(names: list[str]) -> str:
    rest = len(names) - NAMES_SHOWN
    return ", ".join(names[:NAMES_SHOWN]) + (f" and {rest:,} more" if rest > 0 else "")

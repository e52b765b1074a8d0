"""Tones: how the words of verdicts are coloured, in plots as in tables. No colour stands without its word."""

from enum import StrEnum


class Tone(StrEnum):
    """A group of colours of the pages."""

    GOOD = "good"
    WEAK = "weak"
    BAD = "bad"
    OPEN = "open"
    NONE = ""


TONES = {
    **dict.fromkeys(
        ("exact", "none-dropped", "delivered", "known", "consistent", "answered", "stable", "ok"), Tone.GOOD
    ),
    **dict.fromkeys(("conservative", "not-sure", "cost-cause", "differs", "no answer", "at least"), Tone.WEAK),
    **dict.fromkeys(("dropped", "not-delivered", "confirmed", "not stable", "worse"), Tone.BAD),
    **dict.fromkeys(("ask", "unreachable", "inconclusive", "not-comparable"), Tone.OPEN),
    **dict.fromkeys(("unknown", "not-assessed", "not-applicable", "not-confirmed", "no-cost-effect"), Tone.NONE),
    **dict.fromkeys(("no-difference-seen", "not known"), Tone.NONE),
}

"""Wording: what the sentences of several commands share."""


def counted(number: int, noun: str) -> str:
    """A number of things, right for one and for many: `1 run`, `1,200 runs`."""
    return f"{number:,} {noun}" if number == 1 else f"{number:,} {noun}s"

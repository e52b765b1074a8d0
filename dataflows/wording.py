"""Wording: what the sentences of several commands and pages share."""


def counted(number: float, noun: str, nouns: str | None = None) -> str:
    """A number of things, right for one and for many: `1 run`, `1,200 runs`, `2 memory entries`."""
    return f"{number:,.0f} {noun if number == 1 else nouns or noun + 's'}"

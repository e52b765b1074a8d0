"""Prices: what a million tokens of each model cost from when on, as people give them with `--prices`.

Rule: product contract, section 8. They are in force, as a setting of the store, until others are given; none is built
in.
"""

from pathlib import Path

from afp_nodes.given import PRICES, Price, as_setting
from dataflows.given_files import Entry, entries_of

TABLE = "price"
FIELDS = ("provider", "model", "valid_from", "input", "output", "currency")


def prices_setting(path: str) -> dict[str, str]:
    """The prices of a file, as a setting.

    Raises `GivenFileError` where it cannot be read as one: it names the entry and the field.
    """
    file, prices = Path(path), {}
    for number, fields in enumerate(entries_of(file, TABLE), 1):
        entry = Entry(file, TABLE, number, fields)
        entry.only(FIELDS)
        price = Price(
            provider=entry.text("provider"),
            model=entry.text("model"),
            valid_from=entry.moment("valid_from"),
            input=entry.amount("input"),
            output=entry.amount("output"),
            currency=entry.text("currency"),
        )
        dated = (price.provider, price.model, price.valid_from)
        if dated in prices:
            raise entry.wrong("valid_from", "has a price of that model already")
        prices[dated] = price
    return {PRICES: as_setting([prices[dated] for dated in sorted(prices)])}

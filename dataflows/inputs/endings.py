"""Endings: what the end of a file's name says of its form."""

from collections.abc import Container
from urllib.parse import urlsplit


def ending_of(uri: str, endings: Container[str]) -> str:
    """The longest ending of a name, of at most two parts, that is one of `endings`; '' for another.

    Upper case counts as lower, and the query of a web address is no part of the name.
    """
    path = urlsplit(uri).path if uri.startswith(("http://", "https://")) else uri
    name, dot, last = path.rpartition("/")[2].lower().rpartition(".")
    short = dot + last if dot else ""
    long = "." + name.rpartition(".")[2] + short
    if "." in name and long in endings:
        return long
    return short if short in endings else ""

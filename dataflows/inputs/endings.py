"""Endings: what the end of a file's name says of its form."""

from collections.abc import Container
from urllib.parse import urlsplit


def ending_of(uri: str, endings: Container[str]) -> str:
    """The longest ending of a name, of at most two parts, that is one of `endings`; '' for another.

    Upper case counts as lower, and the query of a web address is no part of the name.
    """
    path = urlsplit(uri).path if uri.startswith(("http://", "https://")) else uri
    parts = path.rpartition("/")[2].lower().rsplit(".", 2)
    candidates = ("." + ".".join(parts[-count:]) for count in (2, 1) if len(parts) > count)
    return next((ending for ending in candidates if ending in endings), "")

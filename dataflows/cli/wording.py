"""Wording: what the sentences of several commands share."""

from dataflows.wording import counted

__all__ = ["counted"]

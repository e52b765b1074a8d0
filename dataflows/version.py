"""Which derivations made a table: a newer version makes it again from the stored facts."""

CODE_VERSION = "0.3.0"
"""Raised whenever a derivation gives other rows for the same facts."""

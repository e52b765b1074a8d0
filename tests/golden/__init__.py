"""Recordings with what the reference itself returns for them, held against the product."""

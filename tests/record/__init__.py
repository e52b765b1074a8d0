"""Tests of the record: documents in every spelling and misspelling, and the facts that are read off them."""

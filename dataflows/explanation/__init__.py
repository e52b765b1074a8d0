"""Explanation: one run as a person understands it in a minute, and what its record cannot tell.

`facts` reads the tables, `sentences` says what they say, `gaps` says what they do not. Terminal, page and JSON show
the same.
"""

from dataflows.explanation.facts import Explanation, explanation_of

__all__ = ["Explanation", "explanation_of"]

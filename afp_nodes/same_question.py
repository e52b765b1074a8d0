"""One question: when two runs were asked the same, however it was typed. Rule: product contract, section 6."""

import unicodedata


def normalised_question(question: str) -> str:
    """A question without what does not change it: capitals, repeated or surrounding white space, composed letters.

    Signs stay: a question mark more is another question.
    """
    composed = unicodedata.normalize("NFC", unicodedata.normalize("NFC", question).casefold())
    return " ".join(composed.split())

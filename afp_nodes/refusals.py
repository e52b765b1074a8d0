"""What is said of a document that cannot be taken in."""

from dataclasses import dataclass

from afp_nodes.words import QuarantineCode


@dataclass(frozen=True, slots=True)
class Refusal:
    """One document that was not taken in: where it lies, why, and what to do."""

    source_uri: str
    position: int
    code: QuarantineCode
    message: str
    remedy: str


class RefusedError(Exception):
    """A document that cannot be taken in; whoever knows its place turns it into a `Refusal`."""

    def __init__(self, code: QuarantineCode, message: str, remedy: str) -> None:
        super().__init__(code, message, remedy)
        self.code = code
        self.message = message
        self.remedy = remedy

    def __str__(self) -> str:
        return self.message

    def at(self, source_uri: str, position: int) -> Refusal:
        """The same, with its place."""
        return Refusal(source_uri, position, self.code, self.message, self.remedy)

"""A JSON reader that never recurses: for texts nested too deeply for the fast decoders.

Those give up somewhere between 900 and 10,000 levels, depending on the interpreter. This one is slower by an
order of magnitude, behaves alike everywhere, and knows where a text stops being JSON.
"""

import json
import re
from collections.abc import Callable, Iterator
from typing import Any, NamedTuple

_TOKEN = re.compile(
    r"""[ \t\n\r]*(?:
        (?P<mark>[\[\]{},:])
      | (?P<text>"[^"\\\x00-\x1f]*(?:\\.[^"\\\x00-\x1f]*)*")
      | (?P<number>-?(?:0|[1-9][0-9]*)(?:\.[0-9]+)?(?:[eE][+-]?[0-9]+)?)
      | (?P<word>true|false|null)
      | (?P<end>\Z)
    )""",
    re.VERBOSE,
)
_WORDS = {"true": True, "false": False, "null": None}
_CLOSERS = {"]": "[", "}": "{"}


class _Token(NamedTuple):
    """One token: its kind, its text and where it begins."""

    kind: str
    text: str
    position: int


class _Open(NamedTuple):
    """One container that is still being filled, and what its value will be stored under in the outer one."""

    mark: str
    value: Any
    outer_name: str | None


def parse(text: str, number: Callable[[str], Any], close: Callable[[dict[str, Any]], Any]) -> Any:
    """The value of a JSON text, however deep.

    `number` makes a value of a number's spelling; `close` is called with every finished object, and may put its
    members in order in place. Of repeated members the last value wins, at the place of the first.

    Raises `json.JSONDecodeError` with the position at which the text stops being JSON.
    """
    reader = _Reader(text, number, close)
    for token in _tokens(text):
        reader.take(token)
    return reader.document[0]


def _tokens(text: str) -> Iterator[_Token]:
    """The tokens of a text, the last one of kind `end`."""
    position = 0
    while True:
        match = _TOKEN.match(text, position)
        if match is None or match.lastgroup is None:
            raise json.JSONDecodeError("Expecting value", text, _blank_end(text, position))
        kind = match.lastgroup
        yield _Token(kind, match[kind], match.start(kind))
        if kind == "end":
            return
        position = match.end()


def _blank_end(text: str, position: int) -> int:
    """Where the white space that begins at a position ends."""
    while position < len(text) and text[position] in " \t\n\r":
        position += 1
    return position


class _Reader:
    """Takes tokens one by one and says at the first that does not fit."""

    def __init__(self, text: str, number: Callable[[str], Any], close: Callable[[dict[str, Any]], Any]) -> None:
        self.document: list[Any] = []
        self._text = text
        self._number = number
        self._close = close
        self._stack = [_Open("", self.document, None)]
        self._name: str | None = None
        self._next = "value"

    def take(self, token: _Token) -> None:
        """Take the next token."""
        if token.kind == "mark" and token.text in _CLOSERS:
            self._end(token)
        elif token.kind == "mark" and token.text in ",:":
            self._separate(token)
        elif token.kind == "end":
            if self._next != "end":
                self._fail(token)
        elif self._next in ("name", "name-or-close") and token.kind == "text":
            self._name = self._decoded(token)
            self._next = ":"
        elif self._next in ("value", "value-or-close"):
            self._begin(token) if token.kind == "mark" else self._put(self._scalar(token))
        else:
            self._fail(token)

    def _begin(self, token: _Token) -> None:
        value: Any = [] if token.text == "[" else {}
        self._stack.append(_Open(token.text, value, self._name))
        self._next = "value-or-close" if token.text == "[" else "name-or-close"

    def _end(self, token: _Token) -> None:
        may_close = self._next in ("value-or-close", "name-or-close", ",")
        if not may_close or self._stack[-1].mark != _CLOSERS[token.text]:
            self._fail(token)
        done = self._stack.pop()
        self._name = done.outer_name
        self._put(self._close(done.value) if done.mark == "{" else done.value)

    def _separate(self, token: _Token) -> None:
        if token.text != self._next:
            self._fail(token)
        self._next = "name" if token.text == "," and self._stack[-1].mark == "{" else "value"

    def _put(self, value: Any) -> None:
        container = self._stack[-1].value
        if self._stack[-1].mark == "{":
            container[self._name] = value
        else:
            container.append(value)
        self._next = "," if len(self._stack) > 1 else "end"

    def _scalar(self, token: _Token) -> Any:
        if token.kind == "text":
            return self._decoded(token)
        return self._number(token.text) if token.kind == "number" else _WORDS[token.text]

    def _decoded(self, token: _Token) -> str:
        try:
            decoded: str = json.loads(token.text)
        except json.JSONDecodeError as error:
            raise json.JSONDecodeError(error.msg, self._text, token.position + error.pos) from None
        return decoded

    def _fail(self, token: _Token) -> None:
        wanted = {",": "',' delimiter", ":": "':' delimiter", "end": "end of text"}.get(self._next, self._next)
        raise json.JSONDecodeError(f"Expecting {wanted}", self._text, token.position)

"""A fleet of any size from the sample recordings: new ids, clocks, words and lengths, the same structure.

    python -m benchmarks.fleet --out DIR --megabytes 300 --spelling both

Every run keeps the loops, commits and reads of the sample recording it is made from. Its ids are new wherever they
stand, its clocks are moved, and the words of its texts are exchanged: each word of a run for another one, the same
throughout the run (so that what was repeated from loop to loop still is) and another in every other run (so that a
fleet does not compress better than a real one). Words that are a member's name or an id are left alone.
"""

import argparse
import gzip
import random
import re
import sys
import time
from collections.abc import Iterator
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from functools import cache
from itertools import chain, count, islice
from operator import itemgetter
from pathlib import Path
from typing import Literal

import msgspec

SAMPLE_RUNS = Path(__file__).parent.parent / "data" / "sample" / "runs"
MEGABYTE = 1_000_000
USUAL_RUN_BYTES = 260_000
"""A recording is of the usual kind from this size, indented; smaller ones are engine-level runs."""

Spelling = Literal["indented", "line"]
SPELLINGS: tuple[Spelling, ...] = ("indented", "line")
Kind = Literal["word", "digits", "hash", "clock", "instant", "id"]

_STRING_OR_CLOCK = re.compile(rb'"((?:[^"\\]|\\.)*)"(\s*:)?|\b1[67]\d{11}\b')
_WORD = re.compile(rb"\\(?:u[0-9a-fA-F]{4}|.)|[\w-]+")
_ID_MEMBER = re.compile(rb'"(?:runId|sessionId)":\s*"((?:[^"\\]|\\.)+)"')
_HASH = re.compile(rb"[0-9a-f]{8}")
_INSTANT = re.compile(rb"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z")
_LITERALS = frozenset({b"true", b"false", b"null"})


@dataclass(frozen=True, slots=True)
class Token:
    """A part of a recording that differs from run to run."""

    kind: Kind
    text: bytes


@dataclass(frozen=True, slots=True)
class Template:
    """One sample recording in one spelling, cut at its tokens."""

    name: str
    literals: list[bytes]
    tokens: list[Token]
    token_at: list[int] = field(repr=False)
    """For each gap between two literals, which token stands there."""

    def run(self, run_id: str, dice: random.Random, *, stretch: int = 1) -> bytes:
        """The recording of another run: the same structure, other ids and clocks, `stretch` new words for each."""
        values = list(_replacements(self.tokens, run_id, dice, stretch))
        gaps = itemgetter(*self.token_at)(values)
        return b"".join(chain.from_iterable(zip(self.literals, (*gaps, b""), strict=True)))


def template(name: str, text: bytes) -> Template:
    """Cuts one recording at everything that may differ from run to run."""
    strings = list(_STRING_OR_CLOCK.finditer(text))
    ids = frozenset(_ID_MEMBER.findall(text))
    structural = _LITERALS | {string for m in strings if (string := m[1]) is not None and b" " not in string}
    vocabulary: dict[Token, int] = {}

    @cache
    def cuts(string: bytes) -> list[tuple[int, int, int]]:
        found = _tokens_of_string(string, ids, structural)
        return [(start, stop, vocabulary.setdefault(token, len(vocabulary))) for start, stop, token in found]

    literals, token_at, end = [], [], 0
    for match in strings:
        if match[2] is not None:
            continue  # the name of a member
        if match[1] is None:
            clock = vocabulary.setdefault(Token("clock", match[0]), len(vocabulary))
            places, offset = [(0, len(match[0]), clock)], match.start()
        else:
            places, offset = cuts(match[1]), match.start(1)
        for start, stop, token in places:
            literals.append(text[end : offset + start])
            token_at.append(token)
            end = offset + stop
    literals.append(text[end:])
    return Template(name, literals, list(vocabulary), token_at)


def spelled(text: bytes, spelling: Spelling) -> bytes:
    """A recording as the library's own sink writes it (indented), or as `JSON.stringify` does (on one line)."""
    if spelling == "indented":
        return msgspec.json.format(text, indent=2) + b"\n"
    return msgspec.json.format(text, indent=-1)


@cache
def sample_recordings(small: bool) -> dict[str, bytes]:
    """The sample recordings a fleet is made from, by name, indented: the usual ones, or the engine-level ones."""
    found = {}
    for path in sorted(SAMPLE_RUNS.iterdir()):
        for position, text in enumerate(_documents(path)):
            if b"\\ud" in text.lower():
                continue  # half a surrogate pair cannot be spelled again
            indented = spelled(text, "indented")
            if (len(indented) < USUAL_RUN_BYTES) == small:
                found[f"{path.name.split('.')[0]}-{position}" if small else path.name.split(".")[0]] = indented
    return found


@cache
def sample_template(name: str, spelling: Spelling, small: bool) -> Template:
    """The template of one sample recording; cut once a process."""
    return template(name, spelled(sample_recordings(small)[name], spelling))


def runs(spelling: Spelling, seed: int = 0, small: bool = False) -> Iterator[tuple[str, bytes]]:
    """Endless runs, id and document: every sample recording in turn, each round in another order."""
    order = random.Random(f"{seed} order")
    names = list(sample_recordings(small))
    number = 0
    while True:
        order.shuffle(names)
        for name in names:
            run_id = f"fleet-{seed}-{number:06d}"
            yield run_id, sample_template(name, spelling, small).run(run_id, random.Random(f"{seed} {number}"))
            number += 1


def write_fleet(
    out: Path,
    spelling: Spelling,
    *,
    megabytes: float | None = None,
    how_many: int | None = None,
    seed: int = 0,
    small: bool = False,
) -> list[Path]:
    """Writes runs, one file each, until there are `how_many` of them or `megabytes` (of 10^6 bytes) in all."""
    out.mkdir(parents=True, exist_ok=True)
    paths: list[Path] = []
    size = 0.0
    for run_id, document in runs(spelling, seed, small):
        if len(paths) == how_many or (megabytes is not None and size >= megabytes * MEGABYTE):
            break
        paths.append(out / f"{run_id}.json")
        paths[-1].write_bytes(document)
        size += len(document)
    return paths


def _documents(path: Path) -> list[bytes]:
    text = gzip.decompress(path.read_bytes()) if path.suffix == ".gz" else path.read_bytes()
    return text.splitlines() if ".jsonl" in path.name else [text]


def _tokens_of_string(
    string: bytes, ids: frozenset[bytes], structural: frozenset[bytes]
) -> Iterator[tuple[int, int, Token]]:
    """What differs from run to run in one string; `structural` words (names of members, ids) do not."""
    if string in ids:
        yield 0, len(string), Token("id", string)
    elif _INSTANT.fullmatch(string):
        yield 0, len(string), Token("instant", string)
    elif _HASH.fullmatch(string):
        yield 0, len(string), Token("hash", string)
    elif b" " in string:
        for match in _WORD.finditer(string):
            word = match[0]
            if len(word) >= 3 and word not in structural:
                if word.isalpha():
                    yield match.start(), match.end(), Token("word", word)
                elif word.isdigit():
                    yield match.start(), match.end(), Token("digits", word)


def _replacements(tokens: list[Token], run_id: str, dice: random.Random, stretch: int) -> Iterator[bytes]:
    """What stands for each token in this run; no two words become one, and the first id is the run's own."""
    shift = timedelta(milliseconds=dice.randrange(400 * 86_400_000))
    wordiness = dice.uniform(0.0, 0.3)
    ids = (f"{run_id}.{n}".encode() if n else run_id.encode() for n in count())
    words = iter(dice.sample(_word_bank(), (stretch + 1) * sum(t.kind == "word" for t in tokens)))
    for token in tokens:
        match token.kind:
            case "word":
                word = b" ".join(islice(words, stretch + (dice.random() < wordiness)))
                yield word.capitalize() if token.text[:1].isupper() else word
            case "digits":
                yield b"%d" % dice.randrange(10 ** (len(token.text) - 1), 10 ** len(token.text))
            case "hash":
                yield b"%08x" % dice.getrandbits(32)
            case "clock":
                yield b"%d" % (int(token.text) + shift // timedelta(milliseconds=1))
            case "instant":
                instant = datetime.fromisoformat(token.text.decode()) + shift
                yield instant.isoformat(timespec="milliseconds").replace("+00:00", "Z").encode()
            case "id":
                yield next(ids)


@cache
def _word_bank() -> tuple[bytes, ...]:
    """Twenty thousand words that sound like none."""
    dice = random.Random("words")
    onsets = ("b", "br", "c", "ch", "d", "dr", "f", "g", "gr", "h", "k", "l", "m", "n", "p", "pl", "r", "s", "st", "t")
    vowels = ("a", "e", "i", "o", "u", "ai", "ea", "io", "ou")
    codas = ("", "", "", "n", "r", "l", "s", "t", "nd", "ck")
    bank: dict[bytes, None] = {}
    while len(bank) < 20_000:
        syllables = dice.choices((1, 2, 3, 4), (2, 4, 3, 1))[0]
        word = "".join(dice.choice(onsets) + dice.choice(vowels) + dice.choice(codas) for _ in range(syllables))
        bank[word.encode()] = None
    return tuple(bank)


def main(arguments: list[str] | None = None) -> None:
    """Writes a fleet and says what it wrote."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--out", type=Path, required=True, help="folder to write to; one inside it for each spelling")
    parser.add_argument("--megabytes", type=float, required=True, help="size of each fleet, 10^6 bytes")
    parser.add_argument("--spelling", choices=(*SPELLINGS, "both"), default="both")
    parser.add_argument("--seed", type=int, default=0, help="another seed, another fleet")
    parser.add_argument("--small", action="store_true", help="engine-level runs of a few kB instead of agent runs")
    options = parser.parse_args(arguments)
    for spelling in SPELLINGS if options.spelling == "both" else (options.spelling,):
        folder = options.out / spelling
        began = time.perf_counter()
        paths = write_fleet(folder, spelling, megabytes=options.megabytes, seed=options.seed, small=options.small)
        size = sum(path.stat().st_size for path in paths) / MEGABYTE
        speed = size / (time.perf_counter() - began)
        print(f"{folder}: {len(paths)} runs, {size:.0f} MB, written at {speed:.0f} MB/s", file=sys.stderr)


if __name__ == "__main__":
    main()

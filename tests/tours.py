"""The commands that pages show with their output: read, run, and written again.

    python -m tests.tours        writes what the commands print today into the pages

A shown output with a line `...` in it stands for any lines there and is never written again.
"""

import os
import re
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).parent.parent
README = ROOT / "README.md"
SHOWN = (README, ROOT / "docs" / "cookbook.md", ROOT / "docs" / "probes.md")
"""Pages that show commands with what they print, for the sample fleet unless they make one of their own."""
SKIPPED = "..."

_BLOCK = re.compile(r"```console\n(.*?)```", re.DOTALL)


@dataclass(frozen=True, slots=True)
class Step:
    """One command of the tour, and what the page says it prints."""

    command: str
    output: str

    def prints(self, printed: str) -> bool:
        """Whether that is what the page shows."""
        parts = [re.escape(part) for part in self.output.split(f"{SKIPPED}\n")]
        return re.fullmatch(r"(?:.*\n)*".join(parts), printed) is not None


def steps(page: str) -> Iterator[Step]:
    """The commands of a page, in order."""
    for block in _BLOCK.finditer(page):
        yield _step(block[1])


def _step(block: str) -> Step:
    """A command and its output; a quoted argument of the command may go on over lines."""
    lines = block.removeprefix("$ ").splitlines(keepends=True)
    ends = next(end for end in range(1, len(lines) + 1) if "".join(lines[:end]).count('"') % 2 == 0)
    return Step("".join(lines[:ends]).rstrip("\n"), "".join(lines[ends:]))


def printed_by(command: str, store: Path) -> str:
    """What a command prints to a file: both streams, no colour, no white space at the ends of lines."""
    environment = os.environ | {
        "AFP_STORE": str(store),
        "PATH": f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}",
        "COLUMNS": "100",
        "NO_COLOR": "1",
    }
    done = subprocess.run(
        ["bash", "-c", command],
        cwd=ROOT,
        env=environment,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        check=False,
    )
    lines = done.stdout.decode().replace(str(store), "out/store").splitlines()
    return "".join(f"{line.rstrip()}\n" for line in lines).strip("\n") + "\n"


def demo_store_in(folder: Path) -> Path:
    """A store of the sample fleet, as `make demo` leaves it."""
    store = folder / "store"
    printed_by("afp run data/sample", store)
    return store


def written_again(page: str, store: Path) -> str:
    """The page with what its commands print today."""
    for step in list(steps(page)):
        printed = printed_by(step.command, store)
        if not step.prints(printed) and f"{SKIPPED}\n" not in step.output:
            page = page.replace(f"$ {step.command}\n{step.output}```", f"$ {step.command}\n{printed}```")
    return page


if __name__ == "__main__":
    with tempfile.TemporaryDirectory() as folder:
        store = demo_store_in(Path(folder))
        for page in SHOWN:
            page.write_text(written_again(page.read_text(), store))

"""Schedules: the nightly job as cron, systemd and GitHub Actions want it written. Rule: product contract, section 8.

Each of them reads a command in its own way: a percent sign ends a command of cron, a dollar begins a variable of
systemd, `${{` an expression of GitHub. Every word is written so that the job gets it as it was typed.
"""

import json
import re
import shlex
from collections.abc import Sequence
from dataclasses import dataclass

TIME = re.compile(r"([01]\d|2[0-3]):([0-5]\d)")
NAME = "afp-nightly"

CONTROL = re.compile(r"[\x00-\x1f\x7f]")


class ScheduleError(ValueError):
    """A schedule cannot be written; the message says what is wrong."""


@dataclass(frozen=True, slots=True)
class Schedule:
    """When a command runs, each day: `hour` and `minute` in a timezone, that of the machine where none is named."""

    hour: int
    minute: int
    timezone: str | None
    command: tuple[str, ...]

    @classmethod
    def daily(cls, at: str, timezone: str | None, command: Sequence[str]) -> "Schedule":
        """Raises `ScheduleError` for what is no time of day, and for a word that no schedule can hold."""
        time = TIME.fullmatch(at)
        if time is None:
            raise ScheduleError(f"{at!r} is no time of day; write it as 02:30.")
        for word in command:
            if CONTROL.search(word):
                raise ScheduleError(f"{word!r} holds a control character, which no schedule can.")
        return cls(int(time[1]), int(time[2]), timezone, tuple(command))

    def cron(self) -> str:
        """A line for `crontab -e`. What the job prints is mailed, as cron does it; its exit code is not looked at."""
        lines = ["# cron's clock is the machine's."]
        if self.timezone:
            lines = [
                "# cronie (Fedora, RHEL, Arch) knows CRON_TZ; Debian's cron does not, and uses the machine's clock.",
                f"CRON_TZ={self.timezone}",
            ]
        command = shlex.join(self.command).replace("%", r"\%")
        return "\n".join([*lines, f"{self.minute} {self.hour} * * * {command}", ""])

    def systemd_service(self) -> str:
        """A unit of its own for one run; exit code 1 makes it failed, which `OnFailure=` may act upon."""
        return "\n".join(
            [
                "[Unit]",
                "Description=Take in, publish and report the night's recordings",
                "",
                "[Service]",
                "Type=oneshot",
                f"ExecStart={' '.join(map(_systemd_word, self.command))}",
                "",
            ]
        )

    def systemd_timer(self) -> str:
        """The timer of that unit; a night on which the machine was off is made up for when it is on again."""
        zone = f" {self.timezone}" if self.timezone else ""
        return "\n".join(
            [
                "[Unit]",
                "Description=Every night: take in, publish and report recordings",
                "",
                "[Timer]",
                f"OnCalendar=*-*-* {self.hour:02}:{self.minute:02}:00{zone}",
                "Persistent=true",
                "",
                "[Install]",
                "WantedBy=timers.target",
                "",
            ]
        )

    def github_workflow(self) -> str:
        """A workflow. The store is kept between runs in GitHub's cache, the reports are kept with each run."""
        zone = self.timezone or "your own timezone"
        command = _github_text(shlex.join(self.command))
        paths = dict(zip(self.command[2::2], self.command[3::2], strict=False))
        store, reports = (_github_text(paths[option]) for option in ("--store", "--reports"))
        return f"""name: {NAME}
on:
  schedule:
    # GitHub's clock is UTC, all year round: this is not {self.hour:02}:{self.minute:02} in {zone}.
    - cron: "{self.minute} {self.hour} * * *"
  workflow_dispatch:
concurrency: {NAME}
jobs:
  nightly:
    runs-on: ubuntu-latest
    steps:
      - uses: actions/checkout@v4
      - uses: actions/setup-python@v5
        with:
          python-version: "3.12"
      - run: pip install afp-fleet
      - uses: actions/cache@v4
        with:
          path: {store}
          key: {NAME}-${{{{ github.run_id }}}}
          restore-keys: {NAME}-
      - run: {command}
      - uses: actions/upload-artifact@v4
        if: always()
        with:
          name: reports
          path: {reports}
"""


def _systemd_word(word: str) -> str:
    """A word of a command line in a unit file: quoted, without specifiers, variables and escapes."""
    for special, spelled in (("\\", "\\\\"), ('"', '\\"'), ("%", "%%"), ("$", "$$")):
        word = word.replace(special, spelled)
    return f'"{word}"'


def _github_text(text: str) -> str:
    """A text as YAML, in which GitHub finds no expression."""
    return json.dumps(text, ensure_ascii=False).replace("${{", "${{ '${{' }}")

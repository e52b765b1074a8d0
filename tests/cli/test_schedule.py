"""`afp schedule`: every scheduler hands the job the words that were typed."""

import re
import shlex
import shutil
import subprocess
from pathlib import Path
from typing import Any

import pytest

from tests.cli.conftest import Afp

ODD = ["in 100%", "fl$eet", "r\"x'y\\z", "plain", "${{ secrets.X }}", "a;b|c>d", "$(id)", "%i", "é"]
OPTIONS = ("--at", "02:30", "--inbox", "in", "--store", "fleet", "--reports", "reports")


def printed(afp: Afp, form: str, *more: str, at: str = "02:30", inbox: str = "in", **places: str) -> str:
    store, reports = places.get("store", "fleet"), places.get("reports", "reports")
    words = ["--at", at, "--inbox", inbox, "--store", store, "--reports", reports, "--for", form]
    shown = afp("schedule", *words, *more)
    assert shown.exit_code == 0, shown.stderr
    return str(shown.stdout)


def cron_words(text: str) -> list[str]:
    """What cron and then the shell make of the last line: the backslash before a percent sign goes, words are cut."""
    line = text.splitlines()[-1].split(" ", 5)[5]
    assert not re.search(r"(?<!\\)%", line), "cron would end the command there"
    return shlex.split(line.replace(r"\%", "%"))


def systemd_words(text: str) -> list[str]:
    """What systemd makes of the command line."""
    line = next(line for line in text.splitlines() if line.startswith("ExecStart=")).removeprefix("ExecStart=")
    words = re.findall(r'"((?:[^"\\]|\\.)*)"', line)
    return [re.sub(r"\\(.)", r"\1", word).replace("%%", "%").replace("$$", "$") for word in words]


@pytest.mark.parametrize("word", ODD)
def test_every_scheduler_hands_on_what_was_typed(afp: Afp, tmp_path: Path, word: str) -> None:
    place = str(tmp_path / word)
    for form, words in (("cron", cron_words), ("systemd", systemd_words)):
        told = words(printed(afp, form, "--", "--fail-on", "doubt_rate>0.2", inbox=place, store=place, reports=place))
        assert told[1:] == [
            "nightly",
            "--inbox",
            place,
            "--store",
            place,
            "--reports",
            place,
            "--fail-on",
            "doubt_rate>0.2",
        ]
        assert Path(told[0]).is_absolute()


@pytest.mark.parametrize("word", ODD)
def test_the_workflow_is_yaml_without_an_expression_of_ours(afp: Afp, word: str) -> None:
    import yaml
    document: Any = yaml.safe_load(printed(afp, "github", inbox=word, store=word, reports=word))
    steps = document["jobs"]["nightly"]["steps"]
    command = next(step["run"] for step in steps if step.get("run", "").startswith("afp "))
    told = shlex.split(command.replace("${{ '${{' }}", "${{"))
    assert told == ["afp", "nightly", "--inbox", word, "--store", word, "--reports", word]
    assert "${{ secrets" not in command


def test_the_day_begins_where_the_timezone_says(afp: Afp) -> None:
    zone = ("--timezone", "Europe/Berlin")
    assert "CRON_TZ=Europe/Berlin\n5 23 * * * " in printed(afp, "cron", *zone, at="23:05")
    assert "OnCalendar=*-*-* 23:05:00 Europe/Berlin\n" in printed(afp, "systemd", *zone, at="23:05")
    assert "not 23:05 in Europe/Berlin" in printed(afp, "github", *zone, at="23:05")
    for form in ("cron", "systemd", "github"):
        assert "--timezone" in printed(afp, form, *zone)
        assert "--timezone" not in printed(afp, form)


@pytest.mark.parametrize(
    ("options", "said"),
    [
        (("--at", "2:30"), "no time of day"),
        (("--at", "24:00"), "no time of day"),
        (("--at", "02:30\n"), "no time of day"),
        (("--inbox", "a\nb"), "control character"),
        (("--timezone", "Europe/Berlim"), "Did you mean Europe/Berlin"),
    ],
)
def test_what_no_schedule_can_hold_is_refused(afp: Afp, options: tuple[str, str], said: str) -> None:
    shown = afp("schedule", *OPTIONS, *options)
    assert (shown.exit_code, shown.stdout) == (2, "")
    assert said in shown.stderr


def test_files_are_written_where_they_are_asked_for(afp: Afp, tmp_path: Path) -> None:
    shown = afp("schedule", *OPTIONS, "--out", str(tmp_path / "units"))
    assert (shown.exit_code, shown.stdout) == (0, "")
    names = ["afp-nightly.cron", "afp-nightly.service", "afp-nightly.timer", "afp-nightly.yml"]
    assert sorted(path.name for path in (tmp_path / "units").iterdir()) == names
    everything = afp("schedule", *OPTIONS).stdout
    assert all((tmp_path / "units" / name).read_text().rstrip("\n") in everything for name in names)


@pytest.mark.skipif(not shutil.which("systemd-analyze"), reason="systemd is not here")
def test_systemd_takes_the_units(afp: Afp, tmp_path: Path) -> None:
    for word in ODD:
        afp(
            "schedule", *OPTIONS, "--inbox", str(tmp_path / word), "--timezone", "Europe/Berlin", "--out", str(tmp_path)
        )
        units = [str(tmp_path / f"afp-nightly.{kind}") for kind in ("service", "timer")]
        verified = subprocess.run(["systemd-analyze", "verify", *units], capture_output=True, text=True, check=False)
        ours = [line for line in (verified.stdout + verified.stderr).splitlines() if "afp-nightly" in line]
        assert (verified.returncode, ours) == (0, []), word
    calendar = ["systemd-analyze", "calendar", "*-*-* 02:30:00 Europe/Berlin"]
    assert subprocess.run(calendar, capture_output=True, check=False).returncode == 0

"""`afp schedule`: the nightly job as schedulers want it written."""

import os
import shutil
import sys
from pathlib import Path

import click

from dataflows.cli.failures import CommandError, explained
from dataflows.cli.options import store_option
from dataflows.cli.output import aside, result, written
from dataflows.schedules import NAME, Schedule, ScheduleError

FORMS = ("cron", "systemd", "github")


@click.command("schedule", short_help="Print the nightly job for cron, systemd and GitHub Actions.")
@click.option("--at", metavar="HH:MM", required=True, help="When it runs, each day.")
@click.option("--inbox", metavar="PATH", required=True, help="Where recordings arrive.")
@store_option
@click.option("--reports", metavar="DIR", required=True, help="Folder for the reports.")
@click.option(
    "--timezone",
    metavar="NAME",
    help="Whose clock --at means, as Europe/Berlin, and whose days are nights.  [default: the machine's; UTC]",
)
@click.option("--for", "form", type=click.Choice(FORMS), help="Only this one.  [default: all]")
@click.option(
    "--out", metavar="DIR", type=click.Path(file_okay=False), help="Write files into DIR instead of printing them."
)
@click.argument("options", metavar="[-- NIGHTLY_OPTION...]", nargs=-1, type=click.UNPROCESSED)
def command(
    *,
    at: str,
    inbox: str,
    store: str,
    reports: str,
    timezone: str | None,
    form: str | None,
    out: str | None,
    options: tuple[str, ...],
) -> None:
    """Print ready definitions that run `afp nightly` each day: a line for crontab, a systemd service with its timer, a
    GitHub Actions workflow. What stands after `--` is handed to `afp nightly` as it is.

    Nothing is installed: each text says, or docs/scheduling.md does, where it goes.

    \b
    Example:
      afp schedule --at 02:30 --inbox inbox/ --store fleet --reports reports/
      afp schedule --at 02:30 --inbox inbox/ --store fleet --reports reports/ --timezone Europe/Berlin \\
        --for systemd --out units/ -- --fail-on "doubt_rate>0.2"
    """
    with explained(ScheduleError, ValueError):
        zone = _known(timezone)
        more = (*(["--timezone", zone] if zone else []), *options)
        here = (_absolute(inbox), os.path.abspath(store), os.path.abspath(reports))
        local = Schedule.daily(at, zone, (_program(), *_nightly(here), *more))
        hosted = Schedule.daily(at, zone, ("afp", *_nightly((inbox, store, reports)), *more))
        texts = {
            "cron": {f"{NAME}.cron": local.cron()},
            "systemd": {f"{NAME}.service": local.systemd_service(), f"{NAME}.timer": local.systemd_timer()},
            "github": {f"{NAME}.yml": hosted.github_workflow()},
        }
    files = {name: text for each in ([form] if form else FORMS) for name, text in texts[each].items()}
    if out is None:
        result("\n".join(text if len(files) == 1 else f"# {name}\n{text}" for name, text in files.items()).rstrip("\n"))
        return
    try:
        Path(out).mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise CommandError(f"{out} cannot be made: {error.strerror}.", "Name a folder that can be written.") from error
    for name, text in files.items():
        with written(str(Path(out, name))) as file:
            file.write(text.encode())
        aside(f"written: {Path(out, name)}")


def _nightly(places: tuple[str, str, str]) -> list[str]:
    inbox, store, reports = places
    return ["nightly", "--inbox", inbox, "--store", store, "--reports", reports]


def _program() -> str:
    """Where `afp` lies, in the environment that runs this: schedulers look in few places."""
    beside = Path(sys.executable).with_name("afp")
    return str(beside) if beside.exists() else shutil.which("afp") or os.path.abspath(sys.argv[0])


def _absolute(inbox: str) -> str:
    return inbox if "://" in inbox else os.path.abspath(inbox)


def _known(timezone: str | None) -> str | None:
    if timezone is None:
        return None
    from dataflows.nightly import known_timezone  # noqa: PLC0415 - `--help` needs no data frames

    return known_timezone(timezone)

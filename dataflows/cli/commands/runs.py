"""`afp runs`: finds runs."""

from datetime import UTC, date, datetime, time, timedelta
from typing import TYPE_CHECKING, Any

import click

from dataflows.cli.interruption import interrupting
from dataflows.cli.options import as_json_option, newest_snapshot, readable, store_option, text_width
from dataflows.cli.output import aside, json_result, result
from dataflows.masking import masked_data
from dataflows.printable import WITHHELD
from dataflows.wording import counted

if TYPE_CHECKING:
    from dataflows.withheld import Withheld

NOT_RECORDED = "not recorded"


def _start(_context: click.Context, _option: click.Parameter, value: str | None) -> datetime | None:
    """The moment a text names, of a day its beginning."""
    return None if value is None else _moment(value, timedelta())


def _end(_context: click.Context, _option: click.Parameter, value: str | None) -> datetime | None:
    """The moment a text names, of a day its end."""
    return None if value is None else _moment(value, timedelta(days=1))


def _moment(value: str, into_the_day: timedelta) -> datetime:
    try:
        if len(value) == len("2026-01-31"):
            return datetime.combine(date.fromisoformat(value), time(), UTC) + into_the_day
        moment = datetime.fromisoformat(value)
    except (ValueError, OverflowError) as error:
        raise click.BadParameter(f"{value!r} is no date; write 2026-01-31 or 2026-01-31T14:00Z.") from error
    return moment if moment.tzinfo else moment.replace(tzinfo=UTC)


def _kind_and_word(_context: click.Context, _option: click.Parameter, value: str | None) -> tuple[str, str] | None:
    """The kind of a verdict and the word it says."""
    from afp_nodes.words import VerdictKind  # noqa: PLC0415 - `--help` needs no words

    if value is None:
        return None
    kind, given, word = value.partition("=")
    if not given or kind not in list(VerdictKind):
        raise click.BadParameter(f"{value!r} is not KIND=WORD; KIND is one of {', '.join(VerdictKind)}.")
    return kind, word


@click.command("runs", short_help="Find runs by question, verdict, tool, skill, model, date and more.")
@store_option
@click.option("--id", "id_prefix", metavar="PREFIX", help="Runs whose id begins so.")
@click.option("--question", metavar="TEXT", help="Runs whose question holds this text, in capitals or not.")
@click.option(
    "--verdict", metavar="KIND=WORD", callback=_kind_and_word, help="Runs with such a verdict, as `standing=not-sure`."
)
@click.option("--tool", metavar="NAME", help="Runs that called this tool.")
@click.option(
    "--skill",
    metavar="NAME",
    help="Runs whose question was routed to this skill, or whose own events show that it was put before the model. A"
    " run whose events are missing is found only where its state still holds the route.",
)
@click.option("--model", metavar="NAME", help="Runs of this model.")
@click.option("--provider", metavar="NAME", help="Runs of this provider.")
@click.option("--arm", metavar="ID", help="Runs of this arm, of those that `afp run --arms` brought into force.")
@click.option("--study", metavar="ID", help="Probe runs of this study.")
@click.option("--tenant", metavar="NAME", help="Runs of this tenant.")
@click.option("--session", metavar="ID", help="Runs of this session.")
@click.option("--since", metavar="DATE", callback=_start, help="Runs that started then or later.")
@click.option("--until", metavar="DATE", callback=_end, help="Runs that started before then; a day counts in whole.")
@click.option(
    "--limit", metavar="N", type=click.IntRange(min=1), default=50, show_default=True, help="List at most N runs."
)
@as_json_option
def command(
    *,
    store: str,
    verdict: tuple[str, str] | None,
    since: datetime | None,
    until: datetime | None,
    limit: int,
    as_json: bool,
    **same: str | None,
) -> None:
    """Find runs: every filter must hold; the latest start comes first.

    A time without a zone is in UTC. Runs without a recorded start pass no --since and no --until.

    \b
    Example:
      afp runs --store fleet --question refund --since 2026-01-31
      afp runs --store fleet --verdict coverage=exact --tool lookup_order
    """
    from dataflows.questions import answer, questions_to  # noqa: PLC0415 - `--help` needs no database
    from dataflows.withheld import Withheld  # noqa: PLC0415

    kind, word = verdict or (None, None)
    snapshot = newest_snapshot(store)
    with readable(store), questions_to(snapshot) as connection, interrupting(connection):
        rows = answer(
            connection,
            "matching_runs",
            verdict_kind=kind,
            verdict_word=word,
            since=since and since.isoformat(),
            until=until and until.isoformat(),
            row_limit=limit,
            **same,
        )
        if since or until:
            [undated] = answer(connection, "undated_runs")
        withheld = Withheld.by_run(connection, [row["run_id"] for row in rows])
    matching = rows[0]["matching"] if rows else 0
    rows = [_shown(row, withheld.get(row["run_id"])) for row in rows]
    if as_json:
        json_result(masked_data(rows))
    elif rows:
        result(_table(rows))
    aside(f"{len(rows):,} of {counted(matching, 'run')}" if len(rows) < matching else counted(matching, "run"))
    if (since or until) and undated["runs"]:
        aside(f"not known to fall into it, for want of a recorded start: {counted(undated['runs'], 'run')}")


def _shown(row: dict[str, Any], withheld: "Withheld | None") -> dict[str, Any]:
    """What is shown of a run: nothing that its own record redacts."""
    told = {name: value for name, value in row.items() if name != "matching"}
    return told | withheld.hide_data(told) | {"started_at": row["started_at"]} if withheld else told


def _table(rows: list[dict[str, Any]]) -> str:
    from dataflows.cli.formats.text_table import Column, text_table  # noqa: PLC0415

    columns = [
        Column("run"),
        Column("started (UTC)"),
        Column("model"),
        Column("loops", to_the_right=True),
        Column("tool calls", to_the_right=True),
        Column("tokens", to_the_right=True),
        Column("answered"),
        Column("question"),
    ]
    return text_table(columns, [_line(row) for row in rows], text_width())


def _line(row: dict[str, Any]) -> list[str]:
    return [
        row["run_id"],
        row["started_at"] or NOT_RECORDED,
        row["model"] or NOT_RECORDED,
        str(row["loops"]),
        _at_least(row, "tool_calls"),
        _at_least(row, "tokens"),
        {True: "yes", False: "no", None: "unknown"}[row["answered"]],
        WITHHELD if row["question_withheld"] else row["question"] or NOT_RECORDED,
    ]


def _at_least(row: dict[str, Any], name: str) -> str:
    """A total; of a recording that lost its first events it is only a lower bound."""
    total = row[name]
    if total is None:
        return "unknown"
    return f"at least {total:,}" if row["dropped_events"] else f"{total:,}"

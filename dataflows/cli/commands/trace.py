"""`afp trace`: one variable's life."""

from dataclasses import asdict

import click

from dataflows.cli.interruption import interrupting
from dataflows.cli.options import as_json_option, newest_snapshot, readable, store_option
from dataflows.cli.output import json_result, result


@click.command(
    "trace",
    context_settings={"ignore_unknown_options": True},
    short_help="Tell the life of one state key in one run, moment by moment.",
)
@click.argument("run_id")
@click.argument("key")
@store_option
@click.option(
    "--scope",
    metavar="MOUNT",
    default="",
    help="The log of this subflow mount, as `sf-llm-call#12`, instead of the run's own.",
)
@click.option(
    "--limit", metavar="N", type=click.IntRange(min=1), default=200, show_default=True, help="Tell at most N moments."
)
@as_json_option
def command(*, run_id: str, key: str, store: str, scope: str, limit: int, as_json: bool) -> None:
    """Tell the life of state key KEY in run RUN_ID: every write and recorded read, in order.

    Each moment comes with its loop, the value it wrote or saw, the source it introduced with the spec of a rerun
    without it, and what the value fed. Values the record redacts are not shown, secrets are masked. RUN_ID may be
    the beginning of an id; the parts of a nested KEY are set apart by ` › `.

    \b
    Example:
      afp trace s-flat-l3 systemPromptInjections --store fleet
      afp trace s-grouped-l2-incident history --scope sf-llm-call#4 --store fleet
    """  # noqa: RUF002 - the sign that sets the parts of a key apart
    from dataflows.cli.lookups import known_run, known_variable  # noqa: PLC0415 - `--help` needs no database
    from dataflows.cli.story import story, why  # noqa: PLC0415
    from dataflows.questions import questions_to  # noqa: PLC0415
    from dataflows.variable_lives import variable_life  # noqa: PLC0415

    snapshot = newest_snapshot(store)
    with readable(store), questions_to(snapshot) as connection, interrupting(connection):
        run = known_run(connection, run_id)
        life = variable_life(connection, run, scope, known_variable(connection, run, key, scope))
    if as_json:
        json_result(asdict(life) | {"why": why(life)})
    else:
        result(story(life, limit))

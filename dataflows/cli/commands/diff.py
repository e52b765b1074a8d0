"""`afp diff`: two runs of one question, side by side."""

from typing import TYPE_CHECKING

import click

from dataflows.cli.failures import CommandError
from dataflows.cli.interruption import interrupting
from dataflows.cli.options import as_json_option, newest_snapshot, readable, store_option
from dataflows.cli.output import aside, json_result, result, written

if TYPE_CHECKING:
    from dataflows.comparison import TwoRuns


@click.command(
    "diff",
    context_settings={"ignore_unknown_options": True},
    short_help="Put two runs of one question side by side, loop by loop.",
)
@click.argument("run_a")
@click.argument("run_b")
@store_option
@click.option("--any-question", is_flag=True, help="Compare runs of other questions, too.")
@click.option("--html", metavar="FILE", type=click.Path(dir_okay=False), help="Write the comparison as a page to FILE.")
@as_json_option
def command(*, run_a: str, run_b: str, store: str, any_question: bool, html: str | None, as_json: bool) -> None:
    """Put runs RUN_A and RUN_B side by side, loop by loop: the first moment at which the context, the decision of the
    model or a tool call differs, and what differs after it.

    Each row says `same`, `differs`, or `unknown` where a record does not show its side. Tool calls match by tool,
    arguments and occurrence. Questions are the same when they differ only in capitals and white space. RUN_A and RUN_B
    may be the beginnings of ids.

    \b
    Example:
      afp diff s-st-arm-memory-topk-id-r0 s-st-arm-memory-wrong-id-r0 --store fleet
      afp diff monday tuesday --store fleet --html diff.html
    """
    from dataflows.cli.lookups import known_run  # noqa: PLC0415 - `--help` needs no database
    from dataflows.cli.side_by_side import side_by_side  # noqa: PLC0415
    from dataflows.comparison import TwoRuns  # noqa: PLC0415
    from dataflows.differences import as_data  # noqa: PLC0415
    from dataflows.questions import questions_to  # noqa: PLC0415

    snapshot = newest_snapshot(store)
    with readable(store), questions_to(snapshot) as connection, interrupting(connection):
        two = TwoRuns(connection, known_run(connection, run_a), known_run(connection, run_b))
        if not any_question:
            _must_be_asked_the_same(two)
        compared = two.compared()
    if html is not None:
        from dataflows.pages.diff import diff_page  # noqa: PLC0415

        with written(html) as file:
            file.write(diff_page(compared).encode())
        aside(f"written: {html}")
    if as_json:
        json_result(as_data(compared))
    elif html is None:
        result(side_by_side(compared))


def _must_be_asked_the_same(two: "TwoRuns") -> None:
    """Raises `CommandError` unless both runs are known to have been asked one question."""
    match two.asked_the_same():
        case None:
            raise CommandError(
                "The questions of these runs cannot be compared: one is not recorded, or redacted.",
                "Add --any-question to compare the runs all the same.",
            )
        case False:
            raise CommandError(
                "These runs were asked other questions.", "Add --any-question to compare them all the same."
            )

"""`afp explain`: one run on one page."""

import click

from dataflows.cli.interruption import interrupting
from dataflows.cli.options import as_json_option, newest_snapshot, readable, store_option
from dataflows.cli.output import aside, json_result, result, written


@click.command(
    "explain",
    context_settings={"ignore_unknown_options": True},
    short_help="Explain one run on one page: answer, standing, routing, loops, and what the record cannot tell.",
)
@click.argument("run_id")
@store_option
@click.option(
    "--html", metavar="FILE", type=click.Path(dir_okay=False), help="Write the page as one HTML file instead."
)
@click.option(
    "--limit",
    metavar="N",
    type=click.IntRange(min=1),
    default=20,
    show_default=True,
    help="Tell at most N loops on the terminal; the other forms hold all.",
)
@as_json_option
def command(*, run_id: str, store: str, html: str | None, limit: int, as_json: bool) -> None:
    """Explain run RUN_ID on one page, and say what its record cannot tell.

    What was asked and answered; where the answer stands, with the calls each reason rests on; how the question was
    routed, and whether that reached the model; what each model call was sent and did; what was left out; what could
    be taken out in a rerun. Values the record redacts are not shown, secrets are masked. RUN_ID may be the beginning
    of an id. The HTML file loads nothing and runs nothing.

    \b
    Example:
      afp explain s-flat-l3 --store fleet
      afp explain s-flat-l3 --store fleet --html page.html
    """
    from dataflows.cli.lookups import known_run  # noqa: PLC0415 - `--help` needs no database
    from dataflows.cli.run_story import run_story  # noqa: PLC0415
    from dataflows.explanation import explanation_of  # noqa: PLC0415
    from dataflows.explanation.told import told  # noqa: PLC0415
    from dataflows.questions import questions_to  # noqa: PLC0415

    snapshot = newest_snapshot(store)
    with readable(store), questions_to(snapshot) as connection, interrupting(connection):
        explanation = explanation_of(connection, known_run(connection, run_id))
    if html is not None:
        from dataflows.pages.explain import explain_page  # noqa: PLC0415

        with written(html) as file:
            file.write(explain_page(explanation).encode())
        aside(f"written: {html}")
    if as_json:
        json_result(told(explanation))
    elif html is None:
        result(run_story(explanation, limit))

"""`afp study`: one study as a person reads it."""

import click

from dataflows.cli.interruption import interrupting
from dataflows.cli.options import as_json_option, newest_snapshot, readable, store_option
from dataflows.cli.output import aside, json_result, result, written


@click.command(
    "study",
    context_settings={"ignore_unknown_options": True},
    short_help="Tell what one study of seeded reruns shows, subject by subject.",
)
@click.argument("study_id")
@store_option
@click.option("--html", metavar="FILE", type=click.Path(dir_okay=False), help="Write the study as a page to FILE.")
@as_json_option
def command(*, study_id: str, store: str, html: str | None, as_json: bool) -> None:
    """Tell what study STUDY_ID shows: what was asked and by what it is judged, the baseline and its null band, and
    each subject with its verdict, its numbers, a plot of its seeds, and the runs that are missing or failed.

    Only the word `confirmed` claims that something makes a difference; how often it would be said of nothing stands
    beside it where that is above 5 %. STUDY_ID may be the beginning of an id. The HTML file loads nothing and runs
    nothing.

    \b
    Example:
      afp study s-abl-one --store fleet
      afp study s-arm-memory --store fleet --html study.html
    """
    from dataflows.cli.lookups import known_study  # noqa: PLC0415 - `--help` needs no database
    from dataflows.cli.study_story import study_story  # noqa: PLC0415
    from dataflows.one_study import study_of  # noqa: PLC0415
    from dataflows.questions import questions_to  # noqa: PLC0415
    from dataflows.study_words import told  # noqa: PLC0415

    snapshot = newest_snapshot(store)
    with readable(store), questions_to(snapshot) as connection, interrupting(connection):
        study = study_of(connection, known_study(connection, study_id))
    if html is not None:
        from dataflows.pages.study import study_page  # noqa: PLC0415 - only pages need the plots

        with written(html) as file:
            file.write(study_page(study).encode())
        aside(f"written: {html}")
    if as_json:
        json_result(told(study))
    elif html is None:
        result(study_story(study))

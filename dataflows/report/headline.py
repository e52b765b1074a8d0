"""The headline: three sentences that tell whoever reads no further what matters. None claims a cause without reruns."""

from collections.abc import Mapping

from afp_nodes.words import DOUBTFUL, Standing
from dataflows.report.parts import Cell, Sentence, Table
from dataflows.report.sections.night import outcome, worse
from dataflows.wording import counted

Tables = Mapping[str, Table]
REASONS_NAMED = 2


def headline(tables: Tables) -> tuple[Sentence, ...]:
    """What runs came to, how far answers may be trusted, and what is known of why; of tables that are there.

    Of a night the first sentence says what it is beside another, the last what is new.
    """
    of_night = "night" in tables
    made = (
        (_night(tables), _ends(tables), _news(tables)) if of_night else (_ends(tables), _doubt(tables), _causes(tables))
    )
    return tuple(sentence for sentence in made if sentence is not None)


def _night(tables: Tables) -> Sentence | None:
    changes = tables["changes"].values() if "changes" in tables else []
    metrics = [str(row["metric"]) for row in worse(changes)]
    return next((outcome(row, metrics) for row in tables["night"].values()), None)


def _news(tables: Tables) -> Sentence | None:
    if not {"metrics", "findings"} <= set(tables):
        return None
    known = {str(row["metric"]): row["value"] for row in tables["metrics"].values()}
    new, vanished, muted = (_told(known.get(f"{which}_findings")) for which in ("new", "vanished", "muted"))
    return Sentence(f"New findings: {new}; vanished: {vanished}; muted: {muted}.", ("findings", "metrics"))


def _told(value: Cell) -> str:
    return "not known" if value is None else f"{value:,.0f}"


def _ends(tables: Tables) -> Sentence | None:
    if "answers" not in tables:
        return None
    runs = {str(row["ended"]): _count(row["runs"]) for row in tables["answers"].values()}
    if not runs:
        return Sentence("No run was looked at, so nothing can be said of any.", ("answers",))
    unknown = runs.get("not known", 0)
    untold = f", and of {unknown:,} the record cannot tell" if unknown else ""
    return Sentence(
        f"{runs.get('answered', 0):,} of {counted(sum(runs.values()), 'run')} gave an answer,"
        f" {runs.get('no answer', 0):,} gave none{untold}.",
        ("answers",),
    )


def _doubt(tables: Tables) -> Sentence | None:
    if not {"standings", "reasons"} <= set(tables):
        return None
    runs = {str(row["standing"]): _count(row["runs"]) for row in tables["standings"].values()}
    if not runs:
        return Sentence("No answer could be looked at for doubt.", ("standings",))
    doubtful, unassessed = sum(runs.get(word, 0) for word in DOUBTFUL), runs.get(Standing.NOT_ASSESSED, 0)
    reasons = [f"{row['reason']} in {row['runs']:,} ({row['behind_it']})" for row in tables["reasons"].values()]
    most = f", most often {' and '.join(reasons[:REASONS_NAMED])}" if reasons else ""
    return Sentence(
        f"Of {counted(sum(runs.values()), 'run')} that gave an answer or wait for a person {doubtful:,}"
        f" {'has' if doubtful == 1 else 'have'} a reason for doubt{most}; {unassessed:,} could not be judged at all.",
        ("standings", "reasons"),
    )


def _causes(tables: Tables) -> Sentence | None:
    if "subjects" not in tables:
        return None
    tested = tables["subjects"].values()
    confirmed = [row for row in tested if row["verdict"] == "confirmed"]
    if confirmed:
        named = ", ".join(f"{row['subject']} (false rate {row['false_rate']})" for row in confirmed[:REASONS_NAMED])
        more = f" and {len(confirmed) - REASONS_NAMED:,} more" if len(confirmed) > REASONS_NAMED else ""
        return Sentence(
            f"Seeded reruns confirmed that answers depend on {named}{more}, of {counted(len(tested), 'subject')}"
            " tested.",
            ("subjects",),
        )
    if tested:
        return Sentence(
            f"Of {counted(len(tested), 'subject')} tested by seeded reruns none is confirmed, so no cause is claimed.",
            ("subjects",),
        )
    first = next(iter(tables["suspects"].values()), None) if "suspects" in tables else None
    what = f"; the first to test is {first['kind']} {first['suspect']}" if first else ""
    return Sentence(f"Nothing was tested by seeded reruns, so no cause is claimed{what}.", ("subjects", "suspects"))


def _count(cell: Cell) -> int:
    return int(cell or 0)

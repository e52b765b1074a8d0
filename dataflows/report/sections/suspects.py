"""Sources that runs could be tested without, with the hook of each and the command that plans the test."""

from shlex import quote

from dataflows.masking import MASK
from dataflows.printable import WITHHELD
from dataflows.report.asked import Asked
from dataflows.report.parts import ColumnKind, Section, Sentence
from dataflows.store.catalog import quoted_text

COLUMNS = {
    "kind": ColumnKind.WORD,
    "suspect": ColumnKind.TEXT,
    "hook": ColumnKind.CODE,
    "runs": ColumnKind.NUMBER,
    "doubtful_with": ColumnKind.NUMBER,
    "judged_with": ColumnKind.NUMBER,
    "doubtful_without": ColumnKind.NUMBER,
    "judged_without": ColumnKind.NUMBER,
    "difference": ColumnKind.NUMBER,
}
TOP = 10


def section(asked: Asked) -> Section:
    """The suspects that stand beside doubt most, and how to test them."""
    suspects = asked.table(
        "suspects",
        "Top suspects with their hooks",
        COLUMNS,
        empty="No run names a source that it could be tested without; that needs a commit log with reads.",
        shown=TOP,
    )
    return Section(
        name="suspects",
        title="Top suspects",
        sentences=(
            Sentence(
                "Doubtful runs with and without each source: an association (tier correlational), which says what to"
                " test first and nothing more.",
                ("suspects",),
            ),
            *_how_to_test([str(row["suspect"]) for row in suspects.values() if _is_whole(str(row["suspect"]))]),
        ),
        tables=(suspects,),
    )


def _is_whole(name: str) -> bool:
    """Whether a name is shown as it is recorded: what is masked, hidden, cut or escaped in part finds no run."""
    return not any(sign in name for sign in (MASK, WITHHELD, "…", "\\"))


def _how_to_test(names: list[str]) -> tuple[Sentence, ...]:
    """The command that plans a test on the runs that hold the first suspect that can be named."""
    if not names:
        return ()
    where = f"run_id IN (SELECT run_id FROM ablation_hooks WHERE suspect_id = {quoted_text(names[0])})"
    return (
        Sentence(
            "To test the first, plan seeded reruns of your agent with and without its hook, on the runs that hold it:",
            command=f"afp probe plan --out plan.jsonl --budget 6 --where {quote(where)}",
        ),
    )

"""The project as a newcomer meets it: what the pages say is true, and what they name is there."""

import gzip
import json
import os
import re
import shutil
import subprocess
from collections.abc import Iterator
from itertools import islice
from pathlib import Path
from typing import Any

import click
import pytest

from afp_nodes.schemas import TABLES
from benchmarks.fleet import SPELLINGS, Spelling, runs, sample_recordings
from dataflows.cli.program import program
from tests.tours import README, ROOT, SHOWN, Step, demo_store_in, printed_by, steps

PACKAGES = [ROOT / "afp_nodes", ROOT / "dataflows"]
RULES = ROOT / "docs" / "rules.md"
PAGES = [README, *sorted((ROOT / "docs").glob("*.md")), *sorted((ROOT / "data").glob("*/*.md"))]
SAMPLE = ROOT / "data" / "sample"
TOUR = [step for page in SHOWN for step in steps(page.read_text())]

_PLACE = r"\d+(?:\.\d+)?(?: \([^)]*\))?"
_CITATION = re.compile(rf"(?:Rules?: |by )([a-z ]+), sections? ({_PLACE}(?:(?:, | and | to ){_PLACE})*)")


@pytest.fixture(scope="session")
def demo_store(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A store of the sample fleet, as `make demo` leaves it."""
    return demo_store_in(tmp_path_factory.mktemp("demo"))


@pytest.mark.parametrize("page", PAGES, ids=lambda page: str(page.relative_to(ROOT)))
def test_every_link_of_a_page_leads_somewhere(page: Path) -> None:
    links = re.findall(r"\]\(([^)#]+)[^)]*\)", page.read_text())
    missing = [link for link in links if "://" not in link and not (page.parent / link).exists()]
    assert missing == []


@pytest.mark.parametrize("page", PAGES, ids=lambda page: str(page.relative_to(ROOT)))
def test_every_command_a_page_names_exists(page: Path) -> None:
    named = set(re.findall(r"\bafp ([a-z]+)\b(?: (check|history|rollback|compact|vacuum))?", _code_of(page)))
    missing = [words for words in named if _command(words) is None]
    assert missing == []


@pytest.mark.parametrize("page", PAGES, ids=lambda page: str(page.relative_to(ROOT)))
def test_every_make_target_a_page_names_exists(page: Path) -> None:
    targets = set(re.findall(r"^([a-z]+):", (ROOT / "Makefile").read_text(), re.MULTILINE))
    named = set(re.findall(r"\bmake ([a-z]+)\b", _code_of(page)))
    assert named <= targets


@pytest.mark.parametrize("page", PAGES, ids=lambda page: str(page.relative_to(ROOT)))
def test_every_import_a_page_shows_works(page: Path) -> None:
    for line in re.findall(r"from (?:dataflows|afp_nodes)[\w.]* import [\w, ]+", _code_of(page)):
        exec(line, {})


def test_every_path_the_layout_names_exists() -> None:
    layout = README.read_text().partition("## Layout")[2]
    named = re.findall(r"^\| `([\w./-]+)` \|", layout, re.MULTILINE)
    assert named
    assert [path for path in named if not (ROOT / path).exists()] == []


def test_the_readme_names_every_table_once() -> None:
    rows = README.read_text().partition("## Tables")[2].partition("## ")[0]
    named = re.findall(r"`(\w+)`", "".join(re.findall(r"^\|.*\|$", rows, re.MULTILINE)))
    assert sorted(named) == sorted(TABLES)


def test_every_rule_the_code_cites_stands_on_the_page_of_rules() -> None:
    sources = [path for package in PACKAGES for path in package.rglob("*") if path.suffix in (".py", ".sql")]
    cited = {rule for path in sources for rule in _cited_rules(path.read_text())}
    assert cited
    assert cited - _stated_rules() == set()


def test_every_module_the_page_of_rules_names_exists() -> None:
    named = re.findall(r"`((?:afp_nodes|dataflows)/[\w./]+)`", RULES.read_text())
    assert [path for path in named if not (ROOT / path).exists()] == []


def test_a_citation_names_a_part_and_its_sections() -> None:
    assert set(_cited_rules("Rules: record format, sections 6 (native get), 7\n and 9 to 11. See")) == {
        ("record format", section) for section in ("6", "7", "9", "10", "11")
    }
    assert set(_cited_rules("Rule: product contract, section 12.1.")) == {("product contract", "12.1")}


@pytest.mark.slow
def test_every_shown_command_prints_what_its_page_shows(demo_store: Path, tmp_path: Path) -> None:
    store = shutil.copytree(demo_store, tmp_path / "store")
    assert TOUR
    for step in TOUR:
        printed = printed_by(step.command, store)
        assert step.prints(printed), f"{step.command} prints this now; if it is right, make docs:\n{printed}"


def test_a_shown_output_must_match_line_for_line_but_for_what_is_skipped() -> None:
    step = Step("afp runs", "head\n...\ntail\n")
    assert step.prints("head\nx\ny\ntail\n")
    assert step.prints("head\ntail\n")
    assert not step.prints("head\nx\n")
    assert not Step("afp runs", "head\n").prints("head\ntail\n")


def test_the_sample_holds_what_its_page_says() -> None:
    documents = [d for path in (SAMPLE / "runs").iterdir() for d in _documents(path)]
    studies = [json.loads(path.read_text()) for path in (SAMPLE / "studies").rglob("*.study.json")]
    probes = sum(len(study["runs"]) for study in studies)
    originals = sum(study["original_run_id"] is not None for study in studies)
    words = (SAMPLE / "README.md").read_text()
    assert f"{len(documents)} recorded runs" in words
    assert f"{probes} probe runs they list and {originals} original runs" in words
    assert len(studies) == 4
    assert sum(path.stat().st_size for path in SAMPLE.rglob("*") if path.is_file()) < 3_000_000


@pytest.mark.parametrize("path", sorted((SAMPLE / "studies").rglob("*.study.json")), ids=lambda path: path.parent.name)
def test_every_run_a_sample_study_lists_is_there(path: Path) -> None:
    study = json.loads(path.read_text())
    listed = {run["run_id"] for run in study["runs"]} | ({study["original_run_id"]} - {None})
    assert {probe.name.removesuffix(".json.gz") for probe in path.parent.glob("*.json.gz")} == listed


def test_every_odd_file_is_refused_under_the_code_its_page_names(tmp_path: Path) -> None:
    store = tmp_path / "store"
    printed_by("afp run data/odd", store)
    refused = printed_by("afp sql 'SELECT source_uri, code FROM quarantine' --format json", store)
    codes = {Path(row["source_uri"]).name: row["code"] for row in json.loads(refused)}
    rows = re.findall(r"^\| `([\w.-]+)` \|.*?`([\w-]+)` \|$", (ROOT / "data/odd/README.md").read_text(), re.MULTILINE)
    assert codes == dict(rows)


@pytest.mark.parametrize("spelling", SPELLINGS)
def test_a_made_fleet_keeps_the_structure_of_the_sample_and_shares_no_id(spelling: Spelling) -> None:
    sample = list(sample_recordings(False).values())
    made = [document for _, document in islice(runs(spelling), 6)]
    assert {_structure(document) for document in made} < {_structure(document) for document in sample}
    ids = [_run_ids(document) for document in made]
    assert sum(len(of_run) for of_run in ids) == len(set.union(*ids))
    assert set.union(*ids).isdisjoint(set.union(*map(_run_ids, sample)))


@pytest.mark.parametrize("script", [".ci/run", ".ci/setup"])
def test_scripts_can_be_run_and_parse(script: str) -> None:
    assert os.access(ROOT / script, os.X_OK)
    subprocess.run(["bash", "-n", ROOT / script], check=True)


def _code_of(page: Path) -> str:
    """What stands in code spans and code blocks."""
    text = page.read_text()
    return "\n".join(re.findall(r"```.*?```|`[^`\n]+`|^    .+$", text, re.DOTALL | re.MULTILINE))


def _stated_rules() -> set[tuple[str, str]]:
    """The part and number of each section of the page of rules."""
    parts = re.split(r"^## (.+)$", RULES.read_text(), flags=re.MULTILINE)[1:]
    return {
        (name.lower(), number)
        for name, text in zip(parts[::2], parts[1::2], strict=True)
        for number in re.findall(r"^### ([\d.]+)\. ", text, re.MULTILINE)
    }


def _cited_rules(text: str) -> Iterator[tuple[str, str]]:
    """The part and number of each section that a source cites."""
    for part, sections in _CITATION.findall(re.sub(r"\s+", " ", text)):
        for first, last in re.findall(r"(\d+(?:\.\d+)?)(?: to (\d+))?", re.sub(r"\(.*?\)", "", sections)):
            numbers = map(str, range(int(first), int(last) + 1)) if last else [first]
            yield from ((part, number) for number in numbers)


def _command(words: tuple[str, str]) -> click.Command | None:
    command: click.Command | None = program
    for word in filter(None, words):
        if not isinstance(command, click.Group):
            return None
        command = command.get_command(click.Context(command), word)
    return command


def _documents(path: Path) -> list[bytes]:
    data = gzip.decompress(path.read_bytes()) if path.suffix == ".gz" else path.read_bytes()
    return data.splitlines() if ".jsonl" in path.name else [data]


def _run_ids(document: bytes) -> set[bytes]:
    return set(re.findall(rb'"runId": ?"([^"]+)"', document))


def _structure(document: bytes) -> str:
    """Members, lengths of lists and types, without the values."""

    def bones(value: Any) -> Any:
        if isinstance(value, dict):
            return {key: bones(member) for key, member in value.items()}
        return [bones(item) for item in value] if isinstance(value, list) else type(value).__name__

    return json.dumps(bones(json.loads(document)))

"""`afp study`: one study as a person reads it; all forms say the same, and `confirmed` says how false it may be."""

import base64
import json
import re
from collections.abc import Callable
from html.parser import HTMLParser
from pathlib import Path
from typing import Any

import pytest

from afp_nodes.studies.rates import false_rate
from afp_nodes.words import CostVerdict, ProbeVerdict, ReferenceFrom, Ruling, StudyKind, SuspectClass
from dataflows import job
from dataflows.cli.study_story import CELLS
from dataflows.study_words import ASKED, CLASSES, COSTS, REFERENCES, RULINGS
from tests.cli.conftest import SAMPLE, SAMPLED, Afp, event, recording, sets, write_lines
from tests.cli.test_trace import CAUSAL
from tests.studies.documents import ablation, arms, probe, probes

STUDIES = ("s-abl-one", "s-arm-memory", "s-arm-unstable", "s-rst-one")
SECRET = "Authorization: Bearer sk-test-FAKEFAKEFAKEFAKEFAKE"
HOSTILE = "<script>document.title='x'</script>\x1b[31m\u202e{{ 7*7 }}" + SECRET
CONTROLS = re.compile(r"[\x00-\x08\x0b-\x1f\x7f-\x9f\u202a-\u202e]")

Told = dict[str, Any]
Made = Callable[..., str]


class Page(HTMLParser):
    """The tags of a page, and its text."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.tags: list[str] = []
        self.images: list[dict[str, str | None]] = []
        self.text = ""
        self.feed(text)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append(tag)
        self.images += [dict(attrs)] if tag == "img" else []

    def handle_data(self, data: str) -> None:
        self.text += data


@pytest.fixture(scope="module")
def store(tmp_path_factory: pytest.TempPathFactory) -> str:
    """A store of the studies of the sample fleet."""
    path = tmp_path_factory.mktemp("study") / "store"
    job.run([str(SAMPLE.parent / "studies")], str(path))
    return str(path)


@pytest.fixture
def made(tmp_path: Path) -> Made:
    """Makes a store of studies alone."""

    def make(*studies: dict[str, Any]) -> str:
        inbox, path = tmp_path / "inbox", tmp_path / "store"
        inbox.mkdir()
        for place, study in enumerate(studies):
            (inbox / f"{place}.study.json").write_text(json.dumps(study))
        job.run([str(inbox)], str(path))
        return str(path)

    return make


@pytest.fixture
def told(afp: Afp) -> Callable[[str, str], Told]:
    """What `--json` tells of a study."""

    def tell(study_id: str, store: str) -> Told:
        shown = afp("study", study_id, "--store", store, "--json")
        assert shown.exit_code == 0, shown.stderr
        data: Told = json.loads(shown.stdout)
        return data

    return tell


def of(told: Told, subject_id: str) -> Told:
    [subject] = [each for each in told["subjects"] if each["side"]["subject_id"] == subject_id]
    return dict(subject)


def terminal(afp: Afp, study_id: str, store: str) -> str:
    shown = afp("study", study_id, "--store", store)
    assert shown.exit_code == 0, shown.stderr
    return shown.stdout


def page(afp: Afp, study_id: str, store: str, folder: Path) -> str:
    target = folder / "page.html"
    shown = afp("study", study_id, "--store", store, "--html", str(target))
    assert (shown.exit_code, shown.stdout) == (0, ""), shown.stderr
    assert f"written: {target}" in shown.stderr
    return target.read_text(encoding="utf-8")


def test_an_ablation_is_told(afp: Afp, store: str) -> None:
    said = terminal(afp, "s-abl-one", store)
    assert said.startswith(
        "study         s-abl-one, ablation: does the answer change without each of these sources?\n"
        "scenario      refunds\n"
        "original run  s-st-abl-one-original-r0\n"
        "reference     the answer of the run that the study is about:"
        " Your purchase qualifies: 59.90 EUR goes back to the card.\n"
        "comparator    default: an answer changed when its similarity is below 0.8\n"
        "embedder      mock: Counts character codes, as the reference's mock does: it knows neither"
    )
    assert "\nbaseline      baseline: stable; changed its answer in 0 of 3 runs\n" in said
    assert re.search(
        r"\ngold-tier +confirmed \(false rate up to 7\.7 %\)  3 of 3  43\.9 % to 100 %  0\.316 \(0\.316 to 0\.316\)"
        r"  2 loops, 107 tokens saved: cost-cause\n",
        said,
    )
    assert "\n  class both: answer and cost change without it\n" in said
    assert "for 5 % or less raise samples to at least 4 on both sides\n" in said


def test_each_seed_stands_on_the_scale_with_band_and_threshold(afp: Afp, store: str) -> None:
    said = terminal(afp, "s-arm-unstable", store)
    assert "\na  |       ●" + "░" * 24 + "¦" + "░" * 7 + "2|\n" in said
    assert "\nb  |       " + "░" * 25 + "¦" + "░" * 7 + "3|\n" in said
    assert len("       ●" + "░" * 24 + "¦" + "░" * 7 + "2") == CELLS


def test_a_baseline_that_flips_confirms_nothing(told: Callable[..., Told], store: str) -> None:
    data = told("s-arm-unstable", store)
    assert (data["question"]["baseline_stable"], data["baseline"]["flips"], data["baseline"]["samples"]) == (
        False,
        1,
        3,
    )
    assert data["band"]["floor"] == pytest.approx(0.1775893081300294)
    assert data["subjects"][0]["notes"][0] == (
        "inconclusive: the baseline itself changed its answer, so no change can be told from noise"
    )


def test_what_a_manifest_contradicts_is_told_of_each_arm_and_of_the_baseline(
    told: Callable[..., Told], store: str
) -> None:
    data = told("s-arm-memory", store)
    assert "memory.id: declared nope, the manifest says travel-docs" in of(data, "wrong-id")["notes"]
    assert "2 manifests seen: not applied as declared" in of(data, "rerank")["notes"]
    assert "2 manifests seen: none contradicts what the arm declares" in of(data, "topk-id")["notes"]
    assert data["baseline"]["notes"][0].startswith("memory: declared memory.retrieval=topK, the manifest says ")


@pytest.mark.parametrize("study_id", STUDIES)
def test_terminal_json_and_page_say_the_same(
    afp: Afp, told: Callable[..., Told], store: str, tmp_path: Path, study_id: str
) -> None:
    data, said = told(study_id, store), terminal(afp, study_id, store)
    shown = Page(page(afp, study_id, store, tmp_path))
    sentences = [*data["says"].values(), *data["baseline"]["notes"]]
    sentences += [note for subject in data["subjects"] for note in subject["notes"]]
    assert data["subjects"]
    for sentence in sentences:
        assert sentence in said
        assert sentence in shown.text
    for subject in data["subjects"]:
        row = rf"{subject['side']['subject_id']} +{subject['verdict']}.* {subject['flips']} of {subject['samples']} "
        assert re.search(row, said)
        similarities = [probe["similarity"] for probe in subject["side"]["probes"]]
        assert subject["similarity_mean"] == pytest.approx(sum(similarities) / len(similarities))


@pytest.mark.parametrize("study_id", STUDIES)
def test_wherever_confirmed_stands_its_false_rate_does(
    afp: Afp, told: Callable[..., Told], store: str, tmp_path: Path, study_id: str
) -> None:
    confirmed = [each for each in told(study_id, store)["subjects"] if each["verdict"] == "confirmed"]
    texts = terminal(afp, study_id, store), Page(page(afp, study_id, store, tmp_path)).text
    assert bool(confirmed) is (study_id != "s-arm-unstable")
    for subject in confirmed:
        rate = f"{100 * subject['false_rate']:.1f} %"
        for text in texts:
            assert f"confirmed (false rate up to {rate})" in text
            assert f"would still say confirmed up to {rate} of the time" in text


def test_the_samples_that_are_proposed_are_the_least_that_suffice(afp: Afp, made: Made) -> None:
    path = made(ablation(*probes("baseline", "same", "same"), *probes("spec", "x", "x")))
    assert "raise samples to at least 4 on both sides" in terminal(afp, "s", path)
    rates = [false_rate(ProbeVerdict.CONFIRMED, n, n, seed_0_is_reference=False) <= 0.05 for n in range(2, 5)]
    assert rates == [False, False, True]


def test_enough_samples_need_no_warning(afp: Afp, made: Made) -> None:
    path = made(ablation(*probes("baseline", *["same"] * 9), *probes("spec", *["x"] * 9)))
    said = terminal(afp, "s", path)
    assert re.search(r"\nspec +confirmed  9 of 9", said)
    assert "false rate" not in said


def test_failed_missing_silent_and_repeated_runs_are_told(afp: Afp, made: Made) -> None:
    runs = [
        *probes("baseline", "same", "same", "same"),
        probe("spec", 0),
        probe("spec", 0, run_id="spec-again"),
        probe("spec", 1, None, error=f"no answer {HOSTILE}"),
        probe("spec", 4, None),
    ]
    said = terminal(afp, "s", made(ablation(*runs, options={"comparator": "exact", "samples": 3})))
    assert "\n  inconclusive: fewer than two of its runs count\n" in said
    assert "\n  seed 1 failed (spec-1): no answer <script>" in said
    assert "\n  seed 4 does not count (spec-4): not known whether its answer changed\n" in said
    assert "\n  seed 0 is listed 1 more time; one run counts\n" in said
    assert "\n  it has no run of seed 2\n" in said
    assert "\n  the baseline has no run of seed 4\n" in said


def test_a_study_without_a_run_is_told_too(afp: Afp, made: Made, tmp_path: Path) -> None:
    path = made(ablation(*probes("baseline", "same", "same")))
    said = terminal(afp, "s", path)
    assert "|  no run\n" in said
    assert "no run counts" in said
    assert "spec no run" in str(Page(page(afp, "s", path, tmp_path)).images[0]["alt"])


@pytest.mark.parametrize("study_id", STUDIES)
def test_a_page_runs_and_loads_nothing_and_tells_its_plot(
    afp: Afp, told: Callable[..., Told], store: str, tmp_path: Path, study_id: str
) -> None:
    text = page(afp, study_id, store, tmp_path)
    shown = Page(text)
    assert {"script", "iframe", "object", "link"}.isdisjoint(shown.tags)
    assert re.search(r"default-src 'none'; style-src '[^']+'; img-src data:; base-uri 'none'", text)
    [image] = shown.images
    for subject in told(study_id, store)["subjects"]:
        assert f"{subject['side']['subject_id']} " in (image["alt"] or "")
    svg = drawn(image)
    assert svg.startswith("<svg")
    assert all(subject["side"]["subject_id"] in svg for subject in told(study_id, store)["subjects"])
    assert ("null band" in svg) is study_id.startswith("s-arm")


def drawn(image: dict[str, str | None]) -> str:
    """The plot of a page."""
    address, _, coded = str(image["src"]).partition(",")
    assert address == "data:image/svg+xml;base64"
    return base64.b64decode(coded).decode()


@pytest.mark.parametrize("form", [(), ("--json",), ("--html", "page.html")])
def test_hostile_names_steer_nothing_and_secrets_are_masked(
    afp: Afp, made: Made, tmp_path: Path, form: tuple[str, ...], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    study = arms(
        *probes(f"a{HOSTILE}", HOSTILE, HOSTILE),
        *probes(f"b{HOSTILE}", "x", "x"),
        facets={f"a{HOSTILE}": {"k": HOSTILE}, f"b{HOSTILE}": {"k": f"b{HOSTILE}"}},
        baseline=f"a{HOSTILE}",
        study_id=f"s{HOSTILE}",
        scenario=HOSTILE,
    )
    shown = afp("study", "s", "--store", made(study), *form)
    assert shown.exit_code == 0, shown.stderr
    written = "".join(path.read_text() for path in tmp_path.glob("page.html"))
    plots = "".join(map(drawn, Page(written).images))
    for text in (shown.stdout + shown.stderr, written, plots):
        assert "FAKE" not in text
        assert not CONTROLS.search(text)
    assert bool(plots) is ("--html" in form)
    for markup in (written, plots):
        assert "<script" not in markup


@pytest.mark.parametrize("form", [(), ("--json",), ("--html", "page.html")])
def test_what_the_record_of_a_run_redacts_is_not_shown_from_its_study(
    afp: Afp, tmp_path: Path, form: tuple[str, ...], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    inbox = tmp_path / "inbox"
    inbox.mkdir()
    commit = sets(pin="REDACTED") | {"redactedPaths": ["pin"]}
    write_lines(inbox / "runs.jsonl", recording("original", [commit], events=[event("x.y", pin="4711-hidden")]))
    runs = [*probes("baseline", "same", "same"), probe("spec", 0, None, error="wrong pin 4711-hidden")]
    study = ablation(*runs, original_run_id="original", original_output="it is 4711-hidden", scenario="4711-hidden")
    (inbox / "s.study.json").write_text(json.dumps(study))
    job.run([str(inbox)], str(tmp_path / "store"))
    shown = afp("study", "s", "--store", str(tmp_path / "store"), *form)
    assert shown.exit_code == 0, shown.stderr
    text = shown.stdout + "".join(path.read_text() for path in tmp_path.glob("page.html"))
    assert "4711" not in text
    assert "it is [redacted]" in text


def test_subjects_that_look_alike_once_masked_stay_apart(afp: Afp, made: Made, tmp_path: Path) -> None:
    specs = [f"Bearer sk-test-FAKEFAKEFAKEFAKEFAKE{number}" for number in (1, 2)]
    runs = [each for spec, answer in zip(specs, ("same", "x"), strict=True) for each in probes(spec, answer, answer)]
    path = made(ablation(*probes("baseline", "same", "same"), *runs, specs=specs))
    assert re.search(r"not-confirmed +0 of 2(.*\n)+?.* confirmed .* 2 of 2", terminal(afp, "s", path))
    assert "[masked] (2)" in drawn(Page(page(afp, "s", path, tmp_path)).images[0])


@pytest.mark.parametrize(
    ("typed", "said"),
    [
        ("nope", 'There is no study nope. The studies: afp sql "SELECT study_id, kind FROM studies"'),
        ("s-arm", "2 studies begin with s-arm: s-arm-memory, s-arm-unstable. Type more of the id."),
        ("s-abl-oen", "There is no study s-abl-oen. Did you mean s-abl-one"),
    ],
)
def test_a_study_that_is_not_there_is_said_with_what_may_have_been_meant(
    afp: Afp, store: str, typed: str, said: str
) -> None:
    shown = afp("study", typed, "--store", store)
    assert (shown.exit_code, shown.stdout) == (2, "")
    assert said in shown.stderr


def test_a_store_without_studies_says_so(afp: Afp, tmp_path: Path) -> None:
    job.run([str(SAMPLE / SAMPLED[1])], str(tmp_path / "store"))
    shown = afp("study", "s", "--store", str(tmp_path / "store"))
    assert (shown.exit_code, shown.stdout) == (2, "")
    assert "The store holds no study." in shown.stderr


@pytest.mark.parametrize("study_id", STUDIES)
def test_no_causal_word_stands_outside_of_the_words_of_verdicts(afp: Afp, store: str, study_id: str) -> None:
    said = terminal(afp, study_id, store).replace(CostVerdict.COST_CAUSE, "")
    assert not CAUSAL.search(said)


def test_every_word_of_a_study_has_its_sentence() -> None:
    for words, sentences in (
        (StudyKind, ASKED),
        (ReferenceFrom, REFERENCES),
        (Ruling, RULINGS),
        (CostVerdict, COSTS),
        (SuspectClass, CLASSES),
    ):
        assert sentences.keys() == set(words)
        assert not [said for said in sentences.values() if CAUSAL.search(said)]

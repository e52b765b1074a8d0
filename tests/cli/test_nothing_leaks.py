"""Whatever a recording holds: no command that people read obeys it, shows a secret, or shows what it redacts."""

import json
import re
from pathlib import Path

import pytest

from tests.cli.conftest import Afp, write_lines
from tests.cli.leaks import WITHOUT_IDS, read_by_people, saying

HOSTILE = (
    "<script>document.title='owned'</script><img src=x onerror=alert(1)>\"'`--><!-- **bold** [x](javascript:alert(1))"
    " {{ 7*7 }} {% raw %} '; DROP TABLE runs;-- =cmd()"
    " \x00\x07\x1b[31m\x1b]8;;http://x\x07\u202e\u2066\u2028\ufeff"
)
KEY = "sk-FAKEFAKEFAKEFAKEFAKE1"
SECRETS = (
    f'{{"api_key":"{KEY}","header":"Authorization: Bearer FAKE-token-FAKE-1234567890","url":'
    '"https://me:FAKEpass1@api.test/v1?token=FAKEtoken123&page=2"}'
)
HIDDEN = 'Mira Okafor, DE89 3704 "0044"'
REDACTING = {
    "shared": {"customer": "[REDACTED]"},
    "commit": {
        "overwrite": {"customer": "REDACTED"},
        "trace": [{"path": "customer", "verb": "set"}],
        "redactedPaths": ["customer"],
    },
}


@pytest.fixture
def shown(afp: Afp, tmp_path: Path, request: pytest.FixtureRequest) -> dict[str, str]:
    """What people read of one run that says `text` everywhere, the summary of the job included."""
    text, run_id, members = request.param
    document = saying(text, run_id, **members)
    if members:
        document["recording"]["events"][0]["payload"]["customer"] = text
    inbox, store = write_lines(tmp_path / "in.jsonl", document), str(tmp_path / "store")
    summary = afp("run", str(inbox), "--store", store)
    assert summary.exit_code == 0, summary.output
    again = afp("run", str(inbox), "--store", store, "--json")
    return read_by_people(afp, store, run_id, tmp_path) | {"run": summary.output, "run --json": again.output}


@pytest.mark.parametrize("shown", [(HOSTILE, f"run {HOSTILE}", {})], indirect=True, ids=["hostile"])
def test_nothing_that_a_recording_says_is_obeyed(shown: dict[str, str]) -> None:
    for words, text in shown.items():
        assert not re.search("[\x00-\x08\x0b-\x1f\x7f-\x9f\u061c\u2028-\u202e\u2066-\u2069\ufeff]", text), words
    assert not re.search(r"<(?:script|img)|javascript:(?!alert\(1\)\))", shown["page"])
    assert "&lt;script&gt;" in shown["page"]
    assert "{{ 7*7 }}" in shown["page"]
    for words in shown:
        if words.endswith("--json"):
            json.loads(shown[words].rpartition("\n}")[0] + "\n}" if words.startswith("explain") else "[]")


@pytest.mark.parametrize("shown", [(SECRETS, "r", {})], indirect=True, ids=["secrets"])
def test_no_secret_is_shown(shown: dict[str, str]) -> None:
    for words, text in shown.items():
        assert "FAKE" not in text, words
    assert "[masked]" in shown["explain r"]
    assert "- Secrets are masked in what is shown here, at " in shown["explain r"]


@pytest.mark.parametrize("shown", [(HIDDEN, "r", REDACTING)], indirect=True, ids=["redacted"])
def test_no_redacted_value_is_shown_from_another_channel(shown: dict[str, str]) -> None:
    for words, text in shown.items():
        assert "Okafor" not in text, words
        assert not re.search(r"\b3704\b", text), words
    assert "[redacted]" in shown["explain r"]
    assert "- The record redacts what stands under customer: it is not shown here" in shown["explain r"]


@pytest.mark.parametrize("shown", [(HIDDEN, "r", {})], indirect=True, ids=["plain"])
def test_what_no_record_redacts_is_shown_everywhere(shown: dict[str, str]) -> None:
    silent = {words for words, text in shown.items() if "Okafor" not in text}
    to_people = {words for words in silent if words.split()[0] not in ("sql", "explain") and "--html" not in words}
    assert to_people == {"tables", "run --json"}
    assert silent.isdisjoint({"explain r", "explain r --json", *(" ".join(words) for words in WITHOUT_IDS)})

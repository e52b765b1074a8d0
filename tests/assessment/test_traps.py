"""Where JavaScript and Python read a state differently. Rule: assessment and routing, section 0."""

from typing import Any

import pytest

from afp_nodes.assessment import assess, read_emptiness, read_state
from tests.assessment.cases import state_assessed
from tests.assessment.test_examples import ABSENCE, argument, fired, ledger, period, places, ran, result, state


def of_text(text: str) -> Any:
    """The reasons for which a state, as text, is not known to stand."""
    return [given.reason for given in assess(read_state(text), {}, redacted=False).reasons]


def test_a_truth_value_is_no_number() -> None:
    assert ledger(argument(source="default") | {"turn": True})["checked"] == []
    assert fired(ledger(argument(source="default"), turn=True)) == ["argument-assumed"]
    assert fired(ledger({"kind": "grounded", "turn": 1, "lookedUp": True})) == []
    told = state_assessed(state(result("[]x", toolChars=True)))
    assert fired(told) == []


def test_one_number_has_many_spellings() -> None:
    for spelling in ("1", "1.0", "10e-1"):
        row = f'{{"kind":"period","turn":{spelling},"toolCallId":"c","verdict":"unknown"}}'
        assert of_text(f'{{"turnNumber":1,"findingsLedger":[{row}]}}') == ["period-unknown"]


def test_whole_numbers_beyond_the_exact_ones_are_doubles() -> None:
    row = '{"kind":"period","turn":9007199254740993,"toolCallId":"c","verdict":"unknown"}'
    assert of_text(f'{{"turnNumber":9007199254740992,"findingsLedger":[{row}]}}') == ["period-unknown"]
    infinite = row.replace("9007199254740993", "1e999")
    assert of_text(f'{{"turnNumber":2e999,"findingsLedger":[{infinite}]}}') == ["period-unknown"]


def test_a_member_that_is_null_is_present() -> None:
    assert fired(ledger(argument(source="model", rule=None))) == ["argument-unverified"]
    assert fired(ledger(argument(failed=None))) == ["argument-unverified"]
    injected = {"role": "user", "content": "q", "injectedBy": None}
    assert state_assessed({"history": [injected]})["turnFrom"] == "whole-history"
    assert read_emptiness({"af_coverage": {}, "result": None}).bounded


@pytest.mark.parametrize("almost", [1, "true", {}, [True]])
def test_only_true_is_true(almost: Any) -> None:
    assert fired(ledger(argument(source="said", reading=almost))) == []
    assert fired(ledger(period("covered", beyondRetention=almost))) == []
    assert fired(ledger(unsupportedValues={"revised": almost})) == ["value-unsupported"]
    assert fired(state_assessed(state(result(ABSENCE | {"af_absent": almost})))) == []


@pytest.mark.parametrize("value", [[], None, "x", 5])
def test_a_list_is_no_record_and_a_record_no_list(value: Any) -> None:
    assert state_assessed({"stoppedEarly": value, "unsupportedValues": value, "argumentAsk": value})["reasons"] == []
    told = state_assessed({key: {} for key in ("history", "findingsLedger", "coverageDeclared", "middlewareDecisions")})
    assert (told["standing"], told["checked"]) == ("not-assessed", [])


def test_lengths_count_utf16_code_units_and_a_cut_may_split_a_pair() -> None:
    assert fired(state_assessed(state(result('[]"😀"', toolChars=2)))) == ["empty-undeclared"]
    smiles = '["😀😀"]'
    assert ran(state_assessed(state(result(smiles + "x", toolChars=8))))["result-shape"] == (1, 1)
    assert ran(state_assessed(state(result(smiles + "x", toolChars=5))))["result-shape"] == (0, 1)
    assert ran(state_assessed(state(result(smiles, toolChars=9))))["result-shape"] == (1, 1)
    assert ran(state_assessed(state(result('["\ud83d"]'))))["result-shape"] == (1, 1)


@pytest.mark.parametrize(
    "text", ["[NaN]", "[Infinity]", "[-Infinity]", "[1,]", "[] x", "[]]", "{'a':1}", "[01]", '["\n"]', "[", "[\u00a0]"]
)
def test_a_text_that_is_not_strictly_json_stays_a_text(text: str) -> None:
    assert read_emptiness(text).emptiness == "unknown"
    assert not read_emptiness(text).undeclared_shape


def test_of_repeated_members_the_last_counts() -> None:
    assert read_emptiness('{"rows":[1],"rows":[]}', "rows").emptiness == "undeclared-empty"
    assert of_text('{"pausedToolCallId":"p","pausedToolCallId":""}') == []


@pytest.mark.parametrize("space", ["\t\n\v\f\r ", "\u00a0", "\ufeff", "\u2028", "\u2029", "\u1680", "\u200a", "\u3000"])
def test_white_space_of_javascript_is_taken_off(space: str) -> None:
    assert read_emptiness(f"{space}[]{space}").emptiness == "undeclared-empty"


@pytest.mark.parametrize("control", ["\x1c", "\x1d", "\x1e", "\x1f", "\x85", "\u180e", "\u200b"])
def test_white_space_of_python_alone_is_not(control: str) -> None:
    assert read_emptiness(f"{control}[]").emptiness == "unknown"
    assert read_emptiness(f"[]{control}").emptiness == "unknown"


def test_names_that_objects_inherit_find_nothing() -> None:
    assert read_emptiness({}, "constructor").emptiness == "unknown"
    assert read_emptiness({"constructor": []}, "constructor").emptiness == "undeclared-empty"
    assert fired(ledger(period("constructor"), period("toString"))) == []
    assert ran(state_assessed(state(result({"length": []}, tool="constructor")), {"t": "length"}))["result-shape"] == (
        0,
        1,
    )


def test_members_stand_in_any_order() -> None:
    rows = [argument("b"), argument("10"), argument("9")]
    told = ledger(*rows)
    assert [place["path"] for place in told["checked"][0]["witness"]] == ["/0/argument", "/1/argument", "/2/argument"]
    assert places(ledger(period("unknown", **{"10": 1, "2": 2})), "period-unknown") == ["/0/verdict"]


def test_a_state_may_be_nested_more_deeply_than_decoders_follow() -> None:
    deep = "[" * 9_000 + "]" * 9_000
    assert of_text(f'{{"pausedToolCallId":"p","other":{deep}}}') == ["asked"]
    told = f'{{"role":"tool","toolCallId":"c","toolName":"t","content":{deep}}}'
    assert of_text(f'{{"pausedToolCallId":"p","history":[{told}]}}') == ["asked"]
    quoted = f'{{"role":"tool","toolCallId":"c","toolName":"t","content":"{deep}"}}'
    assert of_text(f'{{"stoppedEarly":{{}},"history":[{quoted}]}}') == ["stopped-early"]

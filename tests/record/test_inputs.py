"""Studies, unit lists and declarations: recognised by name or content, and checked."""

import json
from typing import Any

import pytest

from afp_nodes.record import ReadInput, RefusedError, read_document
from afp_nodes.words import InputKind, QuarantineCode
from tests.record.documents import bare, encoded

STUDY = {
    "study_id": "s",
    "kind": "ablation",
    "baseline": "baseline",
    "specs": [{"spec_id": "a", "kind": "tool", "spec": {}}],
    "runs": [
        {"run_id": "r", "arm_or_spec_id": "a", "seed": 0, "output": "x", "cost": {"loops": 2, "tokens": 1}},
        {"run_id": "q", "arm_or_spec_id": "a", "seed": 1, "error": "crashed"},
    ],
}
UNITS = {"run_id": "r", "available": [{"id": "a", "content": "text"}, {"id": "b"}], "sent": []}
DECLARED = {"run_ids": "*", "tools": {"lookup": {"rowsAt": "rows"}, "other": {}}, "routing": {"appDecides": True}}


def read(document: Any, name: str) -> ReadInput:
    result = read_document(encoded(document), name)
    assert isinstance(result, ReadInput)
    return result


def refusal(document: Any, name: str) -> RefusedError:
    with pytest.raises(RefusedError) as refused:
        read_document(encoded(document), name)
    return refused.value


@pytest.mark.parametrize(
    ("name", "document", "kind"),
    [
        ("/a/study.json", STUDY, InputKind.STUDY),
        ("/a/my.study.json.gz", STUDY, InputKind.STUDY),
        ("/a/anything.json", STUDY, InputKind.STUDY),
        ("/a/all.zip::deep/x.units.json.zst", UNITS, InputKind.UNITS),
        ("memory://b/x.units.json", [UNITS, UNITS], InputKind.UNITS),
        ("/a/x.declarations.json", DECLARED, InputKind.DECLARATIONS),
    ],
)
def test_inputs_are_known_by_name_and_studies_by_content_too(name: str, document: Any, kind: InputKind) -> None:
    taken = read(document, name)
    assert taken.kind == kind
    assert json.loads(taken.content_json) == document
    assert taken.refused_entries == []


def test_the_content_is_kept_as_recorded_without_white_space() -> None:
    spelled = json.dumps({**STUDY, "extra": 1.5}, indent=2).replace("1.5", "1.50")
    assert read("\ufeff" + spelled, "study.json").content_json == json.dumps(
        {**STUDY, "extra": 1.5}, separators=(",", ":")
    ).replace("1.5", "1.50")


@pytest.mark.parametrize(
    "broken",
    [
        {"study_id": ""},
        {"study_id": 5},
        {"kind": "guess"},
        {"runs": {}},
        {"runs": [{"run_id": "r"}]},
        {"runs": [5]},
        {"specs": None},
        {"specs": [{"kind": "tool"}]},
        {"kind": "arms"},
        {"kind": "restoration"},
        {"options": {"samples": "three"}},
        {"baseline": 5},
    ],
)
def test_a_study_that_cannot_be_read_is_refused(broken: dict[str, Any]) -> None:
    assert refusal({**STUDY, **broken}, "study.json").code == QuarantineCode.BAD_STUDY


@pytest.mark.parametrize(
    ("broken", "says"),
    [
        ({"study_id": 5}, "`study_id` must be a text, not a whole number"),
        ({"study_id": ""}, "`study_id` must not be empty"),
        ({"kind": "guess"}, "`kind` is 'guess', which is none of the words it may be"),
        ({"runs": {}}, "`runs` must be a list, not an object"),
        ({"runs": [{"run_id": "r"}]}, "`runs[0]` has no `arm_or_spec_id`"),
        ({"runs": [{"run_id": "r", "arm_or_spec_id": "a", "seed": []}]}, "`runs[0].seed` must be a whole number"),
        ({"runs": [{"run_id": "r", "arm_or_spec_id": "a"}]}, "`runs[0]` has no `seed`"),
        ({"options": {"samples": "three"}}, "`options.samples` must be a number or null, not a text"),
        ({"options": {"samples": 1e300}}, "`options.samples` is out of range"),
        ({"options": {"maxCandidates": -1}}, "`options.maxCandidates` must not be negative"),
        ({"options": {"maxCandidates": 2.5}}, "`options.maxCandidates` must be a whole number or null, not a number"),
        ({"embedder": "moc"}, "there is no embedder 'moc'; did you mean 'mock'?"),
        ({"options": {"comparator": "firstword"}}, "there is no comparator 'firstword'; did you mean 'first-word'?"),
        ({"baseline": "a"}, "'a' is the id of both the baseline and a spec"),
        ({"specs": None}, "its kind is ablation, without `specs`"),
        ({"kind": "restoration"}, "its kind is restoration, without `available` and `sent`"),
    ],
)
def test_a_refused_study_is_told_which_member_is_wrong_in_plain_words(broken: dict[str, Any], says: str) -> None:
    assert says in refusal({**STUDY, **broken}, "study.json").message


def test_a_document_that_is_no_object_or_lacks_a_member_is_told_so() -> None:
    assert refusal("5", "study.json").message.endswith("it must be an object, not a whole number")
    assert refusal({"study_id": "s", "kind": "arms"}, "study.json").message.endswith("it has no `runs`")


def test_a_number_beyond_all_numbers_is_told_by_its_place() -> None:
    study = json.dumps({**STUDY, "options": {"flipThreshold": 8}}).replace(": 8}", ": 1e999}")
    assert refusal(study, "study.json").message.endswith("`options.flipThreshold` is out of range")


@pytest.mark.parametrize("options", [{"samples": 2.9}, {"samples": -1}, {"samples": None}, {"flipThreshold": 2}])
def test_a_study_may_ask_for_any_number_of_samples(options: dict[str, Any]) -> None:
    assert read({**STUDY, "options": options}, "study.json").kind == InputKind.STUDY


@pytest.mark.parametrize(
    ("arms", "code"),
    [
        ([], "too-few-arms"),
        ([{"id": "baseline"}], "too-few-arms"),
        ([{"id": "baseline"}, {"id": " "}], "blank-arm-id"),
        ([{"id": "baseline"}, {"facets": {"model": "m"}}], "blank-arm-id"),
        ([{"id": "baseline"}, {"id": 5, "facets": {"model": "m"}}], "blank-arm-id"),
        ([{"id": "baseline"}, {"id": "baseline", "facets": {"model": "m"}}], "repeated-arm-id"),
        ([{"id": "a"}, {"id": "b", "facets": {"model": "m"}}], "unknown-baseline"),
        ([{"id": "baseline"}, {"id": "b"}], "undeclared-arm"),
        ([{"id": "baseline"}, {"id": "b", "facets": {"model": None, "memory": {}}, "ablations": []}], "undeclared-arm"),
        ([{"id": "baseline"}, *({"id": i, "facets": {"model": "m"}} for i in "bc")], "same-configuration"),
        ([{"id": "baseline"}, {"id": "b", "facets": {"model": "m"}}, {"id": "c", "facets": 5}], "bad-study"),
        ([{"id": "baseline"}, {"id": "b", "facets": {"memory": "topK"}}], "bad-study"),
        ([5, {"id": "b", "facets": {"model": "m"}}], "bad-study"),
    ],
)
def test_arms_that_make_no_comparison_are_refused_under_the_name_of_the_reason(arms: list[Any], code: str) -> None:
    study = {**STUDY, "kind": "arms", "arms": arms, "specs": None}
    assert refusal(study, "study.json").code == code


def test_a_comparison_of_which_several_things_are_wrong_is_refused_for_the_first() -> None:
    equal = [{"id": "a"}, {"id": "a"}, {"id": ""}]
    assert refusal({**STUDY, "kind": "arms", "arms": equal}, "study.json").code == "repeated-arm-id"
    assert refusal({**STUDY, "kind": "arms", "arms": equal[1:], "baseline": "x"}, "study.json").code == "blank-arm-id"


def test_arms_of_equal_configuration_are_told_however_they_are_written() -> None:
    removals = [{"kind": "tool", "ignoredTools": ["a", "b"]}, {"kind": "memory", "excludeMemoryIds": ["m"]}]
    other_way = [removals[1], {"ignoredTools": ["b", "a"], "kind": "tool"}]
    arms = [{"id": "baseline"}, {"id": "b", "ablations": removals}, {"id": "c", "ablations": other_way, "facets": {}}]
    said = refusal({**STUDY, "kind": "arms", "arms": arms}, "study.json")
    assert said.code == "same-configuration"
    assert "arms 'b' and 'c' declare the same configuration" in said.message


def test_a_comparison_without_a_baseline_takes_the_first_arm() -> None:
    arms = [{"id": "a"}, {"id": "b", "facets": {"model": "m"}}]
    assert read({**STUDY, "kind": "arms", "arms": arms, "baseline": None}, "study.json").kind == InputKind.STUDY


@pytest.mark.parametrize("broken", [{"run_id": ""}, {"run_id": 5}, {"available": None}, {"sent": [{"content": "x"}]}])
def test_a_unit_list_that_cannot_be_read_is_refused(broken: dict[str, Any]) -> None:
    assert refusal({**UNITS, **broken}, "x.units.json").code == QuarantineCode.BAD_UNITS


@pytest.mark.parametrize("content", ['"text"', "null", "1e400", '{"n": 1.50}', "[" * 300 + "]" * 300])
def test_a_unit_may_hold_any_content(content: str) -> None:
    taken = read(f'{{"run_id": "r", "available": [{{"id": "", "content": {content}}}], "sent": []}}', "x.units.json")
    assert f'"content":{content.replace(": ", ":")}' in taken.content_json


@pytest.mark.parametrize("rows_at", ["", "a/b", "a.b", "/", ".", None, 5, ["a"]])
def test_a_malformed_rows_at_is_refused(rows_at: Any) -> None:
    declared = {**DECLARED, "tools": {"lookup": {"rowsAt": rows_at}}}
    assert refusal(declared, "x.declarations.json").code == QuarantineCode.BAD_DECLARATIONS


@pytest.mark.parametrize(
    "broken",
    [
        *({"run_ids": run_ids} for run_ids in ("all", None, {}, [5])),
        *({"tools": tools} for tools in (None, [], "t", {"a": 5}, {"a": None}, {"a": ["rows"]})),
    ],
)
def test_a_declaration_that_cannot_be_read_is_refused(broken: dict[str, Any]) -> None:
    assert refusal({**DECLARED, **broken}, "x.declarations.json").code == QuarantineCode.BAD_DECLARATIONS


@pytest.mark.parametrize("other", [{"routing": 5}, {"routing": {"appDecides": "yes"}}, {"skills": []}, {"tools": {}}])
def test_what_else_a_declaration_holds_is_not_judged(other: dict[str, Any]) -> None:
    assert read({**DECLARED, **other}, "x.declarations.json").refused_entries == []


def test_a_list_of_declarations_keeps_those_that_are_well_formed() -> None:
    bad = [{**DECLARED, "tools": {"t": {"rowsAt": rows_at}}} for rows_at in ("", None, "a.b")]
    taken = read([bad[0], DECLARED, *bad[1:], "text"], "x.declarations.json")
    assert json.loads(taken.content_json) == [DECLARED]
    assert [position for position, _ in taken.refused_entries] == [0, 2, 3, 4]
    assert {error.code for _, error in taken.refused_entries} == {QuarantineCode.BAD_DECLARATIONS}


def test_in_a_list_a_malformed_entry_is_refused_and_the_others_are_taken() -> None:
    taken = read([UNITS, 5, {"run_id": "q"}, {**UNITS, "run_id": "p"}], "x.units.json")
    assert [entry["run_id"] for entry in json.loads(taken.content_json)] == ["r", "p"]
    assert [position for position, _ in taken.refused_entries] == [1, 2]
    assert taken.refused_entries[0][1].code == QuarantineCode.BAD_UNITS
    assert taken.refused_entries[0][1].message.startswith("entry 1: ")


@pytest.mark.parametrize(
    ("text", "code"), [('{"study_id":', "truncated"), ("", "not-json"), ("[" * 20_000 + "]" * 20_000, "too-deep")]
)
def test_an_input_is_refused_for_what_any_document_is(text: str, code: str) -> None:
    assert refusal(text, "study.json").code == code


def test_an_input_nested_more_deeply_than_it_may_is_refused() -> None:
    deep = json.dumps(STUDY)[:-1] + ',"scenario":' + "[" * 600 + "]" * 600 + "}"
    assert refusal(deep, "study.json").code == QuarantineCode.TOO_DEEP


def test_a_recording_under_an_inputs_name_is_no_input() -> None:
    assert refusal(bare(), "x.study.json").code == QuarantineCode.BAD_STUDY

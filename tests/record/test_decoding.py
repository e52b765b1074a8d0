"""Documents as bytes: every misspelling of JSON has its own refusal, and what is legal JavaScript is read."""

import json
import math
from typing import Any

import pytest

from afp_nodes.record import RefusedError, read_document
from afp_nodes.words import QuarantineCode
from tests.record.documents import bare, commit, encoded, envelope, event, facts_of, recording_of, run_of

WHOLE = json.dumps(envelope(bare({"commitLog": [commit("a#0", {"k": "é"}, ["set k"])]})), ensure_ascii=False)


def refusal(document: Any, name: str = "run.json") -> RefusedError:
    with pytest.raises(RefusedError) as refused:
        read_document(encoded(document), name)
    return refused.value


@pytest.mark.parametrize("text", ["", "  \r\n"])
def test_an_empty_document_says_so(text: str) -> None:
    refused = refusal(text)
    assert refused.code == QuarantineCode.NOT_JSON
    assert refused.message == "the document is empty"


@pytest.mark.parametrize(
    ("text", "place"),
    [
        ('{"events":\n[1,\n2,}', "line 3, column 3 (byte 17)"),
        ('{"é":NaN}', "NaN is no JSON number at line 1, column 6 (byte 6)"),
        ('{"events":[-Infinity]}', "-Infinity is no JSON number at line 1, column 12 (byte 11)"),
        ('{"events":[]} x', "line 1, column 15 (byte 14)"),
        ('{"events":[]}e', "line 1, column 14 (byte 13)"),
        ('{"events":"\\x"}', "line 1, column 12 (byte 11)"),
        ("{'events':[]}", "line 1, column 2 (byte 1)"),
    ],
)
def test_what_is_not_json_is_named_by_its_place(text: str, place: str) -> None:
    refused = refusal(text)
    assert refused.code == QuarantineCode.NOT_JSON
    assert place in refused.message


@pytest.mark.parametrize("end", range(1, len(WHOLE.encode())))
def test_a_document_cut_anywhere_is_truncated(end: int) -> None:
    assert refusal(WHOLE.encode()[:end]).code == QuarantineCode.TRUNCATED


@pytest.mark.parametrize("text", ['{"snapshot":tru', '{"n":1.', '{"n":-', '{"t":"\\u12', '{"t":"\\', "[" * 3000])
def test_an_unfinished_word_number_or_escape_is_truncated(text: str) -> None:
    assert refusal(text).code == QuarantineCode.TRUNCATED


def test_bytes_that_are_not_utf8_are_named() -> None:
    refused = refusal(b'{"events":"\xff"}')
    assert refused.code == QuarantineCode.NOT_JSON
    assert "byte 11 is 0xff" in refused.message


def test_a_byte_order_mark_and_crlf_are_taken() -> None:
    text = json.dumps(envelope(bare(events=[event("x", {"t": "a"})])), indent=2).replace("\n", "\r\n")
    facts = facts_of(b"\xef\xbb\xbf" + text.encode())
    assert facts["events"]["payload_json"].to_list() == ['{"t":"a"}']


def test_half_of_a_surrogate_pair_becomes_the_replacement_character_and_is_counted() -> None:
    texts = r'"\ud83d\ude00 \ud800 \\ud800 \udc00 \ud83d\ud83d\ude00 \uDBFFx"'
    facts = facts_of('{"events":[{"type":"t","payload":{"result":' + texts + '},"meta":{}}]}')
    payload = json.loads(facts["events"]["payload_json"][0])
    assert payload["result"] == "😀 � \\ud800 � �😀 �x"
    assert facts["run_records"]["replaced_characters"][0] == 4
    assert facts["run_records"]["odd_values"][0] == 0


def test_nul_and_control_characters_stay() -> None:
    facts = facts_of(bare({"sharedState": {"history": [{"role": "tool", "content": "\0\a"}]}}))
    assert facts["messages"]["content"].to_list() == ["\0\a"]


def test_numbers_keep_their_spelling() -> None:
    numbers = '{"a":9007199254740993,"b":18446744073709551616,"c":-9223372036854775809,"d":1.50,"e":1e400,"f":4}'
    facts = facts_of('{"events":[{"type":"agentfootprint.stream.tool_start","payload":{"args":' + numbers + "}}]}")
    assert facts["tool_calls"]["args_json"].to_list() == [numbers]
    assert facts["events"]["payload_json"].to_list() == ['{"args":' + numbers + "}"]


def test_of_repeated_members_the_last_wins_in_every_table() -> None:
    text = (
        '{"format":"x","format":"agentfootprint.recording.v1","run":{"runId":"no","runId":"yes"},"recording":{"snapshot":'
        '{"sharedState":{"a":1,"b":{"x":1,"x":[{"y":1.50,"y":2.50}]},"a":3},'
        '"commitLog":[{"runtimeStageId":"s#0","overwrite":{"k":1,"k":2},"trace":[{"path":"k","verb":"no","verb":"set"}]}]}}}'
    )
    facts = facts_of(text)
    assert facts["states"]["state_json"].to_list() == ['{"a":3,"b":{"x":[{"y":2.50}]}}']
    assert facts["writes"].select("run_id", "verb", "overwrite_json").row(0) == ("yes", "set", "2")


@pytest.mark.parametrize("levels", [500, 990, 1500, 9_900])
def test_values_of_any_depth_come_back_whole(levels: int) -> None:
    deep = "[" * (levels // 2) + '{"a":[1.50,' * (levels // 4) + '"x"' + "]}" * (levels // 4) + "]" * (levels // 2)
    facts = facts_of(
        '{"snapshot":{"sharedState":{"history":[{"role":"tool","content":' + deep + '}]},"commitLog":'
        '[{"runtimeStageId":"s#0","overwrite":{"k":' + deep + ',"o":{"x":' + deep + '}},"trace":'
        '[{"path":"k","verb":"set"},{"path":"o\\u001fx","verb":"set"}]}]},"events":'
        '[{"type":"agentfootprint.stream.tool_start","payload":{"toolCallId":"c","args":' + deep + '},"meta":{}}]}'
    )
    assert facts["writes"]["overwrite_json"].to_list() == [deep, deep]
    assert facts["tool_calls"]["args_json"].to_list() == [deep]
    assert facts["messages"]["content"].to_list() == [deep]


@pytest.mark.parametrize("way", ["next", "children"])
def test_a_tree_of_any_depth_is_read(way: str) -> None:
    count = 4_000
    opening, closing = ("[", "]") if way == "children" else ("", "")
    node = '{"runtimeStageId":"s#%d","stageReads":{"k":{"size":1},"l":1},"' + way + '":' + opening
    tree = "".join(node % number for number in range(count)) + ("" if opening else "null") + (closing + "}") * count
    facts = facts_of('{"snapshot":{"executionTree":' + tree + "}}")
    assert facts["scopes"].select("steps", "steps_with_reads").row(0) == (count, count)
    assert facts["reads"]["key"].value_counts(sort=True)["count"].to_list() == [count, count]
    assert facts["run_records"]["odd_values"][0] == 0


def test_a_document_beyond_ten_thousand_levels_is_too_deep() -> None:
    at_the_limit = '{"snapshot":{"sharedState":{"x":' + "[" * 9_997 + "]" * 9_997 + "}}}"
    assert recording_of(at_the_limit).commits == 0
    refused = refusal(at_the_limit.replace("[]", "[[]]"))
    assert refused.code == QuarantineCode.TOO_DEEP
    assert "10,001 levels" in refused.message


def test_brackets_in_strings_are_no_levels() -> None:
    text = '"' + '[{\\"' * 20_000 + '"'
    assert run_of('{"snapshot":{"sharedState":{"userMessage":' + text + "}}}")["question"] == json.loads(text)


def test_a_placeholder_cannot_be_forged() -> None:
    forged = '{"(cut)":"' + "0" * 64 + ':o0"}'
    text = (
        '{"snapshot":{"sharedState":{"forged":' + forged + ',"deep":' + "[" * 2_000 + "]" * 2_000 + '},"executionTree":'
        '{"runtimeStageId":"a#0","stageReads":{"k":1},"next":' + forged + "}}}"
    )
    facts = facts_of(text)
    assert facts["states"]["state_json"][0].startswith('{"forged":' + forged + ',"deep":[[[')
    assert facts["scopes"]["steps"][0] == 1


def test_nothing_kept_holds_a_number_that_json_does_not_know() -> None:
    refused = refusal('{"events":[{"type":"t","payload":{"n":' + str(math.nan).replace("nan", "NaN") + "}}]}")
    assert refused.code == QuarantineCode.NOT_JSON

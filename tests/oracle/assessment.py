"""How an answer stands, read off the parsed state step by step, as plainly as the rule is written.

Rules: assessment and routing, sections 0 to 10. Results are the objects of sections 7, 5 and 10, as parsed JSON.
"""

import json
import unicodedata
from typing import Any

from tests.oracle.javascript import Value, code_units, joined

Object = dict[str, Any]

NOTICES = (
    *("[dropped history", "[compacted history", "[schema check"),
    *("[evidence check", "[budget exhausted", "[steps unrun"),
)
ALWAYS_ASKED = (
    *("history", "coverageDeclared", "pausedToolCallId", "findingsLedger", "turnNumber"),
    *("argumentAsk", "unsupportedValues", "stoppedEarly", "answerValidation"),
)
TABLE = """
    asked                      -  run
    argument-asked             2  run
    argument-assumed           2  calls
    argument-unverified        2  calls
    argument-read              2  calls
    value-contingent           2  calls
    coverage-gap               3  calls
    declared-absent            3  calls
    empty-undeclared           3  calls
    period-not-held            3  calls
    period-partly-held         3  calls
    period-unknown             3  calls
    period-undeclared          3  calls
    period-differs-from-asked  3  calls
    period-beyond-retention    3  calls
    sources-conflict           3  calls
    value-unsupported          4  answer
    value-survived-revision    4  answer
    derived-from-reading       4  answer
    stopped-early              4  run
    steps-unfinished           4  run
    answer-check-failed        4  answer
    check-unreachable          -  answer
"""
LAYERS = {
    **{"argument-rules": 2, "argument-sources": 2, "tool-coverage": 3, "result-shape": 3, "result-period": 3},
    **{"names-and-numbers": 4, "answer-checks": 4},
}
MOST_ENTRIES = 1000
MOST_BOUNDARIES = 8


def is_object(value: Value) -> bool:
    return isinstance(value, dict)


def is_list(value: Value) -> bool:
    return isinstance(value, list)


def is_text(value: Value) -> bool:
    return isinstance(value, str)


def is_number(value: Value) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool)


def is_full_list(value: Value) -> bool:
    return is_list(value) and len(value) > 0


def state_of(record: Value) -> Object:
    """The state of the snapshot, else of the checkpoint, else an empty one."""
    for door in ("snapshot", "checkpoint"):
        if is_object(record.get(door)) and is_object(record[door].get("sharedState")):
            return record[door]["sharedState"]
    return {}


def is_redacted(record: Value) -> bool:
    """Whether the snapshot's recorders hold the marker of a redaction policy."""
    snapshot = record.get("snapshot")
    recorders = snapshot.get("recorders") if is_object(snapshot) else None
    return is_list(recorders) and any(is_object(r) and r.get("id") == "agentfootprint.redaction" for r in recorders)


def assess(record: Object, declarations: Object | None = None) -> Object:
    """The result of section 7 for a record and what an application declares."""
    return Fold(state_of(record), (declarations or {}).get("tools") or {}, is_redacted(record)).result()


def said_by_person(message: Value) -> bool:
    """Section 2: the person rule."""
    if not is_object(message) or not is_text(message.get("role")) or not is_text(message.get("content")):
        return False
    if message["role"] != "user" or "injectedBy" in message:
        return False
    return not any(message["content"].startswith(notice) for notice in NOTICES)


def parsed(value: Value) -> Value:
    """Section 4.1: a text that looks like a JSON object or list, once."""
    if not is_text(value):
        return value
    trimmed = trim(value)
    if trimmed[:1] not in ("{", "["):
        return value
    try:
        return json.loads(trimmed, parse_int=float, parse_constant=refuse)
    except ValueError:
        return value


def trim(text: str) -> str:
    """The text without white space at both ends, as the recorder's language knows it."""
    while text and is_space(text[0]):
        text = text[1:]
    while text and is_space(text[-1]):
        text = text[:-1]
    return text


def is_space(character: str) -> bool:
    return character in "\t\n\v\f\r\ufeff\u2028\u2029" or unicodedata.category(character) == "Zs"


def refuse(word: str) -> None:
    """What to do with a word that some parsers take for a number."""
    raise ValueError(f"{word} is no JSON")


def is_absence(value: Value) -> bool:
    return is_object(value) and value.get("af_absent") is True and is_full_list(value.get("checked"))


def is_boundary(value: Value) -> bool:
    return is_object(value) and is_object(value.get("af_coverage")) and "result" in value


def declared_by_value(value: Value) -> Object | None:
    """Section 4: what a value's own envelope declares."""
    data = parsed(value)
    bounded = is_boundary(data)
    absence = data if is_absence(data) else data["result"] if bounded and is_absence(data["result"]) else None
    if absence is None and not bounded:
        return None
    places = [place for place in (absence, data["af_coverage"] if bounded else None) if place is not None]
    gap = any(is_full_list(place.get(name)) for place in places for name in ("not_checked", "cannot_cover"))
    return {"absent": absence is not None, "bounded": bounded, "gap": gap}


def read_emptiness(value: Value, context: Object | None = None) -> Object:
    """Section 5: the routes in their order."""
    context = context or {}
    data, rows_at, door = parsed(value), context.get("rowsAt"), context.get("door")
    if door is None:
        door = declared_by_value(data) or {"absent": False, "bounded": False}
    if door["absent"]:
        reading = {"emptiness": "declared-absent", "undeclaredShape": False}
        return reading | ({"bounded": True} if door["bounded"] else {})
    described = door.get("described")
    if is_object(described):
        counts = {k: len(described[k]) for k in ("facts", "series", "edges") if is_full_list(described.get(k))}
        if counts:
            return {"emptiness": "non-empty", "source": "library", "described": counts, "undeclaredShape": False}
        if is_object(described.get("clarify")):
            return {"emptiness": "clarify", "undeclaredShape": False}
    return read_rows(data, rows_at, door["bounded"], 0)


def read_rows(data: Value, rows_at: str | None, bounded: bool, depth: int) -> Object:
    """Routes 4 to 8."""
    if bounded and is_boundary(data):
        if depth == MOST_BOUNDARIES:
            return {"emptiness": "unknown", "undeclaredShape": False}
        inner = read_rows(data["result"], rows_at, bounded, depth + 1)
        if inner["emptiness"] == "undeclared-empty":
            inner = inner | {"emptiness": "declared-absent"}
        return inner | {"bounded": True}
    if is_list(data):
        return counted(data) | {"source": "library"}
    if is_object(data):
        if rows_at is not None and is_list(data.get(rows_at)):
            return counted(data[rows_at]) | {"source": "app", "rowsAt": rows_at}
        return {"emptiness": "unknown", "undeclaredShape": True}
    return {"emptiness": "unknown", "undeclaredShape": False}


def counted(rows: list[Value]) -> Object:
    return {"emptiness": "non-empty" if rows else "undeclared-empty", "rows": len(rows), "undeclaredShape": False}


def at_state(key: str, *segments: object) -> Object:
    """Section 9: a pointer into the state."""
    escaped = [str(segment).replace("~", "~0").replace("/", "~1") for segment in segments]
    return {"kind": "state", "key": key, "path": "".join("/" + segment for segment in escaped)}


def at_history(result: Object) -> Object:
    """Section 9: a pointer to a tool result."""
    if "toolCallId" not in result:
        return {"kind": "history", "index": result["index"], "path": "/role"}
    call = result["toolCallId"]
    return {"kind": "history", "index": result["index"], "path": "/toolCallId", "toolCallId": call}


def turn_of(history: list[Value]) -> tuple[list[Object], str]:
    """Section 2: this turn's results, and where the turn begins."""
    said = [index for index, message in enumerate(history) if said_by_person(message)]
    results = []
    for index, message in enumerate(history):
        if index <= (said[-1] if said else -1) or not is_object(message) or message.get("role") != "tool":
            continue
        result: Object = {"index": index, "content": own_bytes(message)}
        result |= {name: message[name] for name in ("toolCallId", "toolName") if is_text(message.get(name))}
        results.append(result)
    return results, "person" if said else "whole-history"


def own_bytes(message: Object) -> Value:
    content, length = message.get("content"), message.get("toolChars")
    if not is_text(content) or not is_number(length) or length % 1 != 0:
        return content
    units = code_units(content)
    return joined(units[: int(length)]) if 0 <= length <= len(units) else content


class Fold:
    """Section 6, one step after the other; what they say is kept in `fired`, `checked` and `support`."""

    def __init__(self, state: Object, tools: Object, redacted: bool) -> None:
        hidden = {key for key, value in state.items() if value in ("REDACTED", "[REDACTED]")} if redacted else set()
        self.state = {key: value for key, value in state.items() if key not in hidden}
        self.tools = tools
        self.fired: dict[str, list[Object]] = {}
        self.checked: list[Object] = []
        self.support: Object | None = None
        self.turn = self.state["turnNumber"] if is_number(self.state.get("turnNumber")) else None
        self.ledger = self.listed("findingsLedger")
        self.results, self.turn_from = turn_of(self.listed("history"))
        self.coverage = self.read_coverage()
        self.calls = {row["toolCallId"] for row in [*self.results, *self.coverage] if "toolCallId" in row}
        self.arguments = self.current_arguments()
        asked = [*ALWAYS_ASKED, *(["middlewareDecisions"] if self.arguments else [])]
        self.kept_out = sorted(hidden & set(asked))

    def result(self) -> Object:
        """Section 7."""
        nothing: Object = {"assessment": "not-applicable", "standing": "not-assessed", "reasons": [], "checked": []}
        if self.kept_out:
            return nothing | {"turnFrom": self.turn_from, "keptOut": self.kept_out}
        for step in (
            *(self.pause, self.argument_ask, self.argument_rows, self.coverage_rows, self.tool_coverage),
            *(self.contingent_rows, self.result_rows, self.period_rows, self.conflict_rows, self.answer_rows),
        ):
            step()
        reasons = self.reasons()
        told = {"reasons": reasons, "checked": self.checked, "turnFrom": self.turn_from}
        if reasons:
            asks = {"asked", "argument-asked"} & {given["reason"] for given in reasons}
            return {"assessment": "unknown", "standing": "ask" if asks else "not-sure"} | told
        if self.support is not None:
            return {"assessment": "known", "standing": "known", "support": self.support} | told
        if any(check["ran"] > 0 for check in self.checked):
            return {"assessment": "unrefuted", "standing": "consistent"} | told
        return nothing | told

    def reasons(self) -> list[Object]:
        """Section 8."""
        given = []
        for line in TABLE.split("\n"):
            if line.split() and line.split()[0] in self.fired:
                reason, layer, kind = line.split()
                source = source_of(reason, kind, self.fired[reason], self.state, self.results)
                told = {"reason": reason, "witness": self.fired[reason], "source": source}
                given.append(told if layer == "-" else told | {"layer": int(layer)})
        return given

    def fire(self, reason: str, pointer: Object) -> None:
        self.fired.setdefault(reason, []).append(pointer)

    def check(self, check: str, ran: int, of: int, witness: list[Object]) -> None:
        self.checked.append({"layer": LAYERS[check], "check": check, "ran": ran, "of": of, "witness": witness})

    def listed(self, key: str) -> list[Value]:
        return self.state[key] if is_list(self.state.get(key)) else []

    def ledger_rows(self, kind: str) -> list[tuple[int, Object]]:
        return [(i, row) for i, row in enumerate(self.ledger) if is_object(row) and row.get("kind") == kind]

    def turn_rows(self, kind: str) -> list[tuple[int, Object]]:
        return [(i, row) for i, row in self.ledger_rows(kind) if self.turn is None or same(row.get("turn"), self.turn)]

    def read_coverage(self) -> list[Object]:
        """Section 3."""
        rows = []
        for index, row in enumerate(self.listed("coverageDeclared")):
            if is_object(row) and row.get("kind") in ("absence", "ledger"):
                gap = is_full_list(row.get("notChecked")) or is_full_list(row.get("cannotCover"))
                call = {"toolCallId": row["toolCallId"]} if is_text(row.get("toolCallId")) else {}
                rows.append({"index": index, "kind": row["kind"], "gap": gap} | call)
        return rows

    def pause(self) -> None:
        """Section 6.1."""
        if is_text(self.state.get("pausedToolCallId")) and self.state["pausedToolCallId"] != "":
            self.fire("asked", at_state("pausedToolCallId"))

    def current_arguments(self) -> list[tuple[int, Object]]:
        """Section 6.2: the last row of each argument, calls and arguments by their first appearance."""
        rows = [
            (index, row)
            for index, row in self.turn_rows("argument")
            if is_text(row.get("toolCallId")) and is_text(row.get("argument"))
        ]
        current = []
        for call in dict.fromkeys(row["toolCallId"] for _, row in rows):
            of_call = [(index, row) for index, row in rows if row["toolCallId"] == call]
            names = dict.fromkeys(row["argument"] for _, row in of_call)
            current += [[(at, row) for at, row in of_call if row["argument"] == name][-1] for name in names]
        return current

    def argument_ask(self) -> None:
        """Section 6.2: the ask."""
        ask = self.state.get("argumentAsk")
        if is_object(ask) and is_object(ask.get("waiting")):
            self.fire("argument-asked", at_state("argumentAsk", "waiting", "requestId"))
            for index, row in self.arguments:
                if is_text(row.get("asked")) and not is_text(row.get("source")):
                    self.fire("argument-asked", at_state("findingsLedger", index, "asked"))

    def argument_rows(self) -> None:
        """Section 6.2: verdicts and checks."""
        for index, row in self.arguments:
            at, source = at_state("findingsLedger", index, "argument"), row.get("source")
            rewrite = self.rewrite_of(row["toolCallId"], row["argument"])
            ruled = "rule" in row or row.get("period") is True
            if rewrite is not None:
                if rewrite[1] not in ("person", "app"):
                    self.fire("argument-assumed", at_state("middlewareDecisions", rewrite[0], "changedKeys"))
            elif source == "default":
                self.fire("argument-assumed", at)
            elif (source == "model" and ruled) or "failed" in row:
                self.fire("argument-unverified", at)
            elif source == "said" and row.get("reading") is True:
                self.fire("argument-read", at)
            elif source == "result" and is_text(row.get("setAside")):
                self.fire("value-contingent", at)
        if self.arguments:
            witness = [at_state("findingsLedger", index, "argument") for index, _ in self.arguments]
            self.check("argument-rules", len(self.arguments), len(self.arguments), witness)
        judged = [(index, row) for index, row in self.arguments if is_text(row.get("claimed"))]
        settled = [index for index, row in judged if row.get("failed") != "uncheckable"]
        if judged:
            witness = [at_state("findingsLedger", index, "claimed") for index in settled]
            self.check("argument-sources", len(settled), len(judged), witness)

    def rewrite_of(self, call: str, argument: str) -> tuple[int, Value] | None:
        """Section 6.3: the last row that changed an argument, and whose word it was."""
        found = None
        for index, row in enumerate(self.listed("middlewareDecisions")):
            if not is_object(row) or row.get("at") != "tool" or row.get("toolCallId") != call:
                continue
            if is_list(row.get("changedKeys")) and argument in row["changedKeys"]:
                found = index, row["from"].get(argument) if is_object(row.get("from")) else None
        return found

    def coverage_rows(self) -> None:
        """Section 6.4."""
        for row in self.coverage:
            at = at_state("coverageDeclared", row["index"], "kind")
            if row["kind"] == "absence":
                self.fire("declared-absent", at)
            if row["gap"]:
                self.fire("coverage-gap", at)

    def rows_of(self, result: Object) -> list[Object]:
        if "toolCallId" not in result:
            return []
        return [row for row in self.coverage if row.get("toolCallId") == result["toolCallId"]]

    def tool_coverage(self) -> None:
        """Section 6.5."""
        declaring = [r for r in self.results if not self.rows_of(r) and declared_by_value(r["content"]) is not None]
        declared = {row["toolCallId"] for row in self.coverage if row.get("toolCallId", "") != ""}
        declared |= {result["toolCallId"] for result in declaring if "toolCallId" in result}
        nameless_rows = [row for row in self.coverage if "toolCallId" not in row]
        nameless_results = [result for result in self.results if "toolCallId" not in result]
        ran = len(declared) + len(nameless_rows) + len([r for r in declaring if "toolCallId" not in r])
        of = len(self.calls) + len(nameless_rows) + len(nameless_results)
        if of > 0:
            rows = [at_state("coverageDeclared", row["index"], "kind") for row in self.coverage]
            self.check("tool-coverage", ran, of, rows + [at_history(result) for result in declaring])

    def contingent_rows(self) -> None:
        """Section 6.6."""
        for index, row in self.ledger_rows("contingent"):
            on = row.get("declaredOn")
            if is_number(row.get("turn")) and self.turn is not None:
                counts = row["turn"] == self.turn
            elif on != "answer":
                counts = is_object(on) and is_text(on.get("toolCallId")) and on["toolCallId"] in self.calls
            elif self.turn is None or self.turn <= 1:
                counts = True
            else:
                counts = any(self.shows_turn(earlier) for earlier in self.ledger[: index + 1])
            if counts:
                self.fire("value-contingent", at_state("findingsLedger", index, "value"))

    def shows_turn(self, row: Value) -> bool:
        if not is_object(row):
            return False
        if is_number(row.get("turn")):
            return row["turn"] == self.turn
        holders = [row, row.get("declaredOn")]
        for name in ("carriers", "witnesses"):
            holders += row[name][:MOST_ENTRIES] if is_list(row.get(name)) else []
        named = [holder["toolCallId"] for holder in holders if is_object(holder) and is_text(holder.get("toolCallId"))]
        return any(call in self.calls for call in named)

    def result_rows(self) -> None:
        """Section 6.7."""
        readable = []
        for result in self.results:
            rows, at = self.rows_of(result), at_history(result)
            context: Object = {}
            if rows:
                kinds = [row["kind"] for row in rows]
                context["door"] = {"absent": "absence" in kinds, "bounded": "ledger" in kinds}
            if "toolName" in result and "rowsAt" in self.tools.get(result["toolName"], {}):
                context["rowsAt"] = self.tools[result["toolName"]]["rowsAt"]
            emptiness = read_emptiness(result["content"], context)["emptiness"]
            if emptiness != "unknown":
                readable.append(at)
            if emptiness == "declared-absent" and not any(row["kind"] == "absence" for row in rows):
                self.fire("declared-absent", at)
            if emptiness == "undeclared-empty" and not rows:
                self.fire("empty-undeclared", at)
            own = declared_by_value(result["content"])
            if not rows and own is not None and own["gap"]:
                self.fire("coverage-gap", at)
        if self.results:
            self.check("result-shape", len(readable), len(self.results), readable)

    def period_rows(self) -> None:
        """Section 6.8."""
        rows = [
            (index, row)
            for index, row in self.turn_rows("period")
            if is_text(row.get("toolCallId")) and is_text(row.get("verdict"))
        ]
        for index, row in rows:
            fired = []
            if is_object(row.get("differs")):
                fired.append(("period-differs-from-asked", "differs"))
            if row.get("beyondRetention") is True:
                fired.append(("period-beyond-retention", "beyondRetention"))
            if row["verdict"] in ("not-held", "partly-held", "unknown", "undeclared"):
                fired.append(("period-" + row["verdict"], "verdict"))
            for reason, member in fired:
                self.fire(reason, at_state("findingsLedger", index, member))
                for chosen, argument in self.arguments:
                    both = [(r["toolCallId"], r["argument"]) for r in (row, argument) if is_text(r.get("argument"))]
                    if len(both) == 2 and both[0] == both[1]:
                        self.fire(reason, at_state("findingsLedger", chosen, "argument"))
        if rows:
            witness = [at_state("findingsLedger", index, "verdict") for index, _ in rows]
            self.check("result-period", len(rows), len(rows), witness)

    def conflict_rows(self) -> None:
        """Section 6.9."""
        for index, row in self.ledger_rows("conflict"):
            if is_number(row.get("turn")) and self.turn is not None and row["turn"] != self.turn:
                continue
            read = row["witnesses"][:MOST_ENTRIES] if is_list(row.get("witnesses")) else []
            calls = [entry["toolCallId"] for entry in read if is_object(entry) and is_text(entry.get("toolCallId"))]
            if any(call in self.calls for call in calls):
                self.fire("sources-conflict", at_state("findingsLedger", index, "kind"))

    def answer_rows(self) -> None:
        """Section 6.10."""
        unsupported, grounded = self.state.get("unsupportedValues"), self.turn_rows("grounded")
        if is_object(unsupported):
            at, revised = at_state("unsupportedValues", "candidates"), unsupported.get("revised") is True
            self.fire("value-survived-revision" if revised else "value-unsupported", at)
            self.check("names-and-numbers", 1, 1, [at])
        elif grounded and is_number(grounded[-1][1].get("lookedUp")) and grounded[-1][1]["lookedUp"] > 0:
            self.check("names-and-numbers", 1, 1, [at_state("findingsLedger", grounded[-1][0], "kind")])
        if is_object(self.state.get("stoppedEarly")):
            self.fire("stopped-early", at_state("stoppedEarly", "iteration"))
        for index, _ in self.turn_rows("steps-unfinished"):
            self.fire("steps-unfinished", at_state("findingsLedger", index, "kind"))
        for index, _ in self.turn_rows("time-derived"):
            self.fire("derived-from-reading", at_state("findingsLedger", index, "values"))
        report = self.state.get("answerValidation")
        if is_object(report) and is_text(report.get("status")):
            at = at_state("answerValidation", "status")
            self.check("answer-checks", 1, 1, [at])
            if report["status"] == "failed":
                self.fire("answer-check-failed", at)
            if report["status"] == "unverified":
                self.fire("check-unreachable", at)
            digest = report.get("candidateDigest")
            if report["status"] == "passed" and report.get("mode") == "enforce" and is_text(digest):
                self.support = {"kind": "answer-validation", "reportDigest": digest}


def same(value: Value, number: float) -> bool:
    return is_number(value) and value == number


def source_of(reason: str, kind: str, witness: list[Object], state: Object, results: list[Object]) -> Object:
    """Section 10."""
    if kind != "calls":
        return {"kind": kind}
    calls: list[Object] = []
    nameless: list[str] = []
    anonymous = 0
    for pointer in witness:
        references = references_of(reason, pointer, state, results)
        if not references:
            anonymous += 1
        for reference in references:
            if "id" not in reference:
                anonymous += reference.get("count", 1)
                continue
            call = reference["id"]
            if call in nameless or call in [listed["toolCallId"] for listed in calls]:
                continue
            name = reference["name"] if "name" in reference else run_name(state, call)
            if name is None:
                nameless.append(call)
            else:
                calls.append({"toolCallId": call, "toolName": name})
    unnamed = len(nameless) + anonymous
    return {"kind": kind, "calls": calls} | ({"unnamed": unnamed} if unnamed > 0 else {})


def is_name(value: Value) -> bool:
    return is_text(value) and value != ""


def run_name(state: Object, call: str) -> str | None:
    """The name the run knows a call's tool by: the last result's, else the first request's."""
    history = state["history"] if is_list(state.get("history")) else []
    messages = [message for message in history if is_object(message)]
    results = [m for m in messages if m.get("role") == "tool" and m.get("toolCallId") == call]
    returned = [result["toolName"] for result in results if is_name(result.get("toolName"))]
    lists = [message["toolCalls"][:MOST_ENTRIES] for message in messages if is_list(message.get("toolCalls"))]
    requests = [request for some in lists for request in some if is_object(request) and request.get("id") == call]
    requested = [request["name"] for request in requests if is_name(request.get("name"))]
    return None if call == "" else returned[-1] if returned else requested[0] if requested else None


def references_of(reason: str, pointer: Object, state: Object, results: list[Object]) -> list[Object]:
    """The calls one witness mentions."""
    if pointer["kind"] == "history":
        message = entry(state.get("history"), pointer["index"])
        names = [message["toolName"]] if is_object(message) and is_name(message.get("toolName")) else []
        return reference([pointer["toolCallId"]] if "toolCallId" in pointer else [], names)
    segments = pointer["path"].split("/")[1:]
    if pointer["key"] == "answerValidation":
        report = state.get("answerValidation")
        if not is_object(report) or len(segments) < 2 or segments[0] != "checks":
            return []
        return references_of_check(entry(report.get("checks"), whole(segments[1])), results)
    row = entry(state.get(pointer["key"]), whole(segments[0]) if segments else None)
    if not is_object(row):
        return []
    if row.get("kind") == "conflict":
        return references_of_list(row.get("witnesses"))
    if row.get("kind") == "contingent":
        return references_of_list(row.get("carriers"))
    if row.get("kind") == "argument" and reason == "value-contingent":
        return reference([row["result"]] if is_name(row.get("result")) else [], [])
    ids = [row["toolCallId"]] if is_name(row.get("toolCallId")) else []
    return reference(ids, [row["toolName"]] if is_name(row.get("toolName")) else [])


def reference(ids: list[str], names: list[str]) -> list[Object]:
    told = {"id": ids[0]} if ids else {}
    told |= {"name": names[0]} if names else {}
    return [told] if told else []


def references_of_list(value: Value) -> list[Object]:
    if not is_list(value):
        return []
    named = [is_object(item) and is_name(item.get("toolCallId")) for item in value[:MOST_ENTRIES]]
    told = [{"id": item["toolCallId"]} if known else {} for item, known in zip(value, named, strict=False)]
    return told + ([{"count": len(value) - MOST_ENTRIES}] if len(value) > MOST_ENTRIES else [])


def references_of_check(check: Value, results: list[Object]) -> list[Object]:
    if not is_object(check) or not is_list(check.get("tools")):
        return []
    tools = check["tools"]
    told: list[Object] = []
    for name in dict.fromkeys(tool for tool in tools[:MOST_ENTRIES] if is_name(tool)):
        ran = [result for result in results if result.get("toolName") == name]
        told += [({"id": r["toolCallId"]} if "toolCallId" in r else {}) | {"name": name} for r in ran] or [
            {"name": name}
        ]
    told += [{} for tool in tools[:MOST_ENTRIES] if not is_name(tool)]
    return told + ([{"count": len(tools) - MOST_ENTRIES}] if len(tools) > MOST_ENTRIES else [])


def whole(segment: str) -> int | None:
    return int(segment) if segment.isascii() and segment.isdigit() else None


def entry(value: Value, index: int | None) -> Value:
    return value[index] if is_list(value) and index is not None and 0 <= index < len(value) else None

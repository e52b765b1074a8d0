# ruff: noqa: ARG001 - every way to answer is given the probe and its number
"""A runner that behaves in the way that its first word names; a second word is a file in which it counts its probes."""

import json
import os
import subprocess
import sys
import time


def main(mode: str, counter: str = "") -> None:
    """Answer probes until there are no more, or until something else happens."""
    for number, line in enumerate(sys.stdin):
        probe = json.loads(line)
        if counter:
            with open(counter, "a") as file:
                file.write(f"{probe['run_id']}\n")
        print(f"working on {probe['run_id']}", file=sys.stderr)
        ANSWERS[mode](probe, number)


def said(answer: object) -> None:
    print(json.dumps(answer), flush=True)


def good(probe: dict, number: int) -> None:
    said({"output": f"answer {probe['subject_id']}", "cost": {"loops": 2, "tokens": 7.5}})


def recorded(probe: dict, number: int) -> None:
    state = {"sharedState": {"n": 1}, "commitLog": []}
    said({"output": "answer", "recording": {"snapshot": state, "events": []}})


def child() -> None:
    """A process of its own that would go on for long; its arguments name the folder that the runner works for."""
    subprocess.Popen([sys.executable, "-c", "import time; time.sleep(600)", *sys.argv[2:]])


def slow(probe: dict, number: int) -> None:
    time.sleep(0.05)
    recorded(probe, number)


def dies(probe: dict, number: int) -> None:
    sys.stderr.write("Traceback\nKeyError: token=abcd1234EFGH5678\n")
    sys.exit(3)


def dies_at_times(probe: dict, number: int) -> None:
    if number == 1:
        sys.exit(3)
    good(probe, number)


def one_at_a_time(probe: dict, number: int) -> None:
    good(probe, number)
    sys.exit(0)


def fails_first(probe: dict, number: int) -> None:
    with open(sys.argv[2]) as file:
        tries = file.read().split().count(probe["run_id"])
    if tries == 1:
        said({"error": "the provider is busy"})
    else:
        good(probe, number)


def hangs(probe: dict, number: int) -> None:
    time.sleep(600)


def leaves_a_child(probe: dict, number: int) -> None:
    child()
    good(probe, number)


def hangs_with_a_child(probe: dict, number: int) -> None:
    child()
    time.sleep(600)


def closes(probe: dict, number: int) -> None:
    os.close(1)
    time.sleep(600)


def floods(probe: dict, number: int) -> None:
    while True:
        sys.stdout.write("x" * 1_000_000)


def floods_lines(probe: dict, number: int) -> None:
    while True:
        sys.stdout.write("x\n" * 100_000)


def chatters_on_stderr(probe: dict, number: int) -> None:
    sys.stderr.write("x" * 5_000_000)
    good(probe, number)


def out_of_turn(probe: dict, number: int) -> None:
    good(probe, number)
    good(probe, number)


def late(probe: dict, number: int) -> None:
    said({"run_id": "another", "output": "answer"})


def no_newline(probe: dict, number: int) -> None:
    sys.stdout.write(json.dumps({"output": "answer"}))
    sys.stdout.flush()
    sys.exit(0)


def raw(text: str):
    def answer(probe: dict, number: int) -> None:
        print(text, flush=True)

    return answer


ANSWERS = {
    **{f.__name__: f for f in (good, recorded, slow, dies, dies_at_times, one_at_a_time, fails_first, hangs, closes)},
    **{f.__name__: f for f in (leaves_a_child, hangs_with_a_child, floods, floods_lines, chatters_on_stderr)},
    **{f.__name__: f for f in (out_of_turn, late, no_newline)},
    "rubbish": raw("Loading the model ... sk-abcdefABCDEF1234567890abcd"),
    "nothing": raw("{}"),
    "blank": raw(""),
    "null": raw("null"),
    "list": raw("[]"),
    "nan": raw('{"output": "x", "cost": {"loops": NaN}}'),
    "negative": raw('{"output": "x", "cost": {"loops": -1}}'),
    "number": raw('{"output": 7}'),
    "deep": raw("[" * 100_000),
    "says_why": raw('{"error": "the provider is busy", "output": "half an answer"}'),
    "says_why_oddly": raw('{"error": {"code": 503}}'),
    "half_a_pair": raw('{"output": "x\\ud83d"}'),
    "no_file": raw('{"output": "x", "recording_path": "nowhere.json"}'),
    "passwd": raw('{"output": "x", "recording_path": "/etc/passwd"}'),
    "zero": raw('{"output": "x", "recording_path": "/dev/zero"}'),
    "folder": raw('{"output": "x", "recording_path": "/"}'),
    "nul": raw('{"output": "x", "recording_path": "a\\u0000b"}'),
    "bad_recording": raw('{"output": "x", "recording": {"a": 1}}'),
    "foreign_recording": raw('{"output": "x", "recording": {"format": "other", "recording": {}}}'),
}

if __name__ == "__main__":
    main(*sys.argv[1:])

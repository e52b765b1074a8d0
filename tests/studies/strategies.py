"""Random studies: few subjects, few seeds, failed runs, repeated seeds, runs without answer or cost."""

from typing import Any

from hypothesis import strategies as st

ANSWERS = st.sampled_from(["same", "other", "", None])
LOOPS = st.sampled_from([None, 1, 2, 3, 4, 2.5])


@st.composite
def listed_runs(draw: st.DrawFn, subjects: list[str]) -> list[dict[str, Any]]:
    """Runs of some subjects, each with an id of its own."""
    runs = []
    for subject in subjects:
        for seed in draw(st.lists(st.integers(0, 4), max_size=5)):
            run: dict[str, Any] = {"run_id": f"{subject}.{len(runs)}", "arm_or_spec_id": subject, "seed": seed}
            output = draw(ANSWERS)
            run |= {} if output is None else {"output": output}
            loops = draw(LOOPS)
            run |= {} if loops is None else {"cost": {"loops": loops, "tokens": 10 * loops}}
            run |= {"error": "crashed"} if draw(st.integers(0, 9)) == 0 else {}
            run |= draw(st.sampled_from([{}, {"changed": True}, {"changed": False}]))
            runs.append(run)
    return runs


@st.composite
def studies(draw: st.DrawFn, study_id: str = "s") -> dict[str, Any]:
    """A study that is fit to be judged."""
    kind = draw(st.sampled_from(["ablation", "restoration", "arms"]))
    ids = draw(st.lists(st.sampled_from("abcde"), unique=True, min_size=2, max_size=4))
    baseline = ids[0] if kind == "arms" else "baseline"
    comparator = draw(st.sampled_from(["exact", "exact", "recorded"]))
    study: dict[str, Any] = {
        "study_id": study_id,
        "kind": kind,
        "baseline": baseline,
        "original_output": draw(st.sampled_from(["same", None])),
        "embedder": "mock",
        "options": {"comparator": comparator, "samples": draw(st.integers(0, 5))},
        "runs": draw(listed_runs([*dict.fromkeys([baseline, *ids]), "undeclared"])),
    }
    if kind == "arms":
        return study | {"arms": [{"id": arm, "facets": {"model": arm}} for arm in ids]}
    study["specs"] = [{"spec_id": spec} for spec in ids]
    if kind == "restoration":
        study["available"] = [{"id": unit} for unit in draw(st.lists(st.sampled_from("abcdef"), max_size=6))]
        study["sent"] = [{"id": unit} for unit in draw(st.lists(st.sampled_from("abcdef"), max_size=2))]
        study["options"]["maxCandidates"] = draw(st.sampled_from([None, 0, 1, 2, 5]))
    return study

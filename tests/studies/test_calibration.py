"""The simulation that measures how often verdicts are wrong, on cases in which chance has no say."""

from benchmarks.calibration import Truth, stated, words_of


def test_without_noise_nothing_is_confirmed_that_does_nothing_and_all_that_does_all() -> None:
    truths = [Truth(kind, 3, 3, 0.0, effect) for kind in ("ablation", "arms") for effect in (0.0, 1.0)]
    shares = words_of(truths, 5, seed=1)
    assert shares.rows() == [(0, 0.0, 0.0, 1.0), (1, 1.0, 0.0, 0.0), (2, 0.0, 0.0, 1.0), (3, 1.0, 0.0, 0.0)]


def test_an_agent_that_always_changes_its_answer_supports_no_verdict() -> None:
    assert words_of([Truth("ablation", 3, 3, 1.0, 0.0)], 5, seed=1).rows() == [(0, 0.0, 1.0, 0.0)]


def test_what_is_said_by_chance_is_no_more_than_what_is_stated() -> None:
    [(_, confirmed, _, _)] = words_of([Truth("ablation", 3, 3, 0.3, 0.0)], 200, seed=1).rows()
    worst = float(stated("ablation", 3, 3).rstrip("%")) / 100
    assert 0 < confirmed < worst + 0.06

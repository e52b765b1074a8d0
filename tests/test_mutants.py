"""The tests of the rules see each of some one-line faults."""

from pathlib import Path

import pytest

from tests.mutants import MUTANTS, Mutant, occurrences, project_copy, put_into, rules_hold


def name(mutant: Mutant) -> str:
    return f"{mutant.module}: {mutant.wrong.strip()}"


@pytest.mark.parametrize("mutant", MUTANTS, ids=name)
def test_the_line_of_a_mutant_is_still_there(mutant: Mutant) -> None:
    assert occurrences(mutant) == 1, f"{mutant.module} no longer says {mutant.right!r} once; write the mutant anew"


@pytest.mark.deep
def test_the_unchanged_project_passes(tmp_path: Path) -> None:
    holds, printed = rules_hold(project_copy(tmp_path))
    assert holds, printed


@pytest.mark.deep
@pytest.mark.parametrize("mutant", MUTANTS, ids=name)
def test_a_mutant_is_caught(mutant: Mutant, tmp_path: Path) -> None:
    copy = project_copy(tmp_path)
    put_into(copy, mutant)
    holds, _ = rules_hold(copy)
    assert not holds, f"no test of the rules fails when {mutant.module} says {mutant.wrong!r}"

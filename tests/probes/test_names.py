"""Ids as names: safe anywhere, readable, different for different ids."""

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from dataflows.probes.names import file_name, run_id_of, study_id_of

LIBRARY = re.compile(r"[a-z0-9][a-z0-9._-]{0,199}")
"""What the library's own sink takes for a run id, and so for a file name."""

IDS = st.text(st.sampled_from("aA0-_.~%/é😀|# \n"), max_size=9) | st.text(max_size=90)
STUDIES = st.builds(study_id_of, st.sampled_from(("ablation", "restoration")), IDS, IDS)


def test_a_run_id_is_read_as_its_study_subject_and_seed() -> None:
    study = study_id_of("ablation", "run_7", "all that it holds")
    assert study.startswith("ablation-run_7-")
    assert run_id_of(study, "memory:docs#Rights", 2) == f"{study}--memory.3adocs.23.52ights--2"


@given(STUDIES, IDS, st.integers(0, 10**6))
def test_a_run_id_is_one_that_the_library_would_take(study: str, subject: str, seed: int) -> None:
    assert LIBRARY.fullmatch(run_id_of(study, subject, seed))


@given(st.tuples(IDS, IDS, st.integers(0, 20)), st.tuples(IDS, IDS, st.integers(0, 20)))
def test_different_probes_have_different_run_ids(one: tuple[str, str, int], other: tuple[str, str, int]) -> None:
    ids = [run_id_of(study_id_of("ablation", run, "same"), subject, seed) for run, subject, seed in (one, other)]
    assert (ids[0] == ids[1]) == (one == other)


@given(IDS.filter(bool), IDS.filter(bool))
def test_different_ids_have_different_file_names(one: str, other: str) -> None:
    assert (file_name(one) == file_name(other)) == (one == other)


@given(IDS.filter(bool))
def test_a_file_name_leads_nowhere_else(name: str) -> None:
    shown = file_name(name)
    assert re.fullmatch(r"[A-Za-z0-9_%-][A-Za-z0-9_.~%-]{0,179}", shown)


@pytest.mark.parametrize("name", ["s-abl-one", "ablation-run_7-0a--x.3ay--0", "A.b"])
def test_a_safe_id_is_its_own_file_name(name: str) -> None:
    assert file_name(name) == name


@pytest.mark.parametrize("name", ["../x", "/etc/passwd", ".hidden", "a/../../b", "..", "~", "a\0b", "x" * 300])
def test_an_unsafe_one_is_not(name: str) -> None:
    assert file_name(name) != name

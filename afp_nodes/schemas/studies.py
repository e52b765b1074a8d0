"""Studies: what seeded probe runs say, from the document that lists them to the numbers that verdicts rest on.

Rules: product contract, section 6; record format, sections 20 and 22 to 24. Ids are plain text here: the frames are
small, and are made once for all studies.
"""

import dataframely as dy

from afp_nodes.schemas.base import Frame, Table
from afp_nodes.schemas.verdicts import Verdicts
from afp_nodes.words import (
    CostVerdict,
    ProbeVerdict,
    ReferenceFrom,
    Ruling,
    StudyKind,
    SubjectKind,
    SuspectClass,
    VerdictKind,
)

STUDY_ID = "study"
SUBJECT_ID = "arm, spec or unit under test, or the id that baseline runs carry"
SEED = "seed of the run"
FLIP_THRESHOLD = "least similarity that comparator `default` takes for no change; NULL with another comparator"
MANIFESTS_SEEN = "runs whose manifest was read"


class StudyDocuments(Frame):
    """One study in force: the document that counts for it."""

    study_id = dy.String(primary_key=True, description=STUDY_ID)
    content_json = dy.String(description="the document, white space removed")


class ProbeRecordings(Frame):
    """One recorded run that a study lists, or that it names as the original."""

    run_id = dy.String(primary_key=True, description="id of the run")
    answer = dy.String(nullable=True, description="its answer as recorded; NULL = none is")
    loops = dy.Float64(nullable=True, description="its model calls; NULL where events are missing or were dropped")
    tokens = dy.Float64(nullable=True, description="its tokens, in and out; NULL where events are missing or dropped")
    manifest_json = dy.String(nullable=True, description="what it was configured with; NULL = not recorded")


class StatedStudies(Frame):
    """One study, what it says of itself with what holds where it says nothing."""

    study_id = dy.String(primary_key=True, description=STUDY_ID)
    kind = dy.Enum(StudyKind, description="what its runs change")
    scenario = dy.String(nullable=True, description="what was run; JSON text where it is no text")
    original_run_id = dy.String(nullable=True, description="run that the study is about")
    original_output = dy.String(nullable=True, description="its answer, where the study states it")
    baseline_id = dy.String(description="id that the baseline runs carry")
    samples = dy.Int64(min=2, description="runs asked for of each subject")
    flip_threshold = dy.Float64(nullable=True, description=FLIP_THRESHOLD)
    comparator = dy.String(description="what says whether an answer changed")
    embedder = dy.String(description="what says how alike two answers are")
    manifests_reported = dy.Bool(description="manifests are read off the recordings of its runs")


class StudySubjects(Frame):
    """One subject of one study: its baseline, and each arm, spec or unit that gets a verdict.

    Of the units of a restoration only those get one that were available and not sent, are declared, and are among the
    first `maxCandidates` of those not sent.
    """

    study_id = dy.String(primary_key=True, description=STUDY_ID)
    subject_id = dy.String(primary_key=True, description=SUBJECT_ID)
    subject_kind = dy.Enum(SubjectKind, description="what the id names")
    is_baseline = dy.Bool(description="what the others are compared with; it gets no verdict")
    changes_json = dy.String(
        description="what its runs change, in one spelling: an ablation, the hash of a content, or a configuration"
    )


class StatedProbes(Frame):
    """One probe run that a study lists, with what the study says of it.

    Of several runs of one subject and seed one counts: one that did not fail, then the least id, then the least text.
    """

    study_id = dy.String(primary_key=True, description=STUDY_ID)
    subject_id = dy.String(primary_key=True, description=SUBJECT_ID)
    seed = dy.Int64(primary_key=True, description=SEED)
    run_id = dy.String(description="id of the run; its recording need not be in the store")
    output = dy.String(nullable=True, description="its answer, where the study states it; never a placeholder")
    loops = dy.Float64(nullable=True, description="its model calls, where the study states them")
    tokens = dy.Float64(nullable=True, description="its tokens, where the study states them")
    error = dy.String(nullable=True, description="why it failed; NULL = it did not")
    changed = dy.Bool(nullable=True, description="the study's own word on whether its answer changed")
    repeats = dy.Int64(min=0, description="further runs that the study lists for the subject and seed")


class StudyReferences(Frame):
    """One study with the answer that those of its runs are compared with."""

    study_id = dy.String(primary_key=True, description=STUDY_ID)
    reference_from = dy.Enum(ReferenceFrom, nullable=True, description="where it comes from; NULL = none is known")
    reference_text = dy.String(nullable=True, description="the answer; NULL = none is known")
    reference_run_id = dy.String(nullable=True, description="run that gave it, where the study names one")


class ProbeOutcomes(Frame):
    """One probe run with its outcome: as the study states it, else as it is recorded.

    The `recorded_*` columns hold what the recording says otherwise than the study; NULL where they agree or one is
    silent.
    """

    study_id = dy.String(primary_key=True, description=STUDY_ID)
    subject_id = dy.String(primary_key=True, description=SUBJECT_ID)
    seed = dy.Int64(primary_key=True, description=SEED)
    run_id = dy.String(description="id of the run")
    output = dy.String(nullable=True, description="its answer; NULL where it failed or none is known")
    loops = dy.Float64(nullable=True, description="its model calls; NULL = not known")
    tokens = dy.Float64(nullable=True, description="its tokens; NULL = not known")
    error = dy.String(nullable=True, description="why it failed; NULL = it did not")
    changed = dy.Bool(nullable=True, description="the study's own word on whether its answer changed")
    repeats = dy.Int64(min=0, description="further runs that the study lists for the subject and seed")
    manifest_json = dy.String(nullable=True, description="what it was configured with; NULL = not read")
    recorded_output = dy.String(nullable=True, description="another answer, as recorded")
    recorded_loops = dy.Float64(nullable=True, description="another number of model calls, as recorded")
    recorded_tokens = dy.Float64(nullable=True, description="another number of tokens, as recorded")


class AnswerSimilarities(Frame):
    """One pair of a reference answer and another, with how alike they are to one embedder."""

    embedder = dy.String(primary_key=True, description="what compares them")
    reference_text = dy.String(primary_key=True, description="the reference answer")
    output = dy.String(primary_key=True, description="the other")
    similarity = dy.Float64(description="how alike they are")


class AnswerChanges(Frame):
    """One pair of a reference answer and another, with whether one comparator takes them for two answers."""

    comparator = dy.String(primary_key=True, description="what compares them")
    reference_text = dy.String(primary_key=True, description="the reference answer")
    output = dy.String(primary_key=True, description="the other")
    differs = dy.Bool(description="they are two answers")


class ProbeRuns(Table):
    """One probe run of one study.

    Rule: product contract, section 6. A run counts where it did not fail and it is known whether its answer changed:
    `flipped` is not NULL.
    """

    study_id = dy.String(primary_key=True, description=STUDY_ID)
    subject_id = dy.String(primary_key=True, description=SUBJECT_ID)
    seed = dy.Int64(primary_key=True, description=SEED)
    run_id = dy.String(description="id of the run; its recording need not be in the store")
    output = dy.String(
        nullable=True, description="its answer, as the study states it, else as recorded; NULL = failed or not known"
    )
    similarity = dy.Float64(nullable=True, description="how alike it is to the reference answer, by the embedder")
    flipped = dy.Bool(nullable=True, description="the comparator takes it for another answer than the reference")
    loops = dy.Float64(nullable=True, description="its model calls, stated else recorded; NULL = not known")
    tokens = dy.Float64(nullable=True, description="its tokens in and out, stated else recorded; NULL = not known")
    manifest_seen = dy.Bool(description="its manifest was read off its recording")
    error = dy.String(nullable=True, description="why it failed; NULL = nobody says that it did")


class ProbeSpreads(Frame):
    """One subject of one study, its baseline too, with numbers over its good runs.

    A number is NULL where no good run has what it is made of.
    """

    study_id = dy.String(primary_key=True, description=STUDY_ID)
    subject_id = dy.String(primary_key=True, description=SUBJECT_ID)
    samples = dy.Int64(min=1, description="good runs")
    flips = dy.Int64(min=0, description="good runs whose answer changed")
    mean = dy.Float64(nullable=True, description="mean similarity to the reference answer")
    least = dy.Float64(nullable=True, description="least similarity")
    greatest = dy.Float64(nullable=True, description="greatest similarity")
    stdev = dy.Float64(nullable=True, description="population standard deviation of the similarity")
    costed = dy.Int64(min=0, description="good runs whose model calls are known")
    median_loops = dy.Float64(nullable=True, description="median of their model calls")
    most_loops = dy.Float64(nullable=True, description="most model calls of one of them")
    median_tokens = dy.Float64(nullable=True, description="median of the tokens of good runs")


class StudyBaselines(Frame):
    """One study with what its baseline runs vouch for; numbers are NULL where no good run has them."""

    study_id = dy.String(primary_key=True, description=STUDY_ID)
    baseline_samples = dy.Int64(min=0, description="good runs of the baseline")
    baseline_stable = dy.Bool(
        nullable=True, description="none of them flipped; NULL where none did and there are fewer than two"
    )
    seed_0_is_reference = dy.Bool(description="one of them is compared with itself, and cannot flip")
    floor = dy.Float64(nullable=True, description="their least similarity")
    gates = dy.Bool(description="a majority inside the null band is `inconclusive`")
    costed = dy.Int64(min=0, description="good runs whose model calls are known")
    median_loops = dy.Float64(nullable=True, description="median of their model calls")
    median_tokens = dy.Float64(nullable=True, description="median of their tokens")


class StudyInstruments(Frame):
    """One study, and whether what it names to compare answers is there."""

    study_id = dy.String(primary_key=True, description=STUDY_ID)
    embedder_judges = dy.String(nullable=True, description="what the embedder can and cannot judge; NULL = not there")
    has_comparator = dy.Bool(description="the comparator is there")


class ProbeSides(Frame):
    """One subject of one study, its baseline too, with its runs as evidence names them."""

    study_id = dy.String(primary_key=True, description=STUDY_ID)
    subject_id = dy.String(primary_key=True, description=SUBJECT_ID)
    seeds = dy.List(dy.Int64(), description="seeds of all its runs")
    runs = dy.List(
        dy.Struct({"run_id": dy.String(), "seed": dy.Int64(), "flipped": dy.Bool()}), description="runs that count"
    )
    failed = dy.List(
        dy.Struct({"run_id": dy.String(), "seed": dy.Int64(), "error": dy.String()}), description="runs that failed"
    )
    without_answer = dy.List(
        dy.Struct({"run_id": dy.String(), "seed": dy.Int64()}),
        description="runs that did not fail, and of which it is not known whether their answer changed",
    )
    repeated = dy.List(
        dy.Struct({"seed": dy.Int64(), "repeats": dy.Int64()}),
        description="seeds that the study lists more than once, with how many runs do not count for that",
    )
    costs = dy.List(
        dy.Struct(
            {
                "run_id": dy.String(),
                "seed": dy.Int64(),
                "loops": dy.Float64(nullable=True),
                "tokens": dy.Float64(nullable=True),
            }
        ),
        description="what the runs that count cost",
    )
    differing = dy.List(dy.String(), description="what recordings say otherwise than the study, as objects")


class NullBands(Table):
    """One comparison of arms: how far its baseline's own runs stray from the reference answer.

    Rule: record format, section 24. NULL where the baseline has no good run.
    """

    study_id = dy.String(primary_key=True, description=STUDY_ID)
    baseline_id = dy.String(description="the baseline arm")
    mean = dy.Float64(nullable=True, description="mean similarity of its runs to the reference answer")
    min = dy.Float64(nullable=True, description="least similarity")
    max = dy.Float64(nullable=True, description="greatest similarity")
    stdev = dy.Float64(nullable=True, description="population standard deviation of the similarity")
    floor = dy.Float64(nullable=True, description="below it a mean similarity is outside the band: `min`")
    degenerate = dy.Bool(nullable=True, description="every run gave the same similarity, to the last digit")
    gates = dy.Bool(description="a majority inside the band is `inconclusive`: only with comparator `default`")


class ArmApplications(Frame):
    """One arm of one study: whether its runs were configured as it declares."""

    study_id = dy.String(primary_key=True, description=STUDY_ID)
    subject_id = dy.String(primary_key=True, description="the arm")
    manifests_seen = dy.Int64(min=0, description=MANIFESTS_SEEN)
    manifest_checked = dy.Bool(description="a manifest was seen, and the arm declares something it could name")
    manifest_applied = dy.Bool(description="checked, and contradicted by none")
    mismatches_json = dy.String(description="contradictions in order, as a list of objects")


class ArmMismatches(Table):
    """One declared facet of one arm that the manifest of one of its runs contradicts.

    Rule: record format, section 24.
    """

    study_id = dy.String(primary_key=True, description=STUDY_ID)
    arm_id = dy.String(primary_key=True, description="the arm")
    position = dy.Int64(primary_key=True, min=0, description="order of its contradictions: by seed, then by facet")
    facet = dy.String(description="what differs, as manifests name it")
    declared = dy.String(description="what the arm declares")
    observed = dy.String(nullable=True, description="what the manifest says; NULL = it does not name it")


class SubjectRulings(Frame):
    """One subject of one study that gets a verdict, with the rule that decided it."""

    study_id = dy.String(primary_key=True, description=STUDY_ID)
    subject_id = dy.String(primary_key=True, description="arm, spec or unit under test")
    subject_kind = dy.Enum(SubjectKind, description="what the id names")
    ruling = dy.Enum(Ruling, description="the rule that decided")
    verdict = dy.Enum(ProbeVerdict, description="the word it gives")
    samples = dy.Int64(min=0, description="good runs")
    flips = dy.Int64(min=0, description="good runs whose answer changed")
    outside_null_band = dy.Bool(
        nullable=True, description="its mean similarity is below the floor of the null band; NULL = it has none"
    )


class CostEffects(Frame):
    """One suspect of one ablation, with what removing it saved. Rule: record format, section 23."""

    study_id = dy.String(primary_key=True, description=STUDY_ID)
    subject_id = dy.String(primary_key=True, description="spec")
    verdict = dy.Enum(CostVerdict, description="the word: `unknown` unless it is stable")
    loops_saved = dy.Float64(nullable=True, description="median of the baseline less its own; NULL = one is not known")
    tokens_saved = dy.Float64(nullable=True, description="the same for tokens")
    placebo = dy.String(nullable=True, description="the other suspect, not confirmed, whose removal saved most loops")
    placebo_saved = dy.Float64(nullable=True, description="loops that it saved; NULL = there is none")
    stable = dy.Bool(description="there is a placebo, and no run took more loops than the median of the baseline")
    reduced = dy.Bool(description="stable, one loop saved at least, and more than by the placebo")
    suspect_class = dy.Enum(SuspectClass, description="answer and cost taken together")


class Studies(Table):
    """One study in force.

    Rule: product contract, section 6.
    """

    study_id = dy.String(primary_key=True, description=STUDY_ID)
    kind = dy.Enum(StudyKind, description="what its probe runs change")
    scenario = dy.String(nullable=True, description="what was run, as the study calls it")
    original_run_id = dy.String(nullable=True, description="run that the study is about")
    baseline_id = dy.String(description="id that its baseline runs carry")
    reference_from = dy.Enum(
        ReferenceFrom,
        nullable=True,
        description="whose answer the others are compared with; NULL = none is known, and nothing is compared",
    )
    reference_text = dy.String(nullable=True, description="that answer")
    samples = dy.Int64(min=2, description="runs asked for of each subject; `verdicts.samples` counts the good ones")
    flip_threshold = dy.Float64(nullable=True, description=FLIP_THRESHOLD)
    comparator = dy.String(description="what says whether an answer changed")
    embedder = dy.String(description="what says how alike two answers are")
    embedder_judges = dy.String(
        nullable=True, description="what that embedder can and cannot judge, in its words; NULL = it is not installed"
    )
    baseline_stable = dy.Bool(
        nullable=True, description="no baseline run flipped; NULL where fewer than two good ones say so"
    )
    runs_used = dy.Int64(min=0, description="probe runs it lists")


class StudyVerdicts(Frame):
    """One claim of one study about one subject, before it gets its place among the verdicts."""

    study_id = dy.String(primary_key=True, description=STUDY_ID)
    kind = dy.Enum(VerdictKind, primary_key=True, description="which question it answers")
    subject_id = dy.String(primary_key=True, description="arm, spec or unit")
    subject_kind = Verdicts.subject_kind
    tier = Verdicts.tier
    verdict = Verdicts.verdict
    samples = Verdicts.samples
    flips = Verdicts.flips
    similarity_mean = Verdicts.similarity_mean
    similarity_min = Verdicts.similarity_min
    similarity_max = Verdicts.similarity_max
    similarity_stdev = Verdicts.similarity_stdev
    baseline_stable = Verdicts.baseline_stable
    outside_null_band = Verdicts.outside_null_band
    manifests_seen = Verdicts.manifests_seen
    manifest_checked = Verdicts.manifest_checked
    manifest_applied = Verdicts.manifest_applied
    loops_saved = Verdicts.loops_saved
    tokens_saved = Verdicts.tokens_saved
    cost_stable = Verdicts.cost_stable
    reduced_cost_on_removal = Verdicts.reduced_cost_on_removal
    suspect_class = Verdicts.suspect_class
    flip_rate_low = Verdicts.flip_rate_low
    flip_rate_high = Verdicts.flip_rate_high
    false_rate = Verdicts.false_rate
    evidence_json = Verdicts.evidence_json


class SubjectEffects(Frame):
    """One subject of one study that another study has too, with how often the answers of either side changed."""

    kind = dy.Enum(VerdictKind, primary_key=True, description="which question the study answers")
    subject_kind = dy.Enum(SubjectKind, description="what the id names")
    subject_id = dy.String(primary_key=True, description="arm, spec or unit")
    changes_json = StudySubjects.changes_json
    study_id = dy.String(primary_key=True, description=STUDY_ID)
    tier = Verdicts.tier
    judged_by = dy.String(description="what says whether an answer changed, as an object")
    samples = dy.Int64(min=0, description="good runs")
    flips = dy.Int64(min=0, description="good runs whose answer changed")
    baseline_samples = dy.Int64(description="good runs of the baseline, the one that is compared with itself left out")
    baseline_flips = dy.Int64(min=0, description="those whose answer changed")
    run_ids = dy.List(dy.String(), description="good runs")
    baseline_run_ids = dy.List(dy.String(), description="good runs of the baseline")


class PooledVerdicts(Frame):
    """One claim about a subject of several studies, before it gets its place among the verdicts."""

    kind = Verdicts.kind
    subject_kind = Verdicts.subject_kind
    subject_id = dy.String(primary_key=True, description="arm, spec or unit")
    subject_key = dy.String(primary_key=True, description="kind of the studies, and the hash of what they change")
    tier = Verdicts.tier
    verdict = Verdicts.verdict
    samples = Verdicts.samples
    flips = Verdicts.flips
    effect = Verdicts.effect
    effect_low = Verdicts.effect_low
    effect_high = Verdicts.effect_high
    q_value = Verdicts.q_value
    evidence_json = Verdicts.evidence_json

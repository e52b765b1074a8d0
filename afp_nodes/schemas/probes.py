"""What could be probed next: subjects over the fleet, and the runs that each can be probed on.

Rule: product contract, section 7. Ids are plain text here: the frames are read from a snapshot, and none is stored.
"""

import dataframely as dy

from afp_nodes.schemas.base import Frame
from afp_nodes.words import StudyKind

RUN_ID = "id of the run"
STUDY_KIND = "what a study of the subject would change: take it out, put it back, or configure it"
SUBJECT_KIND = "kind of suspect, kind of unit, or `arm`"
SUBJECT_NAME = "id of the suspect, unit or arm, as recorded"
CHANGE = "what would be changed, as JSON: the ablation spec, the unit, or the facets and ablations of the arm"


class FleetRuns(Frame):
    """One production run that may be planned from, and what its record can tell."""

    run_id = dy.String(primary_key=True, description=RUN_ID)
    is_doubtful = dy.Bool(
        nullable=True,
        description="it gave no answer, or one whose standing is `not-sure` or `ask`; NULL = the record does not say",
    )
    can_be_probed = dy.Bool(description="its question and its answer are recorded, and the record withholds neither")
    tokens = dy.Float64(nullable=True, description="tokens in and out; NULL = not known in whole")
    shows_suspects = dy.Bool(description="its record would name its suspects: a flat chart, with reads, with a loop")
    shows_units = dy.Bool(description="its record shows both sides of every model call")
    shows_manifest = dy.Bool(description="its manifest is recorded")
    arm_id = dy.String(nullable=True, description="arm that its manifest matches; NULL = none")


class FleetSuspects(Frame):
    """One suspect of one run of the fleet."""

    run_id = dy.String(primary_key=True, description=RUN_ID)
    suspect_kind = dy.String(primary_key=True, description="kind of the source")
    suspect_id = dy.String(primary_key=True, description="id of the source")
    spec_json = dy.String(primary_key=True, description="ablation spec that would remove it")


class FleetUnits(Frame):
    """One unit that some call of one run of the fleet went without."""

    run_id = dy.String(primary_key=True, description=RUN_ID)
    unit_id = dy.String(primary_key=True, description="id of the unit")
    unit_kind = dy.String(description="kind of the unit, where it was missed first")
    content = dy.String(nullable=True, description="its content, as first recorded; NULL = not recorded")


class FleetArms(Frame):
    """One arm that could take the place of the baseline arm."""

    arm_id = dy.String(primary_key=True, description="id of the arm")
    change_json = dy.String(description=CHANGE)


class SubjectRuns(Frame):
    """One run that one subject would change: that holds the suspect, missed the unit, or is of another arm."""

    study_kind = dy.Enum(StudyKind, primary_key=True, description=STUDY_KIND)
    subject_kind = dy.String(primary_key=True, description=SUBJECT_KIND)
    subject_name = dy.String(primary_key=True, description=SUBJECT_NAME)
    change_json = dy.String(primary_key=True, description=CHANGE)
    run_id = dy.String(primary_key=True, description=RUN_ID)


class ProbeSubjects(Frame):
    """One subject that could be probed: what makes it worth it.

    The numbers are an association, of tier `correlational`: what runs with the subject have in common with doubt.
    """

    rank = dy.Int64(primary_key=True, min=0, description="order in which subjects are planned")
    study_kind = SubjectRuns.study_kind
    subject_kind = SubjectRuns.subject_kind
    subject_name = SubjectRuns.subject_name
    change_json = SubjectRuns.change_json
    subject_id = dy.String(
        description="its name in a study: as recorded, with its kind before it where that would be ambiguous"
    )
    runs = dy.Int64(min=1, description="runs that it would change")
    judged_runs = dy.Int64(min=0, description="those of them whose record says whether they are in doubt")
    doubtful_runs = dy.Int64(min=0, description="those of them that are")
    judged_others = dy.Int64(min=0, description="the same of the runs known to be without it")
    doubtful_others = dy.Int64(min=0, description="those of them that are in doubt")
    difference = dy.Float64(
        nullable=True, description="share of doubtful runs less that of the others; NULL = one side has none to judge"
    )
    score = dy.Float64(
        nullable=True, description="judged runs times the square of the difference, 0 where that is negative"
    )
    least_tokens = dy.Float64(nullable=True, description="tokens of the cheapest run it can be probed on; NULL = none")


class ProbeChoices(Frame):
    """One run that one subject can be probed on."""

    rank = dy.Int64(primary_key=True, min=0, description="rank of the subject")
    position = dy.Int64(primary_key=True, min=0, description="order in which runs are preferred")
    run_id = dy.String(description=RUN_ID)
    doubt = dy.Int64(min=0, max=2, description="0 the run is in doubt, 1 the record does not say, 2 it is not")

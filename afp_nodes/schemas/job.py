"""The job itself: which documents came in, what became of them, which snapshots were published."""

import dataframely as dy

from afp_nodes.schemas.base import Frame, Table
from afp_nodes.words import DocumentStatus, InputKind, QuarantineCode, SourceFormat

SOURCE_URI = "absolute path or URL; a member of an archive is `ARCHIVE::MEMBER`"
POSITION = "index of the document in its source, from 0"
INGESTED_AT = "when the document was first read, UTC"
BATCH_ID = "job that read it"


class Recordings(Table):
    """One place a recording was found at.

    Rule: product contract, section 3. Of several recordings of one run, `complete` wins, then more commits, then
    more events, then the greater hash; of equal copies the least place is the active one.
    """

    recording_sha256 = dy.String(primary_key=True, description="SHA-256 of the decompressed document")
    source_uri = dy.String(primary_key=True, description=SOURCE_URI)
    position = dy.Int64(primary_key=True, min=0, description=POSITION)
    run_id = dy.String(primary_key=True, description="run the recording is of")
    source_format = dy.Enum(SourceFormat, description="shape of the document")
    status = dy.Enum(DocumentStatus, description="`active`, a copy of one (`duplicate`), or an older version")
    conflict = dy.Bool(description="two recordings of the run differ and only the hash decided between them")
    size_bytes = dy.Int64(min=0, description="size of the decompressed document, bytes")
    ingested_at = dy.Datetime(time_unit="us", time_zone="UTC", description=INGESTED_AT)
    batch_id = dy.String(description=BATCH_ID)
    complete = dy.Bool(nullable=True, description="the recording's own word; decides between versions")
    commits = dy.Int64(min=0, description="commits of its own log; decides between versions")
    events = dy.Int64(nullable=True, description="its events; decides between versions")


class Inputs(Table):
    """One study, unit list or declaration that was taken in, at one place."""

    sha256 = dy.String(primary_key=True, description="SHA-256 of the decompressed document")
    source_uri = dy.String(primary_key=True, description=SOURCE_URI)
    position = dy.Int64(primary_key=True, min=0, description=POSITION)
    kind = dy.Enum(InputKind, description="what the document is")
    status = dy.Enum(DocumentStatus, description="as in `recordings`")
    size_bytes = dy.Int64(min=0, description="size of the decompressed document, bytes")
    ingested_at = dy.Datetime(time_unit="us", time_zone="UTC", description=INGESTED_AT)
    batch_id = dy.String(description=BATCH_ID)
    content_json = dy.String(description="the document, white space removed")


class Quarantine(Table):
    """One document, or one entry of a list of them, that was refused."""

    source_uri = dy.String(primary_key=True, description=SOURCE_URI)
    position = dy.Int64(primary_key=True, min=0, description=POSITION)
    code = dy.Enum(QuarantineCode, description="why")
    message = dy.String(description="what is wrong, with the line or byte where one is known")
    remedy = dy.String(description="what to do")
    batch_id = dy.String(description=BATCH_ID)


class Files(Table):
    """One file or URL that was read, as it was when it was read: an unchanged one need not be read again."""

    source_uri = dy.String(primary_key=True, description="absolute path or URL")
    size_bytes = dy.Int64(min=0, description="size of the file as it lies, bytes")
    modified_ns = dy.Int64(description="time of last modification, nanoseconds since 1970 UTC")
    changed_ns = dy.Int64(description="time of last change of the inode, nanoseconds since 1970 UTC")
    inode = dy.Int64(description="inode and device of the file, hashed to 63 bits")
    documents = dy.Int64(min=0, description="documents it held")
    refused = dy.Int64(min=0, description="documents of it that were refused")


class Snapshots(Table):
    """One published snapshot of the store."""

    snapshot_id = dy.String(primary_key=True, description="version number of the manifest")
    created_at = dy.Datetime(time_unit="us", time_zone="UTC", description="when it was published, UTC")
    parent_id = dy.String(nullable=True, description="snapshot it was built on; NULL = the first")
    batch_id = dy.String(description="job that published it")
    code_version = dy.String(description="version of the derivations")
    row_counts_json = dy.String(description="rows of each table, as a JSON object")


class StudyRuns(Table):
    """One run that a study in force lists: such runs are probes, not production."""

    study_id = dy.String(primary_key=True, description="study that lists the run")
    run_id = dy.String(primary_key=True, description="run it lists; its recording need not be in the store")


class StudyEntries(Frame):
    """One study, and the document that is in force for it."""

    study_id = dy.String(primary_key=True, description="study it declares")
    sha256 = dy.String(description="SHA-256 of the decompressed document")


class InputEntries(Frame):
    """One entry of one document that is not a recording: what it speaks of and how much it says."""

    sha256 = dy.String(primary_key=True, description="SHA-256 of the decompressed document")
    kind = dy.Enum(InputKind, primary_key=True, description="what the document is")
    subject = dy.String(primary_key=True, description="study, or run of a unit list or declaration (`*`: all runs)")
    size = dy.Int64(min=0, description="runs a study lists, units of a list, tools declared")
    run_ids = dy.List(dy.String(), description="runs a study lists, in its order; empty for the others")
    position = dy.Int64(min=0, description="index of the entry in its document; 0 where that is no list")
    digest = dy.String(description="short hash of the entry as recorded, white space removed")


class HeldRuns(Frame):
    """One run as one chunk holds it."""

    chunk_id = dy.String(primary_key=True, description="chunk that holds the run")
    run_id = dy.String(primary_key=True, description="run it holds")
    recording_sha256 = dy.String(description="recording its rows were read from")
    chunk_position = dy.Int64(min=0, description="order of the chunks: of equal copies the first lives")


class SupersededRuns(Frame):
    """One run that a chunk holds and another chunk's rows stand for."""

    chunk_id = dy.String(primary_key=True, description="chunk whose rows of the run are seen no more")
    run_id = dy.String(primary_key=True, description="run that lives elsewhere")


class RunLabels(Frame):
    """One run with what other documents say of it: columns the view `runs` has beside those of its parts."""

    run_id = dy.String(primary_key=True, description="id of the run")
    arm_id = dy.String(nullable=True, description="arm the run's own manifest matches; NULL without `--arms`")
    study_id = dy.String(
        nullable=True, description="study that lists the run, the least id of several; NULL for a production run"
    )

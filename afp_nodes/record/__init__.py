"""From the bytes of one document to the facts of its run, as frames.

`read_document` decodes a document and says what it is; `FactCollector` turns decoded runs into frames.
"""

from afp_nodes.record.document import ReadOptions, ReadRecording, read_document, read_recordings
from afp_nodes.record.inputs import ReadInput
from afp_nodes.record.shred import FactCollector
from afp_nodes.refusals import Refusal, RefusedError

__all__ = [
    "FactCollector",
    "ReadInput",
    "ReadOptions",
    "ReadRecording",
    "Refusal",
    "RefusedError",
    "read_document",
    "read_recordings",
]

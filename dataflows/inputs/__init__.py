"""Inputs: from the paths of a command to documents, which nobody has parsed yet."""

from dataflows.inputs.documents import Document, Limits
from dataflows.inputs.finding import Found, NoSuchPathError, find_sources
from dataflows.inputs.readers import READERS, Reader, Reading, read_documents
from dataflows.inputs.sources import Fingerprint, Source, is_unchanged

__all__ = [
    "READERS",
    "Document",
    "Fingerprint",
    "Found",
    "Limits",
    "NoSuchPathError",
    "Reader",
    "Reading",
    "Source",
    "find_sources",
    "is_unchanged",
    "read_documents",
]

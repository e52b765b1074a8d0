"""Forms: how each ending of a file that is no archive says to read it."""

from collections.abc import Iterator, Mapping

from afp_nodes.refusals import Refusal
from dataflows.inputs.chunks import Chunks
from dataflows.inputs.codecs import Codec, gunzipped, plain, unzstandardised
from dataflows.inputs.documents import Document, Limits
from dataflows.inputs.layouts import Layout, document_lines, lone_document


def _decoded_form(layout: Layout, codec: Codec) -> Layout:
    def form(chunks: Chunks, source_uri: str, position: int, limits: Limits) -> Iterator[Document | Refusal]:
        return layout(codec(chunks), source_uri, position, limits)

    return form


_LAYOUTS: Mapping[str, Layout] = {".json": lone_document, ".jsonl": document_lines, ".ndjson": document_lines}
_CODECS: Mapping[str, Codec] = {"": plain, ".gz": gunzipped, ".zst": unzstandardised}

FORMS: dict[str, Layout] = {
    ending + suffix: _decoded_form(layout, codec)
    for ending, layout in _LAYOUTS.items()
    for suffix, codec in _CODECS.items()
}

"""Documents of INCEpTION as "UIMA CAS JSON 0.4.0": a file for each document and person, with spans by layer.

A file lists feature structures. One of them is the text, and spans name their first and last place in it, as
Java counts: in units of UTF-16.
"""

from collections.abc import Iterator, Mapping, Sequence

from reviewer.core.errors import InputError
from reviewer.exchange.labels.foreign_label import (
    ForeignRecord,
    ForeignSpan,
    ForeignSpans,
    LabelFormat,
    LabelledItem,
    ReadAs,
    RecordPart,
    span_of,
)
from store.records import JsonValue

_STRUCTURES = "%FEATURE_STRUCTURES"
_TITLE = "documentTitle"
_NO_SPANS = (
    "to a document without a span, which INCEpTION also writes where nobody marked anything; leave documents "
    "out that nobody finished"
)
_NOT_MARKED = ("uima.", "de.tudarmstadt.", "org.dkpro.", "org.apache.")
_NAMED_ENTITY = "de.tudarmstadt.ukp.dkpro.core.api.ner.type.NamedEntity"
_OF_LABELS = ("label", "value")
"""The features that hold the label of a span, first those that layers have by custom."""


class Inception(LabelFormat):
    """One document, marked by one person, whom the file does not name."""

    tool = "inception"

    def recognises(self, record: ForeignRecord) -> bool:
        """A list of feature structures."""
        return _STRUCTURES in record

    def key_fields(self, record: ForeignRecord) -> Sequence[str]:
        """None: a document's title is the name of a file, and a key only where somebody says so."""
        return ()

    def laid_open(self, record: ForeignRecord) -> ForeignRecord:
        """With the text and the title of the document as fields."""
        structures = _structures(record)
        text = next((one["sofaString"] for one in structures if "sofaString" in one), None)
        title = next((one[_TITLE] for one in structures if _TITLE in one), None)
        return {**record, "text": text, _TITLE: title}

    def parts(self, record: ForeignRecord, item: LabelledItem) -> Iterator[RecordPart]:
        """The spans of all layers, without tokens and sentences."""
        if not isinstance(record.get("text"), str):
            raise InputError(item.where, "has no text (sofaString)", "export it as UIMA CAS JSON 0.4.0")
        marked = [one for one in _structures(record) if _is_marked(one)]
        if not marked:
            yield ReadAs(_NO_SPANS)
        spans = tuple(_span(one, item.where) for one in marked)
        yield item.label(None, None, spans=ForeignSpans(spans, (record["text"],), utf_16=True))


def _structures(record: ForeignRecord) -> list[ForeignRecord]:
    """The feature structures; an object by their numbers in early versions. None of another tool's record."""
    listed = record.get(_STRUCTURES)
    values = listed.values() if isinstance(listed, Mapping) else listed if isinstance(listed, list) else ()
    return [one for one in values if isinstance(one, Mapping)]


def _is_marked(structure: ForeignRecord) -> bool:
    """Whether somebody marked it; tokens, sentences and the like come from the tool."""
    kind = str(structure.get("%TYPE", ""))
    has_place = "begin" in structure or "^begin" in structure
    return has_place and (kind == _NAMED_ENTITY or not kind.startswith(_NOT_MARKED))


def _span(structure: ForeignRecord, where: str) -> ForeignSpan:
    ends = [structure.get(f"^{name}", structure.get(name)) for name in ("begin", "end")]
    return span_of(ends, _label(structure), where)


def _label(structure: ForeignRecord) -> JsonValue:
    """The feature with the label, or the only one with a text; a layer without any is itself the label."""
    features = {name: value for name, value in structure.items() if name[:1] not in "%@^" and value}
    named = [features[name] for name in _OF_LABELS if isinstance(features.get(name), str)]
    texts = [value for value in features.values() if isinstance(value, str)]
    if named or len(texts) == 1:
        return (named or texts)[0]
    return str(structure.get("%TYPE", "")).rpartition(".")[2]

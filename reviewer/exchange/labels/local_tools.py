"""Labels of tools that write a file for each session or rater: Prodigy, Potato and INCEpTION.

Prodigy's ``db-out`` writes one answered example on each line. Potato writes ``annotated_instances.jsonl`` of
one rater, and ``user_state.json``. INCEpTION writes "UIMA CAS JSON 0.4.0" for each document and person: a
list of feature structures, one of which is the text. Spans name their first and last place in it, as Java
counts: in units of UTF-16.
"""

import re
from collections.abc import Iterator, Mapping, Sequence

from reviewer.core.errors import InputError
from reviewer.core.sanitize import shown
from reviewer.exchange.labels.foreign_label import (
    ForeignRecord,
    ForeignSpan,
    ForeignSpans,
    KeyCandidate,
    LabelFormat,
    LabelledItem,
    LeftOut,
    ReadAs,
    RecordPart,
    is_name,
    label_texts,
    name_of,
    objects_in,
    span_of,
)
from reviewer.exchange.labels.table_formats import names_a_rater
from store.records import JsonValue

_OWN = {"_annotator_id", "_session_id", "_input_hash", "_task_hash"}
_ANSWERS = ("accept", "reject", "ignore")
_TIME = re.compile(r"\d{4}-\d\d-\d\d_\d\d-\d\d-\d\d")
"""A session without a name is called by the time at which it began."""


class Prodigy(LabelFormat):
    """Choices among options, and examples with one label that are accepted or rejected."""

    tool = "prodigy"

    def recognises(self, record: ForeignRecord) -> bool:
        """An example with an answer, or with a hash or session of the tool."""
        has_answer = record.get("answer") in _ANSWERS and not names_a_rater(record)
        return bool(_OWN & {*record}) or has_answer

    def parts(self, record: ForeignRecord, item: LabelledItem) -> Iterator[RecordPart]:
        """The choice, or True or False; ignored examples and rejected choices are left out."""
        answer, chosen = record.get("answer"), record.get("accept")
        if answer not in _ANSWERS[:2]:
            yield LeftOut("ignored" if answer == "ignore" else "empty")
        elif not isinstance(chosen, list):
            question = record.get("label")
            asked = question if isinstance(question, str) else None
            yield item.label(_rater_of(record), asked, str(answer == "accept"))
        elif answer == "reject":
            yield LeftOut("rejected")
        else:
            texts = _texts_of_options(record, label_texts(chosen, item.where), item.where)
            yield item.label(_rater_of(record), None, chosen, or_values=texts)

    def session_prefix(self, names: Sequence[str], stem: str) -> str:
        """The name of the data set with its dash, where it stands before every name.

        The name is that of the file, as ``db-out`` is used, or the first part of at least two names that
        differ in the next. So nothing is cut where it is unclear at which dash.
        """
        if names and all(name.startswith(f"{stem}-") for name in names):
            return f"{stem}-"
        parts = [name.split("-", 2) for name in names]
        is_shared = len({some[0] for some in parts}) == 1 and all(len(some) > 1 for some in parts)
        return f"{parts[0][0]}-" if is_shared and len({some[1] for some in parts}) > 1 else ""


def _rater_of(record: ForeignRecord) -> str | None:
    name = name_of(record.get("_annotator_id")) or name_of(record.get("_session_id"))
    return None if name is None or _TIME.search(name) else name


def _texts_of_options(record: ForeignRecord, chosen: Sequence[str], where: str) -> tuple[str, ...]:
    """The texts of the chosen options; none if an option has no text."""
    texts: dict[str, JsonValue] = {
        str(option.get("id")): option.get("text") for option in objects_in(record.get("options"), where)
    }
    named = [texts.get(value) for value in chosen]
    return tuple(str(text) for text in named) if all(is_name(text) for text in named) else ()


_STATES, _SPANS = "instance_id_to_label_to_value", "instance_id_to_span_to_value"
_OFF = ("", "false", "False")


class Potato(LabelFormat):
    """An instance with its schemes, or the state of a rater with all instances."""

    tool = "potato"
    whole_answers = True

    def recognises(self, record: ForeignRecord) -> bool:
        """An instance or a state, by the names of its fields."""
        names = {*record}
        return bool(names & {"label_annotations", _STATES}) or {"annotations", "user_id"} <= names

    def parts(self, record: ForeignRecord, item: LabelledItem) -> Iterator[RecordPart]:
        """The boxes that are ticked in each scheme; spans are left out."""
        rater = name_of(record.get("user_id") or record.get("user") or record.get("annotator"))
        if isinstance(record.get(_STATES), Mapping):
            yield from _of_state(record, rater, item)
            return
        schemes = record.get("label_annotations", record.get("annotations"))
        if not isinstance(schemes, Mapping):
            raise InputError(
                item.where,
                "has no annotations by scheme",
                "give annotated_instances.jsonl or user_state.json",
            )
        yield from _spans(record.get("span_annotations"))
        yield from _of_schemes(schemes, rater, item)


def _of_state(record: ForeignRecord, rater: str | None, item: LabelledItem) -> Iterator[RecordPart]:
    spans = record.get(_SPANS)
    for instance, answers in record[_STATES].items():
        where = f"{item.where}, instance {shown(instance)}"
        about = LabelledItem(where, (KeyCandidate(_STATES, instance),))
        yield from _of_schemes(_schemes_in(answers, where), rater, about)
    for found in spans.values() if isinstance(spans, Mapping) else ():
        yield from _spans(found)


def _schemes_in(answers: JsonValue, where: str) -> Mapping[str, JsonValue]:
    """Answers by scheme: Potato keeps them so, or as pairs of a box with its scheme and a value."""
    if isinstance(answers, Mapping):
        return answers
    schemes: dict[str, dict[str, JsonValue]] = {}
    for pair in answers if isinstance(answers, list) else ():
        if not (isinstance(pair, list) and len(pair) == 2 and isinstance(pair[0], Mapping)):
            raise InputError(
                where, "has an answer that is not a pair of a box and a value", "export it again"
            )
        schemes.setdefault(str(pair[0].get("schema")), {})[str(pair[0].get("name"))] = pair[1]
    return schemes


def _spans(found: JsonValue) -> Iterator[LeftOut]:
    return (LeftOut("span") for _ in (found if isinstance(found, list | Mapping) else ()))


def _of_schemes(
    schemes: Mapping[str, JsonValue], rater: str | None, item: LabelledItem
) -> Iterator[RecordPart]:
    if not schemes:
        yield item.label(rater, None)
    for scheme, chosen in schemes.items():
        if isinstance(chosen, Mapping):
            on = {str(name): value for name, value in chosen.items() if _is_on(str(name), value)}
            values = tuple("True" if value is True else str(value) for value in on.values())
            yield item.label(rater, scheme, values, or_values=tuple(on))
        elif chosen in (None, ""):
            yield LeftOut("empty")
        else:
            yield item.label(rater, scheme, chosen)


def _is_on(name: str, value: JsonValue) -> bool:
    """Whether a box is ticked. A value that equals its name is one, also if it reads as off."""
    if value is None or isinstance(value, bool):
        return bool(value)
    return str(value) == name or str(value) not in _OFF


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

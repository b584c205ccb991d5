"""Labels of Label Studio, Argilla and doccano, in which people label the tasks of a project on a server.

Label Studio exports JSON with tasks and annotations, and JSON-MIN and CSV with a row an annotation. Argilla
writes records, nested or flat in version 2, and otherwise in version 1. doccano writes JSON Lines and JSON: a
file for each rater, with a list of labels for each text.
"""

import json
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from reviewer.core.errors import InputError
from reviewer.core.sanitize import one_line, shown
from reviewer.core.strict_json import value_in
from reviewer.exchange.labels.foreign_label import (
    ForeignRecord,
    ForeignSpan,
    ForeignSpans,
    LabelFormat,
    LabelledItem,
    LeftOut,
    ReadAs,
    RecordPart,
    label_texts,
    name_of,
    objects_in,
    span_of,
    values_in,
)
from reviewer.exchange.labels.table_formats import names_a_rater
from store.records import JsonValue

_ANSWERS = ("choices", "rating", "ranker", "text", "number", "selected", "taxonomy", "datetime")
"""Fields of a result's value that hold an answer about the whole item."""
_OF_A_PART = {"start", "end", "x", "y", "points", "rle", "vertices", "ranges"}
"""Fields of a result's value that say which part of the item it is about."""
_OF_A_ROW = {
    "id",
    "annotator",
    "annotation_id",
    "created_at",
    "updated_at",
    "lead_time",
    "agreement",
    "history",
}


class LabelStudio(LabelFormat):
    """The three exports. ``id`` is the tool's own number of a task, which it writes beside ``data``."""

    tool = "label-studio"
    own_numbers = ("id",)
    whole_answers = True

    def recognises(self, record: ForeignRecord) -> bool:
        """A task with annotations, or a row that names its annotation."""
        return _is_task(record) or {"annotation_id", "annotator", "lead_time"} <= {*record}

    def parts(self, record: ForeignRecord, item: LabelledItem) -> Iterator[RecordPart]:
        """The results of each annotation; cancelled ones, drafts and predictions are left out."""
        return _of_task(record, item) if _is_task(record) else self._of_row(record, item)

    def unread(self, record: ForeignRecord) -> Sequence[str]:
        """The columns of a row that are neither the tool's own nor questions."""
        if _is_task(record):
            return ()
        return [
            name for name in record if name not in _OF_A_ROW and name.casefold() not in self.fields.questions
        ]

    def _of_row(self, record: ForeignRecord, item: LabelledItem) -> Iterator[RecordPart]:
        """One annotation; a row without one is a task that nobody annotated."""
        answers = {name: record[name] for name in record if name.casefold() in self.fields.questions}
        given = {name: value for name, value in answers.items() if value not in (None, "", [])}
        if record.get("annotation_id") in (None, ""):
            yield LeftOut("empty")
            return
        if not given:
            self._check_other_spans(record, item.where)
            yield item.label(record.get("annotator"), None)
        for name, value in given.items():
            if spans := _spans_of_row(value, item.where):
                foreign = ForeignSpans(spans, item.whole_texts, utf_16=True)
                yield item.label(record.get("annotator"), name, spans=foreign)
            else:
                yield item.label(record.get("annotator"), name, _minimal(value))

    def _check_other_spans(self, record: ForeignRecord, where: str) -> None:
        """Raise InputError for spans in another column: the row would say that there is nothing to mark."""
        for name in self.unread(record):
            if _spans_of_row(record[name], where):
                wrong = f"has spans in {shown(name)!r}, which the study does not ask"
                raise InputError(where, wrong, f"give --rename {shown(name)}=QUESTION")


def _is_task(record: ForeignRecord) -> bool:
    return "data" in record and ("annotations" in record or "completions" in record)


def _of_task(record: ForeignRecord, item: LabelledItem) -> Iterator[RecordPart]:
    yield from (LeftOut("prediction") for _ in _listed(record.get("predictions")))
    yield from (LeftOut("draft") for _ in _listed(record.get("drafts")))
    annotations = record.get("annotations", record.get("completions"))
    for number, annotation in enumerate(objects_in(annotations, item.where), 1):
        if annotation.get("was_cancelled") or annotation.get("skipped"):
            yield LeftOut("cancelled")
        else:
            yield from _of_annotation(annotation, item, f"{item.where}, annotation {number}")


def _of_annotation(annotation: ForeignRecord, item: LabelledItem, where: str) -> Iterator[RecordPart]:
    results = objects_in(annotation.get("result"), where)
    rater = annotation.get("completed_by")
    if not results:
        yield item.label(rater, None, where=where)
    marked: dict[str | None, list[ForeignSpan]] = {}
    for result in results:
        value, question = result.get("value"), name_of(result.get("from_name"))
        answer = _answer_in(value)
        if isinstance(value, Mapping) and _is_span(value):
            marked.setdefault(question, []).extend(_spans_in(value, where))
        elif answer is None:
            yield LeftOut(f"of type {one_line(str(result.get('type')), 40)}")
        else:
            yield item.label(rater, question, answer, where)
    for question, spans in marked.items():
        foreign = ForeignSpans(tuple(spans), item.whole_texts, utf_16=True)
        yield item.label(rater, question, where=where, spans=foreign)


def _spans_in(value: ForeignRecord, where: str) -> Iterator[ForeignSpan]:
    """The same part with each of its labels."""
    ends = value["start"], value["end"]
    yield from (span_of(ends, label, where, value.get("text")) for label in value["labels"])


def _is_span(value: ForeignRecord) -> bool:
    """Whether the value of a result is part of a plain text with labels; parts of pages have paths."""
    return type(value.get("start")) is type(value.get("end")) is int and isinstance(value.get("labels"), list)


def _answer_in(value: JsonValue) -> JsonValue:
    """The answer about the whole item in the value of a result; None if it is about a part, or of no kind."""
    if not isinstance(value, Mapping) or _OF_A_PART & {*value}:
        return None
    answer = next((value[name] for name in _ANSWERS if name in value), None)
    if isinstance(answer, list):
        # A taxonomy gives the way to each label.
        return [one[-1] if isinstance(one, list) and one else one for one in answer]
    return answer


def _spans_of_row(value: JsonValue, where: str) -> tuple[ForeignSpan, ...]:
    """The spans in a field of JSON-MIN or a cell of CSV; none if it holds anything else."""
    parts = _decoded(value)
    if not isinstance(parts, list) or not all(isinstance(part, Mapping) and _is_span(part) for part in parts):
        return ()
    return tuple(span for part in parts for span in _spans_in(part, where))


def _decoded(value: JsonValue) -> JsonValue:
    """The content of a cell as JSON, else the value as it is."""
    is_json = isinstance(value, str) and value.startswith(("[", "{"))
    return value_in(str(value)) or value if is_json else value


def _minimal(value: JsonValue) -> JsonValue:
    """The answer in a field of JSON-MIN or a cell of CSV, where all but single choices and texts are JSON."""
    value = _decoded(value)
    if isinstance(value, list) and any(isinstance(one, Mapping) for one in value):
        answers = [_answer_in(one) for one in value]
        return [one for answer in answers for one in (answer if isinstance(answer, list) else [answer])]
    return _answer_in(value) if isinstance(value, Mapping) else value


def _listed(value: JsonValue) -> Sequence[JsonValue]:
    return value if isinstance(value, list) else ()


_FLAT = ".responses"
_NOT_SUBMITTED = {"draft": "draft", "discarded": "discarded", "pending": "draft"}
_OF_OLD_RECORDS = {"validated": "submitted", "discarded": "discarded"}
"""The status of records of version 1; all others are drafts."""
_NO_STATUS = (
    "without a status, as the nested export of Argilla 2 has it, read as submitted: drafts are among them; "
    "export records with to_list(flatten=True) to tell them apart"
)


_Response = tuple[str | None, JsonValue, JsonValue, JsonValue]
"""A question, the user, the value and its status."""


class Argilla(LabelFormat):
    """Responses by question, by user, or flat beside the fields. Suggestions are predictions."""

    tool = "argilla"
    whole_answers = True

    def recognises(self, record: ForeignRecord) -> bool:
        """Records with responses, in any of their layouts."""
        return "responses" in record or bool(_flat_names(record) or _columns(record)) or _is_old(record)

    def parts(self, record: ForeignRecord, item: LabelledItem) -> Iterator[RecordPart]:
        """Responses of people; drafts, discards and suggestions are left out."""
        yield from (LeftOut("prediction") for _ in range(_predictions(record)))
        for question, rater, value, status in _responses(record, item.where):
            if kind := _NOT_SUBMITTED.get(str(status)):
                yield LeftOut(kind)
            elif value is None:
                yield LeftOut("empty")
            else:
                if status == _NO_STATUS:
                    yield ReadAs(_NO_STATUS)
                yield item.label(rater, question, _ranks(value) or value)


def _responses(record: ForeignRecord, where: str) -> Iterator[_Response]:
    """The responses of a record, in whichever layout it is."""
    responses = record.get("responses")
    if _is_old(record):
        status = _OF_OLD_RECORDS.get(str(record["status"]).casefold(), "draft")
        yield None, record["annotation_agent"], record["annotation"], status
    elif isinstance(responses, Mapping):
        for question, answers in responses.items():
            yield from _answers(question, objects_in(answers, where))
    else:
        yield from _by_user(objects_in(responses, where), where)
    for name in _columns(record):
        yield from _answers(name, record[name])
    for name in _flat_names(record):
        yield from _flat(record, name, where)


def _is_old(record: ForeignRecord) -> bool:
    """Whether it is a record of text classification of version 1."""
    return {"annotation", "annotation_agent", "status"} <= {*record}


def _columns(record: ForeignRecord) -> list[str]:
    """The columns in which version 1 puts the responses to a question when it makes a data set of rows."""

    def is_response(value: JsonValue) -> bool:
        return isinstance(value, Mapping) and {"user_id", "value", "status"} <= {*value}

    return [
        name
        for name, value in record.items()
        if isinstance(value, list) and value and all(map(is_response, value))
    ]


def _flat_names(record: ForeignRecord) -> list[str]:
    return [name for name, value in record.items() if name.endswith(_FLAT) and isinstance(value, list)]


def _predictions(record: ForeignRecord) -> int:
    suggestions = record.get("suggestions") or record.get("prediction") or ()
    flat = [name for name, value in record.items() if name.endswith(".suggestion") and value is not None]
    return len(suggestions if isinstance(suggestions, Mapping | list) else ()) + len(flat)


def _answers(question: str, answers: Sequence[ForeignRecord]) -> Iterator[_Response]:
    for answer in answers:
        yield question, answer.get("user_id"), answer.get("value"), answer.get("status", _NO_STATUS)


def _ranks(value: JsonValue) -> str:
    """The answer to a ranking question of Argilla as the rank of each value; "" for any other answer."""
    if not isinstance(value, list) or not value:
        return ""
    if not all(isinstance(one, Mapping) and {*one} == {"value", "rank"} for one in value):
        return ""
    return json.dumps({str(one["value"]): one["rank"] for one in value}, ensure_ascii=False)


def _by_user(responses: Sequence[ForeignRecord], where: str) -> Iterator[_Response]:
    for response in responses:
        user, status = response.get("user_id"), response.get("status", _NO_STATUS)
        values = response.get("values") or {None: None}
        if not isinstance(values, Mapping):
            raise InputError(where, "has responses that are not laid out by question", "export it again")
        for question, answer in values.items():
            yield question, user, answer.get("value") if isinstance(answer, Mapping) else answer, status


def _flat(record: ForeignRecord, name: str, where: str) -> Iterator[_Response]:
    values = record[name]
    users = values_in(record.get(f"{name}.users"), where) or [None] * len(values)
    states = values_in(record.get(f"{name}.status"), where) or [_NO_STATUS] * len(values)
    if not (len(users) == len(values) == len(states)):
        raise InputError(where, f"has not as many users as answers in {shown(name)!r}", "export it again")
    for value, user, state in zip(values, users, states, strict=True):
        yield name.removesuffix(_FLAT), user, value, state


_LABELS = ("label", "labels", "cats", "entities")
_TEXTS = ("text", "data", "filename")
_PARTS_OF_A_SPAN = 3
_NONE_CHOSEN = (
    "with an empty list of labels, which doccano also writes where nobody answered; "
    "export approved documents only to tell them apart"
)


class Doccano(LabelFormat):
    """``id`` is the tool's own number of a text."""

    tool = "doccano"
    own_numbers = ("id",)
    labelled = ("text", "data")

    def recognises(self, record: ForeignRecord) -> bool:
        """A list of labels beside a text, and no rater."""
        has_list = any(isinstance(record.get(name), list) for name in (*_LABELS, "annotations"))
        return has_list and any(name in record for name in _TEXTS) and not names_a_rater(record)

    def parts(self, record: ForeignRecord, item: LabelledItem) -> Iterator[RecordPart]:
        """The labels of a text, or the spans in it."""
        if isinstance(record.get("annotations"), list):
            yield from _by_annotation(objects_in(record["annotations"], item.where), item)
            return
        lists = (values_in(record[name], item.where) for name in _LABELS if name in record)
        labels = [label for listed in lists for label in listed]
        whole = [label for label in labels if not isinstance(label, list | Mapping)]
        spans = [_span_in(label, item.where) for label in labels if isinstance(label, list | Mapping)]
        if spans:
            yield _marked(None, spans, item, comment=_comments(record))
        if whole:
            yield item.label(None, None, whole, comment=_comments(record), beside_spans=bool(spans))
        if not labels:
            yield ReadAs(_NONE_CHOSEN)
            yield item.label(None, None, whole, comment=_comments(record))


def _span_in(value: JsonValue, where: str) -> ForeignSpan:
    """A span as a list, or as an object where relations are labelled too; raises InputError."""
    if isinstance(value, list) and len(value) == _PARTS_OF_A_SPAN:
        return span_of(value[:2], value[2], where)
    if isinstance(value, Mapping) and "start_offset" in value:
        return span_of((value["start_offset"], value.get("end_offset")), value.get("label"), where)
    raise InputError(where, "has a label that is neither a name nor a span", "export it again as JSONL")


def _marked(rater: str | None, spans: list[ForeignSpan], item: LabelledItem, **more: Any) -> RecordPart:
    return item.label(rater, None, spans=ForeignSpans(tuple(spans), item.whole_texts), **more)


def _by_annotation(annotations: list[ForeignRecord], item: LabelledItem) -> Iterator[RecordPart]:
    """Earlier releases write each label with the number of its rater."""
    chosen: dict[str | None, list[str]] = {}
    marked: dict[str | None, list[ForeignSpan]] = {}
    for annotation in annotations:
        rater = name_of(annotation.get("user"))
        if "start_offset" in annotation:
            marked.setdefault(rater, []).append(_span_in(annotation, item.where))
        else:
            label = annotation.get("label", annotation.get("text"))
            chosen.setdefault(rater, []).extend(label_texts(label, item.where))
    for rater, labels in chosen.items():
        yield item.label(rater, None, labels)
    for rater, spans in marked.items():
        yield _marked(rater, spans, item)


def _comments(record: ForeignRecord) -> str:
    comments = record.get("Comments")
    return "\n".join(str(one) for one in comments) if isinstance(comments, list) else ""

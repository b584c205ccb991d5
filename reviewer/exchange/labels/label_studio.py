"""Label Studio's exports: JSON with tasks and annotations, and JSON-MIN and CSV with a row an annotation."""

import json
from collections.abc import Iterator, Mapping, Sequence

from reviewer.core.sanitize import one_line
from reviewer.exchange.labels.foreign_label import (
    ForeignLabel,
    ForeignRecord,
    LabelFormat,
    LabelledItem,
    LeftOut,
    RecordPart,
    label_texts,
    name_of,
    objects_in,
)
from store.records import JsonValue

_ANSWERS = ("choices", "rating", "text", "number", "selected", "taxonomy", "datetime")
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
        rater = name_of(record.get("annotator"))
        if not given:
            yield ForeignLabel(item.where, item, rater, None, ())
        for name, value in given.items():
            yield ForeignLabel(item.where, item, rater, name, label_texts(_minimal(value), item.where))


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
    rater = name_of(annotation.get("completed_by"))
    if not results:
        yield ForeignLabel(where, item, rater, None, ())
    for result in results:
        answer = _answer_in(result.get("value"))
        if answer is None:
            yield LeftOut(f"of type {one_line(str(result.get('type')), 40)}")
        else:
            yield ForeignLabel(
                where, item, rater, name_of(result.get("from_name")), label_texts(answer, where)
            )


def _answer_in(value: JsonValue) -> JsonValue:
    """The answer about the whole item in the value of a result; None if it is about a part, or of no kind."""
    if not isinstance(value, Mapping) or _OF_A_PART & {*value}:
        return None
    answer = next((value[name] for name in _ANSWERS if name in value), None)
    if isinstance(answer, list):
        # A taxonomy gives the way to each label.
        return [one[-1] if isinstance(one, list) and one else one for one in answer]
    return answer


def _minimal(value: JsonValue) -> JsonValue:
    """The answer in a field of JSON-MIN or a cell of CSV, where all but single choices and texts are JSON."""
    if isinstance(value, str) and value.startswith(("[", "{")):
        try:
            value = json.loads(value)
        except (ValueError, RecursionError):
            return value
    if isinstance(value, list) and any(isinstance(one, Mapping) for one in value):
        answers = [_answer_in(one) for one in value]
        return [one for answer in answers for one in (answer if isinstance(answer, list) else [answer])]
    return _answer_in(value) if isinstance(value, Mapping) else value


def _listed(value: JsonValue) -> Sequence[JsonValue]:
    return value if isinstance(value, list) else ()

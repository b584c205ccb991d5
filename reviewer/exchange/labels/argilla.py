"""Argilla's records: those of version 2 nested and flat, and those of version 1."""

from collections.abc import Iterator, Mapping, Sequence

from reviewer.core.errors import InputError
from reviewer.core.sanitize import shown
from reviewer.exchange.labels.foreign_label import (
    ForeignLabel,
    ForeignRecord,
    LabelFormat,
    LabelledItem,
    LeftOut,
    ReadAs,
    RecordPart,
    label_texts,
    name_of,
    objects_in,
    values_in,
)
from store.records import JsonValue

_FLAT = ".responses"
_NOT_SUBMITTED = {"draft": "draft", "discarded": "discarded", "pending": "draft"}
_OF_OLD_RECORDS = {"validated": None, "default": "draft", "discarded": "discarded", "edited": "draft"}
_NO_STATUS = (
    "without a status, as the nested export of Argilla 2 has it, read as submitted: drafts are among them; "
    "export records with to_list(flatten=True) to tell them apart"
)


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
        responses = record.get("responses")
        if _is_old(record):
            yield from _of_old_record(record, item)
        elif isinstance(responses, Mapping):
            for question, answers in responses.items():
                yield from _answers(question, objects_in(answers, item.where), item)
        else:
            yield from _by_user(objects_in(responses, item.where), item)
        for name in _columns(record):
            yield from _answers(name, record[name], item)
        for name in _flat_names(record):
            yield from _flat(record, name, item)


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


def _answers(question: str, answers: Sequence[ForeignRecord], item: LabelledItem) -> Iterator[RecordPart]:
    for answer in answers:
        rater, value = name_of(answer.get("user_id")), answer.get("value")
        yield from _answer(question, rater, value, answer.get("status", _NO_STATUS), item)


def _answer(
    question: str, rater: str | None, value: JsonValue, status: JsonValue, item: LabelledItem
) -> Iterator[RecordPart]:
    if kind := _NOT_SUBMITTED.get(str(status)):
        yield LeftOut(kind)
    elif value is None:
        yield LeftOut("empty")
    else:
        if status == _NO_STATUS:
            yield ReadAs(_NO_STATUS)
        yield ForeignLabel(item.where, item, rater, question, label_texts(value, item.where))


def _by_user(responses: Sequence[ForeignRecord], item: LabelledItem) -> Iterator[RecordPart]:
    for response in responses:
        values, status = response.get("values"), response.get("status", _NO_STATUS)
        if not values:
            yield LeftOut(_NOT_SUBMITTED.get(str(status), "empty"))
        elif not isinstance(values, Mapping):
            raise InputError(item.where, "has responses that are not laid out by question", "export it again")
        else:
            for question, answer in values.items():
                value = answer.get("value") if isinstance(answer, Mapping) else answer
                yield from _answer(question, name_of(response.get("user_id")), value, status, item)


def _flat(record: ForeignRecord, name: str, item: LabelledItem) -> Iterator[RecordPart]:
    values = record[name]
    users = values_in(record.get(f"{name}.users"), item.where) or [None] * len(values)
    states = values_in(record.get(f"{name}.status"), item.where) or [_NO_STATUS] * len(values)
    if not (len(users) == len(values) == len(states)):
        raise InputError(
            item.where, f"has not as many users as answers in {shown(name)!r}", "export it again"
        )
    for value, user, state in zip(values, users, states, strict=True):
        yield from _answer(name.removesuffix(_FLAT), name_of(user), value, state, item)


def _of_old_record(record: ForeignRecord, item: LabelledItem) -> Iterator[RecordPart]:
    kind = _OF_OLD_RECORDS.get(str(record["status"]).casefold(), "draft")
    if kind or record["annotation"] is None:
        yield LeftOut(kind or "empty")
    else:
        rater = name_of(record["annotation_agent"])
        yield ForeignLabel(item.where, item, rater, None, label_texts(record["annotation"], item.where))

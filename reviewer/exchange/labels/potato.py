"""Potato's files: ``annotated_instances.jsonl`` of one rater, and ``user_state.json``."""

from collections.abc import Iterator, Mapping

from reviewer.core.errors import InputError
from reviewer.core.sanitize import shown
from reviewer.exchange.labels.foreign_label import (
    ForeignLabel,
    ForeignRecord,
    KeyCandidate,
    LabelFormat,
    LabelledItem,
    LeftOut,
    RecordPart,
    label_texts,
    name_of,
)
from store.records import JsonValue

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
        yield ForeignLabel(item.where, item, rater, None, ())
    for scheme, chosen in schemes.items():
        if isinstance(chosen, Mapping):
            on = {str(name): value for name, value in chosen.items() if _is_on(str(name), value)}
            values = tuple("True" if value is True else str(value) for value in on.values())
            yield ForeignLabel(item.where, item, rater, scheme, values, or_values=tuple(on))
        elif chosen in (None, ""):
            yield LeftOut("empty")
        else:
            yield ForeignLabel(item.where, item, rater, scheme, label_texts(chosen, item.where))


def _is_on(name: str, value: JsonValue) -> bool:
    """Whether a box is ticked. A value that equals its name is one, also if it reads as off."""
    if value is None or isinstance(value, bool):
        return bool(value)
    return str(value) == name or str(value) not in _OFF

"""Prodigy's export, as ``db-out`` writes it: one answered example on each line."""

import re
from collections.abc import Iterator, Sequence

from reviewer.exchange.labels.foreign_label import (
    ForeignLabel,
    ForeignRecord,
    LabelFormat,
    LabelledItem,
    LeftOut,
    RecordPart,
    is_name,
    label_texts,
    name_of,
    objects_in,
)
from reviewer.exchange.labels.label_table import names_a_rater
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
            value = "True" if answer == "accept" else "False"
            rater = _rater_of(record)
            yield ForeignLabel(
                item.where, item, rater, question if isinstance(question, str) else None, (value,)
            )
        elif answer == "reject":
            yield LeftOut("rejected")
        else:
            values = label_texts(chosen, item.where)
            yield ForeignLabel(
                item.where,
                item,
                _rater_of(record),
                None,
                values,
                _texts_of_options(record, values, item.where),
            )

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

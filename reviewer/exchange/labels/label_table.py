"""Tables of labels: a row for each label, a column for each rater, or a column for each question.

| long | by rater | by question |
|---|---|---|
| ``item, annotator, label`` | ``key, anna, ben, cara`` | ``key, rater, fits, grade`` |

Columns are found by their usual names, or a person names them. A column that may be meant in two ways is
asked for. CSV, TSV, Parquet and JSON Lines are read alike.
"""

from collections.abc import Iterator, Sequence
from typing import Literal

from reviewer.core.errors import InputError
from reviewer.core.sanitize import shown
from reviewer.exchange.labels.foreign_label import (
    ForeignLabel,
    ForeignRecord,
    LabelFormat,
    LabelledItem,
    LeftOut,
    RecordPart,
    label_texts,
    name_of,
)
from store.records import JsonValue

_Role = Literal["key", "rater", "question", "label"]
USUAL_NAMES: dict[_Role, tuple[str, ...]] = {
    "key": (
        *("key", "id", "case", "case_id", "item", "item_id", "instance_id", "pair_id", "example_id"),
        *("external_id", "unit_id", "doc_id", "uid"),
    ),
    "rater": (
        "rater",
        "annotator",
        "coder",
        "user",
        "user_id",
        "worker",
        "worker_id",
        "labeler",
        "annotator_id",
    ),
    "question": ("question", "question_key"),
    "label": ("label", "labels", "answer", "value", "annotation", "rating", "judgement", "judgment"),
}


class LabelTable(LabelFormat):
    """A row of a table, whose columns a person may have named."""

    tool = "table"

    def recognises(self, record: ForeignRecord) -> bool:
        """A row with a key and at least one column of labels."""
        has_key = bool(self._columns("key", record))
        return has_key and bool(
            self._columns("label", record) or self._rater_columns(record) or self._question_columns(record)
        )

    def key_fields(self, record: ForeignRecord) -> Sequence[str]:
        """The columns that may hold the key."""
        return self._columns("key", record)

    def unread(self, record: ForeignRecord) -> Sequence[str]:
        """The columns without a role. Only in a long table it is clear which label a comment is about."""
        is_long = bool(self._columns("label", record))
        used = set[str]() if is_long else {*self._question_columns(record), *self._rater_columns(record)}
        used |= {name for role in USUAL_NAMES for name in self._columns(role, record)}
        beside = ("dataset", "comment") if is_long else ("dataset",)
        return [name for name in record if name not in used and _plain(name) not in beside]

    def parts(self, record: ForeignRecord, item: LabelledItem) -> Iterator[RecordPart]:
        """The label of each cell; empty ones are left out."""
        beside = {_plain(name): value for name, value in record.items()}
        comment = (beside.get("comment") if self._columns("label", record) else "") or ""
        rater = name_of(self._value("rater", record, item.where))
        question = name_of(self._value("question", record, item.where))
        for one_rater, one_question, value in self._cells(record, rater, question, item.where):
            if value in (None, ""):
                yield LeftOut("empty")
            else:
                yield ForeignLabel(
                    item.where,
                    item,
                    one_rater,
                    one_question,
                    label_texts(value, item.where),
                    comment=comment if isinstance(comment, str) else "",
                )

    def _cells(
        self, record: ForeignRecord, rater: str | None, question: str | None, where: str
    ) -> Iterator[tuple[str | None, str | None, JsonValue]]:
        """The rater, the question and the label of each cell with a label."""
        if self._columns("label", record):
            yield rater, question, self._value("label", record, where)
        elif asked := self._question_columns(record):
            yield from ((rater, name, record[name]) for name in asked)
        else:
            yield from ((name.strip(), question, record[name]) for name in self._rater_columns(record))

    def _value(self, role: _Role, record: ForeignRecord, where: str) -> JsonValue:
        """The value of the column in a role, None without one; raises InputError if there are several."""
        columns = self._columns(role, record)
        if len(columns) > 1:
            named = " and ".join(shown(name) for name in columns)
            raise InputError(where, f"has columns {named}, each of which may be the {role}", _name_it(role))
        return record[columns[0]] if columns else None

    def _columns(self, role: _Role, record: ForeignRecord) -> list[str]:
        named: str | None = getattr(self.fields, role)
        if named is not None:
            return [named] if named in record or role == "key" else []
        if role == "label" and self.fields.raters:
            return []
        return usual_columns(role, record)

    def _question_columns(self, record: ForeignRecord) -> list[str]:
        if self.fields.raters:
            return []
        return [name for name in record if _plain(name) in self.fields.questions]

    def _rater_columns(self, record: ForeignRecord) -> list[str]:
        """The named columns; without names, all columns of a table with neither labels nor a rater."""
        if self.fields.raters:
            return [name for name in record if name.strip() in self.fields.raters]
        if self._question_columns(record) or self._columns("rater", record):
            return []
        others = {name for role in USUAL_NAMES for name in self._columns(role, record)}
        return [name for name in record if name not in others and _plain(name) not in ("dataset", "comment")]


def usual_columns(role: _Role, record: ForeignRecord) -> list[str]:
    """The columns of a record that bear a usual name of a role."""
    return [name for name in record if _plain(name) in USUAL_NAMES[role]]


def names_a_rater(record: ForeignRecord) -> bool:
    """Whether a record has a column for its rater, as tables have."""
    return bool(usual_columns("rater", record))


def _plain(name: str) -> str:
    return name.strip().casefold()


def _name_it(role: _Role) -> str:
    return f"name the right one with --{role}-field"

"""Tables of labels: a row for each label, a column for each rater, or a column for each question.

| long | by rater | by question |
|---|---|---|
| ``item, annotator, label`` | ``key, anna, ben, cara`` | ``key, rater, fits, grade`` |

Columns are found by their usual names, or a person names them. A column that may be meant in two ways is
asked for. CSV, TSV, Parquet and JSON Lines are read alike. Our own ``labels.csv`` and ``labels.jsonl`` come
back with all that an export writes.
"""

from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import Literal

from reviewer.core.errors import InputError
from reviewer.core.sanitize import shown
from reviewer.core.strict_json import value_in
from reviewer.exchange.labels.foreign_label import (
    AnswerDetails,
    ForeignRecord,
    LabelFormat,
    LabelledItem,
    LeftOut,
    ReadAs,
    RecordPart,
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
        for rater, question, value in self._cells(record, item.where):
            if value in (None, ""):
                yield LeftOut("empty")
            else:
                comment = comment if isinstance(comment, str) else ""
                yield item.label(rater, question, value, comment=comment)

    def _cells(self, record: ForeignRecord, where: str) -> Iterator[tuple[JsonValue, JsonValue, JsonValue]]:
        """The rater, the question and the label of each cell with a label."""
        rater = self._value("rater", record, where)
        question = self._value("question", record, where)
        if self._columns("label", record):
            yield rater, question, self._value("label", record, where)
        elif asked := self._question_columns(record):
            yield from ((rater, name, record[name]) for name in asked)
        else:
            yield from ((name, question, record[name]) for name in self._rater_columns(record))

    def _value(self, role: _Role, record: ForeignRecord, where: str) -> JsonValue:
        """The value of the column in a role, None without one; raises InputError if there are several."""
        columns = self._columns(role, record)
        if len(columns) > 1:
            named = " and ".join(shown(name) for name in columns)
            raise InputError(
                where,
                f"has columns {named}, each of which may be the {role}",
                f"name the right one with --{role}-field",
            )
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


_OWN = {"rater", "showing", "phase", "state", "label", "question_key", "event_digest"}
_OF_LEFT_OUT = "of raters who are left out of the numbers of their study; here they count"


class OwnLabels(LabelFormat):
    """A row is one rater's verdict on one question about one showing of a case, before or after a reveal."""

    tool = "reviewer"

    def recognises(self, record: ForeignRecord) -> bool:
        """A row of the table that an export writes."""
        return {*record} >= _OWN

    def key_fields(self, record: ForeignRecord) -> tuple[str, ...]:
        """The columns that may hold the key."""
        return ("case", "key")

    def parts(self, record: ForeignRecord, item: LabelledItem) -> Iterator[RecordPart]:
        """The label with its comment and flag; reasons and skips are left out."""
        if missing := sorted(_OWN - {*record}):
            raise InputError(
                item.where, f"has no column {missing[0]!r}", "take the file as the export wrote it"
            )
        label, comment = record["label"] or None, record.get("comment") or ""
        details = AnswerDetails(
            _showing(record["showing"], item.where),
            "after" if record["phase"] == "after" else "before",
            _passage(record.get("passage"), item.where),
            _is_true(record.get("flagged")),
        )
        if record.get("reason"):
            yield LeftOut("reason")
        if record["state"] == "skipped":
            yield LeftOut("skipped")
        if label is None and not (comment or details.flagged or details.phase == "after"):
            return
        if _is_true(record.get("left_out")):
            yield ReadAs(_OF_LEFT_OUT)
        said = item.label(record["rater"], record["question_key"], label or (), comment=str(comment))
        yield replace(said, values=said.values if label else None, details=details)


def _is_true(value: JsonValue) -> bool:
    return str(value).casefold() == "true"


def _showing(value: JsonValue, where: str) -> int:
    if str(value) not in ("0", "1"):
        raise InputError(where, f"has no showing {str(value)[:20]!r}", "take the file as the export wrote it")
    return int(str(value))


def _passage(value: JsonValue, where: str) -> JsonValue:
    if value in (None, ""):
        return None
    passage = value_in(value) if isinstance(value, str) else value
    if not isinstance(passage, dict):
        raise InputError(where, "has a passage that is not a JSON object", "take the file as it was written")
    return passage

"""Our own ``labels.csv`` and ``labels.jsonl``, as an export writes them, with all that can come back."""

import json
from collections.abc import Iterator

from reviewer.core.errors import InputError
from reviewer.exchange.labels.foreign_label import (
    AnswerDetails,
    ForeignLabel,
    ForeignRecord,
    LabelFormat,
    LabelledItem,
    LeftOut,
    ReadAs,
    RecordPart,
    name_of,
)
from store.records import JsonValue

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
        values = None if label is None else (str(label),)
        question = name_of(record["question_key"])
        yield ForeignLabel(
            item.where,
            item,
            name_of(record["rater"]),
            question,
            values,
            comment=str(comment),
            details=details,
        )


def _is_true(value: JsonValue) -> bool:
    return str(value).casefold() == "true"


def _showing(value: JsonValue, where: str) -> int:
    if str(value) not in ("0", "1"):
        raise InputError(where, f"has no showing {str(value)[:20]!r}", "take the file as the export wrote it")
    return int(str(value))


def _passage(value: JsonValue, where: str) -> JsonValue:
    if value in (None, ""):
        return None
    try:
        passage = json.loads(value) if isinstance(value, str) else value
    except (ValueError, RecursionError):
        passage = None
    if not isinstance(passage, dict):
        raise InputError(where, "has a passage that is not a JSON object", "take the file as it was written")
    return passage

"""Files of decisions: one row for each case and model, with the option chosen in each version."""

import re
from collections.abc import Hashable, Sequence
from typing import Final

from reviewer.core.errors import InputError
from reviewer.core.sanitize import shown
from reviewer.protocols.evaluation import Condition
from reviewer.protocols.intake import CORRECT
from reviewer.protocols.outcome_files import FiledOutcome, FiledRow, OutcomeFiles, RowCells
from reviewer.protocols.treatment_tests.evaluation import BALANCED, ORDER, VERSION
from reviewer.protocols.treatment_tests.treatment_test import MOST_OPTIONS, VERSIONS
from store.records import Case, JsonValue

_DECISIONS: Final = {version: f"{version}_decision" for version in VERSIONS}
_NUMBER: Final = re.compile(r"[0-9]{1,4}")
_NONE: Final = "the file has no decision"
_NO_ORDER: Final = (
    "the file does not say in which order options were shown; divisions by order, and the score of always "
    "the first place, take the order that an evaluation would use"
)


class DecisionFiles(OutcomeFiles):
    """Decisions count options from 0 in the order of the case. An empty one was not read."""

    name = "treatment-decisions"
    columns = ("key", "model", *VERSIONS, *_DECISIONS.values())

    def texts_of(self, case: Case) -> Hashable:
        """Both versions."""
        return tuple(case.payload[version] for version in VERSIONS)

    def content_of(self, row: RowCells) -> tuple[str, RowCells]:
        """What a row has that also holds the other parts of its case."""
        parts = {name: row[name] for name in self._protocol.payload_model.model_fields if name in row}
        return str(row.get("group")), parts

    def read(self, row: RowCells, where: str) -> FiledRow:
        """A decision for each version; raises InputError."""
        texts = tuple(_text(row, version, where) for version in VERSIONS)
        outcomes = {
            Condition(((VERSION, version), (ORDER, BALANCED))): _decision(
                row[column], f"{where}, column {column!r}"
            )
            for version, column in _DECISIONS.items()
        }
        key, model = _text(row, "key", where), _text(row, "model", where)
        return FiledRow(texts, 0, outcomes, key=key, model=model, remark=_NO_ORDER)

    def settled(self, case: Case, condition: Condition, outcome: FiledOutcome, where: str) -> FiledOutcome:
        """The same; raises InputError for an option that the case does not have."""
        options = case.payload["options"]
        assert isinstance(options, Sequence)
        if outcome.label is not None and int(outcome.label) >= len(options):
            column = _DECISIONS[condition[VERSION]]
            wrong = (
                f"is {outcome.label}, and the case has {len(options)} options, from 0 to {len(options) - 1}"
            )
            raise InputError(f"{where}, column {column!r}", wrong, CORRECT)
        return outcome


def _text(row: RowCells, column: str, where: str) -> str:
    value = row[column]
    if not isinstance(value, str) or not value.strip():
        raise InputError(f"{where}, column {column!r}", "is not a text", CORRECT)
    return value.strip()


def _decision(value: JsonValue, where: str) -> FiledOutcome:
    if value is None or value == "":
        return FiledOutcome(None, "", _NONE)
    number = int(value) if isinstance(value, str) and _NUMBER.fullmatch(value) else value
    if isinstance(number, bool) or not isinstance(number, int) or not 0 <= number < MOST_OPTIONS:
        raise InputError(where, f"is {shown(str(value))}, not the number of an option from 0", CORRECT)
    return FiledOutcome(str(number), f"Option {number + 1}")

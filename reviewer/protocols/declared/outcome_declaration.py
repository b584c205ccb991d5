"""A declaration of a table of outcomes: the columns that name case, condition, model and answer.

Nothing of it is run or opened. All faults are named at once, each with its table and key.
"""

from collections.abc import Hashable, Iterator, Mapping

from pydantic import BaseModel, ConfigDict, Field, ValidationError

from reviewer.core.errors import InputError
from reviewer.core.names import closest
from reviewer.core.sanitize import shown
from reviewer.core.source_text import toml_content
from reviewer.core.strict_json import fault_in
from reviewer.protocols.base import Protocol
from reviewer.protocols.declared.declaration_reading import DeclarationError
from reviewer.protocols.declared.mapping import cell_at
from reviewer.protocols.evaluation import Condition, EvaluationPlan, Factor
from reviewer.protocols.intake import CORRECT, text_of_cell
from reviewer.protocols.outcome_files import FiledOutcome, FiledRow, OutcomeFiles, RowCells
from store.records import Case, JsonValue, digest_of

_NO_CHOICE = "the file has no choice for this condition"
_TO_BE_READ = "not read yet"
_KNOWN_FAULTS = {
    "missing": ("is missing", "add it"),
    "extra_forbidden": ("is not known here", "take it out"),
    "string_type": ("is not a text", "write it in quotation marks"),
    "string_too_short": ("is empty", "write a name"),
    "dict_type": ("is not a table", "make it a table"),
    "model_type": ("is not a table", "make it a table"),
}


class _Table(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid", strict=True)


class OutcomeColumns(_Table):
    """The names of columns, nested ones by dots; a table has the whole reply (``text``) or the ``choice``."""

    key: str = Field(min_length=1)
    model: str = ""
    text: str = ""
    choice: str = ""
    repeat: str = ""


class DeclaredCondition(_Table):
    """The value of one factor: one for all rows, or in a column, whose contents ``values`` translates."""

    value: str = ""
    column: str = ""
    values: Mapping[str, str] = {}


class OutcomeDeclaration(_Table):
    """Columns, what choices stand for, conditions by factor, and columns that repeat texts of the case."""

    columns: OutcomeColumns
    choices: Mapping[str, str] = {}
    conditions: Mapping[str, DeclaredCondition] = {}
    texts: Mapping[str, str] = {}


def read_outcome_declaration(text: str, where: str, protocol: Protocol) -> "DeclaredOutcomes":
    """The layout that a TOML text declares for a protocol; raises DeclarationError with all faults."""
    plan = protocol.procedure(EvaluationPlan)
    try:
        content = toml_content(text, where)
        if fault := fault_in(content):
            raise InputError(where, fault, CORRECT)
        declaration = OutcomeDeclaration.model_validate(content)
    except InputError as error:
        raise DeclarationError([error]) from None
    except ValidationError as error:
        raise DeclarationError([*_model_faults(error, where)]) from None
    if faults := list(_misfits(declaration, protocol, plan, where)):
        raise DeclarationError(faults)
    declared = DeclaredOutcomes(declaration, protocol, plan)
    declared.digest = digest_of(text)
    return declared


def _model_faults(error: ValidationError, where: str) -> Iterator[InputError]:
    for details in error.errors(include_url=False, include_input=False):
        *tables, key = map(str, details["loc"])
        known = _KNOWN_FAULTS.get(
            details["type"], (details["msg"].replace("Input should", "should"), CORRECT)
        )
        yield InputError(_at(where, ".".join(tables), key), *known)


def _at(where: str, table: str, key: str = "") -> str:
    named = f"[{table}] {shown(key)}" if table else f"[{shown(key)}]"
    return f"{where}, {named.rstrip()}"


def _misfits(
    declaration: OutcomeDeclaration, protocol: Protocol, plan: EvaluationPlan, where: str
) -> Iterator[InputError]:
    columns = declaration.columns
    if bool(columns.text) == bool(columns.choice):
        wrong = "names both text and choice" if columns.text else "names neither text nor choice"
        yield InputError(_at(where, "columns"), wrong, "name the column with one of them")
    if columns.choice and not declaration.choices:
        yield InputError(_at(where, "choices"), "is missing", "say which label each choice stands for")
    factors = {factor.name: factor for factor in plan.factors}
    for name in declaration.conditions:
        if name not in factors:
            remedy = closest(name, list(factors), "use one of")
            yield InputError(_at(where, "conditions", name), "is not a condition of this protocol", remedy)
    for factor in plan.factors:
        yield from _condition_misfits(declaration.conditions.get(factor.name), factor, where)
    fields = list(protocol.payload_model.model_fields)
    for name in declaration.texts:
        if name not in fields:
            remedy = closest(name, fields, "use one of")
            yield InputError(_at(where, "texts", name), "is not a field of a case", remedy)


def _condition_misfits(
    declared: DeclaredCondition | None, factor: Factor, where: str
) -> Iterator[InputError]:
    table = f"conditions.{factor.name}"
    if declared is None:
        if len(factor.values) > 1:
            yield InputError(_at(where, table), "is missing", "give a value, or the column that has it")
        return
    if bool(declared.value) == bool(declared.column):
        wrong = "names both value and column" if declared.value else "names neither value nor column"
        yield InputError(_at(where, table), wrong, "keep one of them")
    named = {"value": declared.value} if declared.value else {}
    for key, value in {
        **named,
        **{f"values.{cell}": value for cell, value in declared.values.items()},
    }.items():
        if value not in factor.values:
            remedy = closest(value, list(factor.values), "use one of")
            yield InputError(_at(where, table, key), f"{shown(value)!r} is not a known {factor.name}", remedy)


class DeclaredOutcomes(OutcomeFiles):
    """A table of outcomes as a declaration describes it: each row has one answer of one model to one case."""

    def __init__(self, declaration: OutcomeDeclaration, protocol: Protocol, plan: EvaluationPlan) -> None:
        super().__init__(protocol)
        self._declared, self._plan = declaration, plan
        named = declaration.columns.model_dump().values()
        of_conditions = (condition.column for condition in declaration.conditions.values())
        needed = dict.fromkeys(filter(None, (*named, *of_conditions, *declaration.texts.values())))
        self.columns = tuple(needed)

    def texts_of(self, case: Case) -> Hashable:
        """The texts that rows repeat."""
        return tuple(str(case.payload.get(name) or "").strip() for name in self._declared.texts)

    def read(self, row: RowCells, where: str) -> FiledRow:
        """The answer of a row; raises InputError."""
        row = {column: cell_at(row, column, where) for column in self.columns}
        columns = self._declared.columns
        texts = tuple(_text(row[column], where, column).strip() for column in self._declared.texts.values())
        return FiledRow(
            texts,
            self._repeat(row, where),
            {self._condition(row, where): self._outcome(row, where)},
            key=_filled(row[columns.key], where, columns.key),
            model=_filled(row[columns.model], where, columns.model) if columns.model else "",
        )

    def settled(self, case: Case, condition: Condition, outcome: FiledOutcome, where: str) -> FiledOutcome:
        """The label that the protocol reads in a whole reply; a choice has to be a label of the case."""
        labels = self._plan.labels(case)
        if outcome.why == _TO_BE_READ:
            read = self._plan.read(case, condition, outcome.reply)
            return FiledOutcome(read.label, outcome.reply, read.why)
        if outcome.label is not None and outcome.label not in labels:
            wrong = f"{shown(outcome.label)!r} is not a label of the case"
            remedy = f"use one of {', '.join(labels)} in [choices]"
            raise InputError(where, wrong, remedy)
        return outcome

    def _outcome(self, row: RowCells, where: str) -> FiledOutcome:
        columns = self._declared.columns
        if columns.text:
            reply = "" if row[columns.text] is None else _text(row[columns.text], where, columns.text)
            return FiledOutcome(None, reply, _TO_BE_READ)
        said = _cell(row[columns.choice], where, columns.choice)
        if not said:
            return FiledOutcome(None, "", _NO_CHOICE)
        if said not in self._declared.choices:
            remedy = f"add it to [choices], or use one of {', '.join(self._declared.choices)}"
            raise InputError(
                f"{where}, column {columns.choice!r}", f"{shown(said)!r} is not a known choice", remedy
            )
        return FiledOutcome(self._declared.choices[said], said)

    def _condition(self, row: RowCells, where: str) -> Condition:
        values = {}
        for factor in self._plan.factors:
            declared = self._declared.conditions.get(factor.name)
            values[factor.name] = _value(declared, factor, row, where) if declared else factor.values[0]
        return Condition.of(**values)

    def _repeat(self, row: RowCells, where: str) -> int:
        column = self._declared.columns.repeat
        said = _cell(row[column], where, column) if column else "0"
        if said.isascii() and said.isdigit() and len(said) < 6:
            return int(said)
        raise InputError(
            f"{where}, column {column!r}", f"{shown(said)!r} is not a whole number from 0", CORRECT
        )


def _value(declared: DeclaredCondition, factor: Factor, row: RowCells, where: str) -> str:
    if declared.value:
        return declared.value
    said = _cell(row[declared.column], where, declared.column)
    value = declared.values.get(said, said)
    if value in factor.values and (said in declared.values or not declared.values):
        return value
    known = ", ".join(declared.values or factor.values)
    wrong = f"{shown(said)!r} is not a known {factor.name}"
    raise InputError(f"{where}, column {declared.column!r}", wrong, f"use one of {known}")


def _cell(value: JsonValue, where: str, column: str) -> str:
    """A cell as text: numbers and truth values as JSON writes them, and nothing as ""."""
    if value is None:
        return ""
    if isinstance(value, bool):
        return str(value).lower()
    if isinstance(value, float) and value.is_integer():
        value = int(value)
    return _text(str(value) if isinstance(value, int | float) else value, where, column).strip()


def _filled(value: JsonValue, where: str, column: str) -> str:
    text = _cell(value, where, column)
    if not text:
        raise InputError(f"{where}, column {column!r}", "is empty", CORRECT)
    return text


def _text(value: JsonValue, where: str, column: str) -> str:
    at = f"{where}, column {column!r}"
    if fault := fault_in(text := text_of_cell(value, at)):
        raise InputError(at, fault, CORRECT)
    return text

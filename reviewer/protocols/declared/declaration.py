"""The tables of a declaration as frozen models: what a TOML file may say of a benchmark.

These models check one value at a time. Whether the tables fit each other (a pane shows a field that exists,
a label that passes is a label) is checked in ``declaration_checks.py``. Nothing here runs, imports or opens
anything.
"""

from typing import Annotated, Any, Literal
from unicodedata import category

from pydantic import AfterValidator, BaseModel, BeforeValidator, ConfigDict, Field, StringConstraints

from reviewer.core.answer_kinds import ANSWER_KINDS
from reviewer.core.check_result import Severity
from reviewer.core.kind_of_answer import KindName, KindOfAnswer
from reviewer.core.question import DecidedExample

FIELD_NAME = r"^[A-Za-z][A-Za-z0-9_]{0,59}$"
"""Names of fields, panes, questions, checks and published values. They occur in exports and messages."""
_LONGEST_NOUN = 30
PROTOCOL_NAME = r"^[a-z0-9][a-z0-9_-]{0,39}$"

FieldType = Literal["text", "number", "list", "dialogue"]
PaneKind = Literal["text", "code", "pair", "variants", "dialogue", "table"]
RuleName = Literal[
    "differ", "same", "lacks", "holds", "lacks_group", "length", "unique", "balanced", "one_of"
]

MeasureName = Literal["shares", "right", "changed", "mean", "difference"]

LongText = Annotated[str, StringConstraints(min_length=1, max_length=10_000)]
ShortText = Annotated[str, StringConstraints(min_length=1, max_length=200)]
TableKey = Annotated[str, StringConstraints(pattern=FIELD_NAME)]


def _noun(value: str) -> str:
    """One word in small letters, of any script; raises ValueError."""
    letters = [category(sign)[0] in "LM" or sign in "_-" for sign in value]
    starts = value[:1].isalpha()
    if not (starts and all(letters)) or value != value.lower() or len(value) > _LONGEST_NOUN:
        raise ValueError("is not one word in small letters")
    return value


def _listed(value: Any) -> Any:
    """A single text as a list of one, as TOML files may write it."""
    return [value] if isinstance(value, str) else value


def _column_alone(value: Any) -> Any:
    """A field that is only a column, as a table."""
    return {"column": value} if isinstance(value, str) else value


def _pairs(value: Any) -> Any:
    """One pair of labels as a list of pairs."""
    return [value] if isinstance(value, list) and all(isinstance(label, str) for label in value) else value


TableKeys = Annotated[tuple[TableKey, ...], BeforeValidator(_listed)]
ShortTexts = Annotated[tuple[ShortText, ...], BeforeValidator(_listed)]


class Declared(BaseModel):
    """A table: frozen, without unknown keys, without conversion of types."""

    model_config = ConfigDict(frozen=True, extra="forbid", hide_input_in_errors=True, defer_build=True)


class ProtocolTable(Declared):
    """``[protocol]``: what the benchmark is called.

    ``headline`` is the line of a case in a list, a template over fields. ``group_noun`` is one word for a
    group of cases. With ``hides_generators`` raters learn who wrote cases only once they have finished.
    """

    name: Annotated[str, StringConstraints(pattern=PROTOCOL_NAME)]
    version: int = Field(ge=1, le=1_000_000, strict=True)
    title: ShortText
    group_noun: Annotated[str, AfterValidator(_noun)] = "group"
    headline: Annotated[str, StringConstraints(min_length=1, max_length=500)] | None = None
    hides_generators: bool = Field(default=True, strict=True)


class FieldTable(Declared):
    """One of ``[fields]``: a part of a case and the column that holds it, nested ones by dots."""

    column: ShortText
    type: FieldType = "text"
    optional: bool = Field(default=False, strict=True)
    title: ShortText | None = None


class Constant(Declared):
    """One text for all rows, in place of a column: ``generator = { constant = "model-1" }``."""

    constant: ShortText


class SourceTable(Declared):
    """``[source]``: how a row becomes a place in a dataset.

    ``key`` is a template over columns (without it, rows are numbered). ``group`` and ``generator`` name
    columns, or are constants. Lines that have the same in column ``item`` are one case, whose lines
    ``variant`` tells apart; fields then name columns by variant, such as ``output.atlas``. ``identity`` names
    columns that tell cases with equal fields apart and that raters do not see. ``others`` says what happens
    with columns that nothing names.
    """

    key: Annotated[str, StringConstraints(min_length=1, max_length=500)] | None = None
    group: ShortText | Constant | None = None
    generator: ShortText | Constant | None = None
    item: ShortText | None = None
    variant: ShortText | None = None
    identity: Annotated[ShortTexts, Field(max_length=20)] = ()
    others: Literal["keep", "refuse"] = "keep"


PointsBy = Literal["letter", "place", "text", "name"]
"""How a published value names one of the options of its case."""


class PublishedTable(Declared):
    """``[published.NAME]``: a value that comes with the case and is not part of it.

    With ``opinion_on`` it is an opinion on that question: hidden until a rater has answered it. ``labels``
    gives the label that each value stands for. With ``must_agree``, a case passes only if the final label is
    that of the value.
    """

    column: ShortText
    title: ShortText | None = None
    opinion_on: TableKey | None = None
    labels: dict[str, ShortText] = Field(default={}, max_length=1_000)
    must_agree: bool = Field(default=False, strict=True)
    options: TableKey | None = None
    points_by: PointsBy = "letter"
    counts_from: Literal[0, 1] = 0


class PaneTable(Declared):
    """``[pane.KEY]``: something to look at. ``fields`` are shown in the given order."""

    title: ShortText | None = None
    kind: PaneKind = "text"
    fields: TableKeys = Field(min_length=1, max_length=50)
    titles: ShortTexts = ()
    compared: bool = Field(default=True, strict=True)
    reworded: bool = Field(default=False, strict=True)
    language: Annotated[str, StringConstraints(max_length=40)] = ""
    lettered: bool = Field(default=False, strict=True)


ENTRY = "entry"
"""The placeholder for the entry that a question with ``each`` is about."""
MOST_ENTRIES = 50
"""The greatest number of entries for each of which a question can be asked."""


class QuestionTable(Declared):
    """``[question.KEY]``: what raters answer.

    ``criteria`` are conditions on which raters give a label, ``examples`` decided ones. ``definitions`` are
    texts that explain labels. ``mirrored`` are pairs of labels that name the sides of a pair: with them the
    sides may be exchanged. ``titles`` then name the two sides by their position. ``each`` is a field of type
    list: the question is asked once for each of its entries, which fills ``{entry}``. ``options`` is a list
    from whose entries the labels A, B and so on choose.
    """

    title: ShortText | None = None
    each: TableKey | None = None
    options: TableKey | None = None
    prompt: LongText
    guideline: Annotated[str, StringConstraints(max_length=10_000)] = ""
    criteria: dict[str, LongText] = Field(default={}, max_length=1_000)
    examples: tuple[DecidedExample, ...] = Field(default=(), max_length=100)
    kind: KindName = "label"
    labels: tuple[ShortText, ...] = Field(default=(), max_length=1_000)
    definitions: dict[str, LongText] = Field(default={}, max_length=1_000)
    scale: Literal["nominal", "ordinal"] = "nominal"
    passing: ShortTexts = ()
    shows: TableKeys = Field(min_length=1)
    beside: TableKeys = ()
    reveals: TableKeys | None = None
    mirrored: Annotated[tuple[tuple[ShortText, ShortText], ...], BeforeValidator(_pairs)] = ()
    titles: tuple[ShortText, ShortText] | None = None

    @property
    def answer_kind(self) -> KindOfAnswer:
        """What is true of all answers of its kind."""
        return ANSWER_KINDS[self.kind]


class CheckTable(Declared):
    """``[check.NAME]``: a rule without a model. ``question_checks.py`` says which arguments a rule takes.

    ``fields`` name what the rule reads. ``asks`` is a sentence that says what it looks for. ``ignore`` says
    which differences do not count. With ``ratio`` the limits hold for the length of the first field divided
    by that of the second. With ``each_word`` the longer words of a group's name count too.
    """

    rule: RuleName
    fields: TableKeys = Field(min_length=1, max_length=50)
    severity: Severity = "doubtful"
    question: TableKey | None = None
    asks: ShortText | None = None
    words: ShortTexts = ()
    pattern: Annotated[str, StringConstraints(min_length=1, max_length=500)] | None = None
    values: ShortTexts = ()
    least: float | None = Field(default=None, allow_inf_nan=False)
    most: float | None = Field(default=None, allow_inf_nan=False)
    unit: Literal["words", "characters", "items"] = "words"
    ratio: bool = Field(default=False, strict=True)
    ignore: Annotated[tuple[Literal["case", "blanks"], ...], BeforeValidator(_listed)] = ()
    each_word: bool = Field(default=False, strict=True)


class EvaluationTable(Declared):
    """``[evaluation]``: how models are asked about the cases, and the measures of their answers.

    ``prompt`` is a template over fields. Each of ``conditions`` fills placeholders with other fields. A
    ``reader`` finds the label in a reply: by a letter or the text of ``choices`` (fields), by a word (a
    label), as a number from ``least`` to ``most``, or by a judge, who says which of the ``labels`` the reply
    gives, as ``guideline`` tells. ``right`` names the value with the right label.
    """

    prompt: LongText
    reader: Literal["letter", "word", "text", "number", "judge"]
    guideline: Annotated[str, StringConstraints(max_length=10_000)] = ""
    choices: TableKeys = Field(default=(), max_length=26)
    labels: tuple[ShortText, ...] = Field(default=(), max_length=26)
    least: int | None = Field(default=None, ge=-1_000_000, le=1_000_000, strict=True)
    most: int | None = Field(default=None, ge=-1_000_000, le=1_000_000, strict=True)
    conditions: dict[TableKey, dict[TableKey, TableKey]] = Field(default={}, max_length=50)
    right: TableKey | None = None
    measures: Annotated[tuple[MeasureName, ...], BeforeValidator(_listed)] = Field(min_length=1, max_length=5)


class Declaration(Declared):
    """A whole file. ``groups`` are definitions by name; empty if the groups come from the data."""

    protocol: ProtocolTable
    fields: dict[TableKey, Annotated[FieldTable, BeforeValidator(_column_alone)]] = Field(
        min_length=1, max_length=200
    )
    source: SourceTable = SourceTable()
    groups: dict[ShortText, Annotated[str, StringConstraints(max_length=10_000)]] = Field(
        default={}, max_length=1_000
    )
    published: dict[TableKey, PublishedTable] = Field(default={}, max_length=200)
    pane: dict[TableKey, PaneTable] = Field(min_length=1, max_length=50)
    question: dict[TableKey, QuestionTable] = Field(min_length=1, max_length=100)
    check: dict[TableKey, CheckTable] = Field(default={}, max_length=100)
    evaluation: EvaluationTable | None = None

    def title_of(self, field: str) -> str:
        """The title of a field or published value for people: its own, else its name with blanks."""
        table = self.fields.get(field) or self.published.get(field)
        return (table.title if table else None) or field.replace("_", " ")

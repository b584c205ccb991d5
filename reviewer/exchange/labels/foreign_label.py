"""One label of another tool as a plain row, which knows neither a study nor a store.

A format reads a record of its tool and yields labels. Parts that it leaves out, or reads in a way that a
person may not expect, are counted. Formats are told apart by the fields of a record.
"""

from abc import ABC, abstractmethod
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, ClassVar, Literal, get_args

from reviewer.core.errors import InputError
from reviewer.core.sanitize import shown
from store.records import JsonValue, Phase

ForeignTool = Literal[
    "label-studio", "prodigy", "argilla", "potato", "doccano", "inception", "reviewer", "table"
]
TOOLS: tuple[ForeignTool, ...] = get_args(ForeignTool)
ForeignRecord = Mapping[str, Any]
_SHORTEST_TEXT = 20


@dataclass(frozen=True, slots=True)
class KeyCandidate:
    """A value of a record that may be the key of its case, and its field.

    ``own_number``: the tool itself numbers its records there, so the value is no evidence on its own.
    """

    field: str
    value: str
    own_number: bool = False


@dataclass(frozen=True, slots=True)
class LabelledItem:
    """The subject of a record: values that may be its key, and its texts, each with the name of its field."""

    where: str
    keys: tuple[KeyCandidate, ...]
    texts: tuple[tuple[str, str], ...] = ()
    dataset: str | None = None
    whole_texts: tuple[str, ...] = ()
    """All texts of the record, also short ones: spans are marked in one of them."""

    def label(
        self, rater: JsonValue, question: JsonValue, value: JsonValue = (), where: str = "", **more: Any
    ) -> "ForeignLabel":
        """What somebody said of the item, by default that nothing was chosen; raises InputError."""
        where = where or self.where
        values = label_texts(value, where)
        return ForeignLabel(where, self, name_of(rater), name_of(question), values, **more)


@dataclass(frozen=True, slots=True)
class AnswerDetails:
    """What our own export says of an answer beyond label and comment; other tools say nothing of it.

    ``showing`` counts repeats, ``phase`` is before or after a reveal, and ``passage`` is the part of a pane
    that the comment is about.
    """

    showing: int = 0
    phase: Phase = "before"
    passage: JsonValue = None
    flagged: bool = False


FIRST_ANSWER = AnswerDetails()


@dataclass(frozen=True, slots=True)
class ForeignSpan:
    """Part of a text with its label, by offsets as the tool counts; ``quote`` is its text in the file."""

    start: int
    end: int
    label: str
    quote: str | None = None


@dataclass(frozen=True, slots=True)
class ForeignSpans:
    """The spans that one rater marked in one text.

    ``texts`` are those of the record; one of them was marked. ``utf_16``: offsets count the units of UTF-16,
    as JavaScript and Java do, so that an emoji counts as two.
    """

    spans: tuple[ForeignSpan, ...]
    texts: tuple[str, ...] = ()
    utf_16: bool = False


@dataclass(frozen=True, slots=True)
class ForeignLabel:
    """What one rater said about one item: ``values`` are labels, numbers as text, or one free text.

    Empty ``values`` mean that the rater chose none, and None that there is no answer beside the comment.
    ``or_values`` are the same answer in the other words that a tool keeps (names of boxes, texts of options);
    the question tells which of the two are labels. Without a rater or question, the record names none.
    """

    where: str
    item: LabelledItem
    rater: str | None
    question: str | None
    values: tuple[str, ...] | None
    or_values: tuple[str, ...] = ()
    comment: str = ""
    details: AnswerDetails = FIRST_ANSWER
    spans: ForeignSpans | None = None
    """The spans that answer, in place of values."""
    beside_spans: bool = False
    """The values are of a text in which spans are marked too."""


@dataclass(frozen=True, slots=True)
class LeftOut:
    """Something other than a label of a rater, by its kind, such as "cancelled"."""

    kind: str


@dataclass(frozen=True, slots=True)
class ReadAs:
    """An answer that was read in a way that a person may not expect: what it is, and how it was read."""

    what: str


@dataclass(frozen=True, slots=True)
class LabelFields:
    """The fields of a table, as a person names them. Those that are None are looked for by their usual names.

    ``raters`` are the columns of a table with one column for each rater. ``questions`` are names of
    questions without upper case, which may be columns too.
    """

    key: str | None = None
    rater: str | None = None
    question: str | None = None
    label: str | None = None
    raters: tuple[str, ...] = ()
    questions: frozenset[str] = frozenset()

    @property
    def of_a_table(self) -> tuple[str, ...]:
        """The named columns that only tables have."""
        named = (self.rater, self.question, self.label, *self.raters)
        return tuple(name for name in named if name is not None)


UNNAMED_FIELDS = LabelFields()
RecordPart = ForeignLabel | LeftOut | ReadAs


class LabelFormat(ABC):
    """The records of one tool."""

    tool: ClassVar[ForeignTool]
    own_numbers: ClassVar[tuple[str, ...]] = ()
    """Fields in which the tool itself numbers its records."""
    labelled: ClassVar[tuple[str, ...]] = ()
    """Fields with the text that is labelled: by it a record names its case, however short it is."""
    whole_answers: ClassVar[bool] = False
    """Whether a record holds all answers of a rater to an item, and nothing where none is chosen."""

    def __init__(self, fields: LabelFields) -> None:
        self.fields = fields

    @abstractmethod
    def recognises(self, record: ForeignRecord) -> bool:
        """Whether the tool writes such records."""

    @abstractmethod
    def parts(self, record: ForeignRecord, item: LabelledItem) -> Iterator[RecordPart]:
        """The labels of a record, and everything else in it; raises InputError."""

    def key_fields(self, record: ForeignRecord) -> Sequence[str] | None:
        """The fields of the key, if the format knows them better than by their usual names."""
        return None

    def unread(self, record: ForeignRecord) -> Sequence[str]:
        """The columns of a table that are read as nothing."""
        return ()

    def laid_open(self, record: ForeignRecord) -> ForeignRecord:
        """The record with its texts, and values that may be its key, as fields."""
        return record

    def session_prefix(self, names: Sequence[str], stem: str) -> str:
        """The tool's prefix of the names of raters, "" if none; ``stem`` is the name of the file."""
        return ""


def is_text(value: str) -> bool:
    """Whether a value is long enough to be the text of one case, and no name or address."""
    return len(value) >= _SHORTEST_TEXT and not (value.isascii() and len(value.split()) == 1)


def is_name(value: JsonValue) -> bool:
    """Whether a value can name something: a text that is not empty, or a number."""
    return isinstance(value, str | int | float) and not isinstance(value, bool) and value != ""


def name_of(value: JsonValue) -> str | None:
    """A name, also the number of a user, or the name in an object about one; None if there is none."""
    if isinstance(value, Mapping):
        names = (value.get(field) for field in ("username", "email", "user_id", "id"))
        return next((str(name) for name in names if is_name(name)), None)
    return (str(value).strip() or None) if is_name(value) else None


def span_of(ends: Sequence[JsonValue], label: JsonValue, where: str, quote: JsonValue = None) -> ForeignSpan:
    """A span as its tool writes it; raises InputError for offsets or a label that are none."""
    start, end = ends
    if type(start) is not int or type(end) is not int or not 0 <= start < end:
        wrong = f"has a span from {shown(str(start))} to {shown(str(end))}"
        raise InputError(where, wrong, "give two numbers, the first one smaller")
    if not is_name(label):
        raise InputError(where, f"has a span from {start} to {end} without a label", "name its label")
    return ForeignSpan(start, end, str(label), quote if isinstance(quote, str) else None)


def label_texts(value: JsonValue, where: str) -> tuple[str, ...]:
    """A label, or a list of labels, as texts; raises InputError for anything else."""
    values = value if isinstance(value, list | tuple) else [value]
    if any(not isinstance(one, str | int | float) for one in values):
        raise InputError(where, "holds a value that is neither a label nor a text", "leave it out")
    return tuple(str(one) for one in values)


def values_in(value: JsonValue, where: str) -> list[Any]:
    """A list; none for nothing. Raises InputError for anything else."""
    if value is None or isinstance(value, list):
        return value or []
    raise _laid_out_otherwise(where)


def objects_in(value: JsonValue, where: str) -> list[Any]:
    """A list of objects; none for nothing. Raises InputError for anything else."""
    values = values_in(value, where)
    if all(isinstance(one, Mapping) for one in values):
        return values
    raise _laid_out_otherwise(where)


def _laid_out_otherwise(where: str) -> InputError:
    return InputError(where, "is not laid out as an export of this tool", "check the file, or give --tool")

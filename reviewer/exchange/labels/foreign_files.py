"""Files of labels: opened, told apart, and read to rows. Neither a study nor a store is needed."""

from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from reviewer.core.errors import InputError
from reviewer.core.names import closest
from reviewer.core.sanitize import counted, shown
from reviewer.exchange.labels.foreign_label import (
    TOOLS,
    UNNAMED_FIELDS,
    ForeignLabel,
    ForeignRecord,
    ForeignTool,
    KeyCandidate,
    LabelFields,
    LabelFormat,
    LabelledItem,
    LeftOut,
    ReadAs,
    is_name,
    is_text,
    name_of,
)
from reviewer.exchange.labels.local_tools import Inception, Potato, Prodigy
from reviewer.exchange.labels.platforms import Argilla, Doccano, LabelStudio
from reviewer.exchange.labels.table_formats import USUAL_NAMES, LabelTable, OwnLabels
from reviewer.exchange.rows.row_files import AS_FOUND, RowOptions, open_rows
from reviewer.exchange.rows.source_file import shown_path
from reviewer.protocols.formats import SourceRows

_FORMATS: tuple[Callable[[LabelFields], LabelFormat], ...] = (
    *(OwnLabels, LabelStudio, Prodigy, Argilla, Potato),
    *(Inception, Doccano, LabelTable),
)
_WITHIN = ("", "data", "meta", "metadata", "fields")
"""The objects of a record that may hold the key or texts of its case; "" is the record itself."""
_NO_TEXTS = ("comment", "label", "reason", "passage")
"""Fields of texts that a rater wrote, which may quote any case."""
_NOUNS = ("prediction", "draft", "span", "reason", "whole-text label")


@dataclass(frozen=True, slots=True)
class ForeignLabels:
    """The labels of a file, the tool that it came from, notices, and an error for each invalid record.

    ``left_out`` counts everything but labels, by its kind. ``session_prefix`` is the text that the tool put
    before the names of raters. ``whole_answers``: no answer to a question of several labels may mean that
    none was chosen.
    """

    tool: ForeignTool
    labels: tuple[ForeignLabel, ...]
    notices: tuple[str, ...] = ()
    problems: tuple[InputError, ...] = ()
    left_out: Mapping[str, int] = field(default_factory=dict)
    session_prefix: str = ""
    whole_answers: bool = False


def read_foreign_labels(
    path: Path,
    options: RowOptions = AS_FOUND,
    tool: ForeignTool | None = None,
    fields: LabelFields = UNNAMED_FIELDS,
) -> ForeignLabels:
    """All labels of a file; raises InputError if it is of no known tool or holds no label.

    Where columns are named that only tables have, it is a table.
    """
    return labels_in_rows(path, open_rows(path, options), tool, fields)


def labels_in_rows(
    path: Path, rows: SourceRows, tool: ForeignTool | None, fields: LabelFields
) -> ForeignLabels:
    """The same for a file that is open."""
    reading = _Reading(fields, tool or ("table" if fields.of_a_table else None))
    for row in rows.read():
        reading.take(row.content, row.where)
    return reading.result(path, rows.notices)


class _Reading:
    """A file that is being read: its first record that can be read tells the tool."""

    def __init__(self, fields: LabelFields, tool: ForeignTool | None) -> None:
        formats = [make(fields) for make in _FORMATS]
        self._formats = [known for known in formats if tool in (None, known.tool)]
        self._format = self._formats[0] if tool else None
        self._fields = fields
        self._columns: set[str] = set()
        self._labels: list[ForeignLabel] = []
        self._problems: list[InputError] = []
        self._left_out = Counter[str]()
        self._read_as = Counter[str]()
        self._unread: dict[str, None] = {}

    def take(self, record: ForeignRecord | InputError, where: str) -> None:
        """Read a record, or keep its fault. A record is read whole or not at all."""
        if isinstance(record, InputError):
            self._problems.append(record)
            return
        self._columns |= record.keys()
        self._format = self._format or self._format_of(record, where)
        try:
            record = self._format.laid_open(record)
            item = _item(self._format, record, where, self._fields.key)
            parts = list(self._format.parts(record, item))
        except InputError as error:
            self._problems.append(error)
            return
        self._labels += [part for part in parts if isinstance(part, ForeignLabel)]
        self._left_out.update(part.kind for part in parts if isinstance(part, LeftOut))
        self._read_as.update(part.what for part in parts if isinstance(part, ReadAs))
        used = {key.field for key in item.keys} | {name for name, _ in item.texts}
        self._unread |= dict.fromkeys(name for name in self._format.unread(record) if name not in used)

    def _format_of(self, record: ForeignRecord, where: str) -> LabelFormat:
        """The format of a record; raises InputError for one that no tool writes."""
        known = next((known for known in self._formats if known.recognises(record)), None)
        if known is not None:
            return known
        remedy = (
            f"name the tool with --tool ({', '.join(TOOLS)}), or the columns of a table with --key-field and "
            "--label-field or --rater-columns"
        )
        raise InputError(where, "is a record of no tool that is known", remedy)

    def result(self, path: Path, notices: Sequence[str]) -> ForeignLabels:
        """What was read; raises InputError if there is no label."""
        if self._columns:
            self._check_columns(path)
        elif self._problems:
            raise one_each(self._problems)[0]
        if self._format is None or not (self._labels or self._problems):
            left = f" ({kinds_in_words(self._left_out)})" if self._left_out else ""
            raise InputError(
                shown_path(path), f"holds no label{left}", "check that the file is the right export"
            )
        raters = {label.rater for label in self._labels}
        names = sorted(name for name in raters if name) if None not in raters else []
        return ForeignLabels(
            self._format.tool,
            tuple(self._labels),
            (*notices, *self._notices()),
            tuple(self._problems),
            self._left_out,
            self._format.session_prefix(names, path.stem),
            self._format.whole_answers,
        )

    def _check_columns(self, path: Path) -> None:
        """Raise InputError for a named column that the file does not have, or the tool does not know."""
        assert self._format is not None
        if self._fields.of_a_table and self._format.tool != "table":
            wrong = f"is read as {self._format.tool}, which has no columns to name"
            raise InputError(shown_path(path), wrong, "give --tool table, or leave the names of columns out")
        known = {name.strip() for name in self._columns}
        for name in self._fields.of_a_table:
            if name.strip() not in known:
                wrong = f"has no column {shown(name)!r}"
                raise InputError(shown_path(path), wrong, closest(name, known, "name one of"))

    def _notices(self) -> Iterable[str]:
        if self._unread:
            yield f"columns that are not read: {', '.join(map(shown, self._unread))}"
        yield from (f"{counted(number, 'answer')} {what}" for what, number in self._read_as.items())


def kinds_in_words(left_out: Mapping[str, int]) -> str:
    """Everything that was not a label, by its kind: "left out: 2 cancelled, 1 draft, 3 empty"."""
    kinds = (
        counted(number, kind) if kind in _NOUNS else f"{number:,} {kind}"
        for kind, number in sorted(left_out.items())
    )
    return f"left out: {', '.join(kinds)}"


def one_each(problems: Iterable[InputError]) -> list[InputError]:
    """Each fault once, at its first place and with the number of the others."""
    places: dict[tuple[str, str], dict[str, None]] = {}
    for problem in problems:
        places.setdefault((problem.wrong, problem.remedy), {})[problem.where] = None
    return [
        InputError(first if not more else f"{first} and {counted(len(more), 'other place')}", wrong, remedy)
        for (wrong, remedy), (first, *more) in places.items()
    ]


def _item(known: LabelFormat, record: ForeignRecord, where: str, key: str | None) -> LabelledItem:
    """What a record is about: the named field alone, or all fields that may hold its key."""
    if key is not None:
        keys = tuple(_candidates(record, [key], ()))
    elif (fields := known.key_fields(record)) is not None:
        keys = tuple(_candidates(record, fields, ()))
    else:
        inner = [f"{above}{'.' * bool(above)}{name}" for above in _WITHIN for name in USUAL_NAMES["key"]]
        keys = tuple(_candidates(record, inner, known.own_numbers))
    texts = tuple(_texts(record))
    long_texts = tuple(named for named in texts if is_text(named[1]) or named[0] in known.labelled)
    dataset = name_of(record.get("dataset"))
    return LabelledItem(where, keys, long_texts, dataset, tuple(text for _, text in texts))


def _candidates(
    record: ForeignRecord, fields: Iterable[str], own_numbers: Sequence[str]
) -> Iterable[KeyCandidate]:
    from reviewer.protocols.declared.mapping import value_at  # its module loads all of declared protocols

    for name in fields:
        value = value_at(record, name)
        if is_name(value):
            text = str(value)
            yield KeyCandidate(name, text, name in own_numbers and text.isascii() and text.isdigit())


def _texts(record: ForeignRecord) -> Iterable[tuple[str, str]]:
    """The texts of a record and of the objects in it that may hold those of its case."""
    for name in _WITHIN:
        inside = record.get(name) if name else record
        if isinstance(inside, Mapping):
            named = ((name, value) for name, value in inside.items() if name not in _NO_TEXTS)
            yield from ((name, value) for name, value in named if isinstance(value, str))

"""Labels of a file for their agreement alone: no study says which items, raters and labels there are."""

import math
import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from itertools import islice
from pathlib import Path

from reviewer.core.errors import InputError, RequestError
from reviewer.core.kind_of_answer import FEWEST_LABELS
from reviewer.core.ranked_outputs import MOST_RANKED, ranking_text, written_ranking
from reviewer.core.sanitize import counted, shown
from reviewer.exchange.labels.foreign_files import ForeignLabels, kinds_in_words, labels_in_rows
from reviewer.exchange.labels.foreign_label import (
    FIRST_ANSWER,
    ForeignLabel,
    ForeignTool,
    LabelFields,
    is_text,
)
from reviewer.exchange.labels.table_formats import USUAL_NAMES, usual_columns
from reviewer.exchange.rows.row_files import RowOptions, open_rows
from reviewer.exchange.rows.source_file import shown_path
from reviewer.protocols.formats import SourceRow, SourceRows
from reviewer.results.labels.loose_labels import LooseLabels

NUMBERS = "numbers"
"""The word for the order of labels that are numbers."""
_BETWEEN_OUTPUTS = re.compile(r"[>=]")
_ROW = "item"
_UNNAMED = "label"
_MOST_LABELS = 100
_SAMPLE = 200
_SUMS = {
    *("total", "totals", "sum", "mean", "average", "avg", "median", "majority", "consensus", "gold", "final"),
    *("adjudicated", "agreement", "n", "count", "std", "sd"),
}
_BESIDE = ("dataset", "comment")
_NAME_RATERS = "name the columns of the raters with --rater-columns"


@dataclass(frozen=True, slots=True)
class LabelFile:
    """The labels of a file by question, and the notices about it."""

    questions: tuple[LooseLabels, ...]
    notices: tuple[str, ...]


def read_label_table(
    path: Path,
    options: RowOptions,
    fields: LabelFields,
    order: Sequence[str] = (),
    tool: ForeignTool | None = None,
) -> LabelFile:
    """The labels of a file, wide or long; raises InputError, also for a column that is no rater's."""
    rows = open_rows(path, options)
    sample = [row.content for row in islice(rows.read(), _SAMPLE) if not isinstance(row.content, InputError)]
    if tool is None and sample and _is_wide(sample[0], fields):
        _check_raters(sample, fields, shown_path(path), rows.header_hint)
        if fields.key is None and not usual_columns("key", sample[0]):
            rows, fields = _numbered(rows), replace(fields, key=_ROW)
    elif tool is None and sample and not fields.questions:
        fields = replace(fields, questions=_questions(sample[0], fields))
    read = labels_in_rows(path, rows, tool, fields)
    if read.problems:
        raise read.problems[0]
    return _by_question(read, order, shown_path(path))


def _is_wide(record: Mapping[str, object], fields: LabelFields) -> bool:
    """Whether each further column is a rater's."""
    long = fields.rater or fields.label or usual_columns("rater", record) or usual_columns("label", record)
    return bool(fields.raters or not long) and not any(
        isinstance(value, dict | list) for value in record.values()
    )


def _questions(record: Mapping[str, object], fields: LabelFields) -> frozenset[str]:
    """The columns of questions, if a table has a row for each rater and item and none of labels."""
    known = {
        role: getattr(fields, role) or next(iter(usual_columns(role, record)), None) for role in USUAL_NAMES
    }
    if known["label"] or not (known["rater"] and known["key"]):
        return frozenset()
    return frozenset(name.strip().casefold() for name in record if name not in {*known.values(), *_BESIDE})


def _numbered(rows: SourceRows) -> SourceRows:
    """The rows with their number as the key of their item."""

    def read() -> Iterator[SourceRow]:
        for row in rows.read():
            content = row.content
            if not isinstance(content, InputError):
                content = {**content, _ROW: str(row.number)}
            yield replace(row, content=content)

    return replace(rows, read=partial(read))


def _check_raters(sample: Sequence[Mapping[str, object]], fields: LabelFields, where: str, hint: str) -> None:
    """Raise InputError for a column that cannot be a rater's, if nobody named those of the raters."""
    if fields.raters:
        return
    keys = {fields.key, *usual_columns("key", sample[0]), *usual_columns("question", sample[0])}
    columns = {name: [row.get(name) for row in sample] for name in sample[0] if name not in keys}
    columns = {name: values for name, values in columns.items() if any(map(_is_given, values))}
    for name, values in columns.items():
        others = [column for other, column in columns.items() if other != name]
        if fault := _not_a_rater(name, values, others):
            raise InputError(where, f"has a column {shown(name)!r}, which {fault}", _NAME_RATERS + hint)


def _not_a_rater(name: str, values: Sequence[object], others: Sequence[Sequence[object]]) -> str:
    """Why a column does not hold a rater's labels; "" if it may."""
    if name.strip().casefold() in _SUMS:
        return "sums up others by its name"
    if any(isinstance(value, str) and is_text(value) for value in values):
        return "holds texts"
    if len(others) > 1 and _is_sum(values, others):
        return "is the sum or the mean of the others"
    if all(_BETWEEN_OUTPUTS.search(str(value)) for value in values if _is_given(value)):
        return ""  # two rankings are rarely the same
    known = {str(value) for column in others for value in column if _is_given(value)}
    if len(others) > 1 and not known & {str(value) for value in values if _is_given(value)}:
        return "has no value that another one has"
    return ""


def _is_given(value: object) -> bool:
    return value not in (None, "")


def _is_sum(values: Sequence[object], others: Sequence[Sequence[object]]) -> bool:
    rows = [
        (_number(value), [_number(cell) for cell in row])
        for value, row in zip(values, zip(*others, strict=True), strict=True)
    ]
    whole = [(value, row) for value, row in rows if value is not None and None not in row]
    sums = [(value, math.fsum(filter(None, row)), len(row)) for value, row in whole]
    if len({value for value, _, _ in sums}) < 2:
        return False
    return all(math.isclose(v, s) for v, s, _ in sums) or all(
        math.isclose(v, s / n, abs_tol=0.005) for v, s, n in sums
    )


def _number(value: object) -> float | None:
    try:
        number = float(str(value))
    except ValueError:
        return None
    return number if math.isfinite(number) else None


def _by_question(read: ForeignLabels, order: Sequence[str], where: str) -> LabelFile:
    given: dict[str, dict[str, dict[str, tuple[str, ...]]]] = {}
    repeated = apart = 0
    for label in read.labels:
        if label.values is None:
            continue
        if (label.details.showing, label.details.phase) != (FIRST_ANSWER.showing, FIRST_ANSWER.phase):
            apart += 1
            continue
        of_item = given.setdefault(label.question or _UNNAMED, {}).setdefault(_item(label), {})
        if (before := of_item.setdefault(_rater(label), label.values)) != label.values:
            wrong = f"has another label of rater {shown(_rater(label))} for item {shown(_item(label))}"
            remedy = f"leave {shown(' '.join(before))} or {shown(' '.join(label.values))} out"
            raise InputError(label.where, wrong, remedy)
        repeated += before is not label.values
    questions = tuple(_labels_of(name, items, order) for name, items in given.items())
    if order and not any(labels.ordered for labels in questions):
        raise RequestError(
            f"--order fits no question of {where}: its labels are {_some(questions[0].labels)}."
        )
    notices = [*read.notices, *_notices(read, repeated, apart), *_of_questions(questions)]
    return LabelFile(questions, tuple(notices))


def _item(label: ForeignLabel) -> str:
    if not label.item.keys:
        raise InputError(label.where, "names no item", "name the column of the items with --key-field")
    return label.item.keys[0].value


def _rater(label: ForeignLabel) -> str:
    if label.rater is None:
        raise InputError(label.where, "names no rater", "name the column of the rater with --rater-field")
    return label.rater


def _labels_of(
    name: str, items: Mapping[str, Mapping[str, tuple[str, ...]]], order: Sequence[str]
) -> LooseLabels:
    answers = [values for given in items.values() for values in given.values()]
    if outputs := _ranked_outputs(answers):
        given = {
            item: {of: _ranking(values, outputs) for of, values in each.items()}
            for item, each in items.items()
        }
        return LooseLabels(name, outputs, given, ranked=True)
    labels = tuple(sorted({label for values in answers for label in values}))
    in_order = _ordered(labels, order)
    several = any(len(values) != 1 for values in answers)
    is_text = len(labels) > _MOST_LABELS and in_order is None
    return LooseLabels(
        name, in_order or labels, items, in_order is not None and not several, several, is_text
    )


def _ranked_outputs(answers: Sequence[tuple[str, ...]]) -> tuple[str, ...]:
    """The outputs that all answers rank, such as B > A = C; () where any answer ranks nothing or others."""
    if not answers or any(len(values) != 1 or not _BETWEEN_OUTPUTS.search(values[0]) for values in answers):
        return ()
    outputs = tuple(sorted(name.strip() for name in _BETWEEN_OUTPUTS.split(answers[0][0])))
    if not all(outputs) or not FEWEST_LABELS <= len(outputs) <= MOST_RANKED:
        return ()
    try:
        [_ranking(values, outputs) for values in answers]
    except ValueError:
        return ()
    return outputs


def _ranking(values: tuple[str, ...], outputs: Sequence[str]) -> tuple[str, ...]:
    return (ranking_text(written_ranking(values[0], outputs), outputs),)


def _ordered(labels: Sequence[str], order: Sequence[str]) -> tuple[str, ...] | None:
    """The labels in the order that was named; None if it does not fit them."""
    if not order:
        return None
    if tuple(order) == (NUMBERS,):
        numbers = {label: number for label in labels if (number := _number(label)) is not None}
        return tuple(sorted(labels, key=numbers.__getitem__)) if len(numbers) == len(labels) else None
    return tuple(order) if {*labels} <= {*order} else None


def _notices(read: ForeignLabels, repeated: int, apart: int) -> Iterable[str]:
    if read.left_out:
        yield kinds_in_words(read.left_out)
    if repeated:
        yield f"{counted(repeated, 'label')} repeated in other rows, counted once"
    if apart:
        yield f"{counted(apart, 'label')} given at a second showing or after a reveal, left out"


def _of_questions(questions: Sequence[LooseLabels]) -> Iterable[str]:
    for labels in questions:
        if labels.is_text:
            yield f"{labels.question}: {len(labels.labels):,} different labels, so they are taken for texts"
        elif not labels.ordered and len(labels.labels) > 2 and None not in map(_number, labels.labels):
            yield f"{labels.question}: labels are numbers, compared as names; --order numbers orders them"
        numbers = Counter(len(given) for given in labels.given.values())
        if len(numbers) > 1:
            yield f"{labels.question}: items have from {min(numbers)} to {max(numbers)} labels"


def _some(labels: Sequence[str]) -> str:
    return ", ".join(map(shown, labels[:8])) + (" …" if len(labels) > 8 else "")

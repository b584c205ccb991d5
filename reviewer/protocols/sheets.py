"""The part of the contract for sheets: a benchmark's own validation in spreadsheets."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

from store.records import Case, Measurement


@dataclass(frozen=True, slots=True)
class SheetColumn:
    """A column of a validation sheet: its name, its meaning, and whether its text identifies the case.

    A column that ``sways`` shows a model's opinion on the question; it is left blank unless asked for.
    """

    name: str
    meaning: str
    identifies: bool = False
    sways: bool = False


@dataclass(frozen=True, slots=True)
class ValidationSheet:
    """One question as a file that a rater fills in with a spreadsheet, as the benchmark's authors lay it out.

    ``judgement`` names the first column, which takes the rater's label.
    """

    question: str
    file: str
    judgement: str
    columns: tuple[SheetColumn, ...]


@dataclass(frozen=True, slots=True)
class ValidationSheets:
    """The sheets of a benchmark. A protocol without them is validated in this program only.

    ``texts`` are the cells of a case in all sheets, by the name of the column. ``generators`` are those that
    the authors' script for these sheets accepts; empty if it accepts any.
    """

    sheets: tuple[ValidationSheet, ...]
    texts: Callable[[Case, Sequence[Measurement]], Mapping[str, str]]
    generators: tuple[str, ...] = ()

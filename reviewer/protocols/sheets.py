"""The part of the contract for sheets: a benchmark's own validation in spreadsheets."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

from reviewer.core.question import Question
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


TextsOf = Callable[[Question, Case, Sequence[Measurement]], Mapping[str, str]]
"""Gives the cells of a case for a question, by the name of the column."""


@dataclass(frozen=True, slots=True)
class ValidationSheets:
    """The sheets of a benchmark.

    ``texts`` are the cells of a case for a question, by the name of the column. ``generators`` are those that
    the authors' script for these sheets accepts; empty if it accepts any. Sheets ``by_generator`` are in a
    folder for each, which says who wrote the cases.
    """

    sheets: tuple[ValidationSheet, ...]
    texts: TextsOf
    generators: tuple[str, ...] = ()
    by_generator: bool = True

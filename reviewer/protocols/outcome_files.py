"""The part of the contract for files of outcomes: how a benchmark's own package lays them out.

Protocols open no files. ``reviewer/exchange`` reads the rows, matches them with cases and stores their
outcomes, and it writes the files that a protocol lays out.
"""

from abc import ABC, abstractmethod
from collections.abc import Callable, Collection, Hashable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import ClassVar

from pydantic import ValidationError

from reviewer.core.errors import InputError
from reviewer.protocols.base import Protocol
from reviewer.protocols.evaluation import Condition
from reviewer.protocols.formats import StoredCase
from store.records import Case, JsonValue

RowCells = Mapping[str, JsonValue]


@dataclass(frozen=True, slots=True)
class FiledOutcome:
    """One answer as a file holds it: the label, and the part of the reply that the file keeps.

    Without a label the outcome is unreadable, and ``why`` says why. ``remark`` says what people must know of
    outcomes such as this one, as the end of a sentence that begins with their number; "" if nothing.
    """

    label: str | None
    reply: str
    why: str = ""
    remark: str = ""


@dataclass(frozen=True, slots=True)
class FiledRow:
    """What one row of a file holds: the texts of its case, the repeat (from 0), and outcomes by condition.

    ``remark`` says what people must know of rows such as this one; "" if nothing. ``key`` is that of the
    place of the case, and ``model`` the one that answered; "" for a file that does not name them.
    ``published`` are values published with the case that the row repeats, by name.
    """

    texts: Hashable
    repeat: int
    outcomes: Mapping[Condition, FiledOutcome]
    remark: str = ""
    key: str = ""
    model: str = ""
    published: Mapping[str, JsonValue] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class AnsweredCase:
    """A case with the outcomes of one model by condition and repeat, for the writer of a file.

    ``facts`` are those of the evaluation plan, and ``sizes`` the numeric values of the case by name. The case
    was not put to the model under the conditions of ``not_asked``.
    """

    stored: StoredCase
    facts: Hashable
    sizes: Mapping[str, float]
    outcomes: Mapping[tuple[Condition, int], FiledOutcome]
    not_asked: Collection[Condition] = ()


Similarities = tuple[float | None, float | None]
"""Cosine and Levenshtein: means over all pairs of texts of a group; None where there is no value."""


@dataclass(frozen=True, slots=True)
class OutcomesOfModel:
    """Everything that the files of one model are made from.

    ``quartiles`` gives those of a size over all cases of the datasets, None if no case has it.
    ``similarities`` compares a text of each case with those of the other cases of its group, by group.
    """

    model: str
    generators: tuple[str, ...]
    cases: Sequence[AnsweredCase]
    conditions: tuple[Condition, ...]
    repeats: int
    quartiles: Callable[[str], tuple[float, float, float] | None]
    similarities: Callable[[Callable[[StoredCase], str]], Mapping[str, Similarities]]


@dataclass(frozen=True, slots=True)
class LaidOutFiles:
    """The files of one model by name: rows, JSON values, and texts such as a file of settings.

    ``left_out`` pairs of runs were not readable, and the layout has no place for them. It has none for the
    ``other`` conditions either. ``remarks`` are sentences about the content, for whoever uses it.
    """

    rows: Mapping[str, Sequence[RowCells]]
    values: Mapping[str, JsonValue]
    left_out: int
    other: tuple[Condition, ...]
    texts: Mapping[str, str] = field(default_factory=dict)
    remarks: Sequence[str] = ()


class OutcomeFiles(ABC):
    """The files in which a benchmark's own package keeps outcomes. This type can only be read."""

    name: ClassVar[str]
    """What people call the layout in commands."""
    columns: tuple[str, ...]
    """The columns that a file needs to be read."""
    digest: str = ""
    """The digest of the declaration that describes the layout; "" for one of a protocol."""

    def __init__(self, protocol: Protocol) -> None:
        self._protocol = protocol

    def model_of(self, file: str) -> str | None:
        """The model in the name of a file; None if the name contains none."""
        return None

    @abstractmethod
    def texts_of(self, case: Case) -> Hashable:
        """The texts of a case, equal to those of its rows."""

    def content_of(self, row: RowCells) -> tuple[str, RowCells] | None:
        """Group and payload of the case that a row holds; None if rows hold none. Raises InputError."""
        return None

    def digest_of(self, row: RowCells) -> str | None:
        """The digest of the case that a row holds in full; None if it lacks a part."""
        try:
            content = self.content_of(row)
            return self._protocol.case(*content).digest if content else None
        except (InputError, ValidationError):
            return None

    @abstractmethod
    def read(self, row: RowCells, where: str) -> FiledRow:
        """The outcomes of a row, which has the needed columns; raises InputError."""

    def settled(self, case: Case, condition: Condition, outcome: FiledOutcome, where: str) -> FiledOutcome:
        """An outcome of ``read`` once its case is known; raises InputError if it does not fit the case."""
        return outcome


class WritableOutcomeFiles(OutcomeFiles):
    """Files of outcomes and results that can also be written."""

    @abstractmethod
    def files(self, outcomes: OutcomesOfModel) -> LaidOutFiles:
        """The files of one model."""

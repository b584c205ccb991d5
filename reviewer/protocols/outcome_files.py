"""The part of the contract for files of outcomes: how a benchmark's own package lays them out.

Protocols open no files. ``reviewer/exchange`` reads the rows, matches them with cases and stores their
outcomes, and it writes the files that a protocol lays out.
"""

from abc import ABC, abstractmethod
from collections.abc import Collection, Hashable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import ClassVar

from reviewer.protocols.evaluation import Condition
from reviewer.protocols.formats import StoredCase
from store.records import Case, JsonValue

RowCells = Mapping[str, JsonValue]


@dataclass(frozen=True, slots=True)
class FiledOutcome:
    """One answer as a file holds it: the label, and what the file keeps of the reply.

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


@dataclass(frozen=True, slots=True)
class ComparedTexts:
    """Mean similarities over all pairs of texts of a group; None where there is no value."""

    cosine: float | None
    levenshtein: float | None


@dataclass(frozen=True, slots=True)
class OutcomesOfModel:
    """Everything that the files of one model are made from.

    ``quartiles`` are those of the size that divides cases into tiers, None if no case has it.
    """

    model: str
    generators: tuple[str, ...]
    cases: Sequence[AnsweredCase]
    conditions: tuple[Condition, ...]
    repeats: int
    quartiles: tuple[float, float, float] | None
    compared: Mapping[str, ComparedTexts]


@dataclass(frozen=True, slots=True)
class LaidOutFiles:
    """The files of one model by name: rows, and JSON values.

    ``left_out`` pairs of runs were not readable, and the layout has no place for them. It has none for the
    ``other`` conditions either.
    """

    rows: Mapping[str, Sequence[RowCells]]
    values: Mapping[str, JsonValue]
    left_out: int
    other: tuple[Condition, ...]


class OutcomeFiles(ABC):
    """The files in which a benchmark's own package keeps outcomes. This type can only be read."""

    name: ClassVar[str]
    """What people call the layout in commands."""
    columns: tuple[str, ...]
    """The columns that a file needs to be read."""
    digest: str = ""
    """The digest of the declaration that describes the layout; "" for one of a protocol."""

    def model_of(self, file: str) -> str | None:
        """The model in the name of a file; None if the name contains none."""
        return None

    @abstractmethod
    def texts_of(self, case: Case) -> Hashable:
        """The texts of a case, equal to those of its rows."""

    @abstractmethod
    def digest_of(self, row: RowCells) -> str | None:
        """The digest of the case that a row holds in full; None if it lacks a part."""

    @abstractmethod
    def read(self, row: RowCells, where: str) -> FiledRow:
        """The outcomes of a row, which has the needed columns; raises InputError."""

    def settled(self, case: Case, condition: Condition, outcome: FiledOutcome, where: str) -> FiledOutcome:
        """An outcome of ``read`` once its case is known; raises InputError if it does not fit the case."""
        return outcome


class WritableOutcomeFiles(OutcomeFiles):
    """Files of outcomes and results that can also be written."""

    size: ClassVar[str]
    """The size that divides cases into tiers."""

    @abstractmethod
    def compared_text(self, stored: StoredCase) -> str:
        """The text of a case that results compare with those of the other cases."""

    @abstractmethod
    def files(self, outcomes: OutcomesOfModel) -> LaidOutFiles:
        """The files of one model."""

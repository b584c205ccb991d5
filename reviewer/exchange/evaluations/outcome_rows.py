"""The rows of a file of outcomes: read one by one, and matched with cases by their texts."""

from collections.abc import Hashable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Final

from reviewer.core.errors import InputError
from reviewer.core.sanitize import shown
from reviewer.protocols.evaluation import Condition
from reviewer.protocols.formats import SourceRows
from reviewer.protocols.outcome_files import FiledOutcome, FiledRow, OutcomeFiles, RowCells
from store.records import Case, SampledCase

MOST_REPEATS: Final = 100

OutcomeKey = tuple[int, Condition, int]
"""The place of the case, the condition and the repeat of one outcome."""


@dataclass(frozen=True, slots=True)
class Candidates:
    """The cases that rows may belong to. ``described`` names their source in messages."""

    by_text: Mapping[Hashable, Sequence[SampledCase]]
    described: str

    @classmethod
    def of(
        cls, places: Sequence[SampledCase], cases: Mapping[str, Case], files: OutcomeFiles, described: str
    ) -> "Candidates":
        """Those at these places. A case that stands at several places is taken from the first."""
        by_text: dict[Hashable, list[SampledCase]] = {}
        first: dict[str, SampledCase] = {}
        for place in places:
            first.setdefault(place.digest, place)
        for place in first.values():
            by_text.setdefault(files.texts_of(cases[place.digest]), []).append(place)
        return cls(by_text, described)

    def place_of(self, read: FiledRow, row: RowCells, files: OutcomeFiles, where: str) -> SampledCase:
        """The place of a row's case; raises InputError if no case has its texts, or several have them."""
        places = self.by_text.get(read.texts, ())
        if len(places) > 1:
            digest = files.digest_of(row)
            places = [place for place in places if place.digest == digest] or places
        if len(places) == 1:
            return places[0]
        if not places:
            remedy = "import the dataset that the model was asked about, or leave the row out"
            raise InputError(where, f"fits no case of {self.described} by its texts", remedy)
        keys = " and ".join(shown(place.key) for place in places)
        raise InputError(
            where, f"fits {keys} by its texts", "add the columns with the other parts of the case"
        )


@dataclass(slots=True)
class OutcomeRows:
    """What the rows of a file hold: outcomes, and an error for each row that is not valid."""

    files: OutcomeFiles
    candidates: Candidates
    outcomes: dict[OutcomeKey, FiledOutcome] = field(default_factory=dict)
    problems: list[InputError] = field(default_factory=list)
    remarks: dict[str, None] = field(default_factory=dict)
    """What the layout remarks on rows, each once."""

    def read(self, rows: SourceRows) -> None:
        """Go through a file once; raises InputError for the file as a whole."""
        if rows.columns is not None:
            _check_columns(rows.columns, self.files, rows.where)
        for row in rows.read():
            try:
                if isinstance(row.content, InputError):
                    raise row.content
                if rows.columns is None:
                    _check_columns(row.content, self.files, row.where)
                self._add(row.content, row.where)
            except InputError as problem:
                self.problems.append(problem)

    def _add(self, row: RowCells, where: str) -> None:
        read = self.files.read(row, where)
        if read.repeat >= MOST_REPEATS:
            wrong = f"is repeat {read.repeat + 1:,} of its case; at most {MOST_REPEATS} are read"
            raise InputError(where, wrong, "correct it, or leave the row out")
        place = self.candidates.place_of(read, row, self.files, where)
        keys = {condition: (place.place, condition, read.repeat) for condition in read.outcomes}
        if any(key in self.outcomes for key in keys.values()):
            wrong = f"is a second row for repeat {read.repeat + 1} of {shown(place.key)}"
            raise InputError(where, wrong, "leave one of them out")
        if read.remark:
            self.remarks[read.remark] = None
        self.outcomes |= {keys[condition]: outcome for condition, outcome in read.outcomes.items()}


def _check_columns(columns: Iterable[str], files: OutcomeFiles, where: str) -> None:
    there = set(columns)
    if missing := [name for name in files.columns if name not in there]:
        wrong = f"lacks the column {missing[0]!r}"
        raise InputError(where, wrong, "check that it is a file of raw outputs, and complete")

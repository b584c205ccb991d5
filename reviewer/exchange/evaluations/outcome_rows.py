"""The rows of a file of outcomes: read one by one, and matched with cases by their texts."""

from collections import Counter
from collections.abc import Callable, Hashable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Final

from reviewer.core.errors import InputError
from reviewer.core.sanitize import shown
from reviewer.protocols.evaluation import Condition
from reviewer.protocols.formats import SourceRows
from reviewer.protocols.outcome_files import FiledOutcome, FiledRow, OutcomeFiles, RowCells
from store.records import Case, JsonValue, SampledCase

MOST_REPEATS: Final = 100

ValuesAtPlaces = Mapping[tuple[str, str], Mapping[str, JsonValue]]
"""Key and digest of a case, with the values that came with it, by name."""

OutcomeKey = tuple[int, Condition, int]
"""The place of the case, the condition and the repeat of one outcome."""


@dataclass(frozen=True, slots=True)
class Candidates:
    """The cases that rows may belong to. ``described`` names their source in messages."""

    by_text: Mapping[Hashable, Sequence[SampledCase]]
    by_key: Mapping[str, Mapping[Hashable, SampledCase]]
    described: str
    cases: Mapping[str, Case]

    @classmethod
    def of(
        cls, places: Sequence[SampledCase], cases: Mapping[str, Case], files: OutcomeFiles, described: str
    ) -> "Candidates":
        """Those at these places. A case that stands at several places is taken from the first."""
        by_text: dict[Hashable, list[SampledCase]] = {}
        by_key: dict[str, dict[Hashable, SampledCase]] = {}
        first: dict[str, SampledCase] = {}
        for place in places:
            first.setdefault(place.digest, place)
            texts = files.texts_of(cases[place.digest])
            by_key.setdefault(place.key, {}).setdefault(texts, first[place.digest])
        for place in first.values():
            by_text.setdefault(files.texts_of(cases[place.digest]), []).append(place)
        return cls(by_text, by_key, described, cases)

    def place_of(self, read: FiledRow, row: RowCells, files: OutcomeFiles, where: str) -> SampledCase:
        """The place of a row's case; raises InputError if no case has its texts, or several have them."""
        if read.key:
            return self._at_key(read, row, files, where)
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

    def _at_key(self, read: FiledRow, row: RowCells, files: OutcomeFiles, where: str) -> SampledCase:
        """The place that a row names, if its case has the texts of the row."""
        named = self.by_key.get(read.key, {})
        if read.texts in named:
            return named[read.texts]
        if not named:
            remedy = "import the dataset that the model was asked about, or leave the row out"
            raise InputError(where, f"names {shown(read.key)}, which {self.described} does not have", remedy)
        there, here = next(iter(named.values())).digest[:12], (files.digest_of(row) or "not valid")[:12]
        wrong = f"has other texts than {shown(read.key)}: the case there is {there}, that of the row {here}"
        raise InputError(where, wrong, "import the dataset that the model was asked about")


@dataclass(slots=True)
class OutcomeRows:
    """The content of the rows of a file: outcomes, and an error for each row that is not valid."""

    files: OutcomeFiles
    candidates: Candidates
    published: Callable[[str], ValuesAtPlaces]
    """The values that came with the cases of a dataset; asked for only if rows repeat some."""
    outcomes: dict[OutcomeKey, FiledOutcome] = field(default_factory=dict)
    problems: list[InputError] = field(default_factory=list)
    remarks: dict[str, None] = field(default_factory=dict)
    """The layout's remarks on rows, each once."""
    models: dict[str, str] = field(default_factory=dict)
    """The models that rows name, each with the first row that names it."""

    @property
    def notices(self) -> tuple[str, ...]:
        """What people must know of the file: remarks on rows, and on how many outcomes."""
        counts = Counter(outcome.remark for outcome in self.outcomes.values() if outcome.remark)
        of_outcomes = (f"{number:,} of {len(self.outcomes):,} {remark}" for remark, number in counts.items())
        return (*self.remarks, *of_outcomes)

    def read(self, rows: SourceRows) -> None:
        """Go through a file once; raises InputError for the file as a whole."""
        if rows.columns is not None:
            _check_columns(rows.columns, self.files, rows.where)
        for row in rows.read():
            try:
                if rows.columns is None:
                    _check_columns(row.cells, self.files, row.where)
                self._add(row.cells, row.where)
            except InputError as problem:
                self.problems.append(problem)

    def _add(self, row: RowCells, where: str) -> None:
        read = self.files.read(row, where)
        self._check_model(read.model, where)
        if read.repeat >= MOST_REPEATS:
            wrong = f"is repeat {read.repeat + 1:,} of its case; at most {MOST_REPEATS} are read"
            raise InputError(where, wrong, "correct it, or leave the row out")
        place = self.candidates.place_of(read, row, self.files, where)
        self._check_published(read, place, where)
        keys = {condition: (place.place, condition, read.repeat) for condition in read.outcomes}
        if any(key in self.outcomes for key in keys.values()):
            wrong = f"is a second row for repeat {read.repeat + 1} of {shown(place.key)}"
            raise InputError(where, wrong, "leave one of them out")
        if read.remark:
            self.remarks[read.remark] = None
        case = self.candidates.cases[place.digest]
        self.outcomes |= {
            keys[condition]: self.files.settled(case, condition, outcome, where)
            for condition, outcome in read.outcomes.items()
        }

    def _check_published(self, read: FiledRow, place: SampledCase, where: str) -> None:
        """Raise InputError if the row repeats a published value that the case does not have."""
        if not read.published:
            return
        known = self.published(place.dataset).get((place.key, place.digest), {})
        for name, value in read.published.items():
            if known.get(name, value) != value:
                wrong = (
                    f"says that {name} of {shown(place.key)} is {shown(str(value))}, and dataset "
                    f"{place.dataset} says {shown(str(known[name]))}"
                )
                raise InputError(where, wrong, "import the dataset that the model was asked about")

    def _check_model(self, model: str, where: str) -> None:
        """Raise InputError if earlier rows name another model."""
        if model and self.models.setdefault(model, where) == where and len(self.models) > 1:
            del self.models[model]
            first, at = next(iter(self.models.items()))
            wrong = f"names the model {shown(model)}, and {at} names {shown(first)}"
            raise InputError(where, wrong, "import each model from a file of its own")


def _check_columns(columns: Iterable[str], files: OutcomeFiles, where: str) -> None:
    there = set(columns)
    if missing := [name for name in files.columns if not {name, name.partition(".")[0]} & there]:
        wrong = f"lacks the column {missing[0]!r}"
        raise InputError(where, wrong, "check that it is a file of this layout, and complete")

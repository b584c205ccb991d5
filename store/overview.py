"""What a store holds, counted: its studies, how far their raters are, and its datasets.

The statements are SQL text that SQLite and PostgreSQL read alike. So the home screen can appear before
SQLAlchemy is loaded: ``deferred_database`` asks the same statements with the standard library's sqlite3.
"""

import json
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from store.verdict_counts import NOTHING_YET, VerdictCount, verdict_counts

if TYPE_CHECKING:
    from sqlmodel import Session

    from store.records import Study

Ask = Callable[[str, Mapping[str, Any]], Iterable[Sequence[Any]]]
"""Runs a statement with its values, and returns the rows."""


@dataclass(frozen=True, slots=True)
class StudyHeader:
    """A study's own row, as a plain value (see ``Study``)."""

    name: str
    protocol: str
    seed: int
    view: str
    design: dict[str, Any]
    questions: list[dict[str, Any]]
    created_at: str
    closed_at: str | None

    @classmethod
    def of(cls, study: "Study") -> "StudyHeader":
        """The header of a study that was read as a record."""
        return cls(**study.model_dump())


@dataclass(frozen=True, slots=True)
class CountedStudy:
    """A study with the counts of each of its raters, by name, and its leads, the first named first.

    ``more`` is how many verdicts raters were asked for later, by rater.
    """

    study: StudyHeader
    raters: Mapping[str, VerdictCount]
    leads: tuple[str, ...]
    more: Mapping[str, int] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class DatasetSummary:
    """A dataset with its counts."""

    name: str
    protocol: str
    source: str
    cases: int
    generated: int
    imported: int
    groups: int
    generators: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class StoreOverview:
    """All studies, the oldest first, and all datasets, by name.

    One of the ``marks`` changes when people answer, join, or make, close or merge anything.
    """

    marks: tuple[Any, ...]
    studies: list[CountedStudy]
    datasets: list[DatasetSummary]


def asking(session: "Session") -> Ask:
    """A function that runs statements in a session of SQLAlchemy."""
    from sqlalchemy import text

    return lambda statement, values: session.execute(text(statement), dict(values))


def overview_of(session: "Session") -> StoreOverview:
    """The overview that a session reads; each study and dataset is validated."""
    from store.cases import list_datasets
    from store.studies import list_studies

    ask = asking(session)
    marks = change_marks(ask)
    headers = [StudyHeader.of(study) for study in list_studies(session)]
    named = [(dataset.name, dataset.protocol, dataset.source) for dataset in list_datasets(session)]
    on_server = session.connection().dialect.name == "postgresql"
    return StoreOverview(marks, counted_studies(ask, headers, on_server=on_server), summaries(ask, named))


def counted_studies(
    ask: Ask, studies: Sequence[StudyHeader], *, on_server: bool = False
) -> list[CountedStudy]:
    """The studies with their raters' counts and their leads."""
    questions = {study.name: study.questions for study in studies}
    counts = verdict_counts(ask, questions, on_server=on_server)
    raters = _by_study(ask(_RATERS, {}))
    leads = _by_study(ask(_LEADS, {}))
    more = _more_verdicts(ask(_THIRD, {}))
    return [
        CountedStudy(
            study,
            {rater: counts.get((study.name, rater), NOTHING_YET) for rater in raters.get(study.name, ())},
            tuple(leads.get(study.name, ())),
            more.get(study.name, {}),
        )
        for study in studies
    ]


def change_marks(ask: Ask) -> tuple[Any, ...]:
    """Values of which one changes when people answer, join, or make, close or merge anything."""
    (marks,) = ask(_MARKS, {})
    return tuple(marks)


def summaries(ask: Ask, datasets: Iterable[tuple[str, str, str]]) -> list[DatasetSummary]:
    """The datasets, given by name, protocol and source, with their counts."""
    counts = {
        name: (cases, generated, imported, groups)
        for name, cases, generated, imported, groups in ask(_PLACES, {})
    }
    generators: dict[str, list[str]] = {}
    for name, generator in ask(_GENERATORS, {}):
        generators.setdefault(name, []).append(generator)
    return [
        DatasetSummary(
            name, protocol, source, *counts.get(name, (0, 0, 0, 0)), tuple(sorted(generators.get(name, [])))
        )
        for name, protocol, source in datasets
    ]


def _by_study(rows: Iterable[Sequence[Any]]) -> dict[str, dict[str, None]]:
    """Study → people, each once, in the order of the rows."""
    people: dict[str, dict[str, None]] = {}
    for study, person in rows:
        people.setdefault(study, {})[person] = None
    return people


def _more_verdicts(rows: Iterable[Sequence[Any]]) -> dict[str, dict[str, int]]:
    """Study → rater → how many verdicts they were asked for later."""
    more: dict[str, dict[str, int]] = {}
    for study, kept in rows:
        asked = json.loads(kept) if isinstance(kept, str) else kept
        for rater, verdicts in asked.items():
            held = more.setdefault(study, {})
            held[rater] = held.get(rater, 0) + verdicts
    return more


_MARKS = """
SELECT (SELECT count(*) FROM events), (SELECT max(id) FROM study_acts), (SELECT count(*) FROM assignments),
       (SELECT count(*) FROM studies), (SELECT max(imported_at) FROM datasets)
"""
_RATERS = "SELECT study, rater FROM assignments WHERE role = 'rater' ORDER BY study, rater"
_LEADS = "SELECT study, subject FROM study_acts WHERE kind = 'lead' AND subject IS NOT NULL ORDER BY id"
_THIRD = "SELECT study, unfinished FROM study_acts WHERE kind = 'third' ORDER BY id"
_PLACES = """
SELECT memberships.dataset, count(*), count(*) FILTER (WHERE memberships.origin = 'generated'),
       count(*) FILTER (WHERE memberships.origin = 'imported'), count(DISTINCT cases."group")
FROM memberships JOIN cases ON cases.digest = memberships."case"
GROUP BY memberships.dataset
"""
_GENERATORS = "SELECT DISTINCT dataset, generator FROM memberships"

"""What a store holds, counted: its studies, how far their raters are, and its datasets.

The statements are SQL text that SQLite and PostgreSQL read alike. So the home screen can appear before
SQLAlchemy is loaded: ``deferred_database`` asks the same statements with the standard library's sqlite3.
"""

import json
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from reviewer.core.question import Question

if TYPE_CHECKING:
    from sqlmodel import Session

    from store.records import Study


@dataclass(frozen=True, slots=True)
class VerdictCount:
    """A rater's numbers of first verdicts, skipped slots, first verdicts in training, and second verdicts."""

    labelled: int
    skipped: int
    training: int = 0
    second: int = 0


NOTHING_YET = VerdictCount(0, 0)


def verdict_counts(
    ask: Callable[[str, Mapping[str, Any]], Iterable[Sequence[Any]]],
    questions: Mapping[str, Sequence[Mapping[str, Any]]],
    *,
    on_server: bool = False,
) -> dict[tuple[str, str], VerdictCount]:
    """(study, rater) → counts, without events that came after a closing.

    ``questions`` has those of each study to count; ``ask`` runs a statement with its values.
    """
    if not questions:
        return {}
    answers, values = _answers(questions)
    elements = "json_array_elements_text" if on_server else "json_each"
    rows = ask(_COUNTS.format(answers=answers, elements=elements), values)
    return {
        (study, rater): VerdictCount(
            labelled=int(done), skipped=int(put_off), training=int(trained), second=int(again)
        )
        for study, rater, put_off, done, trained, again in rows
    }


def _answers(questions: Mapping[str, Sequence[Mapping[str, Any]]]) -> tuple[str, dict[str, str]]:
    """SQL: whether an event answers a question of its study with one of its labels; and the values in it.

    SQL finds neither altered events nor sets of labels and texts that do not fit. They are found when events
    are read one by one.
    """
    conditions: list[str] = []
    values: dict[str, str] = {}
    for number, (study, stored) in enumerate(questions.items()):
        asked = [Question.model_validate(question) for question in stored]
        labels = sorted({label for question in asked for label in question.labels})
        named = {f"s{number}": study}
        keys = {f"s{number}_q{index}": question.key for index, question in enumerate(asked)}
        own = {
            name: key
            for name, key in keys.items()
            if key in {q.key for q in asked if not q.answer_kind.is_label}
        }
        allowed = {f"s{number}_l{index}": label for index, label in enumerate(labels)}
        conditions.append(
            f"(study = :s{number} AND question IN ({_places(keys)})"
            f" AND (value IS NULL OR value IN ({_places(allowed)}) OR question IN ({_places(own)})))"
        )
        values |= named | keys | allowed
    return " OR ".join(conditions), values


def _places(values: Iterable[str]) -> str:
    return ", ".join(f":{name}" for name in values) or "NULL"


# A superseding event has a greater id, so the greatest id of a slot is the current one. A valid id has 32
# digits, the first below 8, so what stands behind an id is that of the greatest one: no second look at the
# ledger is needed. An event counts if its study is open, or held it when it was closed.
_COUNTS = """
WITH closings AS (
    SELECT study, held FROM study_acts
    WHERE kind = 'close'
      AND id IN (SELECT max(id) FROM study_acts WHERE kind IN ('close', 'reopen') GROUP BY study)
), newest AS (
    SELECT study, rater, "case", phase,
        max(id || CASE WHEN kind = 'skip' THEN 's' ELSE '-' END
            || CASE WHEN value IS NULL THEN '-' ELSE 'v' END) AS last
    FROM events
    WHERE kind IN ('label', 'undo', 'skip') AND length(id) = 32 AND id < '8' AND ({answers})
      AND (study NOT IN (SELECT study FROM closings)
           OR id IN (SELECT held.value FROM closings, {elements}(closings.held) AS held))
    GROUP BY study, rater, "case", question, showing, phase
), by_case AS (
    SELECT study, rater, "case",
        sum(CASE WHEN substr(last, 33, 1) = 's' THEN 1 ELSE 0 END) AS skipped,
        sum(CASE WHEN substr(last, 34, 1) = 'v' AND phase = 'before' THEN 1 ELSE 0 END) AS first,
        sum(CASE WHEN substr(last, 34, 1) = 'v' AND phase = 'after' THEN 1 ELSE 0 END) AS second
    FROM newest
    GROUP BY study, rater, "case"
)
SELECT by_case.study, by_case.rater, sum(by_case.skipped), sum(by_case.first),
    sum(CASE WHEN study_cases.role = 'training' THEN by_case.first ELSE 0 END), sum(by_case.second)
FROM by_case
JOIN study_cases ON study_cases.study = by_case.study AND study_cases."case" = by_case."case"
GROUP BY by_case.study, by_case.rater
"""


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

"""A store as large as the benches ask for: 100,000 cases, 1,000,000 verdicts, one study to work on."""

import random
from collections.abc import Iterator, Sequence
from dataclasses import asdict
from itertools import islice
from pathlib import Path

from sqlalchemy import insert

from reviewer.study.design.closing import close_study
from reviewer.study.design.joining import join_study
from reviewer.study.design.study_bundle import load_study
from reviewer.study.design.study_creation import Design, create_study
from reviewer.study.session.review_session import ReviewSession
from store.case_import import import_entries
from store.clock import next_id
from store.database import Database
from store.records import Dataset, JsonValue, Study, digest_of
from store.study_tables import EventRow
from tests.studies import AT, BIASES, a_case, entries_for

STUDY, FINISHED, RATER = "studied", "finished", "anna"
FINISHED_RATER = "dora"
"""Who has answered all that they owe, so that final labels and agreement are shown to them."""
_PARAGRAPH = (
    "We ship twice a week, and the last three releases were late because of the same flaky suite. " * 4
)
_BATCH = 20_000


def build(path: Path, cases: int, verdicts: int) -> Database:
    """Make the store; the study ``studied`` over 400 of the cases, or fewer, is half done by anna."""
    database = Database.open(str(path))
    everything = [
        a_case(n, BIASES[n % len(BIASES)], axioms_description=f"{_PARAGRAPH}{n}") for n in range(cases)
    ]
    per_dataset = min(4_000, cases // 2)
    per_group = per_dataset // len(BIASES)
    names = []
    for start in range(0, cases, per_dataset):
        names.append(f"dataset-{start // per_dataset:03d}")
        header = Dataset(name=names[-1], protocol="probe-swe", source="a bench", imported_at=AT)
        import_entries(database, header, entries_for(names[-1], everything[start : start + per_dataset]))
    create_study(database, STUDY, Design((names[0],), min(50, per_group), 1))
    session = ReviewSession(database, STUDY, RATER)
    for _ in range(len(session.slots) // 2):
        session.answer("True")
    _fill_ledger(database, names[1:], verdicts)
    return database


def _fill_ledger(database: Database, datasets: list[str], verdicts: int) -> None:
    """Studies of other people, each slot labelled once by each of ten raters."""
    events = _labels(database, datasets)
    written = 0
    while written < verdicts:
        batch = list(islice(events, min(_BATCH, verdicts - written)))
        with database.write() as session:
            session.connection().execute(insert(EventRow), batch)
        written += len(batch)


def _labels(database: Database, datasets: list[str]) -> Iterator[dict[str, JsonValue]]:
    for dataset in datasets:
        study = create_study(database, f"study of {dataset}", Design((dataset,), None, 1))
        yield from _events(database, study, [f"rater-{number}" for number in range(10)])


def add_finished_studies(database: Database, cases: int, small: int = 48) -> None:
    """A closed study of 1,200 cases by ten raters, who disagree on one item in six; and small ones. A store
    of few ``cases`` has fewer in it.
    """
    per_group = min(150, cases // 2 // len(BIASES))
    _add_finished_study(
        database, FINISHED, per_group, [FINISHED_RATER, *(f"rater-{number}" for number in range(1, 10))]
    )
    for number in range(small):
        _add_finished_study(database, f"small {number:02}", 2, [FINISHED_RATER, "ben", "cara"])


def _add_finished_study(database: Database, name: str, per_group: int, raters: Sequence[str]) -> None:
    study = create_study(database, name, Design(("dataset-000",), per_group, 1))
    events = list(_events(database, study, raters, contested=1 / 6))
    with database.write() as session:
        session.connection().execute(insert(EventRow), events)
    close_study(database, name, "lead", anyway=True)


def _events(
    database: Database, study: Study, raters: Sequence[str], contested: float = 0.0
) -> Iterator[dict[str, JsonValue]]:
    """Rows as the ledger would write them, made without its checks, which would take minutes."""
    newest, bundle, chance = None, load_study(database, study.name), random.Random(1)
    slots = {slot: bundle.shown_digest(slot) for each in bundle.questions for slot in bundle.slots(each)}
    dissent = {slot: 0.3 if chance.random() < contested else 0.0 for slot in slots}
    for rater in raters:
        join_study(database, study, rater)
    for rater in raters:
        for slot, shown in slots.items():
            newest = next_id(newest, 1_767_225_600_000)
            content = {
                **asdict(slot),
                "id": newest,
                "study": study.name,
                "rater": rater,
                "question_digest": shown,
                "kind": "label",
                "value": "False" if chance.random() < dissent[slot] else "True",
                "supersedes": [],
                "at": AT,
                "active_ms": 9_000,
                "given": "app",
                "follows": [],
            }
            yield {**content, "digest": digest_of(content)}

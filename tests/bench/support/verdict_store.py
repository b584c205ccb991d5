"""A store with a hundred events for each case, as a large group has it: ten studies of ten raters.

Every study asks four questions about a quarter of the cases: with 100,000 cases, each study has 1,000,000
slots. Nearly all are labelled, some twice, some with a comment, and one rater has not finished. Ids, digests
and predecessors of events are made by the project's own functions, so that ``store check`` finds nothing.
"""

import random
from collections.abc import Iterator
from itertools import islice
from typing import Any

from sqlalchemy import insert, text

from reviewer.study.design.study_bundle import load_study
from reviewer.study.design.study_creation import Design, create_study
from reviewer.study.session.verdicts import Slot
from store.case_import import import_entries
from store.clock import id_time, instant, next_id
from store.database import Database
from store.records import Dataset, Event, JsonValue, Study, canonical_json, digest_of
from store.study_tables import EventRow
from tests.studies import AT, BIASES, a_case, entries_for

EVENTS_PER_CASE = 100
_STUDIES, _PARTS = 10, 4
_RATERS = tuple(f"rater-{number}" for number in range(10))
_FIRST_MS, _MS_BETWEEN = 1_767_225_600_000, 9_000
_ROWS_AT_ONCE, _CASES_AT_ONCE = 20_000, 2_500
_PARAGRAPH = (
    "We ship twice a week, and the last three releases were late because of the same flaky suite. " * 4
)


def study_name(number: int) -> str:
    """The name of one of the studies; the first is 0."""
    return f"study {number}"


def fill_store(database: Database, cases: int) -> None:
    """Fill an empty store with ``cases`` and a hundred times as many events."""
    for part in range(_PARTS):
        _import_part(database, part, cases // _PARTS)
    for number in range(_STUDIES):
        design = Design((_dataset(number % _PARTS),), None, number, raters=_RATERS)
        study = create_study(database, study_name(number), design)
        _write_events(database, _events(database, study))
    if database.on_server:
        with database.write() as session:
            session.execute(text("ANALYZE"))


def _dataset(part: int) -> str:
    return f"dataset-{part}"


def _import_part(database: Database, part: int, cases: int) -> None:
    name = _dataset(part)
    numbers = range(part * cases, (part + 1) * cases)
    made = [a_case(n, BIASES[n % len(BIASES)], axioms_description=f"{_PARAGRAPH}{n}") for n in numbers]
    header = Dataset(name=name, protocol="probe-swe", source="a bench", imported_at=AT)
    import_entries(database, header, entries_for(name, made))


def _write_events(database: Database, events: Iterator[dict[str, JsonValue]]) -> None:
    """Write rows past the ledger, which would take hours. A server checks no references meanwhile."""
    names = list(Event.model_fields)
    in_json = [name for name in names if name in ("supersedes", "passage", "panes", "follows")]
    while rows := list(islice(events, _ROWS_AT_ONCE)):
        with database.write() as session:
            if not database.on_server:
                session.connection().execute(insert(EventRow), rows)
                continue
            session.execute(text("SET LOCAL session_replication_role = replica"))
            driver: Any = session.connection().connection.dbapi_connection
            columns = ", ".join(f'"{name}"' for name in names)
            with driver.cursor() as cursor, cursor.copy(f"COPY events ({columns}) FROM STDIN") as copy:
                for row in rows:
                    copied = row | {key: canonical_json(row[key]) for key in in_json if row[key] is not None}
                    copy.write_row([copied[name] for name in names])


def _events(database: Database, study: Study) -> Iterator[dict[str, JsonValue]]:
    """The rows of a study, rater by rater; they disagree on one item in six."""
    bundle, chance = load_study(database, study.name), random.Random(study.seed)
    slots = {
        slot: bundle.shown_digest(slot) for question in bundle.questions for slot in bundle.slots(question)
    }
    dissent = {slot: 0.3 if chance.random() < 1 / 6 else 0.02 for slot in slots}
    for rater in _RATERS:
        last = rater == _RATERS[-1]
        asked = list(slots)[: int(len(slots) * 0.99)] if last else list(slots)
        writer = _Writer(study.name, rater)
        for slot in asked:
            label = "False" if chance.random() < dissent[slot] else "True"
            yield from _at_slot(writer, slot, slots[slot], label, chance.random())


def _at_slot(
    writer: "_Writer", slot: Slot, shown: str, label: str, luck: float
) -> Iterator[dict[str, JsonValue]]:
    """The label; in one slot of a hundred another label first, or a skip, or with it a comment, or a flag."""
    first = None
    if luck < 0.02:
        first = writer.row(slot, shown, "label" if luck < 0.01 else "skip", "True" if luck < 0.01 else None)
        yield first
    yield writer.row(slot, shown, "label", label, supersedes=[first["id"]] if first else [])
    if luck > 0.98:
        yield writer.row(slot, shown, "comment" if luck > 0.99 else "flag", "The second premise is missing.")


class _Writer:
    """Makes one rater's rows; each follows the one before."""

    def __init__(self, study: str, rater: str) -> None:
        self._about = {"study": study, "rater": rater}
        self._newest: str | None = None
        self._milliseconds = _FIRST_MS

    def row(
        self, slot: Slot, shown: str, kind: str, value: str | None, supersedes: list[str] | None = None
    ) -> dict[str, JsonValue]:
        """The next row, as the ledger would write it."""
        follows = [self._newest] if self._newest else []
        self._milliseconds += _MS_BETWEEN
        self._newest = next_id(self._newest, self._milliseconds)
        row: dict[str, JsonValue] = {
            **self._about,
            "id": self._newest,
            "case": slot.case,
            "question": slot.question,
            "question_digest": shown,
            "showing": slot.showing,
            "phase": slot.phase,
            "kind": kind,
            "value": value,
            "target": None,
            "supersedes": supersedes or [],
            "at": instant(id_time(self._newest)),
            "active_ms": 9_000,
            "swapped": None,
            "passage": None,
            "given": "app",
            "panes": ["unbiased", "biased"],
            "follows": follows,
        }
        return {**row, "digest": digest_of({name: value for name, value in row.items() if value is not None})}

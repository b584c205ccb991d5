"""A study that is counted from its beginning: a deleted count is noticed by its traces."""

import shutil
from collections.abc import Callable
from contextlib import closing
from pathlib import Path

import pytest

from reviewer.exchange.packs.pack import opened_pack, rescue, write_pack
from reviewer.exchange.packs.store_files import back_up_store, merge_file
from reviewer.study.design import closing as closing_module
from reviewer.study.design import study_creation
from reviewer.study.design.closing import close_study, reopen_study
from reviewer.study.design.study_creation import Design, create_study
from reviewer.study.integrity.count_signing import sign_count, signature
from reviewer.study.session.review_session import ReviewSession
from store.case_import import Entry, import_entries
from store.copying import copy_store
from store.database import Database
from store.event_import import Aside, import_events
from store.ledger import Ledger
from store.records import Dataset
from store.signed_counts import add_signed_count, signed_counts
from store.studies import list_studies, secret_of
from tests.studies import AT, a_case, a_study, entries_for, fill, open_store
from tests.tampering import attack, check, told

BY_ITS_DESIGN = "although creating the study signed one"


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A study that was closed, opened again and reported; both raters answered."""
    folder = tmp_path_factory.mktemp("made")
    with closing(open_store(folder)) as database:
        a_study(database, raters=("anna", "ben"))
        for rater in ("anna", "ben"):
            session = ReviewSession(database, "pilot", rater)
            for _ in range(6):
                session.answer("True")
        close_study(database, "pilot", "lead", "done", anyway=True)
        reopen_study(database, "pilot", "lead", "not done")
        ReviewSession(database, "pilot", "anna").answer("True")
        sign_count(database, "pilot", "report")
    return folder / "reviewer.db"


@pytest.fixture
def path(made: Path, tmp_path: Path) -> Path:
    return Path(shutil.copy(made, tmp_path))


def test_an_honest_store_is_whole(path: Path) -> None:
    found = check(path)
    assert (found.faults, found.remarks) == ([], [])


def test_that_all_counts_are_gone_is_a_fault(path: Path) -> None:
    attack(path, "DELETE FROM signed_counts")
    assert any(BY_ITS_DESIGN in each for each in told(path)), told(path)
    assert "Counts were signed when the study was created" in check(path).counts[0].sentence


def test_that_the_counts_and_the_secret_are_gone_is_a_fault(path: Path) -> None:
    attack(path, "DELETE FROM signed_counts", "DELETE FROM study_secrets")
    assert any(BY_ITS_DESIGN in each for each in told(path)), told(path)
    assert "the study's secret is gone, so that nothing can be signed: it was deleted" in told(path)


ALL_BUT_ANNA = ("DELETE FROM assignments WHERE rater <> 'anna'", "DELETE FROM events WHERE rater <> 'anna'")


def test_the_mark_of_a_rescued_file_does_not_hide_what_is_gone_from_a_store(path: Path) -> None:
    marked = "UPDATE studies SET design = json_set(design, '$.rescued', json('true')), closed_at = NULL"
    attack(path, "DELETE FROM signed_counts", "DELETE FROM study_secrets", marked)
    assert any(BY_ITS_DESIGN in each for each in told(path)), told(path)
    attack(path, *ALL_BUT_ANNA)
    assert any(BY_ITS_DESIGN in each for each in told(path)), told(path)


def test_counting_again_does_not_hide_that_earlier_counts_are_gone(path: Path) -> None:
    attack(path, "DELETE FROM signed_counts")
    with closing(Database.open(str(path))) as database:
        sign_count(database, "pilot", "report")
    assert any(BY_ITS_DESIGN in each for each in told(path)), told(path)


def test_a_seal_does_not_make_a_leads_store_a_pack(path: Path, tmp_path: Path) -> None:
    with closing(Database.open(str(path))) as database:
        write_pack(database, "pilot", "anna", tmp_path / "anna.review")
    attack(
        path,
        "DELETE FROM signed_counts",
        f"ATTACH '{tmp_path / 'anna.review'}' AS pack",
        "INSERT INTO pack_seals SELECT * FROM pack.pack_seals",
    )
    assert any(BY_ITS_DESIGN in each for each in told(path)), told(path)
    assert any("seal" in each for each in told(path)), told(path)
    attack(path, "DELETE FROM study_secrets", *ALL_BUT_ANNA)
    assert any(BY_ITS_DESIGN in each for each in told(path)), told(path)


def test_a_closing_whose_count_is_gone_is_a_fault(path: Path) -> None:
    with closing(Database.open(str(path))) as database:
        closed = close_study(database, "pilot", "lead", "now", anyway=True)
    attack(path, "DELETE FROM signed_counts WHERE id = (SELECT max(id) FROM signed_counts)")
    assert told(path) == [
        f"act {closed.id}, a closing, is in no signed count, although closing signs one: that count is gone"
    ]


@pytest.mark.parametrize("table", ["events", "signed_counts", "study_acts"])
def test_a_row_that_is_gone_from_before_others_leaves_a_gap(path: Path, table: str) -> None:
    """The newest row of anna's, which nothing names; ben's came to the same table after it."""
    with closing(Database.open(str(path))) as database:
        for name in ("other", "third"):
            a_study(database, name, raters=("anna",))
            ReviewSession(database, name, "anna").answer("True")
            close_study(database, name, "lead", "done", anyway=True)
    attack(
        path,
        f"DELETE FROM {table} WHERE study = 'other' AND rowid = (SELECT max(rowid) FROM {table} "
        "WHERE study = 'other')",
    )
    assert any(f"table {table} lacks 1 row that was deleted" in each for each in told(path)), told(path)


def _pack(database: Database, folder: Path) -> Path:
    write_pack(database, "pilot", "anna", folder / "anna.review")
    pack, _ = opened_pack(folder / "anna.review")
    with closing(pack):
        ReviewSession(pack, "pilot", "anna").answer("True")
    return folder / "anna.review"


def _rescued(database: Database, folder: Path) -> Path:
    session = ReviewSession(database, "pilot", "anna")
    session.answer("False")
    rescue(session, folder / "rescued.db")
    return folder / "rescued.db"


def _rescued_pack(database: Database, folder: Path) -> Path:
    pack, _ = opened_pack(_pack(database, folder))
    with closing(pack):
        return _rescued(pack, folder)


def _backup(database: Database, folder: Path) -> Path:
    back_up_store(database.location, folder / "monday.db")
    return folder / "monday.db"


def _copied(database: Database, folder: Path) -> Path:
    with closing(Database.open(str(folder / "copy.db"))) as target:
        copy_store(database, target)
    return folder / "copy.db"


@pytest.mark.parametrize("travel", [_pack, _rescued, _rescued_pack, _backup, _copied])
def test_a_store_that_travels_raises_no_fault(
    path: Path, tmp_path: Path, travel: Callable[[Database, Path], Path]
) -> None:
    with closing(Database.open(str(path))) as database:
        away = travel(database, tmp_path)
        assert told(away) == []
        merge_file(database, away, trusted=True)
    assert told(path) == []


@pytest.mark.parametrize("travel", [_rescued, _rescued_pack])
def test_a_rescued_file_is_not_said_to_lack_deleted_counts(
    path: Path, tmp_path: Path, travel: Callable[[Database, Path], Path]
) -> None:
    with closing(Database.open(str(path))) as database:
        sentence = check(travel(database, tmp_path)).counts[0].sentence
    assert "deleted" not in sentence
    assert "lacks the study's secret" in sentence


def _entries(cases: int = 3) -> list[Entry]:
    entries = entries_for("pilot-data", [a_case(number) for number in range(cases)])
    return [_with_raw(entry, f'{{"place": "{entry.place.key}"}}') for entry in entries]


def _with_raw(entry: Entry, raw: str) -> Entry:
    return Entry(entry.case, entry.place, entry.published, raw)


@pytest.fixture
def recorded(tmp_path: Path) -> Path:
    """A study over a dataset that kept the records which it was imported from."""
    with closing(open_store(tmp_path)) as database:
        header = Dataset(name="pilot-data", protocol="probe-swe", source="a test", imported_at=AT)
        import_entries(database, header, _entries())
        create_study(database, "pilot", Design(("pilot-data",), None, 7))
        ReviewSession(database, "pilot", "anna").answer("True")
    return tmp_path / "reviewer.db"


class StoppedError(Exception):
    """Stands for a kill at that moment."""


def _stop(*_: object, **__: object) -> None:
    raise StoppedError


def test_a_study_is_made_with_its_count_or_not_at_all(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with closing(open_store(tmp_path)) as database:
        monkeypatch.setattr(study_creation, "making_count", lambda _occasion: _stop)
        fill(database, "data", [a_case()])  # in a file with something in it, the study is made and not copied
        with pytest.raises(StoppedError):
            a_study(database)
        with database.read() as session:
            assert list_studies(session) == []
        monkeypatch.undo()
        a_study(database)


def test_a_study_is_closed_with_its_count_or_not_at_all(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with closing(Database.open(str(path))) as database:
        monkeypatch.setattr(closing_module, "making_count", lambda _occasion: _stop)
        with pytest.raises(StoppedError):
            close_study(database, "pilot", "lead", "now", anyway=True)
        with database.read() as session:
            (study,) = list_studies(session)
        assert study.closed_at is None
        assert told(path) == []


@pytest.mark.parametrize(
    "change",
    [
        "raw = NULL",
        "raw = replace(raw, 'a', 'b')",
        "generator = 'somebody'",
        "origin = 'seed'",
        "extra = '{\"a\":1}'",
        '"case" = (SELECT digest FROM cases ORDER BY digest DESC LIMIT 1)',
    ],
)
def test_a_place_that_was_altered_is_a_fault(recorded: Path, change: str) -> None:
    assert told(recorded) == []
    attack(recorded, f"UPDATE memberships SET {change} WHERE position = 0")
    (fault,) = told(recorded)
    assert fault.startswith("the records of dataset 'pilot-data' at the sample's places changed after")


def test_a_place_that_was_imported_again_is_a_remark(recorded: Path) -> None:
    with closing(Database.open(str(recorded))) as database:
        later = Dataset(
            name="pilot-data", protocol="probe-swe", source="t", imported_at="2999-01-01T00:00:00.000Z"
        )
        import_entries(database, later, [_with_raw(entry, "{}") for entry in _entries()])
    found = check(recorded)
    assert found.faults == []
    assert any("records" in each and "imported again on 2999-01-01" in each for each in found.remarks)


def test_a_dataset_that_grows_changes_nothing(recorded: Path) -> None:
    with closing(Database.open(str(recorded))) as database:
        entries = [*_entries(5)[3:], *_entries()]
        moved = [
            entry.at(entry.place.model_copy(update={"position": position}))
            for position, entry in enumerate(entries)
        ]
        header = Dataset(name="pilot-data", protocol="probe-swe", source="a test", imported_at=AT)
        import_entries(database, header, moved)
    found = check(recorded)
    assert (found.faults, found.remarks) == ([], [])


def test_a_pack_says_where_its_counts_are(path: Path, tmp_path: Path) -> None:
    with closing(Database.open(str(path))) as database:
        (counts,) = check(_pack(database, tmp_path)).counts
    assert counts.sentence.endswith("this is a pack; the signed counts are in its lead's store.")


@pytest.mark.parametrize(
    ("statement", "verb"),
    [
        ("DELETE FROM kept_aside", "is gone"),
        ("UPDATE kept_aside SET content = json_set(content, '$.value', 'x')", "was changed"),
    ],
)
def test_an_event_kept_aside_and_altered_is_a_fault(path: Path, statement: str, verb: str) -> None:
    with closing(Database.open(str(path))) as database:
        event = Ledger(database).events("pilot")[-1]
        waiting = Aside([(event.model_copy(update={"id": f"7{event.id[1:]}"}), "a clock was ahead")])
        import_events(database, "pilot", [], "ben.review", aside=waiting)
        sign_count(database, "pilot", "report")
    assert told(path) == []
    attack(path, statement)
    assert told(path) == [
        f"event 7{event.id[1:]} (kept aside) {verb}: it was signed on {event.at[:10]} (report)"
    ]


@pytest.mark.parametrize(
    "changes",
    [
        {"content": {"listed": 3}},
        {"content": {"parts": {}, "previous": None, "listed": {}}},
        {"content": {"parts": 1, "previous": None, "listed": {}}},
        {"id": "zzzz"},
    ],
)
def test_a_count_that_no_release_signs_is_a_fault_although_its_signature_holds(
    path: Path, changes: dict[str, object]
) -> None:
    """The secret is in the store: who may write it can sign anything."""
    with closing(Database.open(str(path))) as database:
        with database.read() as session:
            count, secret = signed_counts(session, "pilot")[-1], secret_of(session, "pilot")
        assert secret is not None
        forged = count.model_copy(update={"id": f"7{count.id[1:]}", **changes})
        add_signed_count(database, forged.model_copy(update={"signature": signature(forged, secret)}))
        assert any("was altered, or the study's secret" in each for each in told(path)), told(path)
        sign_count(database, "pilot", "report")


def test_a_description_that_cannot_be_read_is_a_fault(path: Path) -> None:
    at = "INSERT INTO study_descriptions VALUES ('pilot', 'consent', 'yes', 'lead', 'x')"
    attack(path, at)
    assert any("study_descriptions" in each and "cannot be read" in each for each in told(path))

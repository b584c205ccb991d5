"""Signed counts: what is gone or changed is noticed and named, and later work makes none of them false."""

import shutil
from contextlib import closing
from pathlib import Path

import pytest

from reviewer.core.sanitize import with_article
from reviewer.exchange.packs.pack import opened_pack, write_pack
from reviewer.exchange.packs.store_files import merge_file
from reviewer.study.adjudication.adjudication_session import AdjudicationSession
from reviewer.study.design.closing import close_study, reopen_study
from reviewer.study.integrity.count_signing import count_study, sign_count
from reviewer.study.session.review_session import ReviewSession
from store import signed_counts as store_counts
from store.case_import import import_entries
from store.database import Database
from store.findings import CaseFindings, keep_case_findings
from store.ledger import Ledger
from store.records import Dataset, Event, Measurement
from store.signed_counts import signed_counts
from tests.studies import a_case, a_study, entries_for, open_store
from tests.tampering import attack, check, told


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A closed study of two raters, signed; then one more answer that no count covers."""
    folder = tmp_path_factory.mktemp("made")
    with closing(open_store(folder)) as database:
        a_study(database, raters=("anna", "ben"))
        for rater, label in (("anna", "True"), ("ben", "False")):
            session = ReviewSession(database, "pilot", rater)
            for _ in range(6):
                session.answer(label)
        close_study(database, "pilot", "lead", "done", anyway=True)
        reopen_study(database, "pilot", "lead", "not done")
        sign_count(database, "pilot", "report")
    return folder / "reviewer.db"


@pytest.fixture
def path(made: Path, tmp_path: Path) -> Path:
    return Path(shutil.copy(made, tmp_path))


def reseal(path: Path, **changes: object) -> None:
    """Change ben's newest event and seal it anew, so that its digest fits."""
    with closing(Database.open(str(path))) as database:
        event = Ledger(database).events("pilot", "ben")[-1]
    content = event.model_dump(exclude={"digest"}) | changes
    new = Event.sealed(**content)
    values = ", ".join(f"{name} = '{getattr(new, name)}'" for name in ("rater", "value", "digest"))
    attack(path, f"UPDATE events SET {values} WHERE id = '{event.id}'")


def test_an_honest_store_is_whole_and_says_what_is_covered(path: Path) -> None:
    found = check(path)
    assert (found.faults, found.remarks) == ([], [])
    (counts,) = found.counts
    assert [count.occasion for count in counts.genuine] == ["new", "close", "report"]
    assert counts.sentence.startswith("12 events in study 'pilot': 12 covered by signed counts, the last")
    assert "came later" not in counts.sentence


def test_events_that_no_count_covers_yet_are_said_to_be_newer(path: Path) -> None:
    with closing(Database.open(str(path))) as database:
        ReviewSession(database, "pilot", "anna").answer("True")
    (counts,) = check(path).counts
    assert counts.sentence.startswith("13 events in study 'pilot': 12 covered by signed counts, the last")
    assert counts.sentence.endswith("; 1 came later, not signed yet.")


NEWEST = "(SELECT id FROM events ORDER BY id DESC LIMIT {})"
DELETED = "DELETE FROM events WHERE id IN {}"


@pytest.mark.parametrize(
    ("statement", "named"),
    [
        (DELETED.format(NEWEST.format(1)), "1 event of ben is gone ("),
        (DELETED.format(NEWEST.format(5)), "5 events of ben are gone ("),
        ("DELETE FROM events WHERE rater = 'ben'", "6 events of ben are gone ("),
        ("DELETE FROM events", "6 events of anna are gone ("),
        ("UPDATE study_cases SET role = 'gold' WHERE position = 0", "the roles of its cases changed after"),
        ("UPDATE study_cases SET key = 'x' WHERE position = 0", "the sample changed after"),
        ("UPDATE studies SET seed = 8", "the seed was 7 when signed on"),
        ("UPDATE studies SET view = 'paper'", "the design changed after"),
        (
            "UPDATE studies SET questions = replace(questions, 'same logical', 'same')",
            "the questions changed",
        ),
        (
            "UPDATE assignments SET role = 'adjudicator' WHERE rater = 'ben'",
            "rater 'ben' has a different role",
        ),
        (
            "UPDATE assignments SET order_seed = 1 WHERE rater = 'ben'",
            "rater 'ben' has a different role or order",
        ),
        ("DELETE FROM study_acts WHERE kind = 'reopen'", "(of the lead) is gone"),
        ("DELETE FROM study_acts", "(of the lead) is gone"),
        ("UPDATE study_acts SET why = 'other'", "(of the lead) was changed"),
        (
            "UPDATE studies SET closed_at = '2026-01-01T00:00:00.000Z'",
            "the study's state (open or closed) contradicts",
        ),
        (
            "UPDATE measurements SET value = '9' WHERE name = 'choice_steps'",
            "the published values of",
        ),
        ("DELETE FROM measurements", "the published values of"),
        ("UPDATE signed_counts SET at = '2020-01-01T00:00:00.000Z'", "the signed count of 2020-01-01"),
        ("DELETE FROM signed_counts WHERE occasion = 'close'", "the count before that of"),
        ("UPDATE study_secrets SET secret = replace(secret, 'a', 'b')", "was altered, or the study's secret"),
        ("DELETE FROM study_secrets", "cannot be verified: the study's secret is gone"),
    ],
)
def test_what_was_deleted_or_changed_is_named(path: Path, statement: str, named: str) -> None:
    attack(path, statement)
    assert any(named in each for each in told(path)), told(path)


def test_an_event_sealed_anew_with_another_value_is_named(path: Path) -> None:
    reseal(path, value="True")
    (fault,) = told(path)
    assert "of ben is not the event that was counted and signed on" in fault


def test_an_event_sealed_anew_for_another_rater_is_named(path: Path) -> None:
    reseal(path, rater="anna")
    assert any("is now of 'anna', but was of 'ben' when signed on" in each for each in told(path))


def test_an_event_that_later_ones_follow_and_that_no_count_covers_is_missed(path: Path) -> None:
    with closing(Database.open(str(path))) as database:
        session = ReviewSession(database, "pilot", "anna")
        first, second = session.answer("True"), session.answer("True")
    attack(path, f"DELETE FROM events WHERE id = '{first.id}'")
    named = f"event {second.id} of anna refers to event {first.id}, which is not here"
    assert [each for each in told(path) if not each.startswith("table ")] == [named]


@pytest.mark.parametrize(
    ("sql", "named"),
    [
        ("CREATE TRIGGER mine AFTER INSERT ON events BEGIN DELETE FROM cases; END", "trigger 'mine'"),
        ("CREATE VIEW mine AS SELECT * FROM events", "view 'mine'"),
        ("CREATE TABLE mine (x)", "table 'mine'"),
        ("CREATE VIRTUAL TABLE mine USING fts5(x)", "virtual table 'mine'"),
        ("CREATE INDEX mine ON events (lower(value))", "index 'mine'"),
        ("CREATE INDEX mine ON events (value)", "index 'mine'"),
    ],
)
def test_what_is_not_ours_is_named_and_refused(path: Path, tmp_path: Path, sql: str, named: str) -> None:
    (tmp_path / "lead").mkdir()
    lead = Path(shutil.copy(path, tmp_path / "lead"))
    attack(path, sql)
    assert any(each.startswith(f"{named} is not of this program") for each in told(path)), told(path)
    with closing(Database.open(str(lead))) as database:
        (account,) = merge_file(database, path)
    assert f"it has {with_article(named)}, which is not of this program" in account.refused[0]


def test_later_work_makes_no_count_false(path: Path, tmp_path: Path) -> None:
    with closing(Database.open(str(path))) as database:
        before = count_study(database, "pilot", "report").digest
        write_pack(database, "pilot", "anna", tmp_path / "anna.review")
        write_pack(database, "pilot", "ben", tmp_path / "ben.review")
        pack, _ = opened_pack(tmp_path / "anna.review")
        with closing(pack):
            ReviewSession(pack, "pilot", "anna").answer("False")
        ReviewSession(database, "pilot", "anna").answer("True")
        merge_file(database, tmp_path / "anna.review")
        ReviewSession(database, "pilot", "ben").comment("hm")
        case = ReviewSession(database, "pilot", "ben").case.digest
        measured = Measurement(case=case, name="logic", source="measured", engine="e", value=1)
        keep_case_findings(database, [CaseFindings(measured, (), ())])
        close_study(database, "pilot", "lead", "now", anyway=True)
        merge_file(database, tmp_path / "ben.review")
        AdjudicationSession(database, "pilot", "zoe").decide("True", "clear")
        again = sign_count(database, "pilot", "report")
        assert (
            sign_count(database, "pilot", "report")
            == again
            == count_study(database, "pilot", "report").digest
            != before
        )
    found = check(path)
    assert (found.faults, found.remarks) == ([], [])
    assert found.counts[0].digest == again
    assert found.compared(again).sentence == f"Study 'pilot' is exactly as when {again} was printed."
    assert found.compared(before).holds
    assert "holds everything that" in found.compared(before).sentence
    assert not found.compared("0" * 64).holds


def test_published_values_that_were_imported_again_are_a_remark(path: Path) -> None:
    with closing(Database.open(str(path))) as database:
        entries = entries_for("pilot-data", [a_case(number) for number in range(3)])
        value = entries[0].published[0].model_copy(update={"value": "option_B"})
        other = entries[0].__class__(entries[0].case, entries[0].place, (value, *entries[0].published[1:]))
        later = Dataset(
            name="pilot-data", protocol="probe-swe", source="t", imported_at="2999-01-01T00:00:00.000Z"
        )
        import_entries(database, later, [other, *entries[1:]])
    found = check(path)
    assert [fault for fault in found.faults if "published" in fault.where] == []
    (remark,) = found.remarks
    assert "The dataset was imported again on 2999-01-01" in remark


def test_a_digest_from_a_report_shows_what_was_deleted_together_with_the_counts(path: Path) -> None:
    with closing(Database.open(str(path))) as database:
        ReviewSession(database, "pilot", "anna").answer("True")
        digest = sign_count(database, "pilot", "report")
    newest = "(SELECT max(id) FROM {})"
    attack(
        path,
        f"DELETE FROM events WHERE id = {newest.format('events')}",
        f"DELETE FROM signed_counts WHERE id = {newest.format('signed_counts')}",
    )
    found = check(path)
    assert found.faults == []
    assert not found.compared(digest).holds


def test_a_digest_that_lacks_an_event_says_so(path: Path) -> None:
    with closing(Database.open(str(path))) as database:
        digest = count_study(database, "pilot", "report").digest
        ReviewSession(database, "pilot", "anna").answer("True")
        sign_count(database, "pilot", "report")
    attack(path, "DELETE FROM events WHERE rater = 'ben'")
    compared = check(path).compared(digest)
    assert (compared.holds, "lacks something" in compared.sentence) == (False, True)


def test_what_a_closing_held_is_missed_where_no_count_covers_it(path: Path) -> None:
    attack(path, "DELETE FROM signed_counts", DELETED.format(NEWEST.format(2)))
    assert any(
        "2 events are gone" in each and "when the study was closed on" in each for each in told(path)
    ), told(path)


def test_two_who_sign_at_once_contradict_each_other_in_nothing(
    path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with closing(Database.open(str(path))) as database:
        with database.read() as session:
            before = signed_counts(session, "pilot")
        for _ in range(2):
            ReviewSession(database, "pilot", "anna").answer("True")
            monkeypatch.setattr(store_counts, "signed_counts", lambda _session, _study: before)
            sign_count(database, "pilot", "pack")
        monkeypatch.undo()
        ReviewSession(database, "pilot", "anna").answer("True")
        sign_count(database, "pilot", "report")
    found = check(path)
    assert (found.faults, len(found.counts[0].genuine)) == ([], len(before) + 3)

"""Packs: their content and its limits, working in one, and the notices when it comes back."""

import json
import os
import random
import shutil
import signal
import sqlite3
import subprocess
import time
from collections.abc import Callable, Iterator
from contextlib import closing
from pathlib import Path

import pytest
from sqlalchemy import insert

from reviewer.core.errors import InputError, RequestError
from reviewer.exchange.packs import pack as packing
from reviewer.exchange.packs.pack import opened_pack, write_pack
from reviewer.exchange.packs.store_files import merge_file
from reviewer.exchange.packs.workspace import fetch_working_copy
from reviewer.study.adjudication.adjudication_session import AdjudicationSession
from reviewer.study.design.closing import close_study, late_events, reopen_study
from reviewer.study.design.study_bundle import load_study
from reviewer.study.session.review_session import ReviewSession
from reviewer.study.transfer.merge import Merged
from store.database import Database
from store.findings import CaseFindings, keep_case_findings
from store.ledger import Ledger
from store.records import Event, Finding, Measurement
from store.study_rows import StudyRows
from store.study_tables import AssignmentRow, EventRow, KnownAnswerRow
from store.untrusted_store import untrusted_store
from tests.merging import merge_between
from tests.quick_start import quick_start
from tests.rounds import mostly_slow, rounds
from tests.studies import AT, a_study, open_store

ROOT = Path(__file__).parents[2]


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A lead's store and a pack, to be copied: making them takes longer than the tests."""
    folder = tmp_path_factory.mktemp("made")
    with closing(open_store(folder)) as database:
        a_study(database, raters=("anna", "ben"))
        write_pack(database, "pilot", "anna", folder / "anna.review")
    return folder


@pytest.fixture
def lead(made: Path, tmp_path: Path) -> Iterator[Database]:
    shutil.copy(made / "reviewer.db", tmp_path)
    with closing(open_store(tmp_path)) as database:
        yield database


@pytest.fixture
def pack(made: Path, tmp_path: Path) -> Path:
    return Path(shutil.copy(made / "anna.review", tmp_path))


def work(path: Path, labels: str = "TFT") -> list[Event]:
    """Answer in a pack, comment, flag and undo; every event of the pack."""
    database, seal = opened_pack(path)
    with closing(database):
        session = ReviewSession(database, seal.study, seal.rater)
        for label in labels:
            session.answer("True" if label == "T" else "False")
        session.comment("why so?")
        session.flag()
        session.undo()
        return Ledger(database).events("pilot")


def change(path: Path, *statements: str) -> None:
    """What somebody with another program does to a file."""
    with closing(sqlite3.connect(path)) as connection, connection:
        for (name,) in connection.execute("SELECT name FROM sqlite_master WHERE type = 'trigger'").fetchall():
            connection.execute(f"DROP TRIGGER {name}")
        for statement in statements:
            connection.execute(statement)


def refusal(merged: list[Merged]) -> str:
    """The only thing that a merge has to say: why it refused."""
    (account,) = merged
    assert account.added == account.known == 0
    (why,) = account.refused
    return why


def test_there_and_back(lead: Database, pack: Path) -> None:
    made = work(pack)
    (anna,) = merge_file(lead, pack)
    assert (anna.rater, anna.added, anna.known, anna.refused) == ("anna", 6, 0, ())
    assert Ledger(lead).events("pilot") == made
    (again,) = merge_file(lead, pack)
    assert (again.added, again.known) == (0, 6)


def test_a_pack_in_which_nobody_worked_adds_nothing_and_is_no_error(lead: Database, pack: Path) -> None:
    assert merge_file(lead, pack) == [Merged("pilot", "anna")]


def test_a_dry_run_says_the_same_and_writes_nothing(lead: Database, pack: Path) -> None:
    work(pack)
    dry = merge_file(lead, pack, dry_run=True)
    assert Ledger(lead).events("pilot") == []
    assert dry == merge_file(lead, pack)


def test_the_pack_is_one_file_after_every_key(lead: Database, pack: Path, tmp_path: Path) -> None:
    database, _ = opened_pack(pack)
    with closing(database):
        session = ReviewSession(database, "pilot", "anna")
        for number in range(1, 4):
            session.answer("True")
            copy = shutil.copy(pack, tmp_path / f"{number}.review")
            assert sum(account.known + account.added for account in merge_file(lead, Path(copy))) == number
            assert [path.name for path in tmp_path.glob("anna.review?*")] == []


@pytest.mark.parametrize("seed", rounds(0, range(1, 4)))
def test_a_killed_app_leaves_a_pack_that_merges_with_all_that_was_saved(
    lead: Database, pack: Path, seed: int
) -> None:
    command = [
        *quick_start(),
        "-m",
        "tests.faults.rater_process",
        str(pack),
        "pilot",
        "anna",
        str(seed),
        "9999",
    ]
    process = subprocess.Popen(command, cwd=ROOT, stdout=subprocess.PIPE, text=True)
    assert process.stdout
    assert process.stdout.readline() == "ready\n"
    time.sleep(random.Random(seed).uniform(0.01, 0.2))
    os.kill(process.pid, signal.SIGKILL)
    said = dict(line.split() for line in process.stdout.read().split("\n")[:-1])
    process.stdout.close()
    process.wait()
    assert all(not account.refused for account in merge_file(lead, pack))
    assert said.items() <= {event.id: event.digest for event in Ledger(lead).events("pilot")}.items()


def test_a_write_ahead_log_left_beside_a_file_is_understood(
    lead: Database, pack: Path, tmp_path: Path
) -> None:
    made = work(Path(shutil.copy(pack, tmp_path / "worked.review")))
    open_file = sqlite3.connect(pack, isolation_level=None)
    for statement in (
        "PRAGMA journal_mode=WAL",
        f"ATTACH '{tmp_path / 'worked.review'}' AS worked",
        "INSERT INTO events SELECT * FROM worked.events",
    ):
        open_file.execute(statement)
    sent = tmp_path / "sent"
    sent.mkdir()
    for ending in ("", "-wal"):
        shutil.copy(f"{pack}{ending}", sent)
    open_file.close()
    (anna,) = merge_file(lead, sent / "anna.review")
    assert anna.added == len(made)


def test_nothing_of_others_and_no_secret_is_in_the_file(lead: Database, tmp_path: Path) -> None:
    ben = ReviewSession(lead, "pilot", "ben")
    ben.answer("False")
    ben.previous()
    ben.comment("only ben says this")
    gold = ben.slots[0].case
    row = {
        "study": "pilot",
        "case": gold,
        "question": "same_task",
        "label": "False",
        "why": "the golden reason",
    }
    with lead.write() as session:
        session.connection().exec_driver_sql(
            f"UPDATE study_cases SET role = 'gold' WHERE \"case\" = '{gold}'"
        )
        session.execute(insert(KnownAnswerRow), row)
        secret = session.connection().exec_driver_sql("SELECT secret FROM study_secrets").scalar_one()
    path = tmp_path / "anna.review"
    write_pack(lead, "pilot", "anna", path)
    raw = path.read_bytes()
    for told in ("only ben says this", "the golden reason", secret, "ben"):
        assert told.encode() not in raw
    with closing(sqlite3.connect(path)) as connection:
        assert connection.execute("SELECT DISTINCT role FROM study_cases").fetchall() == [("counted",)]
        assert connection.execute("SELECT count(*) FROM known_answers").fetchall() == [(0,)]
        assert connection.execute("SELECT rater FROM assignments").fetchall() == [("anna",)]


def test_training_answers_travel(lead: Database, tmp_path: Path) -> None:
    case = ReviewSession(lead, "pilot", "anna").slots[0].case
    row = {"study": "pilot", "case": case, "question": "same_task", "label": "False", "why": "because"}
    with lead.write() as session:
        session.connection().exec_driver_sql(
            f"UPDATE study_cases SET role = 'training' WHERE \"case\" = '{case}'"
        )
        session.execute(insert(KnownAnswerRow), row)
    pack = write_pack(lead, "pilot", "anna", tmp_path / "anna.review")
    assert [answer.why for answer in pack.known_answers] == ["because"]


def test_a_bare_pack_has_no_machines_opinion_and_the_same_questions(lead: Database, tmp_path: Path) -> None:
    case = ReviewSession(lead, "pilot", "anna").case.digest
    mark = Measurement(case=case, name="audit", source="measured", engine="swipl 9.2.9", value={})
    finding = Finding(
        case=case, check="a", check_version=1, passed=False, severity="serious", why="!", question="same_task"
    )
    keep_case_findings(lead, [CaseFindings(mark, (), (finding,))])
    whole = write_pack(lead, "pilot", "anna", tmp_path / "whole.review")
    bare = write_pack(lead, "pilot", "anna", tmp_path / "bare.review", bare=True)
    assert (len(whole.findings), len(bare.findings)) == (1, 0)
    names = {value.name for value in whole.measurements} - {value.name for value in bare.measurements}
    assert names == {"reconstruction_similarity"}
    work(tmp_path / "bare.review", "TFTFTFTFTFTF")
    assert merge_file(lead, tmp_path / "bare.review")[0].refused == ()
    assert not any(row.stale for row in _labels(lead))


def _labels(database: Database) -> list[object]:
    from reviewer.study.session.label_rows import label_rows

    bundle = load_study(database, "pilot")
    return list(label_rows(bundle, Ledger(database).events("pilot")))


def test_what_the_rater_did_before_is_in_the_pack_and_the_order_is_the_same(
    lead: Database, tmp_path: Path
) -> None:
    here = ReviewSession(lead, "pilot", "anna")
    here.answer("False")
    path = tmp_path / "anna.review"
    write_pack(lead, "pilot", "anna", path)
    database, _ = opened_pack(path)
    with closing(database):
        there = ReviewSession(database, "pilot", "anna")
        assert (there.slots, there.position, there.done_count) == (here.slots, here.position, 1)
        there.undo()
    merge_file(lead, path)
    assert ReviewSession(lead, "pilot", "anna").done_count == 0


def test_only_its_rater_can_work_in_a_pack(pack: Path) -> None:
    database, _ = opened_pack(pack)
    with closing(database), pytest.raises(RequestError, match="whose raters are anna"):
        ReviewSession(database, "pilot", "ben")


def test_a_pack_is_never_written_over(lead: Database, pack: Path) -> None:
    work(pack)
    before = pack.read_bytes()
    with pytest.raises(RequestError, match="may hold verdicts"):
        write_pack(lead, "pilot", "anna", pack)
    assert pack.read_bytes() == before


def test_packs_are_made_of_open_studies_for_their_raters_in_the_store_of_their_lead(
    lead: Database, pack: Path, tmp_path: Path
) -> None:
    path = tmp_path / "new.review"
    with pytest.raises(RequestError, match="'carl' is not in study"):
        write_pack(lead, "pilot", "carl", path)
    database, _ = opened_pack(pack)
    with closing(database), pytest.raises(RequestError, match="in the store of its lead"):
        write_pack(database, "pilot", "anna", path)
    close_study(lead, "pilot", "lead", anyway=True)
    with pytest.raises(RequestError, match="is closed"):
        write_pack(lead, "pilot", "anna", path)
    assert list(tmp_path.glob("*new*")) == []


# -- as somebody else ------------------------------------------------------------------------------


def add(path: Path, *events: Event) -> None:
    """Put events into a pack past all that the program checks."""
    with closing(Database.open(str(path))) as database, database.write() as session:
        for rater in {event.rater for event in events} - {"anna"}:
            session.execute(
                insert(AssignmentRow), {"study": "pilot", "rater": rater, "order_seed": 1, "joined_at": AT}
            )
        session.execute(insert(EventRow), [event.model_dump() for event in events])


def like(event: Event, **content: object) -> Event:
    """An event that differs in some fields, its digest fitting."""
    later = f"{int(event.id, 16) + (1 << 80):032x}"
    return Event.sealed(**{**event.model_dump(exclude={"digest"}), "id": later, **content})


def test_an_event_in_anothers_name_refuses_the_pack(lead: Database, pack: Path) -> None:
    add(pack, like(work(pack)[-1], rater="ben"))
    change(pack, "DELETE FROM assignments WHERE rater = 'ben'")
    assert "it was made for 'anna' and holds event" in refusal(merge_file(lead, pack))
    assert Ledger(lead).events("pilot") == []


def test_a_pack_made_over_to_another_rater_is_refused(lead: Database, pack: Path) -> None:
    work(pack)
    change(pack, "UPDATE pack_seals SET rater = 'ben'", "UPDATE assignments SET rater = 'ben'")
    assert "its seal does not fit this store's study" in refusal(merge_file(lead, pack))


def test_a_pack_without_its_seal_is_no_pack(lead: Database, pack: Path) -> None:
    add(pack, like(work(pack)[-1], rater="ben"))
    change(pack, "DELETE FROM pack_seals")
    assert "cannot prove whose verdicts" in refusal(merge_file(lead, pack))
    with pytest.raises(InputError, match="it is not a pack"):
        opened_pack(pack)


def test_a_pack_of_another_lead_is_refused(lead: Database, tmp_path: Path) -> None:
    (tmp_path / "other").mkdir()
    other = open_store(tmp_path / "other")
    a_study(other, raters=("anna", "ben"), copied=False)
    path = tmp_path / "anna.review"
    write_pack(other, "pilot", "anna", path)
    work(path)
    assert "its seal does not fit this store's study" in refusal(merge_file(lead, path))
    other.close()


# -- altered and damaged ---------------------------------------------------------------------------


@mostly_slow(2)
@pytest.mark.parametrize(
    ("statement", "named"),
    [
        (
            "UPDATE cases SET payload = replace(payload, 'release 1', 'release 7')",
            "case 'anchoring bias/1' was altered",
        ),
        ("UPDATE cases SET \"group\" = 'halo effect'", "was altered since it was packed"),
        ("DELETE FROM cases WHERE payload LIKE '%release 2.%'", "case 'anchoring bias/2' is missing"),
        ("UPDATE studies SET questions = replace(questions, 'axioms', 'maxims')", "question"),
        ("UPDATE studies SET seed = 8", "the design of the study was altered since it was packed"),
        (
            "UPDATE assignments SET order_seed = 8",
            "the order of the cases or the role of the rater was altered since it was packed",
        ),
        (
            "UPDATE measurements SET value = 1 WHERE name = 'reconstruction_similarity'",
            "what is stored with case",
        ),
        (
            "UPDATE study_cases SET position = 9 WHERE position = 1",
            "what is stored with case",
        ),
        (
            "UPDATE pack_seals SET manifest = replace(manifest, 'made_at', 'made_at ')",
            "made elsewhere or altered",
        ),
    ],
)
def test_altered_content_is_named(lead: Database, pack: Path, statement: str, named: str) -> None:
    work(pack)
    change(pack, "PRAGMA foreign_keys=OFF", statement)
    assert named in refusal(merge_file(lead, pack))


def test_a_pack_with_altered_content_does_not_open(pack: Path) -> None:
    change(pack, "UPDATE cases SET payload = replace(payload, 'release 1', 'release 7')")
    with pytest.raises(InputError, match=r"anna.review.*'anchoring bias/1' was altered since it was packed"):
        opened_pack(pack)


def test_an_altered_event_is_named_and_the_others_come(lead: Database, pack: Path) -> None:
    first, *others = work(pack)
    change(pack, f"UPDATE events SET value = 'False' WHERE id = '{first.id}'")
    (anna,) = merge_file(lead, pack)
    assert anna.added == len(others)
    assert anna.refused == (f"event {first.id}: it was altered: its digest does not match its content",)


@pytest.mark.parametrize("seed", rounds(0, range(1, 3)))
def test_one_changed_byte_is_noticed_or_changes_nothing(lead: Database, pack: Path, seed: int) -> None:
    """Bytes that no row uses may differ; events that merge are equal to those that were made."""
    made = {event.id: event for event in work(pack)}
    whole, chance, noticed = pack.read_bytes(), random.Random(seed), 0
    used = [place for place, byte in enumerate(whole) if byte]
    for _ in range(60):
        raw = bytearray(whole)
        raw[chance.choice(used)] ^= 1 << chance.randrange(8)
        pack.write_bytes(raw)
        accounts = merge_file(lead, pack, dry_run=True)
        refused = [why for account in accounts for why in account.refused]
        noticed += bool(refused)
        assert refused or sum(account.added for account in accounts) == len(made)
    assert noticed > 20
    assert Ledger(lead).events("pilot") == []


@pytest.mark.parametrize("share", [0.1, 0.5, 0.9])
def test_a_file_that_was_cut_is_refused(lead: Database, pack: Path, share: float) -> None:
    work(pack)
    raw = pack.read_bytes()
    pack.write_bytes(raw[: int(len(raw) * share)])
    assert "damaged" in refusal(merge_file(lead, pack))


@mostly_slow(2)
@pytest.mark.parametrize(
    ("content", "why"),
    [
        ({"id": "f" * 32}, "contradicts its own id"),
        ({"id": "0" * 12 + "7" + "0" * 3 + "8" + "0" * 15}, "contradicts its own id"),
        ({"at": "2999-99-99T00:00:00.000Z"}, "altered"),
        ({"supersedes": ["f" * 32]}, "not older than itself"),
        ({"target": "f" * 32}, "not older than itself"),
        ({"case": "e" * 64}, "is not in the sample"),
        ({"question": "colour"}, "'colour' is not asked"),
        ({"kind": "label", "value": "Maybe"}, "'Maybe' is not a label"),
        ({"kind": "undo", "value": "Maybe"}, "'Maybe' is not a label"),
        ({"kind": "adjudication", "value": "True"}, "does not adjudicate"),
        ({"showing": 1000}, "no showing 1000"),
    ],
)
def test_events_that_cannot_be_are_refused_each(
    lead: Database, pack: Path, content: dict[str, object], why: str
) -> None:
    made = work(pack)
    with closing(sqlite3.connect(pack)) as connection:
        connection.execute("PRAGMA foreign_keys=OFF")
        odd = like(made[-1], **content)
        values = {
            **odd.model_dump(),
            "supersedes": json.dumps(odd.supersedes),
            "passage": None,
            "follows": json.dumps(odd.follows),
        }
        marks = ", ".join(f":{name}" for name in values)
        names = ", ".join(f'"{name}"' for name in values)
        connection.execute(f"INSERT INTO events ({names}) VALUES ({marks})", values)
        connection.commit()
    (anna,) = merge_file(lead, pack)
    assert anna.added == len(made)
    assert why in anna.refused[0]
    assert ReviewSession(lead, "pilot", "anna").answer("True").id > made[-1].id


def test_an_id_with_other_content_in_the_ledger_is_refused(lead: Database, pack: Path) -> None:
    first, *_ = work(pack)
    add_here = like(first, id=first.id, value="False")
    with lead.write() as session:
        session.execute(insert(EventRow), add_here.model_dump())
    (anna,) = merge_file(lead, pack)
    assert anna.refused == (f"event {first.id}: the ledger holds other content under its id",)
    assert Ledger(lead).events("pilot")[0] == add_here


# -- hostile files ---------------------------------------------------------------------------------


@mostly_slow(2)
@pytest.mark.parametrize(
    "statements",
    [
        ("ALTER TABLE events RENAME TO e", "CREATE VIEW events AS SELECT * FROM e"),
        ("DROP TABLE events", "CREATE VIRTUAL TABLE events USING fts5(id, study)"),
        (
            "DROP TABLE pack_seals",
            "CREATE TABLE pack_seals (study, rater, manifest AS (zeroblob(study)))",
        ),
        ("DELETE FROM pack_seals", "UPDATE studies SET name = char(10) || 'x'"),
        ("UPDATE studies SET design = '[' || replace(hex(zeroblob(50000)), '00', '[')",),
        ("UPDATE studies SET design = '{\"a\": NaN}'",),
        ("UPDATE studies SET questions = x'00ff'",),
        ("UPDATE studies SET seed = 'many'",),
        ("UPDATE cases SET payload = 17",),
        ("UPDATE alembic_version SET version_num = '9999'",),
        ("DROP TABLE alembic_version",),
        ("DELETE FROM studies",),
    ],
)
def test_hostile_files_are_refused_with_a_sentence(
    lead: Database, pack: Path, statements: tuple[str, ...]
) -> None:
    work(pack)
    change(pack, "PRAGMA foreign_keys=OFF", *statements)
    assert len(refusal(merge_file(lead, pack))) < 400
    assert Ledger(lead).events("pilot") == []


@pytest.mark.parametrize(
    ("statement", "sentence"),
    [
        ("DROP TABLE known_answers", "it lacks the table known_answers"),
        ("ALTER TABLE study_acts DROP COLUMN why", "its table study_acts lacks the column why"),
    ],
)
def test_a_file_without_a_table_or_column_of_a_store_is_refused(
    pack: Path, statement: str, sentence: str
) -> None:
    change(pack, "PRAGMA foreign_keys=OFF", statement)
    with pytest.raises(InputError, match=sentence), untrusted_store(pack) as file:
        file.rows_of_study(*file.studies())


def test_triggers_of_a_file_are_refused_and_never_run(lead: Database, pack: Path) -> None:
    work(pack)
    change(pack, "CREATE TRIGGER t AFTER INSERT ON events BEGIN DELETE FROM studies; END")
    before = pack.read_bytes()
    assert "it has a trigger 't', which is not of this program" in refusal(merge_file(lead, pack))
    assert (Ledger(lead).events("pilot"), pack.read_bytes()) == ([], before)


def test_the_article_fits_what_a_file_defines(lead: Database, pack: Path) -> None:
    work(pack)
    change(pack, "CREATE INDEX mine ON events (value)")
    assert "it has an index 'mine', which is not of this program" in refusal(merge_file(lead, pack))


@pytest.mark.parametrize("name", ["missing.review", "folder", "pipe", "notes.txt", "empty.review"])
def test_what_is_no_file_of_ours_is_refused(lead: Database, tmp_path: Path, name: str) -> None:
    (tmp_path / "folder").mkdir()
    os.mkfifo(tmp_path / "pipe")
    (tmp_path / "notes.txt").write_text("notes")
    (tmp_path / "empty.review").touch()
    told = ("there is no such file; check its name", "it is neither a store nor a pack; give another file")
    assert refusal(merge_file(lead, tmp_path / name)) in told
    with pytest.raises(InputError, match=name):
        opened_pack(tmp_path / name)


# -- what merging means for those at work ----------------------------------------------------------


def test_a_session_learns_of_merged_events_with_lower_ids(lead: Database, pack: Path) -> None:
    work(pack, "TF")
    session = ReviewSession(lead, "pilot", "anna")
    session.go_to(11)
    session.answer("True")
    merge_file(lead, pack)
    session.go_to(10)
    session.answer("True")
    assert session.done_count == ReviewSession(lead, "pilot", "anna").done_count == 3
    assert session.history.verdict(session.slots[1]) == ReviewSession(lead, "pilot", "anna").history.verdict(
        session.slots[1]
    )


def test_answers_on_two_machines_fork_and_the_latest_counts(lead: Database, pack: Path) -> None:
    ReviewSession(lead, "pilot", "anna").answer("False")
    work(pack, "TT")
    (anna,) = merge_file(lead, pack)
    assert anna.forks == 1
    session = ReviewSession(lead, "pilot", "anna")
    session.go_to(0)
    assert (session.verdict.label, session.verdict.forked) == ("True", True)
    session.answer("False")
    assert not session.history.verdict(session.slots[0]).forked


def test_notes_stand_side_by_side_and_are_no_fork(lead: Database, pack: Path) -> None:
    database, _ = opened_pack(pack)
    with closing(database):
        session = ReviewSession(database, "pilot", "anna")
        session.note("the second option is odd")
        session.note("and so is the first")
    (anna,) = merge_file(lead, pack)
    assert (anna.added, anna.forks) == (2, 0)


def test_an_undo_that_comes_before_what_it_undoes(lead: Database, pack: Path, tmp_path: Path) -> None:
    made = work(pack, "TFT")
    (undo,) = (event for event in made if event.kind == "undo")
    shutil.copy(pack, tmp_path / "part.review")
    change(tmp_path / "part.review", f"DELETE FROM events WHERE id = '{undo.target}'")
    merge_file(lead, tmp_path / "part.review")
    merge_file(lead, pack)
    database, _ = opened_pack(pack)
    with closing(database):
        there, here = ReviewSession(database, "pilot", "anna"), ReviewSession(lead, "pilot", "anna")
        assert [there.state_at(n) for n in range(12)] == [here.state_at(n) for n in range(12)]


def test_what_comes_after_the_closing_is_late_until_the_study_is_opened_again(
    lead: Database, pack: Path
) -> None:
    made = work(pack)
    close_study(lead, "pilot", "lead", anyway=True)
    (anna,) = merge_file(lead, pack)
    assert (anna.added, anna.late) == (len(made), len(made))
    assert late_events(load_study(lead, "pilot"), Ledger(lead).events("pilot")) == made
    reopen_study(lead, "pilot", "lead", "anna was late")
    assert late_events(load_study(lead, "pilot"), Ledger(lead).events("pilot")) == []


# -- whole stores ----------------------------------------------------------------------------------


def test_a_copy_of_the_store_merges_and_another_needs_trust(lead: Database, tmp_path: Path) -> None:
    for name in ("copy", "other"):
        (tmp_path / name).mkdir()
    lead.close()
    shutil.copy(tmp_path / "reviewer.db", tmp_path / "copy")
    with closing(open_store(tmp_path / "copy")) as copy:
        ReviewSession(copy, "pilot", "ben").answer("True")
        assert [account.added for account in merge_file(lead, tmp_path / "copy" / "reviewer.db")] == [1]
    with closing(open_store(tmp_path / "other")) as other:
        a_study(other, raters=("anna", "ben"), copied=False)
        ReviewSession(other, "pilot", "anna").answer("True")
        path = tmp_path / "other" / "reviewer.db"
        assert "--trust" in refusal(merge_file(lead, path))
        assert [account.added for account in merge_file(lead, path, trusted=True)] == [1]


def test_decisions_made_in_a_copy_of_the_store_come_back_and_are_never_late(
    lead: Database, tmp_path: Path
) -> None:
    for rater, label in (("anna", "True"), ("ben", "False")):
        session = ReviewSession(lead, "pilot", rater)
        for _ in session.slots:
            session.answer(label)
    close_study(lead, "pilot", "lead")
    lead.close()
    (tmp_path / "copy").mkdir()
    path = Path(shutil.copy(tmp_path / "reviewer.db", tmp_path / "copy"))
    with closing(open_store(path.parent)) as copy:
        deciding = AdjudicationSession(copy, "pilot", "zoe")
        deciding.decide("False", "ben is right")
        deciding.undo()
        deciding.decide("True", "anna is right")
    accounts = {account.rater: account for account in merge_file(lead, path)}
    assert (accounts["zoe"].added, accounts["zoe"].late, accounts["zoe"].refused) == (3, 0, ())
    found = AdjudicationSession(lead, "pilot", "zoe").decision_at(0)
    assert found is not None
    assert (found.label, found.adjudicated_label.reason) == ("True", "anna is right")


def test_stores_with_other_studies_are_refused(lead: Database, tmp_path: Path) -> None:
    (tmp_path / "other").mkdir()
    with closing(open_store(tmp_path / "other")) as other:
        a_study(other, cases=4)
        a_study(other, "second")
        sentences = [account.refused[0] for account in merge_file(lead, tmp_path / "other" / "reviewer.db")]
    assert "the sample differs" in sentences[0]
    assert sentences[1] == "study 'second' is not in this store"


def test_strangers_are_refused_where_raters_are_declared_and_join_where_they_are_not(tmp_path: Path) -> None:
    for name, raters in (("declared", ("anna",)), ("open", ()), ("copy", ())):
        (tmp_path / name).mkdir()
        with closing(open_store(tmp_path / name)) as database:
            a_study(database, raters=raters)
            if name == "copy":
                ReviewSession(database, "pilot", "carl").answer("True")
    copy = tmp_path / "copy" / "reviewer.db"
    with closing(open_store(tmp_path / "declared")) as database:
        (carl,) = merge_file(database, copy, trusted=True)
        assert (carl.added, "rater 'carl' is not in study 'pilot'" in carl.refused[0]) == (0, True)
    with closing(open_store(tmp_path / "open")) as database:
        (carl,) = merge_file(database, copy, trusted=True)
        assert (carl.rater, carl.added, carl.refused) == ("carl", 1, ())


def test_between_two_open_stores(lead: Database, pack: Path) -> None:
    made = work(pack)
    database, _ = opened_pack(pack)
    with closing(database):
        (there,) = merge_between(database, lead, "pilot", "anna")
        ReviewSession(lead, "pilot", "anna").answer("True")
        (back,) = merge_between(lead, database, "pilot", "anna")
        assert (there.added, back.added, back.known) == (len(made), 1, len(made))
        assert Ledger(database).events("pilot") == Ledger(lead).events("pilot")


def meanwhile(monkeypatch: pytest.MonkeyPatch, act: Callable[[], object]) -> None:
    """Let something happen while the next pack is being written."""
    write = packing.write_study_rows

    def write_late(path: Path, study_rows: StudyRows) -> None:
        monkeypatch.setattr(packing, "write_study_rows", write)
        act()
        write(path, study_rows)

    monkeypatch.setattr(packing, "write_study_rows", write_late)


def test_a_pack_never_takes_the_place_of_one_that_is_worked_in(
    lead: Database, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "twice.review"
    answered: list[Event] = []

    def be_quicker() -> None:
        write_pack(lead, "pilot", "anna", path)
        answered.extend(work(path))

    meanwhile(monkeypatch, be_quicker)
    with pytest.raises(RequestError, match="there already"):
        write_pack(lead, "pilot", "anna", path)
    with closing(opened_pack(path)[0]) as database:
        assert Ledger(database).events("pilot", "anna") == answered
    assert not list(tmp_path.glob(".*"))


def test_two_windows_that_fetch_one_working_copy_share_it(
    lead: Database, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path / "state"))
    store = str(tmp_path / "reviewer.db")
    answered: list[Event] = []

    def be_quicker() -> None:
        answered.extend(work(fetch_working_copy(store, "pilot", "anna")[0]))

    meanwhile(monkeypatch, be_quicker)
    path, problem = fetch_working_copy(store, "pilot", "anna")
    assert problem is None
    with closing(opened_pack(path)[0]) as database:
        assert Ledger(database).events("pilot", "anna") == answered


def test_a_pack_does_not_tell_how_many_cases_could_not_be_drawn(lead: Database, pack: Path) -> None:
    assert load_study(lead, "pilot").design.population, "which would tell that there are gold cases"
    database, _ = opened_pack(pack)
    with closing(database):
        assert load_study(database, "pilot").design.population == {}

"""Stores that were damaged or tampered with: every command ends in a sentence, none in a traceback."""

import io
import shutil
import sqlite3
from contextlib import closing
from pathlib import Path

import pytest
from sqlalchemy import insert

from reviewer.study.adjudication.adjudication_session import AdjudicationSession
from reviewer.study.design.closing import close_study, reopen_study
from reviewer.study.session.review_session import ReviewSession
from store.database import Database
from store.records import Candidate, Finding, Run
from store.run_tables import CandidateRow, RunRow
from store.tables import FindingRow
from tests.cli.conftest import Run as RunCommand
from tests.rounds import mostly_slow, some_always
from tests.studies import a_case, a_study, fill, open_store

COMMANDS = (
    ("agreement", "pilot", "--interval", "analytic"),
    ("labels", "pilot"),
    ("labels", "pilot", "--rater", "anna"),
    ("export", "pilot"),
    ("report", "pilot", "--no-figures", "--interval", "analytic"),
    ("progress", "pilot"),
    ("study", "list"),
    ("study", "show", "pilot"),
    ("study", "pack", "pilot", "--rater", "anna", "-o", "again.review"),
    ("review", "pilot", "--rater", "anna", "--plain"),
)


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("made")
    with closing(open_store(folder)) as database:
        a_study(database, raters=("anna", "ben"))
        for rater, label in (("anna", "True"), ("ben", "False")):
            session = ReviewSession(database, "pilot", rater)
            for _ in range(12):
                session.answer(label)
        close_study(database, "pilot", "lead", "done", anyway=True)
        AdjudicationSession(database, "pilot", "zoe").decide("True", "clear")
        reopen_study(database, "pilot", "lead", "one more rater")  # a closed study is not packed
    return folder / "reviewer.db"


DAMAGE = {
    "no JSON in an event": ("events", "supersedes", "'{'"),
    "no JSON in what an event follows": ("events", "follows", "'{'"),
    "no text in an event": ("events", "value", "CAST(x'ff41' AS TEXT)"),
    "bytes in an event": ("events", "question", "x'ff00'"),
    "a number beyond a float in an event": ("events", "passage", """'{"a":1e999}'"""),
    "a number without end in an event": ("events", "passage", f"""'{{"a":{"9" * 5_000}}}'"""),
    "half a character in an event": ("events", "passage", """'{"\\ud800":"\\ud800"}'"""),
    "half a character among panes": ("events", "panes", """'["\\ud800"]'"""),
    "an event that is nested deeply": ("events", "passage", f"""'{{"a":{"[" * 4_900 + "]" * 4_900}}}'"""),
    "a number beyond a float in a case": ("cases", "payload", """'{"a":1e999}'"""),
    "a number beyond a float in a measurement": ("measurements", "value", "'1e999'"),
    "half a character in a measurement": ("measurements", "value", """'"\\ud800"'"""),
    "half a character in a design": ("studies", "design", """'{"\\ud800":1}'"""),
    "an unknown rater": ("events", "rater", "'nobody'"),
    "an unknown case": ("events", '"case"', "'" + "0" * 64 + "'"),
    "a bad id": ("events", "id", "'zzzz'"),
    "no JSON in a design": ("studies", "design", "'{'"),
    "no design": ("studies", "design", "'{}'"),
    "no question": ("studies", "questions", "'[]'"),
    "a protocol that is none": ("studies", "protocol", "'nil'"),
    "a view that is none": ("studies", "view", "'bare'"),
    "no JSON in a case": ("cases", "payload", "'{'"),
    "another case": ("cases", "payload", "'{}'"),
    "a group that is none": ("cases", '"group"', "'nil'"),
    "a case that is not there": ("cases", "digest", "'" + "0" * 64 + "'"),
    "an act that is none": ("study_acts", "held", "'{'"),
    "a secret that is none": ("study_secrets", "secret", "'zzzz'"),
    "a bad id of a signed count": ("signed_counts", "id", "'x'"),
    "a signed count of nothing": ("signed_counts", "content", "'{\"listed\": 3}'"),
    "half a character in a signed count": ("signed_counts", "content", '\'{"parts": "\\ud800"}\''),
    "no number in a signed count": ("signed_counts", "content", "'{\"parts\": NaN}'"),
    "a bad id of an act": ("study_acts", "id", "'x'"),
    "no JSON in a measurement": ("measurements", "value", "'{'"),
    "a role that is none": ("assignments", "role", "'nil'"),
}


_OF_COLUMNS = {(table, column): what for what, (table, column, _) in reversed(DAMAGE.items())}
FIRST_OF_THEIR_COLUMN = {*_OF_COLUMNS.values()}
WRITING = [
    command for command in COMMANDS if command[0] == "export" or "pack" in command or "--plain" in command
]
"""Where the column was damaged in another way above: all read it alike, and these write what they read."""


def damage(path: Path, table: str, column: str, value: str) -> None:
    with closing(sqlite3.connect(path)) as connection, connection:
        connection.execute("PRAGMA ignore_check_constraints = ON")
        triggers = connection.execute("SELECT name, sql FROM sqlite_master WHERE type = 'trigger'").fetchall()
        for name, _ in triggers:
            connection.execute(f"DROP TRIGGER {name}")
        connection.execute(
            f"UPDATE {table} SET {column} = {value} WHERE rowid = (SELECT max(rowid) FROM {table})"
        )
        for _, sql in triggers:
            connection.execute(sql)


@pytest.mark.parametrize("what", some_always([*DAMAGE], 5))
def test_every_command_ends_in_a_sentence(
    run: RunCommand, made: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, what: str
) -> None:
    shutil.copy(made, tmp_path / "reviewer.db")
    damage(tmp_path / "reviewer.db", *DAMAGE[what])
    for command in COMMANDS if what in FIRST_OF_THEIR_COLUMN else WRITING:
        monkeypatch.setattr("sys.stdin", io.StringIO("q\n"))
        done = run(*command)
        assert done.code in (0, 2), (command, done)
        assert done.code == 0 or done.err.count("Error: ") == 1, (command, done)
    done = run("store", "check")
    assert (done.code, done.out.startswith("NOT whole")) == (2, True), done


@pytest.mark.parametrize(
    "command", [known for known in COMMANDS if known not in (("study", "list"), ("progress", "pilot"))]
)
def test_study_without_cases_is_a_sentence(
    run: RunCommand, made: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, command: tuple[str, ...]
) -> None:
    shutil.copy(made, tmp_path / "reviewer.db")
    with closing(sqlite3.connect(tmp_path / "reviewer.db")) as connection, connection:
        connection.execute("DELETE FROM study_cases")
    monkeypatch.setattr("sys.stdin", io.StringIO("q\n"))
    done = run(*command)
    assert (done.code, "study 'pilot' has no cases: it was altered" in done.err) == (2, True), done


def test_check_shows_controls_of_a_damaged_row(run: RunCommand, made: Path, tmp_path: Path) -> None:
    shutil.copy(made, tmp_path / "reviewer.db")
    damage(tmp_path / "reviewer.db", "events", "id", "'\x1b]0;x\x07\u202eabc'")
    done = run("store", "check")
    assert (done.code, "event ␛]0;x␇\ufffdabc" in done.out) == (2, True), done.out
    assert "\x1b" not in done.out + done.err


@pytest.mark.parametrize("command", [*COMMANDS, ("store", "check"), ("store", "backup", "-o", "copy.db")])
def test_a_schema_that_is_no_text_ends_in_a_sentence(
    run: RunCommand, made: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, command: tuple[str, ...]
) -> None:
    whole = made.read_bytes()
    (tmp_path / "reviewer.db").write_bytes(whole.replace(b"CREATE TABLE cases", b"CREATE TABLE\xffcases"))
    monkeypatch.setattr("sys.stdin", io.StringIO("q\n"))
    done = run(*command)
    assert (done.code, done.err.count("Error: ")) == (2, 1), done
    assert "damaged" in done.err or "`reviewer store check`" in done.err or command[1] == "check", done


def test_an_event_that_is_there_twice_is_a_sentence(run: RunCommand, made: Path, tmp_path: Path) -> None:
    """As in a file whose table was rebuilt without its key."""
    shutil.copy(made, tmp_path / "reviewer.db")
    with closing(sqlite3.connect(tmp_path / "reviewer.db", isolation_level=None)) as connection:
        connection.execute("CREATE TABLE rebuilt AS SELECT * FROM events")
        connection.execute("INSERT INTO rebuilt SELECT * FROM events LIMIT 1")
        connection.execute("DROP TABLE events")
        connection.execute("ALTER TABLE rebuilt RENAME TO events")
    done = run("study", "pack", "pilot", "--rater", "anna", "-o", "twice.review")
    assert (done.code, done.err.count("Error: ")) == (2, 1), done
    assert "do not go together" in done.err
    assert not (tmp_path / "twice.review").exists()


ROWS_OF_NO_STUDY = {
    "a run": ("runs", "seed", "'x'", ("run",)),
    "a run's prompts": ("runs", "prompts", """'{"a": 5}'""", ("candidates", "first")),
    "a candidate": ("candidates", "prompts_digest", "'x'", ("candidates", "first")),
    "a link": ("links", "expires_at", "'tomorrow'", ("study", "links", "pilot")),
    "a finding": ("findings", "value", "'{'", ("show", "unsampled:anchoring bias/0")),
    "a measurement": ("measurements", "value", "'{'", ("show", "unsampled:anchoring bias/0")),
    "a place": ("memberships", "position", "'x'", ("show", "unsampled:anchoring bias/0")),
}


@mostly_slow(2)
@pytest.mark.parametrize("what", ROWS_OF_NO_STUDY)
def test_the_check_names_what_another_command_cannot_read(
    run: RunCommand, made: Path, tmp_path: Path, what: str
) -> None:
    """The sentence of that command says that `store check` says where."""
    shutil.copy(made, tmp_path / "reviewer.db")
    with closing(Database.open("reviewer.db")) as database:
        unsampled = a_case(77)
        fill(database, "unsampled", [unsampled])
        about = {"case": unsampled.digest, "check": "length", "check_version": 1, "passed": False}
        finding = Finding(**about, severity="untidy", why="long")  # type: ignore[arg-type]
        of_a_run = [
            (RunRow, Run(name="first", **_RUN)),  # type: ignore[arg-type]
            (CandidateRow, Candidate(run="first", **_CANDIDATE)),  # type: ignore[arg-type]
        ]
        with database.write() as session:
            for table, row in ((FindingRow, finding), *of_a_run):
                session.execute(insert(table), row.model_dump())
    make_link = run("study", "link", "pilot", "--rater", "anna")
    assert make_link.code == run("store", "check").code == 0
    table, column, value, command = ROWS_OF_NO_STUDY[what]
    damage(tmp_path / "reviewer.db", table, column, value)
    done = run(*command)
    assert (done.code, done.err.count("Error: ")) == (2, 1), done
    assert "Run `reviewer store check` to find where" in done.err
    assert "UserWarning" not in done.err
    checked = run("store", "check")
    assert (checked.code, checked.out.startswith("NOT whole")) == (2, True), checked
    assert f"{table}, row " in checked.out


_RUN = {
    "procedure": "generate",
    "protocol": "probe-swe",
    "roles": {"model": "model-1"},
    "seed": 1,
    "settings": {},
    "prompts": {},
    "seeds": {},
    "started_at": "2026-01-01T00:00:00.000Z",
}
_CANDIDATE = {
    "number": 1,
    "group": "anchoring bias",
    "expansion": 0,
    "place": 1,
    "key": "1",
    "approved": False,
    "step": "logic",
    "check": "choice",
    "payload": {},
    "values": {},
    "calls": [],
    "prompts_digest": "0" * 64,
}


RECORDS = {
    "no JSON": "x",
    "a number": "5",
    "nothing": "null",
    "no list": '{"a":1}',
    "no record": '{"a":[]}',
    "a number for a record": '{"a":[1]}',
    "two records": '{"a":[{"pair":1},{"pair":2}]}',
    "no pair": '{"a":[{}]}',
    "a list for a pair": '{"a":[{"pair":[1]}]}',
    "half a character": '{"a":[{"pair":1,"x":"\\ud800"}]}',
    "a number beyond a float": '{"a":[{"pair":1,"x":1e999}]}',
    "no number": '{"a":[{"pair":NaN}]}',
    "nested deeply": "[" * 9_000,
    "a number without end": "9" * 5_000,
}


@pytest.mark.parametrize("raw", RECORDS.values(), ids=RECORDS)
def test_a_record_that_is_none_is_not_written_out(
    run: RunCommand, made: Path, tmp_path: Path, raw: str
) -> None:
    shutil.copy(made, tmp_path / "reviewer.db")
    with closing(sqlite3.connect(tmp_path / "reviewer.db")) as connection, connection:
        connection.execute("UPDATE memberships SET raw = ? WHERE position = 0", [raw])
    done = run("datasets", "export", "pilot-data", "-o", "new.json")
    assert (done.code, done.err.count("Error: ")) == (2, 1), done
    assert "anchoring bias/0" in done.err
    assert not (tmp_path / "new.json").exists()

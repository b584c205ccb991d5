"""A rater's own database user adds that rater's verdicts, reads them back, and can do nothing else."""

from pathlib import Path

import psycopg
import pytest

from reviewer.core.errors import RequestError, ReviewerError
from reviewer.core.sanitize import LONGEST_TEXT
from reviewer.exchange.packs.workspace import fetch_working_copy
from reviewer.study.design.leads import name_lead
from reviewer.study.session.rater_progress import progress_of
from reviewer.study.session.review_session import ReviewSession
from reviewer.study.transfer.sync import Syncer
from store.clock import next_id
from store.database import Database
from store.database_users import take_seat_away, user_exists
from store.ledger import Ledger
from store.server_ledger import ServerLedger
from tests.postgres import Server
from tests.server.conftest import PASSWORD, Opener
from tests.studies import FREE, MARKED, RANKED, SEVERAL, with_questions

_REFUSED = r"permission denied|must be owner|append-only"
FORBIDDEN = (
    "UPDATE events SET value = 'False'",
    "DELETE FROM events",
    "TRUNCATE events",
    "ALTER TABLE events DISABLE TRIGGER ALL",
    "DROP TABLE events",
    "INSERT INTO events DEFAULT VALUES",
    "INSERT INTO arrivals DEFAULT VALUES",
    "COPY events TO STDOUT",
    "SELECT ctid FROM events",
    "SELECT FROM events",
    "SELECT 1 FROM seats",
    "SELECT name FROM studies",
    "SELECT 1 FROM arrivals",
    "SELECT is_own('pilot', 'anna')",
    "SELECT event_fault(NULL, 'pilot', 'ben', NULL)",
    "SELECT last_value FROM arrivals_id_seq",
    "SELECT currval('arrivals_id_seq')",
    "SELECT pg_current_wal_lsn()",
    "SELECT * FROM pg_stat_wal",
    "SELECT * FROM cases",
    "SELECT * FROM study_cases",
    "SELECT * FROM known_answers",
    "SELECT * FROM assignments",
    "SELECT * FROM measurements",
    "SELECT * FROM findings",
    "SELECT * FROM links",
    "SELECT * FROM study_secrets",
    "SELECT design FROM studies",
    "UPDATE studies SET closed_at = NULL",
    "INSERT INTO seats (db_user, study, rater) VALUES ('reviewer_anna', 'pilot', 'ben')",
    "UPDATE seats SET rater = 'ben'",
    "SET ROLE reviewer_lead",
    "CREATE TABLE mine (x int)",
)


def test_what_is_not_granted_is_refused(as_anna: str, server: Server, central: Database) -> None:
    name = as_anna.rsplit("/", 1)[1]
    before = Ledger(central).events("pilot")
    for deed in FORBIDDEN:
        with pytest.raises(psycopg.Error, match=_REFUSED):
            server.ask(name, deed, "reviewer_anna", PASSWORD)
    assert Ledger(central).events("pilot") == before


def test_a_rater_names_no_lead_and_the_owner_does(as_anna: str, central: Database, opened: Opener) -> None:
    with pytest.raises(RequestError, match="your database user is rater 'anna'"):
        name_lead(opened(as_anna), "pilot", "zoe", "anna")
    assert progress_of(central, "pilot").leads == ()
    name_lead(central, "pilot", "zoe", "tom")
    assert progress_of(central, "pilot").leads == ("zoe",)


def test_a_rater_reviews_through_a_seat_and_reads_nobody_else(
    as_anna: str,
    central: Database,
    server: Server,
    opened: Opener,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path))
    path, problem = fetch_working_copy(as_anna, "pilot", "anna")
    assert problem is None
    session = ReviewSession(opened(str(path)), "pilot", "anna")
    session.answer("True")
    syncer = Syncer(lambda: Database.open(str(path)), lambda: Database.open(as_anna), "pilot", "anna")
    syncer.start()
    delivery = syncer.finish(20)
    assert (delivery.sent, delivery.waiting, delivery.problem) == (1, 0, None)
    assert [event.value for event in Ledger(central).events("pilot", "anna")] == ["True"]
    name = as_anna.rsplit("/", 1)[1]
    seen = server.ask(name, "SELECT rater FROM rater_events('pilot', 'anna')", "reviewer_anna", PASSWORD)
    assert seen == [("anna",)]
    seats = server.ask(name, "SELECT study, rater FROM rater_seats()", "reviewer_anna", PASSWORD)
    assert seats == [("pilot", "anna")]


def test_sets_and_texts_reach_the_server(
    central: Database,
    request: pytest.FixtureRequest,
    opened: Opener,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    with_questions(central, {"axioms": SEVERAL, "bias_presence": FREE})
    as_anna: str = request.getfixturevalue("as_anna")
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path))
    path, _ = fetch_working_copy(as_anna, "pilot", "anna")
    session = ReviewSession(opened(str(path)), "pilot", "anna")
    places = [(n, slot.question) for n, slot in enumerate(session.slots)]
    sets = [n for n, question in places if question == "axioms"]
    given = {sets[0]: '["anger","joy, calm"]', sets[1]: "[]"}
    given |= {next(n for n, question in places if question == "bias_presence"): "x" * LONGEST_TEXT}
    for number, answer in given.items():
        session.go_to(number)
        session.answer(answer)
    session.go_to(sets[0])
    session.answer('["fear"]')
    session.undo()
    syncer = Syncer(lambda: Database.open(str(path)), lambda: Database.open(as_anna), "pilot", "anna")
    syncer.start()
    delivery = syncer.finish(20)
    assert (delivery.sent, delivery.waiting, delivery.problem) == (5, 0, None)
    assert Ledger(central).events("pilot", "anna") == Ledger(opened(str(path))).events("pilot", "anna")


def test_what_is_no_set_of_labels_is_refused(
    central: Database, request: pytest.FixtureRequest, opened: Opener
) -> None:
    with_questions(central, {"axioms": SEVERAL})
    as_anna: str = request.getfixturevalue("as_anna")
    session = ReviewSession(central, "pilot", "ben")
    session.go_to(next(n for n, slot in enumerate(session.slots) if slot.question == "axioms"))
    event = session.answer("[]")
    own = event.model_dump(exclude={"digest", "id", "rater", "value", "follows"})
    own |= {"id": next_id(event.id, 0), "rater": "anna", "follows": []}
    ledger = ServerLedger(opened(as_anna), "pilot", "anna")
    for value in ("anger", '["rage"]', '{"anger": 1}', '[["anger"]]', '"anger"'):
        with pytest.raises(ReviewerError, match=r"does not fit its study|invalid"):
            ledger.send([type(event).sealed(**own, value=value)])


FITTING = {
    "axioms": ('[["b"],["c","a"]]', '[["a","b","c"]]', '[["a"],["b"],["c"]]'),
    "bias_presence": ('{"length":9,"spans":[]}', '{"length":9,"spans":[[0,4,"a"],[2,9,"b"]]}'),
}
UNFIT = {
    "axioms": """a|[]|null|{"a":1}|[["a"],["b"]]|[["a"],["b"],["c"],["a"]]|["a","b","c"]|[["a","b","d"]]
[["a","b"],[],["c"]]|[["a","b"],["c",1]]|[[["a"]],["b"],["c"]]""",
    "bias_presence": """a|[]|{}|{"length":9}|{"spans":[]}|{"length":"9","spans":[]}|{"length":9,"spans":{}}
{"length":9,"spans":[[0,4,"d"]]}|{"length":9,"spans":[[0,10,"a"]]}|{"length":9,"spans":[[4,4,"a"]]}
{"length":9,"spans":[[-1,4,"a"]]}|{"length":9,"spans":[["0",4,"a"]]}|{"length":9,"spans":[[0,4]]}
{"length":9,"spans":["a"]}|{"length":9,"spans":[[0,4,["a"]]]}""",
}


def test_rankings_and_spans_reach_the_server_and_nothing_else_does(
    central: Database, request: pytest.FixtureRequest, opened: Opener
) -> None:
    with_questions(central, {"axioms": RANKED, "bias_presence": MARKED})
    as_anna: str = request.getfixturevalue("as_anna")
    session = ReviewSession(central, "pilot", "ben")
    session.go_to(next(n for n, slot in enumerate(session.slots) if slot.question not in FITTING))
    event = session.answer("True")
    own = event.model_dump(exclude={"digest", "id", "rater", "question", "value", "follows"})
    own |= {"rater": "anna", "follows": []}
    ledger = ServerLedger(opened(as_anna), "pilot", "anna")
    newest = event.id
    for question, values in FITTING.items():
        for value in values:
            newest = next_id(newest, 0)
            ledger.send([type(event).sealed(**own, id=newest, question=question, value=value)])
    for question, listed in UNFIT.items():
        for value in listed.replace("\n", "|").split("|"):
            wrong = type(event).sealed(**own, id=next_id(newest, 0), question=question, value=value)
            with pytest.raises(ReviewerError, match="does not fit its study: its value is no answer"):
                ledger.send([wrong])
    assert len(Ledger(central).events("pilot", "anna")) == 5


@pytest.mark.parametrize(("study", "rater"), [("pilot", "ben"), ("other", "anna")])
def test_a_rater_cannot_write_as_somebody_else_or_elsewhere(
    as_anna: str, central: Database, opened: Opener, study: str, rater: str
) -> None:
    session = ReviewSession(central, study, rater)
    event = session.answer("True")
    other_id = event.id[:-1] + ("0" if event.id[-1] != "0" else "1")
    forged = type(event).sealed(**event.model_dump(exclude={"digest", "id"}), id=other_id)
    with pytest.raises(ReviewerError, match="does not let this database user"):
        ServerLedger(opened(as_anna), study, rater).send([forged])
    with pytest.raises(ReviewerError, match="it is of another rater or study"):
        ServerLedger(opened(as_anna), "pilot", "anna").send([forged])
    assert other_id not in {event.id for event in Ledger(central).events(study)}


def test_a_seat_of_another_rater_is_named(
    as_anna: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path))
    with pytest.raises(ReviewerError, match="is rater 'anna' of study 'pilot', not 'ben'"):
        fetch_working_copy(as_anna, "pilot", "ben")


def test_a_seat_that_is_taken_away_lets_nothing_in(as_anna: str, central: Database, server: Server) -> None:
    assert take_seat_away(central, "pilot", "anna", run=True)
    assert user_exists(central, "reviewer_anna")
    with pytest.raises(psycopg.Error, match=r"permission denied|does not exist"):
        server.ask(
            as_anna.rsplit("/", 1)[1], "SELECT rater_events('pilot', 'anna')", "reviewer_anna", PASSWORD
        )

"""The acts of studies: kept alike in a file and on a server, and copied whole."""

from collections.abc import Callable

import psycopg
import pytest

from reviewer.core.errors import RequestError
from reviewer.results.labels.final_labels import FinalStatus, final_labels
from reviewer.study.adjudication.adjudication_session import AdjudicationSession
from reviewer.study.design.closing import close_study, reopen_study
from reviewer.study.design.study_bundle import load_study
from reviewer.study.session.review_session import ReviewSession
from store.copying import copy_store
from store.database import Database
from store.ledger import Ledger
from tests.postgres import Server
from tests.studies import a_study

Opener = Callable[[str], Database]


def closed_study(database: Database) -> None:
    a_study(database)
    for rater, label in (("anna", "True"), ("ben", "False")):
        session = ReviewSession(database, "pilot", rater)
        for _ in range(3):
            session.answer(label)
    close_study(database, "pilot", "lead", anyway=True)


def test_a_server_closes_decides_and_opens_again(server_url: str, opened: Opener) -> None:
    database = opened(server_url)
    closed_study(database)
    with pytest.raises(RequestError, match="takes no more answers"):
        ReviewSession(database, "pilot", "anna").answer("True")
    AdjudicationSession(database, "pilot", "zoe").decide("True", "clear")
    reopen_study(database, "pilot", "lead", "more time")
    bundle = load_study(opened(server_url), "pilot")
    found = final_labels(bundle, Ledger(database).events("pilot"))
    assert [each.reason for each in found if each.status is FinalStatus.ADJUDICATED] == ["clear"]
    assert [act.kind for act in bundle.acts] == ["close", "reopen"]


@pytest.mark.parametrize("deed", ["UPDATE study_acts SET who = 'x'", "DELETE FROM study_acts"])
def test_a_server_keeps_the_record_as_it_is(
    server_url: str, server: Server, opened: Opener, deed: str
) -> None:
    closed_study(opened(server_url))
    for statement in (deed, f"SET session_replication_role = replica; {deed}"):
        with pytest.raises(psycopg.Error, match="append-only"):
            server.ask(server_url.rsplit("/", 1)[1], statement)


def test_a_copy_has_the_acts_and_takes_no_answers_either(
    server_url: str, opened: Opener, tmp_path_factory: pytest.TempPathFactory
) -> None:
    source = opened(str(tmp_path_factory.mktemp("source") / "store.db"))
    closed_study(source)
    target = opened(server_url)
    copy_store(source, target)
    assert load_study(target, "pilot").acts == load_study(source, "pilot").acts
    with pytest.raises(RequestError, match="takes no more answers"):
        ReviewSession(target, "pilot", "ben").flag()

"""Raters see outputs in an order of their own, under letters; rankings are kept by the outputs' names."""

import json
from pathlib import Path

import pytest

from reviewer.core.errors import RequestError
from reviewer.core.pane import Pane, Variants
from reviewer.study.session.blinded_panes import panes_while_owed
from reviewer.study.session.rater_progress import progress_of
from reviewer.study.session.review_session import ReviewSession
from store.database import Database
from store.ledger import Ledger
from tests.rankings import SYSTEMS, a_ranked_study
from tests.studies import open_store


@pytest.fixture
def store(tmp_path: Path) -> Database:
    database = open_store(tmp_path)
    a_ranked_study(database, tmp_path)
    return database


def variants(panes: "tuple[Pane, ...]") -> list[tuple[str, str]]:
    (body,) = (pane.body for pane in panes if isinstance(pane.body, Variants))
    return [(title, text.text.split()[0]) for title, text in body.texts]


def order_of(session: ReviewSession) -> list[str]:
    """The systems in the order in which the rater sees them."""
    return [system for _, system in variants(session.sheet().first)]


def test_each_rater_sees_letters_in_an_order_of_their_own_that_stays(store: Database) -> None:
    orders = {}
    for rater in ("anna", "ben", "cara", "dora"):
        session = ReviewSession(store, "pilot", rater)
        for _ in session.slots:
            assert [title for title, _ in variants(session.sheet().first)] == ["A", "B", "C", "D"]
            assert session.question.labels == ("A", "B", "C", "D")
            orders[rater, session.case.payload["question"]] = tuple(order_of(session))
            session.next()
        again = ReviewSession(store, "pilot", rater)
        assert tuple(order_of(again)) == orders[rater, again.case.payload["question"]]
    assert len({*orders.values()}) > 4
    assert all(sorted(order) == sorted(SYSTEMS) for order in orders.values())


def test_a_ranking_is_kept_by_names_and_shown_by_letters(store: Database) -> None:
    session = ReviewSession(store, "pilot", "anna")
    seen = order_of(session)
    session.answer('[["C"],["A","D"],["B"]]')
    (event,) = Ledger(store).events("pilot")
    ranking = json.loads(event.value or "")
    assert ranking == [[seen[2]], sorted([seen[0], seen[3]]), [seen[1]]]
    session.previous()
    assert session.verdict.label == '[["C"],["A","D"],["B"]]'
    assert session.remark == "You answered C > A = D > B. You can still correct it."
    reread = ReviewSession(store, "pilot", "anna")
    reread.go_to(session.position)
    assert reread.verdict.label == session.verdict.label


@pytest.mark.parametrize(
    ("answer", "why"),
    [
        ('[["A"],["B"],["C"]]', "D has no rank"),
        ('[["A"],["B"],["C"],["A","D"]]', "A is ranked twice"),
        ('[["Atlas"],["B"],["C"],["D"]]', "'Atlas' is not one of the outputs A, B, C, D"),
        ('[["B","A"],["C"],["D"]]', "tied outputs are not in the order of the question"),
        ('["A","B","C","D"]', "it is not a list of groups of outputs"),
    ],
)
def test_what_is_no_whole_ranking_is_not_saved(store: Database, answer: str, why: str) -> None:
    session = ReviewSession(store, "pilot", "anna")
    with pytest.raises(RequestError, match="does not rank the outputs") as caught:
        session.answer(answer)
    assert why in str(caught.value)
    assert not Ledger(store).events("pilot")


def test_a_passage_is_kept_at_the_output_that_it_is_about(store: Database) -> None:
    session = ReviewSession(store, "pilot", "anna")
    seen = order_of(session)
    passage = {"pane": "answers", "side": "2", "start": 0, "end": 5, "quote": seen[1][:5]}
    session.comment("why this?", passage)
    (event,) = Ledger(store).events("pilot")
    assert event.passage is not None
    assert event.passage["side"] == str(SYSTEMS.index(seen[1]) + 1)
    assert session.verdict.passage == passage
    assert session.comment("why this?", passage) is None, "nothing changed"


def test_names_are_shown_with_letters_once_the_answer_is_final(store: Database) -> None:
    session = ReviewSession(store, "pilot", "anna")
    seen = order_of(session)
    orders = session._stages._output_orders(session.slot)
    assert orders["answers"] == tuple(SYSTEMS.index(system) for system in seen)
    session.answer('[["A"],["B"],["C"],["D"]]')
    session.previous()
    sheet = session._stages._sheet(session.slot, {"best"})
    assert variants(sheet.first) == [(f"{'ABCD'[at]} · {system}", system) for at, system in enumerate(seen)]


def test_raters_who_still_rank_see_no_names_in_lists_of_cases(store: Database) -> None:
    session = ReviewSession(store, "pilot", "anna")
    progress = progress_of(store, "pilot")
    bundle = session.bundle
    panes = panes_while_owed(bundle.protocol, session.case, (), (), [progress])
    assert variants(tuple(panes)) == [(str(number), system) for number, system in enumerate(SYSTEMS, 1)]

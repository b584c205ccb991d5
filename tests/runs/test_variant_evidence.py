"""The evidence of a finding: the variant that it is about, and where its place is in the source."""

import pytest

from reviewer.core.pane import Pair, Pane, Tree
from reviewer.oracle import pool
from reviewer.oracle.program_runner import LocalRunner
from reviewer.runs.audit.audit_findings import case_of_finding, finding_panes, marked_clauses
from reviewer.runs.audit.dataset_audit import audit
from reviewer.tui.rendering.comparison import column_lines
from reviewer.tui.rendering.pane_text import pane_texts_of
from store.database import Database
from store.findings import PlacedFinding, failed_findings
from tests.prolog import need_prolog
from tests.studies import a_case, fill, open_store

AXIOMS = "best(X) :-\n    fits(X, _).\nbest(X) :- safe(X, most)."
FACTS = """:- consult('axioms').
fits(option_A, speed).
fits(option_B, cost).
safe(option_B, little).
oops( .
decide_option(user, X) :- best(X), !.
decide_option(user, option_B).
"""


@pytest.fixture(scope="module")
def database(tmp_path_factory: pytest.TempPathFactory) -> Database:
    need_prolog()
    database = open_store(tmp_path_factory.mktemp("evidence"))
    case = a_case(axioms=AXIOMS, unbiased_prolog=FACTS, biased_prolog=FACTS + "heard(others).\n")
    fill(database, "one", [case])
    with pool.open_executor(1) as executor:
        audit(database, [[case]], LocalRunner(executor))
    return database


def placed(database: Database, check: str) -> PlacedFinding:
    with database.read() as session:
        (found,) = failed_findings(session, "one", [check])
    return found


def panes(database: Database, check: str) -> dict[str, Pane]:
    found = placed(database, check)
    return {pane.key: pane for pane in finding_panes(case_of_finding(database, found), found.finding).first}


def test_the_variant_that_changes_the_decision_is_shown_beside_the_stored_program(database: Database) -> None:
    shown = panes(database, "order_matters")
    assert list(shown)[:3] == ["texts", "run_facts_reversed", "run_derivation_facts_reversed"]
    body = shown["run_facts_reversed"].body
    assert isinstance(body, Pair)
    assert body.left_title == "program as stored: option_A"
    assert body.right_title == "program facts reversed: option_B"
    assert body.right.text.splitlines()[1] == "safe(option_B, little)."
    tree = shown["run_derivation_facts_reversed"].body
    assert isinstance(tree, Tree)
    assert "option_A" in tree.left_title
    assert "option_B" in tree.text
    assert "rule, axioms line 1" in tree.text


def test_lines_are_numbered_as_in_the_source(database: Database) -> None:
    body = panes(database, "order_matters")["run_facts_reversed"].body
    assert isinstance(body, Pair)
    for side, lines in zip((body.left, body.right), column_lines(body, 60), strict=True):
        numbers = [line.content.plain[:3].strip() for line in lines if line.content.plain.strip()]
        assert [number for number in numbers if number] == [
            str(number + 1) for number in range(len(side.text.split("\n")))
        ]


def marked_in(pane: Pane) -> list[str]:
    text = pane_texts_of(pane, "columns")[0]
    return [line.content.plain for line in text.lines(60) if line.sign == "◆"]


def test_a_lost_clause_and_a_goal_without_a_match_are_marked_where_they_stand(database: Database) -> None:
    assert marked_in(panes(database, "lost_clauses")["programs"]) == ["  5 oops( ."]
    found = placed(database, "cannot_match")
    marked = list(marked_clauses(case_of_finding(database, found), found.finding))
    assert marked == ["  3 best(X) :- safe(X, most).", "  4 safe(option_B, little)."]
    assert marked_in(panes(database, "cannot_match")["axioms"]) == ["  3 best(X) :- safe(X, most)."]

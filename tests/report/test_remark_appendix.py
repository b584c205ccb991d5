"""Comments and flags of raters in a report: on every item, with the lead's answers, counted while open."""

from pathlib import Path

import pytest

from reviewer.report.document import Box, Section, VoteLine, Votes
from reviewer.report.study_report import study_document
from reviewer.results.labels.rater_work import remarks_of
from reviewer.study.design.leads import answer_remark, name_lead
from reviewer.study.integrity.quarantine import read_study
from reviewer.study.session.review_session import ReviewSession
from store.database import Database
from tests.report.test_first_page import statistics_of
from tests.studies import a_study, open_store


@pytest.fixture
def remarked(tmp_path: Path) -> Database:
    """Both raters agree on the first case and disagree on the second; each has a flag and a comment."""
    store = open_store(tmp_path)
    a_study(store, cases=2, questions=("same_task",))
    name_lead(store, "pilot", "tom", "tom")
    for rater in ("anna", "ben"):
        session = ReviewSession(store, "pilot", rater, stopwatch=lambda: 0.0)
        for slot in list(session.slots):
            session.go_to(session.slots.index(slot))
            is_first = session.bundle.places[slot.case].position == 0
            if rater == "anna":
                session.flag()
                session.comment("agreed" if is_first else "disputed")
            session.answer("True" if is_first or rater == "anna" else "False")
    return store


def votes_below(database: Database, title: str) -> list[Votes]:
    """The items of an appendix."""
    blocks = [*study_document(statistics_of(database)).blocks]
    begin = next(at for at, block in enumerate(blocks) if isinstance(block, Section) and block.title == title)
    found = []
    for block in blocks[begin + 1 :]:
        if isinstance(block, Section) and block.appendix:
            break
        found += [block] if isinstance(block, Votes) else []
    return found


def test_flags_and_comments_of_every_item_are_listed(remarked: Database) -> None:
    (agreed,) = votes_below(remarked, "Comments and flags on other items")
    assert agreed.items == (VoteLine("anna True · ben True", (("flagged", "by anna"), ("anna", "agreed"))),)
    (disputed,) = votes_below(remarked, "Every item on which raters disagree")
    assert disputed.items[0].notes == (("anna commented", "disputed"), ("flagged", "by anna"))


def test_open_remarks_are_counted_on_the_first_page_until_the_lead_answers(remarked: Database) -> None:
    def told() -> str:
        blocks = study_document(statistics_of(remarked)).blocks
        return " ".join(next(block for block in blocks if isinstance(block, Box)).items)

    assert "4 comments and flags of raters have no answer from the study's lead" in told()
    bundle, events = read_study(remarked, "pilot")
    for remark in remarks_of(bundle, events):
        answer_remark(remarked, "pilot", remark.event, "tom", "yes" if remark.kind == "comment" else "")
    assert "for an answer of the lead" not in told()
    (agreed,) = votes_below(remarked, "Comments and flags on other items")
    assert agreed.items[0].notes == (
        ("flagged", "by anna (dealt with by tom)"),
        ("anna", "agreed (tom answered: yes)"),
    )

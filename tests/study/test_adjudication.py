"""Deciding where raters disagree, without a screen."""

import contextlib
import json
import random
import shutil
from pathlib import Path

import pytest

from reviewer.core.errors import RequestError, StoreError
from reviewer.exchange.exports.study_export import BOOTSTRAP, study_tables
from reviewer.exchange.exports.study_source import StudySource
from reviewer.results.labels.final_labels import FinalLabel, FinalStatus, final_labels, own_labels
from reviewer.study.adjudication.adjudication_session import (
    AdjudicationSession,
    DisputeFilter,
    DisputeState,
    admit_rater,
    dispute_counts,
    disputes,
)
from reviewer.study.design.closing import close_study, reopen_study
from reviewer.study.design.study_bundle import StudyBundle, load_study
from reviewer.study.design.study_creation import Design, create_study
from reviewer.study.design.study_design import Options
from reviewer.study.session.rater_progress import study_progress
from reviewer.study.session.review_session import ReviewSession
from store.database import Database
from store.ledger import Ledger
from store.records import Event
from tests.judged import judged_study
from tests.rounds import rounds
from tests.studies import WITHOUT_GUIDELINE, a_case, a_study, fill, open_store, with_questions


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Three cases, four questions, closed: ben dissents on two items, and one item is a tie of two."""
    folder = tmp_path_factory.mktemp("made")
    database = open_store(folder)
    a_study(database)
    for rater in ("anna", "ben", "cara"):
        session = ReviewSession(database, "pilot", rater)
        for position in range(12):
            dissent = rater == "ben" and session.slot.question in ("same_task", "axioms")
            session.go_to(position)
            if dissent and session.slot.case == session.bundle.sample[0].case:
                session.comment("[red]x[/] mine")
                session.answer("False")
            elif rater != "cara" or session.slot.question != "axioms":
                session.answer("True")
    close_study(database, "pilot", "lead", anyway=True)
    database.close()
    return folder / "reviewer.db"


@pytest.fixture
def database(made: Path, tmp_path: Path) -> Database:
    shutil.copy(made, tmp_path)
    return open_store(tmp_path)


def events(database: Database) -> list[Event]:
    return Ledger(database).events("pilot")


def finals(database: Database) -> list[FinalLabel]:
    return final_labels(load_study(database, "pilot"), events(database))


def counts(database: Database) -> dict[str, int]:
    found = [str(each.status) for each in finals(database)]
    return {status: found.count(status) for status in FinalStatus if status in found}


def test_the_queue_begins_with_the_strongest_split(database: Database) -> None:
    session = AdjudicationSession(database, "pilot", "zoe")
    keys = [each.item_votes.question.key for each in session.disputes]
    assert keys == ["axioms", "same_task"]
    assert [each.item_votes.lead for each in session.disputes] == [1 / 2, 2 / 3]
    assert counts(database) == {"unanimous": 10, "majority": 1, "open": 1}


@pytest.mark.parametrize("seed", rounds(0, range(1, 3)))
def test_the_queue_is_what_the_whole_ledger_would_give(tmp_path: Path, seed: int) -> None:
    database, chance = open_store(tmp_path), random.Random(seed)
    a_study(database, reveal="findings")
    for rater in ("anna", "ben", "cara"):
        session = ReviewSession(database, "pilot", rater)
        for _ in range(60):
            session.go_to(chance.randrange(len(session.slots)))
            match chance.choice(("answer", "answer", "answer", "undo", "comment", "flag", "skip")):
                case "answer":
                    session.answer(chance.choice(("True", "True", "False")))
                case "undo":
                    with contextlib.suppress(RequestError):
                        session.undo()
                case "comment":
                    session.comment(f"because {chance.random()}")
                case "flag":
                    session.flag()
                case _:
                    session.skip()
    close_study(database, "pilot", "lead", anyway=True)
    session = AdjudicationSession(database, "pilot", "zoe")
    wanted = disputes(session.bundle, events(database))
    assert [each.item_votes for each in session.disputes] == [each.item_votes for each in wanted]
    assert [each.comments for each in session.disputes] == [each.comments for each in wanted]


def test_voices_have_no_names_and_an_order_of_each_items_own(tmp_path: Path) -> None:
    database = open_store(tmp_path)
    judged_study(database, per_generator=10)
    close_study(database, "pilot", "lead")
    session = AdjudicationSession(database, "pilot", "zoe")
    assert len(session.disputes) > 6
    orders = set()
    for each in session.disputes:
        assert [comment.number for comment in each.comments] == [1, 2, 3]
        assert not any(name in repr(each.comments) for name in ("anna", "ben", "cara"))
        said = {row.rater: row.label for row in each.item_votes.votes}
        assert sorted(said.values()) == sorted(comment.label or "" for comment in each.comments)
        orders.add(tuple(comment.label for comment in each.comments))
    assert len(orders) > 3
    again = AdjudicationSession(database, "pilot", "zoe").disputes
    assert [each.comments for each in again] == [each.comments for each in session.disputes]


def test_a_decision_needs_a_reason_and_leads_on(database: Database) -> None:
    session = AdjudicationSession(database, "pilot", "zoe")
    for reason in ("", "  \n"):
        with pytest.raises(RequestError, match="needs a reason"):
            session.decide("True", reason)
    with pytest.raises(RequestError, match="is not a label"):
        session.decide("Maybe", "why not")
    assert not [event for event in events(database) if event.kind == "adjudication"]
    session.decide("False", " as [ben] says ")
    assert session.next_open()
    assert session.state_at(0) is DisputeState.ADJUDICATED
    assert session.decision_at(0).adjudicated_label.reason == "as [ben] says"  # type: ignore[union-attr]
    session.put_off()
    assert session.state_at(1) is DisputeState.SKIPPED
    assert not session.next_open()
    assert counts(database) == {"unanimous": 10, "majority": 1, "adjudicated": 1}
    assert AdjudicationSession(database, "pilot", "zoe").index == 1


def test_deciding_anew_and_taking_back_only_add(database: Database) -> None:
    session = AdjudicationSession(database, "pilot", "zoe")

    def label() -> str | None:
        return next(
            each.label
            for each in finals(database)
            if each.item_votes.slot == session.disputes[0].item_votes.slot
        )

    session.decide("False", "first")
    session.decide("True", "second")
    assert label() == "True"
    for expected in ("False", None):
        assert session.undo() is not None
        assert label() == expected
    assert session.undo() is None
    session.decide("False", "third")
    assert label() == "False"
    session.undo()
    assert label() is None
    kinds = [event.kind for event in events(database) if event.rater == "zoe"]
    assert kinds == ["adjudication"] * 6


def test_one_decision_undone_in_two_windows_is_taken_back_once(database: Database) -> None:
    left = AdjudicationSession(database, "pilot", "zoe")
    left.decide("False", "first")
    left.decide("True", "second")
    right = AdjudicationSession(database, "pilot", "zoe")
    left.undo()
    with pytest.raises(RequestError, match="another window of yours has already taken that back"):
        right.undo()
    assert right.decision_at(0) is not None
    assert right.undo() is not None
    assert right.decision_at(0) is None


def test_two_adjudicators_never_decide_over_each_other_unseen(database: Database) -> None:
    zoe, yan = (AdjudicationSession(database, "pilot", name) for name in ("zoe", "yan"))
    zoe.decide("False", "z")
    with pytest.raises(RequestError, match="zoe has just decided this: False"):
        yan.decide("True", "y")
    yan.decide("True", "y, knowing z")
    (axioms,) = [each for each in finals(database) if each.status is FinalStatus.ADJUDICATED]
    assert (axioms.label, axioms.reason, axioms.decision and axioms.decision.event.rater) == (
        "True",
        "y, knowing z",
        "yan",
    )


def test_no_number_changes_by_adjudicating(database: Database) -> None:
    def tables() -> dict[str, str]:
        bundle = load_study(database, "pilot")
        found = study_tables(StudySource.of(bundle, events(database)), ("question", "generator"), BOOTSTRAP)
        return {name: table.to_csv() for name, table in found.items()}

    def progress() -> object:
        (found,) = study_progress(database)
        return found

    before, how_far = tables(), progress()
    admit_rater(database, "pilot", "lead", "anna")
    for name in ("zoe", "anna"):
        session = AdjudicationSession(database, "pilot", name)
        for label in ("True", "False"):
            session.decide(label, "so it is")
            session.next_open()
    after = tables()
    assert after.pop("items.csv") != before.pop("items.csv"), "it holds final labels too"
    assert after.pop("final_labels.csv") != before.pop("final_labels.csv")
    assert after == before
    assert progress() == how_far


def test_a_rater_decides_only_if_the_lead_says_so_and_all_is_in(tmp_path: Path) -> None:
    database = open_store(tmp_path)
    a_study(database, raters=("anna", "ben"))
    for rater, label in (("anna", "True"), ("ben", "False")):
        session = ReviewSession(database, "pilot", rater)
        while not session.finished and session.position < 11:
            session.answer(label)
    with pytest.raises(RequestError, match="only if the study's lead"):
        AdjudicationSession(database, "pilot", "anna")
    with pytest.raises(RequestError, match="cannot approve their own"):
        admit_rater(database, "pilot", "anna", "anna")
    with pytest.raises(RequestError, match="not a rater of study"):
        admit_rater(database, "pilot", "lead", "zoe")
    admit_rater(database, "pilot", "lead", "anna")
    with pytest.raises(RequestError, match="anna has done 11 of 12, ben has done 11 of 12"):
        AdjudicationSession(database, "pilot", "anna")
    close_study(database, "pilot", "lead", anyway=True)
    assert len(AdjudicationSession(database, "pilot", "anna").disputes) == 10
    acts = [(act.kind, act.who, act.subject) for act in load_study(database, "pilot").acts]
    assert acts == [("admit", "lead", "anna"), ("close", "lead", None)]


def test_who_has_seen_the_verdicts_rates_no_more(database: Database) -> None:
    AdjudicationSession(database, "pilot", "zoe")
    reopen_study(database, "pilot", "lead", "more raters")
    with pytest.raises(RequestError, match="'zoe' adjudicates in study 'pilot'"):
        ReviewSession(database, "pilot", "zoe")
    assert [each.rater for each in load_study(database, "pilot").raters] == ["anna", "ben", "cara"]


def test_who_found_nothing_to_decide_has_seen_nothing(tmp_path: Path) -> None:
    database = open_store(tmp_path)
    a_study(database)
    with pytest.raises(RequestError, match="nothing to decide"):
        AdjudicationSession(database, "pilot", "zoe")
    ReviewSession(database, "pilot", "zoe").answer("True")


def test_votes_that_change_after_a_decision_are_told(tmp_path: Path) -> None:
    database = open_store(tmp_path)
    a_study(database)
    anna, ben = (ReviewSession(database, "pilot", rater) for rater in ("anna", "ben"))
    anna.answer("True")
    ben.go_to(next(i for i, slot in enumerate(ben.slots) if slot == anna.slots[0]))
    ben.answer("False")
    session = AdjudicationSession(database, "pilot", "zoe")
    assert "guideline" in {pane.key for pane in session.sheet()}
    session.decide("True", "see the text")
    (decided,) = [each for each in finals(database) if each.adjudicated]
    assert not decided.votes_changed
    anna.undo()
    (decided,) = [each for each in finals(database) if each.adjudicated]
    assert decided.votes_changed
    assert (decided.label, decided.status) == ("True", FinalStatus.ADJUDICATED)


def test_a_machines_opinion_of_the_question_waits_for_the_decision(database: Database) -> None:
    """The disputed question itself is taken as unanswered until there is a decision."""
    session = AdjudicationSession(database, "pilot", "zoe")
    reveals = session.dispute.item_votes.question.reveals
    keys = {pane.key for pane in session.sheet()}
    assert not keys & set(reveals)
    session.decide("True", "yes")
    assert {pane.key for pane in session.sheet()} >= keys


def test_a_rater_sees_where_he_differs(database: Database) -> None:
    AdjudicationSession(database, "pilot", "zoe").decide("False", "they miss a rule")
    bundle = load_study(database, "pilot")

    def differing(rater: str) -> list[tuple[str, str | None, str | None]]:
        found = own_labels(bundle, events(database), rater)
        return [(each.final.question.key, each.row.label, each.final.label) for each in found if each.differs]

    assert differing("anna") == [("axioms", "True", "False")]
    assert differing("ben") == [("same_task", "False", "True")]
    assert differing("cara") == []


def test_a_decision_that_cannot_be_read_is_named(database: Database) -> None:
    session = AdjudicationSession(database, "pilot", "zoe")
    for value in ("True", '{"label": "Maybe"}', '{"label": "True", "more": 1}'):
        with Ledger(database).adjudicating("pilot", "zoe") as turn:
            event = turn.add(**_about(session), kind="adjudication", value=value)
        with pytest.raises(StoreError, match=event.id):
            finals(database)


def _about(session: AdjudicationSession) -> dict[str, object]:
    slot, bundle = session.dispute.item_votes.slot, session.bundle
    return {
        "case": slot.case,
        "question": slot.question,
        "question_digest": bundle.shown_digest(slot),
        "given": "app",
    }


def test_the_final_table_carries_its_provenance(database: Database) -> None:
    event = AdjudicationSession(database, "pilot", "zoe").decide("False", "a rule is missing")
    bundle: StudyBundle = load_study(database, "pilot")
    table = study_tables(StudySource.of(bundle, events(database)), ("question",), BOOTSTRAP)[
        "final_labels.csv"
    ]
    rows = [json.loads(line) for line in table.to_jsonl().splitlines()]
    (row,) = [row for row in rows if row["status"] == "adjudicated"]
    known = {each.id: each for each in events(database)}
    assert (row["final"], row["majority"], row["adjudicator"], row["reason"]) == (
        "False",
        None,
        "zoe",
        "a rule is missing",
    )
    assert json.loads(row["votes"]) == {"True": 1, "False": 1}
    assert [known[key].digest for key in row["vote_events"].split()] == row["vote_digests"].split()
    assert (row["decision_event"], row["decision_digest"], row["decided_at"]) == (
        event.id,
        event.digest,
        event.at,
    )
    assert len(rows) == 12


def test_second_answers_and_their_reasons_are_heard(tmp_path: Path) -> None:
    """Ben changes his answer after the reveal: his first one votes, the second is shown beside it."""
    database = open_store(tmp_path)
    fill(database, "pairs", [a_case(0)])
    create_study(database, "pilot", Design(("pairs",), None, 7, options=Options(reveal="findings")))
    for rater, first, second in (("anna", "True", "True"), ("ben", "False", "True")):
        session = ReviewSession(database, "pilot", rater)
        session.answer(first)
        session.answer(second)
        explain(database, rater, f"[because] {rater[0]}")
    (dispute,) = AdjudicationSession(database, "pilot", "zoe").disputes
    said = sorted((comment.label or "", comment.later or "") for comment in dispute.comments)
    assert said == [("False", "True"), ("True", "True")]
    assert sorted(reason for comment in dispute.comments for reason in comment.reasons) == [
        "[because] a",
        "[because] b",
    ]
    assert dispute.item_votes.counts == {"True": 1, "False": 1}


def explain(database: Database, rater: str, text: str) -> None:
    like = Ledger(database).events("pilot", rater)[0]
    about = {name: getattr(like, name) for name in ("case", "question", "question_digest", "given")}
    with Ledger(database).turn("pilot", rater, "") as turn:
        turn.add(**about, kind="reason", value=text)


def test_one_vote_alone_is_a_majority_and_no_unanimity(tmp_path: Path) -> None:
    database = open_store(tmp_path)
    a_study(database)
    ReviewSession(database, "pilot", "anna").answer("True")
    (voted,) = [each for each in finals(database) if each.item_votes.votes]
    assert (voted.label, voted.status) == ("True", FinalStatus.MAJORITY)


def test_a_decision_that_a_rater_smuggles_in_decides_nothing(database: Database) -> None:
    session = AdjudicationSession(database, "pilot", "zoe")
    with Ledger(database).adjudicating("pilot", "ben") as turn:
        value = '{"label":"False","reason":"mine"}'
        turn.add(**_about(session), kind="adjudication", value=value)
    assert counts(database) == {"unanimous": 10, "majority": 1, "open": 1}
    assert AdjudicationSession(database, "pilot", "zoe").decision is None


def test_disputes_are_narrowed_by_question_and_split(database: Database) -> None:
    session = AdjudicationSession(database, "pilot", "zoe")
    votes = [(dispute.item_votes.question.key, dispute.item_votes.counts) for dispute in session.disputes]
    assert votes == [("axioms", {"True": 1, "False": 1}), ("same_task", {"True": 2, "False": 1})]
    counted = dispute_counts(dispute.item_votes for dispute in session.disputes)
    assert counted["split"] == {"1 : 1": 1, "2 : 1": 1}
    assert set(counted["group"]) == {"anchoring bias"}
    session.narrow(DisputeFilter(split="2 : 1"))
    assert (session.shown, session.index) == ([1], 1)
    assert session.only.words == "split 2 : 1"
    session.step(-1)
    assert session.index == 1
    session.decide("True", "clear")
    assert not session.next_open()
    session.narrow(DisputeFilter())
    assert session.next_open()
    assert session.index == 0


def test_a_raters_other_answers_on_the_case_stand_beside_their_comment(database: Database) -> None:
    (axioms, _) = AdjudicationSession(database, "pilot", "zoe").disputes
    titles = {question.key: question.title for question in load_study(database, "pilot").questions}
    (dissenting,) = (comment for comment in axioms.comments if comment.label == "False")
    assert dict(dissenting.elsewhere) == {
        titles["same_task"]: "False",
        titles["bias_presence"]: "True",
        titles["reconstruction"]: "True",
    }


def test_a_question_without_a_guideline_has_no_such_pane(tmp_path: Path) -> None:
    database = open_store(tmp_path)
    a_study(database, cases=1, questions=("same_task",))
    with_questions(database, {"same_task": WITHOUT_GUIDELINE})
    for rater, label in (("anna", "True"), ("ben", "False")):
        ReviewSession(database, "pilot", rater).answer(label)
    assert "guideline" not in {pane.key for pane in AdjudicationSession(database, "pilot", "zoe").sheet()}

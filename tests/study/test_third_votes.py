"""Two fixed votes a case, and a third where they differ."""

from collections.abc import Callable, Sequence
from contextlib import closing
from dataclasses import replace
from pathlib import Path

import pytest

from reviewer.core.errors import RequestError
from reviewer.exchange.packs.pack import opened_pack, write_pack
from reviewer.results.labels.agreement_results import AgreementResult, study_results
from reviewer.results.labels.final_labels import FinalStatus, final_labels
from reviewer.study.adjudication.adjudication_session import AdjudicationSession
from reviewer.study.design.asking_third_votes import (
    ask_third_votes,
    case_votes,
    draw_third_lists,
    third_votes_in_words,
)
from reviewer.study.design.closing import close_study, reopen_study
from reviewer.study.design.left_out_raters import leave_out
from reviewer.study.design.study_bundle import load_study
from reviewer.study.design.study_creation import Design, create_study
from reviewer.study.integrity.quarantine import read_study
from reviewer.study.session.blinding import (
    Influence,
    list_for_third_votes,
    owed_by,
    why_not_agreement,
    why_not_influence,
    why_not_lead,
)
from reviewer.study.session.label_rows import label_rows
from reviewer.study.session.rater_progress import progress_of, study_progress
from reviewer.study.session.review_session import ReviewSession
from reviewer.study.transfer.merge import Trust, merge_study_rows
from store.database import Database
from store.untrusted_store import untrusted_store
from tests.studies import a_case, fill, open_store

RATERS = ("anna", "ben", "cara")
DESIGN = Design(
    ("pairs",), None, 7, raters=RATERS, raters_per_case=2, third="on-disagreement", questions=("same_task",)
)
Says = Callable[[str, str], str]
"""What a rater (by name) answers about a case (by digest)."""


@pytest.fixture
def database(tmp_path: Path) -> Database:
    database = open_store(tmp_path)
    fill(database, "pairs", [a_case(number) for number in range(12)])
    create_study(database, "pilot", DESIGN, "tom")
    return database


def answer(database: Database, rater: str, says: Says, at_most: int = 100) -> ReviewSession:
    session = ReviewSession(database, "pilot", rater)
    while not session.finished and at_most:
        session.answer(says(rater, session.case.digest))
        at_most -= 1
    return session


def disputed(database: Database, number: int = 3) -> set[str]:
    return {place.case for place in load_study(database, "pilot").counted[:number]}


def quarrel(database: Database, number: int = 3) -> Says:
    """Of each fixed pair, the rater first by name is against some cases; everybody is for all others."""
    against, panels = disputed(database, number), load_study(database, "pilot").design.panels
    return lambda rater, case: "False" if case in against and rater == panels[case][0] else "True"


def whole(database: Database) -> AgreementResult:
    bundle, events = read_study(database, "pilot")
    return study_results(bundle, label_rows(bundle, events), ("question",))[0]


def test_disputed_cases_go_to_the_other_rater_among_as_many_undisputed_ones(database: Database) -> None:
    for rater in RATERS:
        assert len(answer(database, rater, quarrel(database)).slots) == 8
    asked = ask_third_votes(database, "pilot", "tom")
    bundle, against = load_study(database, "pilot"), disputed(database)
    given = {act.subject: act.held for act in asked.acts}
    assert sorted(case for cases in given.values() for case in cases if case in against) == sorted(against)
    for rater, cases in given.items():
        assert rater is not None
        assert sum(case in against for case in cases) * 2 <= len(cases)
        assert all(rater not in bundle.design.panels[case] for case in cases)
        session = ReviewSession(database, "pilot", rater)
        assert [slot.case for slot in session.slots[8:]] == cases
        assert progress_of(database, "pilot").own(rater).slots == len(session.slots)  # type: ignore[union-attr]
    with pytest.raises(ValueError, match="at least half"):
        list_for_third_votes(["a", "b"], ["c"], "seed")


def test_agreement_has_the_fixed_votes_and_majorities_the_third_ones(database: Database) -> None:
    for rater in RATERS:
        answer(database, rater, quarrel(database))
    before = whole(database)
    assert (before.majority.value, before.undecided) == (9 / 12, 3)
    ask_third_votes(database, "pilot", "tom")
    for rater in RATERS:
        answer(database, rater, lambda _rater, case: "True" if case in disputed(database) else "False")
    after = whole(database)
    assert after.coefficients == before.coefficients
    assert after.passing_share == before.passing_share
    assert (after.ratings, after.missing) == (24, 0)
    assert (after.majority.value, after.undecided) == (1.0, 0)
    assert after.unanimity.reason == "a third rater votes only where two disagree"
    finals = final_labels(*read_study(database, "pilot"))
    assert {final.status for final in finals} == {FinalStatus.MAJORITY}
    assert sorted(len(final.item_votes.votes) for final in finals) == [2] * 9 + [3] * 3


def test_three_different_votes_stay_open_and_are_adjudicated(database: Database) -> None:
    for rater in RATERS:
        answer(database, rater, quarrel(database))
    with pytest.raises(RequestError, match="two votes differ and nobody was asked for a third"):
        AdjudicationSession(database, "pilot", "zoe")
    bundle, events = read_study(database, "pilot")
    open_ones = [final.open_because for final in final_labels(bundle, events) if final.label is None]
    assert open_ones == ["two votes differ, without a third"] * 3
    close_study(database, "pilot", "tom")
    assert len(AdjudicationSession(database, "pilot", "zoe").disputes) == 3


def test_disputes_that_nobody_can_be_asked_about_are_said_to_be_for_adjudicators(database: Database) -> None:
    """With a dispute on every case there is none to put beside them, and the command would say so again."""
    for rater in RATERS:
        answer(database, rater, quarrel(database, 12))
    assert ask_third_votes(database, "pilot", "tom").acts == ()
    bundle, events = read_study(database, "pilot")
    (told,) = third_votes_in_words(bundle, label_rows(bundle, events))
    assert told.endswith("too few others to put beside them, so the adjudicators decide.")
    assert len(AdjudicationSession(database, "pilot", "zoe").disputes) == 12


def test_a_rater_who_answered_everything_stays_blind_until_the_study_is_closed(database: Database) -> None:
    for rater in RATERS:
        answer(database, rater, quarrel(database))
    progress = progress_of(database, "pilot")
    assert progress.finished
    assert "may still get cases" in (why_not_agreement(progress, "anna") or "")
    assert "may still get cases" in (why_not_lead(progress, "anna") or "")
    assert "third votes on cases of pairs" in (
        why_not_influence(database, study_progress(database), "anna", "pairs", Influence.FINDINGS) or ""
    )
    assert owed_by(study_progress(database), "anna")
    assert why_not_agreement(progress, "tom") is None
    close_study(database, "pilot", "tom")
    assert why_not_agreement(progress_of(database, "pilot"), "anna") is None
    with pytest.raises(RequestError, match="is closed, so nobody"):
        ask_third_votes(database, "pilot", "tom")
    reopen_study(database, "pilot", "tom", "one more")
    with pytest.raises(RequestError, match="was closed once"):
        ask_third_votes(database, "pilot", "tom")


def test_a_second_pack_brings_third_votes_back(database: Database, tmp_path: Path) -> None:
    def work(name: str, rater: str, says: Says) -> Sequence[str]:
        path = tmp_path / name
        write_pack(database, "pilot", rater, path)
        worked, _seal = opened_pack(path)
        with closing(worked):
            session = answer(worked, rater, says)
            assert why_not_agreement(progress_of(worked, "pilot"), rater)
            cases = [slot.case for slot in session.slots]
        with untrusted_store(path) as file:
            (merged,) = merge_study_rows(database, file.rows_of_study(file.studies()[0]), name)
        assert not merged.refused
        return cases

    for rater in RATERS:
        assert len(work(f"{rater}.review", rater, quarrel(database))) == 8
    lists = {act.subject: act.held for act in ask_third_votes(database, "pilot", "tom").acts}
    for rater, cases in lists.items():
        assert rater is not None
        assert work(f"{rater}-2.review", rater, lambda _rater, _case: "False")[8:] == cases
    assert not whole(database).undecided


def test_a_case_with_other_first_raters_elsewhere_is_of_a_different_study(
    database: Database, tmp_path: Path
) -> None:
    (tmp_path / "other").mkdir()
    with closing(open_store(tmp_path / "other")) as other:
        fill(other, "pairs", [a_case(number) for number in range(12)])
        create_study(other, "pilot", replace(DESIGN, seed=8), "tom")
        here, there = (load_study(store, "pilot").design.panels for store in (database, other))
        case = next(
            place for place in load_study(database, "pilot").sample if here[place.case] != there[place.case]
        )
        write_pack(other, "pilot", "anna", tmp_path / "anna.review")
    with untrusted_store(tmp_path / "other" / "reviewer.db") as file:
        whole = file.rows_of_study(file.studies()[0])
        (merged,) = merge_study_rows(database, whole, "other", trust=Trust(people=True))
    assert merged.refused == (
        f"its study 'pilot' is a different study: case {case.key!r} was given to "
        f"{', '.join(there[case.case])} there and to {', '.join(here[case.case])} here",
    )
    with untrusted_store(tmp_path / "anna.review") as file:
        (merged,) = merge_study_rows(database, file.rows_of_study(file.studies()[0]), "anna.review")
    assert "its seal does not fit this store's study 'pilot'" in merged.refused[0]


def test_cases_with_a_rater_who_left_are_named(database: Database) -> None:
    with pytest.raises(RequestError, match="has both votes yet"):
        ask_third_votes(database, "pilot", "tom")
    for rater in RATERS:
        answer(database, rater, quarrel(database))
    leave_out(database, "pilot", "ben", "tom", "ill")
    remarks = ask_third_votes(database, "pilot", "tom").remarks
    assert "8 cases (anchoring bias/" in remarks[-1]
    assert "cannot have two votes, since ben was left out" in remarks[-1]
    bundle, events = read_study(database, "pilot")
    assert len(case_votes(bundle, label_rows(bundle, events)).one_sided) == 8
    assert "they differ on" in third_votes_in_words(bundle, label_rows(bundle, events))[0]


@pytest.mark.parametrize(
    ("change", "why"),
    [
        ({"raters_per_case": None}, "give --votes 2"),
        ({"raters": ("anna", "ben")}, "need at least three raters"),
    ],
)
def test_a_design_without_a_third_rater_is_refused(
    database: Database, change: dict[str, object], why: str
) -> None:
    with pytest.raises(RequestError, match=why):
        create_study(database, "other", replace(DESIGN, **change))  # type: ignore[arg-type]


def test_studies_without_third_votes_ask_for_none(database: Database) -> None:
    create_study(database, "plain", replace(DESIGN, third=""), "tom")
    assert "third" not in load_study(database, "plain").study.design
    with pytest.raises(RequestError, match="not made with --third"):
        ask_third_votes(database, "plain", "tom")


def test_lists_wait_for_undisputed_cases() -> None:
    drawn = draw_third_lists(["d1", "d2", "d3"], ["a1"], ["x", "y"], {"x": ["d1", "d2"], "y": ["d3"]}, "s")
    assert {rater: len(cases) for rater, cases in drawn.lists.items()} == {"x": 2, "y": 2}
    assert len(drawn.left) == 1


@pytest.mark.parametrize("disputes", range(6))
def test_order_of_a_list_does_not_tell_which_cases_are_disputed(disputes: int) -> None:
    cases = [f"case {number}" for number in range(10)]
    order = list_for_third_votes(cases[:disputes], cases[disputes:], "s")
    assert order == list_for_third_votes([], cases, "s")
    assert sorted(order) == cases != [*order]

"""The leads of a study, and the times at which they may see its results."""

from collections.abc import Sequence
from pathlib import Path

import pytest

from reviewer.core.errors import RequestError
from reviewer.exchange.packs.pack import opened_pack, write_pack
from reviewer.report.anonymous_raters import anonymised
from reviewer.study.adjudication.adjudication_session import AdjudicationSession
from reviewer.study.design.closing import close_study, last_closing
from reviewer.study.design.joining import join_study
from reviewer.study.design.leads import name_lead
from reviewer.study.design.study_bundle import load_study
from reviewer.study.design.study_creation import Design, create_study
from reviewer.study.session.blinding import may_see_others_answers, why_not_agreement, why_not_warnings
from reviewer.study.session.rater_progress import progress_of
from reviewer.study.session.review_session import ReviewSession
from store.database import Database
from tests.studies import a_case, a_study, fill, open_store


@pytest.fixture
def database(tmp_path: Path) -> Database:
    return open_store(tmp_path)


def made_by_tom(database: Database, raters: Sequence[str] = ("anna", "ben")) -> None:
    fill(database, "data", [a_case(number) for number in range(2)])
    create_study(database, "pilot", Design(("data",), None, 7, raters=tuple(raters)), "tom")


def answer(database: Database, rater: str, count: int = 8) -> None:
    session = ReviewSession(database, "pilot", rater)
    for _ in range(count):
        session.answer("False" if rater == "ben" else "True")


def test_the_maker_leads_and_others_are_named_besides(database: Database) -> None:
    made_by_tom(database)
    name_lead(database, "pilot", "maria", "tom")
    bundle = load_study(database, "pilot")
    assert bundle.leads == progress_of(database, "pilot").leads == ("tom", "maria")
    assert [(act.kind, act.who, act.subject) for act in bundle.acts] == [
        ("lead", "tom", "tom"),
        ("lead", "tom", "maria"),
    ]
    with pytest.raises(RequestError, match="already leads"):
        name_lead(database, "pilot", "maria", "tom")


def test_naming_a_lead_leaves_the_study_open_or_closed(database: Database) -> None:
    made_by_tom(database)
    close_study(database, "pilot", "tom", anyway=True)
    name_lead(database, "pilot", "maria", "tom")
    closing = last_closing(load_study(database, "pilot").acts)
    assert closing is not None
    assert closing.kind == "close"


def test_a_lead_who_does_not_rate_sees_results_when_all_have_finished(database: Database) -> None:
    made_by_tom(database)
    answer(database, "anna")
    answer(database, "ben", 3)
    progress = progress_of(database, "pilot")
    assert not may_see_others_answers(progress, "tom")
    assert "ben has done 3 of 8" in (why_not_agreement(progress, "tom") or "")
    assert why_not_warnings(database, progress, "tom") is None
    with pytest.raises(RequestError, match="ben has done 3 of 8"):
        AdjudicationSession(database, "pilot", "tom")
    answer(database, "ben", 5)
    progress = progress_of(database, "pilot")
    assert may_see_others_answers(progress, "tom")
    assert AdjudicationSession(database, "pilot", "tom").disputes


def test_a_lead_sees_results_when_the_study_is_closed(database: Database) -> None:
    made_by_tom(database)
    answer(database, "anna", 1)
    close_study(database, "pilot", "tom", anyway=True)
    assert may_see_others_answers(progress_of(database, "pilot"), "tom")


def test_a_stranger_sees_nothing_although_all_have_finished(database: Database) -> None:
    made_by_tom(database)
    answer(database, "anna")
    answer(database, "ben")
    progress = progress_of(database, "pilot")
    assert not may_see_others_answers(progress, "zoe")
    assert why_not_warnings(database, progress, "zoe") is not None
    assert "reviewer study lead pilot zoe" in (why_not_agreement(progress, "zoe") or "")
    assert why_not_warnings(database, progress, "anna") is not None


def test_a_lead_who_also_rates_stays_blind_until_they_have_finished(database: Database) -> None:
    made_by_tom(database, ("tom", "ben"))
    answer(database, "ben")
    answer(database, "tom", 7)
    progress = progress_of(database, "pilot")
    assert not may_see_others_answers(progress, "tom")
    assert why_not_warnings(database, progress, "tom") is not None
    answer(database, "tom", 1)
    progress = progress_of(database, "pilot")
    assert may_see_others_answers(progress, "tom")
    assert why_not_warnings(database, progress, "tom") is None


def test_a_rater_with_open_cases_cannot_be_named(database: Database) -> None:
    made_by_tom(database)
    answer(database, "anna", 3)
    with pytest.raises(RequestError, match="has answered 3 of 8; a rater can be named as lead when"):
        name_lead(database, "pilot", "anna", "tom")
    answer(database, "anna", 5)
    name_lead(database, "pilot", "anna", "tom")
    assert load_study(database, "pilot").leads == ("tom", "anna")


def test_a_lead_who_can_see_the_verdicts_cannot_become_a_rater(database: Database) -> None:
    a_study(database, cases=1)
    name_lead(database, "pilot", "tom", "tom")
    study = load_study(database, "pilot").study
    answer(database, "anna", 4)
    with pytest.raises(RequestError, match="can see its verdicts"):
        join_study(database, study, "tom")
    join_study(database, study, "ben")
    join_study(database, study, "tom")


def test_no_lead_is_named_in_a_pack(database: Database, tmp_path: Path) -> None:
    made_by_tom(database)
    write_pack(database, "pilot", "anna", tmp_path / "anna.review")
    pack, _ = opened_pack(tmp_path / "anna.review")
    with pytest.raises(RequestError, match="came here in a pack"):
        name_lead(pack, "pilot", "zoe", "zoe")
    assert progress_of(pack, "pilot").leads == ()


def test_a_report_without_names_does_not_name_its_lead(database: Database) -> None:
    made_by_tom(database, ("tom", "ben"))
    name_lead(database, "pilot", "maria", "tom")
    nameless, _ = anonymised(load_study(database, "pilot"), [])
    assert len(nameless.leads) == 2
    assert not {"tom", "maria"} & {*nameless.leads, *(act.who for act in nameless.acts)}

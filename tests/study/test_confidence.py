"""How sure raters say they are of an answer: one key after it, kept beside it, and left out as they like."""

import json
from collections.abc import Sequence
from contextlib import closing
from dataclasses import replace
from pathlib import Path
from tempfile import TemporaryFile

import pytest

from reviewer.cli.plain_review import PlainReview
from reviewer.core.errors import RequestError
from reviewer.exchange.exports.study_export import study_tables
from reviewer.exchange.exports.study_source import StudySource
from reviewer.exchange.packs.pack import opened_pack, write_pack
from reviewer.results.labels.agreement_results import Method, study_results
from reviewer.results.labels.label_stream import RowsOnDisk
from reviewer.results.labels.rater_work import remarks_of
from reviewer.study.adjudication.adjudication_session import AdjudicationSession
from reviewer.study.design.closing import close_study
from reviewer.study.design.known_answers import GivenAnswer
from reviewer.study.design.study_bundle import load_study
from reviewer.study.design.study_creation import Design, create_study
from reviewer.study.design.study_design import Options
from reviewer.study.integrity.quarantine import read_study
from reviewer.study.session.label_rows import LabelRow, label_rows
from reviewer.study.session.review_session import ReviewSession
from reviewer.study.session.verdicts import notes_of
from reviewer.study.transfer.merge import merge_study_rows
from store.database import Database
from store.findings import CaseFindings, keep_case_findings
from store.records import Finding, Measurement
from store.untrusted_store import untrusted_store
from tests.studies import a_case, fill, open_store

ASKED = Options(confidence=True)
DESIGN = Design(("pairs",), None, 7, raters=("anna", "ben"), questions=("same_task",), options=ASKED)
QUICK = Method(interval="none")


@pytest.fixture
def database(tmp_path: Path) -> Database:
    database = open_store(tmp_path)
    fill(database, "pairs", [a_case(number) for number in range(4)])
    create_study(database, "pilot", DESIGN, "tom")
    return database


def rows(database: Database) -> list[LabelRow]:
    return label_rows(*read_study(database, "pilot"))


def rate(database: Database, rater: str, answers: Sequence[tuple[str, str]]) -> None:
    """Answer the cases in the order of the sample, each with a confidence or ""."""
    session = ReviewSession(database, "pilot", rater)
    places = {slot.case: position for position, slot in enumerate(session.slots)}
    for place, (label, confidence) in zip(session.bundle.sample, answers, strict=False):
        session.go_to(places[place.case])
        session.answer(label)
        if confidence:
            session.say_confidence(confidence)


def test_a_confidence_belongs_to_the_answer_before_it_and_the_newest_counts(database: Database) -> None:
    session = ReviewSession(database, "pilot", "anna")
    first = session.slot
    session.answer("True")
    session.say_confidence("guess")
    assert session.position == 1, "saying it moves nowhere"
    session.say_confidence("sure")
    assert session.history.verdict(first).confidence == "sure"
    session.go_to(0)
    assert "You answered True (sure)." in session.remark
    session.answer("False")
    assert session.history.verdict(first).confidence == "", "another answer, of which nothing was said"
    session.undo()
    assert session.history.verdict(first).confidence == "sure", "an undo brings the answer back as it was"
    assert ReviewSession(database, "pilot", "anna").history.verdict(first).confidence == "sure"


def test_the_work_goes_on_where_it_stopped_after_a_confidence(database: Database) -> None:
    session = ReviewSession(database, "pilot", "anna")
    session.answer("True")
    session.say_confidence("sure")
    assert ReviewSession(database, "pilot", "anna").position == session.position == 1


@pytest.mark.parametrize("before", ["nothing", "skip", "undo"])
def test_without_an_answer_just_before_nothing_is_saved(database: Database, before: str) -> None:
    session = ReviewSession(database, "pilot", "anna")
    if before != "nothing":
        session.answer("True")
        getattr(session, before)()
    held = len(session.history.events)
    with pytest.raises(RequestError, match="answer first"):
        session.say_confidence("sure")
    assert len(session.history.events) == held


def test_a_confidence_is_refused_where_it_would_come_too_late_or_is_not_asked_for(database: Database) -> None:
    early, late = ReviewSession(database, "pilot", "anna"), ReviewSession(database, "pilot", "anna")
    early.answer("True")
    with pytest.raises(RequestError, match="another window of yours has answered"):
        late.say_confidence("sure")
    late.go_to(1)
    late.answer("True")
    with pytest.raises(RequestError, match="another window of yours has answered since"):
        early.say_confidence("sure")
    with pytest.raises(RequestError, match="says too late how sure"):
        create_study(database, "second", replace(DESIGN, options=Options(confidence=True, reveal="findings")))
    create_study(database, "plain", replace(DESIGN, options=Options()))
    assert "confidence" not in load_study(database, "plain").study.design
    plain = ReviewSession(database, "plain", "anna")
    plain.answer("True")
    with pytest.raises(RequestError, match="does not ask how sure"):
        plain.say_confidence("sure")


def test_a_rater_who_saw_the_findings_says_too_late_how_sure_they_were(database: Database) -> None:
    digest = ReviewSession(database, "pilot", "anna").case.digest
    mark = Measurement(case=digest, name="audit", source="measured", engine="swipl 9.2.9", value={})
    about = {"case": digest, "check": "versions_disagree", "check_version": 1, "question": "same_task"}
    finding = Finding(**about, passed=False, severity="serious", why="They choose differently.")
    keep_case_findings(database, [CaseFindings(mark, (), (finding,))])
    session = ReviewSession(database, "pilot", "anna")
    session.answer("True")
    session.go_to(0)
    session.reveal()
    with pytest.raises(RequestError, match="too late to say how sure"):
        session.say_confidence("sure")


def test_training_answers_have_no_confidence(database: Database) -> None:
    given = GivenAnswer("training", "line 1", "pairs", "anchoring bias/0", "same_task", "True", "why")
    create_study(database, "trained", replace(DESIGN, given=(given,)))
    session = ReviewSession(database, "trained", "anna")
    session.answer("True")
    with pytest.raises(RequestError, match="too late to say how sure"):
        session.say_confidence("sure")


def test_it_is_no_note_and_no_remark_for_the_lead(database: Database) -> None:
    rate(database, "anna", [("True", "sure")])
    bundle, events = read_study(database, "pilot")
    assert [event.kind for event in events] == ["label", "note"]
    assert notes_of(events) == []
    assert remarks_of(bundle, events) == ()


def test_agreement_is_divided_by_the_least_sure_answer(database: Database) -> None:
    bundle = load_study(database, "pilot")
    with pytest.raises(RequestError, match="no answer has a confidence"):
        study_results(bundle, rows(database), ("confidence",), QUICK)
    rate(database, "anna", [("True", "rather sure"), ("True", "sure"), ("False", "sure"), ("True", "sure")])
    rate(database, "ben", [("True", "sure"), ("False", "guess"), ("False", "sure"), ("True", "")])
    results = study_results(bundle, rows(database), ("confidence",), QUICK)
    agreed = {result.where["confidence"]: result.of("po_all_agree").value for result in results[:4]}
    assert agreed == {"sure": 1.0, "rather sure": 1.0, "guess": 0.0, "left out": 1.0}
    assert [*agreed] == ["sure", "rather sure", "guess", "left out"]


def test_exports_have_confidences_and_soft_labels_where_they_are_asked_for(database: Database) -> None:
    create_study(database, "plain", replace(DESIGN, options=Options()))
    rate(database, "anna", [("True", "rather sure"), ("True", "")])
    rate(database, "ben", [("True", "sure"), ("False", "guess")])
    tables = study_tables(StudySource.of(*read_study(database, "pilot")), ("question",), QUICK)
    labels, finals = tables["labels.csv"], tables["final_labels.csv"]
    at = labels.columns.index("confidence")
    assert [row[at] for row in labels.rows] == ["rather sure", "sure", None, "guess"]
    soft = [row[finals.columns.index("soft_label")] for row in finals.rows]
    assert [json.loads(str(one)) for one in soft[:2]] == [{"True": 1.0}, {"True": 0.5, "False": 0.5}]
    assert soft[2:] == [None, None]
    plain = study_tables(StudySource.of(*read_study(database, "plain")), ("question",), QUICK)
    assert "confidence" not in plain["labels.csv"].columns
    assert "soft_label" not in plain["final_labels.csv"].columns
    bundle = load_study(database, "pilot")
    with TemporaryFile() as file:
        on_disk = RowsOnDisk(file, rows(database), bundle.questions, bundle.sample)
        assert [row.verdict for row in on_disk] == [row.verdict for row in rows(database)]


def test_adjudicators_see_it_beside_the_answer(database: Database) -> None:
    rate(database, "anna", [("True", "guess")])
    rate(database, "ben", [("False", "")])
    close_study(database, "pilot", "tom", "done", anyway=True)
    (dispute,) = [one for one in AdjudicationSession(database, "pilot", "zoe").disputes if one.comments]
    assert {(one.label, one.confidence) for one in dispute.comments} == {("True", "guess"), ("False", "")}


def test_it_comes_back_from_packs_and_lines_say_it(database: Database, tmp_path: Path) -> None:
    path, said = tmp_path / "anna.review", list[str]()
    write_pack(database, "pilot", "anna", path)
    worked, _seal = opened_pack(path)
    with closing(worked):
        PlainReview(ReviewSession(worked, "pilot", "anna", given="plain"), said.append).run(
            ["True", "rather sure", "True", "True", "guess", "True", "sure", "q"]
        )
    assert said.count("Saved: rather sure.") == 1
    with untrusted_store(path) as file:
        (merged,) = merge_study_rows(database, file.rows_of_study(file.studies()[0]), "anna.review")
    assert not merged.refused
    assert sorted(row.verdict.confidence for row in rows(database)) == ["", "guess", "rather sure", "sure"]

"""Questions of several labels and of free text in agreement, tables, figures and the report."""

import json
from collections.abc import Sequence
from pathlib import Path

import pytest

from reviewer.agreement.coefficient import COEFFICIENTS, SET_COEFFICIENTS
from reviewer.agreement.label_sets import set_ratings
from reviewer.agreement.ratings import Ratings
from reviewer.exchange.exports.study_export import study_tables
from reviewer.exchange.exports.study_source import StudySource
from reviewer.report.report_pages import markdown_page
from reviewer.report.report_statistics import compute_statistics
from reviewer.report.study_report import study_document
from reviewer.results.labels.agreement_results import AgreementResult, Method, study_results
from reviewer.results.labels.disagreements import disagreements
from reviewer.results.labels.label_spread import label_agreement, label_spreads
from reviewer.results.labels.rater_results import rater_results
from reviewer.study.design.study_bundle import StudyBundle
from reviewer.study.integrity.quarantine import read_study
from reviewer.study.session.label_rows import label_rows
from reviewer.study.session.review_session import ReviewSession
from store.records import Event
from tests.studies import FREE, SEVERAL, a_study, open_store, with_questions

SETS: dict[str, Sequence[Sequence[str]]] = {
    "anna": (["anger"], ["anger", "fear"], [], ["left"]),
    "ben": (["anger"], ["fear"], [], ["anger", "left"]),
    "cara": (["anger", "fear"], ["fear"], ["left"], ["left"]),
}
LABELS = ("anger", "fear", "joy, calm", "left")
ANALYTIC = Method(interval="analytic")
Read = tuple[StudyBundle, list[Event]]


@pytest.fixture(scope="module")
def answered(tmp_path_factory: pytest.TempPathFactory) -> Read:
    """Four cases: three raters chose sets of labels, and wrote a text each."""
    database = open_store(tmp_path_factory.mktemp("kinds"))
    a_study(database, cases=4, questions=("same_task", "bias_presence"))
    with_questions(database, {"same_task": SEVERAL, "bias_presence": FREE})
    order = [place.case for place in read_study(database, "pilot")[0].sample]
    for rater, sets in SETS.items():
        session = ReviewSession(database, "pilot", rater)
        while not session.finished:
            at = order.index(session.slot.case)
            chosen = json.dumps(sets[at], separators=(",", ":"))
            session.answer(chosen if session.question.kind == "labels" else f"{rater} on {at}")
    return read_study(database, "pilot")


def by_question(answered: Read, method: Method = ANALYTIC) -> list[AgreementResult]:
    return study_results(answered[0], label_rows(*answered), ("question",), method)


def test_sets_have_alpha_with_a_distance_between_sets(answered: Read) -> None:
    rows = [[frozenset(sets[at]) for sets in SETS.values()] for at in range(4)]
    ratings = set_ratings(rows, LABELS, [*SETS])
    sets, texts, *_ = by_question(answered)
    jaccard, masi = "krippendorff_alpha_jaccard", "krippendorff_alpha_masi"
    assert [*sets.coefficients] == ["po_all_agree", jaccard]
    assert sets.coefficients[jaccard].value == SET_COEFFICIENTS[jaccard](ratings).value
    assert sets.of("fleiss_kappa").reason == "answers are sets of labels"
    assert (texts.form, texts.ratings, dict(texts.coefficients)) == ("text", 12, {})
    assert texts.of("po_all_agree").reason == texts.majority.reason == "answers are texts"
    named = by_question(answered, Method((masi,), "analytic"))[0]
    assert named.coefficients[masi].value == SET_COEFFICIENTS[masi](ratings).value


def test_each_label_has_an_agreement_of_its_own(answered: Read) -> None:
    found = {each.label: each for each in label_agreement(answered[0], label_rows(*answered), ANALYTIC)}
    assert tuple(found) == LABELS
    chosen = [["anger" in sets[at] for sets in SETS.values()] for at in range(4)]
    assert found["anger"].share.value == sum(map(sum, chosen)) / 12
    kappa = COEFFICIENTS["fleiss_kappa"](Ratings.from_labels(chosen, (False, True)))
    assert found["anger"].coefficients["fleiss_kappa"].value == kappa.value
    assert found["joy, calm"].coefficients["fleiss_kappa"].reason == "one category"
    (spread, *_) = label_spreads(answered[0], label_rows(*answered))
    assert (spread.counts, spread.median) == ({"anger": 5, "fear": 4, "joy, calm": 0, "left": 4}, ())


def test_texts_are_no_disagreements_and_are_exported(answered: Read) -> None:
    from reviewer.figures.label_charts import label_matrix  # matplotlib takes a second to load

    found = disagreements(answered[0], label_rows(*answered))
    assert {each.question.kind for each in found} == {"labels"}
    assert found[0].said("cara") == "anger, fear"
    label_matrix(found)
    tables = study_tables(StudySource.of(*answered), ("question",), ANALYTIC)
    assert "ben on 3" in tables["labels.csv"].to_csv()
    assert {"label_counts.csv", "label_agreement.csv"} <= {*tables}
    assert [each.with_others.reason for each in rater_results(answered[0], label_rows(*answered))] == [
        "questions with different labels"
    ] * 3


def test_the_report_has_both(answered: Read, tmp_path: Path) -> None:
    page = markdown_page(study_document(compute_statistics(*answered, ANALYTIC)), frozenset())
    assert "Agreement by label" in page
    assert "α jaccard" in page

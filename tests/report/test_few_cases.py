"""Values that rest on few cases say so wherever people see them; skew is named only where there is some."""

import re
from pathlib import Path

import pytest

from reviewer.agreement.proportions import proportion
from reviewer.report.agreement_text import agreement_tables
from reviewer.report.diagnostics import chance_blocks
from reviewer.report.document import Paragraph
from reviewer.report.precision_text import power_in_words
from reviewer.report.report_statistics import ReportStatistics, compute_statistics
from reviewer.report.study_report import report_files
from reviewer.report.text_table import text_table
from reviewer.results.labels.agreement_results import AgreementResult, IntervalKind, Method, study_results
from reviewer.results.labels.label_spread import label_agreement
from reviewer.results.labels.study_statistics import StudyStatistics
from reviewer.study.design.study_bundle import StudyBundle, load_study
from reviewer.study.session.label_rows import label_rows
from reviewer.study.session.review_session import ReviewSession
from reviewer.tui.rendering.agreement_grid import grid_of
from store.ledger import Ledger
from store.records import Event
from tests.studies import SEVERAL, a_study, open_store, with_questions

LABELS = {"anna": "True", "ben": "True", "cara": "False"}


def one_case(folder: Path, **labels: str) -> tuple[StudyBundle, list[Event]]:
    """A study of one case whose raters give the same label to every question."""
    database = open_store(folder)
    a_study(database, cases=1)
    for rater, label in (labels or LABELS).items():
        session = ReviewSession(database, "pilot", rater)
        while not session.finished:
            session.answer(label)
    return load_study(database, "pilot"), Ledger(database).events("pilot")


@pytest.mark.parametrize("interval", ["bootstrap", "analytic"])
def test_values_of_a_single_case_say_so_in_the_terminal(tmp_path: Path, interval: IntervalKind) -> None:
    bundle, events = one_case(tmp_path)
    results = study_results(bundle, label_rows(bundle, events), ("question",), Method(interval=interval))
    (table,) = agreement_tables(results, ("question",))
    ends = table.rows[1]
    assert "too few cases" in ends
    assert "too few cases" in text_table(table)


def test_without_intervals_nothing_stands_in_their_place(tmp_path: Path) -> None:
    bundle, events = one_case(tmp_path)
    results = study_results(bundle, label_rows(bundle, events), ("question",), Method(interval="none"))
    (table,) = agreement_tables(results, ("question",))
    assert "too few cases" not in text_table(table)
    assert "maj." in table.columns, "pass rates have the room of the intervals"


def test_values_of_a_single_case_say_so_on_the_screen(tmp_path: Path) -> None:
    statistics = StudyStatistics(*one_case(tmp_path))
    for view in ("heat map", "coefficients", "pass rates"):
        cells = [cell for row in grid_of(statistics, view, ("group",)).rows for cell in row]
        assert any(cell.hatched for cell in cells), view
        assert not any("[" in line for cell in cells for line in cell.lines), view


def test_values_of_a_single_case_say_so_in_the_report(tmp_path: Path) -> None:
    found = compute_statistics(*one_case(tmp_path), Method(interval="bootstrap", resamples=50))
    text = str(report_files(found, with_figures=False)["report.md"]).replace("\\", "")
    assert re.search(r"\| same task .* \| \.00° \|", text)
    assert "°: the number rests on fewer than 10 cases" in text
    assert "Some rows rest on fewer than 10 cases and have no interval." in text


def test_agreement_on_a_single_label_says_so_too(tmp_path: Path) -> None:
    database = open_store(tmp_path)
    a_study(database, cases=2, questions=("same_task",))
    with_questions(database, {"same_task": SEVERAL})
    for rater in ("anna", "ben"):
        session = ReviewSession(database, "pilot", rater)
        while not session.finished:
            session.answer('["anger"]')
    bundle = load_study(database, "pilot")
    rows = label_rows(bundle, Ledger(database).events("pilot"))
    for agreement in label_agreement(bundle, rows, Method(interval="analytic")):
        assert {estimate.few for estimate in agreement.coefficients.values()} == {"cases"}


def hidden(statistics: ReportStatistics) -> str:
    return " ".join(block.text for block in chance_blocks(statistics) if isinstance(block, Paragraph))


def test_skew_is_not_named_as_the_reason_where_raters_disagree(tmp_path: Path) -> None:
    found = compute_statistics(*one_case(tmp_path), Method(interval="none"))
    assert "although raters agree" not in hidden(found)


def test_skew_is_named_where_it_makes_kappa_low(tmp_path: Path) -> None:
    database = open_store(tmp_path)
    a_study(database, cases=12, questions=("same_task", "bias_presence"))
    for rater in LABELS:
        session, answered = ReviewSession(database, "pilot", rater), 0
        while not session.finished:
            lone = session.question.key == "same_task" and answered == 3 and rater == "cara"
            split = session.question.key == "bias_presence" and (answered + len(rater)) % 2
            session.answer("False" if lone or split else "True")
            answered += 1
    found = compute_statistics(
        load_study(database, "pilot"), Ledger(database).events("pilot"), Method(interval="none")
    )
    skewed = [result.where["question"] for result in found.questions if result.skew]
    assert skewed == ["same task"]
    assert "kappa and alpha are low although raters agree, as on “same task”." in hidden(found)


def rated(generator: str, passed: int, n: int, kind: str = "cell") -> AgreementResult:
    rate, same = proportion(passed, n), proportion(n, n)
    where = {"question": "answer", "generator": generator}
    return AgreementResult(kind, where, n, n, 2, 2 * n, 0, same, {"po_all_agree": same}, rate, rate, 0)  # type: ignore[arg-type]


def test_power_names_higher_rates_too() -> None:
    results = [rated("a", 10, 16), rated("b", 11, 16), rated("all", 21, 32, "pooled")]
    (words,) = power_in_words(results, ("question", "generator"), Method(), 2)
    assert "can tell a pass rate by majority of .66 only from one of .19 or less, or of .98 or more" in words

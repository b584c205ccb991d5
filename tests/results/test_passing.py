"""One rule says which items pass: in pass rates, final labels, releases, cards, reports and screens."""

from collections.abc import Iterator, Sequence
from contextlib import closing

import pytest

from reviewer.exchange.exports.study_export import study_tables
from reviewer.exchange.exports.study_source import StudySource
from reviewer.exchange.releases.release_facts import study_facts
from reviewer.exchange.rows.dataset_import import import_path
from reviewer.report.report_statistics import compute_statistics
from reviewer.report.study_report import report_files
from reviewer.results.labels.agreement_results import AgreementResult, Method, study_results
from reviewer.results.labels.final_labels import ClosedStudy, FinalLabel, final_counts, read_closed_study
from reviewer.results.labels.label_stream import read_labels
from reviewer.results.labels.rater_results import rater_results
from reviewer.results.labels.study_statistics import StudyStatistics
from reviewer.study.design.closing import close_study
from reviewer.study.design.design_facts import design_facts
from reviewer.study.design.joining import join_study
from reviewer.study.design.study_bundle import load_outline, load_study
from reviewer.study.design.study_creation import Design, create_study
from reviewer.study.session.label_rows import label_rows
from reviewer.tui.rendering.agreement_grid import grid_of
from store.database import Database
from store.ledger import Ledger
from tests.answer_pairs import a_row, write_lines
from tests.studies import open_store

RATERS = ("anna", "ben", "cara")
FIRST, SECOND = "first", "second"
PUBLISHED = [(FIRST, SECOND)[number % 2] for number in range(12)]
VOTES: Sequence[Sequence[str]] = [
    *([label] * 3 for label in PUBLISHED[:6]),
    (SECOND, SECOND, SECOND),  # the published label is the first: it does not pass
    (FIRST, SECOND, "neither"),  # no majority label: undecided
    (FIRST, SECOND, FIRST),  # passes by majority
    (FIRST, FIRST, SECOND),  # the published label is the second
    ("neither", "neither", "neither"),
    (SECOND, SECOND, SECOND),
]
PASSED, UNDECIDED, FAILED = 8, 1, 3
UNANIMOUS = 7


@pytest.fixture(scope="module")
def judged(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Database]:
    """A closed study of twelve pairs, each with a published label; three raters answered everything."""
    folder = tmp_path_factory.mktemp("passing")
    with closing(open_store(folder)) as database:
        rows = [a_row(number) for number in range(len(VOTES))]
        import_path(
            database, write_lines(folder / "pairs.jsonl", rows), protocol="judge-pairs", dataset="pairs"
        )
        create_study(database, "pilot", Design(("pairs",), None, 3))
        for at, rater in enumerate(RATERS):
            answer(database, rater, at)
        close_study(database, "pilot", "lead")
        yield database


def answer(database: Database, rater: str, at: int) -> None:
    """The votes of this rater, case by case; all find that results differ."""
    bundle = load_study(database, "pilot")
    join_study(database, bundle.study, rater)
    numbers = {place.case: int(place.key.rpartition("-")[2]) for place in bundle.sample}
    with Ledger(database).turn("pilot", rater, "") as turn:
        for question in bundle.questions:
            for slot in bundle.slots(question):
                label = VOTES[numbers[slot.case]][at] if question.key == "right_result" else "False"
                turn.add(
                    case=slot.case,
                    question=question.key,
                    question_digest=bundle.shown_digest(slot),
                    kind="label",
                    given="app",
                    value=label,
                    active_ms=9000,
                )


@pytest.fixture
def closed(judged: Database) -> ClosedStudy:
    return read_closed_study(judged, "pilot")


def right_result(results: Sequence[AgreementResult]) -> AgreementResult:
    return next(result for result in results if result.where["question"] == "right result")


def check(result: AgreementResult) -> None:
    """Pass rates as the published labels let items pass."""
    assert result.majority.value == PASSED / 12
    assert result.unanimity.value == UNANIMOUS / 12
    assert (result.majority.n, result.undecided) == (12, UNDECIDED)


@pytest.mark.parametrize("interval", ["analytic", "bootstrap", "none"])
def test_pass_rates_ask_for_the_published_label(closed: ClosedStudy, interval: str) -> None:
    rows = label_rows(closed.bundle, closed.events)
    method = Method(interval=interval, resamples=50)  # type: ignore[arg-type]
    check(right_result(study_results(closed.bundle, rows, ("question",), method)))


def test_pass_rates_of_a_study_that_is_read_case_by_case_are_the_same(judged: Database) -> None:
    read = read_labels(judged, "pilot")
    check(right_result(study_results(read.bundle, read.answers, ("question",), Method())))
    whole, outline = load_study(judged, "pilot"), load_outline(judged, "pilot")
    for question in whole.questions:
        for place in whole.sample:
            assert outline.passing(question, place.case) == whole.passing(question, place.case)


def test_labels_of_raters_let_an_item_pass_only_if_they_are_the_published_one(closed: ClosedStudy) -> None:
    rows = label_rows(closed.bundle, closed.events)
    for at, result in enumerate(rater_results(closed.bundle, rows, ("question",))[:3]):
        wanted = sum(votes[at] == label for votes, label in zip(VOTES, PUBLISHED, strict=True))
        assert (result.rater, result.passing_share.value) == (RATERS[at], wanted / 12)


def test_item_without_a_final_label_is_undecided(closed: ClosedStudy) -> None:
    about = [final for final in closed.finals if final.question.key == "right_result"]
    states = [final.passes for final in about]
    assert [states.count(state) for state in (True, None, False)] == [PASSED, UNDECIDED, FAILED]
    (open_one,) = [final for final in about if final.label is None]
    assert isinstance(open_one, FinalLabel)
    assert open_one.passes is None, "two of three votes are passing labels, but not the same one"


def test_release_counts_cases_as_pass_rates_do(closed: ClosedStudy) -> None:
    outcomes = list(closed.outcomes().values())
    assert [outcomes.count(state) for state in (True, None, False)] == [PASSED, UNDECIDED, FAILED]
    assert {title: len(cases) for title, cases in closed.contradicted.items()} == {"published label": 2}
    facts = study_facts(closed, ())
    assert (facts.passed, facts.undecided, facts.failed) == (PASSED, UNDECIDED, FAILED)
    question = facts.questions[0]
    assert (question.majority.value, question.checked) == (PASSED / 12, ("published label",))


def test_share_of_final_labels_that_pass_leaves_undecided_items_out(closed: ClosedStudy) -> None:
    counts = {count.question: count for count in final_counts(closed.finals)}
    passing = counts["right result"].passing
    assert (passing.value, passing.n) == (PASSED / (12 - UNDECIDED), 12 - UNDECIDED)


def test_final_labels_in_files_say_which_items_pass(closed: ClosedStudy) -> None:
    tables = study_tables(StudySource.of(closed.bundle, list(closed.events)), ("question",), Method())
    table = tables["final_labels.csv"]
    at = [table.columns.index(name) for name in ("question", "passes")]
    passes = [row[at[1]] for row in table.rows if row[at[0]] == "right result"]
    assert [passes.count(state) for state in (True, None, False)] == [PASSED, UNDECIDED, FAILED]


def test_report_and_screen_show_the_same_pass_rates(closed: ClosedStudy) -> None:
    found = compute_statistics(closed.bundle, list(closed.events), Method(interval="none"))
    text = str(report_files(found, with_figures=False)["report.md"]).replace("\\", "")
    assert "an item passes with first or second, if that is also the published label" in text
    assert "1 item has no majority label: undecided, and not passed." in text
    assert "| right result |" in text
    assert ".67" in text
    statistics = StudyStatistics(closed.bundle, list(closed.events))
    grid = grid_of(statistics, "pass rates", ("group",), Method(interval="none"))
    row = next(row for row in grid.rows if row[0].lines == ("right result",))
    assert ".67" in [cell.lines[0] for cell in row]


def test_design_says_what_lets_an_item_pass(closed: ClosedStudy) -> None:
    facts = dict(design_facts(closed.bundle))
    assert "passing: first or second, if that is also the published label" in facts["question right_result"]

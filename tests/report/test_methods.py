"""What a report says of how answers were given, against what happened."""

from dataclasses import replace
from pathlib import Path

import pytest

from reviewer.agreement.proportions import proportion
from reviewer.core.estimate import FEWEST_CASES
from reviewer.core.number_text import width_in_points
from reviewer.core.whole_files import write_texts
from reviewer.exchange.sheets.sheet_import import check_sheets, store_sheets
from reviewer.exchange.sheets.sheet_writer import validation_files
from reviewer.report.anonymous_raters import anonymised
from reviewer.report.design_section import _questions
from reviewer.report.document import Numbers, Picture, Quote
from reviewer.report.precision_text import power_in_words
from reviewer.report.report_statistics import compute_statistics
from reviewer.report.study_report import report_files, study_document
from reviewer.results.labels.agreement_results import AgreementResult, Kind, Method
from reviewer.results.labels.label_provenance import label_provenance_of
from reviewer.results.tables.agreement_tables import agreement_spec
from reviewer.study.design.closing import close_study, late_in_words
from reviewer.study.design.design_facts import describe_study
from reviewer.study.design.study_bundle import ExcludedEvent, StudyBundle, load_study
from reviewer.study.design.study_creation import Design, create_study
from reviewer.study.session.label_rows import label_rows
from reviewer.study.session.review_session import ReviewSession
from store.database import Database
from store.ledger import Ledger
from store.records import GivenBy
from tests.judged import judged_study
from tests.studies import BIASES, WITHOUT_GUIDELINE, a_case, a_study, fill, open_store, with_questions

DAY = 86_400_000
FIRST_DAY = 1_767_225_600_000  # 2026-01-01


@pytest.fixture
def database(tmp_path: Path) -> Database:
    return open_store(tmp_path)


def bundle_of(database: Database) -> StudyBundle:
    return load_study(database, "pilot")


def report(database: Database) -> str:
    found = compute_statistics(bundle_of(database), Ledger(database).events("pilot"), Method(interval="none"))
    return str(report_files(found, with_figures=False)["report.md"]).replace("\\", "")


def answer(
    database: Database, rater: str, given: GivenBy, count: int, *panes: str, day: int = 0
) -> ReviewSession:
    session = ReviewSession(
        database, "pilot", rater, clock=lambda: FIRST_DAY + day * DAY, stopwatch=lambda: 0, given=given
    )
    for _ in range(count):
        session.see(panes)
        session.answer("True")
    return session


def fill_sheets(database: Database, folder: Path, source: str, rater: str) -> None:
    """Sheets with one rater's answers, read in as another's."""
    write_texts(folder, validation_files(bundle_of(database), Ledger(database).events("pilot"), [source]))
    checked = check_sheets(bundle_of(database), folder / source)
    assert not checked.problems
    store_sheets(database, bundle_of(database), rater, checked.verdicts)


def test_each_way_is_told_by_itself_with_its_days(database: Database, tmp_path: Path) -> None:
    a_study(database, cases=2)
    answer(database, "anna", "app", 3, "texts", "programs", day=1)
    answer(database, "anna", "browser", 5, "texts", day=3)
    fill_sheets(database, tmp_path, "anna", "ben")
    text = report(database)
    assert "In the terminal app: 3 labels of anna. Answered on 2026-01-02 (UTC)." in text
    assert "In the app in a browser window: 5 labels of anna. Answered on 2026-01-04 (UTC)." in text
    sheet = next(line for line in text.splitlines() if line.startswith("- In a spreadsheet"))
    assert "8 labels of ben." in sheet
    assert "The days on which they were answered are not known" in sheet
    assert "random" not in sheet
    assert "Nothing was revealed by the sheet." in sheet
    assert "| app | same task | 2 | programs, texts |" in text
    assert "| browser | axioms | 2 | texts |" in text
    assert "| spreadsheet | same task | 2 | version A, version B |" in text
    assert "stood beside the texts" not in text, "nobody recorded that of the sheets"


def test_lines_of_plain_mode_may_have_come_in_another_order(database: Database) -> None:
    a_study(database, cases=2)
    answer(database, "anna", "plain", 3, "texts")
    answer(database, "ben", "app", 3, "texts")
    lines = [line for line in report(database).splitlines() if "a line may name" in line]
    assert [line[:16] for line in lines] == ["- In plain mode,"]
    assert "Raters may have answered in another order" in lines[0]


def test_what_was_visible_before_some_answers_only_is_counted(database: Database) -> None:
    a_study(database, cases=2)
    answer(database, "anna", "app", 1, "texts", "proof")
    answer(database, "anna", "app", 1, "texts")
    assert "| app | same task | 2 | texts, proof (1) |" in report(database)


def test_a_reveal_is_told_where_it_happened(database: Database) -> None:
    a_study(database, cases=2)
    session = answer(database, "anna", "app", 5, "texts")
    assert "Nothing more about a case was shown to raters after these answers." in report(database)
    session.go_to(4)  # what was measured bears on this question
    session.reveal()
    assert (
        "After 1 of these answers the rater saw the findings, when the rater returned to the case "
        "and asked for them. No second verdict followed."
    ) in report(database)
    session.answer("False")
    assert "1 second verdict followed, which is kept apart and not counted in agreement" in report(database)


def test_an_answer_that_an_undo_brought_back_keeps_its_way(database: Database) -> None:
    a_study(database, cases=1, reveal="none")
    first = answer(database, "anna", "browser", 1, "texts")
    first.go_to(0)
    first.answer("False")
    again = ReviewSession(database, "pilot", "anna", given="plain")
    again.undo()
    bundle, events = bundle_of(database), Ledger(database).events("pilot")
    (way,) = label_provenance_of(label_rows(bundle, events))
    assert (way.given, way.labels, dict(way.panes["same_task"])) == ("browser", 1, {"texts": 1})


def test_raters_are_those_who_gave_a_label_that_counts(database: Database) -> None:
    a_study(database, cases=1, raters=("anna", "ben", "cara"))
    answer(database, "anna", "app", 4, "texts")
    ReviewSession(database, "pilot", "ben").comment("I could not begin.")
    text = report(database)
    assert "1 rater judged 1 case on 4 questions: 4 items, 4 labels." in text
    assert "**Raters**: 1: anna" in text
    assert "**Without labels**: ben, cara" in text
    assert "1 cases" not in text


def test_missing_labels_are_said_to_be_owed(database: Database) -> None:
    a_study(database, cases=1)
    answer(database, "anna", "app", 3, "texts")
    assert "4 questions: 4 items, 3 of the 4 labels that they owe." in report(database)


def test_what_only_a_lead_knows_is_printed_or_named_as_missing(database: Database) -> None:
    a_study(database, cases=1)
    answer(database, "anna", "app", 4, "texts")
    assert "**Consent**: missing: not described (`reviewer study describe pilot --consent" in report(database)
    describe_study(database, "pilot", "eve", {"consent": "All agreed in writing."})
    text = report(database)
    assert "**Consent**: All agreed in writing." in text
    assert "**Recruitment**: missing" in text


def test_how_many_of_how_many_were_drawn_and_what_was_left_out(database: Database) -> None:
    fill(database, "data", [a_case(number, BIASES[number % 2]) for number in range(7)])
    create_study(database, "pilot", Design(("data",), 1, 7))
    answer(database, "anna", "app", 1, "texts")
    text = report(database)
    assert "2 cases of 7 that could be drawn from dataset “data”: 1 case of each group, at random" in text
    assert f"| {BIASES[0]} | 4 | 4 | 1 | 3 |" in text
    assert f"| {BIASES[1]} | 3 | 3 | 1 | 2 |" in text
    assert "What was drawn from dataset “data”, and what was left out" in text
    assert "| all | 7 | 7 | 2 | 5 |" in text
    assert "Dataset “data” gave no case of: " in text


def test_a_study_of_an_earlier_release_does_not_know_what_was_left_out(database: Database) -> None:
    study = a_study(database, cases=1)
    answer(database, "anna", "app", 1, "texts")
    design = {key: value for key, value in study.design.items() if key != "population"}
    old = study.model_copy(update={"design": design})
    bundle = bundle_of(database)
    from dataclasses import replace

    found = compute_statistics(
        replace(bundle, study=old), Ledger(database).events("pilot"), Method(interval="none")
    )
    text = str(report_files(found, with_figures=False)["report.md"]).replace("\\", "")
    assert "How many cases each dataset held when the sample was drawn was not recorded." in text


def test_widths_and_power_are_told_in_words(database: Database) -> None:
    judged_study(database, per_generator=16)
    found = compute_statistics(bundle_of(database), Ledger(database).events("pilot"), Method(resamples=200))
    text = str(report_files(found, with_figures=False)["report.md"]).replace("\\", "")
    whole, cells = found.results[-1], [each for each in found.results if each.kind == "cell"]
    intervals = [each.coefficients["po_all_agree"].interval for each in (whole, *cells)]
    first, *others = [width_in_points(each.low, each.high) for each in intervals if each is not None]
    assert (
        f"95% interval of the share on which all raters agree is {first} percentage points wide over all "
        f"items, and at most {max(others)} in a row (" in text
    )
    assert "if two values of generator have 16 items each (the fewest in any subgroup)" in text
    assert "can tell a pass rate by majority of .97 only from" in text


def test_one_generator_has_no_totals_beside_and_no_bars_that_pool(database: Database) -> None:
    a_study(database, cases=2)
    answer(database, "anna", "app", 8, "texts")
    answer(database, "ben", "app", 8, "texts")
    found = compute_statistics(bundle_of(database), Ledger(database).events("pilot"), Method(interval="none"))
    captions = [each.caption for each in study_document(found).blocks if isinstance(each, Numbers | Picture)]
    assert not any("of each generator" in caption or "pool all" in caption for caption in captions)
    assert "Power" not in report(database)


def test_events_that_came_late_are_told_in_the_words_of_sheets_and_packs(database: Database) -> None:
    a_study(database, cases=1)
    session = answer(database, "anna", "app", 4)
    close_study(database, "pilot", "lead", "done")
    late = session.history.events[session.history.newest].model_copy(update={"id": "7" + "f" * 31})
    told = "Late answers, which come after a study is closed, are kept but not counted: 1 event of anna."
    assert late_in_words(bundle_of(database), [*Ledger(database).events("pilot"), late]) == [told]


def test_intervals_that_leave_out_resamples_are_told_beside_every_table(database: Database) -> None:
    a_study(database, cases=10)
    for rater, odd in (("anna", ()), ("ben", (0,)), ("cara", (0, 5))):
        session = answer(database, rater, "app", 0)
        for at in range(len(session.slots)):
            session.answer("False" if at in odd else "True")
            session.proceed()
    found = compute_statistics(
        bundle_of(database), Ledger(database).events("pilot"), Method(interval="bootstrap", resamples=200)
    )
    document = study_document(found)
    (pairs,) = (block for block in document.blocks if isinstance(block, Numbers) and block.name == "pairs")
    (note,) = (note for note in pairs.notes if note.startswith("Intervals leave out the resamples in which"))
    assert "a coefficient is undefined: anna & ben (" in note
    assert "ben & cara (" in note, "one sentence for all rows"


def test_no_left_out_event_names_its_rater_in_a_report_without_names(database: Database) -> None:
    a_study(database, cases=1)
    answer(database, "anna", "app", 4)
    bundle = replace(
        bundle_of(database),
        left_out=(ExcludedEvent("e1", "anna", "odd"), ExcludedEvent("e2", "mallory", "odd")),
    )
    nameless, _ = anonymised(bundle, Ledger(database).events("pilot"))
    assert [each.rater for each in nameless.left_out] == ["rater A", "somebody"]


def test_dashes_margins_and_single_items_are_told_as_they_are(database: Database) -> None:
    a_study(database, cases=11)
    ben = answer(database, "ben", "app", 10)
    anna = answer(database, "anna", "app", 0)
    shared = {slot.case for slot in ben.slots[:10]}
    other = next(at for at, slot in enumerate(anna.slots[:11]) if slot.case not in shared)
    while not anna.finished:
        anna.answer("False" if anna.position == other else "True")
        anna.proceed()
    found = compute_statistics(
        bundle_of(database), Ledger(database).events("pilot"), Method(interval="bootstrap", resamples=200)
    )
    text = str(report_files(found, with_figures=False)["report.md"]).replace("\\", "")
    assert "10 of 11 items have two or more labels; agreement is computed from these." in text
    assert "±.00" not in text
    assert "Over all items it is not given, because every resample has the same value." in text
    assert "Undefined: all agree, pairwise, Fleiss' κ, AC1 at bias presence, reconstruction, axioms." in text
    anna.go_to(30)
    anna.reveal()  # what this answer reveals is seen, and no second verdict follows
    assert "no second verdict: No second verdict was given" in report(database)


def test_few_cases_have_no_interval_for_people_and_keep_it_for_machines(database: Database) -> None:
    a_study(database, cases=FEWEST_CASES - 1)
    for rater in ("anna", "ben"):
        answer(database, rater, "app", 4 * (FEWEST_CASES - 1))
    found = compute_statistics(
        bundle_of(database), Ledger(database).events("pilot"), Method(interval="bootstrap", resamples=200)
    )
    text = str(report_files(found, with_figures=False)["report.md"]).replace("\\", "")
    assert "AC1 is 1.00." in text
    assert "1.00°" in text
    assert "°: the number rests on fewer than 10 cases" in text
    assert "[1.00, 1.00]" not in text
    assert "because no row rests on 10 cases" in text
    columns = agreement_spec(found.look.by, found.results).for_programs(found.results)
    low = columns.columns.index("gwet_ac1_low")
    assert {row[low] for row in columns.rows if row[columns.columns.index("kind")] != "mean of cells"} == {
        1.0
    }


def test_enough_cases_show_their_interval(database: Database) -> None:
    a_study(database, cases=FEWEST_CASES)
    for rater in ("anna", "ben"):
        answer(database, rater, "app", 4 * FEWEST_CASES)
    found = compute_statistics(
        bundle_of(database), Ledger(database).events("pilot"), Method(interval="analytic")
    )
    text = str(report_files(found, with_figures=False)["report.md"]).replace("\\", "")
    assert "°" not in text
    assert "AC1 is 1.00 (1.00 to 1.00)" in text


def _rated(kind: Kind, question: str, generator: str, passed: int, n: int) -> AgreementResult:
    rate = proportion(passed, n)
    where, same = {"question": question, "generator": generator}, proportion(n, n)
    return AgreementResult(kind, where, n, n, 2, 2 * n, 0, same, {"po_all_agree": same}, rate, rate, 0)


def test_power_is_told_by_question_where_only_some_questions_have_pass_rates() -> None:
    results = [
        _rated("cell", "answer", "a", 3, 3),
        _rated("cell", "answer", "b", 5, 7),
        _rated("cell", "hardness", "a", 0, 0),
        _rated("cell", "hardness", "b", 0, 0),
        _rated("pooled", "answer", "all", 8, 10),
        _rated("pooled", "hardness", "all", 0, 0),
        _rated("pooled", "all", "all", 0, 0),
    ]
    (power,) = power_in_words(results, ("question", "generator"), Method(), 2)
    assert power.startswith("Power for answer: if two values of generator have 3 items each")
    assert "a pass rate by majority of .80" in power


def test_the_questions_have_the_definitions_of_their_labels(tmp_path: Path) -> None:
    database = open_store(tmp_path)
    a_study(database, cases=1, questions=("same_task",))
    with_questions(
        database, {"same_task": {**WITHOUT_GUIDELINE, "definitions": {"True": "The task is the same."}}}
    )
    (quote,) = _questions(load_study(database, "pilot"))
    assert isinstance(quote, Quote)
    assert quote.text.splitlines()[1:] == ["True: The task is the same."]

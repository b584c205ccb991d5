"""The first page of a report: the result, raters in doubt, and omissions."""

import re
from collections.abc import Iterator, Mapping
from dataclasses import replace
from itertools import takewhile
from pathlib import Path

import pytest

from reviewer.core.estimate import Estimate, Interval
from reviewer.core.number_text import width_in_points
from reviewer.core.pane import Pair, Text
from reviewer.core.prose_diff import changed_sentences
from reviewer.report.document import Box, Numbers, Paragraph, Picture, Section, Votes
from reviewer.report.first_page import _lowest, chances_in_words, first_page, hastes_in_words
from reviewer.report.report_pages import html_page, latex_page, markdown_page
from reviewer.report.report_statistics import ReportStatistics, compute_statistics
from reviewer.report.study_report import study_document
from reviewer.results.labels.agreement_results import Method
from reviewer.results.labels.rater_warnings import Haste
from reviewer.study.adjudication.adjudication_session import AdjudicationSession
from reviewer.study.design.joining import join_study
from reviewer.study.design.study_bundle import load_study
from reviewer.study.design.study_creation import Design, create_study
from reviewer.study.design.study_design import FrozenStratum
from store.database import Database
from store.ledger import Ledger
from tests.studies import a_case, a_study, fill, open_store, with_questions

CASES = 12


def answer_all(database: Database, rater: str, seconds: int, *, denied: int = 0) -> None:
    """Every answer True, but False on the first ``denied`` cases of each question."""
    bundle = load_study(database, "pilot")
    join_study(database, bundle.study, rater)
    with Ledger(database).turn("pilot", rater, "") as turn:
        for question in bundle.questions:
            for at, slot in enumerate(bundle.slots(question)):
                turn.add(
                    case=slot.case,
                    question=question.key,
                    question_digest=bundle.shown_digest(slot),
                    given="app",
                    kind="label",
                    value="False" if at < denied else "True",
                    active_ms=1000 * seconds,
                )


def statistics_of(database: Database) -> ReportStatistics:
    return compute_statistics(load_study(database, "pilot"), Ledger(database).events("pilot"), Method())


@pytest.fixture
def database(tmp_path: Path) -> Iterator[Database]:
    store = open_store(tmp_path)
    a_study(store, cases=CASES, questions=("same_task", "bias_presence"))
    answer_all(store, "anna", 60)
    answer_all(store, "ben", 60, denied=3)
    yield store
    store.close()


def first_texts(found: ReportStatistics) -> list[str]:
    """The paragraphs before the main table."""
    before = takewhile(lambda block: isinstance(block, Paragraph), study_document(found).blocks)
    return [block.text for block in before if isinstance(block, Paragraph)]


def first_text(found: ReportStatistics) -> str:
    return " ".join(first_texts(found))


def limits(found: ReportStatistics) -> str:
    return " ".join(next(block.items for block in study_document(found).blocks if isinstance(block, Box)))


def test_the_result_comes_before_the_design(database: Database) -> None:
    blocks = study_document(statistics_of(database)).blocks
    design = next(at for at, block in enumerate(blocks) if isinstance(block, Section))
    kinds = [type(block).__name__ for block in blocks[:design]]
    assert kinds == [*["Paragraph"] * 3, "Numbers", "Picture", "Box", "Paragraph"]
    main = blocks[3]
    assert isinstance(main, Numbers)
    assert main.table.columns == (
        "question",
        "items",
        "all agree",
        "Fleiss' kappa",
        "Gwet's AC1",
        "pass by majority",
    )


def test_paragraphs_of_the_first_page_are_short_and_name_the_first_interval(database: Database) -> None:
    answer_all(database, "cara", 1)
    decide(database, "True")
    found = statistics_of(database)
    texts = first_texts(replace(found, weighted=(replace(found.results[-1], kind="dataset"),)))
    assert len(texts) == 5
    assert max(map(len, texts)) < 5 * 112, "five lines on paper"
    told = " ".join(texts)
    assert told.count("95% interval: ") == 1
    assert "(95% interval: " in texts[0]
    assert told.index("95% interval: ") < min(found.start() for found in re.finditer(r"% \(\d+% to", told))


def test_a_column_with_one_value_in_every_row_is_left_out(database: Database) -> None:
    document = study_document(statistics_of(database))
    tables = [block for block in document.blocks if isinstance(block, Numbers)]
    assert "All cases were written by the model model-1." in first_text(statistics_of(database))
    assert [block.name for block in tables if "generator" in block.table.columns] == []
    fill(database, "others", [a_case(100 + at) for at in range(2)], "model-2")
    create_study(database, "both", Design(("pilot-data", "others"), None, 7))
    bundle = load_study(database, "both")
    both = compute_statistics(bundle, Ledger(database).events("both"), Method())
    text = " ".join(block.text for block in study_document(both).blocks if isinstance(block, Paragraph))
    assert "All cases were written by" not in text
    assert "The generator of a case is the model that wrote it." in text
    assert "generator" in main_table(both).table.columns


def test_raters_in_doubt_are_named_with_the_results_without_them(database: Database) -> None:
    assert "faster than people read" not in first_text(statistics_of(database))
    answer_all(database, "cara", 0, denied=CASES)
    text = first_text(statistics_of(database))
    assert "All raters of an item agree on 0% " in text
    assert (
        "Warning: cara (1 of 3 raters) answered every case faster than people read: the longest text of a "
        "case takes a fast reader about "
    ) in text
    assert (
        "seconds, and the first answer about it came after 0.0 seconds (medians). Without the labels of "
        "cara, 75% of the items pass by majority; on 6 items their labels tie, which is not passed. Two "
        "raters then agree on 75% of the items (all raters: 33%), Gwet's AC1 is .68 (-.30) and Fleiss' kappa "
        "is -.14 (-.37)."
    ) in text
    assert "same label" not in text, "careful raters do so too where nearly all cases pass"


def test_one_rater_left_has_no_agreement(tmp_path: Path) -> None:
    store = open_store(tmp_path)
    a_study(store, cases=CASES, questions=("same_task",))
    answer_all(store, "anna", 60, denied=3)
    assert statistics_of(store).without_doubted == ()
    answer_all(store, "ben", 1)
    text = first_text(statistics_of(store))
    assert (
        "Without the labels of ben, one rater is left, and agreement cannot be computed; 75% of the items "
        "pass by majority." in text
    )


def asked(found: ReportStatistics, *passing: tuple[str, ...], **design: object) -> ReportStatistics:
    """The statistics with these passing labels of its questions and this design, if any are given."""
    bundle = found.bundle
    questions = tuple(
        question.model_copy(update={"passing": passing[at]}) if passing else question
        for at, question in enumerate(bundle.questions)
    )
    study = bundle.study.model_copy(update={"design": {**bundle.study.design, **design}})
    return replace(found, bundle=replace(bundle, study=study, questions=questions))


FACTS: Mapping[str, tuple[tuple[tuple[str, ...], ...], Mapping[str, object], str, str]] = {
    "one label passes": (
        (("True",), ("True",)),
        {},
        "if more than half of its labels are True. ",
        "The results do not describe other cases.",
    ),
    "different labels pass": (
        (("True",), ("False",)),
        {},
        "are the same, and this label lets it pass. ",
        "These are the same items as those on which all raters agree",
    ),
    "two labels pass": (
        (("True", "False"), ("True", "False")),
        {},
        "are the same, and this label lets it pass. ",
        "These are the same items as those on which all raters agree",
    ),
    "the cases are those of a list": (
        (),
        {"listed": True},
        "The 12 cases are those of a list.",
        "All cases that could be drawn",
    ),
    "all cases were drawn": ((), {}, "All cases that could be drawn are in the sample (12 cases).", "a list"),
}
"""Passing labels and design → words that are then true, and words that would be false."""


@pytest.mark.parametrize("fact", FACTS)
def test_first_page_says_what_is_so(database: Database, fact: str) -> None:
    passing, design, said, unsaid = FACTS[fact]
    page = first_page(asked(statistics_of(database), *passing, **design), Picture("", "", ""))
    text = " ".join(
        " ".join(block.items) if isinstance(block, Box) else f"{block.text} "
        for block in page
        if isinstance(block, Paragraph | Box)
    )
    assert said in text
    assert unsaid not in text
    assert "A case is " in text
    assert "All cases were written by the model model-1." in text


def test_what_was_not_done_is_named(database: Database) -> None:
    told = limits(statistics_of(database))
    assert "No rater saw a case twice" in told
    assert "The lead did not describe the recruitment, independence and consent of the raters." in told
    assert "Raters disagree on 6 of 24 items; none of them was adjudicated." in told


def test_nothing_is_forced_onto_a_new_page(database: Database) -> None:
    """After a page that is a few lines too long, the next one would have these lines alone."""
    document = study_document(statistics_of(database))
    assert "break-after: page" not in html_page(document, {})
    assert "\\clearpage" not in latex_page(document, frozenset())
    assert "\\appendix" in latex_page(document, frozenset())


def test_the_figure_above_the_box_is_small_enough_for_both_on_paper(database: Database) -> None:
    page = html_page(study_document(statistics_of(database)), {"agreement": b"<svg/>"})
    assert re.search(r"</figure>\s*<aside>", page), "the rule below is for the figure before the box"
    assert "figure:has(+ aside) img { max-height: 36mm; }" in page
    assert page.count("<aside>") == 1
    figures = frozenset({"agreement", "coefficients"})
    drawn = re.findall(
        r"width=(.*?)\\linewidth", latex_page(study_document(statistics_of(database)), figures)
    )
    assert drawn == ["0.8", ""], "and in LaTeX"


def test_disagreements_show_the_sentences_that_differ(database: Database) -> None:
    found = statistics_of(database)
    votes = [block for block in study_document(found).blocks if isinstance(block, Votes)]
    assert len(votes) == 3, "texts of a case are there once"
    assert tuple(item.line for item in votes[0].items) == (
        "same task: anna True · ben False. No final label",
        "bias presence: anna True · ben False. No final label",
    )
    bundle = found.bundle
    case = next(case for case in bundle.cases.values() if case.digest.startswith(votes[0].title[-12:]))
    (pair,) = (
        pane.body
        for pane in bundle.protocol.panes(case, ())
        if pane.key == "texts" and isinstance(pane.body, Pair)
    )
    assert isinstance(pair.left, Text)
    left, right = changed_sentences(pair.left.text, str(pair.right.text))
    assert votes[0].texts == (("unbiased", left), ("biased", right))
    assert "Ten ship." in right
    assert "Option A" not in right


def test_all_raters_in_doubt_leave_no_label(tmp_path: Path) -> None:
    store = open_store(tmp_path)
    a_study(store, cases=CASES, questions=("same_task",))
    for rater in ("anna", "ben"):
        answer_all(store, rater, 0)
    text = first_text(statistics_of(store))
    assert (
        "Warning: all 2 raters (anna and ben) answered every case faster than people read: the longest "
        in text
    )
    assert (
        "As this is so for every rater, the results cannot be given without these answers. All raters of an"
        in text
    )


def test_speeds_of_several_raters_are_ranges() -> None:
    assert hastes_in_words([Haste(9, 12, 1.5, 9.6), Haste(12, 12, 0.2, 14.0)]) == (
        "answered most cases faster than people read: a case takes a fast reader about 10 to 14 seconds, and "
        "all answers about it took 0.2 to 1.5 (medians)"
    )


@pytest.mark.parametrize(
    ("drawn", "words"),
    [
        ([(3, 98), (3, 103)], "each with a probability from .029 to .031"),
        ([(3, 98), (6, 196)], "each with a probability of .031"),
        ([(300, 9800), (300, 9801)], "each with a probability of about .031"),
    ],
)
def test_probabilities_of_the_draw_are_named(drawn: list[tuple[int, int]], words: str) -> None:
    strata = [
        FrozenStratum(dataset="d", name=str(at), size=size, cases=tuple(f"{at}-{n}" for n in range(some)))
        for at, (some, size) in enumerate(drawn)
    ]
    assert chances_in_words(strata) == words


def test_pass_rates_are_not_taken_for_agreement(database: Database) -> None:
    text = first_text(statistics_of(database))
    assert "24 items, 48 labels. An item is one question on one case, and a label" in text
    assert "By majority of the raters' labels, 75% " in text
    assert "unanimity" not in text, "the section on pass rates has it"


def test_low_kappa_next_to_high_ac1_is_explained(tmp_path: Path) -> None:
    store = open_store(tmp_path)
    a_study(store, cases=CASES, questions=("same_task",))
    for rater, denied in {"anna": 0, "ben": 1, "cara": 0}.items():
        answer_all(store, rater, 60, denied=denied)
    refers, why = (
        "says why the two differ.",
        "kappa and alpha are low although raters agree, as on “same task”.",
    )
    page = markdown_page(study_document(statistics_of(store)), frozenset({"coefficients"}))
    assert refers in first_text(statistics_of(store))
    assert page.count("are low although") == page.count(why) == 1, "it is told in one place"
    assert page.count("most labels") + page.count("nearly all labels") == 1
    for rater, denied in {"anna": 6, "ben": 6, "cara": 6}.items():
        answer_all(store, rater, 60, denied=denied)
    page = markdown_page(study_document(statistics_of(store)), frozenset())
    assert refers not in page
    assert "nearly all labels" not in page


def decide(database: Database, label: str, most: int = 100) -> None:
    """Decide at most this many of the open disputes."""
    session = AdjudicationSession(database, "pilot", "dora")
    for index in [at for at in range(len(session.disputes)) if session.decision_at(at) is None][:most]:
        session.go_to(index)
        session.decide(label, "I looked.")


def main_table(found: ReportStatistics) -> Numbers:
    return next(block for block in study_document(found).blocks if isinstance(block, Numbers))


def test_pass_rate_by_final_labels_stands_beside_the_majority(database: Database) -> None:
    assert "By final labels" not in first_text(statistics_of(database))
    decide(database, "True", 4)
    text = first_text(statistics_of(database))
    assert (
        "By final labels, 100% (76% to 100%) of the 22 items that have one pass: the adjudicator dora" in text
    )
    assert "By majority of the raters' labels, 75% " in text
    decide(database, "False")
    text = first_text(statistics_of(database))
    assert (
        "of the items pass: the adjudicator dora decided 6 items, and the raters' labels the others." in text
    )
    table = main_table(statistics_of(database)).table
    assert table.columns[-2:] == ("pass by majority", "pass by final label")
    assert [str(row[-1]).split()[0] for row in table.rows] == ["1.00", ".83", ".92"]


def test_results_with_a_rater_in_doubt_are_not_to_be_cited(
    database: Database,
) -> None:
    found = statistics_of(database)
    weighted = (replace(found.results[-1], kind="dataset"),)
    assert "Cite it when you write" in first_text(replace(found, weighted=weighted))
    rate = weighted[0].majority
    bare = (replace(weighted[0], majority=replace(rate, interval=None)),)
    text = first_text(replace(found, weighted=bare))
    assert "the pass rate is estimated as" in text
    assert "Cite it" not in text, "a rate without an interval is not advised"
    answer_all(database, "cara", 1)
    hasty = statistics_of(database)
    text = first_text(replace(hasty, weighted=weighted))
    assert (
        text.index("Warning: cara") < text.index("Without the labels of cara") < text.index("All raters of")
    )
    assert "the pass rate is estimated as" in text
    assert "Cite it" not in text


def rater_table(found: ReportStatistics) -> Numbers:
    blocks = study_document(found).blocks
    return next(block for block in blocks if isinstance(block, Numbers) and block.name == "raters")


def test_agreement_of_the_two_other_raters_is_printed_once(database: Database) -> None:
    answer_all(database, "cara", 60)
    three = rater_table(statistics_of(database))
    assert [head for head in three.table.columns if head.endswith("*")] == [
        "all agree*",
        "Fleiss' κ*",
        "α*",
        "AC1*",
    ]
    assert "Fleiss' κ*: Fleiss' kappa" in " ".join(three.notes)
    assert "The warning below" not in " ".join(three.notes)
    answer_all(database, "dan", 1)
    four = rater_table(statistics_of(database))
    assert [head for head in four.table.columns if head.endswith("*")] == [
        "all agree*",
        "pairwise*",
        "Fleiss' κ*",
        "α*",
        "AC1*",
    ]
    assert four.notes[-1] == (
        "The warning below counts other seconds: those until the first answer about the longest text of a "
        "case."
    )


def test_agreement_below_chance_is_said_with_the_coefficient(database: Database) -> None:
    found = statistics_of(database)
    whole = found.results[-1]
    kappa, ac1 = whole.of("fleiss_kappa"), whole.of("gwet_ac1")

    def told(kappas: tuple[float, float, float], ac1s: tuple[float, float, float]) -> str:
        values = {
            key: replace(old, value=value, interval=Interval(low, high, 0.95, "bootstrap"))
            for key, old, (value, low, high) in (
                ("fleiss_kappa", kappa, kappas),
                ("gwet_ac1", ac1, ac1s),
            )
        }
        changed = replace(whole, coefficients={**whole.coefficients, **values})
        return first_text(replace(found, results=(*found.results[:-1], changed)))

    above, below, around = (0.5, 0.3, 0.6), (-0.2, -0.3, -0.1), (0.1, -0.1, 0.3)
    assert "than by chance" not in told(above, above)
    assert "by Fleiss' kappa, raters agree less often than by chance." in told(below, above)
    assert "by Fleiss' kappa, raters may agree less often than by chance" in told(around, above)
    assert "by Gwet's AC1 and Fleiss' kappa, raters agree less often than by chance." in told(below, below)


def test_least_exact_row_is_sought_in_the_whole_main_table(database: Database) -> None:
    found = statistics_of(database)
    wide = Estimate(0.5, CASES, interval=Interval(0.05, 0.95, 0.95, "score"))
    assert "at most 90 in" not in limits(found)
    text = limits(replace(found, results=(replace(found.results[0], majority=wide), *found.results[1:])))
    ends = found.results[-1].majority.shown_interval
    assert ends is not None
    assert (
        f"The 95% interval of the pass rate by majority is {width_in_points(ends.low, ends.high)} "
        "percentage points wide over all items, and at most 90 in a row (“same task”)."
    ) in text


def test_an_interval_of_one_value_is_not_printed_as_one(tmp_path: Path) -> None:
    store = open_store(tmp_path)
    a_study(store, cases=20, questions=("same_task", "bias_presence"))
    for rater in ("anna", "ben"):
        answer_all(store, rater, 60)
    found = compute_statistics(
        load_study(store, "pilot"), Ledger(store).events("pilot"), Method(interval="bootstrap", resamples=50)
    )
    told = first_text(found)
    assert "100% to 100%" not in told
    assert "100% (the same in every resample, so there is no interval)" in told
    store.close()


@pytest.mark.parametrize(
    ("shares", "words"),
    [
        (
            {"axioms": 0.5, "task": 0.75},
            ["Raters agree least often on “axioms” (50%), most often on “task” (75%)."],
        ),
        (
            {"axioms": 0.5, "bias": 0.5, "task": 0.75},
            ["Raters agree least often on “axioms” and “bias” (50% each), most often on “task” (75%)."],
        ),
        ({"axioms": 0.5, "task": 0.5}, []),
        ({"axioms": 0.5}, []),
    ],
)
def test_first_page_names_all_questions_with_the_lowest_agreement(
    shares: dict[str, float], words: list[str]
) -> None:
    assert list(_lowest({name: Estimate(share, 24) for name, share in shares.items()})) == words


def test_questions_with_unlike_labels_have_their_own_results(tmp_path: Path) -> None:
    """No number is for both of them, so the first page names those of each, and no row of dashes."""
    store = open_store(tmp_path)
    a_study(store, cases=CASES, questions=("same_task", "bias_presence"), copied=False)
    with_questions(store, {"bias_presence": {"labels": ("True", "False", "Unsure"), "passing": ("True",)}})
    answer_all(store, "anna", 60)
    answer_all(store, "ben", 60, denied=3)
    answer_all(store, "cara", 1)
    found = statistics_of(store)
    text = first_text(found)
    assert "All raters of an item agree on 75% (“same task”) and 75% (“bias presence”) of the items." in text
    assert (
        "By majority of the raters' labels, 100% (“same task”) and 100% (“bias presence”) of the items"
        in text
    )
    assert "Without the labels of cara, all raters of an item agree on 75% (“same task”) and" in text
    assert [row[0] for row in main_table(found).table.rows] == ["same task", "bias presence"]
    raters = rater_table(found).table
    assert raters.columns[:2] == ("question", "rater")
    others = raters.columns.index("others")
    assert [row[others] for row in raters.rows[:3]] == [".88", ".75", ".88"], "not a dash for each"
    store.close()

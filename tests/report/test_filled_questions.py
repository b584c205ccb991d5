"""Questions in reports: with the words of a case filled in, and the values that raters could see."""

from collections.abc import Iterator
from contextlib import closing
from dataclasses import replace
from pathlib import Path

import pytest

from reviewer.core.question import Question
from reviewer.report.answering_text import (
    filled_example,
    filled_prompt,
    marked_differences,
    named_in_questions,
)
from reviewer.report.design_section import design_blocks, question_blocks
from reviewer.report.document import Document, Points, Quote
from reviewer.report.report_pages import html_page
from reviewer.study.design.study_bundle import StudyBundle, load_study
from store.records import Measurement
from tests.studies import a_study, open_store


def with_choice(bundle: StudyBundle, case: str) -> StudyBundle:
    """The same where logic accepts the first option of a case."""
    chosen = [
        Measurement(
            case=case, name="choice", variant=variant, source="measured", engine="e", value="option_A"
        )
        for variant in ("unbiased", "biased")
    ]
    return replace(bundle, measurements={**bundle.measurements, case: chosen})


@pytest.fixture
def bundle(tmp_path: Path) -> Iterator[StudyBundle]:
    with closing(open_store(tmp_path)) as store:
        a_study(store, cases=3, questions=("same_task", "bias_presence", "axioms"))
        yield load_study(store, "pilot")


def of(bundle: StudyBundle, key: str) -> Question:
    return next(question for question in bundle.questions if question.key == key)


def test_prompt_is_filled_with_a_case_that_has_all_of_its_words(bundle: StudyBundle) -> None:
    known, bundle = bundle.counted[2], replace(bundle, measurements={case: [] for case in bundle.cases})
    filled = filled_prompt(with_choice(bundle, known.case), of(bundle, "bias_presence"))
    assert f"this bias ({known.group}), towards the option that logic rejects (Option B)?" in filled
    without = filled_prompt(bundle, of(bundle, "bias_presence"))
    assert without.endswith(f"({bundle.counted[0].group}), towards the option that logic rejects?")


def test_wording_that_tells_something_of_a_case_is_named(bundle: StudyBundle) -> None:
    known = with_choice(bundle, bundle.counted[0].case)
    (sentence,) = named_in_questions(known)
    assert sentence.startswith(
        "The wording of bias presence tells raters more about each case, such as “Does"
    )
    assert sentence.endswith("logic rejects (Option B)?”.")
    example = filled_example(known, of(bundle, "bias_presence"))
    assert example is not None
    assert example[0] == f"About case “{known.counted[0].key}”:"
    plain = replace(bundle, questions=(of(bundle, "same_task"),))
    assert list(named_in_questions(plain)) == []
    assert filled_example(plain, of(bundle, "same_task")) is None


def test_marked_differences_are_said_of_questions_about_two_texts(bundle: StudyBundle) -> None:
    assert marked_differences(bundle) == (
        "For same task and bias presence, the app marks the passages in which the two texts differ."
    )
    assert marked_differences(replace(bundle, questions=(of(bundle, "axioms"),))) == ""


def test_appendix_shows_the_question_of_a_case_and_no_gap(bundle: StudyBundle) -> None:
    quotes = [block for block in question_blocks(bundle, ()) if isinstance(block, Quote)]
    told = {block.title.split(" (")[0]: block.text for block in quotes}
    example, guideline, *_ = told["bias presence"].split("\n")
    assert example.startswith(f"About case “{bundle.counted[0].key}”: Does only")
    assert guideline.startswith("True if")
    assert "{" not in told["bias presence"]
    assert not told["same task"].startswith("About case")


def test_the_design_names_the_case_whose_words_fill_a_question(bundle: StudyBundle) -> None:
    *_, listed = [block.items for block in design_blocks(bundle, (), ()) if isinstance(block, Points)]
    told = {item.split(" (")[0]: item.partition(")")[2] for item in listed}
    about = f". The question has words of each case. About case “{bundle.counted[0].key}”: Does only"
    assert told["bias presence"].startswith(about)
    assert told["same task"].startswith(": Do both versions")


def test_heads_of_a_guideline_are_bold(bundle: StudyBundle) -> None:
    page = html_page(Document("T", tuple(question_blocks(bundle, ()))), {})
    assert "<p><b>True if</b> " in page
    assert f"<p><b>About case “{bundle.counted[0].key}”:</b> Does only" in page

"""Facts that could make legends of screens and notes of tables false."""

from collections.abc import Iterator, Sequence
from contextlib import closing
from dataclasses import replace
from pathlib import Path
from typing import NamedTuple

import pytest

from reviewer.core.question import Question
from reviewer.protocols.detail_levels.evaluation import EVALUATION as LEVELS
from reviewer.results.labels.rater_work import QuestionWork, RaterWork
from reviewer.results.labels.study_statistics import BOOTSTRAP, StudyStatistics
from reviewer.results.outcomes.case_needs import (
    CaseNeed,
    expected_in_words,
    needs_from_expectation,
    of_run_in_words,
)
from reviewer.results.tables.effect_tables import needs_spec
from reviewer.results.tables.judge_tables import judges_spec
from reviewer.tui.rendering.agreement_grid import (
    FIRST_VIEW,
    JUDGES,
    PASS_RATES,
    grid_of,
    legend_of,
    meaning_of,
    opinions_in_words,
)
from reviewer.tui.rendering.grid import Grid, GridCell
from reviewer.tui.screens.study_progress import legend_of_work
from store.records import SampledCase
from tests.asked_judges import judged_by
from tests.judged import judged_study
from tests.results.evaluated_runs import a_dilemma, an_evaluation, coded
from tests.studies import open_store

MEAN, OVERALL, GREY = "mean:", "overall:", "Grey:"
FEW, SKEWED, LEFT_OUT = "░ fewer than", "~ most labels", "† leaves out"


@pytest.fixture(scope="module")
def many(tmp_path_factory: pytest.TempPathFactory) -> Iterator[StudyStatistics]:
    """Three generators with enough cases for intervals."""
    with closing(open_store(tmp_path_factory.mktemp("many"))) as database:
        judged_study(database, per_generator=16)
        yield StudyStatistics.read(database, "pilot", "tom")


@pytest.fixture(scope="module")
def few(tmp_path_factory: pytest.TempPathFactory) -> Iterator[StudyStatistics]:
    """One generator with four cases."""
    with closing(open_store(tmp_path_factory.mktemp("few"))) as database:
        judged_study(database, per_generator=4, generators=("model-1",))
        yield StudyStatistics.read(database, "pilot", "tom")


class Shown(NamedTuple):
    """A view of the agreement screen with how rows are divided, and words in its lines or not."""

    study: str
    view: str
    division: tuple[str, ...]
    said: tuple[str, ...]
    unsaid: tuple[str, ...]


VIEWS = {
    "coefficients of many cases": Shown(
        "many", "coefficients", ("generator",), (MEAN, OVERALL, LEFT_OUT), (GREY, "weighted:")
    ),
    "pass rates of many cases": Shown("many", PASS_RATES, ("generator",), (MEAN, OVERALL), (GREY,)),
    "coefficients of few cases": Shown("few", "coefficients", ("generator",), (GREY,), ("weighted:",)),
    "raters of few cases": Shown("few", "raters", ("generator",), (), (GREY, MEAN, OVERALL)),
    "raters of many cases": Shown("many", "raters", ("generator",), (), (GREY, MEAN, OVERALL)),
    "heat map of many cases": Shown("many", FIRST_VIEW, ("generator",), ("100%", SKEWED), (FEW, GREY)),
    "heat map of few cases": Shown("few", FIRST_VIEW, ("generator",), ("100%", FEW), (SKEWED, MEAN)),
}


@pytest.mark.parametrize("name", VIEWS)
def test_the_agreement_screen_names_only_what_it_shows(
    name: str, many: StudyStatistics, few: StudyStatistics
) -> None:
    shown = VIEWS[name]
    numbers = many if shown.study == "many" else few
    grid = grid_of(numbers, shown.view, shown.division)
    told = f"{meaning_of(shown.view, numbers, grid)} {legend_of(shown.view, grid)}"
    assert [words for words in shown.said if words not in told] == []
    assert [words for words in shown.unsaid if words in told] == []


def test_each_row_and_sign_is_named_alone(many: StudyStatistics) -> None:
    """A table of rows that sum up nothing names none, and a single sign is explained."""

    def grid(text: str, *, few: bool = False, note: str = "") -> Grid:
        return Grid(("a", "b"), ((GridCell(("x †~░",)), GridCell((text,), hatched=few)),), note=note)

    assert meaning_of(PASS_RATES, many, grid(".5")) == ""
    assert meaning_of(PASS_RATES, many, grid(".5", few=True)) == "Grey: too few cases for an interval."
    assert meaning_of(PASS_RATES, many, grid(".5", note="overall: all.")) == "overall: all."
    assert meaning_of("coefficients", many, grid(".5 †")).startswith(LEFT_OUT)
    assert legend_of(FIRST_VIEW, grid("█ 90%")) == "0% ▁▂▃▄▅▆▇█ 100%"
    assert legend_of(FIRST_VIEW, grid("█ 90% ~")).endswith("100%   ~ most labels are equal, so κ is low")
    assert legend_of(PASS_RATES, grid("█ 90% ~")) == ""


def doubts(case: SampledCase, question: str, repeat: int) -> str:
    return f"It holds.\nAnswer: {2 if case.place % 2 else 1}"


def work(*cells: tuple[int, float | None, float | None]) -> Sequence[RaterWork]:
    question = Question.model_construct(key="fits", title="fits", labels=("yes", "no"))
    told = tuple(QuestionWork(question, done, 8, seconds, first, 0, 0) for done, seconds, first in cells)
    return [RaterWork("anna", told, "")]


@pytest.mark.parametrize(
    ("cells", "words"),
    [
        ([(0, None, None)], "answers given/owed"),
        ([(3, None, None)], "answers given/owed"),
        ([(3, 4.0, None)], "answers given/owed, median seconds an answer"),
        ([(3, None, 0.5)], "answers given/owed, share of the first label"),
        (
            [(3, 4.0, None), (3, None, 0.5)],
            "answers given/owed, median seconds an answer, share of the first label",
        ),
        ([(0, 4.0, 0.5)], "answers given/owed"),
    ],
)
def test_the_progress_screen_names_only_numbers_that_raters_have(
    cells: list[tuple[int, float | None, float | None]], words: str
) -> None:
    assert legend_of_work(work(*cells)) == words


@pytest.mark.parametrize(("repeats", "said"), [(1, False), (3, True)])
def test_the_table_of_judges_speaks_of_repeats_only_where_a_judge_repeated(
    tmp_path: Path, repeats: int, said: bool
) -> None:
    """And agreement of raters is no bound: an opinion can meet majorities more often than raters agree."""
    with closing(open_store(tmp_path)) as database:
        judged_study(database, per_generator=4)
        judged_by(database, models=("planted-judge",), reply_of=doubts, repeats=repeats)
        numbers = StudyStatistics.read(database, "pilot", "tom")
    results, grid = numbers.judges((), BOOTSTRAP), grid_of(numbers, JUDGES, ("generator",))
    told = meaning_of(JUDGES, numbers, grid)
    assert told.startswith("Opinions of judges against the experts' final labels")
    assert "Published" not in told
    assert grid.has_few
    assert GREY in told
    spec = judges_spec((), results)
    assert ("itself" in [column.head for column in spec.visible]) is said
    assert any(field.name.startswith("self_agreement") for field in spec.fields), "files keep the column"
    assert "can do" not in spec.heads(results)


@pytest.mark.parametrize(
    ("given", "asked", "said", "unsaid"),
    [
        (True, False, "Published and measured opinions against", "judges"),
        (False, True, "Opinions of judges against", "Published"),
        (True, True, "Published and measured opinions, and those of judges, against", "Opinions of"),
    ],
)
def test_the_view_of_judges_names_only_opinions_that_it_has(
    given: bool, asked: bool, said: str, unsaid: str
) -> None:
    words = opinions_in_words(given=given, asked=asked)
    assert words.startswith(said)
    assert unsaid not in words
    assert ("reasons" in words) is asked


def need(cases_now: int | None, cases: int | None, why: str = "") -> CaseNeed:
    return CaseNeed("net", 0.5, cases_now, "half-width 0.1 at 95%", cases, why)


@pytest.mark.parametrize(
    ("needs", "hidden"),
    [
        ([need(None, 97)], {"cases now", "why not"}),
        ([need(12, 97)], {"why not"}),
        ([need(12, None, "one case")], set[str]()),
    ],
)
def test_a_plan_of_cases_has_columns_only_for_what_it_knows(needs: list[CaseNeed], hidden: set[str]) -> None:
    heads = {column.head for column in needs_spec(needs).visible}
    assert {"cases now", "why not", "cases needed"} - heads == hidden


@pytest.mark.parametrize(
    ("repeats", "design_effect", "words"),
    [
        (5, None, "would not lower these numbers"),
        (5, 1.2, "for 5 runs of each case, with a design effect of 1.2."),
        (1, None, "for one run of each case."),
        (1, 1.0, "for one run of each case."),
    ],
)
def test_a_plan_says_of_repeats_only_what_was_expected(
    repeats: int, design_effect: float | None, words: str
) -> None:
    """With independent runs, more of them need fewer cases: nothing says that they add little."""
    (sentence,) = expected_in_words(repeats, design_effect)
    assert sentence.endswith(words) or words in sentence
    more = [needs_from_expectation(0.5, times, design_effect, 0, 0.1, None, 0.8, 0.95) for times in (5, 10)]
    assert (more[0] == more[1]) is (design_effect is None)


def test_a_plan_of_a_run_names_what_its_numbers_count() -> None:
    evaluation = an_evaluation([a_dilemma(0)], {"m": coded(("A", "B"))})
    shared = replace(evaluation, plan=LEVELS)
    kept = "The numbers keep the runs of each case as they are."
    counted = "They count templates, which intervals resample, and not cases."
    assert of_run_in_words(evaluation, [need(12, 97)]) == [kept]
    assert of_run_in_words(shared, [need(12, 97)]) == [kept, counted]
    assert of_run_in_words(shared, [need(12, None, "one case")]) == []

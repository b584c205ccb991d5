"""Intervals, rater pairs, differences, single raters, plans: what stands beside the coefficients."""

from collections import Counter
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

import pytest

from reviewer.agreement.coefficient import COEFFICIENTS
from reviewer.agreement.cohen import cohen_kappa
from reviewer.agreement.proportions import difference, holm, two_proportion_z
from reviewer.agreement.ratings import Ratings
from reviewer.exchange.exports.study_export import BOOTSTRAP, codebook, study_tables
from reviewer.exchange.exports.study_source import StudySource
from reviewer.results.labels.agreement_results import AgreementResult, Method, study_results
from reviewer.results.labels.disagreements import disagreements
from reviewer.results.labels.divided_items import Answers
from reviewer.results.labels.pass_rate_differences import pass_rate_differences
from reviewer.results.labels.rater_results import rater_results
from reviewer.results.labels.sample_size import planned
from reviewer.results.labels.skew import skew_of
from reviewer.study.design.study_bundle import StudyBundle
from reviewer.study.session.label_rows import LabelRow, items_of, label_rows
from store.database import Database
from store.ledger import Ledger
from tests.judged import judge, judged_study
from tests.studies import open_store

SMALL = Method(interval="bootstrap", resamples=500)


@pytest.fixture(scope="module")
def database(tmp_path_factory: pytest.TempPathFactory) -> Database:
    store = open_store(tmp_path_factory.mktemp("judged"))
    judged_study(store, per_generator=16)
    return store


@pytest.fixture(scope="module")
def study(database: Database) -> StudyBundle:
    from reviewer.study.design.study_bundle import load_study

    return load_study(database, "pilot")


@pytest.fixture(scope="module")
def rows(database: Database, study: StudyBundle) -> list[LabelRow]:
    return label_rows(study, Ledger(database).events("pilot"))


def cells(results: Sequence[AgreementResult]) -> list[AgreementResult]:
    return [result for result in results if result.kind == "cell"]


def test_a_pair_of_raters_has_cohens_kappa(study: StudyBundle, rows: list[LabelRow]) -> None:
    found = {
        (result.where["pair"], result.where["question"]): result
        for result in cells(study_results(study, rows, ("pair", "question")))
    }
    assert len(found) == 3 * 4
    answers = Answers(rows)
    items = [item for item in items_of(study) if item[0].key == "reconstruction"]
    table = [[answers.label(item, rater) for rater in ("anna", "cara")] for item in items]
    expected = cohen_kappa(Ratings.from_labels(table, ("True", "False"), ("anna", "cara")), "anna", "cara")
    got = found["anna & cara", "reconstruction"]
    assert got.coefficients["cohen_kappa"] == expected
    assert (got.raters, got.items) == (2, 48)


def test_the_mean_over_pairs_of_a_question_is_lights_kappa(study: StudyBundle, rows: list[LabelRow]) -> None:
    results = study_results(study, rows, ("question", "pair"))
    mean = next(r for r in results if r.kind == "mean of cells" and r.where["question"] == "reconstruction")
    light = Method(("light_kappa_defined_pairs",))
    pooled = next(
        r
        for r in study_results(study, rows, ("question",), light)
        if r.kind == "cell" and r.where["question"] == "reconstruction"
    )
    value = pooled.coefficients["light_kappa_defined_pairs"].value
    assert mean.coefficients["cohen_kappa"].value == pytest.approx(value)
    whole = next(r for r in results if r.kind == "pooled" and r.where["pair"] == "all")
    assert whole.coefficients["cohen_kappa"].reason == "not two raters"


def whole_result(bundle: StudyBundle, rows: list[LabelRow], method: Method) -> AgreementResult:
    """All labels of the study together."""
    (result,) = study_results(bundle, rows, (), method)
    return result


def test_the_bootstrap_resamples_cases_where_one_carries_several_questions(
    study: StudyBundle, rows: list[LabelRow]
) -> None:
    whole = whole_result(study, rows, SMALL)
    assert (whole.items, whole.cases) == (192, 48)
    # Po over different cases keeps Wilson's interval; over clustered items it is resampled by case.
    assert whole.coefficients["po_all_agree"].interval is not None
    assert whole.coefficients["po_all_agree"].interval.method == "bootstrap"
    assert whole.majority.interval is not None
    assert whole.majority.interval.method == "bootstrap"
    cell = cells(study_results(study, rows, ("question",), SMALL))[0]
    assert (cell.items, cell.cases) == (48, 48)
    assert cell.coefficients["po_all_agree"].interval is not None
    assert cell.coefficients["po_all_agree"].interval.method == "Wilson"
    assert cell.coefficients["gwet_ac1"].interval is not None
    assert cell.coefficients["gwet_ac1"].interval.method == "bootstrap"


def test_the_seed_decides_the_bootstrap(study: StudyBundle, rows: list[LabelRow]) -> None:
    def ends(seed: int | None) -> object:
        method = Method(("gwet_ac1",), "bootstrap", seed=seed, resamples=300)
        return whole_result(study, rows, method).coefficients["gwet_ac1"].interval

    assert ends(None) == ends(None)
    assert ends(1) == ends(1) != ends(2)


def test_no_interval_and_another_level(study: StudyBundle, rows: list[LabelRow]) -> None:
    bare = whole_result(study, rows, Method(interval="none"))
    assert all(estimate.interval is None for estimate in bare.coefficients.values())
    narrow = whole_result(study, rows, Method(level=0.5)).coefficients["gwet_ac1"].interval
    wide = whole_result(study, rows, Method(level=0.99)).coefficients["gwet_ac1"].interval
    assert narrow is not None
    assert wide is not None
    assert narrow.half_width < wide.half_width


def test_differences_are_newcombes_with_z_and_holm(study: StudyBundle, rows: list[LabelRow]) -> None:
    by = ("question", "generator")
    results = study_results(study, rows, by)
    found = pass_rate_differences(results, by)
    assert len(found) == 2 * 4 * 3
    one = next(
        each for each in found if each.measure == "unanimity" and each.where["question"] == "reconstruction"
    )
    first, second = (round((rate.value or 0) * rate.n) for rate in one.rates)
    assert one.difference == difference(first, 16, second, 16)
    assert one.test == two_proportion_z(first, 16, second, 16)
    unanimity = [each for each in found if each.measure == "unanimity"]
    assert [each.adjusted for each in unanimity] == holm([each.test.p for each in unanimity])
    assert not one.dependent
    assert all(
        each.dependent
        for each in pass_rate_differences(study_results(study, rows, ("question",)), ("question",))
    )


def test_single_raters(study: StudyBundle, rows: list[LabelRow]) -> None:
    found = {each.rater: each for each in rater_results(study, rows)}
    assert set(found) == {"anna", "ben", "cara"}
    anna = found["anna"]
    assert (anna.labels, anna.missing, anna.seconds.n) == (192, 0, 192)
    assert 4 <= (anna.seconds.value or 0) <= 34
    assert anna.again.agreement.reason == "no case shown twice"
    without = whole_result(study, [row for row in rows if row.rater != "anna"], Method())
    assert anna.without["fleiss_kappa"].value == pytest.approx(without.coefficients["fleiss_kappa"].value)


def test_a_rater_who_saw_cases_twice(tmp_path: Path) -> None:
    database = open_store(tmp_path)
    study = judged_study(database, per_generator=8, raters=("anna", "ben"))
    judge(database, "pilot", "anna", showing=1)
    rows = label_rows(study, Ledger(database).events("pilot"))
    found = {each.rater: each for each in rater_results(study, rows)}
    assert found["anna"].again.agreement.n == 96
    answers, repeated = Answers(rows), Answers(rows, showing=1)
    same = [answers.label(item, "anna") == repeated.label(item, "anna") for item in items_of(study)]
    assert found["anna"].again.agreement.value == pytest.approx(sum(same) / 96)
    assert found["ben"].again.agreement.value is None
    assert found["anna"].labels == 96


def test_plans_rest_on_the_interval_at_hand(study: StudyBundle, rows: list[LabelRow]) -> None:
    results = study_results(study, rows, ("question",), Method(("gwet_ac1",)))
    found = planned(results, 0.05)
    assert [each.kind for each in found] == ["cell"] * 4 + ["pooled"]
    assert all(each.plan.cases is None or each.plan.cases > 1 for each in found)
    hard = next(each for each in found if each.where["question"] == "reconstruction")
    assert hard.plan.more
    assert hard.half_width is not None
    assert hard.half_width > 0.05


def test_disagreements_are_items_with_two_labels(study: StudyBundle, rows: list[LabelRow]) -> None:
    found = disagreements(study, rows)
    whole = whole_result(study, rows, Method())
    po = whole.coefficients["po_all_agree"].value
    assert po is not None
    assert len(found) == round(192 * (1 - po))
    assert all(set(each.votes.values()) == {"True", "False"} for each in found)
    assert any("dropped" in text for each in found for text in each.comments.values())


def in_words(ratings: Ratings) -> str:
    """What is said of skewed ratings."""
    skew = skew_of(
        ratings,
        COEFFICIENTS["fleiss_kappa"](ratings),
        COEFFICIENTS["gwet_ac1"](ratings),
        COEFFICIENTS["po_pairwise"](ratings),
    )
    assert skew is not None
    return skew.in_words()


def test_percents_are_rounded_as_the_table_beside_them() -> None:
    rows: list[list[bool | None]] = [[True] * 5] * 7 + [[True, True, True, False, False]]
    said = in_words(Ratings.from_labels(rows, [False, True], list("abcde")))
    assert "with 93% pairwise agreement" in said, "the table beside it says .93"


def test_skew_is_said_in_words(study: StudyBundle, rows: list[LabelRow]) -> None:
    results = study_results(study, rows, ("question",))
    skewed = next(result for result in results if result.where["question"] == "same task")
    assert skewed.skew is not None
    words = skewed.skew.in_words()
    kappa, ac1 = (skewed.coefficients[key].value for key in ("fleiss_kappa", "gwet_ac1"))
    assert f"kappa {kappa:.2f}".replace("0.", ".") in words
    assert f"AC1 {ac1:.2f}".replace("0.", ".") in words
    assert "labels are True" in words


def test_every_exported_column_is_in_the_codebook(database: Database, study: StudyBundle) -> None:
    events = Ledger(database).events("pilot")
    tables = study_tables(
        StudySource.of(study, events), ("question", "generator", "group", "dataset"), BOOTSTRAP
    )
    book = codebook(tables)
    described = {(row[0], row[1]) for row in book.rows}
    assert described == {(name, column) for name, table in tables.items() for column in ("", *table.columns)}
    for name, column, kind, meaning in book.rows:
        if column == "":
            assert (kind, str(meaning).endswith(str(name).replace(".csv", ".jsonl"))) == ("file", True)
            continue
        assert kind in ("string", "number", "integer", "boolean")
        assert meaning
        values = [row[tables[str(name)].columns.index(str(column))] for row in tables[str(name)].rows]
        known = {"string": str, "number": (float, int), "integer": int, "boolean": bool}[str(kind)]
        assert all(value is None or isinstance(value, known) for value in values), (name, column)  # type: ignore[arg-type]


def test_a_column_means_what_its_own_file_holds(database: Database, study: StudyBundle) -> None:
    events = Ledger(database).events("pilot")
    light = Method(("light_kappa_defined_pairs",), "none")
    tables = study_tables(StudySource.of(study, events), ("question", "generator"), light)
    book = {(file, column): (kind, str(meaning)) for file, column, kind, meaning in codebook(tables).rows}
    assert "contradicts it" in book["labels.csv", "reason"][1]
    assert "decided" in book["final_labels.csv", "reason"][1]
    assert "how the answer was given" in book["labels.csv", "way"][1]
    assert "not a pass rate" in book["agreement.csv", "passing_share"][1]
    assert book["pass_rates.csv", "majority"][1].startswith("pass rate by majority")
    assert book["final_labels.csv", "majority"][1].startswith("the label of more than half")
    assert book["agreement.csv", "light_kappa_defined_pairs_left_out"][0] == "integer"


def test_items_without_a_majority_are_counted_where_no_label_counts_as_a_pass(
    study: StudyBundle, rows: list[LabelRow]
) -> None:
    two = [row for row in rows if row.rater in ("anna", "ben")]
    differing = Counter(pair.question.key for pair in disagreements(study, two))
    bare = [question.model_copy(update={"passing": ()}) for question in study.questions]
    bare[0] = bare[0].model_copy(update={"labels": (*bare[0].labels, "cannot tell")})
    known = {question.key: question for question in bare}
    asked = [replace(row, question=known[row.question.key]) for row in two]
    results = study_results(replace(study, questions=tuple(bare)), asked, ("question",))
    by_question = {result.where["question"]: result.undecided for result in cells(results)}
    assert by_question == {question.title: differing[question.key] for question in bare}
    assert results[-1].undecided == sum(differing.values()) > 0
    assert results[-1].majority.value is None

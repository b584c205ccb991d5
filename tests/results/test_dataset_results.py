"""What a sample that was drawn unevenly says of its dataset."""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from math import sqrt
from pathlib import Path
from unittest.mock import MagicMock

import pytest

from reviewer.agreement import weighted_agreement
from reviewer.agreement.stratified import StratumCounts, stratified_difference, stratified_share
from reviewer.core.estimate import Estimate
from reviewer.core.table import LongTable
from reviewer.exchange.exports.study_export import export_study, study_tables
from reviewer.exchange.exports.study_source import StudySource, open_study_source
from reviewer.results.labels.agreement_results import AgreementResult, Method, study_results
from reviewer.results.labels.dataset_results import dataset_results
from reviewer.results.labels.dimensions import ALL
from reviewer.results.labels.pass_rate_differences import pass_rate_differences
from reviewer.results.tables.agreement_tables import agreement_spec, pass_rates_spec
from reviewer.results.tables.comparison_tables import differences_spec
from reviewer.study.design.closing import close_study
from reviewer.study.design.inclusion import inclusion_of
from reviewer.study.design.study_bundle import StudyBundle, load_study
from reviewer.study.design.study_creation import Design, create_study
from reviewer.study.session.label_rows import LabelRow, label_rows
from store.database import Database
from store.ledger import Ledger
from tests.judged import judge
from tests.studies import BIASES, a_case, fill, open_store

CASES = [a_case(number, BIASES[number % 3 > 0]) for number in range(90)]
PICKED = frozenset(case.digest for case in CASES[:20])
UNEVEN = Design(("one",), None, 5, only=PICKED, others=30)
QUICK = Method(resamples=300)


@pytest.fixture(scope="module")
def database(tmp_path_factory: pytest.TempPathFactory) -> Database:
    store = open_store(tmp_path_factory.mktemp("weighted"))
    fill(store, "one", CASES)
    for name, design in {
        "uneven": UNEVEN,
        "even": Design(("one",), None, 5),
        "picked": replace(UNEVEN, others=0, per_group=5),
        "few": Design(("one",), None, 5, total=1),
    }.items():
        create_study(store, name, design)
        for rater in ("anna", "ben", "cara"):
            judge(store, name, rater)
    return store


def read(database: Database, name: str = "uneven") -> tuple[StudyBundle, list[LabelRow]]:
    bundle = load_study(database, name)
    return bundle, label_rows(bundle, Ledger(database).events(name))


def passed_by_hand(bundle: StudyBundle, rows: Sequence[LabelRow], question: str) -> set[str]:
    """The cases of which more than half of the labels say True."""
    labels: dict[str, list[str | None]] = {}
    for row in rows:
        if row.question.title == question:
            labels.setdefault(row.place.case, []).append(row.label)
    return {case for case, given in labels.items() if given.count("True") * 2 > len(given)}


def by_hand(bundle: StudyBundle, passed: set[str], group: str = "") -> Estimate:
    """The pass rate from the numbers of each stratum, of all groups or of one."""
    of_group = {place.case for place in bundle.counted if place.group == (group or place.group)}
    strata = [(s, of_group.intersection(s.cases)) for s in inclusion_of(bundle).strata]
    counts = [StratumCounts(s.size, s.drawn, len(cases), len(cases)) for s, cases in strata]
    return stratified_share(counts, [len(cases & passed) for _, cases in strata])


def result_at(results: Sequence[AgreementResult], *where: str) -> AgreementResult:
    (result,) = (r for r in results if tuple(r.where.values()) == where)
    return result


def test_rates_without_intervals_have_the_same_values(database: Database) -> None:
    bundle, rows = read(database)
    whole = dataset_results(bundle, rows, ("question",), QUICK)
    bare = dataset_results(bundle, rows, ("question",), QUICK, rate_intervals=False)
    assert any(result.majority.interval for result in whole)
    assert [repr(result) for result in bare] == [repr(result.without_rate_intervals()) for result in whole]


def test_a_share_of_labels_is_resampled_with_the_coefficients(
    database: Database, monkeypatch: pytest.MonkeyPatch
) -> None:
    bundle, rows = read(database)
    resampled = MagicMock(wraps=weighted_agreement._resampled)
    monkeypatch.setattr(weighted_agreement, "_resampled", resampled)
    together = dataset_results(bundle, rows, ("question",), QUICK)
    draws = resampled.call_count
    monkeypatch.setattr("reviewer.results.labels.dataset_results._same_labels", lambda *_: False)
    assert dataset_results(bundle, rows, ("question",), QUICK) == together
    assert resampled.call_count == draws + 2 * draws


def test_pass_rates_of_each_question_are_those_of_the_formula(database: Database) -> None:
    bundle, rows = read(database)
    results = dataset_results(bundle, rows, ("question",), QUICK)
    assert {result.kind for result in results} == {"dataset"}
    for question in bundle.questions:
        expected = by_hand(bundle, passed_by_hand(bundle, rows, question.title))
        assert result_at(results, question.title).majority == expected


def test_pass_rates_of_a_group_are_those_of_its_strata(database: Database) -> None:
    bundle, rows = read(database)
    results = dataset_results(bundle, rows, ("question", "group"), QUICK)
    question = bundle.questions[0].title
    expected = by_hand(bundle, passed_by_hand(bundle, rows, question), BIASES[0])
    assert result_at(results, question, BIASES[0]).majority == expected


def test_counts_are_those_of_the_sample_and_values_differ(database: Database) -> None:
    bundle, rows = read(database)
    results = dataset_results(bundle, rows, ("question",), QUICK)
    for sample in study_results(bundle, rows, ("question",), QUICK):
        if sample.kind == "cell":
            weighted = result_at(results, *sample.where.values())
            assert (weighted.items, weighted.ratings) == (sample.items, sample.ratings)
            for key in ("fleiss_kappa", "gwet_ac1", "krippendorff_alpha", "po_all_agree"):
                assert weighted.of(key).value != sample.of(key).value
                interval = weighted.of(key).interval
                assert interval is not None
                assert interval.method == "bootstrap within strata"


def test_pooled_questions_have_an_interval_of_cases(database: Database) -> None:
    bundle, rows = read(database)
    results = dataset_results(bundle, rows, ("question",), QUICK)
    pooled = result_at(results, ALL)
    assert pooled.majority.interval is not None
    assert pooled.majority.interval.method == "stratified score"
    rates = [r.majority.value or 0 for r in results if r is not pooled]
    assert pooled.majority.value == pytest.approx(sum(rates) / len(rates))
    assert pooled.majority.n == pooled.items == 4 * len(bundle.counted)
    widths = [r.majority.interval.half_width for r in results if r.majority.interval]
    assert pooled.majority.interval.half_width < max(widths)


@pytest.mark.parametrize("name", ["even", "picked", "few"])
def test_no_row_where_weights_are_equal_or_nothing_is_known_of_other_cases(
    database: Database, name: str
) -> None:
    assert dataset_results(*read(database, name), ("question",), QUICK) == []
    assert dataset_results(*read(database), ("pair",), QUICK) == []


def test_missing_answers_are_not_imputed(database: Database) -> None:
    bundle, rows = read(database)
    question = bundle.questions[0]
    stratum = inclusion_of(bundle).strata[0]
    without = [row for row in rows if row.place.case not in stratum.cases[:3]]
    rate = result_at(dataset_results(bundle, without, ("question",), QUICK), question.title).majority
    assert rate.n == len(bundle.counted) - 3
    unanswered = [row for row in rows if row.place.case not in stratum.cases]
    rate = result_at(dataset_results(bundle, unanswered, ("question",), QUICK), question.title).majority
    assert (rate.value, rate.reason) == (None, "a stratum without answers")


def test_differences_have_mover_and_no_test(database: Database) -> None:
    bundle, rows = read(database)
    by = ("question", "group")
    results = [*study_results(bundle, rows, by, QUICK), *dataset_results(bundle, rows, by, QUICK)]
    differences = pass_rate_differences(results, by)
    weighted = [difference for difference in differences if difference.weighted]
    assert len(weighted) * 2 == len(differences)
    first = weighted[0]
    gap = stratified_difference(*first.rates)
    assert (first.difference.value, first.difference.interval) == (gap.value, gap.interval)
    assert (first.test.p, first.test.reason, first.adjusted) == (None, "weighted rates", None)
    shown = differences_spec(by, differences).for_people(differences)
    assert {str(row[1]) for row in shown.rows} == {
        "majority",
        "unanimity",
        "majority, weighted",
        "unanimity, weighted",
    }


def test_legends_name_the_interval(database: Database) -> None:
    bundle, rows = read(database)
    by = ("question",)
    sample, weighted = study_results(bundle, rows, by, QUICK), dataset_results(bundle, rows, by, QUICK)
    assert "the stratified score test" in pass_rates_spec(by, [*sample, *weighted]).legend(sample)
    assert "weighted: each case counts for" in agreement_spec(by, [*sample, *weighted]).legend(sample)
    assert "weighted" not in pass_rates_spec(by, sample).legend(sample)
    assert "weighted" not in agreement_spec(by, sample).legend(sample)


def exported(database: Database, name: str) -> Mapping[str, LongTable]:
    source = StudySource.of(load_study(database, name), Ledger(database).events(name))
    return study_tables(source, ("question",), QUICK)


def column(table: LongTable, name: str) -> list[object]:
    return [row[table.columns.index(name)] for row in table.rows]


@pytest.mark.parametrize("file", ["agreement.csv", "pass_rates.csv", "agreement_long.csv"])
def test_export_has_rows_of_the_dataset_and_the_codebook_explains_them(database: Database, file: str) -> None:
    table, before = exported(database, "uneven")[file], exported(database, "even")[file]
    assert {*column(table, "kind")} == {"cell", "mean of cells", "pooled", "dataset"}
    assert "dataset" not in column(before, "kind")
    (meaning,) = (field.meaning for field in table.fields if field.name == "kind")
    (without,) = (field.meaning for field in before.fields if field.name == "kind")
    assert meaning.startswith(without)
    assert "stratified score test" in meaning
    assert "dataset" not in without


def labels_by_case(rows: Sequence[LabelRow], question: str) -> dict[str, list[str]]:
    """The labels of each case, all of which are given."""
    labels: dict[str, list[str]] = {}
    for row in rows:
        if row.question.title == question:
            labels.setdefault(row.place.case, []).append(str(row.label))
    return labels


def test_weighted_numbers_are_those_of_formulas_by_hand(database: Database) -> None:
    """Hájek's means with weights N/n, Cochran's variance, and Fleiss' kappa of weighted shares."""
    bundle, rows = read(database)
    draw = bundle.study.design["draw"]["strata"]
    weights = {case: s["size"] / len(s["cases"]) for s in draw for case in s["cases"]}
    cases = sum(s["size"] for s in draw)
    for question in bundle.questions:
        labels = labels_by_case(rows, question.title)
        trues = {case: given.count("True") for case, given in labels.items()}
        result = result_at(dataset_results(bundle, rows, ("question",), QUICK), question.title)

        def mean(values: Mapping[str, float]) -> float:
            return sum(weights[case] * value for case, value in values.items()) / cases

        passed = {case: float(number > 1) for case, number in trues.items()}
        share = mean({case: number / 3 for case, number in trues.items()})
        whole = mean({case: float(number in (0, 3)) for case, number in trues.items()})
        chance = share**2 + (1 - share) ** 2
        pairs = mean({case: 1.0 if number in (0, 3) else 1 / 3 for case, number in trues.items()})
        variance = 0.0
        for s in draw:
            size, n = s["size"], len(s["cases"])
            rate = sum(passed[case] for case in s["cases"]) / n
            variance += (size / cases) ** 2 * (1 - n / size) * rate * (1 - rate) / max(n - 1, 1)
        assert result.majority.value == pytest.approx(mean(passed))
        assert result.majority.se == pytest.approx(sqrt(variance))
        assert result.passing_share.value == pytest.approx(share)
        assert result.of("po_all_agree").value == pytest.approx(whole)
        assert result.of("fleiss_kappa").value == pytest.approx((pairs - chance) / (1 - chance))


@pytest.mark.parametrize("closed", [False, True])
def test_files_tell_strata_and_weights_once_the_study_is_closed(tmp_path: Path, closed: bool) -> None:
    store = open_store(tmp_path)
    fill(store, "one", CASES)
    create_study(store, "uneven", UNEVEN, "tom")
    judge(store, "uneven", "anna")
    if closed:
        close_study(store, "uneven", "tom")
    with open_study_source(store, "uneven", "tom") as source:
        export_study(source, tmp_path / "files", ("question",), QUICK)
    texts = {path.name: path.read_text("utf-8") for path in (tmp_path / "files").iterdir()}
    for name in ("labels.jsonl", "final_labels.jsonl", "items.jsonl"):
        assert {"stratum", "inclusion_probability", "weight"}.isdisjoint(texts[name].split('"')) != closed
        assert (f"{name},inclusion_probability" in texts["codebook.csv"]) == closed
    holding = {name for name, text in texts.items() if "picked / " in text}
    written = ("labels", "final_labels", "items")
    expected = {f"{name}.{end}" for name in written for end in ("csv", "jsonl")} | {"study.json"}
    assert holding == (expected if closed else set())


@pytest.mark.parametrize("file", ["labels.csv", "final_labels.csv", "items.csv"])
def test_export_has_the_weight_of_each_case(database: Database, file: str) -> None:
    table = exported(database, "uneven")[file]
    strata = {case: s for s in inclusion_of(load_study(database, "uneven")).strata for case in s.cases}
    names = ("case", "stratum", "inclusion_probability", "weight")
    for case, stratum, probability, weight in zip(*(column(table, name) for name in names), strict=True):
        drawn_from = strata[str(case)]
        assert stratum == drawn_from.name
        assert probability == pytest.approx(drawn_from.drawn / drawn_from.size)
        assert weight == pytest.approx(drawn_from.size / drawn_from.drawn)
    assert "weight" not in exported(database, "even")[file].columns


def test_no_interval_where_none_is_asked_for(database: Database) -> None:
    results = dataset_results(*read(database), ("question",), replace(QUICK, interval="none"))
    assert all(result.majority.interval is None for result in results)
    assert all(estimate.interval is None for r in results for estimate in r.coefficients.values())

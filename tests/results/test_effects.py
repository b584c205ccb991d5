"""Effects of models: against expected and published numbers, by hand, and against theory."""

import json
import math
from dataclasses import replace
from typing import Any

import numpy as np
import pytest

from reviewer.core.errors import RequestError
from reviewer.protocols.evaluation import Condition
from reviewer.protocols.probe_swe.evaluation import DilemmaEvaluation
from reviewer.results.outcomes.comparisons import guessed_measures
from reviewer.results.outcomes.contrasts import MEAN_OF_MODELS, Contrasted, contrast_table
from reviewer.results.outcomes.effect_estimates import effect_table, ladder_table
from reviewer.results.outcomes.effect_rows import (
    NOT_MEASURED,
    Clusters,
    EffectRow,
    EffectTable,
    ErrorMethod,
    Tiers,
)
from reviewer.results.outcomes.evaluated import Evaluation
from reviewer.results.outcomes.recognition import KeptAnswers, KnownLabels
from tests.results.evaluated_runs import BOTH_ORDERS, PLAN, a_dilemma, an_evaluation, coded, made_up_decisions
from tests.shared_data import shared_file
from tests.studies import a_case

FORMULA = ErrorMethod("linearised")
PUBLISHED = {
    "sensitivity": "sensitivity",
    "harmfulness": "error_biased",
    "prolog_uncertainty": "error_unbiased",
}
EXPECTED = {"sensitivity", "net", "harmfulness", "error_unbiased"}


@pytest.fixture(scope="module")
def decisions() -> Evaluation:
    return made_up_decisions()


def shared_json(name: str) -> Any:
    return json.loads(shared_file(f"evaluation/{name}.own.gpt-4o-mini.json").read_text("utf-8"))


def check_row(row: EffectRow, wanted: Any) -> None:
    for name in EXPECTED:
        effect, numbers = row.effects[PUBLISHED.get(name, name)], wanted[name]
        assert effect.estimate.value == pytest.approx(numbers["value"], abs=1e-9)
        assert effect.linearised.se == pytest.approx(numbers["se_pairs"], abs=1e-9)
        assert effect.estimate.se == pytest.approx(numbers["se_pairs"], rel=0.03, abs=1e-12)
        if numbers["se_naive"] is not None:
            assert effect.error_of_runs == pytest.approx(numbers["se_naive"], abs=1e-9)
    net = row.effects["net"]
    assert (row.cases, net.runs) == (wanted["pairs"], wanted["runs"])
    assert (net.forward, net.backward) == (wanted["right_to_wrong"], wanted["wrong_to_right"])
    assert net.test.z == pytest.approx(wanted["mcnemar_clustered_z"], abs=1e-9)
    for name in ("noise", "cross", "above_noise"):
        assert getattr(row, name).value == pytest.approx(wanted[name], abs=1e-9)


def test_every_expected_number_of_the_made_up_decisions(decisions: Evaluation) -> None:
    wanted = shared_json("expected")
    (whole,) = effect_table(decisions).rows
    check_row(whole, wanted["all"])
    rows = effect_table(decisions, by=("group",)).rows
    assert {row.where["group"] for row in rows} == set(wanted["by_bias"])
    for row in rows:
        check_row(row, wanted["by_bias"][row.where["group"]])


def test_every_expected_number_by_right_option_and_between_tiers(decisions: Evaluation) -> None:
    wanted = shared_json("expected")
    rows = effect_table(decisions, by=("right_option",)).rows
    assert {row.where["right_option"] for row in rows} == set(wanted["by_right_option"])
    for row in rows:
        check_row(row, wanted["by_right_option"][row.where["right_option"]])
    tiers = Tiers("inference_steps", (3.0, 6.0, 10.0))
    high_low = Contrasted("tier", "high", "low")
    asked = {"by": ("group",), "measures": ("sensitivity",), "tiers": tiers, "method": FORMULA}
    differences = {
        row.where["group"]: row.estimate
        for row in contrast_table(decisions, high_low, **asked)
        if not row.left_out
    }
    for group, expected in wanted["high_minus_low"].items():
        assert differences[group].value == pytest.approx(expected["difference"], abs=1e-9)
        assert differences[group].se == pytest.approx(expected["se_pairs"], abs=1e-9)
        assert differences[group].n == sum(expected["pairs"])


def test_every_published_number_by_bias_and_tier(decisions: Evaluation) -> None:
    published = shared_json("published")
    tiers = Tiers("inference_steps", (3.0, 6.0, 10.0))
    by_bias = effect_table(decisions, by=("group",), method=FORMULA).rows
    cells = effect_table(decisions, by=("group", "tier"), tiers=tiers, method=FORMULA).rows
    pairs = [(row, published[row.where["group"]]) for row in by_bias]
    pairs += [(row, published[row.where["group"]]["complexity_analysis"][row.where["tier"]]) for row in cells]
    assert (len(by_bias), len(cells)) == (8, 30)
    for row, wanted in pairs:
        assert row.effects["net"].runs == wanted["total_runs"]
        for name, key in PUBLISHED.items():
            value = row.effects[key].estimate.value
            assert value is not None
            assert 100 * value == pytest.approx(wanted[name], abs=1e-9)


def answered(answer: str, cases: int = 40, repeats: int = 3) -> Evaluation:
    """Both orders, asked of somebody who always answers so."""
    dilemmas = [a_dilemma(place, "AB"[place % 4 == 0]) for place in range(cases)]
    empty = np.zeros((cases, 4, repeats), dtype=np.int8)
    evaluation = an_evaluation(dilemmas, {"m": empty}, BOTH_ORDERS)
    answerer = next(each for each in PLAN.answerers if each.key == answer)
    for case, dilemma in enumerate(dilemmas):
        for place, condition in enumerate(evaluation.conditions):
            empty[case, place] = "AB".index(answerer.answer(dilemma.facts, condition))
    return evaluation


@pytest.mark.parametrize(
    ("answerer", "net", "sensitivity", "wrong", "first"),
    [("first", 0, 0, 0.5, 1), ("second", 0, 0, 0.5, 0), ("cue", 0, 0, 1, 0.5)],
)
def test_constant_answerers_come_out_as_theory_says_in_both_orders(
    answerer: str, net: float, sensitivity: float, wrong: float, first: float
) -> None:
    (row,) = effect_table(answered(answerer), method=FORMULA).rows
    wanted = {
        "net": net,
        "sensitivity": sensitivity,
        "error_biased": wrong,
        "error_unbiased": wrong,
        "first_listed": first,
    }
    assert {key: effect.estimate.value for key, effect in row.effects.items()} == pytest.approx(wanted)
    assert {key: effect.nulls[answerer] for key, effect in row.effects.items()} == pytest.approx(wanted)
    assert row.noise.value == 0
    orders = effect_table(answered("first"), by=("order",), method=FORMULA).rows
    assert [each.effects["error_biased"].estimate.value for each in orders] == pytest.approx([0.25, 0.75])


def test_a_random_answerer_comes_out_as_theory_says_in_both_orders() -> None:
    thrown = np.random.default_rng(3).integers(0, 2, (2_000, 4, 5)).astype(np.int8)
    evaluation = an_evaluation([a_dilemma(n) for n in range(2_000)], {"coin": thrown}, BOTH_ORDERS)
    (row,) = effect_table(evaluation, method=FORMULA).rows
    wanted = {"net": 0, "sensitivity": 0.5, "error_biased": 0.5, "error_unbiased": 0.5, "first_listed": 0.5}
    for key, effect in row.effects.items():
        assert effect.nulls["coin"] == pytest.approx(wanted[key])
        assert effect.estimate.value is not None
        assert effect.linearised.se is not None
        assert abs(effect.estimate.value - wanted[key]) < 4 * effect.linearised.se
        assert effect.design_effect == pytest.approx(1, abs=0.15)
    assert row.noise.value == pytest.approx(0.5, abs=0.01)
    assert row.above_noise.value == pytest.approx(0, abs=0.01)


def test_unreadable_replies_are_counted_and_bounded_and_missing_ones_are_counted() -> None:
    labels = coded(("AAA", "BA?"), ("A?A", "A-A"))
    (row,) = effect_table(an_evaluation([a_dilemma(0), a_dilemma(1)], {"m": labels})).rows
    net = row.effects["net"]
    assert (net.runs, net.unreadable, net.absent) == (4, 1, 1)
    assert net.estimate.value == pytest.approx(1 / 4)
    assert net.bounds == pytest.approx((1 / 5, 2 / 5))
    assert row.noise.value == pytest.approx(((0 + 1) / 2 + 0) / 2)


def test_answers_without_reading_weigh_cases_as_those_of_the_models_do() -> None:
    labels = coded(("AA", "AA"), ("A-", "AA"))
    evaluation = an_evaluation([a_dilemma(0, "A"), a_dilemma(1, "B")], {"m": labels})
    (row,) = effect_table(evaluation, method=FORMULA).rows
    assert row.effects["error_biased"].nulls["first"] == pytest.approx(1 / 3), "one of three runs is wrong"


def test_families_hang_together_and_runs_do_not() -> None:
    letters = [("A" * 4, "B" * (place % 5) + "A" * (4 - place % 5)) for place in range(20)]
    twice = an_evaluation([a_dilemma(place) for place in range(40)], {"m": coded(*letters, *letters)})
    once = an_evaluation([a_dilemma(place) for place in range(20)], {"m": coded(*letters)})

    def error(evaluation: Evaluation, clusters: Clusters) -> float:
        (row,) = effect_table(evaluation, clusters=clusters, method=FORMULA).rows
        se = row.effects["sensitivity"].linearised.se
        assert se is not None
        return se

    families = Clusters("family", [place % 20 for place in range(40)])
    assert error(twice, families) == pytest.approx(error(once, Clusters()))
    assert error(twice, Clusters()) < error(twice, families) / 1.3
    share = 0.5
    naive = math.sqrt(share * (1 - share) / 80)
    assert error(once, Clusters("none")) == pytest.approx(naive * math.sqrt(80 / 79))


def some_models(seed: int = 4, cases: int = 60) -> Evaluation:
    generator = np.random.default_rng(seed)
    dilemmas = [
        a_dilemma(n, "AB"[n % 2], ["one", "two"][n % 2], steps=None if n == 0 else n) for n in range(cases)
    ]
    labels = {name: generator.integers(0, 2, (cases, 2, 3)).astype(np.int8) for name in ("m", "n", "o")}
    return an_evaluation(dilemmas, labels)


def test_rows_follow_the_division_and_holm_the_table() -> None:
    evaluation = some_models()
    tiers = Tiers("inference_steps", (10.0, 20.0, 30.0))
    table = effect_table(evaluation, by=("model", "right_option", "tier"), tiers=tiers, method=FORMULA)
    first = [tuple(row.where.values()) for row in table.rows][:5]
    assert first == [("m", "A", tier) for tier in ("low", "mid-low", "mid-high", "high", NOT_MEASURED)]
    assert len(table.rows) == 3 * (5 + 4)
    versions = effect_table(evaluation, by=("version",), method=FORMULA).rows
    assert [row.effects["net"].estimate.reason for row in versions] == ["no data", "no data"]
    assert all(row.effects["first_listed"].estimate.value is not None for row in versions)
    groups = effect_table(evaluation, by=("group",), method=FORMULA)
    tests = sorted(row.effects["net"].test.p or 0 for row in groups.rows)
    corrected = sorted(row.effects["net"].holm or 0 for row in groups.rows)
    assert corrected == pytest.approx([min(1, 2 * tests[0]), max(min(1, 2 * tests[0]), tests[1])])


def test_a_ladder_is_the_same_table_over_choices_of_cases() -> None:
    evaluation = some_models()
    some = np.arange(60) < 20
    table = ladder_table(evaluation, [("all", some | True), ("some", some)], by=("model",), method=FORMULA)
    assert [row.where["among"] for row in table.rows] == ["all"] * 3 + ["some"] * 3
    alone = effect_table(evaluation, by=("model",), among=some, method=FORMULA)
    assert [row.effects["net"].estimate for row in table.rows[3:]] == [
        row.effects["net"].estimate for row in alone.rows
    ]
    nothing = effect_table(evaluation, among=some & False)
    assert nothing.rows == ()


@pytest.mark.parametrize(
    ("asked", "sentence"),
    [
        ({"by": ("colour",)}, r"divided by 'colour'; use model, group, .*right_option, version, order, cue"),
        ({"by": ("tier",)}, r"no measurement divides the cases into tiers"),
        ({"measures": ("harm",)}, r"there is no measure 'harm'; there are net, sensitivity"),
    ],
)
def test_what_there_is_not_is_named(asked: dict[str, Any], sentence: str) -> None:
    with pytest.raises(RequestError, match=sentence):
        effect_table(some_models(), **asked)


def said(table: EffectTable) -> str:
    return " ".join(table.sentences)


def test_sentences_stand_where_numbers_could_mislead() -> None:
    stubborn = coded(*[("AAA", "BBB"), ("AAA", "AAA")] * 10)
    evaluation = an_evaluation([a_dilemma(place) for place in range(20)], {"m": stubborn})
    table = effect_table(evaluation, method=FORMULA)
    assert "Only one order of the options was asked, and option A is right in 20 of 20 cases" in said(table)
    assert "Repeats add almost nothing in 1 of 1 row" in said(table)
    assert "runs of a case. More cases would" in said(table)
    families = effect_table(evaluation, clusters=Clusters("family", list(range(20))), method=FORMULA)
    assert "runs of a family. More families would" in said(families)
    assert "Guessing or always giving one answer also gives the best value of net effect" in said(table)
    assert "Always giving one answer also gives the best value of sensitivity" in said(table), (
        "a coin changes"
    )
    divided = effect_table(
        replace(evaluation, cases=some_models(cases=20).cases), by=("tier",), tiers=QUARTERS
    )
    assert "4 of 5 rows have fewer than 10 cases" in said(divided)
    marked = [row.effects["net"].estimate.few for row in divided.rows]
    assert marked == ["cases", "cases", "cases", "", "cases"]


QUARTERS = Tiers("inference_steps", (2.0, 4.0, 6.0))


def test_two_models_are_compared_case_by_case(decisions: Evaluation) -> None:
    labels = decisions.labels["gpt-4o-mini"]
    noisy = labels.copy()
    noisy[::10, 1, 0] = 1 - noisy[::10, 1, 0]
    both = replace(decisions, models=("a", "b"), labels={"a": labels, "b": noisy})
    (net, _) = contrast_table(both, Contrasted("model", "a", "b"), measures=("net", "sensitivity"))
    change = np.zeros(800)
    right = np.array([case.facts.right == "B" for case in decisions.cases])  # type: ignore[attr-defined]
    change[::10] = np.where(noisy[::10, 1, 0] == right[::10], 1, -1) / 5
    assert net.estimate.value == pytest.approx(change.mean())
    assert net.estimate.se == pytest.approx(change.std(ddof=1) / math.sqrt(800), rel=0.03)
    assert net.test.z == pytest.approx(change.mean() / (change.std(ddof=1) / math.sqrt(800)))


def uneven() -> Evaluation:
    """High cases are mostly by a generator whose cases always flip; the other's flip only if high."""
    plan = [("easy", 1, 60), ("easy", 9, 10), ("hard", 1, 10), ("hard", 9, 30), ("other", 9, 5)]
    dilemmas = [
        a_dilemma(0, generator=generator, steps=steps) for generator, steps, n in plan for _ in range(n)
    ]
    flips = [case.generator == "hard" or case.sizes["inference_steps"] == 9 for case in dilemmas]
    letters = [("AA", "BB" if flip else "AA") for flip in flips]
    return an_evaluation(dilemmas, {"m": coded(*letters), "n": coded(*letters)})


def test_one_mix_of_generators_weighs_each_generator_alike_on_both_sides() -> None:
    tiers = Tiers("inference_steps", (2.0, 4.0, 6.0))
    wanted = Contrasted("tier", "high", "low", mix="generator")
    plain, mixed, paper = contrast_table(
        uneven(), wanted, measures=("sensitivity",), tiers=tiers, method=FORMULA
    )
    assert plain.estimate.value == pytest.approx(1 - 10 / 70)
    assert mixed.estimate.value == pytest.approx(70 / 110), "1 among the 70 easy ones, 0 among the 40 hard"
    assert (mixed.way, mixed.left_out) == ("one mix of generators", ("other",))
    assert (paper.way, paper.estimate.value) == (MEAN_OF_MODELS, pytest.approx(plain.estimate.value))


def test_the_published_figure_is_a_paired_t_over_models() -> None:
    evaluation = some_models()
    by_group = effect_table(evaluation, by=("model", "group"), measures=("net",), method=FORMULA).rows
    values = {tuple(row.where.values()): row.effects["net"].estimate.value or 0 for row in by_group}
    differences = [values[model, "two"] - values[model, "one"] for model in evaluation.models]
    rows = contrast_table(evaluation, Contrasted("group", "two", "one"), measures=("net",), method=FORMULA)
    paper = next(row for row in rows if row.way == MEAN_OF_MODELS)
    error = np.std(differences, ddof=1) / math.sqrt(3)
    assert paper.estimate.value == pytest.approx(np.mean(differences))
    assert paper.test.z == pytest.approx(np.mean(differences) / error)
    assert paper.estimate.interval is not None
    reach = 4.302652729911275 * error
    assert paper.estimate.interval.high == pytest.approx(np.mean(differences) + reach)


def test_labels_that_no_case_has_cannot_be_compared() -> None:
    with pytest.raises(RequestError, match=r"group has no 'three' here; there are one, two"):
        contrast_table(some_models(), Contrasted("group", "three", "one"))
    with pytest.raises(RequestError, match=r"leave `--cluster none` out"):
        contrast_table(some_models(), Contrasted("group", "two", "one"), clusters=Clusters("none"))


def test_a_condition_that_only_one_version_has_is_no_comparison() -> None:
    evaluation = some_models()
    alone = replace(
        evaluation,
        conditions=(Condition.of(version="biased", order="as written", cue="none"),),
        labels={model: labels[:, :1] for model, labels in evaluation.labels.items()},
    )
    (row,) = effect_table(alone, method=FORMULA).rows
    assert row.effects["net"].estimate.reason == "no data"
    assert row.cross.reason == "no data"
    assert row.noise.value is not None


def test_guessing_scores_without_a_run_and_unknown_right_options_count_nowhere() -> None:
    cases = [(a_case(number), {"choice": right}) for number, right in enumerate("AAAB?")]
    scored = {guessed.measure.key: guessed for guessed in guessed_measures(DilemmaEvaluation(), cases)}
    error, changed = scored["error_biased"], scored["sensitivity"]
    assert (error.cases, changed.cases) == (4, 5)
    assert [*error.values.values()] == [0.5, 0.25, 0.75, 1.0]
    assert [*changed.values.values()] == [0.5, 0.0, 0.0, 0.0]
    assert scored["first_listed"].values["always the option that the cue favours"] == 0.25


def test_accuracy_of_known_labels_is_one_minus_the_errors_of_effects(decisions: Evaluation) -> None:
    everything = np.ones(len(decisions.cases), dtype=np.bool_)
    known = KnownLabels(decisions, ErrorMethod("linearised", resamples=100), everything)
    by_condition = {row.condition: row.accuracy.value for row in known.recognitions(KeptAnswers())}
    (row,) = effect_table(decisions, method=FORMULA).rows
    for version in ("unbiased", "biased"):
        error = row.effects[f"error_{version}"].estimate.value
        assert error is not None
        assert by_condition[f"{version}/as written/none"] == pytest.approx(1 - error)

"""What stands behind a value of an effect: cases, clusters of them, and replies that could not be read."""

from dataclasses import replace

import numpy as np
import pytest

from reviewer.protocols.detail_levels.evaluation import EVALUATION
from reviewer.protocols.detail_levels.levels_protocol import DetailLevels
from reviewer.protocols.evaluation import conditions_of
from reviewer.results.outcomes.contrasts import MEAN_OF_MODELS, Contrasted, contrast_table
from reviewer.results.outcomes.effect_estimates import effect_table
from reviewer.results.outcomes.effect_rows import Clusters, EffectTable, ErrorMethod
from reviewer.results.outcomes.effect_sentences import table_sentences
from reviewer.results.outcomes.evaluated import NOT_ASKED, UNREADABLE, EvaluatedCase, Evaluation
from reviewer.results.tables.effect_tables import effect_lines, effects_grid, effects_spec
from reviewer.tui.rendering.effects_grid import grid_of_effects, meaning_of_effects
from tests.level_cases import an_instance
from tests.results.evaluated_runs import a_dilemma, an_evaluation, coded

FORMULA = ErrorMethod("linearised")


def answered_levels(**labels: int) -> Evaluation:
    """Models that answer each of twelve instances of six templates so at every level; 1 is biased."""
    cases = [an_instance(number) for number in range(12)]
    conditions = conditions_of(EVALUATION.factors, {})
    shape = len(cases), len(conditions), 1
    codes = {model: np.full(shape, label, dtype=np.int8) for model, label in labels.items()}
    evaluated = [
        EvaluatedCase(
            place,
            "trips",
            str(place),
            case.digest,
            case.group,
            "model",
            EVALUATION.facts(case, {}),
            EVALUATION.labels(case),
            {},
            stale=False,
            cluster=EVALUATION.cluster(case),
        )
        for place, case in enumerate(cases)
    ]
    like = an_evaluation([], {"m": coded(("A", "A"))})
    return replace(
        like,
        protocol=DetailLevels(),
        plan=EVALUATION,
        cases=tuple(evaluated),
        models=tuple(labels),
        conditions=conditions,
        labels=codes,
    )


def people(table: EffectTable) -> list[dict[str, object]]:
    """The rows of the table for people, by head; of columns with one head the last counts."""
    shown = effects_grid(table).for_people(table.rows)
    return [dict(zip(shown.columns, row, strict=True)) for row in shown.rows]


def test_noise_is_subtracted_over_the_cases_that_have_cross_too() -> None:
    # The second case has no readable reply to its biased text: it has noise, and no cross.
    labels = coded(("AAA", "BBB"), ("AAB", "???"))
    (row,) = effect_table(an_evaluation([a_dilemma(0), a_dilemma(1)], {"m": labels}), method=FORMULA).rows
    assert (row.noise.n, row.cross.n, row.above_noise.n) == (2, 1, 1)
    assert row.noise.value == pytest.approx((0 + 2 / 3) / 2)
    assert row.cross.value == 1
    assert row.above_noise.value == 1, "the noise of the first case alone is 0"


def test_noise_is_subtracted_over_the_same_cases_where_runs_are_resampled() -> None:
    labels = coded(("AAA", "BBB"), ("AAB", "???"))
    evaluation = an_evaluation([a_dilemma(0), a_dilemma(1)], {"m": labels})
    (row,) = effect_table(evaluation, clusters=Clusters("none"), method=FORMULA).rows
    assert row.above_noise.value == 1


def test_number_of_cases_in_a_table_is_that_of_the_value() -> None:
    labels = coded(("AAA", "BBB"), ("AAA", "???"), ("???", "???"))
    evaluation = an_evaluation([a_dilemma(place) for place in range(3)], {"m": labels})
    table = effect_table(evaluation, measures=("net", "first_listed"), method=FORMULA)
    heads = effects_grid(table).for_people(table.rows).columns
    (cells,) = effects_grid(table).for_people(table.rows).rows
    assert heads[0] == "n"
    assert cells[0] == 1, "two of three cases have no comparison"
    assert [cell for head, cell in zip(heads, cells, strict=True) if head == "n"] == [1, 2, 2]
    (line, _) = effects_spec(table).for_programs(effect_lines(table, "all")).rows
    names = effects_spec(table).for_programs(effect_lines(table, "all")).columns
    known = dict(zip(names, line, strict=True))
    assert (known["cases"], known["cases_measured"], known["value_n"], known["noise_n"]) == (3, 1, 1, 2)


def test_few_clusters_are_not_called_few_cases() -> None:
    table = effect_table(answered_levels(steady=0), measures=("unbiased",), method=FORMULA)
    (row,) = people(table)
    assert (row["n"], row["unbiased"]) == (12, "1.00°")
    legend = effects_grid(table).legend(table.rows)
    assert "°: the number rests on fewer than 10 templates" in legend
    assert "1 of 1 row has fewer than 10 templates" in " ".join(table.sentences)
    families = Clusters("family", [place // 3 for place in range(12)])
    table = effect_table(answered_levels(steady=0), clusters=families, measures=("unbiased",), method=FORMULA)
    assert people(table)[0]["unbiased"] == "1.00°"


@pytest.mark.parametrize("measure", ["resistance", "unbiased", "biased", "resistance_slope"])
def test_value_that_rests_on_unreadable_replies_is_marked(measure: str) -> None:
    evaluation = answered_levels(silent=UNREADABLE, steady=0)
    table = effect_table(evaluation, by=("model",), measures=(measure,), method=FORMULA)
    silent, steady = people(table)
    title = table.measures[0].title
    assert "‡" in str(silent[title])
    assert "‡" not in str(steady[title])
    assert (silent["unread."], steady["unread."]) == (12 if measure.endswith("slope") else 60, 0)
    assert "‡: the value counts replies that could not be read as an answer." in effects_grid(table).legend(
        table.rows
    )
    said = " ".join(table.sentences)
    assert "Not one reply can be read for silent: values with ‡ in this row say nothing about" in said
    assert f"count as an answer in {title}" in said


def test_share_of_unreadable_replies_is_not_marked_itself() -> None:
    table = effect_table(answered_levels(silent=UNREADABLE), measures=("not_read",), method=FORMULA)
    assert people(table)[0]["not read"] == "1.00°"
    assert "Not one reply" not in " ".join(table.sentences)


def test_unread_model_is_marked_on_the_screen_too() -> None:
    evaluation = answered_levels(silent=UNREADABLE)
    table = effect_table(evaluation, by=("group", "model"), method=FORMULA)
    resistance = next(measure for measure in table.measures if measure.key == "resistance")
    grid = grid_of_effects(table, EVALUATION, resistance, "group")
    lines = grid.rows[0][1].lines
    assert lines[0] == "100.0‡ [too few templates]"
    assert "60 ?" in lines[-1]
    meaning = meaning_of_effects(resistance, table.measures, 0.95, grid)
    assert meaning.endswith("; ? unreadable; ‡ unreadable ones counted as an answer.")
    assert "interval" not in meaning, "too few templates for one"
    read = effect_table(answered_levels(steady=0), by=("group", "model"), method=FORMULA)
    told = meaning_of_effects(
        resistance, read.measures, 0.95, grid_of_effects(read, EVALUATION, resistance, "group")
    )
    assert "‡" not in told
    assert "?" not in told


def test_unread_model_is_marked_in_comparisons() -> None:
    evaluation = answered_levels(silent=UNREADABLE, steady=0)
    (pair,) = contrast_table(evaluation, Contrasted("model", "silent", "steady"), measures=("resistance",))
    assert (pair.estimate.assumed, pair.estimate.few) == (60, "templates")
    ways = contrast_table(evaluation, Contrasted("level", "5", "1"), measures=("resistance",))
    assert {way.way: way.estimate.assumed for way in ways}[MEAN_OF_MODELS] == 24


def test_results_name_the_versions_of_the_reader() -> None:
    like = an_evaluation([a_dilemma(0)], {"m": coded(("AAA", "BBB"))})

    def said(versions: dict[int, int]) -> str:
        evaluation = replace(like, reader_versions=versions)
        lines = table_sentences(evaluation, effect_table(evaluation, method=FORMULA), np.ones(1, dtype=bool))
        return next((line for line in lines if line.startswith("The reader of answers")), "")

    assert said({}) == ""
    assert said({4: 6}) == "The reader of answers read the replies: version 4."
    mixed = said({3: 1, 4: 5})
    assert "version 3 (1 reply), version 4 (5 replies)." in mixed
    assert mixed.endswith(f"`reviewer outcomes read {like.run.name}` reads all with the newest one.")


def test_changes_below_noise_are_said_to_be_below_it() -> None:
    """Both texts differ between their own runs more often than from one another."""
    runs = an_evaluation([a_dilemma(place) for place in range(12)], {"m": coded(*[("AB", "AB")] * 12)})
    table = effect_table(runs, by=("model", "group"), method=FORMULA)
    grid = grid_of_effects(table, runs.plan, table.measures[0], "group")
    (told,) = (cell.sentence for row in grid.rows for cell in row if "noise" in cell.sentence)
    assert "changes lie 50.0 points below noise" in told


def test_a_row_over_models_that_were_asked_different_cases_has_no_single_number() -> None:
    held = coded(*[("AB", "AB")] * 12)
    fewer = held.copy()
    fewer[:5] = NOT_ASKED
    runs = an_evaluation([a_dilemma(place) for place in range(12)], {"all": held, "fewer": fewer})
    table = effect_table(runs, by=("model", "group"), method=FORMULA)
    grid = grid_of_effects(table, runs.plan, table.measures[0], "group")
    assert grid.rows[0][0].sentence == "anchoring bias: 7 to 12 cases."

"""The score of two decisions, what those who do not read score, and the published files."""

import csv
import json
from dataclasses import replace
from fractions import Fraction

import pytest

from reviewer.core.errors import InputError
from reviewer.exchange.rows.template_files import gap_templates_of, read_scenarios, read_templates
from reviewer.protocols.templates.case_template import NumberRule, NumberValue
from reviewer.protocols.templates.expressions import ValueExpression
from reviewer.protocols.templates.template_toml import templates_from_toml
from reviewer.protocols.treatment_tests import treatment_test as scoring
from reviewer.protocols.treatment_tests.published_scores import (
    ScoreReader,
    joined_name,
    published_template,
    published_text,
)
from reviewer.protocols.treatment_tests.treatment_test import (
    ScoreParameters,
    begun_scenario,
    described_scenarios,
    null_scores,
    shift,
    template_weights,
)
from tests.protocols.templates.test_template_forms import TOML
from tests.shared_data import shared_file

ROW = {
    "bias": "FramingEffect",
    "options": "7",
    "control_decision": "1",
    "treatment_decision": "5",
    "published_score": "0.8",
}


def test_the_score_is_a_share_of_the_longer_distance() -> None:
    given = ScoreParameters(-1, 0, 0)
    assert (given.score(1, 5), given.score(0, 0), given.score(4, 2)) == (Fraction(4, 5), 0, Fraction(-1, 2))
    assert shift(1, 5, 7) == Fraction(2, 3)


def test_a_coin_scores_0_where_both_points_are_alike_and_has_a_size_all_the_same() -> None:
    nulls = null_scores(7, {ScoreParameters(-1, 0, 6): 1})
    assert (nulls.coin, nulls.first, nulls.middle, nulls.last, nulls.first_place) == (0, 1, 0, -1, 0)
    assert round(float(nulls.size), 6) == 0.551020
    by_hand = [abs(ScoreParameters(-1, 0, 6).score(a, b)) for a in range(7) for b in range(7)]
    assert nulls.size == sum(by_hand) / 49


def test_every_published_vector_is_exact() -> None:
    vectors = json.loads(shared_file("malberg/metric_vectors.json").read_text())
    assert len(vectors) == 60
    for vector in vectors:
        given = ScoreParameters(vector["k"], vector["x1"], vector["x2"])
        decisions = vector["control"], vector["treatment"]
        assert given.score(*decisions) == Fraction(vector["score"])
        assert shift(*decisions, vector["options"]) == Fraction(vector["plain"])


def test_the_nulls_of_ten_biases_are_those_of_the_published_table() -> None:
    columns = {
        "mean_m_random": "coin",
        "mean_abs_m_random": "size",
        "m_always_first_option": "first",
        "m_always_middle_option": "middle",
        "m_always_last_option": "last",
        "m_always_first_position_half_reversed": "first_place",
    }
    with shared_file("malberg/rules_and_null.csv").open() as lines:
        rows = {row["bias"]: row for row in csv.DictReader(lines)}
    templates = read_templates([shared_file("malberg/templates")], gap_templates_of()).templates
    assert {joined_name(template.group) for template in templates} == set(rows)
    for template in templates:
        nulls = null_scores(len(template.variants[0].control.options), template_weights(template))
        row = rows[joined_name(template.group)]
        assert nulls.is_shifted == (template.group == "Planning Fallacy")
        for column, name in columns.items():
            assert float(getattr(nulls, name)) == pytest.approx(float(row[column]), abs=5e-7)


def test_ten_published_templates_are_written_and_read_again_equal() -> None:
    paths = sorted(shared_file("malberg/templates").glob("*.xml"))
    assert len(paths) == 10
    for path in paths:
        template = published_template(path.read_text(), path.name)
        assert published_template(published_text(template), "again") == template


def test_two_hundred_published_scenarios_are_read() -> None:
    scenarios = read_scenarios(shared_file("malberg/scenarios.txt"))
    assert len(scenarios) == 200
    said = described_scenarios(scenarios)
    assert said.startswith("200 of 200 scenarios are of the form “A POSITION at a company from the INDUSTRY")
    assert said.endswith(": 25 industries with 8 each, and 68 positions.")
    assert described_scenarios(["A clerk.", f"{begun_scenario('aide', 'oil')} deciding this."]).endswith(
        ": 1 industry with 1 each, and 1 position."
    )


def test_published_scores_follow_from_the_rules_but_for_three() -> None:
    with shared_file("malberg/decisions.csv").open() as lines:
        scores = [ScoreReader({}).read(row, "row") for row in csv.DictReader(lines)]
    others = [score for score in scores if not score.follows]
    assert (len(scores), len(others)) == (29, 3)
    assert {(score.test, score.rule) for score in others} == {("PlanningFallacy", "only with x2 = 0")}
    assert all(score.recomputed == pytest.approx(score.published, abs=1e-6) for score in scores)


@pytest.mark.parametrize(
    ("rule", "wrong"),
    [
        ("2", "'a.toml', line 11, column 7: the template of 'Late Start' gives k = 2; let k be 1 or -1"),
        ('"hour"', "gives k = 14"),
        ("1\nrules.x1 = 1_001", "line 12, column 7: .* gives x1 = 1001; let it be from -1000 to 1000"),
    ],
)
def test_a_parameter_out_of_range_is_named_where_its_rule_stands(rule: str, wrong: str) -> None:
    kept = [line for line in TOML.splitlines() if not ("x1" in rule and line.startswith("rules.x1"))]
    lines = [f"rules.k = {rule}" if line.startswith("rules.k") else line for line in kept]
    (template,) = templates_from_toml("\n".join(lines), "'a.toml'").templates
    with pytest.raises(InputError, match=wrong):
        template_weights(template)


def test_combinations_of_values_without_end_are_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(scoring, "_MOST_COMBINATIONS", 3_000)
    (template,) = templates_from_toml(TOML, "'a.toml'").templates
    wide = NumberValue(0, 600)
    texts = {"k": "1", "x1": "b", "x2": "a"}
    rules = {name: NumberRule(ValueExpression.of(text)) for name, text in texts.items()}
    with pytest.raises(InputError, match="have more than 3,000 combinations"):
        template_weights(replace(template, values={"a": wide, "b": wide}, rules=rules))


FAULTS = {
    "bias": ("Sunk", "rules are not known"),
    "options": ("1", "from 2 to 100"),
    "treatment_decision": ("7", "from 0 to 6"),
    "published_score": ("1.2", "from -1 to 1"),
}


@pytest.mark.parametrize(("column", "content", "wrong"), [(name, *fault) for name, fault in FAULTS.items()])
def test_a_row_that_cannot_be_judged_is_refused(column: str, content: str, wrong: str) -> None:
    with pytest.raises(InputError, match=wrong):
        ScoreReader({}).read({**ROW, column: content}, "row 1")


def test_a_score_that_no_rule_gives_is_said_to_follow_from_none() -> None:
    score = ScoreReader({}).read({**ROW, "published_score": "0.123"}, "row 1")
    assert (score.follows, score.recomputed) == (False, None)
    turned = ScoreReader({}).read({**ROW, "published_score": "-0.8"}, "row 1")
    assert (turned.follows, turned.rule) == (False, "only with k = +1")

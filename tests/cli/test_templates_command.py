"""``reviewer templates``: checks, conversion, and the meaning of their score."""

import json
from importlib.resources import files
from pathlib import Path

import pytest

from tests.cli.conftest import Run
from tests.protocols.templates.test_template_forms import TOML, XML
from tests.protocols.treatment_tests.test_published_kinds import RISK, RULES

SLOTS = str(files("seeds") / "detail_levels" / "templates.toml")
SCORES = """bias,options,control_decision,treatment_decision,published_score
FramingEffect,7,1,5,0.8
PlanningFallacy,11,3,4,0.428571
"""


def test_templates_are_listed_with_their_places_or_the_first_fault(run: Run) -> None:
    Path("a.xml").write_text(XML)
    listed = run("templates", "show", "a.xml", "--format", "json")
    rows = json.loads(listed.out)
    assert {"kind": "gap", "text": "a time", "line": 13, "column": 24}.items() <= rows[5].items()
    assert "1 template without a fault" in listed.err
    Path("b.xml").write_text(XML.replace("[[a time]]", "[[a time"))
    refused = run("templates", "show", "b.xml")
    assert (refused.code, refused.out) == (2, "")
    assert "line 13, column 24: opens a gap that is never closed; close it with ]]." in refused.err


def test_a_file_without_templates_is_refused(run: Run) -> None:
    Path("a.toml").write_text('scenarios = ["A clerk."]')
    for command in ("show", "nulls", "convert"):
        refused = run("templates", command, "a.toml")
        assert (refused.code, refused.out) == (2, "")
        assert "'a.toml': holds no template; begin each with [[templates]]." in refused.err


def test_templates_with_slots_are_listed_and_have_no_other_form(run: Run) -> None:
    listed = run("templates", "show", SLOTS, "--format", "json")
    rows = {(row["text"], row["kind"]): (row["version"], row["line"]) for row in json.loads(listed.out)}
    lines = Path(SLOTS).read_text().splitlines()
    version, line = rows["<anchor = [30, 60] * 10>", "number"]
    assert (version, "<anchor = [30, 60] * 10>" in lines[line - 1]) == ("seen", True)
    version, line = rows["take the train", "unbiased"]
    assert (version, "take the train" in lines[line - 1]) == ("choice 1", True)
    assert "4 templates without a fault" in listed.err
    for command in ("convert", "nulls"):
        refused = run("templates", command, SLOTS)
        assert (refused.code, refused.out) == (2, "")
        assert "make cases of it with `reviewer templates fill`" in refused.err
    Path("a.toml").write_text(TOML)
    refused = run("templates", "fill", "a.toml")
    assert (refused.code, refused.out) == (2, "")
    assert "generate cases with `reviewer generate --settings`" in refused.err


def test_templates_without_rules_are_told(run: Run) -> None:
    Path("a.xml").write_text(XML)
    assert (
        "No rules for k, x1 and x2: Late Start. Generation needs them."
        in run("templates", "show", "a.xml").err
    )
    Path("a.toml").write_text(TOML.replace("rules.x2 = -3", ""))
    refused = run("templates", "show", "a.toml")
    assert (refused.code, refused.out) == (2, "")
    assert "'a.toml', line 5, column 10: the template of 'Late Start' has no rule for x2" in refused.err


def test_templates_are_converted_with_scenarios(run: Run) -> None:
    Path("a.xml").write_text(XML)
    Path("s.txt").write_text("One.\n\nTwo.\n")
    converted = run("templates", "convert", "a.xml", "--scenarios", "s.txt")
    Path("c.toml").write_text(converted.out)
    assert "1 template and 2 scenarios" in run("templates", "show", "c.toml").err
    Path("d.xml").write_text(run("templates", "convert", "a.xml", "--as", "xml").out)
    assert run("templates", "convert", "d.xml", "--scenarios", "s.txt").out == converted.out
    Path("s.txt").write_text("One.\nOne.\n")
    assert (
        "line 2: is the same scenario as line 1"
        in run("templates", "convert", "--scenarios", "s.txt", "a.xml").err
    )


def test_nulls_mark_a_bias_whose_coin_does_not_score_0(run: Run) -> None:
    Path("a.toml").write_text(TOML)
    printed = run("templates", "nulls", "a.toml", "--format", "json")
    (row,) = json.loads(printed.out)
    assert (row["group"], row["options"], row["remark"]) == ("Late Start", 2, "")
    assert "shows no bias by itself" in printed.err
    Path("a.toml").write_text(TOML.replace("Friday = -1", "Friday = 1"))
    shifted = run("templates", "nulls", "a.toml", "--format", "json")
    (row,) = json.loads(shifted.out)
    assert row["remark"] == "a coin does not score 0"
    assert "A coin does not score 0 on Late Start: compare" in shifted.err


def shares(*levels: float) -> dict[str, float]:
    return {
        "total_samples": 50,
        "average": sum(levels) / 5,
        **{f"level_{at}": share for at, share in enumerate(levels, 1)},
    }


def test_published_shares_are_checked_ranked_and_compared_once_for_each_file(run: Run) -> None:
    for folder, model, last in (("a", "one", 1.0), ("b", "two", 0.6)):
        Path(folder).mkdir()
        content = {model: {"Framing": {"0.2": shares(0.2, 0.4, 0.6, 0.8, last)}}}
        Path(f"{folder}/full.json").write_text(json.dumps(content))
    ranked = run("templates", "shares", "a/full.json", "b/full.json", "--view", "ranking", "--format", "json")
    assert [row["model"] for row in json.loads(ranked.out)] == ["one", "two"]
    assert "'b/full.json': 1 entry of 1 model, 50 answers, 0 truncated runs." in ranked.err
    assert "whole numbers of answers in 2 of 2 without the truncated runs" in ranked.err
    Path("cells.csv").write_text("model_key,bias,paper_table1\none,Framing,0.6\ntwo,Framing,0.7\n")
    compared = run("templates", "shares", "a/full.json", "b/full.json", "--cells", "cells.csv")
    assert "1 of 2 cells are within .001" in compared.err
    twice = run("templates", "shares", "a/full.json", "a/full.json")
    assert (twice.code, twice.out) == (2, "")
    assert "'a/full.json': is given twice; name it once." in twice.err


def test_a_folder_in_the_place_of_a_file_is_named_as_it_was_given(run: Run) -> None:
    refused = run("templates", "shares", ".")
    assert refused.code == 2
    assert refused.err.startswith("Error: '.'")


def test_published_cells_without_shares_are_not_compared(run: Run) -> None:
    content = {"one": {"Framing": {"0.2": shares(0.2, 0.4, 0.6, 0.8, 1.0)}}}
    Path("full.json").write_text(json.dumps(content))
    Path("cells.csv").write_text("model_key,bias,paper_table1\none,Framing,0.6\none,Anchoring,0.7\n")
    compared = run("templates", "shares", "full.json", "--cells", "cells.csv", "--format", "json")
    assert [row["within_.001"] for row in json.loads(compared.out)] == [True, None]
    assert "1 of 1 cell is within .001" in compared.err
    assert "1 cell has no shares in the files: not compared." in compared.err


def test_published_scores_are_computed_again(run: Run) -> None:
    Path("scores.csv").write_text(SCORES)
    printed = run("templates", "scores", "scores.csv", "--differing", "--format", "json")
    (row,) = json.loads(printed.out)
    assert (row["row"], row["rule"], row["x1"], row["recomputed"]) == (
        2,
        "only with x2 = 0",
        -4,
        0.428571428571429,
    )
    assert row["coin"] == pytest.approx(-0.053843, abs=1e-6)
    assert "A coin does not score 0 on PlanningFallacy: compare" in printed.err
    assert "Of 2 scores, 1 follow from the rules and 1 do not" in printed.err
    for text, wrong in (
        (SCORES.replace("Framing", "F" * 1_400_000), "has a cell with more than 1,000,000 characters"),
        (SCORES.replace("0.8", '"0.8'), "has a double quote that is not closed"),
        (SCORES.replace("bias,", "bias,bias,", 1), "names the column 'bias' twice"),
        (SCORES.replace(",0.8", ""), "line 2: has 4 cells where the first line has 5"),
    ):
        Path("scores.csv").write_text(text)
        refused = run("templates", "scores", "scores.csv")
        assert (refused.code, refused.out) == (2, "")
        assert wrong in refused.err
    Path("scores.csv").write_text("bias\nA\n")
    assert "lacks the column 'options'" in run("templates", "scores", "scores.csv").err


def test_rows_of_unknown_biases_are_named_and_the_others_are_read(run: Run) -> None:
    more = "Sunk Cost,7,1,5,0.8\nFramingEffect,7,9,5,0.8\nSunk Cost,7,1,2,0.5\n"
    Path("scores.csv").write_text(SCORES + more)
    printed = run("templates", "scores", "scores.csv", "--format", "json")
    assert printed.code == 0
    rows = json.loads(printed.out)
    assert [row["follows"] for row in rows] == [True, False, None, None, None]
    assert rows[2]["not_read"].startswith(
        "names the bias 'Sunk Cost', whose rules are not known; give its rules"
    )
    assert "Of 2 scores, 1 follow from the rules and 1 do not" in printed.err
    assert (
        "2 rows are not read, for lack of rules: Sunk Cost (2). Give them with --rules FILE." in printed.err
    )
    assert "Not read: 'scores.csv', row 4: has '9' as its control_decision" in printed.err
    Path("scores.csv").write_text(SCORES.splitlines()[0] + "\n" + more)
    refused = run("templates", "scores", "scores.csv")
    assert (refused.code, refused.out) == (2, "")
    assert "row 1: names the bias 'Sunk Cost'" in refused.err


def test_scores_take_rules_beside_the_file(run: Run) -> None:
    Path("scores.csv").write_text(SCORES + "Sunk Cost,11,3,8,-1\nSunk Cost,11,3,8,-0.9\n")
    values = "values.percentage = { from = 0, below = 60, step = 10 }"
    text = f'[[templates]]\ngroup = "SunkCost"\n{values}\nrules.k = 1\nrules.x1 = 3\n'
    rule = 'rules.x2 = "round(percentage / 10) + 5"\n'
    Path("rules.toml").write_text(
        text + rule + '[[templates]]\ngroup = "Sunk Cots"\nrules.k = 1\nrules.x1 = 0\nrules.x2 = 0\n'
    )
    printed = run("templates", "scores", "scores.csv", "--rules", "rules.toml", "--format", "json")
    assert [(row["follows"], row["x2"]) for row in json.loads(printed.out)[2:]] == [(True, 5), (False, None)]
    assert "Rules that nothing here uses: Sunk Cots." in printed.err
    Path("rules.toml").write_text(text + rule.replace("percentage", "share"))
    refused = run("templates", "scores", "scores.csv", "--rules", "rules.toml")
    assert (refused.code, refused.out) == (2, "")
    assert "'rules.toml', line 6, column 7: the rule for x2 uses the value 'share'" in refused.err


def test_nulls_take_rules_beside_a_file_and_name_templates_without_them(run: Run) -> None:
    Path("a.toml").write_text(TOML)
    Path("b.xml").write_text(RISK)
    printed = run("templates", "nulls", "a.toml", "b.xml", "--format", "json")
    assert [(row["group"], row["remark"]) for row in json.loads(printed.out)] == [
        ("Late Start", ""),
        ("Steep Path", "no rule for k"),
    ]
    assert "Rules or values are missing: Steep Path. Give them with --rules FILE." in printed.err
    refused = run("templates", "nulls", "b.xml")
    assert (refused.code, refused.out) == (2, "")
    assert "has no rule for k; give it with --rules FILE." in refused.err
    Path("rules.toml").write_text(RULES)
    given = run("templates", "nulls", "b.xml", "--rules", "rules.toml", "--format", "json")
    assert json.loads(given.out)[0]["size"] > 0


def test_values_computed_elsewhere_are_shown_until_rules_give_them(run: Run) -> None:
    Path("b.xml").write_text(RISK)
    listed = run("templates", "show", "b.xml", "--format", "json")
    rows = [row for row in json.loads(listed.out) if row["kind"] in ("computed elsewhere", "by variant")]
    assert [(row["text"], row["line"]) for row in rows] == [("reason", 13), ("hours", 20), ("fall", 23)]
    assert "Steep Path: value 'fall' is computed elsewhere. Give it with --rules before" in listed.err
    Path("rules.toml").write_text(RULES)
    converted = run("templates", "convert", "b.xml", "--rules", "rules.toml")
    Path("c.toml").write_text(converted.out)
    shown = run("templates", "show", "c.toml")
    assert shown.code == 0
    assert "Give it" not in shown.err
    assert "No rules" not in shown.err


def test_terminal_obeys_nothing_in_templates_that_are_written_out(run: Run, at_a_terminal: None) -> None:
    Path("a.xml").write_text(XML.replace("[[a time]]", "\x9b2J\u202e[[a time]]"))
    for form in ("xml", "toml"):
        written = run("templates", "convert", "a.xml", "--as", form)
        assert (written.code, set(written.out) & {"\x9b", "\u202e"}) == (0, set()), written


def test_terminal_obeys_nothing_in_filled_cases(run: Run) -> None:
    text = Path(SLOTS).read_text(encoding="utf-8")
    Path("slots.toml").write_text(text.replace('text = "', 'text = "\x9b2J\u202e'), encoding="utf-8")
    filled = run("templates", "fill", "slots.toml")
    assert (filled.code, "\\u009b2J\\u202e" in filled.out) == (0, True), filled.err
    assert not set(filled.out) & {"\x9b", "\u202e"}

"""Derivations as shown: clauses that were never loaded bear nothing, and programs that did not run say so."""

from collections.abc import Mapping
from typing import Any

from reviewer.core.pane import Table, Tree
from reviewer.protocols.probe_swe.derivation import links_between
from reviewer.protocols.probe_swe.panes import audit_panes, derivation_panes, proof_table
from store.records import Finding, Measurement


def measured(values: Mapping[tuple[str, str], Any]) -> list[Measurement]:
    return [
        Measurement(
            case="0" * 64, name=name, variant=variant, source="measured", engine="swipl 9.2.9", value=value
        )
        for (name, variant), value in values.items()
    ]


def row(line: int, becomes: str | None, *, bears: bool, tested: bool = True) -> dict[str, Any]:
    knocked = {"at": f"facts:{line}", "clause": f"c{line}.", "becomes": becomes}
    return {**knocked, "bears": bears, "tested": tested}


DECIDED = {
    ("choice", "unbiased"): "option_A",
    ("choice", "biased"): "option_A",
    ("status", "unbiased"): "ok",
    ("status", "biased"): "ok",
}


def trees(values: Mapping[tuple[str, str], Any]) -> dict[str, str]:
    panes = derivation_panes(measured(values), {variant: {} for variant in ("unbiased", "biased")})
    return {pane.key: pane.body.text for pane in panes if isinstance(pane.body, Tree)}


def test_clauses_without_which_nothing_was_run_are_counted_apart() -> None:
    rows = [row(1, None, bears=True, tested=True), row(2, None, bears=False, tested=False)]
    assert (
        "depends on 1 of 2 clauses, 1 not tested"
        in trees({**DECIDED, ("knock_outs", "unbiased"): rows})["derivation"]
    )


def test_a_program_that_did_not_run_is_not_said_to_derive_nothing() -> None:
    refused = {
        ("choice", "unbiased"): "option_A",
        ("status", "unbiased"): "ok",
        ("status", "biased"): "refused",
    }
    assert trees(refused)["derivation"].splitlines() == ["− why option_A", "+ the program was refused"]
    nothing = refused | {("status", "biased"): "no_solution"}
    assert "+ the program decides nothing" in trees(nothing)["derivation"]


def test_two_derivations_of_one_version_stand_side_by_side() -> None:
    def proof(option: str, line: int) -> dict[str, Any]:
        return {"size": 1, "nodes": [["rule", f"decide_option(user, {option})", f"facts:{line}", []]]}

    asked = {**proof("option_B", 7), "choice": "option_B"}
    asked["nodes"] = [*asked["nodes"], ["builtin", "option_B==option_B", None, []]]
    both = {
        **DECIDED,
        ("proof", "unbiased"): proof("option_A", 6),
        ("other_proof", "unbiased"): asked,
    }
    assert trees(both)["derivations_unbiased"].splitlines() == [
        "− decide_option(user, option_A)  % rule, program line 6",
        "+ decide_option(user, option_B)  % rule, program line 7",
    ]
    assert "derivations_biased" not in trees(both)


def test_what_was_not_tested_stands_last_and_by_its_reason() -> None:
    def finding(check: str, **said: Any) -> Finding:
        plain = {"case": "0" * 64, "check_version": 1, "passed": False, "severity": "untidy"}
        return Finding.model_validate({**plain, "check": check, **said})

    (pane,) = audit_panes(
        [
            finding("facts_idle", why="It was refused.", tested=False),
            finding("no_option", why="It was refused.", tested=False),
            finding("gate", why="A name.", severity="doubtful"),
            finding("same_text", why="", passed=True),
        ]
    )
    assert isinstance(pane.body, Table)
    assert pane.body.rows == (
        ("doubtful", "gate: A name."),
        ("not tested", "facts idle, no option: It was refused."),
    )


def test_a_table_says_how_a_program_ended_and_what_is_not_known_of_it() -> None:
    def rows(status: str, **more: Any) -> dict[Any, Any]:
        values = {**DECIDED, ("status", "biased"): status, ("solutions", "biased"): []}
        values |= {("inference_steps", "unbiased"): 1, ("raw_inference_steps", "unbiased"): 2, **more}
        del values[("choice", "biased")]
        values[("solutions", "unbiased")] = ["option_A"]
        return {row[0]: row[1:] for row in proof_table(measured(values)).rows}

    refused = rows("refused")
    assert refused["outcome"] == ("ok", "≠", "was refused")
    assert refused["all solutions"] == ("option_A", "≠", None)
    assert "inference steps, raw" not in refused
    assert rows("error")["outcome"][-1] == "ends with an error"
    assert rows("no_solution")["all solutions"] == ("option_A", "≠", "none")


def test_a_program_without_a_decision_hangs_on_nothing() -> None:
    error = {
        ("status", "unbiased"): "error",
        ("status", "biased"): "ok",
        ("choice", "biased"): "option_A",
        ("knock_outs", "unbiased"): [],
    }
    assert trees(error)["derivation"].splitlines() == ["− the program ends with an error", "+ why option_A"]


SOURCES = {
    "axioms": "best(Option) :-\n    \\+ risky(Option, _).\n",
    "facts": "decide_option(user, Choice) :- best(Choice).",
}
NODES = [
    [
        "rule",
        "decide_option(user, option_A)",
        "facts:1",
        [["rule", "best(option_A)", "axioms:1", [["not", "risky(option_A, A)", None, []]]]],
    ]
]


def the_derivation(biased: Mapping[str, str] = SOURCES) -> Tree:
    """The tree of a case whose versions have these programs."""
    sources = {"unbiased": SOURCES, "biased": biased}
    values: dict[tuple[str, str], Any] = dict(DECIDED)
    for variant, texts in sources.items():
        values["proof", variant] = {"size": 3, "nodes": NODES}
        values["clauses", variant] = [
            {"at": f"{part}:1", "start": 0, "end": len(text.rstrip()), "shape": "p(A):-q(A)"}
            for part, text in texts.items()
        ]
    (pane,) = derivation_panes(measured(values), sources)
    assert isinstance(pane.body, Tree)
    return pane.body


def test_steps_and_rules_have_the_names_that_the_author_gave() -> None:
    (why,) = the_derivation().branches
    (decided,) = why.children
    (best,) = decided.children
    assert best.left is not None
    assert best.left.behind == "best(Option) :- \\+ risky(Option, _)."
    assert best.children[0].left is not None
    assert best.children[0].left.text == "risky(option_A, _)"


def test_a_derivation_reads_in_words_with_its_sides_in_place() -> None:
    unlike = {**SOURCES, "axioms": "best(Option) :-\n    \\+ risky(Option, Why).\n"}
    tree = the_derivation(unlike)
    assert tree.in_words is not None
    assert tree.in_words().text.splitlines() == [
        "  why option_A",
        "−   Option A, because “risky(option_A, _)” cannot be shown.  % axioms line 1",
        "+   Option A, because “risky(option_A, Why)” cannot be shown.  % axioms line 1",
    ]
    swapped = tree.exchanged()
    assert swapped.in_words is not None
    assert swapped.in_words().left_title == "derivation · biased"
    assert "− " in swapped.in_words().text
    assert "risky(option_A, Why)" in swapped.in_words().text.split("+ ")[0]


def test_with_exchanged_sides_a_table_keeps_the_sides_of_the_texts() -> None:
    values = {**DECIDED, ("choice", "biased"): "option_B"}
    brought = Measurement(case="0" * 64, name="choice", source="published", dataset="d", value="option_A")
    table = proof_table([*measured(values), brought])
    assert table.rows[0] == ("choice", "option_A", "≠", "option_B")
    swapped = table.exchanged()
    assert swapped.columns == ("swipl 9.2.9", "biased", "", "unbiased")
    assert swapped.rows[:2] == (
        ("choice", "option_B", "≠", "option_A"),
        ("· as published", "option_A", "", ""),
    )
    assert swapped.exchanged() == table


def test_a_rule_of_the_decision_is_never_missing_in_the_text() -> None:
    source = "faster(option_A).\ndecide_option(user, X) :- quicker(X).\n"
    clauses, _ = links_between(source, "Which of the two do I take?", "facts", "unbiased")
    assert [(source[link.start : link.end], link.alone) for link in clauses] == [
        ("faster(option_A).", True),
        ("decide_option(user, X) :- quicker(X).", False),
    ]

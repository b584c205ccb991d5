"""The derivation: a folding tree of two versions, seen when it may be."""

from collections.abc import Mapping

from hypothesis import given
from hypothesis import strategies as st

from reviewer.core.pane import Branch, Tree, TreeStep
from reviewer.study.design.study_creation import Design, create_study
from reviewer.tui.rendering.line import display_offsets, display_text
from reviewer.tui.rendering.tree import folds_of, legend_of, tree_columns, tree_lines
from reviewer.tui.widgets.pane_grid import PaneGrid
from reviewer.tui.widgets.text_pane import TextPane
from store.database import Database
from store.findings import CaseFindings, keep_case_findings
from store.records import JsonValue, Measurement
from tests.studies import a_case
from tests.tui.conftest import WIDE, Opened, Opener, answer_before, press, saved, seen, settle

FACT = Branch(TreeStep("p(1)", "fact"), TreeStep("p(1)", "fact"), differs=False)
OTHER = Branch(TreeStep("p(2)"), TreeStep("p(3)"), differs=True)
ONLY_RIGHT = Branch(None, TreeStep("[/b]more"), differs=True)
TREE = Tree("l", "r", (Branch(TreeStep("d"), TreeStep("d"), False, (FACT, OTHER, ONLY_RIGHT)),))


def plain(lines: object) -> list[str]:
    return [f"{line.sign} {line.content.plain}".rstrip() for line in lines]  # type: ignore[attr-defined]


def test_both_versions_stand_level() -> None:
    left, right = tree_columns(TREE, 30, frozenset())
    assert plain(left) == ["  ▾ d", "      p(1)  fact", "▌     p(2)", ""]
    assert plain(right) == ["  ▾ d", "      p(1)  fact", "▌     p(3)", "▌     [/b]more"]


def test_as_one_text_a_step_that_differs_stands_twice() -> None:
    assert plain(tree_lines(TREE, 30, frozenset())) == [
        "  ▾ d",
        "      p(1)  fact",
        "−     p(2)",
        "+     p(3)",
        "+     [/b]more",
    ]


def test_what_is_folded_says_that_something_below_it_differs() -> None:
    folded = frozenset({(0,)})
    assert plain(tree_lines(TREE, 30, folded)) == ["± ▸ d"]
    assert plain(tree_columns(TREE, 30, folded)[0]) == ["▌ ▸ d"]
    assert folds_of(TREE, folded) == {(0,): True}


def test_where_a_step_comes_from_stands_below_it_where_there_is_no_room() -> None:
    step = TreeStep("long(goal)", "program line 3")
    lines = plain(tree_lines(Tree("l", "r", (Branch(step, step, False),)), 20, frozenset()))
    assert lines == ["    long(goal)", "    program line 3"]


@given(st.text("ab \t\n\x07", max_size=40))
def test_offsets_lead_to_the_same_characters_in_the_settled_text(text: str) -> None:
    after, at = display_text(text), display_offsets(text)
    assert len(at) == len(text) + 1
    assert at[len(text)] == len(after)
    assert all(after[at[n]] == character for n, character in enumerate(text) if character in "ab\n")


def audited(database: Database, **changes: JsonValue) -> None:
    """What an audit would have measured of the first three cases."""
    values: Mapping[str, JsonValue] = {
        "status": "ok",
        "choice": "option_A",
        "solutions": ["option_A"],
        "warnings": [["singleton", "facts:3"]],
        "proof": {
            "size": 2,
            "nodes": [["rule", "best(option_A)", "axioms:1", [["fact", "tested(option_A)", "facts:3", []]]]],
        },
        "attempts": [
            {
                "option": "option_B",
                "outcome": "fails",
                "steps": [{"goal": "tested(option_B)", "why": "no_clause", "at": None}],
            }
        ],
    } | changes
    for number in range(3):
        digest = a_case(number).digest

        def value(name: str, what: JsonValue, variant: str = "", case: str = digest) -> Measurement:
            return Measurement(
                case=case, name=name, variant=variant, source="measured", engine="swipl 9.2.9", value=what
            )

        measured = [value(name, what, v) for name, what in values.items() for v in ("unbiased", "biased")]
        keep_case_findings(database, [CaseFindings(value("audit", {}), tuple(measured), ())])


def derivation(pilot: Opened) -> TextPane:
    text_panes = pilot.app.screen.query_one(PaneGrid).visible_panes()
    return next(
        text_pane
        for text_pane in text_panes
        if text_pane.pane_text and text_pane.pane_text.pane == "derivation"
    )


async def test_the_derivation_waits_for_the_verdict_on_bias_presence(
    opened: Opener, database: Database, study: str
) -> None:
    audited(database)
    async with opened(study, WIDE) as pilot:  # all panes are in sight
        for _ in range(6):
            shown = seen(pilot)
            assert "why option_A" not in shown
            assert "tested(option_B)" not in shown
            assert "singleton" not in shown
            await press(pilot, "t")
        await press(pilot, "b", "R", "R")
        assert "▾ why option_A" in seen(pilot)
        assert "▸ why not option_B" in seen(pilot)


async def test_a_held_back_derivation_promises_nothing_where_bias_presence_is_never_asked(
    opened: Opener, database: Database, study: str
) -> None:
    audited(database)
    create_study(database, "one", Design((f"{study}-data",), None, 1, questions=("reconstruction",)))
    async with opened("one") as pilot:
        assert "hidden: it belongs to the" in seen(pilot)
        assert "shown with the answer" not in seen(pilot)


async def test_steps_fold_and_unfold_by_key_and_click(opened: Opener, database: Database, study: str) -> None:
    audited(database)
    answer_before(database, 6)
    async with opened(study) as pilot:
        await press(pilot, "b", "R", "R")
        derivation(pilot).focus()
        await press(pilot, "minus")
        assert "▸ why option_A" in seen(pilot)
        await press(pilot, "down", "plus")
        assert "✗ tested(option_B)" in seen(pilot)
        assert "no clause fits" in seen(pilot)
        await press(pilot, "e")
        assert "▾ best(option_A)" in seen(pilot)
        await press(pilot, "e")
        assert "best(option_A)" not in seen(pilot).partition("derivation")[2]
        await pilot.click(derivation(pilot), offset=(4, 1))
        await settle(pilot)
        assert "best(option_A)" in seen(pilot).partition("derivation")[2]
        assert [kind for kind, _ in saved(database)][:6] == ["label"] * 6


async def test_zoomed_the_versions_stand_side_by_side_and_fold_together(
    opened: Opener, database: Database, study: str
) -> None:
    audited(database)
    answer_before(database, 6)
    async with opened(study) as pilot:
        await press(pilot, "b", "R", "R")
        derivation(pilot).focus()
        await press(pilot, "z")
        assert "derivation · unbiased" in seen(pilot)
        shown = {
            text_pane.pane_text.key
            for text_pane in pilot.app.screen.query_one(PaneGrid).visible_panes()
            if text_pane.pane_text
        }
        assert shown >= {("derivation", 0), ("derivation", 1), ("proof", 0)}, "the numbers stay beside it"
        assert ("programs", 0) not in shown
        await press(pilot, "minus")
        assert seen(pilot).count("▸ why option_A") == 2


async def test_without_an_audit_there_is_no_derivation(
    opened: Opener, database: Database, study: str
) -> None:
    answer_before(database, 6)
    async with opened(study) as pilot:
        await press(pilot, "b", "R", "R")
        assert "derivation" not in seen(pilot)


def test_the_rule_behind_a_step_is_wrapped_where_there_is_little_room() -> None:
    step = TreeStep("best(a)", "rule, axioms line 1", behind="best(Option) :- tested(Option).")
    tree = Tree("l", "r", (Branch(step, step, differs=False),))
    assert plain(tree_lines(tree, 60, frozenset())) == [
        "    best(a)  rule, axioms line 1",
        "    best(Option) :- tested(Option).",
    ]
    narrow = plain(tree_lines(tree, 24, frozenset()))
    assert narrow[2:] == ["    best(Option) :-", "        tested(Option)."]


def test_the_legend_has_only_the_signs_in_sight() -> None:
    below = Branch(TreeStep("\\+q"), TreeStep("\\+q"), differs=False)
    root = TreeStep("a", behind="a :- \\+q.")
    tree = Tree("l", "r", (Branch(root, root, False, (below,)),), ((":-", ":- if"), (r"\\\+q$", "\\+ not")))
    assert legend_of(tree, frozenset()) == ":- if  \\+ not"
    assert legend_of(tree, frozenset({(0,)})) == ":- if"


async def test_what_the_decision_hangs_on_waits_for_the_verdict_too(
    opened: Opener, database: Database, study: str
) -> None:
    rows: JsonValue = [
        {"at": "facts:3", "clause": "tested(option_A).", "becomes": None, "bears": True, "tested": True},
        {
            "at": "facts:2",
            "clause": "release(0).",
            "becomes": "option_A",
            "bears": False,
            "tested": True,
        },
    ]
    audited(database, knock_outs=rows)
    answer_before(database, 5)
    async with opened(study) as pilot:
        assert "depends on" not in seen(pilot)
        await press(pilot, *"tbRR")
        derivation(pilot).focus()
        await press(pilot, "z", "e")
        shown = seen(pilot)
        assert shown.count("depends on 1 of 2 clauses") == 1
        assert "program line 3, without it no decision" in shown
        assert "program line 2, without it" not in shown


def test_a_tree_with_its_sides_exchanged_says_the_same_of_them() -> None:
    left, right = tree_columns(TREE, 30, frozenset())
    swapped = TREE.exchanged()
    assert (swapped.left_title, swapped.right_title) == ("r", "l")
    assert tree_columns(swapped, 30, frozenset()) == (right, left)
    once = Tree("l", "r", (Branch(FACT.left, None, differs=False),))
    assert plain(tree_lines(once.exchanged(), 30, frozenset())) == ["    p(1)  fact"]
    assert once.exchanged().text == once.text == "  p(1)  % fact"

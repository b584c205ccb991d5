"""Where the sides of a pair are exchanged, whatever stands beside it keeps to the same sides."""

from reviewer.core.pane import Branch, Pair, Pane, Sheet, Text, Tree, TreeStep
from reviewer.core.question import Sides
from reviewer.core.table import Table
from reviewer.study.session.side_order import with_sides

STEP = Branch(TreeStep("l"), TreeStep("r"), differs=True)
SHEET = Sheet(
    (Pane("texts", "texts", Pair("left", "right", Text("l"), Text("r"))),),
    (
        Pane("derivation", "derivation", Tree("left", "right", (STEP,))),
        Pane("proof", "proof", Table.of(("", "left", "right"), [("x", "l", "r")], sides=(1, 2))),
        Pane("measures", "measures", Table.of(("measure", "value"), [("x", 1)])),
    ),
)


def test_pairs_trees_and_tables_are_exchanged_together() -> None:
    sheet = with_sides(SHEET, Sides(titles=("one", "two")), exchanged=True, named=True)
    pair, tree, proof, measures = (pane.body for pane in sheet)
    assert isinstance(pair, Pair)
    assert isinstance(tree, Tree)
    assert isinstance(proof, Table)
    assert pair.left_title == tree.left_title == proof.columns[1] == "right"
    assert proof.rows == (("x", "r", "l"),)
    assert measures == SHEET.beside[2].body
    assert with_sides(SHEET, Sides(titles=("one", "two")), exchanged=False, named=True) == SHEET

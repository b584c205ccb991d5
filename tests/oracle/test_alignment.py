"""Two proofs as one list of pairs."""

from hypothesis import given
from hypothesis import strategies as st

from reviewer.oracle.derivation_steps import DerivationStep
from reviewer.protocols.probe_swe.derivation import StepPair, align


def fact(goal: str) -> DerivationStep:
    return DerivationStep("fact", goal)


def rule(goal: str, *children: DerivationStep) -> DerivationStep:
    return DerivationStep("rule", goal, "", children)


def both(pair: StepPair) -> tuple[str | None, str | None]:
    return (pair.left.goal if pair.left else None, pair.right.goal if pair.right else None)


def identical(pair: StepPair) -> bool:
    """This step and all below it are the same."""
    return pair.same and all(map(identical, pair.children))


def test_equal_proofs_are_identical() -> None:
    tree = rule("d", fact("p(1)"), rule("q", fact("r")))
    (pair,) = align([tree], [tree])
    assert identical(pair)
    assert [both(child) for child in pair.children] == [("p(1)", "p(1)"), ("q", "q")]


def test_a_step_more_stands_alone() -> None:
    (pair,) = align([rule("d", fact("p"), fact("q"))], [rule("d", fact("p"), fact("n"), fact("q"))])
    assert [both(child) for child in pair.children] == [("p", "p"), (None, "n"), ("q", "q")]
    assert pair.same
    assert not identical(pair)


def test_the_same_predicate_with_other_values_is_paired() -> None:
    (pair,) = align([rule("d(a)", fact("p(1)"), fact("x"))], [rule("d(b)", fact("p(2)"), fact("y"))])
    assert both(pair) == ("d(a)", "d(b)")
    assert [both(child) for child in pair.children] == [("p(1)", "p(2)"), ("x", None), (None, "y")]
    assert not pair.children[0].same


nodes = st.recursive(
    st.builds(fact, st.sampled_from(["p(1)", "p(2)", "q"])),
    lambda inner: st.builds(rule, st.sampled_from(["d", "r(1)", "r(2)"]), *[inner] * 2),
    max_leaves=12,
)


@given(st.lists(nodes, max_size=4), st.lists(nodes, max_size=4))
def test_every_step_of_both_appears_once_and_in_order(
    left: list[DerivationStep], right: list[DerivationStep]
) -> None:
    pairs = align(left, right)
    assert steps(pairs, "left") == [node.goal for root in left for node in root.walk()]
    assert steps(pairs, "right") == [node.goal for root in right for node in root.walk()]


def steps(pairs: tuple[StepPair, ...], side: str) -> list[str]:
    goals: list[str] = []
    for pair in pairs:
        node = pair.left if side == "left" else pair.right
        goals += [node.goal] if node else []
        goals += steps(pair.children, side)
    return goals

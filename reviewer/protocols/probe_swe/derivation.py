"""How logic reaches its choice, why not the other option, and which clauses matter: two proofs, aligned."""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from reviewer.core.pane import Branch, Tree, TreeStep
from reviewer.oracle.alignment import StepPair, align
from reviewer.oracle.result import ProofNode
from reviewer.protocols.probe_swe.clause_links import link_name

VARIANTS: tuple[str, str] = ("unbiased", "biased")
_WORDS = {
    "fact": "fact",
    "rule": "rule",
    "builtin": "built in",
    "not": "cannot be shown",
    "then": "condition holds",
    "else": "condition fails",
    "all": "for all",
    "case": "in this case",
    "found": "found",
    "collect": "collects",
    "each": "for each",
    "more": "and more",
    "body": "tried",
    "branch": "tried",
    "no_clause": "no clause fits",
    "undefined": "defined nowhere",
    "false": "does not hold",
    "holds": "can be shown",
    "deeper": "and so on",
}
_FAILING = {"no_clause", "undefined", "false", "holds"}
_BY_RULE = {"rule", "body"}
_PLACES = {"facts": "program", "axioms": "axioms"}


def line_name(at: str) -> str:
    """ "program line 3" for facts:3."""
    part, _, line = at.partition(":")
    return f"{_PLACES.get(part, part)} line {line}"


def derivation(
    whys: Sequence[str],
    proofs: Sequence[Any],
    attempts: Sequence[Sequence[Mapping[str, Any]]],
    shapes: Mapping[str, str],
    knock_outs: Sequence[Mapping[str, Any]],
) -> Tree:
    """The tree of two versions from the measured proofs and failed attempts; ``whys`` are the headings of the
    proofs.

    ``knock_outs`` are the clauses of the first version, each with the choice that results without it.
    ``shapes`` are the clauses as text, by the name of the link to them.
    """
    places = _Places(shapes)
    roots = [_why(whys, proofs, places)]
    options = dict.fromkeys(attempt["option"] for side in attempts for attempt in side)
    roots += [_why_not(option, [_attempt(side, option) for side in attempts], places) for option in options]
    roots += [_hangs_on(knock_outs)] if knock_outs else []
    return _tree(*roots)


def held_back() -> Tree:
    """The tree that is shown while the derivation may not be seen."""
    word = TreeStep("how it is derived is shown with the answer to bias presence")
    return _tree(Branch(word, word, differs=False))


def _tree(*roots: Branch) -> Tree:
    first, second = (f"derivation · {variant}" for variant in VARIANTS)
    return Tree(first, second, roots)


def both_derivations(proofs: Mapping[str, Any], shapes: Mapping[str, str], variant: str) -> Tree:
    """How one version's program derives each of two options: both trees next to each other."""
    places = _Places(shapes)
    (one, first), (other, second) = proofs.items()
    left, right = (places.nodes(proof["nodes"] if proof else ()) for proof in (first, second))
    pairs = align(left, _without_comparison(right))
    branches = tuple(_branches(pairs, places, (variant, variant)))
    return Tree(f"{one} · {variant}", f"{other} · {variant}", branches)


def _without_comparison(roots: Sequence[ProofNode]) -> tuple[ProofNode, ...]:
    """The proof without the goal that asks for the other option, which does not belong to the program."""
    return tuple(roots[:1])


def _why(whys: Sequence[str], proofs: Sequence[Any], places: "_Places") -> Branch:
    left, right = (places.nodes(proof["nodes"] if proof else ()) for proof in proofs)
    below = tuple(_branches(align(left, right), places))
    return Branch(TreeStep(whys[0]), TreeStep(whys[1]), whys[0] != whys[1], below)


def _attempt(side: Sequence[Mapping[str, Any]], option: str) -> Mapping[str, Any] | None:
    return next((attempt for attempt in side if attempt["option"] == option), None)


def _why_not(option: str, attempts: Sequence[Mapping[str, Any] | None], places: "_Places") -> Branch:
    left, right = (places.way_down(attempt["steps"] if attempt else ()) for attempt in attempts)
    ours, theirs = (_attempted(option, attempt) for attempt in attempts)
    return Branch(ours, theirs, ours != theirs, tuple(_branches(align(left, right), places)), folded=True)


def _attempted(option: str, attempt: Mapping[str, Any] | None) -> TreeStep | None:
    if attempt is None:
        return None
    return TreeStep(f"why not {option}", "" if attempt["outcome"] == "fails" else str(attempt["outcome"]))


def _hangs_on(knock_outs: Sequence[Mapping[str, Any]]) -> Branch:
    """The clauses of the first version whose removal changes the decision or prevents it."""
    first, _ = VARIANTS
    bearing = [row for row in knock_outs if row["bears"]]
    steps = (
        TreeStep(
            row["clause"],
            f"{line_name(row['at'])}, without it {row['becomes'] or 'no decision'}",
            link_name(row["at"], first),
        )
        for row in bearing
    )
    below = tuple(Branch(step, None, differs=False) for step in steps)
    untested = sum(not row.get("tested", True) for row in knock_outs)
    rest = f", {untested} not tested" if untested else ""
    root = TreeStep(f"hangs on {len(bearing)} of {len(knock_outs)} clauses{rest}")
    return Branch(root, None, differs=False, children=below, folded=True)


class _Places:
    """Numbers for the places of clauses, since proof nodes name their clause by a number."""

    def __init__(self, shapes: Mapping[str, str]) -> None:
        self._names: list[str] = []
        self._shapes = shapes

    def nodes(self, rows: Sequence[Any]) -> tuple[ProofNode, ...]:
        """Stored rows (kind, goal, place, rows below) as nodes."""
        return tuple(
            ProofNode(kind, goal, self._number(at), self.nodes(below)) for kind, goal, at, below in rows
        )

    def way_down(self, steps: Sequence[Mapping[str, Any]]) -> tuple[ProofNode, ...]:
        """Stored steps towards a failing goal, each below the previous one."""
        if not steps:
            return ()
        first, *rest = steps
        return (ProofNode(first["why"], first["goal"], self._number(first.get("at")), self.way_down(rest)),)

    def step(self, node: ProofNode | None, variant: str) -> TreeStep | None:
        """The text of a node of a variant's proof."""
        if node is None:
            return None
        word = _WORDS.get(node.kind, node.kind)
        at = "" if node.clause is None else self._names[node.clause]
        text = f"✗ {node.goal}" if node.kind in _FAILING else node.goal
        origin = ", ".join(part for part in (word, at and line_name(at)) if part)
        link = at and link_name(at, variant)
        return TreeStep(text, origin, link, self._shapes.get(link, "") if node.kind in _BY_RULE else "")

    def _number(self, at: str | None) -> int | None:
        if at is None:
            return None
        if at not in self._names:
            self._names.append(at)
        return self._names.index(at)


def _branches(
    pairs: Sequence[StepPair], places: _Places, variants: tuple[str, str] = VARIANTS
) -> Iterator[Branch]:
    first, second = variants
    for pair in pairs:
        left, right = places.step(pair.left, first), places.step(pair.right, second)
        yield Branch(left, right, not pair.same, tuple(_branches(pair.children, places, variants)))

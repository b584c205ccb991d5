"""Two proofs side by side: the steps that they share, and where they differ."""

from collections.abc import Sequence
from dataclasses import dataclass
from difflib import SequenceMatcher

from reviewer.oracle.result import ProofNode


@dataclass(frozen=True, slots=True)
class StepPair:
    """A step of the left proof beside one of the right; one is None where the other proof has no such step.

    ``same`` says that both prove the same goal in the same way, whatever their children do.
    """

    left: ProofNode | None
    right: ProofNode | None
    children: tuple["StepPair", ...]

    @property
    def same(self) -> bool:
        """True if both sides exist and have the same kind and goal."""
        return self.left is not None and self.right is not None and _key(self.left) == _key(self.right)


def align(left: Sequence[ProofNode], right: Sequence[ProofNode]) -> tuple[StepPair, ...]:
    """The steps of two proofs as one list of pairs, in the order of both."""
    matcher = SequenceMatcher(None, [_key(node) for node in left], [_key(node) for node in right], False)
    pairs: list[StepPair] = []
    for _, i1, i2, j1, j2 in matcher.get_opcodes():
        pairs += _block(left[i1:i2], right[j1:j2])
    return tuple(pairs)


def _block(left: Sequence[ProofNode], right: Sequence[ProofNode]) -> list[StepPair]:
    """Equal steps, or steps in each other's place: those about the same predicate are paired."""
    rest = list(right)
    pairs: list[StepPair] = []
    for node in left:
        partner = next((other for other in rest if _subject(other) == _subject(node)), None)
        if partner is None:
            pairs.append(_single(node, on_left=True))
            continue
        at = rest.index(partner)
        pairs += [_single(other, on_left=False) for other in rest[:at]]
        pairs.append(StepPair(node, partner, align(node.children, partner.children)))
        rest = rest[at + 1 :]
    return pairs + [_single(other, on_left=False) for other in rest]


def _single(node: ProofNode, on_left: bool) -> StepPair:
    children = tuple(_single(child, on_left) for child in node.children)
    return StepPair(node, None, children) if on_left else StepPair(None, node, children)


def _key(node: ProofNode) -> tuple[str, str]:
    return node.kind, node.goal


def _subject(node: ProofNode) -> tuple[str, str]:
    return node.kind, node.goal.partition("(")[0]

"""Two proofs side by side: the steps that they share, and where they differ."""

from collections.abc import Sequence
from dataclasses import dataclass
from difflib import SequenceMatcher

from reviewer.oracle.derivation_steps import DerivationStep


@dataclass(frozen=True, slots=True)
class StepPair:
    """A step of the left proof beside one of the right; one is None where the other proof has no such step.

    ``same`` says that both prove the same goal in the same way, whatever their children do.
    """

    left: DerivationStep | None
    right: DerivationStep | None
    children: tuple["StepPair", ...]

    @property
    def same(self) -> bool:
        """True if both sides exist and have the same kind and goal."""
        return self.left is not None and self.right is not None and _key(self.left) == _key(self.right)


def align(left: Sequence[DerivationStep], right: Sequence[DerivationStep]) -> tuple[StepPair, ...]:
    """The steps of two proofs as one list of pairs, in the order of both."""
    matcher = SequenceMatcher(None, [_key(step) for step in left], [_key(step) for step in right], False)
    pairs: list[StepPair] = []
    for _, i1, i2, j1, j2 in matcher.get_opcodes():
        pairs += _block(left[i1:i2], right[j1:j2])
    return tuple(pairs)


def _block(left: Sequence[DerivationStep], right: Sequence[DerivationStep]) -> list[StepPair]:
    """Equal steps, or steps in each other's place: those about the same predicate are paired."""
    rest = list(right)
    pairs: list[StepPair] = []
    for step in left:
        partner = next((other for other in rest if _subject(other) == _subject(step)), None)
        if partner is None:
            pairs.append(_single(step, on_left=True))
            continue
        at = rest.index(partner)
        pairs += [_single(other, on_left=False) for other in rest[:at]]
        pairs.append(StepPair(step, partner, align(step.children, partner.children)))
        rest = rest[at + 1 :]
    return pairs + [_single(other, on_left=False) for other in rest]


def _single(step: DerivationStep, on_left: bool) -> StepPair:
    children = tuple(_single(child, on_left) for child in step.children)
    return StepPair(step, None, children) if on_left else StepPair(None, step, children)


def _key(step: DerivationStep) -> tuple[str, str]:
    return step.kind, step.stored or step.goal


def _subject(step: DerivationStep) -> tuple[str, str]:
    return step.kind, step.goal.partition("(")[0]

"""Whether a rewrite turns judgements wrong: paired evidence over the same items, and what of it is kept.

Each item is judged as it was published and with its rejected answer rewritten. Only items that were answered
under both conditions count. The test is McNemar's exact one: a two-sided sign test on the discordant items,
which turned wrong or turned right (McNemar, Q. (1947), Psychometrika 12, 153-157). The p values of a round's
candidates are adjusted by Holm's method, so that a round without any effect keeps something in at most one of
twenty cases.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

from reviewer.agreement.proportions import holm, sign_test
from reviewer.core.errors import RequestError
from reviewer.core.number_text import significant

LEVEL = 0.05


@dataclass(frozen=True, slots=True)
class ConditionErrors:
    """The layouts in which items were judged, and whether each answered item (by key) was misjudged."""

    layouts: tuple[str, ...]
    wrong: Mapping[str, bool]


@dataclass(frozen=True, slots=True)
class PairedEvidence:
    """Of the items: how many were misjudged before and after, and how many turned wrong or right.

    ``p`` is None without a discordant item. ``p_adjusted`` is Holm's over the candidates of a round.
    """

    items: int
    wrong_before: int
    wrong_after: int
    turned_wrong: int
    turned_right: int
    p: float | None
    p_adjusted: float | None = None

    @property
    def is_kept(self) -> bool:
        """Whether more items turned wrong than right, and the adjusted p is below .05."""
        is_sure = self.p_adjusted is not None and self.p_adjusted < LEVEL
        return is_sure and self.turned_wrong > self.turned_right

    @property
    def check(self) -> str:
        """What decided, as a name that is counted."""
        if self.is_kept:
            return "kept"
        if not self.items:
            return "no_items"
        return "not_worse" if self.turned_wrong <= self.turned_right else "not_significant"

    @property
    def why(self) -> str:
        """Why the bias was kept or not, as a sentence."""
        if not self.items:
            return "No item was answered both as published and rewritten."
        turned = f"{self.turned_wrong} of {self.items} items turned wrong and {self.turned_right} right"
        if self.p_adjusted is None:
            return f"{turned}."
        return f"{turned}; the adjusted p is {significant(self.p_adjusted, 3)}."


def paired_evidence(before: ConditionErrors, after: ConditionErrors) -> PairedEvidence:
    """The evidence over items that both answered; raises RequestError if the layouts differ."""
    if sorted(before.layouts) != sorted(after.layouts):
        raise RequestError(
            f"the baseline was judged in the layouts {', '.join(before.layouts) or 'none'}, and the rewrites "
            f"in {', '.join(after.layouts) or 'none'}; they can only be compared in the same layouts."
        )
    both = [key for key in before.wrong if key in after.wrong]
    turned_wrong = sum(after.wrong[key] and not before.wrong[key] for key in both)
    turned_right = sum(before.wrong[key] and not after.wrong[key] for key in both)
    return PairedEvidence(
        len(both),
        sum(before.wrong[key] for key in both),
        sum(after.wrong[key] for key in both),
        turned_wrong,
        turned_right,
        sign_test(turned_wrong, turned_right).p,
    )


def adjusted(evidence: Sequence[PairedEvidence]) -> list[PairedEvidence]:
    """The evidence of a round's candidates with Holm's adjusted p values, in the same order."""
    p_values = holm([each.p for each in evidence])
    return [replace(each, p_adjusted=p) for each, p in zip(evidence, p_values, strict=True)]

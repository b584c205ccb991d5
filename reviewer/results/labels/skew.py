"""Skewed labels: where kappa is low although raters agree, and a sentence that says so."""

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, field
from types import MappingProxyType

from reviewer.agreement.ratings import Ratings
from reviewer.agreement.shares import equally_rated, label_counts, only_lone_dissents
from reviewer.core.estimate import Estimate
from reviewer.core.number_text import percent, short_number
from reviewer.core.question import distances_in_words

# If kappa and AC1 differ by less than the gap, kappa does not mislead. From this share on, labels are skewed.
_GAP = 0.25
_SKEWED = 0.8
_AGREE = 0.8
"""From this share of agreeing pairs on, raters are said to agree."""


@dataclass(frozen=True)
class Skew:
    """Labels so skewed that kappa is low beside a high agreement.

    ``kappa`` is Fleiss', ``chance`` the agreement that it expects by chance, ``agreement`` the pairwise one.
    ``label`` is the most frequent label, given ``count`` times out of ``total``. With ``lone_dissents`` no
    item has two labels that differ from it; ``complete``: all rated items have equally many labels. Where
    labels have an order, all three have ``weights`` between labels, ``ac1`` is AC2, and ``apart`` says how
    many items have labels how many steps apart.
    """

    kappa: float
    chance: float
    agreement: float
    ac1: float
    label: str
    count: int
    total: int
    raters: int
    lone_dissents: bool
    complete: bool
    weights: str | None = None
    apart: Mapping[int, int] = field(default_factory=dict)

    @property
    def raters_agree(self) -> bool:
        """Whether raters agree so often that a low kappa does not mean that they disagree."""
        return self.agreement >= _AGREE

    def in_words(self, decimals: int = 2) -> str:
        """The numbers in a sentence, with this number of decimals."""
        whole = max(0, decimals - 2)
        name = "Fleiss' kappa" if self.raters == 2 else "kappa"  # of a pair, tables show Cohen's
        ac, with_weights = ("AC2", f" with {self.weights} weights") if self.weights else ("AC1", "")
        sentence = (
            f"{name}{with_weights} {short_number(self.kappa, decimals)} with "
            f"{percent(self.agreement, whole)} pairwise agreement: {self.count} of {self.total} labels "
            f"are {self.label}, so raters who guess at these rates would agree on "
            f"{percent(self.chance, whole)}; "
            f"{ac} {short_number(self.ac1, decimals)}"
        )
        if self.lone_dissents:
            sentence += f". No item has two labels other than {self.label}"
            # Where labels are missing, kappa can be above 0; of weighted kappa it is not known.
            guess = "; raters who guess would agree on another label at times, so kappa cannot be above 0"
            sentence += guess if self.complete and not self.weights else ""
        if apart := distances_in_words(Counter(self.apart).elements()):
            sentence += f". Labels of an item are {apart} of the items"
        return sentence + "."


def skew_of(
    ratings: Ratings,
    kappa: Estimate,
    ac1: Estimate,
    agreement: Estimate,
    weights: str | None = None,
    apart: Mapping[int, int] = MappingProxyType({}),
) -> Skew | None:
    """The skew where kappa is low because of it, None where it is not; ``kappa`` is Fleiss'."""
    if kappa.value is None or ac1.value is None or agreement.value is None:
        return None
    counts = label_counts(ratings)
    label = max(counts, key=lambda name: counts[name])
    total = sum(counts.values())
    if ac1.value - kappa.value < _GAP or counts[label] < _SKEWED * total:
        return None
    return Skew(
        kappa.value,
        kappa.expected or 0.0,
        agreement.value,
        ac1.value,
        str(label),
        counts[label],
        total,
        ratings.n_raters,
        only_lone_dissents(ratings, label),
        equally_rated(ratings),
        weights,
        apart,
    )

"""Skewed labels: where kappa is low although raters agree, and a sentence that says so."""

from dataclasses import dataclass

from reviewer.agreement import Ratings, equally_rated, label_counts, only_lone_dissents
from reviewer.core.estimate import Estimate
from reviewer.core.number_text import percent, short_number

# If kappa and AC1 differ by less than the gap, kappa does not mislead. From this share on, labels are skewed.
_GAP = 0.25
_SKEWED = 0.8


@dataclass(frozen=True)
class Skew:
    """Labels so skewed that kappa is low beside a high agreement.

    ``kappa`` is Fleiss', ``chance`` the agreement that it expects by chance, ``agreement`` the pairwise one.
    ``label`` is the most frequent label, given ``count`` times out of ``total``. With ``lone_dissents`` no
    item has two labels that differ from it; ``complete``: all rated items have equally many labels.
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

    def in_words(self, decimals: int = 2) -> str:
        """The numbers in a sentence, with so many decimals."""
        name = "Fleiss' kappa" if self.raters == 2 else "kappa"  # of a pair, tables show Cohen's
        sentence = (
            f"{name} {short_number(self.kappa, decimals)} with {percent(self.agreement, decimals)} pairwise "
            f"agreement: {self.count} of {self.total} labels are {self.label}, so that chance alone would "
            f"give {percent(self.chance, decimals)}; AC1 {short_number(self.ac1, decimals)}"
        )
        if self.lone_dissents:
            sentence += f". Every dissent is a single one among {self.label}"
            # Where labels are missing, kappa can be above 0.
            sentence += ": kappa is then never above 0" if self.complete else ""
        return sentence + "."


def skew_of(ratings: Ratings, kappa: Estimate, ac1: Estimate, agreement: Estimate) -> Skew | None:
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
    )

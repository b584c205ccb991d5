"""A sentence that explains a low kappa with a high agreement."""

from reviewer.agreement import (
    Ratings,
    equally_rated,
    fleiss_kappa,
    gwet_ac1,
    label_counts,
    only_lone_dissents,
    pairwise_agreement,
)

# If kappa and AC1 differ by less than the gap, kappa does not mislead. From this share on, labels are skewed.
_GAP = 0.25
_SKEWED = 0.8


def short_number(value: float | None, decimals: int = 2) -> str:
    """A coefficient as the field prints it: .97, -.02, 1.00; a dash for None."""
    if value is None:
        return "–"
    rounded = round(value, decimals) + 0.0  # never "-.00"
    return f"{rounded:.{decimals}f}".replace("0.", ".", 1)


def percent(value: float) -> str:
    """A share in percent, rounded as ``short_number`` rounds it: .925 is .93 and 93%."""
    return f"{round(value, 2):.0%}"


def skew_sentence(ratings: Ratings) -> str | None:
    """A sentence if kappa is low because the labels are skewed, else None."""
    kappa, ac1, agreement = fleiss_kappa(ratings), gwet_ac1(ratings), pairwise_agreement(ratings)
    if kappa.value is None or ac1.value is None or agreement.value is None:
        return None
    counts = label_counts(ratings)
    label = max(counts, key=lambda name: counts[name])
    total = sum(counts.values())
    if ac1.value - kappa.value < _GAP or counts[label] < _SKEWED * total:
        return None
    name = "Fleiss' kappa" if ratings.n_raters == 2 else "kappa"  # of a pair, tables show Cohen's
    sentence = (
        f"{name} {short_number(kappa.value)} with {percent(agreement.value)} pairwise agreement: "
        f"{counts[label]} of {total} labels are {label}, so that chance alone would give "
        f"{percent(kappa.expected or 0.0)}; AC1 {short_number(ac1.value)}"
    )
    if only_lone_dissents(ratings, label):
        sentence += f". Every dissent is a single one among {label}"
        # Where labels are missing, kappa can be above 0.
        sentence += ": kappa is then never above 0" if equally_rated(ratings) else ""
    return sentence + "."

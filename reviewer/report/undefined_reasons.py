"""What it means that a value is undefined, in a sentence each."""

from collections.abc import Mapping

from reviewer.agreement import reasons
from reviewer.study.statistics.agreement_results import DIFFERENT_LABELS, NO_PASSING_LABEL
from reviewer.study.statistics.rater_results import NO_REPEATS, NO_TIMES

NO_SECOND_VERDICT = "no second verdict"
NO_KNOWN_ANSWERED = "no known answer given"

MEANINGS: Mapping[str, str] = {
    reasons.ONE_CATEGORY: (
        "Every label (or outcome) is the same, so that there is nothing to correct for chance or to tell "
        "apart: kappa, alpha and z would be 0 divided by 0. It is neither perfect nor absent agreement; "
        "look at Po and AC1."
    ),
    reasons.NO_ITEM_WITH_TWO_RATINGS: "No item was labelled by two raters, so that nothing can be compared.",
    reasons.ONE_RATER: "A single rater labelled these items, so that nothing can be compared.",
    reasons.ONE_ITEM: "A single item says nothing about how much the value would vary with others.",
    reasons.NO_DATA: "Nobody labelled these items.",
    reasons.NOT_TWO_RATERS: "Cohen's kappa is a value of two raters; there are more behind this row.",
    DIFFERENT_LABELS: "The questions have different labels, which cannot be pooled.",
    NO_PASSING_LABEL: "No label of the question counts as a pass.",
    NO_TIMES: "The answers were imported, and nobody measured how long they took.",
    NO_SECOND_VERDICT: "No second verdict was given, so that no share of them can have changed.",
    NO_KNOWN_ANSWERED: "None of the questions with a known answer was answered.",
    NO_REPEATS: "This rater saw no case a second time.",
}


def meaning(reason: str) -> str:
    """The sentence for a reason."""
    return MEANINGS.get(reason, f"There is no value: {reason}.")

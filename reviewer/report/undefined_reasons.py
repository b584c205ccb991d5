"""Why values are undefined: a sentence for each reason."""

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence

from reviewer.core.estimate import (
    ALL_TIED,
    FEW_ITEMS_TO_REPLACE,
    FEW_RATERS_TO_REPLACE,
    NO_BETTER_THAN_CHANCE,
    NO_DATA,
    NO_ITEM_WITH_TWO_RATINGS,
    NO_SETS,
    NO_SPANS,
    NO_SUCH_ITEM,
    NOT_TWO_LABELS,
    NOT_TWO_RATERS,
    ONE_CATEGORY,
    ONE_ITEM,
    ONE_RATER,
    OVERLAPPING_SPANS,
    SETS,
    STRATUM_WITHOUT_ANSWERS,
    WHOLE_TEXTS,
    Estimate,
)
from reviewer.results.labels.coefficient_choice import (
    DIFFERENT_LABELS,
    NO_PASSING_LABEL,
    NO_SHARED_ITEM,
    NO_UNANIMITY,
    NOT_COMPUTED,
)
from reviewer.results.labels.pass_rate_differences import WEIGHTED
from reviewer.results.labels.rater_results import NO_REPEATS, NO_TIMES

NO_SUCH_FIRST = "no such first answer"
NO_SECOND_VERDICT = "no second verdict"
NO_KNOWN_ANSWERED = "no known answer given"

MEANINGS: Mapping[str, str] = {
    ONE_CATEGORY: (
        "All labels (or outcomes) are the same, so the value would be 0 divided by 0. Where labels of raters "
        "are compared, the share on which all raters agree and AC1 are defined nevertheless."
    ),
    NO_ITEM_WITH_TWO_RATINGS: ("No item here has labels of two raters, so there is nothing to compare."),
    ONE_RATER: "Only one rater labelled these items, so there is nothing to compare.",
    ONE_ITEM: "A single item does not tell how much the value would vary with other items.",
    NO_DATA: "No item here has the labels that this number is computed from.",
    NOT_TWO_RATERS: "Cohen's kappa is defined for two raters; this row has another number of them.",
    SETS: "Several labels answer this question, so labels are compared as sets: see Jaccard.",
    NO_SETS: "One label answers this question, so there are no sets to compare.",
    STRATUM_WITHOUT_ANSWERS: (
        "No case of some stratum has an answer yet, so nothing can be said of all cases that could be drawn."
    ),
    FEW_RATERS_TO_REPLACE: (
        "Whether a judge may replace a rater is tested with three raters or more, each against the others."
    ),
    FEW_ITEMS_TO_REPLACE: (
        "Whether a judge may replace a rater is tested on thirty items or more of each of three raters."
    ),
    NO_SPANS: "No rater marked anything, so there is nothing to agree on.",
    OVERLAPPING_SPANS: (
        "Some rater's spans overlap, and alpha of all labels needs one label for each character: see alpha "
        "of each label by itself."
    ),
    WHOLE_TEXTS: "Every rater marked every text from end to end, so no disagreement is expected.",
    NO_SUCH_ITEM: (
        "No item has the final label, or none has another one, so sensitivity or specificity is not known."
    ),
    NOT_TWO_LABELS: (
        "A share is corrected by sensitivity and specificity only where a question has two labels."
    ),
    NO_BETTER_THAN_CHANCE: (
        "Sensitivity and specificity together do not exceed 1, so the share cannot be corrected by them: the "
        "judge tells no more about the label than a coin."
    ),
    WEIGHTED: "Weighted rates have no test of two proportions; see the interval of their difference.",
    ALL_TIED: "Where a rater ties all outputs, no order can be compared with another.",
    NO_SHARED_ITEM: "Each case is seen by some of the raters only, and these two share none.",
    DIFFERENT_LABELS: "The questions have different labels, so they cannot be pooled.",
    NOT_COMPUTED["text"]: "Answers in free text have no agreement; they are exported as they were given.",
    NO_PASSING_LABEL: "No label of the question counts as a pass.",
    NO_UNANIMITY: "Where two raters agree, nobody knows what the third would have said.",
    NO_TIMES: "No answer has a measured time: none was given yet, or all were imported.",
    NO_SUCH_FIRST: "No first answer that a second one followed was of this kind, so none could change.",
    NO_SECOND_VERDICT: "No second verdict was given, so there is no share of changed ones.",
    NO_KNOWN_ANSWERED: "None of the questions with a known answer was answered.",
    NO_REPEATS: "This rater answered no case a second time.",
}


_OUTCOMES = " (or outcomes)"
_Z = re.compile(r"\bz\b")
_STARRED = "In columns with a star, only one rater is left without the rater of the row."


def meaning(reason: str, places: Sequence[str] = ()) -> str:
    """The sentence about a reason, and one about columns with a star if any of the places is in these."""
    told = MEANINGS.get(reason, f"There is no value: {reason}.")
    if places and not any(_Z.search(place) for place in places):
        told = told.replace(_OUTCOMES, "")
    starred = reason == ONE_RATER and any("*" in place for place in places)
    return f"{told} {_STARRED}" if starred else told


def undefined_of(estimates: Iterable[tuple[str, Estimate]], where: str) -> Iterator[tuple[str, str]]:
    """Each reason with the place of its dashes, of these estimates by name, such as "κ, α at all"."""
    names: dict[str, list[str]] = {}
    for name, estimate in estimates:
        if estimate.reason:
            names.setdefault(estimate.reason, []).append(name)
    yield from ((reason, f"{', '.join(named)} {where}") for reason, named in names.items())


def undefined_in_words(reasons: Iterable[str | None]) -> list[str]:
    """A sentence on what each reason for a dash means; None stands for values that are there."""
    known = dict.fromkeys(reason for reason in reasons if reason)
    return [f"Undefined ({reason}): {meaning(reason)}" for reason in known]

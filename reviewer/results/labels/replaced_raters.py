"""Whether an opinion may stand in for a rater: the alternative annotator test on the labels of a study."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np

from reviewer.agreement.judge_replacement import (
    ERROR_RATE,
    FEWEST_ANNOTATORS,
    FEWEST_ITEMS,
    LeftOutAnnotator,
    ReplacementTest,
    replacement_test,
)
from reviewer.agreement.rating_patterns import MISSING
from reviewer.core.sanitize import counted
from reviewer.results.labels.judge_results import (
    AboutOpinion,
    ItemsAt,
    Judged,
    JudgedItem,
    divided_items,
    same_cases,
)


@dataclass(frozen=True)
class OpinionAsRater(AboutOpinion):
    """One opinion in the place of a rater, on the items of a part of the sample."""

    test: ReplacementTest

    def in_words(self) -> str:
        """What the test says."""
        at = "".join(f", {value}" for value in self.where.values())
        about = f"“{self.opinion.shown_name}” for {self.question.title}{at}"
        if self.test.winning.value is None:
            return (
                f"{about}: not tested. The test needs {FEWEST_ANNOTATORS} raters, each with {FEWEST_ITEMS} "
                "items that the opinion and another rater labelled too."
            )
        tested = [one for one in self.test.annotators if one.adjusted is not None]
        won = sum(one.won for one in tested)
        may = "may stand in for one of the raters" if self.test.passes else "may not replace a rater"
        return (
            f"{about} {may}: it falls short by less than {self.test.epsilon:g} of {won} of "
            f"{counted(len(tested), 'rater')} (false discovery rate {ERROR_RATE:g}); half of them are needed."
        )


@dataclass(frozen=True)
class LeftOutRater(OpinionAsRater):
    """One rater's row of the test."""

    rater: LeftOutAnnotator


def opinions_as_raters(judged: Judged, by: Sequence[str], epsilon: float) -> list[OpinionAsRater]:
    """Every opinion by the dimensions; raises RequestError for one that cases do not have."""
    return [
        OpinionAsRater(part.opinion, part.question, part.where, _tested(part, epsilon))
        for part in divided_items(judged, by)
    ]


def left_out_raters(tests: Sequence[OpinionAsRater]) -> Iterator[LeftOutRater]:
    """A row for each rater of each test."""
    return (LeftOutRater(**vars(test), rater=rater) for test in tests for rater in test.test.annotators)


def _tested(part: ItemsAt, epsilon: float) -> ReplacementTest:
    raters = sorted({row.rater for item in part.items for row in item.final.item_votes.votes})
    codes: dict[str, int] = {}
    table = np.array([_labels(item, raters, codes) for item in part.items], dtype=np.int64)
    return replacement_test(table[:, 0], table[:, 1:], raters, epsilon, same_cases(part.items))


def _labels(item: JudgedItem, raters: Sequence[str], codes: dict[str, int]) -> list[int]:
    """The opinion's and each rater's label as codes, which are given as labels are met."""
    votes = {row.rater: row.label for row in item.final.item_votes.votes}
    labels = [item.said, *(votes.get(rater) for rater in raters)]
    return [MISSING if label is None else codes.setdefault(label, len(codes)) for label in labels]

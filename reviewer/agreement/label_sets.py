"""Answers that are sets of labels: as ratings whose categories are the sets, and label by label.

Two answers with the same labels are the same category, in whatever order the labels were chosen. The empty
set is an answer; a missing answer is none. Alpha with a distance between sets is in ``metrics``.
"""

from collections.abc import Collection, Hashable, Mapping, Sequence

import numpy as np

from reviewer.agreement.rating_patterns import MISSING
from reviewer.agreement.ratings import Label, Ratings

SetRows = Sequence[Sequence[Collection[Hashable] | None]]


def set_ratings(rows: SetRows, labels: Sequence[Label], raters: Sequence[str] | None = None) -> Ratings:
    """Ratings from n rows of R sets of labels (None: missing); the categories are the sets that occur.

    Raises ValueError for a label that is not declared.
    """
    answers = [[None if chosen is None else frozenset(chosen) for chosen in row] for row in rows]
    chosen_labels = {chosen for row in answers for chosen in row if chosen is not None}
    for item, row in enumerate(answers):
        if strange := [label for chosen in row if chosen for label in chosen if label not in labels]:
            raise ValueError(f"item {item}: {strange[0]!r} is not one of the labels {list(labels)}")
    ordered = sorted(chosen_labels, key=lambda chosen: [label not in chosen for label in labels])
    return Ratings.from_labels(answers, ordered or [frozenset()], raters)


def ratings_by_label(ratings: Ratings, labels: Sequence[Label]) -> Mapping[Label, Ratings]:
    """Each label as a question of its own, answered True where a rater's set contains it, else False."""
    return {label: _chosen(ratings, label) for label in labels}


def _chosen(ratings: Ratings, label: Label) -> Ratings:
    holds = [isinstance(one, frozenset) and label in one for one in ratings.categories]
    codes = np.where(ratings.codes == MISSING, MISSING, np.array(holds, dtype=np.int64)[ratings.codes])
    return Ratings(codes, (False, True), ratings.raters)

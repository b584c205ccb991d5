"""Krippendorff's alpha for units on a continuum: spans of text, which raters cut out and label.

Each rater's units divide every text into sections: units, each with a label, and the gaps between them. With
m raters of a text, l_ck adds up the lengths of the intersections of a section labelled c of one rater with a
section labelled k of another, divided by m − 1; gaps are one more value. Over all texts l_c. = sum_k l_ck,
l.. = sum_c l_c., and s is the sum of the squared lengths of units and the plain lengths of gaps, so that
no unit is expected to meet itself:

    alpha = 1 − sum_{c≠k} l_ck / sum_{c≠k} e_ck,    e_ck = l.. · l_c. l_.k / (l..² − s) for c ≠ k

Krippendorff, K., Mathet, Y., Bouvry, S. and Widlöcher, A. (2016), On the reliability of unitizing textual
continua: Further developments, Quality & Quantity 50, 2347-2364 (their uα with the nominal metric);
Krippendorff, K. (2019), Content Analysis, 4th edition, section 12.6. It replaces the distances between the
ends of units of Krippendorff (1995), Sociological Methodology 25, 47-76, which fail for three raters.

Here a text is a case. Units of one rater that touch or overlap and have the same label are made one. Of one
label, all others are gaps; of all labels together alpha needs units that do not overlap. Its interval
resamples texts; it has no analytic formula.

F1 by characters is 2 Σ |A ∩ B| / Σ (|A| + |B|) over the characters that two raters put under one label, where
the sums go over all pairs of raters and all texts. Hripcsak, G. and Rothschild, A. S. (2005), Journal of the
American Medical Informatics Association 12, 296-298: kappa tends to it where most of a text is unmarked.
"""

from collections.abc import Hashable, Iterable, Iterator, Mapping, Sequence
from functools import lru_cache
from itertools import combinations, groupby, pairwise
from operator import itemgetter
from typing import Final, NamedTuple

import numpy as np

from reviewer.agreement.rating_patterns import MISSING, Floats, Ints, Patterns, ratio
from reviewer.agreement.ratings import Ratings
from reviewer.core.estimate import NO_FORMULA, NO_SPANS, OVERLAPPING_SPANS, WHOLE_TEXTS, Estimate

Unit = tuple[int, int, str]
"""Its first character, the one after its last, and its label."""
_GAP: Final = 0


class MarkedText(NamedTuple):
    """An answer: the number of characters of its text, and the units that were cut out of it, in order."""

    length: int
    units: tuple[Unit, ...]

    @classmethod
    def of(cls, length: int, spans: Iterable[Unit]) -> "MarkedText":
        """The units that spans make: those of one label that touch or overlap are one.

        Raises ValueError for a span that is empty or beyond the text.
        """
        joined: list[Unit] = []
        for label, same in groupby(sorted(spans, key=itemgetter(2, 0, 1)), key=itemgetter(2)):
            first = len(joined)
            for start, end, _ in same:
                if not 0 <= start < end <= length:
                    raise ValueError(f"{start}:{end} is not within a text of {length} characters")
                if len(joined) > first and start <= joined[-1][1]:
                    joined[-1] = joined[-1][0], max(end, joined[-1][1]), label
                else:
                    joined.append((start, end, label))
        return cls(length, tuple(sorted(joined)))

    def with_label(self, label: str) -> "MarkedText":
        """The units of one label alone."""
        return MarkedText(self.length, tuple(unit for unit in self.units if unit[2] == label))

    @property
    def overlaps(self) -> bool:
        """Whether any character is in two of the units."""
        return any(after[0] < before[1] for before, after in pairwise(self.units))

    @property
    def characters(self) -> set[tuple[int, str]]:
        """Each character of a unit, with its label."""
        return {(at, label) for start, end, label in self.units for at in range(start, end)}


def text_ratings(rows: Sequence[Sequence[MarkedText | None]], raters: Sequence[str] | None = None) -> Ratings:
    """Ratings from n rows of R marked texts (None: missing); the categories are those that occur."""
    given = dict.fromkeys(answer for row in rows for answer in row if answer is not None)
    return Ratings.from_labels(rows, [*given] or [MarkedText(0, ())], raters)


def marked_by_label(ratings: Ratings, labels: Sequence[str]) -> Mapping[str, Ratings]:
    """Each label as if it were the only one."""
    return {label: _with_label(ratings, label) for label in labels}


def _with_label(ratings: Ratings, label: str) -> Ratings:
    own = [answer.with_label(label) for answer in _texts(ratings.categories)]
    numbers = {answer: number for number, answer in enumerate(dict.fromkeys(own))}
    codes = np.array([numbers[answer] for answer in own], dtype=np.int64)
    kept = np.where(ratings.codes == MISSING, MISSING, codes[ratings.codes])
    return Ratings(kept, tuple(numbers), ratings.raters)


def share_with_spans(ratings: Ratings) -> Estimate:
    """The share of answers that have a span; n counts answers."""
    given = ratings.codes[ratings.codes != MISSING]
    has = np.array([bool(answer.units) for answer in _texts(ratings.categories)])
    if not len(given):
        return Estimate.undefined(ratings.patterns.why_no_pairs() or NO_SPANS, 0)
    return Estimate(float(has[given].mean()), len(given))


# -- alpha -----------------------------------------------------------------------------------------


def unitised_alpha_of(patterns: Patterns, level: float) -> Estimate:
    """Alpha of all labels; n counts the texts with two answers.

    Undefined where units of one rater overlap, where nobody cut out anything, and where all cut out all.
    """
    n = patterns.items(patterns.pairable)
    if reason := patterns.why_no_pairs() or _why_no_alpha(patterns):
        return Estimate.undefined(reason, n)
    value = float(unitised_alpha_values(patterns, patterns.weights[None, :].astype(np.float64))[0])
    return Estimate(value, n, se_reason=NO_FORMULA)


def unitised_alpha_values(patterns: Patterns, weights: Floats) -> Floats:
    """Alpha under each row of B × P weights; nan where nothing can be expected to differ."""
    sums = weights @ _sections(patterns)
    apart, own, totals = sums[:, 0], sums[:, 1], sums[:, 2:]
    whole = totals.sum(axis=1)
    by_chance = whole * ratio(whole**2 - (totals**2).sum(axis=1), whole**2 - own)
    return 1 - ratio(apart, by_chance)


def _why_no_alpha(patterns: Patterns) -> str | None:
    answers = [answer for answers in _answers(patterns) if len(answers) > 1 for answer in answers]
    if any(answer.overlaps for answer in answers):
        return OVERLAPPING_SPANS
    if not any(answer.units for answer in answers):
        return NO_SPANS
    used = {label for answer in answers for *_, label in answer.units}
    covered = all(sum(end - start for start, end, _ in units) == length for length, units in answers)
    return WHOLE_TEXTS if len(used) == 1 and covered else None


@lru_cache(maxsize=4)
def _sections(patterns: Patterns) -> Floats:
    """P rows of what a text adds to alpha: Σ_{c≠k} l_ck, s, and l_c. of each value c."""
    labels = dict.fromkeys(label for text in _texts(patterns.categories) for *_, label in text.units)
    values = {label: number for number, label in enumerate(labels, _GAP + 1)}
    rows = [_sections_of(answers, values) for answers in _answers(patterns)]
    return np.array(rows, dtype=np.float64).reshape(len(rows), len(values) + 3)


def _sections_of(answers: Sequence[MarkedText], values: Mapping[str, int]) -> list[float]:
    m = len(answers)
    if m < 2:
        return [0.0] * (len(values) + 3)
    length = max(answer.length for answer in answers)
    codes = np.stack([_coded(answer, values, length) for answer in answers])
    counts = np.stack([np.count_nonzero(codes == value, axis=0) for value in range(len(values) + 1)])
    totals = counts.sum(axis=1)
    squares = sum((end - start) ** 2 for answer in answers for start, end, _ in answer.units)
    apart = float((counts * (m - counts)).sum()) / (m - 1)
    return [apart, float(squares + totals[_GAP]), *map(float, totals)]


def _coded(answer: MarkedText, values: Mapping[str, int], length: int) -> Ints:
    """The value of each character: 0 in a gap, or the number of a label."""
    codes = np.zeros(length, dtype=np.int64)
    for start, end, label in answer.units:
        codes[start:end] = values[label]
    return codes


# -- F1 --------------------------------------------------------------------------------------------


def character_f1_of(patterns: Patterns, level: float) -> Estimate:
    """F1 by characters; n counts the texts with two answers. Undefined where nobody cut out anything."""
    n = patterns.items(patterns.pairable)
    if reason := patterns.why_no_pairs():
        return Estimate.undefined(reason, n)
    value = float(character_f1_values(patterns, patterns.weights[None, :].astype(np.float64))[0])
    return Estimate.undefined(NO_SPANS, n) if np.isnan(value) else Estimate(value, n, se_reason=NO_FORMULA)


def character_f1_values(patterns: Patterns, weights: Floats) -> Floats:
    """F1 under each row of B × P weights; nan where nobody cut out anything."""
    sums = weights @ _shared(patterns)
    return ratio(2 * sums[:, 0], sums[:, 1])


@lru_cache(maxsize=4)
def _shared(patterns: Patterns) -> Floats:
    """P × 2, |A ∩ B| and |A| + |B| added up over the pairs of answers to a text."""
    rows = []
    for answers in _answers(patterns):
        pairs = [*combinations([answer.characters for answer in answers], 2)]
        common = sum(len(one & other) for one, other in pairs)
        rows.append((common, sum(len(one) + len(other) for one, other in pairs)))
    return np.array(rows, dtype=np.float64).reshape(len(rows), 2)


def _answers(patterns: Patterns) -> Iterator[list[MarkedText]]:
    """The answers of each pattern."""
    texts = _texts(patterns.categories)
    return ([texts[code] for code in row if code != MISSING] for row in patterns.codes)


def _texts(categories: Iterable[Hashable]) -> list[MarkedText]:
    return [category for category in categories if isinstance(category, MarkedText)]

"""Dawid and Skene's model: the true label of each item with its probability, and how each rater errs.

An item has one true label, k with probability π_k. Rater r gives it label l with probability θ_rkl, whatever
the other raters say. Dawid, A. P. and Skene, A. M. (1979), Maximum likelihood estimation of observer
error-rates using the EM algorithm, Applied Statistics 28, 20-28. EM begins with the shares of votes:

    π_k = mean over items of T_ik,   θ_rkl = Σ_i T_ik [r gave l to i] / Σ_i T_ik [r rated i],
    T_ik ∝ π_k Π_r θ_rkl where r gave l to i.

With the passing labels A, sensitivity of r = P(label in A, given a true label in A), and specificity is
P(label not in A, given a true label not in A). Their intervals are percentiles over resampled items, each
fitted from the labels of the whole fit, and at least as wide as Wilson's interval over the expected number of
such items: alone, percentiles cover 61% in place of 95% where 5 of 50 items do not pass, since a rate of 1
has no width. Where EM does not converge there is no value.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

import numpy as np
from numpy.typing import NDArray

from reviewer.agreement.intervals import DEFAULT_LEVEL, percentile_ends
from reviewer.agreement.proportions import wilson_ends
from reviewer.agreement.rating_patterns import Floats, ratio
from reviewer.agreement.ratings import Label, Ratings
from reviewer.core.estimate import Estimate, Interval

NOT_CONVERGED: Final = "the model did not converge"
NO_SUCH_ITEM: Final = "no item of this kind"
NO_LABELS: Final = "no label"
AT_LEAST_WILSON: Final = "bootstrap, at least Wilson's"
MOST_STEPS: Final = 500
USUAL_RESAMPLES: Final = 1_000
_CLOSE: Final = 1e-5
_LEAST: Final = 1e-12
"""In the place of a probability of 0, whose logarithm there is none of."""
_FEWEST_ITEMS: Final = 0.5
"""With fewer expected items of a kind, nothing is said of errors on them."""


@dataclass(frozen=True)
class RaterErrors:
    """How often a rater gives a passing label where it is true (sensitivity), and another where not."""

    rater: str
    labels: int
    sensitivity: Estimate
    specificity: Estimate


@dataclass(frozen=True, eq=False)
class LabelModel:
    """The fitted model. ``probabilities`` (n × q) are those of each item's labels, in the categories' order.

    An item without a label has those of ``shares``, the share of each true label.
    """

    ratings: Ratings
    probabilities: Floats
    shares: Floats
    errors: Floats
    """R × q × q: rater, true label, given label."""
    converged: bool

    def label_of(self, item: int) -> tuple[Label, float] | None:
        """The most probable label of an item, and its probability; None without labels or a converged fit."""
        if not self.converged or not self.ratings.counts[item].any():
            return None
        best = int(self.probabilities[item].argmax())
        return self.ratings.categories[best], float(self.probabilities[item, best])

    def rater_errors(
        self,
        passing: Sequence[Label],
        *,
        seed: int,
        resamples: int = USUAL_RESAMPLES,
        level: float = DEFAULT_LEVEL,
    ) -> list[RaterErrors]:
        """Sensitivity and specificity of each rater, for these labels; intervals need ``resamples``."""
        chosen = np.isin(np.arange(len(self.ratings.categories)), [*map(self._code, passing)])
        points = [_rates(self.shares, self.errors, some) for some in (chosen, ~chosen)]
        drawn = self._resampled((chosen, ~chosen), seed, resamples)
        rows = []
        for column, rater in enumerate(self.ratings.names()):
            number = int((self.ratings.codes[:, column] >= 0).sum())
            both = [
                self._estimate(float(point[column]), sample[:, column], column, some, level)
                for point, sample, some in zip(points, drawn, (chosen, ~chosen), strict=True)
            ]
            rows.append(RaterErrors(rater, number, *both))
        return rows

    def _code(self, label: Label) -> int:
        return self.ratings.categories.index(label)

    def _estimate(
        self, value: float, sample: Floats, column: int, some: NDArray[np.bool_], level: float
    ) -> Estimate:
        rated = self.ratings.codes[:, column] >= 0
        number, items = int(rated.sum()), float(self.probabilities[rated][:, some].sum())
        if not self.converged:
            return Estimate.undefined(NOT_CONVERGED, number)
        if not number:
            return Estimate.undefined(NO_LABELS, 0)
        if items < _FEWEST_ITEMS or np.isnan(value):
            return Estimate.undefined(NO_SUCH_ITEM, number)
        known = sample[~np.isnan(sample)]
        if not len(known):
            return Estimate(value, number)
        low, high = percentile_ends(known, level)
        least, greatest = wilson_ends(value, items, level)
        ends = Interval(min(low, least), max(high, greatest), level, AT_LEAST_WILSON)
        return Estimate(value, number, interval=ends, undefined_share=1 - len(known) / len(sample))

    def _resampled(self, kinds: Sequence[NDArray[np.bool_]], seed: int, resamples: int) -> list[Floats]:
        """For each kind of label the rates in resamples of the items, resamples × R; nan: none."""
        patterns = self.ratings.patterns
        total = int(patterns.weights.sum())
        if not resamples or not total or not self.converged:
            return [np.empty((0, self.ratings.n_raters)) for _ in kinds]
        weights = np.random.default_rng(seed).multinomial(total, patterns.weights / total, resamples)
        start = _expected(patterns.chosen, self.shares[None], self.errors[None])[0]
        fit = _fitted(patterns.chosen, weights.astype(float), start)
        rates = [_rates(fit.shares, fit.errors, some) for some in kinds]
        return [np.where(fit.converged[:, None], rate, np.nan) for rate in rates]


def label_model(ratings: Ratings) -> LabelModel:
    """Fit the model to the labels of named raters. Items without a label tell nothing."""
    patterns = ratings.patterns
    votes = patterns.counts.sum(axis=1, keepdims=True)
    rated = votes[:, 0] > 0
    start = np.where(votes > 0, patterns.counts / np.maximum(votes, 1), 1 / patterns.q)
    fit = _fitted(patterns.chosen, (patterns.weights * rated)[None].astype(float), start)
    of_patterns = _expected(patterns.chosen, fit.shares, fit.errors)[0]
    probabilities = ratings.of_items(of_patterns)
    return LabelModel(ratings, probabilities, fit.shares[0], fit.errors[0], bool(fit.converged[0]))


@dataclass(frozen=True)
class _Fit:
    """The estimates of B fits: shares (B × q), errors (B × R × q × q), and which of them converged."""

    shares: Floats
    errors: Floats
    converged: NDArray[np.bool_]


def _fitted(chosen: Floats, weights: Floats, start: Floats) -> _Fit:
    """EM for each row of weights (B × P) on the same patterns; ``chosen`` is P × R × q, ``start`` P × q."""
    resamples, q = len(weights), start.shape[1]
    labels = np.broadcast_to(start, (resamples, *start.shape)).copy()
    converged = np.zeros(resamples, dtype=np.bool_)
    going = np.arange(resamples)
    for _ in range(MOST_STEPS):
        now = _expected(chosen, *_most_likely(chosen, weights[going], labels[going]))
        moved = np.abs(now - labels[going]).max(axis=2)
        moved[weights[going] == 0] = 0
        labels[going] = now
        done = moved.max(axis=1) < _CLOSE
        converged[going[done]] = True
        going = going[~done]
        if not len(going):
            break
    shares, errors = _most_likely(chosen, weights, labels)
    return _Fit(shares.reshape(resamples, q), errors, converged)


def _most_likely(chosen: Floats, weights: Floats, labels: Floats) -> tuple[Floats, Floats]:
    """The M step: shares (B × q) and errors (B × R × q × q) from probabilities of labels (B × P × q)."""
    weighted = weights[:, :, None] * labels
    patterns, raters, q = chosen.shape
    given = weighted.transpose(0, 2, 1) @ chosen.reshape(patterns, raters * q)
    counts = given.reshape(-1, q, raters, q).transpose(0, 2, 1, 3)
    errors = ratio(counts, np.broadcast_to(counts.sum(axis=3, keepdims=True), counts.shape))
    shares = weighted.sum(axis=1) / weights.sum(axis=1, keepdims=True)
    return shares, np.nan_to_num(errors, nan=1 / q)


def _expected(chosen: Floats, shares: Floats, errors: Floats) -> Floats:
    """The E step: the probabilities of labels, B × P × q."""
    patterns, raters, q = chosen.shape
    logs = np.log(np.maximum(errors, _LEAST)).transpose(0, 1, 3, 2).reshape(-1, raters * q, q)
    odds = np.log(np.maximum(shares, _LEAST))[:, None] + chosen.reshape(patterns, raters * q) @ logs
    odds = np.exp(odds - odds.max(axis=2, keepdims=True))
    return np.asarray(odds / odds.sum(axis=2, keepdims=True))


def _rates(shares: Floats, errors: Floats, some: NDArray[np.bool_]) -> Floats:
    """P(label among ``some`` | true label among ``some``) of each rater, in the last axis."""
    within = errors[..., some, :][..., some].sum(axis=-1)
    weights = shares[..., None, some]
    return ratio((weights * within).sum(axis=-1), np.broadcast_to(weights.sum(axis=-1), within.shape[:-1]))

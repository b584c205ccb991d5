"""Cost of all coefficients together, and of the bootstrap, compared with libraries that compute one.

Run as ``python tests/bench/agreement.py``. Every line is the best of some runs on the same labels; labels are
the input of every line, so that the preparation that a library needs is part of its time, and of ours. Of a
million items our alpha goes by the formula on counts, of ten thousand through the krippendorff package.
"""

import sys
import time
from collections.abc import Callable, Iterator, Mapping
from functools import partial
from importlib import import_module
from importlib.util import find_spec
from itertools import combinations
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

sys.path.insert(0, str(Path(__file__).resolve().parents[2]))

from reviewer.agreement.bootstrap import bootstrap, bootstrap_all
from reviewer.agreement.coefficient import COEFFICIENTS, ORDERED_COEFFICIENTS
from reviewer.agreement.cohen import cohen_kappa
from reviewer.agreement.ratings import Ratings

Labels = NDArray[np.int64]
CATEGORIES = 4


def labels(n: int, raters: int, rng: np.random.Generator, categories: int = CATEGORIES) -> Labels:
    """Raters who see an item's true label four times in five, and guess otherwise."""
    truth = rng.integers(0, categories, n)
    guess = rng.integers(0, categories, (n, raters))
    return np.where(rng.random((n, raters)) < 0.8, truth[:, None], guess)


def best(works: Mapping[str, Callable[[], Any]], runs: int) -> dict[str, float]:
    """Least seconds of each; they take turns, so that a busy moment of the machine meets all of them.

    The first turn, in which everybody loads what they need, counts for nothing.
    """
    seconds: dict[str, list[float]] = {name: [] for name in works}
    for _ in range(runs + 1):
        for name, work in works.items():
            start = time.perf_counter()
            work()
            seconds[name].append(time.perf_counter() - start)
    return {name: min(times[1:]) for name, times in seconds.items()}


def our_points(table: Labels) -> None:
    """Every coefficient of the registry and every rater pair, with SE and interval."""
    ratings = Ratings.from_labels(table, range(CATEGORIES))
    for coefficient in COEFFICIENTS.values():
        coefficient(ratings)
    for pair in combinations(ratings.names(), 2):
        cohen_kappa(ratings, *pair)


def our_fleiss(table: Labels) -> None:
    COEFFICIENTS["fleiss_kappa"](Ratings.from_labels(table, range(CATEGORIES)))


def krippendorff_alpha(table: Labels) -> None:
    package: Any = import_module("krippendorff")
    package.alpha(reliability_data=table.T, level_of_measurement="nominal")


def statsmodels_fleiss(table: Labels) -> None:
    inter_rater: Any = import_module("statsmodels.stats.inter_rater")
    inter_rater.fleiss_kappa(inter_rater.aggregate_raters(table)[0])


def sklearn_pair(table: Labels) -> None:
    metrics: Any = import_module("sklearn.metrics")
    metrics.cohen_kappa_score(table[:, 0], table[:, 1])


def sklearn_pairs(table: Labels) -> None:
    metrics: Any = import_module("sklearn.metrics")
    for first, second in combinations(range(table.shape[1]), 2):
        metrics.cohen_kappa_score(table[:, first], table[:, second])


BASELINES = [
    ("krippendorff", "krippendorff: alpha", krippendorff_alpha),
    ("statsmodels", "statsmodels: Fleiss' kappa", statsmodels_fleiss),
    ("sklearn", "scikit-learn: Cohen's kappa, one pair", sklearn_pair),
    ("sklearn", "scikit-learn: Cohen's kappa, all pairs", sklearn_pairs),
]


def installed_baselines() -> Iterator[tuple[str, Callable[[Labels], None]]]:
    for module, name, work in BASELINES:
        if find_spec(module) is None:
            print(f"{name}: {module} is not installed, left out")
        else:
            yield name, work


def points(n: int, raters: int, runs: int, rng: np.random.Generator) -> None:
    table = labels(n, raters, rng)
    ours = f"ours: all {len(COEFFICIENTS)} and every pair, SE and interval"
    works = {ours: partial(our_points, table), "ours: Fleiss' kappa alone": partial(our_fleiss, table)}
    works |= {name: partial(work, table) for name, work in installed_baselines()}
    seconds = best(works, runs)
    print(f"\n{n:,} × {raters} labels, {CATEGORIES} categories (best of {runs})")
    for name, each in seconds.items():
        print(f"  {name:55} {each * 1000:10.2f} ms   all ours / this {seconds[ours] / each:6.2f}")


def plain_bootstrap(table: Labels, resamples: int) -> None:
    """The textbook's loop: draw rows, count, compute; Fleiss' kappa only."""
    rng = np.random.default_rng(1)
    for _ in range(resamples):
        rows = table[rng.integers(0, len(table), len(table))]
        counts = np.stack([(rows == k).sum(axis=1) for k in range(2)], axis=1)
        shares = counts.mean(axis=0) / table.shape[1]
        observed = (counts * (counts - 1)).sum() / (counts.size / 2 * table.shape[1] * (table.shape[1] - 1))
        expected = (shares**2).sum()
        if expected < 1:
            _ = (observed - expected) / (1 - expected)


def resampling(runs: int, rng: np.random.Generator) -> None:
    table = (rng.random((40, 3)) < 0.9).astype(np.int64)
    ratings = Ratings.from_labels(table, [0, 1])
    loop = "loop over resamples: Fleiss' kappa"
    works: dict[str, Callable[[], Any]] = {loop: partial(plain_bootstrap, table, 10_000)}
    for each in COEFFICIENTS.values():
        works[f"ours: {each.title}"] = partial(bootstrap, ratings, each, seed=1)
    together = partial(bootstrap_all, ratings, list(COEFFICIENTS.values()), seed=1)
    works[f"ours: all {len(COEFFICIENTS)} together"] = together
    seconds = best(works, runs)
    print(f"\nbootstrap of 40 × 3 labels, B = 10,000 (best of {runs})")
    for name, each_seconds in seconds.items():
        print(f"  {name:55} {each_seconds * 1000:10.2f} ms   this / loop {each_seconds / seconds[loop]:8.4f}")


NOMINAL = ("po_pairwise", "fleiss_kappa", "krippendorff_alpha", "gwet_ac1", "brennan_prediger")
QUADRATIC = (
    "po_pairwise_quadratic",
    "fleiss_kappa_quadratic",
    "krippendorff_alpha_ordinal",
    "gwet_ac2_quadratic",
    "brennan_prediger_quadratic",
)
BY_RATER = ("conger_kappa", "light_kappa_defined_pairs")


def weighted(runs: int, rng: np.random.Generator) -> None:
    """What weights between labels add to the bootstrap of the same coefficients without."""
    ratings = Ratings.from_labels(labels(500, 3, rng, 7), range(7))
    pairs = {
        "five of any raters": (NOMINAL, QUADRATIC),
        "Conger, Light": (BY_RATER, tuple(f"{key}_quadratic" for key in BY_RATER)),
    }
    known = {**COEFFICIENTS, **ORDERED_COEFFICIENTS}
    works: dict[str, Callable[[], Any]] = {
        f"{name}, {kind}": partial(bootstrap_all, ratings, [known[key] for key in keys], seed=1)
        for name, both in pairs.items()
        for kind, keys in zip(("nominal", "weighted"), both, strict=True)
    }
    seconds = best(works, runs)
    print(f"\nbootstrap of 500 × 3 labels, 7 categories, B = 10,000 (best of {runs})")
    for name in pairs:
        plain, heavy = seconds[f"{name}, nominal"], seconds[f"{name}, weighted"]
        print(
            f"  {name:25} nominal {plain * 1000:8.2f} ms   weighted {heavy * 1000:8.2f} ms"
            f"   weighted / nominal {heavy / plain:5.2f}"
        )


def main() -> None:
    rng = np.random.default_rng(0)
    points(10_000, 5, 20, rng)
    points(1_000_000, 5, 3, rng)
    resampling(5, rng)
    weighted(15, rng)


if __name__ == "__main__":
    main()

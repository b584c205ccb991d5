"""The coefficients by name, so that a table can be driven by a word."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from functools import partial
from types import MappingProxyType
from typing import Final, Protocol

from reviewer.agreement import cohen, conger, pairwise, percent_agreement, unitised_alpha
from reviewer.agreement.chance import pairwise_values
from reviewer.agreement.intervals import DEFAULT_LEVEL
from reviewer.agreement.krippendorff_alpha import alpha_of, alpha_values, krippendorff_alpha
from reviewer.agreement.metrics import INTERVAL, JACCARD, MASI, ORDINAL, Metric
from reviewer.agreement.rankings import KENDALL_W, TAU_B, RankingMean
from reviewer.agreement.rating_patterns import Floats, Patterns
from reviewer.agreement.ratings import Ratings
from reviewer.agreement.share_chance import BRENNAN_PREDIGER, FLEISS, GWET
from reviewer.agreement.weighting import LINEAR, QUADRATIC, Weighting
from reviewer.core.estimate import Estimate


@dataclass(frozen=True, slots=True)
class Coefficient:
    """A coefficient under its key, its title as the field writes it, and its symbol.

    ``of_patterns`` estimates it from distinct rows and a confidence level, ``of_ratings`` from ratings where
    these say more; ``values`` gives it under each row of B × P weights, nan where it is undefined.
    ``by_rater`` says that it depends on who gave which label, ``variant`` that it is another reading of a
    coefficient in this registry.
    """

    key: str
    title: str
    symbol: str
    of_patterns: Callable[[Patterns, float], Estimate]
    values: Callable[[Patterns, Floats], Floats]
    by_rater: bool = False
    variant: bool = False
    of_ratings: Callable[[Ratings, float], Estimate] | None = None

    def __call__(self, ratings: Ratings, level: float = DEFAULT_LEVEL) -> Estimate:
        """The estimate with its analytic interval."""
        if self.of_ratings is not None:
            return self.of_ratings(ratings, level)
        return self.of_patterns(ratings.patterns, level)


_ALL = (
    Coefficient(
        "po_all_agree",
        "Percent agreement (all raters)",
        "all agree",
        percent_agreement.all_agree_of,
        percent_agreement.all_agree_values,
    ),
    Coefficient(
        "po_pairwise",
        "Mean pairwise agreement",
        "pairwise",
        pairwise.pairwise_of,
        pairwise_values,
    ),
    Coefficient("fleiss_kappa", "Fleiss' kappa", "Fleiss' κ", FLEISS.estimate, FLEISS.values),
    Coefficient(
        "krippendorff_alpha",
        "Krippendorff's alpha",
        "α",
        alpha_of,
        alpha_values,
        of_ratings=krippendorff_alpha,
    ),
    Coefficient("gwet_ac1", "Gwet's AC1", "AC1", GWET.estimate, GWET.values),
    Coefficient(
        "brennan_prediger",
        "Brennan-Prediger",
        "BP",
        BRENNAN_PREDIGER.estimate,
        BRENNAN_PREDIGER.values,
    ),
    Coefficient(
        "conger_kappa",
        "Conger's kappa",
        "Conger's κ",
        conger.conger_of,
        conger.conger_values,
        by_rater=True,
    ),
    Coefficient(
        "light_kappa_defined_pairs",
        "Light's kappa",
        "Light's κ",
        cohen.light_defined_of,
        cohen.light_defined_values,
        by_rater=True,
    ),
    Coefficient(
        "light_kappa",
        "Light's kappa (every pair)",
        "Light's κ",
        cohen.light_strict_of,
        cohen.light_strict_values,
        by_rater=True,
        variant=True,
    ),
    Coefficient(
        "po_all_agree_complete_items",
        "Percent agreement (items rated by all)",
        "all agree",
        percent_agreement.all_agree_complete_of,
        percent_agreement.all_agree_complete_values,
        variant=True,
    ),
    Coefficient(
        "po_pairs_pooled",
        "Pairwise agreement (pairs pooled)",
        "pairwise",
        pairwise.pairs_pooled_of,
        pairwise.pairs_pooled_values,
        variant=True,
    ),
)

COEFFICIENTS: Final[Mapping[str, Coefficient]] = MappingProxyType(
    {coefficient.key: coefficient for coefficient in _ALL}
)

COHEN: Final = Coefficient(
    "cohen_kappa",
    "Cohen's kappa",
    "Cohen's κ",
    cohen.light_defined_of,
    cohen.light_defined_values,
    by_rater=True,
    of_ratings=cohen.cohen_of_two,
)
"""Of exactly two raters, and so not in the registry."""


class _OfPatterns(Protocol):
    def __call__(self, patterns: Patterns, level: float, /, *, weighting: Weighting) -> Estimate: ...


class _Values(Protocol):
    def __call__(self, patterns: Patterns, weights: Floats, /, *, weighting: Weighting) -> Floats: ...


def _weighted(
    names: tuple[str, str, str],
    functions: tuple[_OfPatterns, _Values],
    weighting: Weighting,
    by_rater: bool = False,
) -> Coefficient:
    """The coefficient of these names (key, title, symbol) with weights between labels."""
    key, title, symbol = names
    of_patterns, values = functions
    return Coefficient(
        f"{key}_{weighting.key}",
        f"{title}, {weighting.title}",
        f"{symbol} {weighting.key}",
        partial(of_patterns, weighting=weighting),
        partial(values, weighting=weighting),
        by_rater,
    )


def _all_weighted(weighting: Weighting) -> tuple[Coefficient, ...]:
    """Every coefficient of any number of raters that knows weights between labels, with these."""
    fleiss = FLEISS.estimate, FLEISS.values
    pa = pairwise.pairwise_of, pairwise_values
    bp = BRENNAN_PREDIGER.estimate, BRENNAN_PREDIGER.values
    of_conger = conger.conger_of, conger.conger_values
    light = ("light_kappa_defined_pairs", "Light's kappa", "Light's κ")
    of_light = cohen.light_defined_of, cohen.light_defined_values
    return (
        _weighted(("po_pairwise", "Mean pairwise agreement", "pairwise"), pa, weighting),
        _weighted(("fleiss_kappa", "Fleiss' kappa", "Fleiss' κ"), fleiss, weighting),
        _weighted(("gwet_ac2", "Gwet's AC2", "AC2"), (GWET.estimate, GWET.values), weighting),
        _weighted(("brennan_prediger", "Brennan-Prediger", "BP"), bp, weighting),
        _weighted(("conger_kappa", "Conger's kappa", "Conger's κ"), of_conger, weighting, by_rater=True),
        _weighted(light, of_light, weighting, by_rater=True),
    )


def _cohen(weighting: Weighting) -> Coefficient:
    names = COHEN.key, COHEN.title, COHEN.symbol
    of_pairs = cohen.light_defined_of, cohen.light_defined_values
    weighted = _weighted(names, of_pairs, weighting, by_rater=True)
    return replace(weighted, of_ratings=partial(cohen.cohen_of_two, weighting=weighting))


def _with_metric(metric: Metric) -> Coefficient:
    return Coefficient(
        f"krippendorff_alpha_{metric.key}",
        f"Krippendorff's alpha, {metric.title}",
        f"α {metric.key}",
        partial(alpha_of, metric=metric),
        partial(alpha_values, metric=metric),
    )


ORDERED_COEFFICIENTS: Final[Mapping[str, Coefficient]] = MappingProxyType(
    {
        coefficient.key: coefficient
        for coefficient in (
            *_all_weighted(QUADRATIC),
            *map(_with_metric, (ORDINAL, INTERVAL)),
            *_all_weighted(LINEAR),
        )
    }
)
"""For labels that stand in an order. They count steps between labels, whatever numbers the labels are."""

ORDERED_COHEN: Final[Mapping[str, Coefficient]] = MappingProxyType(
    {coefficient.key: coefficient for coefficient in map(_cohen, (QUADRATIC, LINEAR))}
)
"""Cohen's kappa of exactly two raters whose labels stand in an order."""

SET_COEFFICIENTS: Final[Mapping[str, Coefficient]] = MappingProxyType(
    {coefficient.key: coefficient for coefficient in map(_with_metric, (JACCARD, MASI))}
)
"""For answers that are sets of labels, as ``set_ratings`` makes them."""


def _of_rankings(key: str, title: str, symbol: str, mean: RankingMean) -> Coefficient:
    return Coefficient(key, title, symbol, mean.of_patterns, mean.values)


RANK_COEFFICIENTS: Final[Mapping[str, Coefficient]] = MappingProxyType(
    {
        coefficient.key: coefficient
        for coefficient in (
            _of_rankings("kendall_w", "Kendall's W, mean over cases", "W", KENDALL_W),
            _of_rankings("kendall_tau_b", "Kendall's tau-b of pairs, mean over cases", "τ_b", TAU_B),
        )
    }
)
"""For answers that rank outputs, as ``ranking_ratings`` makes them."""
SPAN_COEFFICIENTS: Final[Mapping[str, Coefficient]] = MappingProxyType(
    {
        coefficient.key: coefficient
        for coefficient in (
            Coefficient(
                "unitised_alpha",
                "Krippendorff's alpha, unitised",
                "uα",
                unitised_alpha.unitised_alpha_of,
                unitised_alpha.unitised_alpha_values,
            ),
            Coefficient(
                "character_f1",
                "F1 by characters",
                "F1",
                unitised_alpha.character_f1_of,
                unitised_alpha.character_f1_values,
            ),
        )
    }
)
"""For answers that are spans of a text, as ``text_ratings`` makes them."""

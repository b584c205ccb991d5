"""The coefficients by name, so that a table can be driven by a word."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from types import MappingProxyType
from typing import Final

from reviewer.agreement import cohen, conger, pairwise, po
from reviewer.agreement.brennan_prediger import BRENNAN_PREDIGER, brennan_prediger
from reviewer.agreement.chance import pairwise_values
from reviewer.agreement.fleiss import FLEISS, fleiss_kappa
from reviewer.agreement.gwet import GWET, gwet_ac1
from reviewer.agreement.intervals import DEFAULT_LEVEL
from reviewer.agreement.krippendorff_alpha import alpha_of, alpha_values, krippendorff_alpha
from reviewer.agreement.patterns import Floats, Patterns
from reviewer.agreement.ratings import Ratings
from reviewer.core.estimate import Estimate


@dataclass(frozen=True, slots=True)
class Coefficient:
    """A coefficient under its key, its title as the field writes it, and its symbol.

    ``function`` estimates it from ratings and a confidence level; ``of_patterns`` does so from distinct rows;
    ``values`` gives it under each row of B × P weights, nan where it is undefined. ``by_rater`` says that it
    depends on who gave which label, ``variant`` that it is another reading of a coefficient in this registry.
    """

    key: str
    title: str
    symbol: str
    function: Callable[[Ratings, float], Estimate]
    of_patterns: Callable[[Patterns, float], Estimate]
    values: Callable[[Patterns, Floats], Floats]
    by_rater: bool = False
    variant: bool = False

    def __call__(self, ratings: Ratings, level: float = DEFAULT_LEVEL) -> Estimate:
        """The estimate with its analytic interval."""
        return self.function(ratings, level)


_ALL = (
    Coefficient(
        "po_all_agree",
        "Percent agreement (all raters)",
        "Po",
        po.all_agree,
        po.all_agree_of,
        po.all_agree_values,
    ),
    Coefficient(
        "po_pairwise",
        "Mean pairwise agreement",
        "pa",
        pairwise.pairwise_agreement,
        pairwise.pairwise_of,
        pairwise_values,
    ),
    Coefficient("fleiss_kappa", "Fleiss' kappa", "κ", fleiss_kappa, FLEISS.estimate, FLEISS.values),
    Coefficient(
        "krippendorff_alpha",
        "Krippendorff's alpha",
        "α",
        krippendorff_alpha,
        alpha_of,
        alpha_values,
    ),
    Coefficient("gwet_ac1", "Gwet's AC1", "AC1", gwet_ac1, GWET.estimate, GWET.values),
    Coefficient(
        "brennan_prediger",
        "Brennan-Prediger",
        "BP",
        brennan_prediger,
        BRENNAN_PREDIGER.estimate,
        BRENNAN_PREDIGER.values,
    ),
    Coefficient(
        "conger_kappa",
        "Conger's kappa",
        "κ_C",
        conger.conger_kappa,
        conger.conger_of,
        conger.conger_values,
        by_rater=True,
    ),
    Coefficient(
        "light_kappa_defined_pairs",
        "Light's kappa",
        "κ_L",
        cohen.light_kappa_defined_pairs,
        cohen.light_defined_of,
        cohen.light_defined_values,
        by_rater=True,
    ),
    Coefficient(
        "light_kappa",
        "Light's kappa (every pair)",
        "κ_L",
        cohen.light_kappa,
        cohen.light_strict_of,
        cohen.light_strict_values,
        by_rater=True,
        variant=True,
    ),
    Coefficient(
        "po_all_agree_complete_items",
        "Percent agreement (items rated by all)",
        "Po",
        po.all_agree_complete,
        po.all_agree_complete_of,
        po.all_agree_complete_values,
        variant=True,
    ),
    Coefficient(
        "po_pairs_pooled",
        "Pairwise agreement (pairs pooled)",
        "pa",
        pairwise.pairs_pooled,
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
    "κ",
    cohen.cohen_of_two,
    cohen.light_defined_of,
    cohen.light_defined_values,
    by_rater=True,
)
"""Of exactly two raters, and so not in the registry."""

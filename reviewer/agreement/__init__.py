"""Floor 1: agreement coefficients, intervals and pass rates. Arrays in, estimates out."""

from reviewer.agreement.brennan_prediger import brennan_prediger
from reviewer.agreement.coefficient import COEFFICIENTS, Coefficient
from reviewer.agreement.cohen import cohen_kappa, cohen_pairs, light_kappa, light_kappa_defined_pairs
from reviewer.agreement.conger import conger_kappa
from reviewer.agreement.fleiss import fleiss_kappa
from reviewer.agreement.gwet import gwet_ac1
from reviewer.agreement.krippendorff_alpha import krippendorff_alpha
from reviewer.agreement.means import mean_of
from reviewer.agreement.pairwise import pairwise_agreement
from reviewer.agreement.pass_rates import PassRate, majority_pass_rate, unanimity_pass_rate
from reviewer.agreement.po import all_agree
from reviewer.agreement.proportions import ZTest, difference, holm, proportion, two_proportion_z, wilson
from reviewer.agreement.ratings import Ratings

__all__ = [
    "COEFFICIENTS",
    "Coefficient",
    "PassRate",
    "Ratings",
    "ZTest",
    "all_agree",
    "brennan_prediger",
    "cohen_kappa",
    "cohen_pairs",
    "conger_kappa",
    "difference",
    "fleiss_kappa",
    "gwet_ac1",
    "holm",
    "krippendorff_alpha",
    "light_kappa",
    "light_kappa_defined_pairs",
    "majority_pass_rate",
    "mean_of",
    "pairwise_agreement",
    "proportion",
    "two_proportion_z",
    "unanimity_pass_rate",
    "wilson",
]

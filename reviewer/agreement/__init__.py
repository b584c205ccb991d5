"""Agreement coefficients, intervals and pass rates. Arrays in, estimates out."""

from reviewer.agreement.allocation import ALLOCATIONS, Allocation, allocate
from reviewer.agreement.bootstrap import bootstrap, bootstrap_all
from reviewer.agreement.brennan_prediger import brennan_prediger
from reviewer.agreement.coefficient import (
    COEFFICIENTS,
    COHEN,
    ORDERED_COEFFICIENTS,
    ORDERED_COHEN,
    SET_COEFFICIENTS,
    Coefficient,
)
from reviewer.agreement.cohen import (
    cohen_kappa,
    cohen_of_two,
    cohen_pairs,
    light_kappa,
    light_kappa_defined_pairs,
)
from reviewer.agreement.conger import conger_kappa
from reviewer.agreement.draw_planning import simple_width, stratified_width
from reviewer.agreement.fleiss import fleiss_kappa
from reviewer.agreement.gwet import gwet_ac1
from reviewer.agreement.krippendorff_alpha import krippendorff_alpha
from reviewer.agreement.label_sets import ratings_by_label, set_ratings
from reviewer.agreement.means import mean_of
from reviewer.agreement.pairwise import pairs_pooled, pairwise_agreement
from reviewer.agreement.pass_rates import PassRate, PassRule, majority_pass_rate, unanimity_pass_rate
from reviewer.agreement.planning import Plan, plan_more_cases, plan_study
from reviewer.agreement.po import all_agree, all_agree_complete
from reviewer.agreement.power import USUAL_POWER, detectable_rates
from reviewer.agreement.proportions import ZTest, difference, holm, proportion, two_proportion_z, wilson
from reviewer.agreement.raters import IntraRater, agreement_with_others, intra_rater, leave_one_rater_out
from reviewer.agreement.ratings import Ratings
from reviewer.agreement.shares import (
    LabelShare,
    equally_rated,
    label_counts,
    only_lone_dissents,
    rater_label_shares,
)
from reviewer.agreement.stratified import (
    StratumCounts,
    stratified_difference,
    stratified_share,
    stratified_share_of_items,
)
from reviewer.agreement.weighted_agreement import weighted_estimates

__all__ = [
    "ALLOCATIONS",
    "COEFFICIENTS",
    "COHEN",
    "ORDERED_COEFFICIENTS",
    "ORDERED_COHEN",
    "SET_COEFFICIENTS",
    "USUAL_POWER",
    "Allocation",
    "Coefficient",
    "IntraRater",
    "LabelShare",
    "PassRate",
    "PassRule",
    "Plan",
    "Ratings",
    "StratumCounts",
    "ZTest",
    "agreement_with_others",
    "all_agree",
    "all_agree_complete",
    "allocate",
    "bootstrap",
    "bootstrap_all",
    "brennan_prediger",
    "cohen_kappa",
    "cohen_of_two",
    "cohen_pairs",
    "conger_kappa",
    "detectable_rates",
    "difference",
    "equally_rated",
    "fleiss_kappa",
    "gwet_ac1",
    "holm",
    "intra_rater",
    "krippendorff_alpha",
    "label_counts",
    "leave_one_rater_out",
    "light_kappa",
    "light_kappa_defined_pairs",
    "majority_pass_rate",
    "mean_of",
    "only_lone_dissents",
    "pairs_pooled",
    "pairwise_agreement",
    "plan_more_cases",
    "plan_study",
    "proportion",
    "rater_label_shares",
    "ratings_by_label",
    "set_ratings",
    "simple_width",
    "stratified_difference",
    "stratified_share",
    "stratified_share_of_items",
    "stratified_width",
    "two_proportion_z",
    "unanimity_pass_rate",
    "weighted_estimates",
    "wilson",
]

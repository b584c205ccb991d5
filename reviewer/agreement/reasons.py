"""Why a value is missing: the fixed phrases that tables and exports print."""

from typing import Final

NO_DATA: Final = "no data"
ONE_RATER: Final = "one rater"
NO_ITEM_WITH_TWO_RATINGS: Final = "no item with two ratings"
ONE_CATEGORY: Final = "one category"
ONE_ITEM: Final = "one item"
ALL_TIED: Final = "all outputs tied"
NOT_TWO_RATERS: Final = "not two raters"
SETS: Final = "sets of labels"
NO_SETS: Final = "one label answers"
NO_SPANS: Final = "no spans"
OVERLAPPING_SPANS: Final = "spans of one rater overlap"
WHOLE_TEXTS: Final = "everything is marked"
STRATUM_WITHOUT_ANSWERS: Final = "a stratum without answers"
FEW_RATERS_TO_REPLACE: Final = "fewer than three raters"
FEW_ITEMS_TO_REPLACE: Final = "fewer than thirty items"
NO_SUCH_ITEM: Final = "no such item"
NOT_TWO_LABELS: Final = "not two labels"
NO_BETTER_THAN_CHANCE: Final = "no better than chance"

# Why a value has no standard error, or a plan no number.
NO_FORMULA: Final = "no analytic formula"
NO_STANDARD_ERROR: Final = "no standard error"
ONE_CASE_OF_A_STRATUM: Final = "one case of a stratum"
NO_SPREAD: Final = "standard error is 0"

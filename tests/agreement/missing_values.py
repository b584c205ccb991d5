"""Why a coefficient of any ratings may have no value."""

from reviewer.core.estimate import NO_DATA, NO_ITEM_WITH_TWO_RATINGS, ONE_CATEGORY, ONE_ITEM, ONE_RATER

REASONS = (NO_DATA, ONE_RATER, NO_ITEM_WITH_TWO_RATINGS, ONE_CATEGORY, ONE_ITEM)

"""Options of ``reviewer agreement``."""

from typing import ClassVar, Literal

from reviewer.options.option import argument, command_options, one_of, option
from reviewer.options.result_options import (
    ByDimensions,
    Coefficients,
    Digits,
    IntervalChoice,
    Level,
    Pooled,
    ResultFormatted,
    Weighted,
)
from reviewer.options.shared import InStore

AgreementTable = Literal[
    "agreement",
    "pass-rates",
    "differences",
    "raters",
    "labels",
    "by-label",
    "both-ways",
    "second-looks",
    "quality",
]


@command_options
class AgreementOptions(
    Pooled, ByDimensions, Coefficients, Weighted, IntervalChoice, Level, Digits, ResultFormatted, InStore
):
    """Show agreement, chance-corrected coefficients, pass rates, their differences, or single raters.

    The table has one row for each combination of the values of --by. Further rows hold means of these rows,
    and values over all their labels taken together. A mean usually differs from the value over all labels.
    """

    example: ClassVar[str] = "reviewer agreement pilot --by question,generator --format csv"
    name: str = argument("STUDY")
    shown: AgreementTable = one_of(
        {
            "agreement": "Show agreement coefficients (the default).",
            "pass-rates": "Show pass rates with intervals.",
            "differences": "Compare pass rates. The last word of --by says what is compared: with "
            "question,generator, generators are compared for each question.",
            "raters": "Show figures for each rater, and the agreement that remains if this rater "
            "is left out.",
            "labels": "Show how often each label was given in each group, with a histogram, and the median "
            "where labels have an order.",
            "by-label": "Where a question takes several labels: show agreement on each of its labels.",
            "both-ways": "Show results without and with the raters whom `reviewer study exclude` left out.",
            "second-looks": "Show how verdicts changed after findings were revealed.",
            "quality": "Show how many known answers each rater matched.",
        },
        default="agreement",
    )
    plan_width: float | None = option(
        "Show how many cases would shrink the interval's half-width to WIDTH.", metavar="WIDTH"
    )

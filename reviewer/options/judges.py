"""Options of ``reviewer judges``."""

from typing import ClassVar, Literal

from reviewer.options.option import argument, command_options, one_of, option
from reviewer.options.result_options import (
    Digits,
    IntervalChoice,
    LabelRule,
    Level,
    ResultFormatted,
    WeightedLabels,
)
from reviewer.options.shared import InStore, listed


@command_options
class JudgesOptions(LabelRule, WeightedLabels, IntervalChoice, Level, Digits, ResultFormatted, InStore):
    """Compare the opinions of models, or other published or measured answers, with the raters' labels.

    An opinion is a published or measured value, such as a model's verdict, that the protocol declares to be
    an answer to a question. Cases without the value abstain. Raters must not see opinions before they answer,
    so the command refuses while somebody has not finished.
    """

    example: ClassVar[str] = "reviewer judges pilot --raters --format csv"
    name: str = argument("STUDY")
    by: tuple[str, ...] = option(
        "Divide by any of group, generator, dataset, separated by commas; '' for one row per opinion.",
        default="group",
        show_default=True,
        metavar="LIST",
        parse=listed,
    )
    shown: Literal["final", "confusion", "raters"] = one_of(
        {
            "final": "Compare opinions with the final labels (the default).",
            "confusion": "Count cases by the label of the opinion and the final label.",
            "raters": "Compare opinions with each rater, and with how the raters agree with each other.",
        },
        default="final",
    )
    known: str | None = option(
        "Compare opinions and raters with the right labels, which this published value holds.",
        metavar="VALUE",
    )

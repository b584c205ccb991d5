"""Options of ``reviewer effects``."""

from typing import Literal

from reviewer.options.option import CommandOptions, FilePath, argument, flag, option, several
from reviewer.options.result_options import Digits, Level, OutcomeChoice, ResultFormatted
from reviewer.options.shared import InStore, listed


class ChosenCases(OutcomeChoice):
    """Which outcomes of the run count, and what their intervals treat as independent."""

    title = "Outcomes and cases that count"
    audit_clean: bool = flag("Count only audit-clean cases.")
    strict: bool = flag("Count only audit-clean cases without a doubtful finding.")
    without: tuple[str, ...] = several(
        "Leave out cases that fail this check of their audit, such as same_result, or that a check of the"
        " whole dataset lists, such as repeated_questions; may be repeated.",
        metavar="CHECK",
    )


class EffectLadder(CommandOptions):
    """``--ladder``."""

    title = "Compare choices of cases, instead of the table"
    as_ladder: bool = flag(
        "Show the effects over all cases, audit-clean ones, strictly clean ones, and those of --without, "
        "--passed and --picked, one after the other.",
        "--ladder",
    )


class EffectComparison(CommandOptions):
    """``--compare``."""

    title = "Compare two sides, instead of the table"
    compare: str = option(
        "Show the first minus the second. model:a,b compares two models case by case; tier:high,low "
        "compares two tiers. With several models, their mean is also shown, with a paired t test as in "
        "the protocol's paper.",
        default="",
        metavar="DIMENSION:FIRST,SECOND",
    )
    mix: str = option(
        "With --compare: also show the difference after both sides are weighted to the same mix of this "
        "dimension, such as generator.",
        default="",
        metavar="DIMENSION",
    )


class NeededCases(CommandOptions):
    """How many cases an evaluation needs."""

    title = "Plan an evaluation, instead of the table"
    half_width: float | None = option("Show how many cases bring the intervals to this half-width.")
    to_find: float | None = option(
        "Show how many cases find this difference between two models.", metavar="DIFFERENCE"
    )
    share: float | None = option("Without RUN: the expected value of the measure.")
    repeats: int = option("Without RUN: runs of each case.", default=5, show_default=True, within=(1, None))
    design_effect: float | None = option(
        "Without RUN: the factor by which the variance is expected to exceed that of independent runs. "
        "Default: the number of repeats, which assumes that repeats tell nothing new."
    )
    correlation: float = option(
        "With --to-find and without RUN: correlation of two models over cases.",
        default=0.0,
        show_default=True,
    )
    power: float = option("With --to-find: the wanted power.", default=0.8, show_default=True)

    @property
    def is_wanted(self) -> bool:
        """Whether a plan is asked for."""
        return self.half_width is not None or self.to_find is not None


class EffectRecognition(CommandOptions):
    """How well known labels are recognised."""

    title = "Show how known labels are recognised, instead of the table"
    recognition: bool = flag(
        "Show accuracy, macro-F1, how often the known label is among the three likeliest, and calls, tokens "
        "and cost of an answer, with a coin and the most frequent label."
    )
    confusions: bool = flag("Show how often each known label was taken for which label.")


class EffectLayout(CommandOptions):
    """``--as``."""

    title = "Write files for the scripts of another package, instead of the table"
    layout: str = option(
        "Write all outcomes and the effects as files in this layout, such as probe-swe, so that the "
        "scripts of the benchmark's own package run on them.",
        "--as",
        default="",
        metavar="LAYOUT",
    )
    folder: FilePath | None = option("With --as: the folder to write.", "-o", metavar="DIR")


class EffectsOptions(Level, Digits, ResultFormatted, InStore):
    """Show what the conditions of an evaluation run did to the decisions of models.

    Each measure is a ratio over pairs of runs. Its interval resamples cases, because runs of one case are
    not independent. Unreadable replies are counted. CSV and JSON also give bounds: the least and the greatest
    value that a measure could have if every reply had been readable.

    To plan an evaluation, give --half-width or --to-find. With RUN, the plan uses the outcomes of RUN.
    Without it, give --share, --repeats and --design-effect. --ladder, --compare, --recognition, --confusions,
    --as and a plan each replace the table; give only one of them.
    """

    example = "reviewer effects pilot --by model,group --format csv"
    run: str | None = argument("[RUN]")
    by: tuple[str, ...] = option(
        "What rows are divided by, separated by commas: model, group, generator, tier, dataset, a "
        "condition (such as order or cue), or a property of cases that the protocol defines (such as "
        "right_option). '' gives one row.",
        default="model",
        show_default=True,
        metavar="LIST",
        parse=listed,
    )
    measures: tuple[str, ...] = several(
        "Show only this measure; may be repeated.", "--measure", metavar="KEY"
    )
    baseline: str = option(
        "Take the answers to the unchanged items from this run. Both runs must have asked in the same "
        "layouts, with the same prompts and parameters.",
        default="",
        metavar="RUN",
    )
    cases: ChosenCases
    ladder: EffectLadder
    comparison: EffectComparison
    plan: NeededCases
    known: EffectRecognition
    files: EffectLayout
    interval: Literal["bootstrap", "linearised"] = option(
        "How intervals are computed: by resampling clusters, or by formula.",
        default="bootstrap",
        show_default=True,
    )
    resamples: int = option(
        "Number of bootstrap resamples.", default=10000, show_default=True, within=(100, 1000000)
    )
    seed: int = option(
        "Random seed of the bootstrap.", default=0, show_default=True, within=(0, 9223372036854775807)
    )
    legend: bool = flag("Also print the meaning of each column.")

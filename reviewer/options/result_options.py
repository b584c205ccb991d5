"""Options of the commands that show numbers."""

from typing import TYPE_CHECKING, Literal

from reviewer.options.option import CommandOptions, FilePath, flag, option, several
from reviewer.options.shared import SentenceModel, listed

if TYPE_CHECKING:
    from reviewer.results.labels.agreement_results import Method

ResultFormat = Literal["table", "csv", "json", "markdown", "latex"]

NICKNAMES = {
    "po": "po_all_agree",
    "all_agree": "po_all_agree",
    "pairwise": "po_pairwise",
    "pa": "po_pairwise",
    "kappa": "fleiss_kappa",
    "fleiss": "fleiss_kappa",
    "alpha": "krippendorff_alpha",
    "ac1": "gwet_ac1",
    "bp": "brennan_prediger",
    "conger": "conger_kappa",
    "light": "light_kappa_defined_pairs",
    "cohen": "cohen_kappa",
}


class ByDimensions(CommandOptions):
    """``--by`` of the numbers of a study."""

    by: tuple[str, ...] | None = option(
        "Divide by any of question, generator, group, dataset, stratum, output, pair (of raters), "
        "confidence (of the least sure answer), separated by commas; '' for one row.  "
        "[default: question,generator]",
        metavar="LIST",
        parse=listed,
    )


def all_coefficients() -> tuple[str, ...]:
    """Every coefficient but variants of others."""
    from reviewer.agreement.coefficient import COEFFICIENTS  # numpy takes a fifth of a second to load

    return tuple(key for key, coefficient in COEFFICIENTS.items() if not coefficient.variant)


def coefficient_keys(values: tuple[str, ...]) -> tuple[str, ...]:
    """The keys of coefficients by their short names, or their own."""
    names = [part.strip().lower().replace("-", "_") for value in values for part in value.split(",")]
    if "all" in names:
        return all_coefficients()
    return tuple(dict.fromkeys(NICKNAMES.get(name, name) for name in names))


class Coefficients(CommandOptions):
    """``--coefficient``."""

    coefficients: tuple[str, ...] = several(
        "Coefficient to show: po (share of cases on which all agree), pa (share of pairs that agree), "
        "fleiss (or kappa), alpha (Krippendorff), ac1 (Gwet), bp (Brennan-Prediger), conger, light, cohen, "
        "or all; a column's name works too. May be repeated.",
        "--coefficient",
        metavar="NAME",
        parse=coefficient_keys,
    )


def _level(value: float) -> float:
    if not 0 < value < 1:
        raise ValueError(f"a confidence level lies between 0 and 1 (such as .95), not at {value:g}")
    return value


class Level(CommandOptions):
    """``--level``."""

    level: float = option("Confidence level of the intervals.", default=0.95, show_default=True, parse=_level)


class IntervalChoice(Level):
    """How intervals of a study's numbers are computed."""

    interval: Literal["bootstrap", "analytic", "none"] = option(
        "How intervals are computed: by resampling cases (bootstrap), or by formula (analytic). Shares in "
        "which each case counts once always have a Wilson interval.",
        default="bootstrap",
        show_default=True,
    )
    seed: int | None = option(
        "Random seed of the bootstrap. Default: derived from the study's seed.", within=(0, 2**63 - 1)
    )
    resamples: int = option(
        "Number of bootstrap resamples.", default=10_000, show_default=True, within=(100, 1_000_000)
    )

    def method(
        self,
        coefficients: tuple[str, ...] = (),
        weights: Literal["quadratic", "linear"] = "quadratic",
        unweighted: bool = False,
    ) -> "Method":
        """How numbers are computed, with these coefficients."""
        from reviewer.results.labels.agreement_results import Method  # numpy takes a moment to load

        intervals = self.interval, self.level, self.seed, self.resamples
        return Method(coefficients, *intervals, weights, unweighted)


class WeightedLabels(CommandOptions):
    """``--weights``."""

    weights: Literal["quadratic", "linear"] = option(
        "Where labels have an order: disagreement grows with the number of steps between two labels "
        "(linear), or with the square of this number (quadratic). This does not change Krippendorff's alpha, "
        "which is always computed with its ordinal and its interval metric.",
        default="quadratic",
        show_default=True,
    )


class Weighted(WeightedLabels):
    """``--weights`` and ``--unweighted``, for questions whose labels have an order."""

    unweighted: bool = flag(
        "Where labels have an order, also show coefficients that treat any two labels as equally different."
    )


class Pooled(CommandOptions):
    """``--pool``."""

    others: tuple[str, ...] = several(
        "Pool the study with this one, which must ask the same questions; may be repeated. A case of both "
        "studies counts once, and raters are named by their study.",
        "--pool",
        metavar="STUDY",
    )


class LabelRule(CommandOptions):
    """``--rule``."""

    rule: Literal["majority", "median"] = option(
        "How a label follows from the votes if nobody adjudicated. The median needs a question whose labels "
        "have an order; a case stays undecided if the median falls between two labels.",
        default="majority",
        show_default=True,
    )


class Digits(CommandOptions):
    """``--digits``."""

    digits: int = option(
        "Number of decimals in tables for people, rounded half up. CSV and JSON always have 15 significant "
        "digits.",
        default=2,
        show_default=True,
        within=(1, 8),
    )


class ResultFormatted(CommandOptions):
    """``--format`` of results."""

    form: ResultFormat = option(
        "Output format: a table for people, CSV or JSON for programs, Markdown or LaTeX (booktabs) for a "
        "paper.",
        "--format",
        default="table",
        show_default=True,
    )


class OutcomeChoice(SentenceModel):
    """Which outcomes of an evaluation run count, what their intervals treat as independent, and tiers."""

    models: tuple[str, ...] = several(
        "Count only this model; may be repeated. Default: all models of the run.", "--model", metavar="NAME"
    )
    passed: tuple[str, ...] = several(
        "Count only cases whose exact content passed this closed study; may be repeated.", metavar="STUDY"
    )
    picked: FilePath | None = option(
        "Count only the cases of this file: CSV with the columns dataset and key.", metavar="FILE"
    )
    cluster: Literal["case", "family", "none"] = option(
        "What intervals treat as independent. case: each case; if the protocol says so, cases that share a "
        "question count as one. family: cases of one group count as one if they are connected by a cosine "
        "of .80 or more. none: every run.",
        default="case",
        show_default=True,
    )
    tiers_by: str = option(
        "Measurement whose quartiles make the tiers. Default: the protocol's, such as inference_steps.",
        default="",
        metavar="NAME",
    )

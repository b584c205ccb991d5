"""How many cases an evaluation needs, for ``reviewer effects``."""

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Sequence

    from reviewer.agreement.clustered_ratios import Bools
    from reviewer.cli.result_options import Printed
    from reviewer.options.effects import EffectsOptions
    from reviewer.results.outcomes.case_needs import CaseNeed
    from reviewer.results.outcomes.evaluated import Evaluation


def planned_from_options(options: "EffectsOptions") -> "Printed":
    """The cases that are needed as far as expectations tell."""
    from reviewer.results.outcomes.case_needs import needs_from_expectation

    return printed_needs(
        needs_from_expectation(
            options.share,
            options.repeats,
            options.design_effect,
            options.correlation,
            options.half_width,
            options.to_find,
            options.power,
            options.level,
        )
    )


def planned_from_run(evaluation: "Evaluation", chosen: "Bools", options: "EffectsOptions") -> "Printed":
    """The cases that are needed by the outcomes of a run."""
    from reviewer.results.outcomes.case_needs import needs_from_run

    return printed_needs(
        needs_from_run(
            evaluation,
            chosen,
            options.measures,
            options.half_width,
            options.to_find,
            options.power,
            options.level,
        )
    )


def printed_needs(needs: "Sequence[CaseNeed]") -> "Printed":
    """The cases that measures need, as a table."""
    from reviewer.cli.result_options import Printed
    from reviewer.results.tables.contrast_tables import CASE_NEEDS

    shown = CASE_NEEDS.for_people(needs, 3)
    notes = [
        "The numbers keep the repeats of each case as they are; more repeats of the same cases add little."
    ]
    return Printed(CASE_NEEDS.for_programs(needs), shown, [shown], notes, "Cases that are needed", keys=1)

"""``reviewer study plan``: how many cases a study needs."""

import click

from reviewer.cli.options import format_option, note, print_table
from reviewer.cli.result_options import coefficient_option, level_option
from reviewer.core.number_text import percent
from reviewer.core.table import Table
from reviewer.options.shared import Format

_PLAN_EXAMPLE = "Example: reviewer study plan --raters 3 --true-share .95 --agreement .9"


@click.command("plan", epilog=_PLAN_EXAMPLE)
@click.option("--raters", type=click.IntRange(2, 50), required=True, help="Number of raters of each case.")
@click.option(
    "--true-share", type=float, required=True, help="Expected share of one of the two labels, such as True."
)
@click.option(
    "--agreement", type=float, required=True, help="Expected share of cases on which all raters agree."
)
@click.option(
    "--width", type=float, default=0.1, show_default=True, help="Half-width that the intervals should have."
)
@coefficient_option
@level_option
@format_option
def study_plan_command(
    raters: int,
    true_share: float,
    agreement: float,
    width: float,
    coefficients: tuple[str, ...],
    level: float,
    form: Format,
) -> None:
    """Estimate how many cases a future study needs, for questions with two labels."""
    from reviewer.results.labels.sample_size import planned_before

    plans = planned_before(raters, true_share, agreement, width, level, coefficients)
    rows = [(key, plan.value, plan.cases, plan.reason) for key, plan in plans.items()]
    print_table(Table.of(("coefficient", "expected value", "cases", "why not"), rows), form)
    note(
        f"cases: how many give a half-width of {width:g} at {percent(level, None)}, if {raters} raters label "
        f"each case, {percent(true_share, None)} of labels are True and all raters agree on "
        f"{percent(agreement, None)} of cases."
    )

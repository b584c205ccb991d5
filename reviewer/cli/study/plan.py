"""``reviewer study plan``: how many cases a study needs."""

from reviewer.cli.options import note, print_table
from reviewer.core.number_text import percent
from reviewer.core.table import Table
from reviewer.options.study import StudyPlanOptions


def study_plan_command(options: StudyPlanOptions) -> None:
    """Carry out ``reviewer study plan``."""
    from reviewer.results.labels.sample_size import planned_before

    plans = planned_before(
        options.raters,
        options.true_share,
        options.agreement,
        options.width,
        options.level,
        options.coefficients,
    )
    rows = [(key, plan.value, plan.cases, plan.reason) for key, plan in plans.items()]
    print_table(Table.of(("coefficient", "expected value", "cases", "why not"), rows), options.form)
    note(
        f"cases: how many give a half-width of {options.width:g} at {percent(options.level, None)}, if "
        f"{options.raters} raters label "
        f"each case, {percent(options.true_share, None)} of labels are True and all raters agree on "
        f"{percent(options.agreement, None)} of cases."
    )

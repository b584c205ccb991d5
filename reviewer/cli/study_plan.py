"""``reviewer study plan``: the size of a future study, and results of draws from strata."""

import click

from reviewer.cli.printing import note, print_rows, print_table
from reviewer.cli.store_access import open_store
from reviewer.cli.viewer import viewer
from reviewer.core.number_text import percent
from reviewer.core.table import Table
from reviewer.options.study import StudyPlanOptions

_LARGE = 10_000
"""Cases of a dataset where no number is named."""


def study_plan_command(options: StudyPlanOptions) -> None:
    """``reviewer study plan``: how many cases a study needs, or how wide intervals will be."""
    future = ("raters", "true_share", "agreement")
    about_agreement = options.given(*future)
    given = options.given("datasets", "strata", "totals", "guesses", "guess_from", "include_seeds")
    if options.stop is not None:
        if others := [*about_agreement, *given]:
            raise click.UsageError(f"{others[0]} is not about stop rules; plan one thing at a time.")
        _plan_stop(options, options.stop)
        return
    if lost := options.given("rates", "size"):
        raise click.UsageError(
            f"{lost[0]} is about stop rules; give --stop too, such as --stop 'pass rate > .9'."
        )
    if given and about_agreement:
        raise click.UsageError(
            f"{given[0]} is about draws from strata, and {about_agreement[0]} about agreement; plan one of "
            "them at a time."
        )
    if given:
        _plan_draws(options)
    elif missing := options.lacking(*future):
        raise click.UsageError(
            f"Missing option '{missing[0]}'. A plan for agreement needs --raters, --true-share and "
            "--agreement; a plan for draws from strata needs --dataset, --strata and --guess."
        )
    else:
        _plan_agreement(options)


def _plan_stop(options: StudyPlanOptions, rule: str) -> None:
    from reviewer.agreement.stop_planning import STUDIES, plan_stops
    from reviewer.study.design.study_design import WantedRule

    above, size = WantedRule.read(rule).above, options.size or _LARGE
    if not options.rates:
        raise click.UsageError("the price depends on the true pass rate; give --rate, such as --rate .97.")
    plans = plan_stops(above, options.rates, size, options.level)
    rows = [(p.rate, p.median, p.ninth_decile, p.stopped, p.fixed) for p in plans]
    heads = ("true rate", "median cases", "nine tenths stop by", "share that stops", "fixed cases")
    print_table(Table.of(heads, rows), options.form)
    note(
        f"Simulated: {STUDIES:,} studies of each rate in a dataset of {size:,} cases, looked at after every "
        f"case up to {plans[0].most:,}, until the claim of a pass rate above {percent(above, None)} may be "
        f"made at {percent(options.level, None)}. Empty: fewer studies ever stop.",
        "fixed cases: how many a study without looks needs so that Wilson's interval lies above the limit in "
        "8 of 10 studies. It may be looked at only once, at its end.",
    )


def _plan_agreement(options: StudyPlanOptions) -> None:
    from reviewer.results.labels.sample_size import planned_before

    raters, true_share, agreement = options.raters, options.true_share, options.agreement
    assert raters is not None, "checked by the command"
    assert true_share is not None, "checked by the command"
    assert agreement is not None, "checked by the command"
    plans = planned_before(raters, true_share, agreement, options.width, options.level, options.coefficients)
    rows = [(key, plan.value, plan.cases, plan.reason) for key, plan in plans.items()]
    print_table(Table.of(("coefficient", "expected value", "cases", "why not"), rows), options.form)
    note(
        f"cases: how many give a half-width of {options.width:g} at {percent(options.level, None)}, if "
        f"{raters} raters label "
        f"each case, {percent(true_share, None)} of labels are True and all raters agree on "
        f"{percent(agreement, None)} of cases."
    )


def _plan_draws(options: StudyPlanOptions) -> None:
    from reviewer.results.case_strata import StrataRequest, strata_of
    from reviewer.results.draw_plans import draw_plans, guesses_in_words
    from reviewer.results.tables.draw_plan_tables import draw_plans_spec
    from reviewer.study.design.study_creation import strata_to_draw

    if missing := options.lacking("datasets", "strata"):
        raise click.UsageError(f"a plan for draws from strata needs {missing[0]}.")
    if not options.guesses and options.guess_from is None:
        raise click.UsageError(
            "widths depend on how many cases pass; give --guess STRATUM=RATE for each stratum, such as "
            "--guess none=.98,serious=.6, or --guess-from STUDY."
        )
    database = open_store(options.store)
    datasets = tuple(dict.fromkeys(options.datasets))
    request = StrataRequest(options.strata, "neyman", options.guesses, options.guess_from)
    strata = strata_of(database, datasets, request, viewer(database))
    guessed = strata_to_draw(database, datasets, strata, include_seeds=options.include_seeds)
    plans = draw_plans(guessed, options.totals, options.level)
    spec = draw_plans_spec(percent(options.level, None))
    print_rows(spec, plans, options.form)
    note(spec.legend(plans), guesses_in_words(guessed))
    if shrunk := strata.shrunk_in_words:
        note(shrunk)

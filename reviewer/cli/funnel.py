"""``reviewer funnel``: what generation runs discarded, counted."""

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import click

from reviewer.cli.options import (
    format_option,
    note,
    open_store,
    print_table,
    protocols_here,
    store_option,
)
from reviewer.core.errors import RequestError
from reviewer.core.table import Table
from reviewer.options.shared import Format
from store.candidates import candidate_values, case_making_runs, fates
from store.database import Database
from store.records import Run

if TYPE_CHECKING:
    from reviewer.protocols.generation import GenerationPlan
    from reviewer.runs.generation.funnel import Funnel


def _dimensions(_ctx: click.Context, _param: click.Parameter, value: str | None) -> tuple[str, ...]:
    nouns = [protocol.group_noun for protocol in protocols_here().values()]
    known = dict.fromkeys([*nouns, "group"], "group") | {"check": "check"}
    parts = [part.strip() for part in (value or "").split(",") if part.strip()]
    for part in parts:
        if part not in known:
            groups = " or ".join(name for name, field in known.items() if field == "group")
            raise click.BadParameter(f"cannot count by {part!r}; choose of {groups}, and check")
    return tuple(dict.fromkeys(known[part] for part in parts))


@click.command("funnel", epilog="Example: reviewer funnel first --by group,check --published")
@click.argument("names", metavar="[RUN]…", nargs=-1)
@click.option("--by", callback=_dimensions, metavar="LIST", help="Count by group, by check, or by both.")
@click.option("--published", is_flag=True, help="Show the runs published in the protocol's paper as well.")
@click.option(
    "--compare",
    "files",
    multiple=True,
    type=click.Path(path_type=Path),
    metavar="FILE",
    help="Compare with the counts in a CSV or JSON file. Its columns: run, filter, discarded and, "
    "optionally, group.",
)
@format_option
@store_option
def funnel_command(
    names: tuple[str, ...],
    by: tuple[str, ...],
    published: bool,
    files: tuple[Path, ...],
    form: Format,
    store: str,
) -> None:
    """Count the candidates that generation runs discarded, by filter. Without RUN, list the runs.

    For a discovery run, count what each round tried and what became of it.

    Some protocols repeat a request whose reply breaks a rule. The column asked again counts these replies,
    which discard nothing by themselves.

    The column share is the number of candidates that this filter discarded, divided by the number that all
    filters of the protocol's paper discarded. Filters that are not in the paper have no share. The columns
    from mean to max show how the number varies over groups.
    """
    from reviewer.exchange.rows.funnel_file import read_funnels
    from reviewer.runs.discovery.discovery_progress import discovery_standing
    from reviewer.runs.generation.funnel import funnel_table, published_funnel
    from reviewer.runs.generation.run_setup import known_run, plan_of

    database = open_store(store, must_exist=True)
    if files and not names:
        raise RequestError("--compare sets a file beside runs; name one: reviewer funnel RUN --compare FILE.")
    if not names:
        _list_runs(database, form)
        return
    runs = [known_run(database, name) for name in dict.fromkeys(names)]
    if discoveries := [run for run in runs if run.procedure == "discover"]:
        if len(runs) > 1 or by or published or files:
            raise RequestError(
                f"run {discoveries[0].name!r} is a discovery run; count it alone: reviewer funnel "
                f"{discoveries[0].name}"
            )
        print_table(discovery_standing(database, discoveries[0]).table, form)
        return
    plans = {run.protocol: plan_of(protocols_here().named(run.protocol)) for run in runs}
    protocol = protocols_here()[runs[0].protocol]
    plan = plans[protocol.name]
    funnels = [_funnel(database, run, plans[run.protocol]) for run in runs]
    funnels += [published_funnel(published_run) for published_run in plan.published] if published else []
    for file in files:
        funnels += read_funnels(file, plan.filters, protocol.group_noun)
    print_table(funnel_table(funnels, by), form)
    _explain(funnels)


def _explain(funnels: Sequence["Funnel"]) -> None:
    if any(funnel.asked_again for funnel in funnels):
        note(
            "Asked again: replies that broke a rule and were repeated with what was wrong. A candidate is "
            "discarded only if its last reply breaks one."
        )
    note("Which filter counts depends on their order; `reviewer candidates RUN` lists what was discarded.")


def _funnel(database: Database, run: Run, plan: "GenerationPlan") -> "Funnel":
    from reviewer.runs.generation.funnel import funnel_of, repeated_requests

    named = plan.repeated
    with database.read() as session:
        counts = candidate_values(session, run.name, named.value) if named else ()
        repeated = repeated_requests(named.step if named else "", counts)
        return funnel_of(run.name, plan.filters, sorted(run.seeds), fates(session, run.name), repeated)


def _list_runs(database: Database, form: Format) -> None:
    from reviewer.runs.discovery.discovery_progress import discovery_standing

    with database.read() as session:
        runs = case_making_runs(session)
        counted = {run.name: fates(session, run.name) for run in runs}
    valid = {
        run.name: len(discovery_standing(database, run).kept)
        if run.procedure == "discover"
        else sum(fate.candidates for fate in counted[run.name] if fate.approved)
        for run in runs
    }
    rows = [
        (
            run.name,
            run.model,
            run.state,
            valid[run.name],
            sum(fate.candidates for fate in counted[run.name]),
            run.rounds,
            run.calls,
            run.why,
        )
        for run in runs
    ]
    columns = ("run", "model", "state", "valid", "tried", "rounds", "calls", "remark")
    print_table(Table.of(columns, rows), form)
    if not runs:
        note("No runs yet; begin one: reviewer generate RUN --model NAME")

"""``reviewer funnel``: what generation runs discarded, counted."""

from pathlib import Path

import click

from reviewer.cli.options import Format, format_option, note, print_table, store_option
from reviewer.core.errors import RequestError
from reviewer.core.table import Table
from store.candidates import all_runs, fates
from store.database import Database

_BY = {"bias": "group", "group": "group", "check": "check"}


def _dimensions(_ctx: click.Context, _param: click.Parameter, value: str | None) -> tuple[str, ...]:
    parts = [part.strip() for part in (value or "").split(",") if part.strip()]
    for part in parts:
        if part not in _BY:
            raise click.BadParameter(f"cannot count by {part!r}; choose of bias (or group) and check")
    return tuple(dict.fromkeys(_BY[part] for part in parts))


@click.command("funnel", epilog="Example: reviewer funnel first --by bias,check --published")
@click.argument("names", metavar="[RUN]…", nargs=-1)
@click.option(
    "--by", callback=_dimensions, metavar="LIST", help="Count by bias (or group), by check, or by both."
)
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

    Shares are relative to all candidates that the published filters discarded. The spread is over groups.
    """
    from reviewer.exchange.rows.funnel_file import read_funnels
    from reviewer.runs.generation.funnel import funnel_of, funnel_table, published_funnel
    from reviewer.runs.generation.run_setup import known_run, plan_of

    database = Database.open(store, must_exist=True)
    if files and not names:
        raise RequestError("--compare sets a file beside runs; name one: reviewer funnel RUN --compare FILE.")
    if not names:
        _list_runs(database, form)
        return
    runs = [known_run(database, name) for name in dict.fromkeys(names)]
    with database.read() as session:
        funnels = [
            funnel_of(run.name, plan_of(run.protocol).filters, sorted(run.seeds), fates(session, run.name))
            for run in runs
        ]
    plan = plan_of(runs[0].protocol)
    funnels += [published_funnel(each) for each in plan.published] if published else []
    for file in files:
        funnels += read_funnels(file, plan.filters)
    print_table(funnel_table(funnels, by), form)
    note("Which filter counts depends on their order; `reviewer candidates RUN` lists what was discarded.")


def _list_runs(database: Database, form: Format) -> None:
    with database.read() as session:
        runs = all_runs(session)
        counted = {run.name: fates(session, run.name) for run in runs}
    rows = [
        (
            run.name,
            run.model,
            run.state,
            sum(fate.candidates for fate in counted[run.name] if fate.approved),
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

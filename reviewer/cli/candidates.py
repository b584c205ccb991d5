"""``reviewer candidates``: what a generation run accepted and discarded, one by one."""

import click

from reviewer.cli.options import format_option, note, open_store, print_table, store_option
from reviewer.cli.viewer import check_findings
from reviewer.core.errors import RequestError
from reviewer.core.sanitize import one_line
from reviewer.core.table import Cell, Table
from reviewer.options.shared import Format
from store.candidates import candidates_of, find_run
from store.records import Candidate

_LONGEST = 60


@click.command("candidates", epilog="Example: reviewer candidates first --step logic --limit 20")
@click.argument("name", metavar="RUN")
@click.option(
    "--approved/--discarded",
    default=None,
    help="Show only candidates that were approved, or only those that were discarded. Default: all.",
)
@click.option("--group", help="Show only candidates of this group.")
@click.option(
    "--step",
    help="Show only candidates whose last step was this one, such as logic. A step may have several checks.",
)
@click.option(
    "--check",
    help=(
        "Show only candidates that this check discarded. For a discovery run: only candidates with this "
        "result."
    ),
)
@click.option(
    "--limit", type=click.IntRange(min=1), default=50, show_default=True, help="Show at most this many rows."
)
@format_option
@store_option
def candidates_command(
    name: str,
    approved: bool | None,
    group: str | None,
    step: str | None,
    check: str | None,
    limit: int,
    form: Format,
    store: str,
) -> None:
    """List a run's candidates and what became of them. `reviewer show RUN:NUMBER` shows one candidate."""
    database = open_store(store, must_exist=True)
    check_findings(database, name)
    with database.read() as session:
        if find_run(session, name) is None:
            raise RequestError(f"run {one_line(name)!r} is not in the store; see `reviewer funnel`.")
        candidates = candidates_of(
            session, name, approved=approved, group=group, step=step, check=check, limit=limit
        )
    columns = ("candidate", "key", "fate", "step", "check", "value", "threshold", "why")
    print_table(Table.of(columns, [_row(candidate) for candidate in candidates]), form)
    if not candidates:
        note("No candidate fits; loosen the filters.")


def _row(candidate: Candidate) -> tuple[Cell, ...]:
    return (
        f"{candidate.run}:{candidate.number}",
        candidate.key,
        "approved" if candidate.approved else "discarded",
        candidate.step,
        candidate.check,
        _cell(candidate.value),
        _cell(candidate.threshold),
        candidate.why,
    )


def _cell(value: object) -> Cell:
    if value is None or isinstance(value, str | int | float | bool):
        return value
    return one_line(str(value), _LONGEST)

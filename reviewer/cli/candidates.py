"""``reviewer candidates``: what a generation run accepted and discarded, one by one."""

from reviewer.cli.printing import note, print_table
from reviewer.cli.store_access import open_store
from reviewer.cli.viewer import check_influence
from reviewer.core.errors import RequestError
from reviewer.core.sanitize import one_line
from reviewer.core.table import Cell, Table
from reviewer.options.candidates import CandidatesOptions
from reviewer.study.session.blinding import Influence
from store.candidates import candidates_of
from store.records import Candidate
from store.runs import find_run

_LONGEST = 60


def candidates_command(options: CandidatesOptions) -> None:
    """Carry out ``reviewer candidates``."""
    database = open_store(options.store, must_exist=True)
    check_influence(database, options.name, Influence.FINDINGS)
    with database.read() as session:
        if find_run(session, options.name) is None:
            raise RequestError(f"run {one_line(options.name)!r} is not in the store; see `reviewer funnel`.")
        candidates = candidates_of(
            session,
            options.name,
            approved=options.approved,
            group=options.group,
            step=options.step,
            check=options.check,
            limit=options.limit,
        )
    columns = ("candidate", "key", "fate", "step", "check", "value", "threshold", "why")
    print_table(Table.of(columns, [_row(candidate) for candidate in candidates]), options.form)
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

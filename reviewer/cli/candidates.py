"""``reviewer candidates`` and ``funnel``: candidates of generation runs, one by one or counted."""

from collections.abc import Sequence
from typing import TYPE_CHECKING

import click

from reviewer.cli.printing import note, print_table
from reviewer.cli.store_access import open_store, protocols_here
from reviewer.cli.viewer import check_influence
from reviewer.core.errors import RequestError
from reviewer.core.sanitize import one_line
from reviewer.core.table import Cell, Table
from reviewer.options.candidates import CandidatesOptions, FunnelOptions
from reviewer.protocols.generation import GenerationPlan
from reviewer.study.session.blinding import Influence
from store.candidates import candidate_values, candidates_of, fates
from store.database import Database
from store.records import Candidate, Run
from store.runs import find_run

if TYPE_CHECKING:
    from reviewer.runs.generation.run_funnel import Funnel

_LONGEST = 60


def candidates_command(options: CandidatesOptions) -> None:
    """Carry out ``reviewer candidates``."""
    database = open_store(options.store)
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


def _dimensions(parts: Sequence[str]) -> tuple[str, ...]:
    nouns = [protocol.group_noun for protocol in protocols_here().values()]
    known = dict.fromkeys([*nouns, "group"], "group") | {"check": "check"}
    for part in parts:
        if part not in known:
            groups = " or ".join(name for name, field in known.items() if field == "group")
            raise click.BadParameter(
                f"cannot count by {part!r}; choose of {groups}, and check", param_hint="'--by'"
            )
    return tuple(dict.fromkeys(known[part] for part in parts))


def funnel_command(options: FunnelOptions) -> None:
    """Carry out ``reviewer funnel``."""
    from reviewer.exchange.rows.published_numbers import read_funnels
    from reviewer.runs.discovery.discovery_progress import kept_discovery
    from reviewer.runs.generation.run_funnel import funnel_table, published_funnel
    from reviewer.runs.run_list import case_making_run

    by = _dimensions(options.by or ())
    database = open_store(options.store)
    runs = [case_making_run(database, name) for name in dict.fromkeys(options.names)]
    if discoveries := [run for run in runs if run.procedure == "discover"]:
        if len(runs) > 1 or by or options.published or options.files:
            raise RequestError(
                f"run {discoveries[0].name!r} is a discovery run; count it alone: reviewer funnel "
                f"{discoveries[0].name}"
            )
        print_table(kept_discovery(database, discoveries[0]).table, options.form)
        return
    plans = {run.protocol: protocols_here().named(run.protocol).procedure(GenerationPlan) for run in runs}
    protocol = protocols_here()[runs[0].protocol]
    plan = plans[protocol.name]
    funnels = [_funnel(database, run, plans[run.protocol]) for run in runs]
    funnels += (
        [published_funnel(published_run) for published_run in plan.published] if options.published else []
    )
    for file in options.files:
        funnels += read_funnels(file, plan.filters, protocol.group_noun, note)
    print_table(funnel_table(funnels, by), options.form)
    _explain(funnels)


def _explain(funnels: Sequence["Funnel"]) -> None:
    if any(funnel.asked_again for funnel in funnels):
        note(
            "Asked again: replies that broke a rule and were repeated with what was wrong. A candidate is "
            "discarded only if its last reply breaks one."
        )
    note("Which filter counts depends on their order; `reviewer candidates RUN` lists what was discarded.")


def _funnel(database: Database, run: Run, plan: "GenerationPlan") -> "Funnel":
    from reviewer.runs.generation.run_funnel import funnel_of, repeated_requests

    named = plan.repeated
    with database.read() as session:
        counts = candidate_values(session, run.name, named.value) if named else ()
        repeated = repeated_requests(named.step if named else "", counts)
        return funnel_of(run.name, plan.filters, sorted(run.seeds), fates(session, run.name), repeated)

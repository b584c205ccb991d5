"""``datasets``, ``cases`` and ``show``: what is in the store."""

import json
import shutil
from pathlib import Path
from typing import TYPE_CHECKING

import click

from reviewer.cli.corpora import merge_command
from reviewer.cli.options import (
    Format,
    format_option,
    name_store,
    note,
    open_store,
    print_table,
    protocols_here,
    store_option,
)
from reviewer.core.errors import RequestError
from reviewer.core.pane import Code, Pair, Pane, Text, Tree
from reviewer.core.sanitize import counted, visible
from reviewer.core.table import Table
from reviewer.oracle.errors import install_command
from reviewer.protocols.base import Protocol
from reviewer.report.text_table import text_table
from store.candidates import find_candidate
from store.cases import (
    Filter,
    cases_at,
    count_places,
    find_dataset,
    get_measurements,
    list_places,
    memberships_of,
    summaries,
)
from store.findings import get_findings
from store.records import Candidate, Case, Finding, Measurement, Membership

if TYPE_CHECKING:
    from reviewer.exchange.rows.probe_swe_writing import Written

_SHORT_DIGEST = 12
_MOST_NAMED = 10


@click.group("datasets", invoke_without_command=True, epilog="Example: reviewer datasets --format json")
@format_option
@store_option
@click.pass_context
def datasets_group(ctx: click.Context, form: Format, store: str) -> None:
    """List the datasets with their counts; join some into a new one, or write one to a file."""
    name_store(ctx, store)
    if ctx.invoked_subcommand is None:
        _list_datasets(form, store)


datasets_group.add_command(merge_command)


@datasets_group.command("export", epilog="Example: reviewer datasets export first -o first.json")
@click.argument("dataset")
@click.option("-o", "file", required=True, type=click.Path(path_type=Path), metavar="FILE", help="Where to.")
@store_option
def export_dataset_command(dataset: str, file: Path, store: str) -> None:
    """Write a dataset as PROBE-SWE's JSON, which the published scripts and `reviewer import` read.

    A dataset that was imported from a file is written as it was published: the same fields in the same order,
    with the same texts and values.
    """
    from reviewer.exchange.rows.probe_swe_writing import write_dataset_json

    written = write_dataset_json(open_store(store, must_exist=True), dataset, file)
    note(visible(f"{file}: {counted(written.cases, 'case')}"))
    if written.not_as_published:
        note(visible(_not_as_published(dataset, written)))


def _not_as_published(dataset: str, written: "Written") -> str:
    cases = f"{written.not_as_published:,} of {counted(written.cases, 'case')}"
    return (
        f"Note: dataset {dataset} has no published record of {cases}: an earlier release imported them, or "
        "they came from no file. They are written with the texts and values of the store, which are "
        "normalised. To keep the records of a file, import the file again."
    )


def _list_datasets(form: Format, store: str) -> None:
    with open_store(store, must_exist=True).read() as session:
        found = summaries(session)
    rows = [
        (
            s.dataset.name,
            s.dataset.protocol,
            s.cases,
            s.generated,
            s.cases - s.generated,
            s.groups,
            s.dataset.source,
        )
        for s in found
    ]
    print_table(
        Table.of(("dataset", "protocol", "cases", "generated", "seeds", "groups", "source"), rows), form
    )
    if not found:
        note("No datasets yet; import one: reviewer import FILE --dataset NAME")


@click.command("cases", epilog='Example: reviewer cases --group "anchoring bias" --search deadline --limit 5')
@click.option("--dataset", "datasets", multiple=True, help="Only this dataset; may be repeated.")
@click.option("--group", help="Only this group (in PROBE-SWE, the bias).")
@click.option("--generator", help="Only cases of this generator.")
@click.option(
    "--origin", type=click.Choice(["seed", "generated"]), help="Only hand-written or generated ones."
)
@click.option(
    "--search",
    default="",
    metavar="TEXT",
    help="Only cases with all these words, each given by its beginning.",
)
@click.option("--limit", type=click.IntRange(min=1), default=50, show_default=True, help="At most so many.")
@click.option("--offset", type=click.IntRange(min=0), default=0, help="Leave out so many first.")
@format_option
@store_option
def cases_command(
    datasets: tuple[str, ...],
    group: str | None,
    generator: str | None,
    origin: str | None,
    search: str,
    limit: int,
    offset: int,
    form: Format,
    store: str,
) -> None:
    """List cases, filtered and searched."""
    wanted = Filter(datasets, group, generator, origin, search)
    with open_store(store, must_exist=True).read() as session:
        for name in datasets:
            if find_dataset(session, name) is None:
                raise RequestError(f"dataset {name!r} is not in the store; see `reviewer datasets`.")
        total = count_places(session, wanted)
        found = list_places(session, wanted, limit, offset)
    protocols = protocols_here()
    rows = [
        (
            case.digest[:_SHORT_DIGEST],
            place.dataset,
            place.key,
            place.generator,
            protocols.named(case.protocol).headline(case),
        )
        for place, case in found
    ]
    print_table(Table.of(("case", "dataset", "key", "generator", "begins"), rows), form)
    note(f"{len(found)} of {counted(total, 'case')}." if found else "No case fits; loosen the filters.")


@click.command("show", epilog='Example: reviewer show "gpt-4o-mini:anchoring bias/seed-1"')
@click.argument("reference", metavar="CASE")
@click.option("--dataset", metavar="NAME", help="The dataset that holds the case.")
@click.option("--format", "form", type=click.Choice(["text", "json"]), default="text", show_default=True)
@store_option
def show_command(reference: str, dataset: str | None, form: str, store: str) -> None:
    """Show one case whole.

    CASE is DATASET:KEY, its key in a dataset, the beginning of its digest, or RUN:NUMBER for a candidate.
    """
    with open_store(store, must_exist=True).read() as session:
        candidate = find_candidate(session, reference) if dataset is None else None
        if candidate and candidate.case is None:
            click.echo(_unfinished(candidate, form))
            return
        if dataset is not None and find_dataset(session, dataset) is None:
            raise RequestError(f"dataset {dataset!r} is not in the store; see `reviewer datasets`.")
        wanted = candidate.case or "" if candidate else reference
        found = cases_at(session, wanted, dataset) if wanted else []
        case = _the_only(reference, dataset, [(each, memberships_of(session, each.digest)) for each in found])
        places = memberships_of(session, case.digest)
        measurements = get_measurements(session, [case.digest])[case.digest]
        findings = get_findings(session, [case.digest])[case.digest]
    protocol = protocols_here().named(case.protocol)
    if form == "json":
        click.echo(_as_json(case, places, measurements, findings))
    else:
        click.echo(_as_text(protocol, case, places, measurements, findings))
    ran = any(m.source == "measured" and m.name == "status" for m in measurements)
    if not ran and protocol.audit_plan(case):
        note(_not_audited(places))


def _unfinished(candidate: Candidate, form: str) -> str:
    """What there is of a candidate that is no case."""
    if form == "json":
        return json.dumps(candidate.model_dump(mode="json"), indent=2)
    head = f"candidate {candidate.number} of {candidate.run}, discarded at {candidate.step}: {candidate.why}"
    return "\n\n".join(
        [visible(head), *(_section(name, str(said)) for name, said in candidate.payload.items())]
    )


def _the_only(reference: str, dataset: str | None, found: list[tuple[Case, list[Membership]]]) -> Case:
    """The case that is meant; raises RequestError, which says what else it may be."""
    if len(found) == 1:
        return found[0][0]
    if not found:
        where = "" if dataset is None else f" in dataset {dataset!r}"
        raise RequestError(f"no case{where} has the key or digest {reference!r}; see `reviewer cases`.")
    meant = sorted(_named(*each, reference, dataset) for each in found)[:_MOST_NAMED]
    more = "" if len(found) <= _MOST_NAMED else ", and more"
    raise RequestError(f"{reference!r} may mean {', '.join(meant)}{more}; give one of these.")


def _named(case: Case, places: list[Membership], reference: str, dataset: str | None) -> str:
    """A case by DATASET:KEY, at the place of this key if it has one; by its digest where it has no place."""
    here = [place for place in places if dataset in (None, place.dataset)]
    here = [place for place in here if place.key == reference] or here
    return repr(f"{here[0].dataset}:{here[0].key}" if here else case.digest[:_SHORT_DIGEST])


def _not_audited(places: list[Membership]) -> str:
    dataset = places[0].dataset if places else "DATASET"
    sentence = f"Its programs were not run here yet: reviewer audit {visible(dataset)}"
    if shutil.which("swipl") is None:
        sentence += f" (needs SWI-Prolog: {install_command()})"
    return sentence


def _as_json(
    case: Case, places: list[Membership], measurements: list[Measurement], findings: list[Finding]
) -> str:
    whole = {
        **case.model_dump(mode="json"),
        "places": [place.model_dump(mode="json") for place in places],
        "measurements": [measurement.model_dump(mode="json") for measurement in measurements],
        "findings": [finding.model_dump(mode="json") for finding in findings],
    }
    # In ASCII, so that no character of a case reaches the terminal as a command.
    return json.dumps(whole, indent=2)


def _as_text(
    protocol: Protocol,
    case: Case,
    places: list[Membership],
    measurements: list[Measurement],
    findings: list[Finding],
) -> str:
    at = ", ".join(f"{place.dataset}: {place.key} ({place.generator})" for place in places)
    head = f"case {case.digest}\n{case.protocol} · {case.group}\n{visible(at)}"
    panes = protocol.panes(case, measurements, findings)
    return "\n\n".join([head, *map(_pane_text, panes)])


def _pane_text(pane: Pane) -> str:
    match pane.body:
        case Pair(left_title, right_title, left, right):
            return f"{_section(left_title, left.text)}\n\n{_section(right_title, right.text)}"
        case Text() | Code() | Tree():
            return _section(pane.title, pane.body.text)
        case Table() as table:
            return _section(pane.title, _whole(table))


def _whole(table: Table) -> str:
    """The table, or where a cell is too long for it, its rows as lines: nothing is cut off here."""
    text = text_table(table)
    if "…" not in text:
        return text
    return "\n".join(" · ".join("–" if cell is None else str(cell) for cell in row) for row in table.rows)


def _section(title: str, text: str) -> str:
    return f"── {title} " + "─" * max(0, 70 - len(title)) + f"\n{visible(text)}"

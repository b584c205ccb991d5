"""``reviewer audit``: what logic has to say about a dataset."""

from collections.abc import Sequence
from contextlib import closing
from functools import partial

import click

from reviewer.cli.audit_plan import show_audit_plan
from reviewer.cli.cluster_options import ClusterOptions, cluster_options, not_tested_words
from reviewer.cli.finding_options import (
    checked_protocol,
    checks_option,
    severity_option,
    values_option,
    whole_dataset_option,
    workers_option,
)
from reviewer.cli.finding_tables import (
    DIMENSIONS,
    count_findings,
    note_untested,
    print_dataset_findings,
    print_findings,
)
from reviewer.cli.options import (
    Format,
    format_option,
    note,
    open_store,
    print_table,
    store_option,
)
from reviewer.cli.progress_bars import progress_bars
from reviewer.cli.viewer import check_findings
from reviewer.cli.without_jail import without_jail_option
from reviewer.core.sanitize import counted, visible
from reviewer.protocols.base import Protocol
from reviewer.protocols.registry import protocols_of
from reviewer.runs.audit.audit_findings import DISMISSED_EARLIER
from reviewer.runs.audit.audit_state import AuditState, audit_state
from reviewer.runs.audit.check_texts import audit_names
from reviewer.runs.audit.dataset_audit import MARK, AuditReport, audit, needs_logic
from store.database import Database
from store.findings import PlacedFinding, case_pages, count_cases, failed_findings, untested_findings


def _dimensions(_ctx: click.Context, _param: click.Parameter, value: str | None) -> tuple[str, ...] | None:
    if value is None:
        return None
    parts = tuple(part.strip() for part in value.split(",") if part.strip())
    for part in parts:
        if part not in DIMENSIONS:
            raise click.BadParameter(f"cannot count by {part!r}; choose of {', '.join(DIMENSIONS)}")
    return parts


@click.command("audit", epilog="Example: reviewer audit gpt-4o-mini --summary check")
@click.argument("dataset")
@checks_option
@severity_option
@click.option(
    "--summary",
    "by",
    callback=_dimensions,
    metavar="LIST",
    help=f"Count findings by any of {', '.join(DIMENSIONS)}, separated by commas, and do not list them.",
)
@click.option(
    "--dismissed", is_flag=True, help="Show dismissed findings too, with who dismissed them and why."
)
@click.option("--not-tested", is_flag=True, help="Also list the checks that could not run, with the reason.")
@whole_dataset_option
@values_option
@workers_option
@cluster_options
@click.option(
    "--dry-run",
    is_flag=True,
    help="Estimate time, cost and storage of the audit, from a few of its cases. Nothing is written.",
)
@click.option("--again", is_flag=True, help="Audit every case again, even if its audit is up to date.")
@without_jail_option
@format_option
@store_option
def audit_command(
    dataset: str,
    checks: tuple[str, ...],
    severities: tuple[str, ...],
    by: tuple[str, ...] | None,
    dismissed: bool,
    not_tested: bool,
    whole_dataset: bool,
    values: bool,
    workers: int | None,
    cluster: ClusterOptions,
    dry_run: bool,
    again: bool,
    accepted: bool,
    form: Format,
    store: str,
) -> None:
    """Audit every case of a dataset and list the findings.

    If a case comes with logic programs, the audit runs the programs and checks how they reach their decision.
    `reviewer check` also checks the form and similarity of their texts. Other cases are checked by the rules
    of their protocol, if it has any. Results are saved during the audit. You can interrupt it at any time:
    the next call skips the cases that are done. A finding is a warning sign, not a proof of a wrong label. If
    a program did not run, the checks that need it are shown as not tested and count as neither passed nor
    failed.

    A protocol may also check the dataset as a whole, for example how often each value occurs. Every call of
    the command computes these findings again and prints them above the findings on cases. With
    --whole-dataset, only these findings are listed.
    """
    with closing(open_store(store, must_exist=True)) as database:
        check_findings(database, dataset)
        protocol = checked_protocol(database, dataset, checks)
        if whole_dataset or values:
            print_dataset_findings(database, dataset, checks, severities, form, values=values)
            return
        if dry_run:
            show_audit_plan(
                database, dataset, protocol, cluster, workers, form, again=again, accepted=accepted
            )
            return
        report = _audited(database, dataset, protocol, cluster, workers, again=again, accepted=accepted)
        with database.read() as session:
            names = checks or audit_names(protocol)
            findings = failed_findings(session, dataset, names, severities, dismissed=True)
            untested = [] if severities else untested_findings(session, dataset, names)
        state = audit_state(database, dataset, protocol)
        if form == "table" and protocol.dataset_checks:
            print_dataset_findings(database, dataset, checks, severities, form)
    shown = [placed for placed in findings if dismissed or placed.dismissal is None]
    if by is None:
        print_findings([*shown, *(untested if not_tested else ())], form)
    else:
        print_table(count_findings([*shown, *untested], by), form)
    _note_dismissed(findings, len(findings) - len(shown))
    if by is None and not not_tested:
        note_untested(untested, "; --not-tested lists them")
    _remark(report, shown, dataset, state)


def _audited(
    database: Database,
    dataset: str,
    protocol: Protocol,
    cluster: ClusterOptions,
    workers: int | None,
    *,
    again: bool,
    accepted: bool,
) -> AuditReport:
    pages = partial(case_pages, database, dataset)
    with database.read() as session:
        expected = count_cases(session, dataset, without_mark=None if again else MARK)
    needed = needs_logic(protocols_of(database), pages())
    with cluster.programs(workers, needed=needed, accepted=accepted) as runner, progress_bars() as advance:
        progress = advance and partial(advance, "Auditing")
        return audit(
            database,
            pages(),
            runner,
            again=again,
            progress=progress,
            protocol=protocol,
            expected=expected,
        )


def _note_dismissed(findings: Sequence[PlacedFinding], left_out: int) -> None:
    if earlier := sum(placed.earlier is not None for placed in findings):
        stands = "It stands" if earlier == 1 else "They stand"
        note(
            f"{DISMISSED_EARLIER.capitalize()} of the check: {counted(earlier, 'finding')}. {stands} until "
            "dismissed again: on the audit screen, filter them with i, then press X."
        )
    if left_out:
        note(f"Dismissed and left out: {counted(left_out, 'finding')}; --dismissed shows them.")


def _remark(report: AuditReport, findings: Sequence[PlacedFinding], dataset: str, state: AuditState) -> None:
    engine = f" on {report.engine}" if report.engine else ""
    done = [f"{report.audited} audited{engine}", f"{report.passed_over} audited before"]
    if report.audited_earlier:
        done[0] += f" ({report.audited_earlier} of them before, by earlier checks)"
    if report.unchecked:
        done.append(f"{report.unchecked} with nothing to audit")
    serious = len({placed.place.case for placed in findings if placed.finding.severity == "serious"})
    note(f"Cases: {', '.join(done)}. Serious findings are listed for {counted(serious, 'case')}.")
    if state.current:
        untested = f", {len(state.untested):,} not fully tested" if state.untested else ""
        note(f"Of {counted(len(state.cases), 'case')}: {state.clean_words}{untested}.")
    if report.altered:
        note(report.altered_words)
    if report.not_tested:
        note(not_tested_words("audited", report.not_tested))
    if report.incomparable:
        names = ", ".join(report.incomparable)
        note(f"{report.engine} counts steps otherwise than 9.2 ({names}): its counts cannot be compared.")
    if findings:
        example = f"{dataset}:{findings[0].place.key}"
        note("Findings are warning signs, not proofs of wrong labels.")
        note(f'To read a case: reviewer show "{visible(example)}"')

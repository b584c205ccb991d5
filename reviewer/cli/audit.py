"""``reviewer audit``: what logic has to say about a dataset."""

from collections.abc import Sequence
from contextlib import closing
from functools import partial

from reviewer.cli.audit_plan import show_audit_plan
from reviewer.cli.cluster_work import not_tested_words, programs_on
from reviewer.cli.finding_options import (
    checked_protocol,
)
from reviewer.cli.finding_tables import (
    count_findings,
    note_untested,
    print_dataset_findings,
    print_findings,
)
from reviewer.cli.options import (
    note,
    open_store,
    print_table,
)
from reviewer.cli.progress_bars import progress_bars
from reviewer.cli.viewer import check_findings
from reviewer.core.sanitize import counted, visible
from reviewer.options.audit import AuditOptions
from reviewer.options.cluster_options import ClusterOptions
from reviewer.protocols.base import Protocol
from reviewer.protocols.registry import protocols_of
from reviewer.runs.audit.audit_findings import DISMISSED_EARLIER
from reviewer.runs.audit.audit_state import AuditState, audit_state
from reviewer.runs.audit.check_texts import audit_names
from reviewer.runs.audit.dataset_audit import MARK, AuditReport, audit, needs_logic
from store.database import Database
from store.findings import PlacedFinding, case_pages, count_cases, failed_findings, untested_findings


def audit_command(options: AuditOptions) -> None:
    """Carry out ``reviewer audit``."""
    with closing(open_store(options.store, must_exist=True)) as database:
        check_findings(database, options.dataset)
        protocol = checked_protocol(database, options.dataset, options.checks)
        if options.whole_dataset or options.values:
            print_dataset_findings(
                database,
                options.dataset,
                options.checks,
                options.severities,
                options.form,
                values=options.values,
            )
            return
        if options.dry_run:
            show_audit_plan(
                database,
                options.dataset,
                protocol,
                options.cluster,
                options.workers,
                options.form,
                again=options.again,
                accepted=options.accepted,
            )
            return
        report = _audited(
            database,
            options.dataset,
            protocol,
            options.cluster,
            options.workers,
            again=options.again,
            accepted=options.accepted,
        )
        with database.read() as session:
            names = options.checks or audit_names(protocol)
            findings = failed_findings(session, options.dataset, names, options.severities, dismissed=True)
            untested = [] if options.severities else untested_findings(session, options.dataset, names)
        state = audit_state(database, options.dataset, protocol)
        if options.form == "table" and protocol.dataset_checks:
            print_dataset_findings(
                database, options.dataset, options.checks, options.severities, options.form
            )
    shown = [placed for placed in findings if options.dismissed or placed.dismissal is None]
    if options.by is None:
        print_findings([*shown, *(untested if options.not_tested else ())], options.form)
    else:
        print_table(count_findings([*shown, *untested], options.by), options.form)
    _note_dismissed(findings, len(findings) - len(shown))
    if options.by is None and not options.not_tested:
        note_untested(untested, "; --not-tested lists them")
    _remark(report, shown, options.dataset, state)


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
    with (
        programs_on(cluster, workers, needed=needed, accepted=accepted) as runner,
        progress_bars() as advance,
    ):
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

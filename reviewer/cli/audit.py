"""``reviewer audit``: what logic has to say about a dataset."""

import os
from collections.abc import Iterator, Sequence
from contextlib import AbstractContextManager
from dataclasses import replace
from functools import partial

from reviewer.cli.cluster_work import not_tested_words, programs_on
from reviewer.cli.findings import (
    check_severity,
    count_findings,
    dataset_findings_of,
    dataset_with_findings,
    note_untested,
    print_dataset_findings,
    print_findings,
    print_whole_dataset,
)
from reviewer.cli.printing import note, print_table, progress_bars
from reviewer.core.number_text import whole
from reviewer.core.sanitize import agreeing, counted, visible
from reviewer.options.checks import AuditOptions
from reviewer.oracle.doctor import check_up, without_jail
from reviewer.oracle.program_runner import ProgramRunner, local_runner
from reviewer.planning.estimates import ASSUMED, MEASURED, Planner, estimate_table
from reviewer.protocols.base import Protocol
from reviewer.protocols.registry import protocols_of
from reviewer.runs.audit.audit_findings import DISMISSED_EARLIER
from reviewer.runs.audit.audit_state import AuditState, audit_state
from reviewer.runs.audit.check_texts import audit_names, has_checks
from reviewer.runs.audit.dataset_audit import (
    MARK,
    AuditReport,
    PlannedAudit,
    audit,
    needs_logic,
    planned_audit,
    seconds_a_case,
)
from reviewer.runs.audit.reader_reports import REPORTED
from store.database import Database
from store.findings import PlacedFinding, case_pages, count_cases, failed_findings, untested_findings


def audit_command(options: AuditOptions) -> None:
    """``reviewer audit``: what logic has to say about a dataset."""
    database, protocol = dataset_with_findings(options)
    if options.whole_dataset or options.values:
        print_dataset_findings(database, options)
        check_severity(database, options, None)
    elif options.dry_run:
        _show_plan(database, protocol, options)
    else:
        report = _audited(database, protocol, options)
        names = options.checks or (REPORTED, *audit_names(protocol))
        _list_findings(database, protocol, options, report, names)
        check_severity(database, options, names)


def _list_findings(
    database: Database, protocol: Protocol, options: AuditOptions, report: AuditReport, names: Sequence[str]
) -> None:
    """Print the findings of these checks, or count them, and summarize the audit."""
    with database.read() as session:
        findings = failed_findings(session, options.dataset, names, options.severities, dismissed=True)
        untested = [] if options.severities else untested_findings(session, options.dataset, names)
    whole = dataset_findings_of(database, options)
    if options.form == "table":
        print_whole_dataset(whole, options)
    elif whole:
        note(
            f"Not in this output: {counted(len(whole), 'finding')} about the whole dataset and its texts. "
            f"--whole-dataset lists {agreeing(len(whole), 'it', 'them')}."
        )
    shown = [placed for placed in findings if options.dismissed or placed.dismissal is None]
    if options.by is None:
        print_findings([*shown, *(untested if options.not_tested else ())], options.form)
    else:
        print_table(count_findings([*shown, *untested], options.by), options.form)
    _note_dismissed(findings, len(findings) - len(shown))
    if options.by is None and not options.not_tested:
        note_untested(untested, "; --not-tested lists them")
    if report.audited or report.passed_over:
        _remark(report, shown, options.dataset, audit_state(database, options.dataset, protocol))
    else:
        _remark_of_texts(report, protocol, sum(finding.stands for finding in whole))


def _audited(database: Database, protocol: Protocol, options: AuditOptions) -> AuditReport:
    pages, again = case_pages(database, options.dataset), options.again
    with database.read() as session:
        expected = count_cases(session, options.dataset, without_mark=None if again else MARK)
    with _runner(database, options) as runner, progress_bars() as advance:
        progress = advance and partial(advance, "Auditing")
        return audit(
            database, pages, runner, again=again, progress=progress, protocol=protocol, expected=expected
        )


def _runner(database: Database, options: AuditOptions) -> AbstractContextManager[ProgramRunner]:
    """Who runs the programs of the dataset, if it has any."""
    needed = needs_logic(protocols_of(database), case_pages(database, options.dataset))
    return programs_on(options.cluster, options.workers, needed=needed, accepted=options.accepted)


def _note_dismissed(findings: Sequence[PlacedFinding], left_out: int) -> None:
    again = [placed.finding.check for placed in findings if placed.earlier is not None]
    if reported := again.count(REPORTED):
        stands = "The finding stands" if reported == 1 else "The findings stand"
        note(
            f"Reported again after a dismissal: {counted(reported, 'case')}. {stands} until dismissed again."
        )
    if earlier := len(again) - again.count(REPORTED):
        stands = "It stands" if earlier == 1 else "They stand"
        note(
            f"{DISMISSED_EARLIER.capitalize()} of the check: {counted(earlier, 'finding')}. {stands} until "
            "dismissed again: on the audit screen, filter them with i, then press X."
        )
    if left_out:
        note(f"Dismissed and left out: {counted(left_out, 'finding')}; --dismissed shows them.")


def _remark_of_texts(report: AuditReport, protocol: Protocol, findings: int) -> None:
    """What was checked of a dataset of whose cases no program and no rule says anything."""
    why = "The checks of single cases have nothing to read in any of them"
    if not has_checks(protocol):
        why = f"{protocol.title} has no programs and no checks of single cases"
    note(
        f"Checked: the texts of {counted(report.unchecked, 'case')}, and the dataset as a whole. "
        f"{counted(findings, 'finding')} {agreeing(findings, 'is', 'are')} listed. {why}."
    )
    if report.altered:
        note(report.altered_words)


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
        note(f"Of {counted(len(state.cases), 'case')}: {state.clean_words}.")
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


def _show_plan(database: Database, protocol: Protocol, options: AuditOptions) -> None:
    """Print the estimate as a table on stdout, and its assumptions on stderr."""
    with _runner(database, options) as runner:
        pages = case_pages(database, options.dataset)
        plan = planned_audit(database, pages, runner, protocol, again=options.again)
        elsewhere = _threads(runner) if options.cluster.cluster is not None else 0
    processes = options.workers or os.cpu_count() or 1
    measured = _measured(plan, processes, options.accepted)
    figures = MEASURED if measured is None else replace(MEASURED, program_seconds=measured)
    planner = Planner(figures, replace(ASSUMED, cores=processes))
    estimates = [planner.audit_here(plan.programs)]
    if elsewhere:
        estimates.insert(0, planner.audit_on_cluster(plan.programs, elsewhere))
    print_table(estimate_table(estimates, for_people=options.form == "table"), options.form)
    note(*_remarks(plan, measured))


def _threads(runner: ProgramRunner) -> int:
    """The threads of a cluster's workers; 0 for this machine."""
    from reviewer.cluster.cluster_runner import ClusterRunner  # loads numpy

    return runner.threads if isinstance(runner, ClusterRunner) else 0


def _measured(plan: PlannedAudit, processes: int, accepted: bool) -> float | None:
    """Seconds of a process of this machine for a case; None where no programs may run here."""
    if check_up().problem or (without_jail() and not accepted):
        return None
    with local_runner(processes) as runner:
        return seconds_a_case(plan.sample, runner, processes)


def _remarks(plan: PlannedAudit, measured: float | None) -> Iterator[str]:
    parts = [f"programs of {counted(plan.programs, 'case')} to run", f"{plan.passed_over:,} audited before"]
    if plan.rules:
        parts.append(f"{plan.rules:,} to check by rules, whose time is not estimated")
    if plan.unchecked:
        parts.append(f"{plan.unchecked:,} with nothing to audit")
    if plan.altered:
        parts.append(f"{plan.altered:,} changed outside this program, which are not audited")
    yield f"Cases: {'; '.join(parts)}."
    seconds = MEASURED.program_seconds if measured is None else measured
    each = f"{whole(1000 * seconds)} ms of one process for a case"
    if measured is not None:
        yield f"Time: {each}, measured here on {len(plan.sample)} of these."
    elif plan.programs:
        yield f"Time: {each}, the figure of the manual; no programs run on this machine."
    yield "`reviewer manual planning` says what else is assumed. Nothing was written."

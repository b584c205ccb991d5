"""The texts of the audit screen about a list of findings."""

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import replace

from textual.content import Content

from reviewer.core.check_result import check_words
from reviewer.core.sanitize import counted
from reviewer.planning.estimates import duration
from reviewer.protocols.base import DatasetFinding, Protocol
from reviewer.results.tables.finding_tables import dataset_finding_words, dataset_result_words
from reviewer.runs.audit.audit_findings import AuditFindings, Wanted
from reviewer.runs.audit.audit_state import worst_words
from reviewer.runs.audit.check_texts import has_checks, has_logic
from reviewer.tui.dialogs.filter import Offer, offers_for
from reviewer.tui.rendering.literal import literal, literal_line
from reviewer.tui.widgets.key_hints import hint
from store.findings import PlacedFinding


def filters(wanted: Wanted, counts: dict[str, Counter[str]]) -> list[Offer[Wanted]]:
    """The offers for a filter, with checks in words."""
    checks = counts["check"]
    return [
        replace(offer, words=check_words(offer.words)) if offer.words in checks else offer
        for offer in offers_for(wanted, Wanted(), counts)
    ]


def how_much(findings: AuditFindings, shown: Sequence[PlacedFinding], most: int) -> str:
    """How many findings are shown, on how many cases, and how many cases were not fully tested."""
    if not findings.audited and not findings.found:
        state = "not audited" if findings.due else "nothing to audit"
        return f"{findings.dataset} · {counted(findings.cases, 'case')} · {state}"
    audited = f"{findings.audited:,} of " if findings.audited < findings.cases else ""
    words = [f"{findings.dataset} · audit of {audited}{counted(findings.cases, 'case')}"]
    words += _counted(shown, "finding", tested=True) + _counted(shown, "check", tested=False)
    if len(shown) > most:
        words.append(f"the first {most:,} listed")
    if (untested := untested_cases(findings)) and not findings.state.undecided:
        words.append(f"{counted(untested, 'case')} not fully tested")
    if findings.state.earlier:
        words.insert(1, f"⌛ {findings.state.earlier_words}")
    elif findings.audited:
        words.append(findings.state.clean_words)
    return " · ".join(words)


def progress_words(done: int, total: int, seconds: float, worst: Mapping[str, int]) -> str:
    """The progress of a running audit, its remaining time at this speed, and its worst finding so far."""
    words = [f"{done:,} of {counted(total, 'case')} audited"]
    if 0 < done < total:
        words.append(f"about {duration(max(1, seconds / done * (total - done)))} left")
    if done:
        untidy = worst.get("untidy", 0) + worst.get("", 0)
        words.append(worst_words(worst.get("serious", 0), worst.get("doubtful", 0), untidy))
    return " · ".join(words)


def whole_lines(findings: Sequence[DatasetFinding], dataset: str, most: int, width: int) -> Content:
    """What is found about a dataset as a whole: the failed checks first, each with its sentence.

    Of more than ``most`` findings the last line says how to see all. No line is longer than ``width``.
    """
    ranked = sorted(findings, key=lambda finding: not finding.stands)
    shown = ranked if len(ranked) <= most else ranked[: most - 1]
    lines = [literal_line(_whole_words(finding), width) for finding in shown]
    if more := len(ranked) - len(shown):
        lines.append(literal_line(f"{more} more: reviewer audit {dataset} --whole-dataset", width, "italic"))
    return Content("\n").join(lines)


def _whole_words(finding: DatasetFinding) -> str:
    sign = {"failed": "✗" if finding.stands else "–", "passed": "✓", "not tested": "?"}[finding.state]
    words = dataset_finding_words(finding)
    return f"{sign} {check_words(finding.check)}, {dataset_result_words(finding)}: {words}"


def _counted(shown: Sequence[PlacedFinding], noun: str, *, tested: bool) -> list[str]:
    some = [placed for placed in shown if placed.finding.tested == tested]
    if not some and not (tested and not shown):
        return []
    cases = counted(len({placed.place.case for placed in some}), "case")
    return [f"{counted(len(some), noun)} on {cases}" if tested else f"{counted(len(some), noun)} of {cases}"]


def untested_cases(findings: AuditFindings) -> int:
    """The number of cases that at least one check could not test."""
    return len({placed.place.case for placed in findings.found if not placed.finding.tested})


def nothing_due(findings: AuditFindings) -> str:
    """Why no case is left to audit."""
    if not has_checks(findings.protocol):
        kind = " of single cases" if findings.protocol.dataset_checks else ""
        return f"{findings.protocol.title} has no checks{kind}, so there is nothing to audit."
    if findings.unchecked == findings.cases:
        return "No case of this dataset has anything that the audit could check."
    if findings.unchecked:
        return f"Every case is audited but {findings.unchecked:,}, which have nothing to check."
    return "Every case is audited."


def _what_it_does(protocol: Protocol) -> str:
    if has_logic(protocol):
        return (
            "The audit runs the programs of every case in SWI-Prolog, also without each of their clauses, "
            "and says what looks wrong."
        )
    return f"The audit asks the checks of {protocol.title} about every case, and says what looks wrong."


def nothing_words(findings: AuditFindings, wanted: Wanted, keys: Mapping[str, str]) -> Content:
    """What to do where no finding is listed."""
    if not findings.audited and not findings.found:
        if not findings.due:
            return literal(nothing_due(findings))
        words = f"This dataset was not audited yet. {_what_it_does(findings.protocol)}"
        return Content("\n\n").join([literal(words), hint(keys["audit.run"], "runs it here")])
    if wanted.words:
        return literal(f"No finding is {wanted.words}.")
    if untested := untested_cases(findings):
        words = f"No finding is open, but {counted(untested, 'case')} could not be fully tested."
        return Content("\n\n").join([literal(words), hint(keys["audit.only"], "shows what was not tested")])
    return literal("✓ The audit found nothing that is open.")

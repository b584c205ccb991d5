"""Repairs as tables: what became of each case, the changed texts, and how even a dataset is."""

from collections.abc import Iterable, Sequence

from reviewer.core.table import Cell, Table
from reviewer.runs.repair.balance import GroupBalance
from reviewer.runs.repair.revision_tables import changes_table
from reviewer.runs.repair.rule_repair import PlaceTrial
from reviewer.runs.repair.trial import ContentRun
from store.records import Finding

_MEASURED = ("decided_before", "decided_after", "steps_before", "steps_after", "gone", "new")
_REPAIRS = ("key", "repaired", *_MEASURED, "why_not")


def repairs_table(tried: Iterable[PlaceTrial]) -> Table:
    """One row for each case: decisions and steps of its versions, findings, or why it is left."""
    return Table.of(_REPAIRS, [_repair_row(attempt) for attempt in tried])


def changed_texts_table(tried: Iterable[PlaceTrial]) -> Table:
    """One row for each passage that a repair changes."""
    rows = [
        (attempt.key, *row)
        for attempt in tried
        if attempt.trial
        for row in changes_table(attempt.now.case, attempt.trial.after.case).rows
    ]
    return Table.of(("key", "text", "before", "after"), rows)


def balance_table(
    options: tuple[str, str], groups: Iterable[tuple[GroupBalance, Sequence[PlaceTrial]]]
) -> Table:
    """One row for each group: in how many cases each option is right, before and after, and the exchanges."""
    first, second = options
    counts = (f"{first} before", f"{second} before", f"{first} after", f"{second} after")
    rows = [
        (group.group, *group.now, *counts_after(group, tried), exchanged(tried), len(group.undecided))
        for group, tried in groups
    ]
    return Table.of(("group", *counts, "exchanged", "not_decided"), rows)


def counts_after(group: GroupBalance, tried: Sequence[PlaceTrial]) -> tuple[int, int]:
    """In how many cases of a group each option is right after its exchanges."""
    moved = exchanged(tried) if group.now[0] > group.target[0] else -exchanged(tried)
    return group.now[0] - moved, group.now[1] + moved


def exchanged(tried: Iterable[PlaceTrial]) -> int:
    """How many cases were repaired."""
    return sum(attempt.trial is not None for attempt in tried)


def steps_words(counts: tuple[int, int] | None) -> str:
    """Inference steps and choice steps of one program."""
    return "not counted" if counts is None else f"{counts[0]:,} and {counts[1]:,}"


def _repair_row(tried: PlaceTrial) -> tuple[Cell, ...]:
    trial = tried.trial
    if trial is None:
        return (tried.key, False, *[None] * len(_MEASURED), tried.why)
    runs = (trial.before, trial.after)
    measured = (*map(decisions_words, runs), *map(_steps, runs))
    return (tried.key, True, *measured, checks_words(trial.gone), checks_words(trial.new), None)


def decisions_words(run: ContentRun) -> str:
    """What each version decides."""
    return " / ".join(version.result.choice or "no decision" for version in run.versions)


def _steps(run: ContentRun) -> str:
    return " / ".join(steps_words(version.steps) for version in run.versions)


def checks_words(findings: Iterable[Finding]) -> str | None:
    """The names of the checks of some findings."""
    return ", ".join(finding.check for finding in findings) or None

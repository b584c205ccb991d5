"""Repairs by rule on cases of a dataset: tried, proved by running, and saved as revisions; and as tables."""

from collections.abc import Generator, Iterable, Iterator, Sequence
from concurrent.futures import Executor
from contextlib import closing
from dataclasses import dataclass
from functools import partial

from reviewer.core.errors import RequestError
from reviewer.core.sanitize import one_line
from reviewer.core.table import Cell, Table
from reviewer.oracle import pool
from reviewer.oracle.evidence import Published
from reviewer.protocols.base import Protocol
from reviewer.protocols.registry import protocols_of
from reviewer.protocols.repairs import NotRepaired, RepairRule, Repairs
from reviewer.runs.audit.audit_findings import refuse_unknown_checks
from reviewer.runs.repair.balance import GroupBalance
from reviewer.runs.repair.revise import revise
from reviewer.runs.repair.revision_tables import changes_table
from reviewer.runs.repair.trial import (
    ContentRun,
    Trial,
    published_with,
    repairs_of_protocol,
    run_content,
    try_content,
)
from store.cases import Filter, get_dataset, list_places
from store.database import Database
from store.findings import failed_findings, get_findings
from store.records import Case, Finding, Proposer, Revision
from store.revisions import PlaceHistory, PlaceNow, histories


@dataclass(frozen=True, slots=True)
class PlaceTrial:
    """A place with a candidate content that was tried there, or with the reason why there is none."""

    now: PlaceNow
    trial: Trial | None
    why: str = ""

    @property
    def key(self) -> str:
        """The key of the place."""
        return self.now.place.key


@dataclass(frozen=True, slots=True)
class StepChange:
    """A version that decides in other steps than before: inference steps and choice steps, before and after.

    None: it gave no counts.
    """

    variant: str
    before: tuple[int, int] | None
    after: tuple[int, int] | None


def repairs_of(database: Database, dataset: str) -> tuple[Protocol, Repairs]:
    """How the cases of a dataset are repaired; raises RequestError if they cannot be."""
    with database.read() as session:
        protocol = protocols_of(database).named(get_dataset(session, dataset).protocol)
    return protocol, repairs_of_protocol(protocol)


def rule_named(repairs: Repairs, name: str) -> RepairRule:
    """The rule of this name; raises RequestError."""
    rules = {rule.name: rule for rule in repairs.rules}
    if name not in rules:
        raise RequestError(f"there is no rule {one_line(name)!r}; there are {', '.join(rules)}.")
    return rules[name]


def places_to_repair(database: Database, dataset: str, keys: Sequence[str] = ()) -> list[PlaceNow]:
    """The places of a dataset in its order, or those with these keys in theirs; without withdrawn cases.

    Raises RequestError for a key that the dataset does not have or whose case is withdrawn.
    """
    with database.read() as session:
        known = histories(session, [dataset])
        listed = list_places(session, Filter(datasets=(dataset,)))
    places = {
        place.key: PlaceNow(
            place, case, known.get((dataset, place.key), PlaceHistory(dataset, place.key, ()))
        )
        for place, case in listed
    }
    if not keys:
        return [now for now in places.values() if not now.history.withdrawn]
    for key in keys:
        if key not in places:
            cases = f"`reviewer cases --dataset {dataset}`"
            raise RequestError(f"dataset {dataset!r} has no case {one_line(key)!r}; see {cases}.")
        if places[key].history.withdrawn:
            raise RequestError(f"case {one_line(key)!r} of {dataset!r} is withdrawn; revert that first.")
    return [places[key] for key in dict.fromkeys(keys)]


def places_with_findings(database: Database, dataset: str, checks: Sequence[str]) -> list[PlaceNow]:
    """The places with a standing finding of one of these checks, in the order of the dataset."""
    with database.read() as session:
        keys = {placed.place.key for placed in failed_findings(session, dataset, checks)}
    return [now for now in places_to_repair(database, dataset) if now.place.key in keys]


def places_without_findings(database: Database, dataset: str, checks: Sequence[str]) -> list[PlaceNow]:
    """The places without a standing finding of any of these checks, in the order of the dataset.

    Raises RequestError for a check that has no result on any of them.
    """
    places = places_to_repair(database, dataset)
    if not checks:
        return places
    with database.read() as session:
        findings = get_findings(session, list({now.case.digest for now in places}))
        keys = {placed.place.key for placed in failed_findings(session, dataset, checks)}
    refuse_unknown_checks(checks, findings)
    return [now for now in places if now.place.key not in keys]


def rule_trials(
    database: Database, protocol: Protocol, rule: RepairRule, places: Sequence[PlaceNow], executor: Executor
) -> Generator[PlaceTrial, None, None]:
    """Apply a rule to each place in order, a few ahead; closing the generator cancels the rest."""
    whole = [now.case for now in places if now.case.is_whole]
    jobs = zip(whole, published_with(database, protocol, whole), strict=True)
    results = pool.in_order(partial(_tried, protocol, rule), jobs, executor)
    with closing(results):
        for now in places:
            if not now.case.is_whole:
                yield PlaceTrial(now, None, "The case was changed outside this program.")
                continue
            result = next(results)
            if isinstance(result, NotRepaired):
                yield PlaceTrial(now, None, result.why)
            else:
                yield PlaceTrial(now, result)


def repaired_by(protocol: Protocol, rule: RepairRule, stored: ContentRun) -> Trial | NotRepaired:
    """A case repaired by a rule and run, or why not: the rule does not apply, or the result is worse."""
    if stored.evidence is None:
        return NotRepaired("No program decides the case.")
    candidate = rule.repaired(stored.case, stored.evidence)
    if isinstance(candidate, NotRepaired):
        return candidate
    trial = try_content(protocol, stored, candidate)
    if trial.after.undecided:
        return NotRepaired(f"Repaired, it is not decided: {' '.join(trial.after.undecided)}")
    for before, after in zip(trial.before.versions, trial.after.versions, strict=True):
        old, new = before.result.choice, after.result.choice
        if before.result.decided and old is not None and new != rule.expects(old):
            return NotRepaired(
                f"Repaired, the {after.variant} program decides {new}, not {rule.expects(old)}."
            )
    if serious := next((finding for finding in trial.new if finding.severity == "serious"), None):
        return NotRepaired(f"Repaired, it has a new serious finding: {serious.why}")
    return trial


def step_changes(trial: Trial) -> tuple[StepChange, ...]:
    """The versions whose steps differ from those of the stored content."""
    pairs = zip(trial.before.versions, trial.after.versions, strict=True)
    changes = (StepChange(old.variant, old.steps, new.steps) for old, new in pairs)
    return tuple(change for change in changes if change.before != change.after)


def saved_trials(
    database: Database, trials: Iterable[PlaceTrial], most: int, *, author: str, reason: str
) -> Iterator[PlaceTrial]:
    """Save tried contents one by one until ``most`` are saved, each in one short transaction.

    A content is not saved if somebody changed its place meanwhile; the trial then says so.
    """
    return some_trials((_saved(database, tried, author, reason) for tried in trials), most)


def some_trials(trials: Iterable[PlaceTrial], most: int) -> Iterator[PlaceTrial]:
    """The trials until ``most`` of them have repaired their case."""
    for tried in trials if most else ():
        yield tried
        most -= tried.trial is not None
        if not most:
            return


def _saved(database: Database, tried: PlaceTrial, author: str, reason: str) -> PlaceTrial:
    try:
        if tried.trial is not None:
            save_trial(database, tried, author=author, reason=reason, proposed_by="rule")
    except RequestError as refused:
        return PlaceTrial(tried.now, None, str(refused))
    return tried


def save_trial(
    database: Database, tried: PlaceTrial, *, author: str, reason: str, proposed_by: Proposer
) -> Revision:
    """Save a tried content as a revision of its place; raises RequestError, for one, if the place changed."""
    trial, place = tried.trial, tried.now.place
    if trial is None:
        raise RequestError(f"case {one_line(place.key)!r} was not repaired: {tried.why}")
    return revise(
        database,
        place.dataset,
        place.key,
        trial.after.case,
        expected=tried.now.parent,
        author=author,
        reason=reason,
        resolves=trial.resolves,
        proposed_by=proposed_by,
        before=trial.before.measured,
        after=trial.after.measured,
    )


def _tried(
    protocol: Protocol, rule: RepairRule, job: tuple[Case, tuple[Published, ...]]
) -> Trial | NotRepaired:
    return repaired_by(protocol, rule, run_content(protocol, *job))


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

"""The progress of a generation run, by group."""

from collections import Counter
from collections.abc import Iterable, Sequence

from reviewer.core.sanitize import counted
from reviewer.core.table import Table
from reviewer.protocols.registry import Protocols, protocols_of
from reviewer.runs.engine.run_progress import PartProgress, RunProgress
from store.candidates import Expansions, Fate, expansions_of, fates
from store.database import Database
from store.records import Run

OPEN, DONE, GIVEN_UP = "open", "done", "given up"
"""Whether more candidates are asked for in a group."""
FEW = 2
"""A group with fewer valid cases than this after ``patience`` expansions is given up."""
LONG = 3
"""So is a group without a valid case in this many times ``patience`` expansions."""
_COLUMNS = ("group", "valid", "target", "tried", "expansions", "state")


def generation_progress(
    run: Run, groups: Sequence[str], candidate_fates: Iterable[Fate], expansions: Expansions
) -> RunProgress:
    """The progress of a run from the fates of its candidates and the expansions of its groups."""
    target, patience = int(run.settings["target"]), int(run.settings["patience"])
    valid, tried, discarded = Counter[str](), Counter[str](), Counter[str]()
    for fate in candidate_fates:
        tried[fate.group] += fate.candidates
        if fate.approved:
            valid[fate.group] += fate.candidates
        else:
            discarded[fate.step] += fate.candidates
    parts = tuple(
        PartProgress(
            group,
            valid[group],
            target,
            {"tried": tried[group], "expansions": expansions.all[group]},
            _state(group, valid[group], target, patience, expansions),
        )
        for group in groups
    )
    return RunProgress(
        f"{valid.total():,} valid of {tried.total():,} tried, {target * len(parts):,} wanted.",
        valid.total(),
        sum(part.wanted - part.done for part in parts if part.state == OPEN),
        Table.of(_COLUMNS, [(p.name, p.done, p.wanted, *p.counts.values(), p.state) for p in parts]),
        parts,
        dict(discarded),
        run.rounds,
        why_ended(parts),
    )


def _state(group: str, valid: int, target: int, patience: int, expansions: Expansions) -> str:
    """Whether a group has all its cases, is given up because too few come, or is open."""
    if valid >= target:
        return DONE
    since_valid = expansions.all[group] - expansions.fruitful[group]
    slow = valid < min(FEW, target) and patience <= expansions.all[group]
    if patience > 0 and (slow or since_valid >= LONG * patience):
        return GIVEN_UP
    return OPEN


def why_ended(groups: Sequence[PartProgress]) -> str:
    """Which groups were given up; "" if none was."""
    given_up = [
        f"{group.name} ({group.done:,} valid in {counted(group.counts['expansions'], 'expansion')})"
        for group in groups
        if group.state == GIVEN_UP
    ]
    return f"given up, because too few candidates were valid: {', '.join(given_up)}" if given_up else ""


def kept_generation(database: Database, run: Run) -> RunProgress:
    """How far a run is, according to the store."""
    with database.read() as session:
        candidate_fates, expansions = fates(session, run.name), expansions_of(session, run.name)
    groups = groups_of(protocols_of(database), run)
    return generation_progress(run, groups, candidate_fates, expansions)


def groups_of(protocols: Protocols, run: Run) -> list[str]:
    """The groups of a run, in the order of its protocol, or of its seeds if groups come from the data."""
    known = protocols.get(run.protocol)  # a run is listed also where its protocol is not installed
    return known.groups_among(run.seeds) if known else list(run.seeds)

"""The progress of a discovery run: the attempts of each round, their results, and the next round."""

from collections.abc import Mapping

from reviewer.core.sanitize import counted
from reviewer.core.table import Table
from reviewer.runs.engine.run_progress import PartProgress, RunProgress
from store.candidates import RoundFate, round_fates
from store.cases import Filter, list_places
from store.database import Database
from store.records import JsonValue, Run

COLUMNS = ("round", "of", "step", "result", "approved", "number")


def round_left(run: Run) -> tuple[JsonValue, list[str]]:
    """The state that the last round left, None at first, and the names of the entries that it kept."""
    return (run.left["state"], list(run.left["kept"])) if run.left else (None, [])


def why_ended(run: Run) -> str:
    """Why the run is at its end; "" if it is not."""
    _, kept = round_left(run)
    if run.rounds and not kept:
        return f"round {run.rounds} kept no entry"
    if run.rounds < int(run.settings["rounds"]):
        return ""
    return "the only round was run" if run.rounds == 1 else f"all {run.rounds} rounds were run"


def kept_discovery(database: Database, run: Run) -> RunProgress:
    """How far a run is, according to the store."""
    with database.read() as session:
        kept = len(list_places(session, Filter(datasets=(run.name,), origin="generated")))
        tried = round_fates(session, run.name)
    why = why_ended(run)
    return RunProgress(
        f"{kept:,} kept in {counted(run.rounds, 'complete round')}.",
        kept,
        table=_table(tried),
        rounds=run.rounds,
        ended=f"Why: {why}." if why else "",
    )


def round_under_way(run: Run, before: RunProgress, work: Mapping[str, tuple[int, int]]) -> RunProgress:
    """How far the current round is: by the title of the work, how many pieces are done, and of how many."""
    most = int(run.settings["rounds"])
    done = ", ".join(f"{title} {done:,} of {total:,}" for title, (done, total) in work.items())
    return RunProgress(
        f"round {min(run.rounds + 1, most)} of at most {most}: {done or 'getting ready'}; "
        f"{before.kept:,} kept so far.",
        before.kept,
        table=before.table,
        parts=tuple(PartProgress(title, *numbers) for title, numbers in work.items()),
        rounds=run.rounds,
    )


def _table(tried: list[RoundFate]) -> Table:
    """One row for each round, kind, step and result."""
    rows = [
        (
            fate.round,
            fate.counts_as,
            fate.step,
            fate.check,
            "yes" if fate.approved else "no",
            fate.candidates,
        )
        for fate in tried
    ]
    return Table.of(COLUMNS, rows)

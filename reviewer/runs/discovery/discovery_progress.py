"""The progress of a discovery run, and its summary: what each round tried and what became of it."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace

from reviewer.core.table import Table
from store.candidates import RoundFate, round_fates
from store.cases import Filter, list_places
from store.database import Database
from store.records import JsonValue, Run

COLUMNS = ("round", "of", "step", "result", "approved", "number")


@dataclass(frozen=True, slots=True)
class DiscoveryProgress:
    """How far a run is: its complete rounds, what it kept, and what the current round has done."""

    rounds: int
    most_rounds: int
    kept: int = 0
    work: Mapping[str, tuple[int, int]] = field(default_factory=dict)

    def after(self, title: str, done: int, total: int) -> "DiscoveryProgress":
        """The progress after another piece of work of this title is done."""
        return replace(self, work={**self.work, title: (done, total)})

    @property
    def sentence(self) -> str:
        """How far the run is."""
        work = ", ".join(f"{title} {done:,} of {total:,}" for title, (done, total) in self.work.items())
        current = f"round {min(self.rounds + 1, self.most_rounds)} of at most {self.most_rounds}"
        kept = f"{self.kept:,} kept so far"
        return f"{current}: {work or 'getting ready'}; {kept}."


DiscoveryProgressCallback = Callable[[DiscoveryProgress], None]


def round_left(run: Run) -> tuple[JsonValue, list[str]]:
    """The state that the last round left, None at first, and the names of what it kept."""
    return (run.left["state"], list(run.left["kept"])) if run.left else (None, [])


def why_ended(run: Run) -> str:
    """Why the run is at its end; "" if it is not."""
    _, kept = round_left(run)
    if run.rounds and not kept:
        return f"round {run.rounds} kept no entry"
    return f"all {run.rounds} rounds were run" if run.rounds >= int(run.settings["rounds"]) else ""


@dataclass(frozen=True, slots=True)
class DiscoveryStanding:
    """What a run has done according to the store: the entries that it kept, and what it tried, by fate."""

    kept: tuple[str, ...]
    fates: tuple[RoundFate, ...]

    @property
    def tried(self) -> int:
        """Everything that was tried: rewrites and named entries."""
        return sum(fate.candidates for fate in self.fates)

    @property
    def table(self) -> Table:
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
            for fate in self.fates
        ]
        return Table.of(COLUMNS, rows)


def discovery_standing(database: Database, run: Run) -> DiscoveryStanding:
    """What a run has done; kept entries are named by their keys, in their order."""
    with database.read() as session:
        places = list_places(session, Filter(datasets=(run.name,), origin="generated"))
        return DiscoveryStanding(
            tuple(place.key for place, _ in places), tuple(round_fates(session, run.name))
        )

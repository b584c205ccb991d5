"""Eight raters press thousands of random keys at once: does anything get lost, or in twice?

On one store in a file; on one PostgreSQL server that is stopped at once and started again, twice; and on a
pack each, merged in random order, some of them twice. Each rater's keys are also noted down by a model of
them, and the ledger must amount to what that says.

Usage: python tests/bench/soak.py [--presses 2000] [--raters 8] [--cases 40] [file] [server] [packs]
"""

import argparse
import json
import os
import random
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Callable, Sequence
from contextlib import closing
from dataclasses import dataclass
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT))

from reviewer.core.table import Table  # noqa: E402
from reviewer.exchange.packs.pack import write_pack  # noqa: E402
from reviewer.exchange.packs.store_files import merge_file  # noqa: E402
from reviewer.report.text_table import text_table  # noqa: E402
from reviewer.study.session.verdicts import History  # noqa: E402
from store.database import Database  # noqa: E402
from store.ledger import Ledger  # noqa: E402
from tests.bench.support.own_server import running_server  # noqa: E402
from tests.bench.support.soak_rater import STUDY  # noqa: E402
from tests.postgres import Server  # noqa: E402
from tests.studies import a_study  # noqa: E402

RATER = "tests.bench.support.soak_rater"
AWAY_SECONDS = 1.0
"""How long the server stays away each time."""


@dataclass(frozen=True, slots=True)
class Soak:
    """The size of a run."""

    presses: int
    raters: int
    cases: int
    python: Sequence[str] = (sys.executable,)
    """How the raters' processes begin."""

    @property
    def names(self) -> tuple[str, ...]:
        """The raters."""
        return tuple(f"rater-{number}" for number in range(self.raters))


@dataclass(frozen=True, slots=True)
class Outcome:
    """What there is after a run, against what there should be."""

    where: str
    acknowledged: int
    lost: int
    """Saved, said the session; not in the ledger."""
    unasked: int
    """In the ledger, and acknowledged to nobody: what is there twice is there under another id."""
    otherwise: int
    """Places at which a rater's verdict, comment or flag is not what the keys amount to."""
    refused: int
    """Keys that the store was too busy for; each was pressed again."""
    seconds: float
    remark: str = ""

    @property
    def whole(self) -> bool:
        """Whether all is as it should be."""
        return not (self.lost or self.unasked or self.otherwise)


class Rater:
    """A rater's process; ``at`` is how many keys it has pressed, ``told`` what it says in the end."""

    def __init__(self, soak: Soak, location: str, number: int, folder: Path) -> None:
        self.at = 0
        self.told: dict[str, Any] = {}
        name = soak.names[number]
        arguments = [*soak.python, "-m", RATER, location, name, str(number), str(soak.presses)]
        environment = {**os.environ, "XDG_STATE_HOME": str(folder / f"state-of-{name}")}
        self._process = subprocess.Popen(
            arguments, cwd=ROOT, env=environment, stdout=subprocess.PIPE, text=True
        )
        self._thread = threading.Thread(target=self._listen)
        self._thread.start()

    def _listen(self) -> None:
        for line in self._process.stdout or ():
            if line.startswith("at "):
                self.at = int(line.split()[1])
            else:
                self.told = json.loads(line)

    def finish(self) -> dict[str, Any]:
        """Wait for the end, and for the last output of the process; nothing where it failed."""
        self._thread.join()
        self._process.wait()
        if self._process.stdout:
            self._process.stdout.close()
        return self.told


def on_a_file(soak: Soak, folder: Path) -> Outcome:
    """All raters on one SQLite store."""
    path = str(folder / "reviewer.db")
    with closing(Database.open(path)) as database:
        a_study(database, STUDY, soak.cases, raters=soak.names, reveal="none")
    began = time.monotonic()
    told = finished(start(soak, folder, lambda _: path))
    return judged("one SQLite file", path, soak, told, began)


def on_a_server(soak: Soak, folder: Path) -> Outcome:
    """All raters, each with a courier, on one server that is twice stopped as if the power had gone."""
    with running_server() as server:
        url = server.database("soak")
        with closing(Database.open(url)) as database:
            a_study(database, STUDY, soak.cases, raters=soak.names, reveal="none")
        began = time.monotonic()
        raters = start(soak, folder, lambda _: url)
        restarts = [restart_at(server, raters, soak, share) for share in (1 / 3, 2 / 3)]
        told = finished(raters)
        remark = "server restarted after " + " and ".join(f"{at:,}" for at in restarts) + " keys"
        return judged("one PostgreSQL server", url, soak, told, began, remark)


def restart_at(server: Server, raters: Sequence[Rater], soak: Soak, share: float) -> int:
    """Restart the server once that share of all keys is pressed; how many they were."""
    while (pressed := sum(rater.at for rater in raters)) < share * soak.presses * soak.raters:
        time.sleep(0.05)
    server.stop()
    time.sleep(AWAY_SECONDS)
    server.start()
    return pressed


def on_packs(soak: Soak, folder: Path) -> Outcome:
    """A pack for each rater; merged in random order, half of them twice."""
    path = str(folder / "lead.db")
    packs = [folder / f"{name}.review" for name in soak.names]
    with closing(Database.open(path)) as database:
        a_study(database, STUDY, soak.cases, raters=soak.names, reveal="none")
        for name, pack in zip(soak.names, packs, strict=True):
            write_pack(database, STUDY, name, pack)
        began = time.monotonic()
        told = finished(start(soak, folder, lambda number: str(packs[number])))
        coming = packs + packs[: len(packs) // 2]
        random.Random(soak.presses).shuffle(coming)
        merged = [account for pack in coming for account in merge_file(database, pack)]
    if refused := [sentence for account in merged for sentence in account.refused]:
        raise AssertionError(f"refused: {refused[:3]}")
    return judged("packs, merged", path, soak, told, began, f"{len(coming)} merges of {len(packs)} packs")


def start(soak: Soak, folder: Path, location_of: Callable[[int], str]) -> list[Rater]:
    """All raters at work at once."""
    return [Rater(soak, location_of(number), number, folder) for number in range(soak.raters)]


def finished(raters: Sequence[Rater]) -> list[dict[str, Any]]:
    """What each said in the end; raises where one failed."""
    told = [rater.finish() for rater in raters]
    if not all(told):
        raise AssertionError("a rater's process failed; see above")
    return told


def judged(
    where: str, location: str, soak: Soak, told: Sequence[dict[str, Any]], began: float, remark: str = ""
) -> Outcome:
    """The ledger against what each rater was told, and against the keys."""
    seconds = time.monotonic() - began
    acknowledged = [key for one in told for key in one["acknowledged"]]
    with closing(Database.open(location)) as database:
        ledger = Ledger(database)
        kept = [event.id for event in ledger.events(STUDY)]
        otherwise = sum(
            differences(page(ledger, name), one["page"]) for name, one in zip(soak.names, told, strict=True)
        )
    return Outcome(
        where,
        len(acknowledged),
        len(set(acknowledged) - set(kept)),
        len(kept) - len(set(kept) & set(acknowledged)),
        otherwise,
        sum(one["refused"] for one in told),
        seconds,
        remark,
    )


def page(ledger: Ledger, rater: str) -> dict[str, dict[str, str]]:
    """What the ledger says of a rater, in the form of the notebook's page."""
    history = History.of(ledger.events(STUDY, rater))
    page = {}
    for verdict in map(history.verdict, history.slots()):
        answer = {"open": "", "skipped": "(skipped)"}.get(verdict.state, verdict.label or "")
        flag = "flagged" if verdict.flagged else ""
        if answer or verdict.comment or flag:
            place = f"{verdict.slot.case} {verdict.slot.question}"
            page[place] = {"answer": answer, "comment": verdict.comment, "flag": flag}
    return page


def differences(found: dict[str, Any], expected: dict[str, Any]) -> int:
    """At how many places two pages differ."""
    return sum(found.get(place) != expected.get(place) for place in found.keys() | expected.keys())


KINDS = {"file": on_a_file, "server": on_a_server, "packs": on_packs}


def main() -> int:
    """Run, print the table; 1 where anything is not as it should be."""
    options = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    options.add_argument("kinds", nargs="*", choices=[*KINDS, []], default=[], metavar="KIND")
    options.add_argument("--presses", type=int, default=2000)
    options.add_argument("--raters", type=int, default=8)
    options.add_argument("--cases", type=int, default=40)
    chosen = options.parse_args()
    soak = Soak(chosen.presses, chosen.raters, chosen.cases)
    outcomes = []
    for kind in chosen.kinds or KINDS:
        with tempfile.TemporaryDirectory(prefix="reviewer-soak-") as folder:
            outcomes.append(KINDS[kind](soak, Path(folder)))
    print(f"{soak.raters} raters × {soak.presses:,} keys, {soak.cases} cases of four questions")
    print(text_table(table_of(outcomes)))
    for outcome in outcomes:
        if outcome.remark:
            print(f"{outcome.where}: {outcome.remark}")
    return 0 if all(outcome.whole for outcome in outcomes) else 1


def table_of(outcomes: Sequence[Outcome]) -> Table:
    """One row a run."""
    head = ("where", "saved", "lost", "unasked", "other than the keys say", "refused", "seconds")
    rows = [
        (
            each.where,
            f"{each.acknowledged:,}",
            str(each.lost),
            str(each.unasked),
            str(each.otherwise),
            str(each.refused),
            f"{each.seconds:.0f}",
        )
        for each in outcomes
    ]
    return Table.of(head, rows)


if __name__ == "__main__":
    sys.exit(main())

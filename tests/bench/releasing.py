"""How long a release takes: the published pairs with repairs, withdrawals and a closed study of forty.

Prints the seconds for planning, writing and verifying, and the result of each check. Without the published
pairs, or without SWI-Prolog, it says so.
"""

import sys
import tempfile
import time
from collections.abc import Callable
from contextlib import closing
from pathlib import Path
from typing import TypeVar

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT))

from reviewer.core.table import Table  # noqa: E402
from reviewer.exchange.releases.decision_rerun import decisions_check  # noqa: E402
from reviewer.exchange.releases.release_checks import checks_table  # noqa: E402
from reviewer.exchange.releases.release_content import ReleaseOptions  # noqa: E402
from reviewer.exchange.releases.release_folder import read_folder  # noqa: E402
from reviewer.exchange.releases.release_making import plan_release, write_release  # noqa: E402
from reviewer.exchange.releases.verification import verified  # noqa: E402
from reviewer.exchange.rows.dataset_import import import_path  # noqa: E402
from reviewer.oracle.program_runner import local_runner  # noqa: E402
from reviewer.protocols.registry import PROTOCOLS  # noqa: E402
from reviewer.report.text_table import text_table  # noqa: E402
from reviewer.runs.repair.revise import read_place, revise, withdraw  # noqa: E402
from reviewer.study.design.closing import close_study  # noqa: E402
from reviewer.study.design.study_creation import Design, create_study  # noqa: E402
from store.cases import places_of  # noqa: E402
from store.database import Database  # noqa: E402
from store.records import Citation  # noqa: E402
from tests.bench.support.oracle_programs import PUBLISHED  # noqa: E402
from tests.judged import judge  # noqa: E402

DATASET, REPAIRED, WITHDRAWN = "published", 20, 5
Made = TypeVar("Made")


def main() -> None:
    """Make and verify one release, and print how long each part took."""
    if not PUBLISHED.exists():
        print("The published pairs are not here.")
        return
    citation = Citation(dataset=DATASET, licence="MIT", authors=["A. Author"], contact="a@example.org")
    with tempfile.TemporaryDirectory() as folder, closing(Database.open(f"{folder}/reviewer.db")) as database:
        prepare(database)
        target = Path(folder) / "release"
        planned, planning = timed(lambda: plan_release(database, citation, "1.0", ReleaseOptions()))
        _, writing = timed(lambda: write_release(database, planned, citation, target))
        checked, reading = timed(lambda: verified(read_folder(target)))
        rows = checked.rows or ()
        with local_runner() as runner:
            decisions, running = timed(lambda: decisions_check(planned.content, rows, PROTOCOLS, runner))
    seconds = {"plan": planning, "write": writing, "verify files": reading, "verify decisions": running}
    print(
        text_table(Table.of(("step", "seconds"), [(name, f"{took:.1f}") for name, took in seconds.items()]))
    )
    print(text_table(checks_table([*checked.checks, decisions])))


def prepare(database: Database) -> None:
    """The pairs, a study of five of each group that three raters judged, then repairs and withdrawals."""
    import_path(database, PUBLISHED, DATASET, "gpt-4o-mini")
    create_study(database, "pilot", Design((DATASET,), 5, 7))
    for rater in ("anna", "ben", "cara"):
        judge(database, "pilot", rater)
    close_study(database, "pilot", "lena")
    with database.read() as session:
        generated = [place for place in places_of(session, DATASET) if place.origin == "generated"]
    for number, place in enumerate(generated[: REPAIRED + WITHDRAWN]):
        now = read_place(database, DATASET, place.key)
        if number < WITHDRAWN:
            withdraw(database, DATASET, place.key, expected=now.parent, author="maria", reason="a bench")
            continue
        longer = {
            "unbiased": f"{now.case.payload['unbiased']} Please.",
            "reconstructed_unbiased_prompt": None,
        }
        new = PROTOCOLS["probe-swe"].case(now.case.group, now.case.payload | longer)
        revise(database, DATASET, place.key, new, expected=now.parent, author="maria", reason="a bench")


def timed(work: Callable[[], Made]) -> tuple[Made, float]:
    """What the work gives, and its seconds."""
    began = time.monotonic()
    return work(), time.monotonic() - began


if __name__ == "__main__":
    main()

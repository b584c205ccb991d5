"""An author's process that dies at random moments: no revision is lost, and none is half there."""

import subprocess
import sys
from contextlib import closing
from pathlib import Path

import pytest

from reviewer.exchange.packs.store_files import checked
from store.append_only import ledger_is_protected
from store.revisions import histories
from tests.faults.repair_process import DATASET, PLACES
from tests.rounds import rounds
from tests.studies import a_case, fill, open_store

ROOT = Path(__file__).parents[2]


@pytest.mark.parametrize("moments", rounds(5, [20]))
def test_killed_at_random_moments_no_revision_is_lost_or_half_there(tmp_path: Path, moments: int) -> None:
    with closing(open_store(tmp_path)) as database:
        fill(database, DATASET, [a_case(number) for number in range(PLACES)])
    store = tmp_path / "reviewer.db"
    command = [sys.executable, "-m", "tests.faults.repair_process", str(store), str(moments), "7"]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=True)
    said = dict(line.split() for line in done.stdout.splitlines())
    assert len(said) >= moments
    found = checked(str(store))
    assert found.faults == []
    with closing(open_store(tmp_path)) as database, database.read() as session:
        kept = {step.id: step.digest for each in histories(session).values() for step in each.revisions}
        assert said.items() <= kept.items()
        assert ledger_is_protected(session.connection())

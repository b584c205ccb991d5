"""An author at work, killed again and again: ``python -m …repair_process STORE MOMENTS SEED``.

Each round is a process of its own, forked while no store is open. It repairs, withdraws and reverts cases,
and says the id and the digest of each revision once it is saved.
"""

import os
import random
import signal
import sys
import time
from typing import Any

from reviewer.runs.repair.revise import read_place, revert, revise, withdraw
from store.database import Database
from store.records import Revision
from tests.studies import a_case

DATASET, PLACES = "first", 3


def work(store: str, seed: int, told: int) -> None:
    """Change cases until somebody kills this process."""
    chance = random.Random(seed)
    database = Database.open(store, must_exist=True)
    while True:
        revision = change(database, f"anchoring bias/{chance.randrange(PLACES)}", chance)
        os.write(told, f"{revision.id} {revision.digest}\n".encode())


def change(database: Database, key: str, chance: random.Random) -> Revision:
    """One revision of one case."""
    now = read_place(database, DATASET, key)
    said: dict[str, Any] = {"expected": now.parent, "author": "maria", "reason": "clearer"}
    if now.history.withdrawn:
        return revert(database, DATASET, key, to=None, **said)
    if chance.random() < 0.2:
        return withdraw(database, DATASET, key, **said)
    return revise(database, DATASET, key, a_case(chance.randrange(10, 10**9)), **said)


def main(store: str, moments: int, seed: int) -> None:
    """Start the work and kill it, so many times; print what was said to be saved."""
    Database.open(store, must_exist=True).close()  # loads what each round would load again
    chance = random.Random(seed)
    for number in range(moments):
        reading, writing = os.pipe()
        child = os.fork()
        if child == 0:
            work(store, seed + number, writing)
        os.close(writing)
        with os.fdopen(reading) as said:
            print(said.readline(), end="")
            time.sleep(chance.uniform(0.0, 0.05))
            os.kill(child, signal.SIGKILL)
            os.waitpid(child, 0)
            print(said.read(), end="")


if __name__ == "__main__":
    main(sys.argv[1], int(sys.argv[2]), int(sys.argv[3]))

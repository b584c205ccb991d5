"""One rater of the soak, as a process of its own, at a desk: presses random keys, quits and opens again.

Usage: python -m tests.bench.support.soak_rater STORE-OR-PACK RATER SEED PRESSES. Says ``at N`` now and then,
and in the end, as one line of JSON, the ids that were acknowledged as saved, what the keys should amount to,
and how many were refused by a busy store.
"""

import json
import random
import sys
import time
from collections.abc import Callable
from functools import partial
from typing import TypeVar

from reviewer.core.errors import StoreBusyError
from reviewer.exchange.packs.workspace import Workspace, workspace_away_from
from reviewer.study.session.review_session import ReviewSession
from reviewer.study.session.review_stages import Stage
from store.database import Database
from store.location import is_server
from store.records import Event
from tests.bench.support.notebook import Notebook, Place

Done = TypeVar("Done")
STUDY = "pilot"
LABELS = {"t": "True", "f": "False"}
KEYS = {"t": 26, "f": 16, "u": 14, "s": 9, "c": 8, "x": 8, "n": 6, "b": 10, "o": 2, "q": 1}
"""How often each key comes; q leaves, and the next key finds the study opened again."""
MOST_THINKING_SECONDS = 0.004
"""Between two keys: nobody thinks so little, but keys without a pause leave the lock to whoever has it."""
SENDING_SECONDS = 60.0
"""For the rest that is left when the last key is pressed."""


class Rater:
    """The rater's desk, the session on it, and the notebook beside it."""

    def __init__(self, location: str, rater: str, chance: random.Random) -> None:
        self._location, self._rater, self._chance = location, rater, chance
        self.notebook = Notebook()
        self.acknowledged: list[str] = []
        self.refused = 0
        self._open()

    def press(self) -> None:
        """One key, to the session and into the notebook: both save, or neither."""
        key = self._chance.choices(list(KEYS), weights=list(KEYS.values()))[0]
        if key in "nboq":
            self._move(key)
            return
        place: Place = (self._session.slot.case, self._session.slot.question)
        text = self._chance.choice(["", f"remark {self._chance.random()}"])
        clashes = self._session.stage is Stage.CLASH
        event = self._patiently(partial(self._save, key, text))
        noted = self._note(key, place, text, clashes=clashes)
        if noted != (event is not None):
            raise AssertionError(f"key {key}: the notebook says {noted}, the session {event}")
        if event is not None:
            self.acknowledged.append(event.id)

    def leave(self, seconds: float) -> int:
        """Quit, sending what is left for so long at most; how many saved events the server still lacks."""
        delivery = self._workspace.leave(seconds)
        self._workspace.database.close()
        return delivery.waiting if delivery else 0

    def deliver(self) -> None:
        """Quit; where the server was away, come back until it has everything."""
        while self.leave(SENDING_SECONDS):
            time.sleep(1.0)
            self._open()

    def _open(self) -> None:
        self._workspace = self._patiently(self._sit_down)
        self._session = self._patiently(partial(ReviewSession, self._workspace.database, STUDY, self._rater))

    def _sit_down(self) -> Workspace:
        if is_server(self._location):
            return workspace_away_from(self._location, STUDY, self._rater)[0]
        return Workspace(Database.open(self._location, must_exist=True))

    def _move(self, key: str) -> None:
        match key:
            case "n":
                self._session.next()
            case "b":
                self._session.previous()
            case "o":
                self._session.next_open()
            case _:
                self.leave(0.0)
                self._open()

    def _patiently(self, deed: Callable[[], Done]) -> Done:
        """Where the store was so busy that it refused, try again, as people do."""
        while True:
            try:
                return deed()
            except StoreBusyError:
                self.refused += 1

    def _save(self, key: str, text: str) -> Event | None:
        session = self._session
        match key:
            case "t" | "f":
                return session.answer(LABELS[key])
            case "u":
                return session.undo()
            case "s":
                return session.skip()
            case "x":
                return session.flag()
        return session.comment(text)

    def _note(self, key: str, place: Place, text: str, *, clashes: bool) -> bool:
        """``clashes``: the rater has read of a conflict, and the same label again confirms both answers."""
        notebook = self.notebook
        match key:
            case "t" | "f":
                stands = clashes and notebook.answers.get(place) == LABELS[key]
                return stands or notebook.answer(place, LABELS[key])
            case "u":
                return notebook.undo()
            case "s":
                return notebook.skip(place)
            case "x":
                return notebook.flag(place)
        return notebook.comment(place, text)


def main() -> None:
    """Press the keys; print how far, and the expected answers."""
    location, name, seed, presses = sys.argv[1:]
    rater = Rater(location, name, random.Random(seed))
    for number in range(1, int(presses) + 1):
        time.sleep(random.uniform(0, MOST_THINKING_SECONDS))
        rater.press()
        if number % 10 == 0:
            print("at", number, flush=True)
    rater.deliver()
    told = {"acknowledged": rater.acknowledged, "page": rater.notebook.page(), "refused": rater.refused}
    print(json.dumps(told), flush=True)


if __name__ == "__main__":
    main()

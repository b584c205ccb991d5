"""A rater as a process of its own: presses random keys, and says on stdout what was acknowledged as saved.

It opens its session, and presses nothing before it has read a line.

Usage: python rater_process.py STORE STUDY RATER SEED PRESSES
"""

import random
import sys
from contextlib import suppress

from reviewer.core.errors import RequestError, StoreBusyError
from reviewer.study.session.review_session import ReviewSession
from store.database import Database
from store.records import Event


def press(session: ReviewSession, choice: random.Random) -> Event | None:
    """One key: mostly answers, on fresh and on answered cases, and everything else that saves."""
    key = choice.choices("tfuscxnbo", weights=[30, 15, 12, 8, 6, 6, 8, 12, 3])[0]
    match key:
        case "t":
            return session.answer("True")
        case "f":
            return session.answer("False")
        case "u":
            with suppress(RequestError):  # the newest answer stays once its reveal was seen
                return session.undo()
        case "s":
            return session.skip()
        case "c":
            return comment(session, f"comment {choice.random()}")
        case "x":
            return session.flag()
        case "n":
            session.next()
        case "b":
            session.previous()
        case _:
            session.next_open()
    return None


def comment(session: ReviewSession, text: str) -> Event | None:
    """Where another window of this rater has changed the comment meanwhile, it is saved once more."""
    while True:
        try:
            return session.comment(text)
        except RequestError:
            continue


def main() -> None:
    """Work, acknowledging each saved event by its id and digest."""
    store, study, rater, seed, presses = sys.argv[1:]
    choice = random.Random(seed)
    session = ReviewSession(Database.open(store), study, rater)
    print("ready", flush=True)
    sys.stdin.readline()
    for _ in range(int(presses)):
        with suppress(StoreBusyError):  # others were quicker for so long; nothing was saved or acknowledged
            event = press(session, choice)
            if event is not None:
                print(event.id, event.digest, flush=True)
    print("done", flush=True)


if __name__ == "__main__":
    main()

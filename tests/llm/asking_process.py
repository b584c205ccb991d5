"""A process that asks a server so many questions, its rows in a store; to be killed. Says when it is done.

With a fifth argument it says each answer as it is handed on, and kills itself at that number of answers.
"""

import asyncio
import os
import signal
import sys
from contextlib import closing

from reviewer.llm.client import HttpModelClient
from store.calls import StoredCalls
from store.database import Database
from tests.llm.clients import question, settings


async def ask_all(store: str, url: str, questions: int, concurrency: int, last: int) -> None:
    """Ask every question once."""
    handed_on = 0
    with closing(Database.open(store)) as database:
        async with HttpModelClient(settings(url, concurrency=concurrency), StoredCalls(database)) as client:

            async def ask(number: int) -> str:
                nonlocal handed_on
                text = (await client.ask(question(f"{number}"))).text
                handed_on += 1
                if last:
                    print(text, flush=True)
                if handed_on == last:
                    os.kill(os.getpid(), signal.SIGKILL)
                return text

            replies = await asyncio.gather(*map(ask, range(questions)))
            print(*replies, client.spent.sent, flush=True)


if __name__ == "__main__":
    store, url, questions, concurrency, *last = sys.argv[1:]
    asyncio.run(ask_all(store, url, int(questions), int(concurrency), int(last[0]) if last else 0))

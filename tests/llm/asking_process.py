"""A process that asks a server so many questions, its rows in a store; to be killed. Says when it is done."""

import asyncio
import sys
from contextlib import closing

from reviewer.llm.client import HttpModelClient
from store.calls import StoredCalls
from store.database import Database
from tests.llm.clients import question, settings


async def ask_all(store: str, url: str, questions: int, concurrency: int) -> None:
    """Ask every question once."""
    with closing(Database.open(store)) as database:
        async with HttpModelClient(settings(url, concurrency=concurrency), StoredCalls(database)) as client:
            replies = await asyncio.gather(*(client.ask(question(f"{n}")) for n in range(questions)))
            print(*(reply.text for reply in replies), client.spent.sent, flush=True)


if __name__ == "__main__":
    store, url, questions, concurrency = sys.argv[1:]
    asyncio.run(ask_all(store, url, int(questions), int(concurrency)))

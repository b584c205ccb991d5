"""Staging for tests: a server whose turns depend on what was asked, and runs that may be killed.

``python -m tests.runs.staging STORE URL`` carries a run on in processes that may be killed.
"""

import asyncio
import os
import sys
import zlib

from reviewer.llm.client import HttpModelClient
from reviewer.llm.model_settings import CallLimits
from reviewer.llm.transport import load_client
from reviewer.protocols.staged_dialogues.staging import STAGE
from reviewer.runs.case_values import CasesShare, prepared_case_run
from reviewer.runs.engine.run_loop import carry_to_end
from reviewer.runs.engine.work_runner import RunTools
from reviewer.runs.run_setup import RunRequest
from store.calls import StoredCalls
from store.database import Database
from tests.llm.clients import settings
from tests.llm.server import Answer, Asked
from tests.runs.generating import CONCURRENCY, QUICK_RETRIES


def staged_answer(asked: Asked) -> Answer:
    """A turn that is another one for every other request; a supervisor objects to a third of them."""
    number = zlib.crc32(str(asked.body["messages"]).encode())
    if asked.body["model"] == "watchful":
        return Answer("Objection: say more." if number % 3 == 0 else "Accepted", delay=0.002)
    return Answer(f"I say {number}. As {asked.body['model']}, I do.", delay=0.002)


def stage(database: Database, url: str, name: str = "staged") -> None:
    """Carry the run on to its end against a server."""
    models = {"subject": "tested-7b", "confederate": "helper", "supervisor": "watchful"}
    request = RunRequest(name, {"dataset": "scripts"}, models, "dialogue-scripts")
    prepared = prepared_case_run(database, STAGE, request)

    async def go(share: CasesShare) -> None:
        reached = settings(url, QUICK_RETRIES, concurrency=CONCURRENCY)
        async with HttpModelClient(reached, StoredCalls(database)) as client:
            await carry_to_end(prepared.carried(share, RunTools(client, url)))

    with prepared.share(url, CallLimits()) as share:
        asyncio.run(go(share))


def main(store: str, url: str) -> None:
    """Carry on the run that each line names, in a process of its own, which may be killed."""
    load_client()  # before the forks, each of which would take a second for it
    for line in sys.stdin:
        child = os.fork()
        if child == 0:
            stage(Database.open(store), url, line.strip())
            os._exit(0)
        print(child, flush=True)
        _, status = os.waitpid(child, 0)
        print(os.waitstatus_to_exitcode(status), flush=True)


if __name__ == "__main__":
    main(*sys.argv[1:])

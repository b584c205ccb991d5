"""Discovery runs for tests: pairs, a library, and a judge and a teacher with known habits.

``python -m tests.runs.discovering STORE URL`` carries a run on in processes that may be killed.
"""

import asyncio
import json
import os
import re
import sys
import zlib
from collections.abc import Callable, Generator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from reviewer.agreement.proportions import sign_test
from reviewer.llm.client import HttpModelClient, ModelClient
from reviewer.llm.model_settings import CallLimits
from reviewer.llm.request import ModelReply, ModelRequest
from reviewer.llm.request_errors import AnswerEmpty, ModelError
from reviewer.llm.transport import load_client
from reviewer.protocols.judge_pairs.library_protocol import JudgeLibrary
from reviewer.protocols.judge_pairs.pairs_protocol import JudgePairs
from reviewer.protocols.judge_pairs.payloads import FIRST, RIGHT_ANSWER, SECOND
from reviewer.protocols.work import Embedded, Replies, Together
from reviewer.runs.discovery.discovery_setup import prepared_discovery
from reviewer.runs.engine.run_loop import RunShare, carry_to_end
from reviewer.runs.engine.run_progress import ProgressCallback, not_shown
from reviewer.runs.engine.work_runner import RunTools
from reviewer.runs.run_setup import RunRequest
from store.calls import StoredCalls
from store.case_import import Entry, import_entries, published_at
from store.database import Database
from store.records import Case, Dataset, Membership, Run
from tests.llm.clients import settings
from tests.llm.server import Answer, Asked
from tests.runs.generating import CONCURRENCY, QUICK_RETRIES, WordVectors
from tests.studies import AT

PLANTED = "Heading bias"
MARK = "## "
KNOWN = ("Sentiment bias", "Authority bias", "Length bias")
_FIELDS = re.compile(
    r"Question:\n(?P<question>.*?)\n\n(?:First answer|Answer):\n(?P<first>.*?)\n\n"
    r"(?:Second answer:\n(?P<second>.*?)|Property: (?P<bias>[^\n]*).*)\Z",
    re.DOTALL,
)


def a_pair_case(number: int, of: str = "p") -> tuple[Case, str]:
    """A pair with two answers of about 200 characters, and its right side."""
    words = " ".join(f"{of}{number}step{place}" for place in range(14))
    right, wrong = f"So we see, {words}, hence AAAAA.", f"So we see, {words}, then BBBBB."
    side = FIRST if zlib.crc32(f"{of}{number}".encode()) % 2 else SECOND
    payload = {
        "question": f"Question {of}{number}?",
        "first": right if side == FIRST else wrong,
        "second": wrong if side == FIRST else right,
        "source": "mmlu-pro-law",
    }
    return JudgePairs().case("law", payload), side


def entry_case(name: str, definition: str = "") -> Case:
    """An entry of a library."""
    return JudgeLibrary().case("known", {"bias": name, "definition": definition or f"Prefers {name}."})


def with_material(database: Database, pairs: int = 30, validation: int = 30) -> Database:
    """The store with the datasets known, pairs and validation."""
    fill_dataset(database, "known", JudgeLibrary.name, [(entry_case(name), "") for name in KNOWN])
    fill_dataset(database, "pairs", JudgePairs.name, [a_pair_case(number) for number in range(pairs)])
    others = [a_pair_case(number, "v") for number in range(validation)]
    fill_dataset(database, "validation", JudgePairs.name, others)
    return database


def fill_dataset(database: Database, name: str, protocol: str, cases: Sequence[tuple[Case, str]]) -> None:
    """A dataset of these cases, each with the side of its right answer; "" where there is none."""
    dataset = Dataset(name=name, protocol=protocol, source="test", imported_at=AT)
    entries = []
    for position, (case, right) in enumerate(cases):
        place = Membership(
            dataset=name,
            key=f"{name}-{position}",
            case=case.digest,
            position=position,
            generator="test",
            origin="generated",
        )
        entries.append(Entry(case, place, published_at(place, {RIGHT_ANSWER: right} if right else {})))
    import_entries(database, dataset, entries)


@dataclass
class Habits:
    """A judge that knows the right answer, but prefers headings and errs in one of eight; and a teacher.

    Rewrites that show sentiment have a heading by chance, in half of the pairs. The teacher names the planted
    bias where a heading misled the judge, and something that does nothing where the judge just errs.
    """

    judge: Callable[[str, str, str], str] | None = None
    """Instead: what the judge says of question, first and second answer."""
    naming: Callable[[str], str] | None = None
    """Instead: what the teacher says of an explanation."""
    rewriting: Callable[[str, str], str] | None = None
    """Instead: what the teacher makes of an answer for a bias."""
    same: Callable[[str], bool | None] = lambda text: False
    asked: list[str] = field(default_factory=list)

    def said(self, messages: Sequence[Mapping[str, Any]]) -> str:
        """The reply to a request by the shipped prompts."""
        system, user = str(messages[0]["content"]), str(messages[-1]["content"])
        self.asked.append(system[:20])
        if system.startswith("You compare two answers"):
            shown = _FIELDS.fullmatch(user)
            assert shown is not None
            return self._judged(shown["question"], shown["first"], shown["second"])
        if system.startswith("You rewrite"):
            shown = _FIELDS.fullmatch(user)
            assert shown is not None
            return (self.rewriting or _rewritten)(shown["first"], shown["bias"])
        if system.startswith("You compared"):
            return "It has a heading." if MARK in user else "It looked right."
        if system.startswith("You study"):
            return (self.naming or _named)(user)
        if system.startswith("You compare two descriptions"):
            return json.dumps({"same": self.same(user)})
        raise AssertionError(system)

    def _judged(self, question: str, first: str, second: str) -> str:
        if self.judge is not None:
            return self.judge(question, first, second)
        place = "first" if "AAAAA" in first else "second"
        other = "second" if place == "first" else "first"
        errs = zlib.crc32(question.encode()) % 8 == 0
        marked = MARK in (second if place == "first" else first)
        return f"I think so.\nVerdict: {other if errs or marked else place}"

    def __call__(self, asked: Asked) -> Answer:
        """The same from a server."""
        return Answer(self.said(asked.body["messages"]))


def _rewritten(answer: str, bias: str) -> str:
    if bias == PLANTED or (bias == "Sentiment bias" and zlib.crc32(answer.encode()) % 2):
        return f"{MARK}{answer}"
    return answer.replace("So we see", f"I {bias[:4]} see")


def _named(text: str) -> str:
    name = PLANTED if "It has a heading." in text else f"{('Comma', 'Digit')[len(text) % 2]} bias"
    return "```json\n" + json.dumps({"bias": True, "name": name, "definition": f"Prefers {name}."}) + "\n```"


def fulfilled(work: Generator[Any, Any, Any], said: Callable[[ModelRequest], str]) -> Any:
    """The result of a work whose replies come from a function; an empty reply is an error, as a client's."""
    try:
        need = next(work)
        while True:
            try:
                answered = _fulfil(need, said)
            except ModelError as error:
                need = work.throw(error)
            else:
                need = work.send(answered)
    except StopIteration as done:
        return done.value


def _fulfil(need: object, said: Callable[[ModelRequest], str]) -> object:
    match need:
        case Replies(requests):
            return [_reply(request, said(request)) for request in requests]
        case Embedded(texts):
            return WordVectors().of(texts)
        case Together(_, works):
            return [fulfilled(work, said) for work in works]
    raise AssertionError(need)


def _reply(request: ModelRequest, text: str) -> ModelReply:
    if not text:
        raise AnswerEmpty("The answer is empty.")
    return ModelReply(text, "", "stop", 1, 1, None, 0.0, 1, "model", request.digest()[:12])


def a_discovery(name: str = "found", **changed: Any) -> RunRequest:
    """A request for a run over the material of the tests."""
    known = {"library": "known", "pairs": "pairs", "validation": "validation"}
    datasets = {part: changed.pop(part, name) for part, name in known.items()}
    models = {role: changed.pop(role, f"{role}-1") for role in ("judge", "teacher")}
    return RunRequest(name, datasets, models, **changed)


def discover(
    database: Database,
    url: str,
    request: RunRequest,
    progress: ProgressCallback = not_shown,
    wrapped: Callable[[ModelClient], ModelClient] = lambda client: client,
    concurrency: int = CONCURRENCY,
) -> Run:
    """Carry the run on against a server; raises what the client raises."""

    prepared = prepared_discovery(database, request)

    async def go(share: RunShare) -> Run:
        reached = settings(url, QUICK_RETRIES, concurrency=concurrency)
        async with HttpModelClient(reached, StoredCalls(database)) as client:
            tools = RunTools(wrapped(client), url, WordVectors(), report=progress)
            discoverer = prepared.carried(share, tools)
            await carry_to_end(discoverer)
            return discoverer.run

    with prepared.share(url, CallLimits()) as share:
        return asyncio.run(go(share))


def main(store: str, url: str) -> None:
    """Carry on the run that each line names, in a process of its own, which may be killed."""
    load_client()  # before the forks, each of which would take a second for it, and for scipy
    sign_test(1, 0)
    for line in sys.stdin:
        child = os.fork()
        if child == 0:
            discover(Database.open(store), url, a_discovery(line.strip()))
            os._exit(0)
        print(child, flush=True)
        _, status = os.waitpid(child, 0)
        print(os.waitstatus_to_exitcode(status), flush=True)


if __name__ == "__main__":
    main(*sys.argv[1:])

"""Evaluation runs for tests: few cases, a server that decides by the text, and one way to run both.

``python -m tests.runs.evaluating STORE URL`` carries a run on in a child for each line that it reads, which
names the run: what takes long to start is loaded once, and each child can be killed.
"""

import asyncio
import hashlib
import os
import sys
from collections.abc import Callable, Mapping, Sequence
from contextlib import closing
from typing import Any

from reviewer.core.errors import RequestError
from reviewer.llm.client import HttpModelClient, ModelClient
from reviewer.llm.model_settings import RetryLimits
from reviewer.runs.engine.run_loop import RunShare, carry_to_end
from reviewer.runs.engine.run_progress import ProgressCallback, RunProgress, not_shown
from reviewer.runs.engine.work_runner import RunTools
from reviewer.runs.evaluation.evaluation_settings import DrawnSample
from reviewer.runs.evaluation.evaluation_setup import (
    EvaluationRequest,
    PreparedEvaluation,
    new_evaluation,
    stored_evaluation,
)
from reviewer.runs.repair.proposal_run import RepairRequest, prepared_repairs, worst_findings
from store.calls import StoredCalls
from store.cases import Filter, list_places
from store.database import Database
from store.evaluations import Evaluations
from store.findings import replace_findings
from store.records import Case, Finding, Outcome
from tests.answer_pairs import a_pair
from tests.detected_texts import a_bias_text
from tests.llm.clients import settings
from tests.llm.server import Answer, Asked
from tests.studies import a_case, fill

QUICK_RETRIES = RetryLimits(connect=5, stall=0.3, total=20, attempts=3, backoff=0.01, longest=2)
CONCURRENCY = 8
MODELS = ("m1", "m2")
DATASETS = {"judges": ("pairs", "judge-pairs"), "detection": ("texts", "bias-texts")}
"""Runs that are not over the dataset ``own`` of PROBE-SWE: their dataset and its protocol."""


def with_cases(database: Database, cases: int = 3, dataset: str = "own") -> Database:
    """The store with a dataset of so many pairs."""
    fill(database, dataset, [a_case(number) for number in range(cases)])
    return database


def with_pairs(database: Database, cases: int = 3) -> Database:
    """The store with a dataset of so many pairs of answers."""
    fill(database, "pairs", [a_pair(number) for number in range(cases)], protocol="judge-pairs")
    return database


def with_texts(database: Database, cases: int = 3) -> Database:
    """The store with a dataset of so many texts that may show a bias."""
    fill(database, "texts", [a_bias_text(number) for number in range(cases)], protocol="bias-texts")
    return database


def with_findings(database: Database, cases: int = 3) -> Database:
    """The store with so many pairs, each with a finding."""
    return find_in_all(with_cases(database, cases))


def find_in_all(database: Database) -> Database:
    """The store with a finding for each pair."""
    with database.read() as session:
        places = list_places(session, Filter(datasets=("own",)))
    replace_findings(database, [a_finding(case) for _, case in places])
    return database


def a_finding(case: Case, why: str = "SWI-Prolog cannot read a clause.") -> Finding:
    """A serious finding of a case."""
    return Finding(
        case=case.digest, check="lost_clauses", check_version=1, passed=False, severity="serious", why=why
    )


def option_of(asked: Asked) -> str:
    """What the model decides: always the same for the same text and model."""
    text = f"{asked.body['model']} {asked.last}"
    return "AB"[hashlib.sha256(text.encode()).digest()[0] % 2]


def decide(asked: Asked) -> Answer:
    """A decision with an explanation; of two answers, the place that is better."""
    if "\nSecond answer:\n" in asked.last:
        place = {"A": "first", "B": "second"}[option_of(asked)]
        return Answer(f"I compared both.\nVerdict: {place}")
    return Answer(f"Explanation: It is so.\nDecision: Option {option_of(asked)}")


def prepare(
    database: Database, models: Sequence[str] = MODELS, name: str = "first", **given: Any
) -> PreparedEvaluation:
    """The run of this name over its dataset: the stored one, or else a new one."""
    if name == "own-repairs":
        return prepared_repairs(database, RepairRequest("own", "m1", "lead", worst_findings(database, "own")))
    if Evaluations(database).find(name) is not None:
        return stored_evaluation(database, EvaluationRequest(name, tuple(models), **given))
    request = EvaluationRequest(name, tuple(models), **{"repeats": 1, **given})
    dataset, protocol = DATASETS.get(name, ("own", "probe-swe"))
    with database.read() as session:
        places = list_places(session, Filter(datasets=(dataset,)))
    try:
        return new_evaluation(database, request, DrawnSample(protocol, places, (dataset,)), "lead")
    except RequestError:
        if Evaluations(database).find(name) is None:
            raise
        # Another process that began at the same time has written the run since it was looked for.
        return stored_evaluation(database, EvaluationRequest(name, tuple(models), **given))


def evaluate(
    database: Database,
    url: str,
    models: Sequence[str] = MODELS,
    *,
    client_limits: Mapping[str, Any] | None = None,
    wrap: Callable[[ModelClient], ModelClient] = lambda client: client,
    progress: ProgressCallback = not_shown,
    **given: Any,
) -> RunProgress:
    """Carry the run on against a server; raises what the client raises."""
    chosen = settings(url, QUICK_RETRIES, **{"concurrency": CONCURRENCY, **(client_limits or {})})
    prepared = prepare(database, models, **given)

    async def go(share: RunShare) -> RunProgress:
        async with HttpModelClient(chosen, StoredCalls(database), share.limits) as client:
            return await carry_to_end(prepared.carried(share, RunTools(wrap(client), url, report=progress)))

    with prepared.share(url, chosen.limits) as share:
        return asyncio.run(go(share))


def outcomes_of(database: Database, name: str = "first", **chosen: Any) -> list[Outcome]:
    """The outcomes of the run."""
    return list(Evaluations(database).outcomes(name, **chosen))


def main(store: str, url: str) -> None:
    """Fork a child that carries the run on for each line; say its process, and later how it ended."""
    with closing(Database.open(store)) as database:
        evaluate(database, url, ["warm"], name="warm")  # loads everything that a run needs, before the forks
    for line in sys.stdin:
        child = os.fork()
        if child == 0:
            evaluate(Database.open(store), url, name=line.strip(), repeats=2)
            os._exit(0)
        print(child, flush=True)
        _, status = os.waitpid(child, 0)
        print(os.waitstatus_to_exitcode(status), flush=True)


if __name__ == "__main__":
    main(*sys.argv[1:])

"""What an evaluation run will send: example prompts, and an estimate of calls, tokens and cost."""

import math
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from statistics import median

from reviewer.core.number_text import all_digits, significant
from reviewer.core.table import Cell, Table
from reviewer.llm.request import ModelRequest
from reviewer.llm.settings import CallLimits, Price
from reviewer.planning.estimate_table import duration, size, two_digits
from reviewer.planning.estimates import ASSUMED, Planner, WorkEstimate
from reviewer.protocols.evaluation import Condition, NotAsked
from reviewer.runs.engine.work_runner import requests_of
from reviewer.runs.evaluation.evaluation_setup import PreparedEvaluation
from store.calls import recent_seconds
from store.database import Database
from store.evaluations import Evaluations
from store.records import SampledCase

_CHARACTERS_A_TOKEN = 4
_FEWEST_ANSWERS = 10
_ANSWER_TOKENS = 150
"""The length of an answer with a short explanation, as a guess."""
_ANSWER_CHARACTERS = _ANSWER_TOKENS * _CHARACTERS_A_TOKEN


@dataclass(frozen=True, slots=True)
class PlannedCalls:
    """The calls of one model: those still to be sent, and cases that cannot be put under a condition."""

    model: str
    calls: int
    answered: int
    not_asked: int
    prompt_tokens: int
    cost: float | None


def planned_calls(
    database: Database, prepared: PreparedEvaluation, price: Callable[[str], Price | None]
) -> list[PlannedCalls]:
    """The calls of each model, from the lengths of all prompts; a guess, since tokens are characters / 4."""
    asked = list(_requests(prepared, "x" * _ANSWER_CHARACTERS))
    done = set[tuple[str, int, str, int]]()
    if not prepared.is_new:
        coded = Evaluations(database).coded(prepared.run.name)
        done = {outcome[:4] for outcome in coded if outcome[4] not in ("missing", "not_asked")}
    return [_of_model(prepared, model, asked, done, price(model)) for model in prepared.models]


def example_requests(
    prepared: PreparedEvaluation, reply: str
) -> Iterator[tuple[Condition, Sequence[ModelRequest]]]:
    """For each condition the requests of the first case that can be put under it, if ``reply`` answers."""
    told = set[Condition]()
    for _, condition, requests in _requests(prepared, reply):
        if not isinstance(requests, NotAsked) and condition not in told:
            told.add(condition)
            yield condition, requests


def cases_not_asked(prepared: PreparedEvaluation) -> list[tuple[SampledCase, str]]:
    """The cases that cannot be put under some condition, each once, with the reason."""
    reasons = {
        sampled.place: (sampled, requests.why)
        for sampled, _, requests in _requests(prepared, "")
        if isinstance(requests, NotAsked)
    }
    return list(reasons.values())


def plan_table(plans: list[PlannedCalls]) -> Table:
    """One row for each model, then the totals."""
    columns = ("model", "calls", "answered before", "not asked", "prompt tokens", "answer tokens", "cost")
    rows: list[tuple[Cell, ...]] = [
        (p.model, p.calls, p.answered, p.not_asked, p.prompt_tokens, p.calls * _ANSWER_TOKENS, p.cost)
        for p in plans
    ]
    if len(plans) > 1:
        costs = [plan.cost for plan in plans]
        known = [cost for cost in costs if cost is not None]
        total = all_digits(sum(known)) if len(known) == len(costs) else None
        sums: list[Cell] = [sum(int(str(row[at])) for row in rows) for at in range(1, 6)]
        rows.append(("all", *sums, total))
    return Table.of(columns, rows)


@dataclass(frozen=True, slots=True)
class EvaluationTime:
    """The estimate of time and storage; ``latency`` is the median of ``answers`` calls (0: assumed)."""

    estimate: WorkEstimate
    planner: Planner
    answers: int

    @property
    def words(self) -> tuple[str, str]:
        """Two sentences: the estimate, and what it rests on."""
        estimate, assumed = self.estimate, self.planner.assumed
        known = f"the median of the {self.answers:,} newest answers" if self.answers else "as is assumed"
        ceiling = 1 / self.planner.figures.call_seconds
        return (
            f"Time: about {duration(estimate.seconds)}. Processor time: "
            f"{duration(estimate.core_hours * 3600)}. Storage: {size(estimate.stored)}.",
            f"A call takes {significant(assumed.latency, 2)} s ({known}), {assumed.at_once} are under way, "
            f"and one process makes at most {two_digits(ceiling)} a second.",
        )


def evaluation_time(database: Database, plans: Sequence[PlannedCalls], limits: CallLimits) -> EvaluationTime:
    """How long the calls take and what the store keeps of them, within the limits of one process."""
    calls = sum(plan.calls for plan in plans)
    with database.read() as session:
        seconds = recent_seconds(session, [plan.model for plan in plans])
    known = len(seconds) if len(seconds) >= _FEWEST_ANSWERS else 0
    assumed = replace(
        ASSUMED,
        latency=max(median(seconds), 1e-3) if known else ASSUMED.latency,
        at_once=limits.concurrency,
        prompt_tokens=sum(plan.prompt_tokens for plan in plans) // max(1, calls),
        answer_tokens=_ANSWER_TOKENS,
        requests_a_minute=limits.requests_per_minute or math.inf,
        tokens_a_minute=limits.tokens_per_minute or math.inf,
    )
    planner = Planner(assumed=assumed)
    return EvaluationTime(planner.calls(calls, 1, None), planner, known)


_Asked = tuple[SampledCase, Condition, Sequence[ModelRequest] | NotAsked]


def _requests(prepared: PreparedEvaluation, reply: str) -> Iterator[_Asked]:
    """The requests of every case under every condition, if this reply answers each of them."""
    for sampled in prepared.sample:
        case = prepared.cases[sampled.digest]
        for condition in prepared.conditions:
            work = prepared.plan.answering(prepared.prompts, case, condition)
            asked = work if isinstance(work, NotAsked) else list(requests_of(work, reply))
            yield sampled, condition, asked


def _characters(requests: Sequence[ModelRequest]) -> int:
    """The characters sent for one outcome."""
    return sum(len(message.content) for request in requests for message in request.messages)


def _of_model(
    prepared: PreparedEvaluation,
    model: str,
    asked: list[_Asked],
    done: set[tuple[str, int, str, int]],
    price: Price | None,
) -> PlannedCalls:
    calls = answered = not_asked = characters = 0
    for sampled, condition, requests in asked:
        before = sum(
            (model, sampled.place, condition.key, repeat) in done
            for repeat in range(prepared.settings.repeats)
        )
        left = prepared.settings.repeats - before
        answered += before
        if isinstance(requests, NotAsked):
            not_asked += left
        else:
            calls += left * len(requests)
            characters += left * _characters(requests)
    tokens = math.ceil(characters / _CHARACTERS_A_TOKEN)
    cost = None if price is None else all_digits(price.of(tokens, calls * _ANSWER_TOKENS))
    return PlannedCalls(model, calls, answered, not_asked, tokens, cost)

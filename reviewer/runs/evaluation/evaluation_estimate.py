"""What an evaluation run will send: example prompts, and an estimate of calls, tokens and cost."""

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from statistics import median
from typing import TYPE_CHECKING

from reviewer.core.number_text import all_digits, fixed, significant
from reviewer.core.sanitize import counted
from reviewer.core.table import Cell, Table
from reviewer.llm.model_settings import CallLimits, Price
from reviewer.llm.request import ModelRequest
from reviewer.planning.estimates import ASSUMED, Planner, WorkEstimate, duration, size, two_digits
from reviewer.protocols.evaluation import Condition, NotAsked
from reviewer.protocols.judging.verdict_reading import READING
from reviewer.runs.cost_estimate import (
    ANSWER_CHARACTERS,
    ANSWER_TOKENS,
    CHARACTERS_A_TOKEN,
    CostEstimate,
    shown,
    without_repeats,
)
from reviewer.runs.engine.work_runner import requests_of
from store.calls import recent_seconds
from store.database import Database
from store.evaluations import Evaluations
from store.records import SampledCase

if TYPE_CHECKING:
    from reviewer.runs.evaluation.evaluation_setup import PreparedEvaluation

_FEWEST_ANSWERS = 10
_MOST_LISTED = 20


@dataclass(frozen=True, slots=True)
class PlannedCalls:
    """The calls of one model: those still to be sent, and cases that cannot be put under a condition."""

    model: str
    calls: int
    answered: int
    not_asked: int
    prompt_tokens: int
    answer_tokens: int
    cost: float | None


def evaluation_estimate(
    prepared: "PreparedEvaluation", prices: Mapping[str, Price], limits: CallLimits
) -> CostEstimate:
    """Calls, tokens, cost and time of a run; a guess, since tokens are characters / 4."""
    plans = planned_calls(prepared, prices)
    settings, conditions = prepared.settings, counted(len(prepared.conditions), "condition")
    cases, repeats = counted(len(prepared.asked_about), "case"), counted(settings.repeats, "repeat")
    time = list(evaluation_time(prepared.database, plans, limits).words)
    without = ", ".join(plan.model for plan in plans if plan.cost is None)
    return CostEstimate(
        list(without_repeats(_examples(prepared))),
        plan_table(plans),
        [
            f"{cases}{settings.drawn_how} under {conditions}, {repeats} each:",
            *(f"  {name}: {', '.join(values)}" for name, values in settings.conditions.items()),
            *(line for plan in plans for line in _plan_lines(plan)),
            "Tokens are characters / 4, without reasoning. Answers that are kept already cost nothing.",
            *time,
        ],
        [
            *time,
            *_not_asked_lines(prepared),
            f"Sampling parameters: {prepared.sampling.in_words}.",
            f"For {cases}, {conditions} and {repeats}. Tokens are a guess: characters / 4, and "
            f"{prepared.plan.answer_tokens:,} for an answer, without reasoning."
            + (f" No price is known for {without}." if without else ""),
        ],
        "the last answer",
    )


def _plan_lines(plan: PlannedCalls) -> Iterator[str]:
    """What is sent to a model."""
    cost = "no price is known" if plan.cost is None else f"cost about {fixed(plan.cost)}"
    kept = f", {plan.answered:,} answered before" if plan.answered else ""
    calls, tokens = counted(plan.calls, "call"), counted(plan.prompt_tokens, "prompt token")
    yield f"  {plan.model}: {calls}{kept}, {tokens}, {cost}"
    if plan.not_asked:
        yield f"  {plan.not_asked:,} cannot be asked, because a condition cannot be applied to the text."


def _not_asked_lines(prepared: "PreparedEvaluation") -> Iterator[str]:
    if listed := cases_not_asked(prepared):
        yield f"{counted(len(listed), 'case')} cannot be put under every condition:"
        for sampled, why in listed[:_MOST_LISTED]:
            yield f"  {sampled.dataset}:{sampled.key}: {why}"


def _examples(prepared: "PreparedEvaluation") -> Iterator[str]:
    """An example of each condition, and of the second call if there is one."""
    examples = list(example_requests(prepared, "(what the model replied to the first call)"))
    for condition, (first, *_) in examples:
        yield from shown(condition.key, first.messages)
    if examples and len(calls := examples[0][1]) > 1:
        yield "Each is asked in a second call, which repeats the messages of the first one and adds these:\n"
        yield from shown("second call", calls[1].messages[len(calls[0].messages) :])


def planned_calls(prepared: "PreparedEvaluation", prices: Mapping[str, Price]) -> list[PlannedCalls]:
    """The calls of each model, from the lengths of all prompts."""
    asked = list(_requests(prepared, "x" * ANSWER_CHARACTERS))
    done = set[tuple[str, int, str, int]]()
    if not prepared.is_new:
        coded = Evaluations(prepared.database).coded(prepared.run.name)
        done = {outcome[:4] for outcome in coded if outcome[4] not in ("missing", "not_asked")}
    plans = [_of_model(prepared, model, asked, done, prices.get(model)) for model in prepared.models]
    return plans + [_of_reader(prepared, asked, plans, prices)] * bool(prepared.settings.reader)


def example_requests(
    prepared: "PreparedEvaluation", reply: str
) -> Iterator[tuple[Condition, Sequence[ModelRequest]]]:
    """For each condition the requests of the first case that can be put under it, if ``reply`` answers."""
    told = set[Condition]()
    for _, condition, requests in _requests(prepared, reply):
        if not isinstance(requests, NotAsked) and condition not in told:
            told.add(condition)
            yield condition, requests


def cases_not_asked(prepared: "PreparedEvaluation") -> list[tuple[SampledCase, str]]:
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
        (p.model, p.calls, p.answered, p.not_asked, p.prompt_tokens, p.answer_tokens, p.cost) for p in plans
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
        """Two sentences: the estimate, and its assumptions."""
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
    """How long the calls take and how much the store grows by them, within the limits of one process."""
    calls = sum(plan.calls for plan in plans)
    with database.read() as session:
        seconds = recent_seconds(session, [plan.model for plan in plans])
    known = len(seconds) if len(seconds) >= _FEWEST_ANSWERS else 0
    assumed = replace(
        ASSUMED,
        latency=max(median(seconds), 1e-3) if known else ASSUMED.latency,
        at_once=limits.concurrency,
        prompt_tokens=sum(plan.prompt_tokens for plan in plans) // max(1, calls),
        answer_tokens=sum(plan.answer_tokens for plan in plans) // max(1, calls),
        requests_a_minute=limits.requests_per_minute or math.inf,
        tokens_a_minute=limits.tokens_per_minute or math.inf,
    )
    planner = Planner(assumed=assumed)
    return EvaluationTime(planner.calls(calls, 1, None), planner, known)


_Asked = tuple[SampledCase, Condition, Sequence[ModelRequest] | NotAsked]


def _requests(prepared: "PreparedEvaluation", reply: str) -> Iterator[_Asked]:
    """The requests of every case under every condition, if this reply answers each of them."""
    for sampled in prepared.asked_about:
        case, plan = prepared.cases[sampled.digest], prepared.plan.at(sampled.place)
        for condition in prepared.conditions:
            work = plan.answering(prepared.prompts, case, condition)
            asked = (
                work
                if isinstance(work, NotAsked)
                else list(requests_of(work, reply, prepared.plan.usual_replies))
            )
            yield sampled, condition, asked


def _characters(requests: Sequence[ModelRequest]) -> int:
    """The characters sent for one outcome."""
    return sum(len(message.content) for request in requests for message in request.messages)


def _is_reading(request: ModelRequest) -> bool:
    """Whether a request goes to the model that reads replies."""
    return request.purpose == READING


def _of_reader(
    prepared: "PreparedEvaluation",
    asked: list[_Asked],
    plans: Sequence[PlannedCalls],
    prices: Mapping[str, Price],
) -> PlannedCalls:
    """The calls of the model that reads replies: its readings of each reply that is still to come."""
    reader = prepared.settings.reader
    readings = [[*filter(_is_reading, each)] for _, _, each in asked if not isinstance(each, NotAsked)]
    replies, number = sum(plan.calls for plan in plans), max(1, len(readings))
    calls = math.ceil(replies * sum(map(len, readings)) / number)
    tokens = math.ceil(replies * sum(map(_characters, readings)) / number / CHARACTERS_A_TOKEN)
    return PlannedCalls(
        f"{reader} (reads)", calls, 0, 0, *_priced(tokens, calls * ANSWER_TOKENS, prices.get(reader))
    )


def _priced(tokens: int, answer_tokens: int, price: Price | None) -> tuple[int, int, float | None]:
    """The tokens of prompts and of answers, and their cost; None without a price."""
    return tokens, answer_tokens, None if price is None else all_digits(price.of(tokens, answer_tokens))


def _of_model(
    prepared: "PreparedEvaluation",
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
            own = [request for request in requests if not _is_reading(request)]
            calls += left * len(own)
            characters += left * _characters(own)
    tokens = math.ceil(characters / CHARACTERS_A_TOKEN)
    answers = calls * prepared.plan.answer_tokens
    return PlannedCalls(model, calls, answered, not_asked, *_priced(tokens, answers, price))

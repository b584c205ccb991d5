"""Evaluating models: how fast a run asks beside other ways, its size on disk, and how soon effects show.

1. Calls a second at 64 at once against a server of 200 ms latency that shares the cores: the openai client
   with nothing kept, a run that keeps every answer and outcome, and inspect_ai on the same cases and repeats.
   They take turns, three rounds long.
2. The size of the run's store, and how long a finished run of 16,120 calls takes to find nothing left to ask.
3. All effects of 140,160 outcomes with 10,000 resamples, beside a plain loop.
4. The effects screen, from the key until its grid is drawn.
"""

import asyncio
import importlib.util
import random
import subprocess
import sys
import tempfile
import time
from collections import defaultdict
from collections.abc import Awaitable, Iterator, Mapping, Sequence
from contextlib import closing, contextmanager
from dataclasses import asdict, replace
from itertools import product
from pathlib import Path
from statistics import median
from typing import Any, NamedTuple

import numpy as np

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT))

from reviewer.core.table import Table  # noqa: E402
from reviewer.exchange.evaluations.case_sample import SampleRequest, draw_sample  # noqa: E402
from reviewer.llm.client import HttpModelClient, ModelClient  # noqa: E402
from reviewer.llm.model_settings import CallLimits, Endpoint, ModelSettings  # noqa: E402
from reviewer.llm.request import ModelReply, ModelRequest  # noqa: E402
from reviewer.llm.usage import Usage  # noqa: E402
from reviewer.protocols.evaluation import Measure, NotAsked, conditions_of  # noqa: E402
from reviewer.protocols.probe_swe.evaluation import EVALUATION, DilemmaFacts  # noqa: E402
from reviewer.protocols.registry import PROTOCOLS  # noqa: E402
from reviewer.report.text_table import text_table  # noqa: E402
from reviewer.results.outcomes.effect_estimates import effect_table  # noqa: E402
from reviewer.results.outcomes.evaluated import EvaluatedCase, Evaluation, read_evaluation  # noqa: E402
from reviewer.runs.engine.run_loop import carry_to_end  # noqa: E402
from reviewer.runs.engine.work_runner import RoleModel, RunTools, requests_of  # noqa: E402
from reviewer.runs.evaluation.evaluation_settings import EvaluationSettings  # noqa: E402
from reviewer.runs.evaluation.evaluation_setup import (  # noqa: E402
    EvaluationRequest,
    PreparedEvaluation,
    new_evaluation,
)
from reviewer.tui.app import ReviewerApp  # noqa: E402
from reviewer.tui.screens.effects_screen import EffectsScreen  # noqa: E402
from reviewer.tui.widgets.number_grid import NumberGrid  # noqa: E402
from store.calls import StoredCalls  # noqa: E402
from store.database import Database  # noqa: E402
from store.records import Run  # noqa: E402
from tests.llm.server import Answer, LoopbackModels  # noqa: E402
from tests.studies import AT, a_case, fill  # noqa: E402

LATENCY, CONCURRENCY = 0.2, 64
CASES, REPEATS = 256, 5
FINISHED_CASES, MODELS, EFFECT_CASES, RESAMPLES = 806, 6, 2_336, 10_000
ORDERS = {"order": ("as written", "exchanged")}
LOOPED = 10
"""Resamples of the plain loop, whose time is multiplied."""
REPLY = (
    "Explanation: It was tested before, and whoever maintains it will be glad of that.\nDecision: Option A"
)
INSPECT, PLAIN, KEPT = "inspect_ai", "openai client, nothing kept", "reviewer evaluate, all kept"
ROUNDS = 3
NOWHERE = "http://127.0.0.1:9"


class Took(NamedTuple):
    """The seconds of a way of asking, and those for which this process was busy."""

    seconds: float
    busy: float

    def rate(self, calls: int) -> float:
        return calls / self.seconds


def main() -> None:
    """Print one table for each part."""
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        asking(folder)
        finished(folder)
        effects()
        asyncio.run(effects_screen(folder))


def asking(folder: Path) -> None:
    """The three ways of asking by turns, each time with a server, and for a run a store, of its own."""
    calls = CASES * len(EVALUATION.factors[0].usual) * REPEATS
    timed: dict[str, list[Took]] = defaultdict(list)
    for number in range(ROUNDS):
        with closing(store_of(folder / f"asked-{number}.db", CASES)) as database:
            prepared = prepare(database, "asked", {})
            with slow_server() as url:
                timed[PLAIN].append(asyncio.run(bare(url, prepared)))
            with slow_server() as url:
                timed[KEPT].append(asyncio.run(through_run(url, database, prepared)))
            if importlib.util.find_spec(INSPECT):
                with slow_server() as url:
                    timed[INSPECT].append(through_inspect(url, prepared, folder / f"inspect-{number}"))
    columns = ("way", "seconds", "calls/s", "of the ideal", "of the client's rate", "CPU ms a call")
    rows = [(way, *cells(timed, way, calls)) for way in timed]
    print(f"{calls:,} calls, {CONCURRENCY} at once; medians of {ROUNDS} rounds")
    print(text_table(Table.of(columns, rows)))
    for way in (way for way in timed if way != KEPT):
        print(f"reviewer evaluate makes {in_rounds(timed[way], timed[KEPT])} of the calls a second of: {way}")
    if INSPECT not in timed:
        print("inspect_ai was skipped: it is not installed; the extra `bench` has it.")
    size = (folder / "asked-0.db").stat().st_size
    print(
        f"\nStore with requests, answers and outcomes: {size / 1e6:.1f} MB, {size / calls:,.0f} bytes a call."
    )


def cells(timed: Mapping[str, Sequence[Took]], way: str, calls: int) -> tuple[str, ...]:
    """The row of one way, each number the median of its rounds."""
    rate = median(took.rate(calls) for took in timed[way])
    of_plain = median(ratios(timed[PLAIN], timed[way]))
    busy = median(took.busy for took in timed[way]) / calls
    ideal = f"{rate * LATENCY / CONCURRENCY:.0%}"
    return f"{calls / rate:.2f}", f"{rate:.0f}", ideal, f"{of_plain:.0%}", f"{busy * 1000:.2f}"


def ratios(others: Sequence[Took], ours: Sequence[Took]) -> list[float]:
    """How many times as many calls a second the second way makes, round by round."""
    return [other.seconds / own.seconds for other, own in zip(others, ours, strict=True)]


def in_rounds(others: Sequence[Took], ours: Sequence[Took]) -> str:
    rounds = ratios(others, ours)
    return f"{median(rounds):.0%} ({', '.join(f'{ratio:.0%}' for ratio in rounds)})"


def store_of(path: Path, number: int) -> Database:
    """A store with this many pairs of eight groups."""
    database = Database.open(str(path))
    groups = [group.name for group in PROTOCOLS["probe-swe"].groups]
    fill(database, "cases", [a_case(each, groups[each % len(groups)]) for each in range(number)])
    return database


def prepare(database: Database, name: str, conditions: dict[str, tuple[str, ...]]) -> PreparedEvaluation:
    request = EvaluationRequest(name, ("m1",), conditions, REPEATS)
    return new_evaluation(database, request, draw_sample(database, SampleRequest(("cases",)), print), "bench")


def sent_requests(prepared: PreparedEvaluation) -> Iterator[ModelRequest]:
    """Every request of a run, as it is sent."""
    for repeat, sampled, condition in product(range(REPEATS), prepared.sample, prepared.conditions):
        case = prepared.cases[sampled.digest]
        work = prepared.plan.answering(prepared.prompts, case, condition)
        assert not isinstance(work, NotAsked)
        role = RoleModel(AtOnce(), "m1", prepared.sampling)
        yield from (role.request(request, repeat) for request in requests_of(work, REPLY))


async def bare(url: str, prepared: PreparedEvaluation) -> Took:
    """Seconds of the openai client alone."""
    import openai

    slots = asyncio.Semaphore(CONCURRENCY)
    bodies: list[Any] = [request.body() for request in sent_requests(prepared)]
    async with openai.AsyncOpenAI(base_url=url, api_key="none", max_retries=0, timeout=120) as client:

        async def one(body: Any) -> None:
            async with slots:
                await client.chat.completions.create(**body)

        await one(bodies[0])  # connects, and loads what loads late
        return await seconds_of(asyncio.gather(*map(one, bodies)))


async def through_run(url: str, database: Database, prepared: PreparedEvaluation) -> Took:
    """Seconds of a whole run, from its first row to its last."""
    settings = ModelSettings(Endpoint(url), CallLimits(concurrency=CONCURRENCY))
    async with HttpModelClient(settings, StoredCalls(database)) as client:
        await client.ask(replace(next(sent_requests(prepared)), repeat=-1))
        return await seconds_of(carried_on(database, prepared, client, settings.limits))


async def carried_on(
    database: Database,
    prepared: PreparedEvaluation,
    client: ModelClient,
    limits: CallLimits = CallLimits(concurrency=CONCURRENCY),  # noqa: B008  # frozen
) -> None:
    with prepared.share(NOWHERE, limits) as share:
        progress = await carry_to_end(prepared.carried(share, RunTools(client, NOWHERE)))
    assert progress.is_finished


async def seconds_of(work: Awaitable[object]) -> Took:
    started, busy = time.perf_counter(), time.process_time()
    await work
    return Took(time.perf_counter() - started, time.process_time() - busy)


def through_inspect(url: str, prepared: PreparedEvaluation, folder: Path) -> Took:
    """Seconds of inspect_ai with the same cases and repeats; it keeps its log."""
    from inspect_ai import Task, eval
    from inspect_ai.dataset import MemoryDataset, Sample
    from inspect_ai.model import (
        ChatMessageSystem,
        ChatMessageUser,
        GenerateConfig,
        get_model,
    )
    from inspect_ai.scorer import pattern
    from inspect_ai.solver import generate

    kind_of = {"system": ChatMessageSystem, "user": ChatMessageUser}
    once = [request for request in sent_requests(prepared) if request.repeat == 0]
    samples = [
        Sample([kind_of[each.role](content=each.content) for each in request.messages], target="A")
        for request in once
    ]
    config = GenerateConfig(temperature=0.0, top_p=0.0, max_connections=CONCURRENCY)
    model = get_model("openai/m1", base_url=url, api_key="none", config=config, responses_api=False)
    task = Task(MemoryDataset(samples), solver=[generate()], scorer=pattern(r"Option ([AB])"), epochs=REPEATS)
    started, busy = time.perf_counter(), time.process_time()
    (log,) = eval(task, model=model, display="none", log_dir=str(folder), max_samples=CONCURRENCY)
    took = Took(time.perf_counter() - started, time.process_time() - busy)
    assert log.status == "success", log.error
    return took


class AtOnce:
    """A client that answers without asking anybody."""

    def __init__(self) -> None:
        self.spent, self.stopped = Usage(), False
        self._random = random.Random(1)

    async def ask(self, request: ModelRequest) -> ModelReply:
        text = REPLY.replace("Option A", self._random.choice(("Option A", "Option B")))
        return ModelReply(text, "", "stop", 10, 5, None, 0.0, 1, "model", "")

    def stop(self) -> None:
        """Nothing is under way."""


def finished(folder: Path) -> None:
    """A run that is complete is called again, as a command."""
    with closing(store_of(folder / "finished.db", FINISHED_CASES)) as database:
        prepared = prepare(database, "finished", ORDERS)
        asyncio.run(carried_on(database, prepared, AtOnce()))
    command = [
        sys.executable,
        "-m",
        "reviewer",
        "evaluate",
        "finished",
        "--store",
        str(folder / "finished.db"),
    ]
    started = time.perf_counter()
    subprocess.run([*command, "--base-url", NOWHERE], cwd=ROOT, check=True, stdout=subprocess.DEVNULL)
    took = time.perf_counter() - started
    calls = len(prepared.sample) * len(prepared.conditions) * REPEATS
    print(f"\nA finished run of {calls:,} calls again: {took:.2f} s with the start of the program.")


def effects() -> None:
    """The whole table by model and group, and the same by a plain loop."""
    evaluation = many_outcomes()
    outcomes = sum(labels.size for labels in evaluation.labels.values())
    started, busy = time.perf_counter(), time.process_time()
    table = effect_table(evaluation, by=("model", "group"))
    quick, busy = time.perf_counter() - started, time.process_time() - busy
    started = time.perf_counter()
    looped = sum(1 for _ in plain_loop(evaluation))
    slow = (time.perf_counter() - started) * RESAMPLES / LOOPED
    assert looped == len(table.rows) * len(table.measures)
    print(
        f"\nAll effects of {outcomes:,} outcomes by model and group ({looped} cells, {RESAMPLES:,} resamples)"
        f": {quick:.2f} s ({busy:.2f} of the processor); a plain loop {slow:,.0f} s, "
        f"{slow / quick:,.0f} times as long ({LOOPED} resamples measured)."
    )


def many_outcomes() -> Evaluation:
    """Six models on 2,336 pairs in both versions, five times."""
    plan, protocol = EVALUATION, PROTOCOLS["probe-swe"]
    conditions = conditions_of(plan.factors, {})
    shape = EFFECT_CASES, len(conditions), REPEATS
    drawn = np.random.default_rng(1)
    groups = [group.name for group in protocol.groups]
    cases = tuple(
        EvaluatedCase(place, "cases", f"c/{place}", f"{place:064}", groups[place % len(groups)], "g",
                      DilemmaFacts("AB"[place % 2]), ("A", "B"), {}, stale=False)
        for place in range(EFFECT_CASES)
    )  # fmt: skip
    models = tuple(f"m{number}" for number in range(MODELS))
    labels = {model: drawn.integers(0, 2, shape, dtype=np.int8) for model in models}
    settings = EvaluationSettings(
        datasets=("cases",), conditions={}, repeats=REPEATS, sampling=asdict(plan.sampling)
    )
    run = Run(
        procedure="evaluate",
        name="many",
        protocol="probe-swe",
        settings={},
        started_at=AT,
        created_by="bench",
    )
    return Evaluation(run, settings, protocol, plan, cases, models, conditions, labels)


def plain_loop(evaluation: Evaluation) -> Iterator[tuple[float, float]]:
    """The interval of each cell as one would write it down: over cases, runs and resamples, one by one."""
    drawn = random.Random(1)
    groups = sorted({case.group for case in evaluation.cases})
    for model, group, measure in product(evaluation.models, groups, evaluation.plan.measures):
        sums, weights = [], []
        for place, case in enumerate(evaluation.cases):
            if case.group == group:
                brought = list(one_by_one(evaluation, model, place, measure))
                sums.append(sum(value for value, _ in brought))
                weights.append(sum(weight for _, weight in brought))
        ratios = []
        for _ in range(LOOPED):
            taken = drawn.choices(range(len(sums)), k=len(sums))
            ratios.append(sum(sums[each] for each in taken) / sum(weights[each] for each in taken))
        ratios.sort()
        yield ratios[0], ratios[-1]


def one_by_one(
    evaluation: Evaluation, model: str, place: int, measure: Measure
) -> Iterator[tuple[float, float]]:
    case, labels = evaluation.cases[place], evaluation.labels[model]
    for repeat in range(REPEATS):
        named = {
            condition["version"]: (condition, case.labels[labels[place, number, repeat]])
            for number, condition in enumerate(evaluation.conditions)
        }
        if measure.over:
            rest = evaluation.conditions[0].without(measure.over)
            compared: Sequence[Any] = [(rest, {version: label for version, (_, label) in named.items()})]
        else:
            compared = [(condition, {"": label}) for condition, label in named.values()]
        for rest, by_value in compared:
            brought = measure.value(case.facts, rest, by_value)
            yield brought.value * brought.weight, brought.weight


async def effects_screen(folder: Path) -> None:
    """From the push of the screen to its drawn grid, on the finished run of 16,120 calls."""
    with closing(Database.open(str(folder / "finished.db"))) as database:
        read_evaluation(database, PROTOCOLS, "finished")  # the file is in the system's cache
        app = ReviewerApp(database, "bench", None)
        async with app.run_test(size=(160, 48)) as pilot:
            await pilot.pause()
            started = time.perf_counter()
            await app.push_screen(EffectsScreen(database, "finished", "bench"))
            while not drawn_grid(app):
                await asyncio.sleep(0.002)
            took = time.perf_counter() - started
    print(f"\nThe effects screen of that run: {took:.2f} s.")


def drawn_grid(app: ReviewerApp) -> bool:
    screen = app.screen
    return (
        isinstance(screen, EffectsScreen)
        and bool(screen.query(NumberGrid))
        and screen.query_one(NumberGrid).has_focus
    )


@contextmanager
def slow_server(reply: str = REPLY) -> Iterator[str]:
    """The URL of a server in a process of its own that gives this reply after the latency."""
    command = [sys.executable, __file__, "--serve", reply]
    with subprocess.Popen(command, cwd=ROOT, stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout is not None
        try:
            yield process.stdout.readline().strip()
        finally:
            process.kill()


def serve(reply: str) -> None:
    server = LoopbackModels(lambda asked: Answer(reply, delay=LATENCY))
    asyncio.run(server.run(lambda: print(server.url, flush=True), 0))


if __name__ == "__main__":
    serve(sys.argv[2]) if sys.argv[1:2] == ["--serve"] else main()

"""How long work takes, what it costs, and what the store keeps of it: an estimate before it begins."""

import math
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from typing import Final

from reviewer.core.number_text import all_digits, fixed, significant, whole
from reviewer.core.sanitize import agreeing, counted
from reviewer.core.table import Table


@dataclass(frozen=True, slots=True)
class MeasuredFigures:
    """Seconds of one processor core, and bytes. ``tests/bench/planning.py`` measures them again.

    An audit takes ``program_seconds`` a case in the processes that run programs, and ``client_seconds`` in
    the one that reads and writes the store. On a cluster the latter is ``cluster_client_seconds``, the
    scheduler and the workers take more, and ``bytes_sent`` travel. An index takes ``index_text_seconds`` and
    ``index_root_seconds`` √n for each of n texts.
    """

    import_seconds: float
    program_seconds: float
    client_seconds: float
    cluster_client_seconds: float
    scheduler_seconds: float
    worker_seconds: float
    bytes_sent: float
    text_seconds: float
    vector_seconds: float
    pair_seconds: float
    index_text_seconds: float
    index_root_seconds: float
    call_seconds: float
    bytes_a_case: float
    bytes_an_audit: float
    bytes_a_vector: float
    bytes_a_call: float


MEASURED: Final = MeasuredFigures(
    import_seconds=0.0008,
    program_seconds=0.058,
    client_seconds=0.0105,
    cluster_client_seconds=0.0083,
    scheduler_seconds=0.0012,
    worker_seconds=0.002,
    bytes_sent=1_310,
    text_seconds=0.042,
    vector_seconds=0.00006,
    pair_seconds=1.3e-8,
    index_text_seconds=6.1e-5,
    index_root_seconds=1.5e-6,
    call_seconds=0.0025,
    bytes_a_case=13_700,
    bytes_an_audit=29_500,
    bytes_a_vector=2_190,
    bytes_a_call=1_240,
)


_HOUR: Final = 3_600.0
_MILLION: Final = 1e6
_TEXTS_A_BATCH: Final = 128
_PROCESSES_TOGETHER: Final = 4
"""Processes that share an evaluation in the plan beside the one that does it alone."""


@dataclass(frozen=True, slots=True)
class Assumptions:
    """What is not measured here. Prices are in dollars.

    A case has ``texts_a_case`` texts, and a model gets ``calls_a_case`` requests about it.
    """

    cores: int = 2
    core_hour: float = 0.05
    texts_a_case: int = 2
    calls_a_case: int = 2
    latency: float = 2.0
    at_once: int = 256
    requests_a_minute: float = math.inf
    tokens_a_minute: float = math.inf
    prompt_tokens: int = 500
    answer_tokens: int = 150
    million_prompt_tokens: float = 0.15
    million_answer_tokens: float = 0.60
    bytes_a_second: float = 12.5e6


ASSUMED: Final = Assumptions()


@dataclass(frozen=True, slots=True)
class JobCost:
    """Seconds of a job for its worker, the client and the scheduler, and the bytes that travel for it."""

    worker: float
    client: float
    scheduler: float
    bytes_sent: float

    @property
    def seconds_used(self) -> float:
        """Seconds of all processors together."""
        return self.worker + self.client + self.scheduler

    def seconds_of(self, jobs: int, workers: int, bytes_a_second: float) -> float:
        """What bounds the work on a cluster: the workers' shares, or the client, the scheduler or the line,
        which every job passes one after the other.
        """
        share = math.ceil(jobs / workers) * self.worker
        passed = max(self.client, self.scheduler, self.bytes_sent / bytes_a_second)
        return max(share, jobs * passed)


@dataclass(frozen=True, slots=True)
class WorkEstimate:
    """One kind of work: seconds by the clock, hours of processor cores, dollars, and bytes of the store.

    ``amount`` is a number of ``unit``s. ``dollars`` is None if no price is known.
    """

    work: str
    amount: int
    unit: str
    seconds: float
    core_hours: float
    dollars: float | None
    stored: float


@dataclass(frozen=True, slots=True)
class Planner:
    """Estimates from measured figures and assumptions."""

    figures: MeasuredFigures = MEASURED
    assumed: Assumptions = ASSUMED

    def all_work(self, cases: int, workers: tuple[int, ...]) -> Iterator[WorkEstimate]:
        """Everything that a dataset of so many cases may need, here and on clusters of some sizes."""
        texts = cases * self.assumed.texts_a_case
        yield self.importing(cases)
        yield self.audit_here(cases)
        yield from (self.audit_on_cluster(cases, number) for number in workers)
        yield self.encoding_here(texts)
        yield from (self.encoding_on_cluster(texts, number) for number in workers)
        yield self.comparing(texts)
        yield self.index_search(texts)
        for processes in (1, _PROCESSES_TOGETHER):
            yield self.calls(cases * self.assumed.calls_a_case, processes, self._dollars_a_call)

    def importing(self, cases: int) -> WorkEstimate:
        """Reading cases from a file into a store."""
        used = cases * self.figures.import_seconds
        return self._estimate("import", cases, "case", used, used, self.figures.bytes_a_case)

    def audit_here(self, cases: int) -> WorkEstimate:
        """An audit on this machine: programs share the cores, one process reads and writes the store."""
        figures = self.figures
        each = figures.program_seconds + figures.client_seconds
        seconds = cases * max(each / self.assumed.cores, figures.client_seconds)
        return self._estimate(
            f"audit, {self._here}", cases, "case", seconds, cases * each, figures.bytes_an_audit
        )

    def audit_on_cluster(self, cases: int, workers: int) -> WorkEstimate:
        """An audit by the workers of a cluster."""
        figures = self.figures
        cost = JobCost(
            worker=figures.program_seconds + figures.worker_seconds,
            client=figures.cluster_client_seconds,
            scheduler=figures.scheduler_seconds,
            bytes_sent=figures.bytes_sent,
        )
        seconds = cost.seconds_of(cases, workers, self.assumed.bytes_a_second)
        used, name = cases * cost.seconds_used, f"audit, {counted(workers, 'worker')}"
        return self._estimate(name, cases, "case", seconds, used, figures.bytes_an_audit)

    def encoding_here(self, texts: int) -> WorkEstimate:
        """The vectors of texts on this machine, whose cores the sentence model shares."""
        used = texts * self.figures.text_seconds
        seconds = used / self.assumed.cores
        return self._estimate(
            f"encoding, {self._here}", texts, "text", seconds, used, self.figures.bytes_a_vector
        )

    def encoding_on_cluster(self, texts: int, workers: int) -> WorkEstimate:
        """The same by the workers of a cluster, batch by batch."""
        figures, batches = self.figures, math.ceil(texts / _TEXTS_A_BATCH)
        cost = JobCost(
            worker=_TEXTS_A_BATCH * figures.text_seconds,
            client=_TEXTS_A_BATCH * figures.vector_seconds,
            scheduler=figures.scheduler_seconds,
            bytes_sent=_TEXTS_A_BATCH * figures.bytes_a_vector,
        )
        seconds = cost.seconds_of(batches, workers, self.assumed.bytes_a_second)
        used, name = batches * cost.seconds_used, f"encoding, {counted(workers, 'worker')}"
        return self._estimate(name, texts, "text", seconds, used, figures.bytes_a_vector)

    def comparing(self, texts: int) -> WorkEstimate:
        """Comparing every two texts in blocks, on this machine."""
        used = texts * (texts - 1) / 2 * self.figures.pair_seconds
        return self._estimate("collisions, every two", texts, "text", used / self.assumed.cores, used, 0)

    def index_search(self, texts: int) -> WorkEstimate:
        """The search with an index, on this machine."""
        figures = self.figures
        used = texts * (figures.index_text_seconds + figures.index_root_seconds * math.sqrt(texts))
        return self._estimate("collisions, --index", texts, "text", used / self.assumed.cores, used, 0)

    def calls(self, calls: int, processes: int, dollars_a_call: float | None) -> WorkEstimate:
        """Requests to a model by so many processes, each with a core of its own."""
        figures = self.figures
        name = f"evaluation, {processes} {agreeing(processes, 'process', 'processes')}"
        seconds, used = calls / self.calls_a_second(processes), calls * figures.call_seconds
        estimate = self._estimate(name, calls, "call", seconds, used, figures.bytes_a_call)
        paid = None if dollars_a_call is None else (estimate.dollars or 0) + calls * dollars_a_call
        return replace(estimate, dollars=paid)

    def calls_a_second(self, processes: int = 1) -> float:
        """What processes send, each with a core and calls of its own, within the limits of all together."""
        assumed = self.assumed
        alone = min(assumed.at_once / assumed.latency, 1 / self.figures.call_seconds)
        tokens = max(1, assumed.prompt_tokens + assumed.answer_tokens)
        limits = min(assumed.requests_a_minute, assumed.tokens_a_minute / tokens)
        return min(processes * alone, limits / 60)

    @property
    def _here(self) -> str:
        return f"this machine ({counted(self.assumed.cores, 'core')})"

    @property
    def _dollars_a_call(self) -> float:
        assumed = self.assumed
        prompt = assumed.prompt_tokens * assumed.million_prompt_tokens
        return (prompt + assumed.answer_tokens * assumed.million_answer_tokens) / _MILLION

    def _estimate(
        self, work: str, amount: int, unit: str, seconds: float, used: float, bytes_each: float
    ) -> WorkEstimate:
        hours = used / _HOUR
        dollars = hours * self.assumed.core_hour
        return WorkEstimate(work, amount, unit, seconds, hours, dollars, amount * bytes_each)


def assumption_words(assumed: Assumptions) -> tuple[str, ...]:
    """What estimates assume, in sentences."""
    return (
        f"Cases are like those that were measured: {assumed.texts_a_case} texts of about 100 words, two "
        f"programs and their variants, {assumed.calls_a_case} requests for each model.",
        "Each worker has a core of its own, one thread and the same speed; they have started. The client has "
        f"a core of its own too, and {whole(8 * assumed.bytes_a_second / 1e6)} Mbit/s to the cluster. "
        "Nothing fails.",
        f"A model takes {assumed.latency:g} s for a call, {assumed.at_once} calls of each process are under "
        f"way, and no limit of requests or tokens a minute is reached. A call has {assumed.prompt_tokens} "
        f"tokens of prompt and {assumed.answer_tokens} of answer.",
        f"An hour of a core costs ${fixed(assumed.core_hour)}, a million tokens of prompts "
        f"${fixed(assumed.million_prompt_tokens)}, of answers ${fixed(assumed.million_answer_tokens)}.",
    )


_STEPS = ((60, 1, "s"), (3_600, 60, "min"), (48 * 3_600, 3_600, "h"))
_DAY = 24 * 3_600
_SIZES = ((1e6, 1e3, "kB"), (1e9, 1e6, "MB"), (1e12, 1e9, "GB"))


def estimate_table(estimates: Iterable[WorkEstimate], *, for_people: bool) -> Table:
    """One row for each kind of work."""
    if for_people:
        rows = [
            (
                each.work,
                f"{each.amount:,} {each.unit}{'' if each.amount == 1 else 's'}",
                duration(each.seconds),
                duration(each.core_hours * 3_600),
                dollars(each.dollars),
                size(each.stored) if each.stored else "–",
            )
            for each in estimates
        ]
        return Table.of(("work", "amount", "time", "processor time", "cost", "storage"), rows)
    columns = ("work", "amount", "unit", "seconds", "core_hours", "dollars", "bytes")
    return Table.of(
        columns,
        [
            (
                each.work,
                each.amount,
                each.unit,
                all_digits(each.seconds),
                all_digits(each.core_hours),
                all_digits(each.dollars),
                round(each.stored),
            )
            for each in estimates
        ],
    )


def duration(seconds: float) -> str:
    """Two digits of seconds, minutes, hours or days: "45 s", "3.5 min", "12 h"."""
    for below, step, unit in _STEPS:
        if seconds < below:
            return f"{two_digits(seconds / step)} {unit}"
    return f"{two_digits(seconds / _DAY)} days"


def size(stored: float) -> str:
    """Two digits of kilobytes, megabytes, gigabytes or terabytes."""
    for below, step, unit in _SIZES:
        if stored < below:
            return f"{two_digits(stored / step)} {unit}"
    return f"{two_digits(stored / 1e12)} TB"


def dollars(value: float | None) -> str:
    """Two digits, and at least a cent."""
    if value is None:
        return "–"
    return f"${two_digits(value)}" if value >= 0.01 else "<$0.01"


def two_digits(value: float) -> str:
    """A number as rough as estimates are: 0.042, 1.3, 27, 340, 12,000."""
    if value <= 0:
        return "0"
    rough = float(significant(value, 2))
    return whole(rough) if rough >= 10 else f"{rough:g}"

"""The kinds of jobs that workers do: how each is written, done, and how its result is read and checked.

A worker's result must fit the program, as the result of a child must (see ``oracle.decode``).
"""

import base64
import binascii
import json
import threading
import time
from abc import ABC, abstractmethod
from collections.abc import Iterable, Sequence
from dataclasses import replace
from functools import cache
from typing import Annotated, Any, Generic, TypeVar

import numpy as np
from pydantic import BaseModel, ConfigDict, Field, TypeAdapter, ValidationError

from reviewer.cluster.chunks import (
    ChunkHeader,
    NonsenseError,
    ReplyHeader,
    read_chunk,
    validation_words,
    written_reply,
)
from reviewer.core.errors import RequestError, ReviewerError
from reviewer.core.sanitize import one_line
from reviewer.oracle import pool
from reviewer.oracle.evidence import Evidence
from reviewer.oracle.examination import Examination, ExaminationResults, evidence_from, examine
from reviewer.oracle.oracle_program import Program
from reviewer.oracle.program_runner import EngineVersion, engine_here
from reviewer.oracle.result import Counts, Proof, Result, Status
from reviewer.similarity.encoder import SentenceEncoder, Vectors, open_encoder

_MOST_COUNT = 10**12
_WITH_CHOICE = {Status.OK, Status.NOT_GROUND, Status.OUTPUT}
_DECIDED = {Status.OK, Status.NOT_GROUND}


def need_fitting(result: Result, program: Program) -> None:
    """Return if a result can be one of the program; raises ValueError that names the field."""
    rules = {
        "choice": result.choice is None or result.status in _WITH_CHOICE,
        "status": result.choice is not None or result.status not in _DECIDED,
        "counts": result.counts is None or (result.status in _DECIDED and program.count),
        "proof": result.proof is None or (result.status in _DECIDED and program.prove),
        "solutions": len(result.solutions) <= program.limits.solutions,
        "attempts": len(result.attempts) <= len(program.explain),
        "clauses": program.listing or not result.clauses,
        "cpu_seconds": 0 <= result.cpu_seconds <= _MOST_COUNT,
    }
    for field, holds in rules.items():
        if not holds:
            raise ValueError(f"{field} does not fit")
    _need_places(result, program)
    if result.counts:
        _need_counts(result.counts)
    if result.proof:
        need_known_clauses(result.proof, result)
    steps = (step.clause for attempt in result.attempts for step in attempt.steps)
    _need_indices(steps, len(result.clauses))


def need_known_clauses(proof: Proof, result: Result) -> None:
    """Return if a proof names only clauses that the result lists; raises ValueError."""
    _need_range((proof.steps, proof.depth, proof.size), -_MOST_COUNT, _MOST_COUNT)
    _need_indices((node.clause for node in proof.walk()), len(result.clauses))


def need_no_nul(line: bytes) -> None:
    """Return if no text of a line of JSON has the character NUL, which no store keeps; raises ValueError."""
    if b"\\u0000" in line and "\0" in _texts(json.loads(line)):
        raise ValueError("a text has the character NUL")


def _texts(value: object) -> str:
    if isinstance(value, dict):
        return _texts([*value, *value.values()])
    if isinstance(value, list):
        return "".join(map(_texts, value))
    return value if isinstance(value, str) else ""


def _need_places(result: Result, program: Program) -> None:
    named = [each.place for each in result.clauses]
    named += [each.place for each in result.messages] + [each.place for each in result.findings]
    if not named:
        return
    size = len(program.text)
    if len(result.clauses) > size + 1:
        raise ValueError("there are more clauses than characters")
    for clause in result.clauses:
        if not 0 <= clause.start <= clause.end <= size:
            raise ValueError("a clause is beyond the text")
    _need_range((place.line for place in named), 0, size + 1)


def _need_counts(counts: Counts) -> None:
    numbers = (
        counts.inference_steps,
        counts.choice_steps,
        counts.raw_inference_steps,
        counts.raw_choice_steps,
    )
    _need_range(numbers, -_MOST_COUNT, _MOST_COUNT)


def _need_indices(indices: Iterable[int | None], size: int) -> None:
    _need_range((index for index in indices if index is not None), 0, size - 1)


def _need_range(numbers: Iterable[int], least: int, most: int) -> None:
    if not all(least <= number <= most for number in numbers):
        raise ValueError("a number is out of range")


_Job = TypeVar("_Job")
_Done = TypeVar("_Done")

_MOST_BYTES = 16 * 2**20
"""The most bytes of one job's result."""
_MOST_NUMBERS = 10_000
_NORM_TOLERANCE = 1e-3
_STORED_AS = np.dtype("<f4")


class _Strict(BaseModel):
    """Dataclasses in the fields are read as strictly: no other fields, no conversions, no NaN."""

    model_config = ConfigDict(frozen=True, strict=True, extra="forbid", allow_inf_nan=False)


class _ExaminationForm(_Strict):
    results: ExaminationResults


class _ResultsForm(_Strict):
    results: tuple[Result, ...]


class _VectorsForm(_Strict):
    size: Annotated[int, Field(ge=1, le=_MOST_NUMBERS)]
    data: str


_EXAMINATION: TypeAdapter[Examination] = TypeAdapter(Examination)
_PROGRAMS: TypeAdapter[tuple[Program, ...]] = TypeAdapter(tuple[Program, ...])
_TEXTS: TypeAdapter[tuple[str, ...]] = TypeAdapter(tuple[str, ...])
_WORDS: TypeAdapter[str] = TypeAdapter(str)


class JobKind(ABC, Generic[_Job, _Done]):
    """One kind of jobs: the client calls ``write`` and ``read``, the worker ``do``."""

    def __init__(self, header: ChunkHeader) -> None:
        self.header = header

    @property
    def runs_programs(self) -> bool:
        """Whether an engine runs the jobs."""
        return self.header.kind != "encode"

    @abstractmethod
    def write(self, job: _Job) -> bytes:
        """A job as a line of JSON; raises ValueError for a text that JSON cannot hold."""

    @abstractmethod
    def do(self, job: bytes) -> bytes:
        """The result of a job, as a line of JSON."""

    @abstractmethod
    def checked(self, job: _Job, result: bytes) -> _Done:
        """The result of a job; raises ValueError if it cannot be one."""

    def read(self, job: _Job, result: bytes) -> _Done | str:
        """The result that a worker sent for a job, or why it has none; raises NonsenseError for neither."""
        try:
            if len(result) > _MOST_BYTES:
                raise ValueError(f"it has more than {_MOST_BYTES:,} bytes")
            need_no_nul(result)
            if result.startswith(b'"'):
                return one_line(_WORDS.validate_json(result), 300)
            return self.checked(job, result)
        except ValidationError as error:
            raise NonsenseError(validation_words(error)) from error
        except (ValueError, RecursionError) as error:
            raise NonsenseError(str(error)) from error


class ExaminationKind(JobKind[Examination, Evidence]):
    """All that the checks of a case look at."""

    def __init__(self) -> None:
        super().__init__(ChunkHeader(kind="examine"))

    def write(self, job: Examination) -> bytes:
        """The case's programs, and the questions about them."""
        return _EXAMINATION.dump_json(job, exclude_defaults=True)

    def do(self, job: bytes) -> bytes:
        """Run everything. The programs of variants are not sent: the client can make them."""
        results = ExaminationResults.of(examine(_EXAMINATION.validate_json(job)))
        return _ExaminationForm(results=results).model_dump_json(exclude_defaults=True).encode()

    def checked(self, job: Examination, result: bytes) -> Evidence:
        """The evidence."""
        results = _ExaminationForm.model_validate_json(result).results
        first, second = job.programs
        need_fitting(results.first, first)
        need_fitting(results.second, second)
        evidence = evidence_from(job, results)
        for variant, ran in evidence.variants:
            need_fitting(ran, variant.program)
        for variant, ran in evidence.telling:
            need_fitting(ran, replace(variant.program, listing=True, prove=True))
        for proof, whole in zip(results.others, evidence.both, strict=True):
            if proof is not None:
                need_known_clauses(proof, whole)
        return evidence


class ProgramsKind(JobKind[Sequence[Program], tuple[Result, ...]]):
    """The programs of a case, in one process."""

    def __init__(self) -> None:
        super().__init__(ChunkHeader(kind="run"))

    def write(self, job: Sequence[Program]) -> bytes:
        """The programs."""
        return _PROGRAMS.dump_json(tuple(job), exclude_defaults=True)

    def do(self, job: bytes) -> bytes:
        """Run the programs."""
        results = pool.run_case(_PROGRAMS.validate_json(job))
        return _ResultsForm(results=results).model_dump_json(exclude_defaults=True).encode()

    def checked(self, job: Sequence[Program], result: bytes) -> tuple[Result, ...]:
        """The results, one for each program."""
        results = _ResultsForm.model_validate_json(result).results
        for program, ran in zip(job, results, strict=True):
            need_fitting(ran, program)
        return results


class TextsKind(JobKind[Sequence[str], Vectors]):
    """Texts that are encoded together. ``encoder`` is the model's name with its digest."""

    def __init__(self, model: str, encoder: str) -> None:
        super().__init__(ChunkHeader(kind="encode", model=model, encoder=encoder))

    def write(self, job: Sequence[str]) -> bytes:
        """The texts."""
        return _TEXTS.dump_json(tuple(job))

    def do(self, job: bytes) -> bytes:
        """Encode the texts; raises RequestError if the model here is another one."""
        with _one_at_a_time:
            encoder = _encoder(self.header.model)
            if encoder.name != self.header.encoder:
                raise RequestError(f"its sentence model is {encoder.name}, not {self.header.encoder}")
            rows = encoder.encode(_TEXTS.validate_json(job)).astype(_STORED_AS)
        data = base64.b64encode(rows.tobytes()).decode()
        return _VectorsForm(size=rows.shape[1], data=data).model_dump_json().encode()

    def checked(self, job: Sequence[str], result: bytes) -> Vectors:
        """One row of length 1 for each text."""
        form = _VectorsForm.model_validate_json(result)
        try:
            data = base64.b64decode(form.data, validate=True)
        except binascii.Error as error:
            raise ValueError("data: it is not base64") from error
        if len(data) != len(job) * form.size * _STORED_AS.itemsize:
            raise ValueError(f"{len(data)} bytes are not {len(job)} vectors of {form.size} numbers")
        rows = np.frombuffer(data, dtype=_STORED_AS).reshape(len(job), form.size)
        lengths = np.linalg.norm(rows.astype(np.float64), axis=1)
        if not bool(np.all(np.abs(lengths - 1) <= _NORM_TOLERANCE)):  # also for infinite and missing numbers
            raise ValueError("a vector has not the length 1")
        return rows


_one_at_a_time = threading.Lock()


@cache
def _encoder(model: str) -> SentenceEncoder:
    return open_encoder(model)


def kind_of_header(header: ChunkHeader) -> ExaminationKind | ProgramsKind | TextsKind:
    """The kind that the header of a chunk names."""
    if header.kind == "encode":
        return TextsKind(header.model, header.encoder)
    return ExaminationKind() if header.kind == "examine" else ProgramsKind()


_LONGEST = 300


def run_chunk(payload: bytes) -> bytes:
    """The reply to a chunk. It raises nothing: errors become replies too."""
    try:
        header, jobs = read_chunk(payload)
        return _done(header, jobs)
    except MemoryError:
        return written_reply(ReplyHeader(problem="it has not enough memory", divide=True))
    except Exception as error:  # whatever a library raises; the client shall not see it pickled
        return written_reply(ReplyHeader(problem=_words(error)))


def _result(kind: JobKind[Any, Any], job: bytes) -> bytes:
    """The result of a job, or why there is none as a text; errors of the whole worker are raised."""
    try:
        return kind.do(job)
    except (MemoryError, ReviewerError):
        raise
    except Exception as error:
        return json.dumps(_words(error)).encode()


def _words(error: Exception) -> str:
    return one_line(str(error) or type(error).__name__, _LONGEST) or "an error without a text"


def _done(header: ChunkHeader, jobs: Sequence[bytes]) -> bytes:
    engine = EngineVersion("") if header.kind == "encode" else engine_here()
    kind, started = kind_of_header(header), time.monotonic()
    results = [_result(kind, job) for job in jobs]
    seconds = time.monotonic() - started
    reply = ReplyHeader(version=engine.version, differing=engine.differing, seconds=seconds)
    return written_reply(reply, results)

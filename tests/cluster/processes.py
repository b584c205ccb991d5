"""A scheduler and workers on this machine, each a process of its own that ends with its standard input."""

import os
import subprocess
import sys
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path

from tests.free_ports import free_port

ROOT = Path(__file__).parents[2]
_START = f"""
import asyncio, logging, os, sys, threading
sys.path.append({str(ROOT)!r})
exec(os.environ.get("BEFORE", ""))
from distributed import {{kind}}
logging.getLogger("distributed").setLevel(logging.CRITICAL + 1)
def end():
    sys.stdin.read()
    os._exit(0)
threading.Thread(target=end, daemon=True).start()
async def serve():
    async with {{kind}}({{arguments}}) as server:
        print(server.address, flush=True)
        await server.finished()
asyncio.run(serve())
"""
_SCHEDULER = _START.format(
    kind="Scheduler",
    arguments="host='127.0.0.1', port=int(sys.argv[1]), dashboard=False, dashboard_address='127.0.0.1:0'",
)
_WORKER = _START.format(
    kind="Worker", arguments="sys.argv[1], nthreads=1, local_directory=sys.argv[2], dashboard=False"
)

# As the manual's page on clusters says: what dask does beside the work, many times a second.
_QUIET = {
    "DASK_DISTRIBUTED__ADMIN__TICK__INTERVAL": "1s",
    "DASK_DISTRIBUTED__ADMIN__SYSTEM_MONITOR__INTERVAL": "5s",
    "DASK_DISTRIBUTED__WORKER__PROFILE__ENABLED": "false",
}


@dataclass
class RunningCluster:
    """A scheduler and its workers by address; ``start_worker`` returns as soon as the process is there."""

    address: str
    folder: Path
    scheduler: subprocess.Popen[str]
    workers: dict[str, subprocess.Popen[str]] = field(default_factory=dict)

    def start_worker(self, environment: Mapping[str, str] | None = None) -> subprocess.Popen[str]:
        """A worker process; its first line is its address once it has joined.

        The code in the variable BEFORE runs in it before it joins.
        """
        return _started(_WORKER, self.address, str(self.folder), environment=environment)


def joined(process: subprocess.Popen[str]) -> str:
    """Wait until a process says its address."""
    assert process.stdout is not None
    address = process.stdout.readline().strip()
    assert address, "the process ended before it joined"
    return address


def end(process: subprocess.Popen[str]) -> None:
    """Kill a process and wait for its end."""
    process.kill()
    process.wait()
    for stream in (process.stdin, process.stdout):
        if stream is not None:
            stream.close()


@contextmanager
def running_cluster(
    folder: Path, workers: int = 2, environment: Mapping[str, str] | None = None
) -> Iterator[RunningCluster]:
    """A scheduler with workers that have one thread each, until the end of the block.

    ``environment`` is that of the workers.
    """
    port = free_port()
    cluster = RunningCluster(f"tcp://127.0.0.1:{port}", folder, _started(_SCHEDULER, str(port)))
    started = [cluster.start_worker(environment) for _ in range(workers)]
    try:
        joined(cluster.scheduler)
        cluster.workers.update({joined(process): process for process in started})
        yield cluster
    finally:
        for process in (*started, cluster.scheduler):
            end(process)


def _started(
    code: str, *arguments: str, environment: Mapping[str, str] | None = None
) -> subprocess.Popen[str]:
    return subprocess.Popen(
        [sys.executable, "-c", code, *arguments],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        env={**os.environ, **_QUIET, **(environment or {})},
        text=True,
    )

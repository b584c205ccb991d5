"""What a connection says when its scheduler is gone; the client of dask is played by a class of the test."""

import asyncio
from types import SimpleNamespace
from typing import Any

import pytest

from reviewer.cluster.dask_cluster import ChunkReply, DaskCluster
from reviewer.core.errors import Unfinished


class Client:
    """Every result fails, as dask's client lets it when it loses the scheduler, or a worker an error."""

    def __init__(self, status: str) -> None:
        self.status = status
        self.loop = SimpleNamespace(add_callback=lambda work, *given: asyncio.run(work(*given)))

    def subscribe_topic(self, *_: object) -> None:
        pass

    def submit(self, *_: object, **__: object) -> object:
        return object()

    async def gather(self, *_: object, **__: Any) -> bytes:
        raise RuntimeError("it failed")


def test_a_lost_scheduler_is_not_blamed_on_a_worker() -> None:
    cluster = DaskCluster("tcp://127.0.0.1:1", Client("connecting"))
    cluster.submit("worker", bytes)
    with pytest.raises(Unfinished, match="connection to its scheduler was lost"):
        cluster.next_event(0)


def test_an_error_of_a_worker_is_its_reply() -> None:
    cluster = DaskCluster("tcp://127.0.0.1:1", Client("running"))
    key = cluster.submit("worker", bytes)
    assert cluster.next_event(0) == ChunkReply(key, None, "it failed")

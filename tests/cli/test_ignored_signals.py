"""What nohup, or a script, has a command ignore from its start does not end it."""

import asyncio
import signal
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path
from types import SimpleNamespace
from typing import Any, cast

import pytest
from aiohttp import web

from reviewer.cli import serve
from reviewer.cli.signals import settled_at_the_end, stop_on_interrupt
from tests.studies import open_store


@pytest.fixture(params=["SIGINT", "SIGTERM", "SIGHUP"])
def ignored(request: pytest.FixtureRequest) -> Iterator[signal.Signals]:
    number = signal.Signals[request.param]
    before = signal.signal(number, signal.SIG_IGN)
    yield number
    signal.signal(number, before)


def test_an_ignored_signal_does_not_close_the_store(ignored: signal.Signals, tmp_path: Path) -> None:
    with closing(open_store(tmp_path)) as database, settled_at_the_end(database):
        assert signal.getsignal(ignored) is signal.SIG_IGN


def test_an_ignored_interrupt_does_not_stop_asking_models(ignored: signal.Signals) -> None:
    async def ask() -> None:
        stop_on_interrupt(cast(Any, SimpleNamespace()))
        assert signal.getsignal(ignored) is signal.SIG_IGN

    asyncio.run(ask())


def test_an_ignored_signal_does_not_end_a_server(
    ignored: signal.Signals, monkeypatch: pytest.MonkeyPatch
) -> None:
    heard_while_serving = []

    async def listen(*_: object) -> None:
        heard_while_serving.append(signal.getsignal(ignored))
        raise OSError

    monkeypatch.setattr("reviewer.web.connections.listen", listen)
    with pytest.raises(OSError):  # noqa: PT011
        asyncio.run(serve._listen(web.Application(), "127.0.0.1", 0))
    assert heard_while_serving == [signal.SIG_IGN]

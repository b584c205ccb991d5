"""What every test may rely on: no network, no environment of the person who runs them."""

import faulthandler
import gc
import os
import re
import signal
import socket
import sys
from collections.abc import Callable, Iterator
from ipaddress import ip_address
from pathlib import Path
from typing import Any

import hypothesis
import pytest
from _pytest.faulthandler import fault_handler_stderr_fd_key
from hypothesis.internal.conjecture import providers
from hypothesis.internal.constants_ast import Constants

from store import schema, sqlite
from tests.new_stores import with_quick_connections, with_tables_made_once
from tests.server.fixtures import (  # noqa: F401  (fixtures for every room)
    empty_server_url,
    new_store,
    opened,
    server,
    server_url,
)
from tests.shared_data import shared_file

# A machine that does several things at once is slow at times, and no example is wrong for that. Every run has
# the same examples, so that it is red by a change and not by chance; `make fuzz` looks for others.
hypothesis.settings.register_profile(
    "tests", deadline=None, derandomize=True, suppress_health_check=[hypothesis.HealthCheck.too_slow]
)
hypothesis.settings.load_profile("tests")
# Hypothesis also draws the constants of all our modules that are loaded. These depend on the tests that ran
# before in this process, and so did the examples. In a fresh clone each worker read all our files for them.
pytest.MonkeyPatch().setattr(providers, "_get_local_constants", Constants)


def _caught(_number: int, _frame: object) -> None:
    """A signal that this process does not act on."""


# Below nohup, SIGHUP is ignored, and in the background of a script SIGINT. Programs that are started inherit
# what is ignored, and tests would wait for them for ever; what is caught, they begin with as usual.
for _number in (signal.SIGHUP, signal.SIGINT, signal.SIGQUIT, signal.SIGTERM):
    if signal.getsignal(_number) is signal.SIG_IGN:
        signal.signal(_number, _caught)


# What is loaded to collect the tests stays: nothing of it is garbage.
gc.disable()


def pytest_collection_finish() -> None:
    """What is loaded by now stays, so garbage is not looked for in it; the pace is that of the app."""
    gc.collect()
    gc.freeze()
    gc.set_threshold(50_000, 20, 20)
    gc.enable()


@pytest.hookimpl(wrapper=True)
def pytest_runtest_protocol(item: pytest.Item) -> Iterator[Any]:
    """End this process if a test goes on after its time limit; the other tests go on in a new one.

    The limit raises an exception. A test that waits for a program that nothing stops waits for it again where
    it leaves the program's block.
    """
    seconds = float(item.config.getini("timeout")) * _GRACE
    faulthandler.dump_traceback_later(seconds, exit=True, file=item.config.stash[fault_handler_stderr_fd_key])
    try:
        return (yield)
    finally:
        faulthandler.cancel_dump_traceback_later()


_GRACE = 1.2
_LONGEST_ID = 80


def pytest_make_parametrize_id(val: object) -> str | None:
    """Long texts are cut in the names of tests, which every worker sends for each of its tests."""
    if isinstance(val, str | bytes) and len(val) > _LONGEST_ID:
        return f"{val[:_LONGEST_ID]!a} and {len(val) - _LONGEST_ID} more"
    return None


@pytest.fixture(scope="session", autouse=True)
def patched() -> Iterator[pytest.MonkeyPatch]:
    """Patches that hold for all tests. Made for each of thousands of tests, they would take seconds."""
    with pytest.MonkeyPatch.context() as patch:
        yield patch


@pytest.fixture(scope="session", autouse=True)
def no_network(patched: pytest.MonkeyPatch) -> None:
    """Refuse everything that leaves this machine: connections, datagrams, looking names up."""
    for name in ("connect", "connect_ex", "sendto"):
        patched.setattr(socket.socket, name, _guarded(getattr(socket.socket, name)))
    look_up = socket.getaddrinfo

    def guarded_look_up(host: bytes | str | None, *more: Any, **named: Any) -> Any:
        name = host.decode() if isinstance(host, bytes) else host
        if name and not re.fullmatch(r"localhost|[\d.]+|[\da-f:]*:[\da-f.:]*", name):
            raise socket.gaierror(socket.EAI_NONAME, f"a test looked {name} up")
        return look_up(host, *more, **named)

    patched.setattr(socket, "getaddrinfo", guarded_look_up)


def _guarded(method: Callable[..., Any]) -> Callable[..., Any]:
    def guarded(self: socket.socket, *arguments: Any) -> Any:
        if self.family != socket.AF_UNIX and not _is_loopback(arguments[-1]):
            raise AssertionError(f"a test reached for the network: {arguments[-1]}")
        return method(self, *arguments)

    return guarded


@pytest.fixture(scope="session", autouse=True)
def clean_environment(patched: pytest.MonkeyPatch) -> None:
    """Forget settings that would change what the program does, and keys that would be paid for.

    Processes that tests start find a proxy that nobody answers at, for what is not on this machine.
    """
    for name in list(os.environ):
        if name.startswith(("REVIEWER_", "OPENAI_")) or name.endswith("_API_KEY") or name == "NO_COLOR":
            patched.delenv(name)
    patched.setenv("REVIEWER_SETTINGS", os.devnull)
    for name in ("http_proxy", "https_proxy", "all_proxy"):
        for spelt in (name, name.upper()):
            patched.setenv(spelt, "http://127.0.0.1:9")
    for spelt in ("no_proxy", "NO_PROXY"):
        patched.setenv(spelt, "127.0.0.1,localhost,::1")


@pytest.fixture(scope="session", autouse=True)
def _quick_stores(patched: pytest.MonkeyPatch) -> None:
    """Making and reading a store is quick."""
    patched.setattr(sqlite, "file_engine", with_quick_connections(sqlite.file_engine))
    patched.setattr(schema, "_make_tables", with_tables_made_once(schema._make_tables))


@pytest.fixture(autouse=True)
def _drawn_lines_go() -> Iterator[None]:
    """Textual remembers the lines of a thousand widgets, of apps that have ended too: gigabytes in a run."""
    yield
    if textual := sys.modules.get("textual._styles_cache"):
        textual.StylesCache.get_inner_outer.cache_clear()


@pytest.fixture(scope="session")
def published_file() -> Path:
    """The published dataset of 806 pairs; skips where it is not there (see ``shared_data``)."""
    return shared_file("probe-swe/gpt-4o-mini.json")


def _is_loopback(address: object) -> bool:
    host = str(address[0]) if isinstance(address, tuple) else ""
    try:
        return ip_address(host).is_loopback
    except ValueError:
        return host == "localhost"

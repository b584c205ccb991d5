"""Requests that no page of ours sends get 400 and nothing else; connections that only wait are ended."""

import asyncio
import os
import signal
import socket
from contextlib import suppress
from pathlib import Path

import pytest

from reviewer.web import connections
from reviewer.web.connections import Waiting
from tests.free_ports import free_port
from tests.quick_start import quick_start
from tests.serve.conftest import Site
from tests.serve.secret_links import make_link

_UPGRADE = "Connection: Upgrade\r\nUpgrade: websocket\r\nSec-WebSocket-Version: 13\r\n"
_KEY = "Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n"


async def raw_answer(site: Site, request: str) -> bytes:
    """What the server says to these bytes."""
    reader, writer = await asyncio.open_connection("127.0.0.1", int(site.base.rsplit(":")[-1]))
    writer.write(request.encode("latin-1"))
    head = await reader.readuntil(b"\r\n\r\n")
    told = b"" if b" 101 " in head else await reader.read()
    writer.close()
    return head + told


def opening(site: Site, secret: str, headers: str) -> str:
    host = "" if "Host:" in headers else f"Host: {site.base[7:]}\r\n"
    return f"GET /r/{secret}/ws HTTP/1.1\r\n{host}{_UPGRADE}{_KEY}{headers}\r\n"


def is_400_and_nothing_else(answer: bytes) -> bool:
    head, _, body = answer.partition(b"\r\n\r\n")
    return (
        head[:13] in (b"HTTP/1.1 400 ", b"HTTP/1.0 400 ") and body == b"" and b"aiohttp" not in head.lower()
    )


ORIGINS = (
    "null",
    "file://",
    "",
    "javascript:alert(1)",
    "https://elsewhere.example",
    "http://{host}@elsewhere.example",
    "http://{host}/",
    "http://{host}.elsewhere.example",
    "ftp://{host}",
    "http://{host}, null",
    "http://[",
    "http://127.0.0.1:99999",
    "http://xn--a",
)


@pytest.mark.parametrize("origin", ORIGINS)
async def test_an_origin_that_is_not_ours_opens_nothing(
    site: Site, origin: str, caplog: pytest.LogCaptureFixture
) -> None:
    header = f"Origin: {origin.format(host=site.base[7:])}\r\n"
    answers = [await raw_answer(site, opening(site, secret, header)) for secret in (site.secret(), "wrong")]
    assert all(is_400_and_nothing_else(answer) for answer in answers), answers
    assert answers[0].split(b"Date")[0] == answers[1].split(b"Date")[0]
    assert not caplog.records


async def test_two_origins_open_nothing(site: Site) -> None:
    header = f"Origin: {site.base}\r\nOrigin: {site.base}\r\n"
    assert is_400_and_nothing_else(await raw_answer(site, opening(site, site.secret(), header)))


async def test_our_own_origin_and_a_program_without_one_open_a_window(site: Site) -> None:
    for header in (f"Origin: {site.base}\r\n", f"Origin: {site.base.upper().lower()}\r\n", ""):
        answer = await raw_answer(site, opening(site, site.secret(), header))
        assert answer.startswith(b"HTTP/1.1 101 ")


HOSTS = (
    "[::1",
    "a b",
    "",
    "a:b",
    "a:99999",
    "a/../b",
    "user@a",
    "http://a",
    "\xff\xfe",
    "a,b",
    "a\r\nHost: b",
    "xn--a",
    "xn--" + "a" * 80,
)


@pytest.mark.parametrize("host", HOSTS)
async def test_a_host_that_is_none_gets_400_and_nothing_else(
    site: Site, host: str, caplog: pytest.LogCaptureFixture
) -> None:
    for secret in (site.secret(), "wrong"):
        page = f"GET /r/{secret}/ HTTP/1.1\r\nHost: {host}\r\n\r\n"
        for request in (page, opening(site, secret, f"Host: {host}\r\n")):
            answer = await raw_answer(site, request)
            assert is_400_and_nothing_else(answer), answer
    assert not caplog.records


@pytest.mark.parametrize(
    "request_line",
    [
        "\x16\x03\x01\x02",
        "GET / HTTP/9.9",
        "GET",
        "G\0T / HTTP/1.1",
        "GET / HTTP/1.1\r\nno header",
        "GET /r/x/ HTTP/1.0",
    ],
)
async def test_what_is_no_request_gets_400_and_nothing_else(
    site: Site, request_line: str, caplog: pytest.LogCaptureFixture
) -> None:
    answer = await raw_answer(site, request_line + "\r\n\r\n")
    assert is_400_and_nothing_else(answer), answer
    assert not caplog.records


@pytest.mark.parametrize("version", ["0.9", "2.0", "1.2"])
async def test_another_version_gets_400(site: Site, version: str) -> None:
    answer = await raw_answer(
        site, f"GET /r/{site.secret()}/ HTTP/{version}\r\nHost: {site.base[7:]}\r\n\r\n"
    )
    assert answer.split(b"\r\n", 1)[0].endswith(b" 400 Bad Request"), answer


@pytest.mark.parametrize("key", ["\xff\xff", "x", ""])
async def test_a_key_that_is_none_opens_nothing(
    site: Site, key: str, caplog: pytest.LogCaptureFixture
) -> None:
    request = opening(site, site.secret(), "").replace("dGhlIHNhbXBsZSBub25jZQ==", key)
    assert is_400_and_nothing_else(await raw_answer(site, request))
    assert not caplog.records


@pytest.mark.parametrize("method", ["HEAD", "POST", "GET"])
async def test_only_a_get_opens_a_window_and_it_names_no_program(site: Site, method: str) -> None:
    request = opening(site, site.secret(), "").replace("GET", method, 1)
    answer = await raw_answer(site, request)
    assert answer.split()[1] == (b"101" if method == "GET" else b"404"), answer
    assert b"aiohttp" not in answer


@pytest.mark.parametrize(
    "path",
    ["static/" + "a" * 300, "static/" + "a/" * 2500, "static/%00", "static/%F0"],
    ids=["a long name", "a long path", "NUL", "half a character"],
)
async def test_a_name_that_no_file_can_have_is_not_found(
    site: Site, path: str, caplog: pytest.LogCaptureFixture
) -> None:
    headers = f"Host: {site.base[7:]}\r\nConnection: close\r\n"
    answer = await raw_answer(site, f"GET /{path} HTTP/1.1\r\n{headers}\r\n")
    assert answer.startswith(b"HTTP/1.1 404 "), answer
    assert not caplog.records


@pytest.mark.parametrize("method", ["GET", "POST"])
@pytest.mark.parametrize("coding", ["gzip", "deflate", "br", "zstd"])
async def test_a_body_that_is_not_what_it_says_is_not_read(
    site: Site, method: str, coding: str, caplog: pytest.LogCaptureFixture
) -> None:
    head = f"{method} /r/x/ HTTP/1.1\r\nHost: {site.base[7:]}\r\nContent-Length: 5\r\n"
    answer = await raw_answer(site, f"{head}Content-Encoding: {coding}\r\n\r\nabcde")
    assert answer.startswith(b"HTTP/1.1 404 ") or is_400_and_nothing_else(answer), answer
    assert not caplog.records


@pytest.mark.parametrize("begun", ["", "GET /", "GET / HTTP/1.1\r\nHost: a\r\n"])
async def test_a_request_that_is_never_finished_is_not_waited_for(
    site: Site, begun: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(connections, "HEAD_SECONDS", 0.2)
    reader, writer = await asyncio.open_connection("127.0.0.1", int(site.base.rsplit(":")[-1]))
    writer.write(begun.encode())
    with suppress(ConnectionResetError):
        assert await reader.read() == b""
    writer.close()


async def test_an_answer_that_is_not_read_is_not_waited_for(
    site: Site, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(connections, "REQUEST_SECONDS", 0.2)
    reader, writer = await asyncio.open_connection("127.0.0.1", int(site.base.rsplit(":")[-1]), limit=1)
    for _ in range(40):
        writer.write(f"GET /static/js/textual.js HTTP/1.1\r\nHost: {site.base[7:]}\r\n\r\n".encode())
    await asyncio.sleep(0.5)
    with pytest.raises((ConnectionError, asyncio.IncompleteReadError)):
        await reader.readexactly(1 << 28)
    writer.close()


async def test_a_window_outlives_the_time_of_a_request(site: Site, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(connections, "REQUEST_SECONDS", 1.0)
    window = await site.window(site.secret())
    await asyncio.sleep(1.5)
    await window.send_json(["stdin", "t"])
    await site.answered("anna", 1)
    await window.close()


def test_one_address_has_half_of_all_places_and_gives_them_back() -> None:
    waiting = Waiting(4)
    assert [waiting.let_in("a") for _ in range(3)] == [True, True, False]
    assert [waiting.let_in(other) for other in "bcd"] == [True, True, False]
    waiting.let_out("a")
    assert [waiting.let_in("b"), waiting.let_in("b")] == [True, False]


async def test_half_open_connections_do_not_lock_others_out(site: Site, tmp_path: Path) -> None:
    """A server that may open 128 files, and as many connections from one address that say nothing."""
    secret, port = make_link(site.database, "pilot", "anna", 1)[0], free_port()
    command = (
        "import resource; resource.setrlimit(resource.RLIMIT_NOFILE, (128, 128))\n"
        "from reviewer.cli.main import main; main()"
    )
    arguments = ["serve", "pilot", "--port", str(port), "--store", str(site.folder / "store.db")]
    process = await asyncio.create_subprocess_exec(
        *(*quick_start(), "-c", command, *arguments),
        stdout=asyncio.subprocess.DEVNULL,
        stderr=asyncio.subprocess.PIPE,
        cwd=tmp_path,
        env={"PATH": os.environ["PATH"]},
    )
    silent: list[socket.socket] = []
    try:
        assert process.stderr is not None
        while b"Serving on" not in await process.stderr.readline():
            pass
        silent += [socket.create_connection(("127.0.0.1", port)) for _ in range(128)]
        await asyncio.sleep(0.3)
        reader, writer = await asyncio.open_connection("127.0.0.1", port, local_addr=("127.0.0.2", 0))
        writer.write(f"GET /r/{secret}/ HTTP/1.1\r\nHost: 127.0.0.1:{port}\r\n\r\n".encode())
        assert (await reader.readline()).startswith(b"HTTP/1.1 200 ")
        writer.close()
    finally:
        for each in silent:
            each.close()
        process.send_signal(signal.SIGTERM)
        told = await process.communicate()
    assert process.returncode == 0
    assert b"Traceback" not in told[1]

"""Addresses of clusters: what is understood, and the one sentence for everything else."""

import socket
from pathlib import Path

import pytest

from reviewer.cluster.address import ClusterAddress, cluster_address, need_certificates, need_listener
from reviewer.core.errors import RequestError


@pytest.mark.parametrize(
    ("text", "address"),
    [
        ("tls://cluster.example.org:8786", ClusterAddress("tls", "cluster.example.org", 8786)),
        ("TLS://10.0.0.7:1", ClusterAddress("tls", "10.0.0.7", 1)),
        (" tcp://127.0.0.1:65535/ ", ClusterAddress("tcp", "127.0.0.1", 65535)),
        ("tcp://127.3.2.1:8786", ClusterAddress("tcp", "127.3.2.1", 8786)),
        ("tcp://localhost:8786", ClusterAddress("tcp", "localhost", 8786)),
        ("tcp://[::1]:8786", ClusterAddress("tcp", "::1", 8786)),
        ("tls://[2001:db8:0:0::7]:8786", ClusterAddress("tls", "2001:db8::7", 8786)),
    ],
)
def test_an_address_is_read(text: str, address: ClusterAddress) -> None:
    assert cluster_address(text) == address
    assert cluster_address(str(address)) == address


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("", "has no tls:// or tcp:// in front"),
        ("127.0.0.1:8786", "has no tls:// or tcp:// in front"),
        ("http://127.0.0.1:8786", "begins with 'http', which is neither tls nor tcp"),
        ("ucx://127.0.0.1:8786", "neither tls nor tcp"),
        ("tls://host", "has no port"),
        ("tls://[::1]", "has no port"),
        ("tls://:8786", "has no host"),
        ("tls://host:", "has no port from 1 to 65535"),
        ("tls://host:0", "has no port from 1 to 65535"),
        ("tls://host:65536", "has no port from 1 to 65535"),
        ("tls://host:８７８６", "has no port from 1 to 65535"),
        ("tls://host:-1", "has no port from 1 to 65535"),
        ("tls://host:8786/path", "has no port from 1 to 65535"),
        ("tls://::1:8786", "IPv6 address without brackets"),
        ("tls://host:1:2", "more than one port"),
        ("tls://[host]:8786", "brackets around what is not an IP address"),
        ("tls://ho st:8786", "a host that no machine can have"),
        ("tls://-host:8786", "a host that no machine can have"),
        ("tls://" + "h" * 300 + ":8786", "a host that no machine can have"),
        ("tls://h\x1b[31m:8786", "a host that no machine can have"),
    ],
)
def test_a_malformed_address_is_one_sentence(text: str, words: str) -> None:
    with pytest.raises(RequestError, match="cluster's address") as refused:
        cluster_address(text)
    sentence = str(refused.value)
    assert words in sentence
    assert "tls://HOST:PORT" in sentence
    assert sentence.isprintable()
    assert len(sentence) < 300


def test_a_password_is_refused_and_not_repeated() -> None:
    with pytest.raises(RequestError, match="a user or a password") as refused:
        cluster_address("tls://me:secret@host:8786")
    assert "secret" not in str(refused.value)


@pytest.mark.parametrize(
    "text", ["tcp://10.0.0.7:8786", "tcp://localhost.example.org:1", "tcp://[2001:db8::7]:1"]
)
def test_another_machine_needs_tls_unless_told_so(text: str) -> None:
    with pytest.raises(RequestError, match="--cluster-without-tls"):
        cluster_address(text)
    assert cluster_address(text, without_tls=True).scheme == "tcp"


def test_an_address_where_nobody_listens_is_one_sentence() -> None:
    with socket.socket() as held:
        held.bind(("127.0.0.1", 0))  # taken, but nobody listens
        address = ClusterAddress("tcp", "127.0.0.1", held.getsockname()[1])
        with pytest.raises(RequestError, match="nobody listens there") as refused:
            need_listener(address)
        assert f"dask scheduler --port {address.port}" in str(refused.value)
        held.listen()
        need_listener(address)


def test_a_machine_that_nobody_knows_is_one_sentence(monkeypatch: pytest.MonkeyPatch) -> None:
    def unknown(*_: object, **__: object) -> None:
        raise socket.gaierror(-2, "Name or service not known")

    monkeypatch.setattr(socket, "create_connection", unknown)
    with pytest.raises(RequestError, match="no machine of the name 'nowhere'"):
        need_listener(ClusterAddress("tls", "nowhere", 8786))


def test_a_machine_that_is_silent_is_one_sentence(monkeypatch: pytest.MonkeyPatch) -> None:
    def silent(*_: object, timeout: float) -> None:
        assert timeout < 10
        raise TimeoutError("timed out")

    monkeypatch.setattr(socket, "create_connection", silent)
    with pytest.raises(RequestError, match=r"nobody listens there \(no answer\)"):
        need_listener(ClusterAddress("tls", "10.0.0.7", 8786))


def test_tls_without_certificates_names_the_setting(tmp_path: Path) -> None:
    address = ClusterAddress("tls", "10.0.0.7", 8786)
    here = tmp_path / "ca.pem"
    with pytest.raises(RequestError, match="DASK_DISTRIBUTED__COMM__TLS__CA_FILE"):
        need_certificates(address, {"ca_file": None, "cert": str(here), "key": None})
    with pytest.raises(RequestError, match="DASK_DISTRIBUTED__COMM__TLS__CLIENT__CERT"):
        need_certificates(address, {"ca_file": str(here), "cert": None, "key": None})
    with pytest.raises(RequestError, match="does not exist or cannot be read"):
        need_certificates(address, {"ca_file": str(here), "cert": str(here), "key": None})
    here.touch()
    need_certificates(address, {"ca_file": str(here), "cert": "-----BEGIN\n", "key": None})
    with pytest.raises(RequestError, match=r"ca.pem/key.* \(key\)"):
        need_certificates(address, {"ca_file": str(here), "cert": str(here), "key": str(here / "key")})
    need_certificates(ClusterAddress("tcp", "127.0.0.1", 8786), {})

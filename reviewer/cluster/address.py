"""Addresses of clusters: read, and refused where work would travel unencrypted or nobody listens."""

import re
import socket
from collections.abc import Mapping
from dataclasses import dataclass
from ipaddress import ip_address
from pathlib import Path

from reviewer.core.errors import RequestError
from reviewer.core.sanitize import shown

_EXAMPLES = "write tls://HOST:PORT, or tcp://127.0.0.1:PORT on this machine"
_HOST = re.compile(r"[A-Za-z0-9](?:[A-Za-z0-9._-]*[A-Za-z0-9])?", re.ASCII)
_LONGEST_HOST = 253
_HIGHEST_PORT = 65535
_SECONDS_TO_ANSWER = 3.0
_TLS_SETTINGS = {
    "ca_file": ("DASK_DISTRIBUTED__COMM__TLS__CA_FILE", "the certificate of the cluster's authority"),
    "cert": ("DASK_DISTRIBUTED__COMM__TLS__CLIENT__CERT", "this machine's certificate"),
}


@dataclass(frozen=True, slots=True)
class ClusterAddress:
    """Where a scheduler listens. ``host`` has no brackets, also if it is an IPv6 address."""

    scheme: str
    host: str
    port: int

    def __str__(self) -> str:
        host = f"[{self.host}]" if ":" in self.host else self.host
        return f"{self.scheme}://{host}:{self.port}"

    @property
    def is_encrypted(self) -> bool:
        """Whether everything travels over TLS."""
        return self.scheme == "tls"

    @property
    def is_loopback(self) -> bool:
        """Whether the host is this machine, by its address or as ``localhost``."""
        try:
            return ip_address(self.host).is_loopback
        except ValueError:
            return self.host.lower() == "localhost"


def cluster_address(text: str, *, without_tls: bool = False) -> ClusterAddress:
    """The address that a text gives; raises RequestError for a malformed one.

    ``without_tls`` allows ``tcp://`` to another machine.
    """
    address = _parsed(text)
    if not (address.is_encrypted or address.is_loopback or without_tls):
        raise RequestError(
            f"cluster {address}: texts and programs would travel unencrypted to another machine; "
            f"use tls://, or add --cluster-without-tls on a network that you trust."
        )
    return address


def _parsed(text: str) -> ClusterAddress:
    scheme, separator, place = text.strip().partition("://")
    if not separator:
        raise _malformed(text, "has no tls:// or tcp:// in front")
    if scheme.lower() not in ("tls", "tcp"):
        raise _malformed(text, f"begins with {shown(scheme)!r}, which is neither tls nor tcp")
    if "@" in place:
        raise RequestError(
            "the cluster's address contains a user or a password, which a cluster does not take; "
            f"{_EXAMPLES}, and configure certificates as the manual's page clusters says."
        )
    host, port = _split(place, text)
    return ClusterAddress(scheme.lower(), host, _port(port, text))


def _split(place: str, text: str) -> tuple[str, str]:
    """Host and port; the host of an IPv6 address loses its brackets."""
    host, separator, port = place.removesuffix("/").rpartition(":")
    if not separator or (place.startswith("[") and not host.endswith("]")):
        raise _malformed(text, "has no port")
    if not host:
        raise _malformed(text, "has no host")
    if host.startswith("[") and host.endswith("]"):
        return _ipv6(host[1:-1], text), port
    if ":" in host:
        raise _malformed(text, "has an IPv6 address without brackets, or more than one port")
    if len(host) > _LONGEST_HOST or not _HOST.fullmatch(host):
        raise _malformed(text, "has a host that no machine can have")
    return host, port


def _ipv6(host: str, text: str) -> str:
    try:
        return ip_address(host).compressed
    except ValueError:
        raise _malformed(text, "has brackets around what is not an IP address") from None


def _port(port: str, text: str) -> int:
    if not (port.isascii() and port.isdecimal() and len(port) <= 5 and 0 < int(port) <= _HIGHEST_PORT):
        raise _malformed(text, f"has no port from 1 to {_HIGHEST_PORT}")
    return int(port)


def _malformed(text: str, wrong: str) -> RequestError:
    return RequestError(f"the cluster's address {shown(text)!r} {wrong}; {_EXAMPLES}.")


def need_listener(address: ClusterAddress) -> None:
    """Return if something listens at an address; raises RequestError after a few seconds."""
    try:
        socket.create_connection((address.host, address.port), timeout=_SECONDS_TO_ANSWER).close()
    except socket.gaierror:
        raise RequestError(
            f"cluster {address}: no machine of the name {shown(address.host)!r} is known; check the name."
        ) from None
    except OSError as error:
        reason = "no answer" if isinstance(error, TimeoutError) else (error.strerror or str(error)).lower()
        raise RequestError(
            f"cluster {address}: nobody listens there ({reason}); start a scheduler "
            f"(`dask scheduler --port {address.port}`) or correct the address."
        ) from None


def need_certificates(address: ClusterAddress, settings: Mapping[str, str | None]) -> None:
    """Return if dask's settings have what TLS needs (``ca_file``, ``cert``, perhaps ``key``).

    Raises RequestError that names the missing setting or file. An unencrypted address needs nothing.
    """
    if not address.is_encrypted:
        return
    for name, (variable, words) in _TLS_SETTINGS.items():
        if not settings.get(name):
            raise RequestError(
                f"cluster {address}: TLS needs {words}; set {variable} to its file, "
                "or set it in dask's configuration."
            )
    for name, value in settings.items():
        # A text of several lines is the certificate itself.
        if name in (*_TLS_SETTINGS, "key") and value and "\n" not in value and not _is_file(value):
            raise RequestError(
                f"cluster {address}: the file {shown(value)!r} of dask's TLS settings ({name}) does not "
                "exist or cannot be read; correct the setting."
            )


def _is_file(path: str) -> bool:
    try:
        with Path(path).open("rb"):
            return True
    except (OSError, ValueError):
        return False

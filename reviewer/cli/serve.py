"""``reviewer serve``: lets raters review in a browser."""

import asyncio
import os
import site
import socket
import sys
from contextlib import suppress
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING
from urllib.parse import urlsplit

import reviewer
from reviewer.cli.printing import note
from reviewer.cli.signals import heard
from reviewer.cli.store_access import open_store
from reviewer.cli.study import DAYS, checked_address, print_new_link
from reviewer.core.errors import RequestError
from reviewer.core.sanitize import one_line
from reviewer.options.reviewing import ServeOptions
from reviewer.study.design.study_bundle import StudyBundle, load_frame
from store.database import Database
from store.links import is_valid, links_of
from store.records import Link

if TYPE_CHECKING:
    from aiohttp.web import Application

_KEPT_NAMES = ("PATH", "LANG", "LC_ALL", "LC_CTYPE", "TZ", "SYSTEMROOT")
# How the driver of a server's store finds its password and its service.
_KEPT_FOR_SERVERS = (
    "HOME",
    "PGPASSFILE",
    "PGPASSWORD",
    "PGSERVICE",
    "PGSERVICEFILE",
    "PGSSLMODE",
    "PGSSLROOTCERT",
)
# Our own folder goes after Python's own modules and before installed packages, as in the oracle's worker.
_LAUNCH = """\
import sys
own, user = sys.argv[1:3]
sys.argv[:3] = ["reviewer"]
places = [i for i, p in enumerate(sys.path) if p.endswith(("site-packages", "dist-packages"))]
sys.path.insert(min(places, default=len(sys.path)), own)
sys.path += [user] if user else []
from reviewer.cli.main import main
main()
"""
_LOOPBACK = ("127.0.0.1", "::1", "localhost")


def serve_command(options: ServeOptions) -> None:
    """Carry out ``reviewer serve``."""
    database = open_store(options.store)
    bundle = load_frame(database, options.study)
    base = _base_url(options.host, options.port, options.public_url)
    _need_package()
    _need_declared_raters(bundle)
    _need_address(options.host, options.port)
    if options.host not in _LOOPBACK and urlsplit(base).scheme != "https":
        note("Warning: beyond this machine, links travel unencrypted; put a proxy with TLS in front.")
    for rater in _without_link(database, bundle):
        print_new_link(database, options.study, rater, DAYS, base)
    _run(database, options.store, options.study, options.host, options.port, options.public_url)


def _base_url(host: str, port: int, public_url: str) -> str:
    if public_url:
        return checked_address("--public-url", public_url)
    shown = f"[{host}]" if ":" in host else host
    return f"http://{shown}:{port}"


def _need_package() -> None:
    """Asked for before links are made, which are shown only once."""
    if find_spec("textual_serve") is None:
        raise RequestError("serving needs a package; run `pip install 'dilemma-reviewer[serve]'`.")


def _need_address(host: str, port: int) -> None:
    """Asked for before links are made, which would be lost with an error."""
    try:
        addresses = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM)
        with socket.create_server(addresses[0][4][:2], family=addresses[0][0]):
            pass
    except (OSError, UnicodeError) as error:
        raise _cannot_listen(host, port, error) from error


def _cannot_listen(host: str, port: int, error: Exception) -> RequestError:
    reason = getattr(error, "strerror", None) or error
    return RequestError(f"cannot listen on {one_line(host)}, port {port} ({reason}); choose another.")


def _need_declared_raters(bundle: StudyBundle) -> None:
    if not bundle.raters:
        raise RequestError(
            f"study {bundle.study.name!r} has no raters to make links for; name them when it is made "
            "(`reviewer study new … --rater anna`)."
        )


def _without_link(database: Database, bundle: StudyBundle) -> list[str]:
    with database.read() as session:
        have = {link.rater for link in links_of(session, bundle.study.name) if is_valid(link)}
    return [rater.rater for rater in bundle.raters if rater.role == "rater" and rater.rater not in have]


def window_command(link: Link) -> list[str]:
    """The program of one window: this interpreter, which takes no module from the working directory."""
    own = str(Path(reviewer.__file__).parent.parent)
    # -I leaves the user's own packages out, and this one may be installed among them.
    user = site.getusersitepackages() if site.ENABLE_USER_SITE else ""
    review = ["review", link.study, "--rater", link.rater, "--alone"]
    return [sys.executable, "-I", "-c", _LAUNCH, own, user, *review]


def _run(database: Database, store: str, study: str, host: str, port: int, public_url: str) -> None:
    from reviewer.web.review_server import ReviewServer

    names = (*_KEPT_NAMES, *(_KEPT_FOR_SERVERS if database.on_server else ()))
    kept = {name: os.environ[name] for name in names if name in os.environ}

    def command(link: Link) -> tuple[list[str], dict[str, str]]:
        # By the environment, not as an argument that all can see: a server's URL may hold a password.
        return window_command(link), kept | {"REVIEWER_STORE": store}

    application = ReviewServer(database, study, command, public_url).application()
    try:
        asyncio.run(_listen(application, host, port))
    except OSError as error:
        raise _cannot_listen(host, port, error) from error


async def _listen(application: "Application", host: str, port: int) -> None:
    """Serve until SIGINT or SIGTERM, then let every window save its last keys."""
    from reviewer.web.connections import listen
    from reviewer.web.review_server import MOST_SESSIONS

    ended = asyncio.Event()
    for number in heard("SIGINT", "SIGTERM"):
        with suppress(NotImplementedError):  # Windows: Ctrl+C is a KeyboardInterrupt there
            asyncio.get_running_loop().add_signal_handler(number, ended.set)
    runner, server = await listen(application, host, port, MOST_SESSIONS)
    note(f"Serving on {host}, port {port}. Ctrl+C ends it.")
    try:
        await ended.wait()
    finally:
        server.close()
        await runner.cleanup()

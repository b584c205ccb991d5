"""A PostgreSQL server of a script's own."""

import shutil
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from tests.postgres import Server, binaries


@contextmanager
def running_server() -> Iterator[Server]:
    """A running server, gone in the end; ends the script where none can be had."""
    programs = binaries()
    if programs is None:
        raise SystemExit("needs PostgreSQL's server programs (initdb, pg_ctl), and none are installed")
    folder = Path(tempfile.mkdtemp(prefix="reviewer-postgres-"))
    folder.chmod(0o755)
    server = Server.create(programs, folder / "server")
    try:
        yield server
    finally:
        server.stop()
        shutil.rmtree(folder)

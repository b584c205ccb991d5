"""A PostgreSQL server of the tests' own: on loopback, as an unprivileged user, gone when they end."""

import os
import shutil
import subprocess
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import psycopg
from psycopg.sql import SQL, Identifier

from tests.free_ports import free_port

UNPRIVILEGED = "nobody"
SUPERUSER = "reviewer_lead"
SECRET = "only-on-loopback"


def binaries() -> Path | None:
    """The folder of the newest server's programs, which distributions keep off the PATH."""
    found = sorted(Path("/usr/lib/postgresql").glob("*/bin/initdb"), key=_version)
    if found:
        return found[-1].parent
    initdb = shutil.which("initdb")
    return Path(initdb).parent if initdb else None


def _version(program: Path) -> int:
    name = program.parent.parent.name
    return int(name) if name.isdigit() else 0


@dataclass
class Server:
    """One running (or stopped) server with its data folder and port."""

    programs: Path
    folder: Path
    port: int

    @classmethod
    def create(cls, programs: Path, folder: Path) -> "Server":
        """Initialise a cluster and start it."""
        folder.mkdir(parents=True)
        if os.geteuid() == 0:
            shutil.chown(folder, UNPRIVILEGED)
        server = cls(programs, folder, free_port())
        server._initialise()
        server.start()
        return server

    @classmethod
    def opened(cls, programs: Path, folder: Path) -> "Server":
        """Start the cluster that an earlier call left in a folder, or create it."""
        if not folder.exists():
            return cls.create(programs, folder)
        server = cls(programs, folder, free_port())
        server.start()
        return server

    def _initialise(self) -> None:
        secret = self.folder / "secret"
        secret.write_text(SECRET)
        secret.chmod(0o644)
        self._run(
            *("initdb", "-D", str(self.folder / "data"), "-U", SUPERUSER, "--pwfile", str(secret)),
            *("-A", "scram-sha-256", "--no-sync", "-E", "UTF8"),
        )

    def start(self) -> None:
        """Start, and wait until connections are taken. Commits outlive the server, but not a power cut."""
        options = f"-p {self.port} -c listen_addresses=127.0.0.1 -c unix_socket_directories= -c fsync=off"
        self._run(
            "pg_ctl",
            "-D",
            str(self.folder / "data"),
            "-w",
            "-l",
            str(self.folder / "log"),
            "-o",
            options,
            "start",
        )

    def stop(self, mode: str = "immediate") -> None:
        """Stop; ``immediate`` is as if the power had gone."""
        self._run("pg_ctl", "-D", str(self.folder / "data"), "-m", mode, "-w", "stop")

    def database(self, name: str, template: str = "template1") -> str:
        """The URL of a new database: an empty one, or a copy of one that nobody uses."""
        statement = SQL("CREATE DATABASE {} TEMPLATE {}").format(Identifier(name), Identifier(template))
        self.ask("postgres", statement.as_string(None))
        return self.url(name)

    def url(self, database: str, user: str = SUPERUSER, password: str = SECRET) -> str:
        """The URL of a database for a user."""
        return f"postgresql+psycopg://{user}:{password}@127.0.0.1:{self.port}/{database}"

    def ask(self, database: str, statement: str, user: str = SUPERUSER, password: str = SECRET) -> list[Any]:
        """What a statement answers, asked past the program."""
        address = {"host": "127.0.0.1", "port": self.port, "user": user, "password": password}
        address["options"] = "-csearch_path=reviewer,public"
        with psycopg.connect(dbname=database, autocommit=True, **address) as connection:
            cursor = connection.execute(statement.encode())
            return cursor.fetchall() if cursor.description else []

    def _run(self, program: str, *arguments: str) -> str:
        as_somebody = ["setpriv", f"--reuid={UNPRIVILEGED}", "--clear-groups"] if os.geteuid() == 0 else []
        done = subprocess.run(
            [*as_somebody, str(self.programs / program), *arguments],
            cwd=self.folder,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE if program != "pg_ctl" else subprocess.DEVNULL,
            stderr=subprocess.STDOUT if program != "pg_ctl" else subprocess.DEVNULL,
            env={"PATH": os.environ.get("PATH", ""), "LC_ALL": "C.UTF-8"},
            check=False,
        )
        if done.returncode:
            log = self.folder / "log"
            told = (done.stdout or b"").decode() + (log.read_text()[-2000:] if log.exists() else "")
            raise AssertionError(f"{program} failed: {told}")
        return (done.stdout or b"").decode()

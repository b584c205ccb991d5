"""Every reader of files as a command line, run on many files in turn in a child whose memory is measured."""

import json
import os
import resource
import signal
import sys
import time
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from multiprocessing.context import ForkServerContext
from pathlib import Path

from tests.bombs import ARCHIVES, CSV, JSON, PACKS, PARQUET, TOML, XML, Bombs
from tests.fuzz.command_process import code_of_main
from tests.fuzz.isolation import away_from_everything
from tests.fuzz.small_store import STUDY, small_store
from tests.teas import tea_study

MOST_MEMORY = 600 * 1024**2
MOST_SECONDS = 10.0
_PATIENCE = 280.0
FILE = "FILE"
Commands = tuple[tuple[str, ...], ...]
_AS_ROWS: Commands = (
    ("import", FILE, "--dataset", "new", "--protocol", "teas.toml"),
    ("protocol", "new", FILE, "-o", "new.toml"),
)
_AS_LABELS: Commands = (("import", FILE, "--study", "tea", "--rater", "anna", "--dry-run"),)


@dataclass(frozen=True)
class Reader:
    """Commands that read a file, the ending of its name, and small files that unpack to large ones."""

    commands: Commands
    ending: str
    bombs: Bombs


READERS: Mapping[str, Reader] = {
    "declarations": Reader((("protocol", "check", FILE), ("templates", "show", FILE)), ".toml", TOML),
    "guidelines and groups": Reader(
        (
            ("study", "new", "other", "--dataset", "teas", "--guideline", FILE),
            ("import", "teas.jsonl", "--dataset", "teas", "--groups", FILE),
            ("models", "try", "m", "--models", FILE),
        ),
        ".toml",
        TOML,
    ),
    "parquet": Reader(_AS_ROWS, ".parquet", PARQUET),
    "json": Reader(_AS_ROWS, ".json", JSON),
    "labels as json": Reader((*_AS_LABELS, ("templates", "shares", FILE)), ".json", JSON),
    "csv": Reader(_AS_ROWS, ".csv", CSV),
    "labels as csv": Reader(
        (*_AS_LABELS, ("study", "new", "other", "--dataset", "teas", "--cases", FILE)), ".csv", CSV
    ),
    "xml": Reader((("templates", "show", FILE),), ".xml", XML),
    "packs": Reader((("merge", FILE, "--store", "small.db"), ("review", FILE, "--plain")), ".review", PACKS),
    "archives": Reader(
        (("import", FILE, "--study", STUDY, "--rater", "anna", "--store", "small.db"), *_AS_ROWS),
        ".zip",
        ARCHIVES,
    ),
}


@dataclass(frozen=True)
class Run:
    """How one command ended: exit code, seconds, the child's greatest memory until then, and its errors."""

    command: tuple[str, ...]
    code: int
    seconds: float
    memory: int
    errors: str

    @property
    def fault(self) -> str | None:
        """Why the command did not bound what it read, or None."""
        said = " ".join(self.command)
        if self.code not in (0, 1, 2) or "Traceback" in self.errors:
            return f"{said}: exit code {self.code}: {self.errors[-300:]}"
        if self.memory > MOST_MEMORY:
            return f"{said}: {self.memory // 1024**2} MB"
        return f"{said}: {self.seconds:.1f} s" if self.seconds > MOST_SECONDS else None


def prepared(folder: Path) -> None:
    """Put two stores into a folder, one with the study ``tea``, its declaration and its rows."""
    folder.mkdir(exist_ok=True)
    tea_study(folder).close()
    small_store(folder)


def commands_on(reader: Reader, folder: Path) -> Iterator[tuple[str, ...]]:
    """The commands of a reader on each of its files, which are written into the folder."""
    for number, (name, content) in enumerate(reader.bombs.items()):
        path = folder / f"{number} {name}{reader.ending}"
        path.write_bytes(content())
        for command in reader.commands:
            yield tuple(path.name if word == FILE else word for word in command)


def run_in_turn(context: ForkServerContext, commands: Iterable[tuple[str, ...]], folder: Path) -> list[Run]:
    """Run the commands one after the other in one child, which is killed if it takes too long."""
    process = context.Process(target=_run_all, args=(tuple(commands), folder))
    process.start()
    process.join(_PATIENCE)
    if process.is_alive() and process.pid:
        os.killpg(process.pid, signal.SIGKILL)
        process.join()
    told = folder / "runs.jsonl"
    lines = told.read_text(encoding="utf-8").splitlines() if told.exists() else []
    return [Run(tuple(command), *rest) for command, *rest in map(json.loads, lines)]


def _run_all(commands: tuple[tuple[str, ...], ...], folder: Path) -> None:
    os.setsid()
    away_from_everything()
    os.environ["REVIEWER_STORE"] = "reviewer.db"
    os.chdir(folder)
    with (folder / "runs.jsonl").open("w", encoding="utf-8") as told:
        for command in commands:
            told.write(json.dumps(_run(command, folder)) + "\n")
            told.flush()
    os._exit(0)


def _run(command: tuple[str, ...], folder: Path) -> tuple[object, ...]:
    (folder / "err").write_bytes(b"")
    sys.argv = ["reviewer", *command]
    began = time.process_time()
    with (folder / "out").open("w") as out, (folder / "err").open("a") as err:
        sys.stdout, sys.stderr = out, err
        code = code_of_main(folder)
    memory = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * (1 if sys.platform == "darwin" else 1024)
    errors = (folder / "err").read_text(encoding="utf-8", errors="replace")
    return command, code, time.process_time() - began, memory, errors

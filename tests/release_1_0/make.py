"""Makes the files of release 1.0 that every later commit opens: ``python -m tests.release_1_0.make FOLDER``.

The files in this folder were made once, by release 1.0, and are never made again: a store in a file and on a
server, a pack, a release, an export and settings, with a study, labels and a run of every kind. The file
``meaning.json`` says what they mean.
"""

import gzip
import json
import os
import sqlite3
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from contextlib import closing, contextmanager
from pathlib import Path
from typing import Any

from reviewer.exchange.packs.pack import write_pack
from reviewer.oracle import pool
from reviewer.study.session.review_session import ReviewSession
from store.cases import Filter, get_measurements, list_places
from store.copying import copy_store
from store.database import Database
from tests.llm.server import Answer, Asked, serving
from tests.postgres import Server, binaries
from tests.runs.answering import KnownPairs
from tests.runs.discovering import Habits, a_discovery, discover, with_material
from tests.runs.evaluating import decide, evaluate, with_cases
from tests.runs.generating import a_request, generate, some_pairs, with_seeds
from tests.second_protocol.material import dialogues, fill_tiny

HERE = Path(__file__).parent
GROUPS = ("anchoring bias",)
LABELS = {"anna": "True False True True", "ben": "True True True False"}
CITED = ("--licence", "CC0-1.0", "--author", "Ada Example", "--contact", "ada@example.org")
COMMANDS = {
    "agreement": ("agreement", "pilot", "--interval", "none"),
    "runs": ("run",),
    "outcomes": ("outcomes", "list", "first"),
    "effects": ("effects", "first", "--resamples", "100"),
    "funnel": ("funnel", "grown"),
    "found": ("funnel", "found"),
    "datasets": ("datasets",),
}
"""The tables that the tests compare."""
CHANGING = ("audit", "strictly", "not_tested")
"""What columns begin with that depend on the checks of a release."""
MOST = 200


def called(*words: str) -> str:
    """What the program prints, in this folder, with the small protocol of the tests; raises if it fails."""
    command = [sys.executable, "-m", "tests.second_protocol.program", *words]
    paths = {"PYTHONPATH": str(HERE.parents[1]), "COLUMNS": "200"}
    done = subprocess.run(command, capture_output=True, text=True, env=os.environ | paths, check=False)
    if done.returncode:
        raise RuntimeError(f"{words}: {done.stderr}")
    return done.stdout


def table(printed: str) -> list[dict[str, Any]]:
    """The rows of a table in JSON, without what depends on the checks of a release."""
    rows = json.loads(printed)
    return [{key: row[key] for key in row if not key.startswith(CHANGING)} for row in rows]


def values(database: Database) -> list[list[Any]]:
    """The short values that were published, generated and measured, with the case and where they are from."""
    with database.read() as session:
        digests = {case.digest for _, case in list_places(session, Filter())}
        by_case = get_measurements(session, sorted(digests))
    rows = [
        [case, value.source, value.name, value.variant, value.dataset, value.value]
        for case, of_case in by_case.items()
        for value in of_case
    ]
    short = [row for row in rows if len(json.dumps(row[-1])) <= MOST]
    return sorted(short, key=json.dumps)


def judged(asked: Asked) -> Answer:
    """A score that depends on the text alone."""
    return Answer(f"Score: {len(asked.last) % 11}")


def fill(database: Database) -> None:
    """Seeds, a study with labels, and a run of every kind."""
    with_cases(with_material(with_seeds(database), 10, 10))
    fill_tiny(database, "talks", dialogues())
    pairs = KnownPairs(some_pairs(GROUPS, 6), batch=2)
    with serving(pairs) as server, pool.open_executor(2) as executor:
        generate(database, server.url, executor, a_request(GROUPS, "grown"))
    with serving(Habits()) as server:
        discover(database, server.url, a_discovery())
    with serving(decide) as server:
        evaluate(database, server.url, repeats=2)
    with serving(judged) as server:
        roles = ("--role", "judge=small", "--role", "referee=large", "--dataset", "talks")
        called("run", "tiny", "judge", "scores", *roles, "--base-url", server.url)


def review(database: Database, folder: Path) -> None:
    """A study that two raters answer, and the pack of a third one."""
    raters = ("--rater", "anna", "--rater", "ben", "--rater", "cara")
    drawn = ("--dataset", "seeds", "--total", "4", "--question", "same_task")
    called("study", "new", "pilot", *drawn, *raters, "--seed", "7")
    write_pack(database, "pilot", "cara", folder / "cara.review")
    for rater, labels in LABELS.items():
        session = ReviewSession(database, "pilot", rater)
        for number, label in enumerate(labels.split()):
            session.go_to(number)
            session.answer(label)


def dump(database: Database, file: Path) -> None:
    """The store on a server, as SQL."""
    programs = binaries()
    assert programs is not None, "PostgreSQL is not installed"
    with served(programs) as url:
        with closing(Database.open(url)) as copy:
            copy_store(database, copy)
        words = ("--inserts", "--no-owner", "--no-privileges", "--rows-per-insert=100")
        address = url.replace("+psycopg", "")
        printed = subprocess.run([programs / "pg_dump", *words, address], capture_output=True, check=True)
    lines = printed.stdout.splitlines(keepends=True)  # those for psql alone begin with a backslash
    file.write_bytes(gzip.compress(b"".join(line for line in lines if line[:1] != b"\\"), mtime=0))


@contextmanager
def served(programs: Path) -> Iterator[str]:
    """The URL of an empty database on a server of our own."""
    with tempfile.TemporaryDirectory() as folder:
        Path(folder).chmod(0o755)
        server = Server.create(programs, Path(folder) / "server")
        try:
            yield server.database("release_1_0")
        finally:
            server.stop()


def make(folder: Path) -> None:
    """Make all files in a new folder."""
    folder.mkdir(parents=True)
    os.chdir(folder)
    os.environ["REVIEWER_SETTINGS"] = str(HERE / "settings.toml")
    with closing(Database.open("reviewer.db")) as database:
        fill(database)
        called("audit", "seeds")
        review(database, folder)
        called("release", "make", "seeds", "--version", "1.0", "-o", "release", *CITED)
        called("export", "pilot", "-o", "export")
        dump(database, folder / "reviewer.sql.gz")
        meaning = {name: table(called(*words, "--format", "json")) for name, words in COMMANDS.items()}
        written = json.dumps(meaning | {"values": values(database)}, ensure_ascii=False)
        (folder / "meaning.json").write_text(written + "\n")
    with closing(sqlite3.connect("reviewer.db")) as connection:
        connection.execute("VACUUM")  # so that nothing deleted is in the file
    for file in (Path("reviewer.db"), Path("cara.review")):
        Path(f"{file}.gz").write_bytes(gzip.compress(file.read_bytes(), mtime=0))
        file.unlink()


if __name__ == "__main__":
    make(Path(sys.argv[1]).absolute())

"""Write the files that a release leaves behind, for tests that later releases open them.

Run it in a checkout of the release: ``PYTHONPATH=. python tests/old_releases/write_files.py FOLDER``.
It needs SWI-Prolog. Everything is made from our own seeds and from made-up pairs, so the files may be kept.
"""

import csv
import inspect
import io
import json
import shutil
import sys
import zipfile
from collections.abc import Callable
from contextlib import closing, redirect_stderr, redirect_stdout, suppress
from pathlib import Path
from types import ModuleType

from reviewer.cli import generate
from reviewer.cli.main import main
from reviewer.oracle import pool
from reviewer.study.adjudication.adjudication_session import AdjudicationSession
from reviewer.study.session.review_session import ReviewSession
from store.database import Database
from tests.llm.server import Answer, Asked, error, serving
from tests.old_releases.made_up import BIASES, pairs
from tests.runs.answering import KnownPairs
from tests.runs.generating import WordVectors

SEEDS = Path("seeds/probe_swe").resolve()
GIVEN = {"given": "app"} if "given" in inspect.signature(ReviewSession).parameters else {}
"""Where answers are given: releases before schema 0014 did not keep it."""
RATERS = ("anna", "ben", "cleo")
GENERATE = ("--set", "batch_size=2", "--target", "2", "--model", "model-1")

Say = Callable[..., str]


def reviewer_at(folder: Path) -> Say:
    """The command line over the store in a folder; returns what it prints, and stops where it fails."""

    def say(*words: object, may_fail: bool = False) -> str:
        sys.argv = ["reviewer", *map(str, words)]
        out, err = io.StringIO(), io.StringIO()
        code: object = 0
        with suppress(SystemExit), redirect_stdout(out), redirect_stderr(err):
            try:
                main()
            except SystemExit as left:
                code = left.code
        if code and not may_fail:
            raise SystemExit(f"reviewer {' '.join(map(str, words))}: {err.getvalue()}")
        return out.getvalue()

    return say


def answer_all(session: ReviewSession, labels: Callable[[int], str], until: int | None = None) -> None:
    """Answer what is open, every clash without a reason; skip, comment, flag, note and undo on the way."""
    given = 0
    session.go_to(session.position)
    while not session.finished and (until is None or given < until):
        label = labels(given)
        if given == 2:
            session.comment('The second option is not spelt out; "ship" could mean either.')
        if given == 3:
            session.flag()
        if given == 4:
            session.note("Coffee.")
        session.answer(label)
        given += 1
        while session.waiting and session.proceed() is not None:
            pass
        if given == 6:
            session.undo()
        if given == 8:
            session.skip()


def pattern(rater: int) -> Callable[[int], str]:
    """Mostly True, with a False that comes at other places for every rater."""
    return lambda number: "False" if (number * 7 + rater * 3) % 11 == rater else "True"


def write_studies(folder: Path) -> None:
    """A store with an audited dataset, a closed and decided study, one under way, and one of sheets."""
    store = folder / "store.sqlite"
    say = reviewer_at(folder)
    at = ("--store", store)
    say("import", SEEDS, "--dataset", "seeds", *at)
    say("audit", "seeds", *at)
    flags = [word for rater in RATERS for word in ("--rater", rater)]
    say("study", "new", "pilot", "--dataset", "seeds", "--seed", 3, "--repeats", 0.1, "--swap", *flags, *at)
    say(
        "study",
        "new",
        "open",
        "--dataset",
        "seeds",
        "--seed",
        5,
        "--asking",
        "case",
        "--reveal",
        "findings",
        *at,
    )
    say("study", "new", "sheets", "--dataset", "seeds", "--seed", 6, "--per-group", 1, *at)
    with closing(Database.open(str(store))) as database:
        for number, rater in enumerate(RATERS):
            answer_all(ReviewSession(database, "pilot", rater, **GIVEN), pattern(number))
        answer_all(ReviewSession(database, "open", "anna", **GIVEN), pattern(0), until=21)
    say("study", "profile", "pilot", "--rater", "anna", "--degree", "MSc", "--years", 5, *at)
    say("study", "close", "pilot", "--as", "lead", "--why", "all three are done", *at)
    with closing(Database.open(str(store))) as database:
        deciding = AdjudicationSession(database, "pilot", "zoe")
        for number in range(3):
            deciding.go_to(number)
            deciding.decide("True" if number else "False", f"Reason {number}.")
    fill_sheets(say, folder, store)
    say("study", "pack", "open", "--rater", "ben", "-o", folder / "ben.review", *at)
    with closing(Database.open(str(folder / "ben.review"))) as database:
        answer_all(ReviewSession(database, "open", "ben"), pattern(1), until=12)


def fill_sheets(say: Say, folder: Path, store: Path) -> None:
    """A rater's spreadsheets, filled and brought back."""
    sheets = folder / "sheets"
    say("export", "sheets", "--as", "validation-csv", "--rater", "dora", "-o", sheets, "--store", store)
    source, filled = sheets / "dora.zip", folder / "dora-filled.zip"
    with zipfile.ZipFile(source) as old, zipfile.ZipFile(filled, "w", zipfile.ZIP_DEFLATED) as new:
        for name in old.namelist():
            new.writestr(name, filled_sheet(old.read(name).decode("utf-8-sig")))
    say("import", filled, "--study", "sheets", "--rater", "dora", "--store", store)


def filled_sheet(text: str) -> str:
    """The sheet with True in its first column, but for the second row, which stays blank."""
    rows = list(csv.reader(io.StringIO(text)))
    for number, row in enumerate(rows[1:]):
        row[0] = "" if number == 1 else "True"
    out = io.StringIO()
    csv.writer(out).writerows(rows)
    return out.getvalue()


def write_numbers(folder: Path) -> None:
    """What the release prints of its own store: the numbers that later ones have to give."""
    store = ("--store", folder / "store.sqlite")
    say = reviewer_at(folder)
    printed = {
        "agreement": say("agreement", "pilot", "--by", "question,group", "--format", "json", *store),
        "all coefficients": say("agreement", "pilot", "--coefficient", "all", "--format", "json", *store),
        "pass rates": say("agreement", "pilot", "--pass-rates", "--format", "json", *store),
        "labels": say("labels", "pilot", "--format", "json", *store),
        "cases": say("cases", "--format", "json", *store),
        "audit": say("audit", "seeds", "--format", "json", *store),
        "progress": say("progress", "open", "--format", "json", *store),
    }
    numbers = {name: json.loads(text) for name, text in printed.items()}
    (folder / "numbers.json").write_text(json.dumps(numbers, indent=1, ensure_ascii=False) + "\n")
    for study in ("pilot", "open", "sheets"):
        say("export", study, "-o", folder / "exports" / study, *store)
    say("datasets", "export", "seeds", "-o", folder / "exports" / "seeds.json", *store)


def write_generation(folder: Path, module: ModuleType = generate) -> None:
    """A run that a server stopped in its second round, and the dataset that must come out of it."""
    module.open_embeddings = lambda database, model: WordVectors()  # type: ignore[attr-defined]
    say = reviewer_at(folder)
    store, whole = folder / "generation.sqlite", folder / "whole.sqlite"
    groups = [word for bias in BIASES for word in ("--group", bias)]
    for path, answered in ((store, 60), (whole, 10_000)):
        known = KnownPairs(pairs(), batch=2)

        def respond(asked: Asked, known: KnownPairs = known, answered: int = answered) -> Answer:
            return known(asked) if len(server.asked) <= answered else error(401, "no more")

        say("import", SEEDS, "--dataset", "seeds", "--store", path)
        with serving(respond) as server:
            run = ("generate", "first", *groups, *GENERATE, "--base-url", server.url)
            say(*run, "--store", path, may_fail=path == store)
    say("datasets", "export", "first", "-o", folder / "exports" / "first.json", "--store", whole)
    whole.unlink()


SETTINGS = """\
theme = "reviewer-light"
idle_seconds = 45
[keys]
review.skip = "S"
review.answer-1 = "y,1"
"""

if __name__ == "__main__":
    target = Path(sys.argv[1]).resolve()
    target.mkdir(parents=True)
    write_studies(target)
    write_numbers(target)
    write_generation(target)
    (target / "settings.toml").write_text(SETTINGS)
    pool.close()
    shutil.rmtree(target / "sheets")
    for study in ("open", "sheets"):
        (target / "exports" / study / "study.json").unlink()
    for left in [*target.glob("*-wal"), *target.glob("*-shm")]:
        left.unlink()

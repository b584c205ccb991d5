"""Exit code 2 means that nothing was written: every command, with each kind of bad argument in turn."""

import hashlib
import io
import json
import os
import shutil
import sqlite3
from collections.abc import Iterator
from contextlib import closing
from importlib.resources import files
from pathlib import Path

import click
import pytest

from reviewer.cli.main import reviewer
from reviewer.exchange.packs.pack import write_pack
from reviewer.runs.repair.revise import read_place, revise
from reviewer.study.session.review_session import ReviewSession
from tests.cli.conftest import Run
from tests.cli.test_templates_command import SCORES
from tests.evaluations import an_evaluation
from tests.protocols.templates.test_template_forms import TOML
from tests.studies import a_case, a_study, fill, open_store

GOOD: dict[str, str] = {
    "import": "items.csv --protocol items.toml --dataset more",
    "datasets": "",
    "datasets export": "data -o new.json",
    "datasets hard": "tried --model nobody --into fresh",
    "datasets merge": "data pilot-data --into both",
    "datasets complaints import": "complaints.csv --dataset data",
    "datasets complaints list": "data",
    "datasets describe": "data --uses tests",
    "datasets diff": "data anchoring bias/0",
    "datasets history": "data anchoring bias/0",
    "datasets revert": "data anchoring bias/0 --reason better",
    "datasets settle": "data anchoring bias/0",
    "datasets todo": "data anchoring bias/0 --note ask --for zoe",
    "datasets withdraw": "data anchoring bias/0 --reason wrong",
    "cases": "",
    "show": "pilot-data:anchoring bias/0",
    "audit": "data",
    "repair": "data --propose --model gpt-4o-mini --case anchoring bias/0",
    "check": "data --decisions gpt-4o-mini",
    "diversity": "data",
    "cluster doctor": "tcp://127.0.0.1:1",
    "cluster plan": "--cases 1000",
    "oracle doctor": "",
    "generate": "first --model gpt-4o-mini",
    "evaluate": "fresh data --model gpt-4o-mini",
    "discover": "found --library nobody --pairs data --validation data --judge m1 --teacher m2",
    "run": "probe-swe generate first --role author=gpt-4o-mini",
    "outcomes list": "tried",
    "outcomes read": "tried",
    "outcomes import": "fresh choices.csv --as choices.toml --dataset data",
    "outcomes cases": "tried",
    "outcomes export": "tried -o new",
    "effects": "tried --resamples 100",
    "funnel": "first",
    "candidates": "first",
    "study check": "pilot",
    "study close": "pilot --as lead --why enough --anyway",
    "study coefficients": "pilot ac1 --as lead",
    "study describe": "pilot --as lead --recruitment colleagues",
    "study exclude": "pilot anna --as lead --why late",
    "study include": "pilot anna --as lead --why back",
    "study link": "pilot --rater anna",
    "study links": "pilot",
    "study lead": "pilot zoe --as lead",
    "study known": "data",
    "study list": "",
    "study new": "fresh --dataset data",
    "study pack": "pilot --rater ghost -o new.review",
    "study plan": "--dataset data --strata group --guess anchoring bias=.9,confirmation bias=.5",
    "study profile": "pilot --rater anna --field law",
    "study reopen": "pilot --as lead --why more",
    "study show": "pilot",
    "study third": "pilot --as lead",
    "review": "pilot --rater ghost --plain",
    "serve": "declared",
    "merge": "anna.review",
    "progress": "pilot",
    "adjudicate": "pilot --as lead",
    "labels": "pilot",
    "agreement": "pilot",
    "answers": "pilot",
    "judges": "pilot",
    "judges ask": "pilot --model gpt-4o-mini",
    "report": "pilot -o new --no-figures --interval analytic",
    "export": "pilot -o new",
    "release make": "data --version 1.0 -o new --licence MIT --author Jo --contact Jo",
    "release list": "data",
    "release verify": "released",
    "release diff": "released released",
    "claims check": "claims.toml",
    "checklist": "pilot",
    "protocol check": "items.toml",
    "protocol new": "rows.jsonl -o new.toml",
    "protocol list": "",
    "protocol show": "probe-swe",
    "protocol example": "reply_pairs new",
    "library": "data",
    "templates show": "gaps.toml",
    "templates convert": "gaps.toml",
    "templates fill": "slots.toml",
    "templates nulls": "gaps.toml",
    "templates reading": "readings.jsonl",
    "templates scores": "scores.csv",
    "templates shares": "shares.json",
    "models try": "gpt-4o-mini",
    "models calls": "",
    "store copy": "reviewer.db new.db",
    "store check": "",
    "store backup": "-o new.db",
    "store grant": "pilot --rater ghost",
    "settings": "",
    "manual": "safety",
    "completion": "bash",
    "demo": "",
}
"""Arguments of each command that would do something, but for the values put in their place."""
NAMES = {
    "study",
    "name",
    "names",
    "dataset",
    "datasets",
    "reference",
    "rater",
    "lead",
    "into",
    "source",
    "key",
}
"""Parameters that name something in the store."""
NO_NAME = "no/name\n"
PARTS = 3
"""Every run gives each command one of so many wrong arguments, and the slow tests all of them."""
SEEDS = files("seeds")
RELEASED = Path(__file__).parent.parent / "release_1_0" / "release"
_READ = {"text": "Where to?", "choices": ["there", "here"], "answer": "I go there. Answer: A"}
_SHARES = {"total_samples": 50, "average": 0.6, **{f"level_{level}": 0.6 for level in range(1, 6)}}
FILES: dict[str, str] = {
    "items.csv": (SEEDS / "own_benchmark" / "multiple_choice.csv").read_text(encoding="utf-8"),
    "items.toml": (SEEDS / "own_benchmark" / "multiple_choice.toml").read_text(encoding="utf-8"),
    "slots.toml": (SEEDS / "detail_levels" / "templates.toml").read_text(encoding="utf-8"),
    "gaps.toml": TOML,
    "scores.csv": SCORES,
    "shares.json": json.dumps({"one": {"Framing": {"0.2": _SHARES}}}),
    "readings.jsonl": json.dumps({"key": "1", "published": {"known_choice": "A"}, "payload": _READ}),
    "choices.csv": "item,model,version,choice\nanchoring bias/0,m1,biased,A\n",
    "choices.toml": """
[columns]
key = "item"
model = "model"
choice = "choice"

[choices]
A = "A"
B = "B"

[conditions]
version = { value = "biased" }
order = { value = "as written" }
cue = { value = "none" }
""",
}
"""Files that commands read."""


def commands(
    command: click.Command, context: click.Context, path: str = ""
) -> Iterator[tuple[str, click.Command]]:
    """Every command that does something, by the words that call it."""
    if not isinstance(command, click.Group):
        yield path, command
        return
    if command.invoke_without_command and path:
        yield path, command  # what comes before the name of a command below is not for this one
    for name in command.list_commands(context):
        below = command.get_command(context, name)
        assert below is not None
        yield from commands(below, click.Context(below, parent=context), f"{path} {name}".strip())


COMMANDS = dict(commands(reviewer, click.Context(reviewer)))


OTHERS = {
    "host": ["no host", "192.0.2.1"],
    "groups": ["nobody"],
    "assignments": ["nobody=1"],
    "url": ["nowhere", "http://[", "http://a\nb", ""],
    "public_url": ["nowhere", "http://[", "http://a\nb", "http://"],
    "findings": ["no check", "two\nlines"],
    "reason": ["", " \t"],
    "version": ["", "one", "1/2", "v1"],
    "passed": ["nobody", "pilot", NO_NAME],
    "without": ["no check", "two\nlines"],
    "licence": ["two\nlines", "x" * 1000],
    "contact": ["two\nlines"],
    "authors": ["two\nlines"],
    **{name: ["zz", ""] for name in ("old", "new", "target", "choice", "done")},
}
"""Values that fit no parameter of these names."""


def bad_values(parameter: click.Parameter) -> list[str]:
    """What may be given in a parameter's place, and is wrong."""
    if isinstance(parameter, click.Option) and parameter.is_flag:
        return []
    if parameter.name == "store":
        return ["nodir/x.db", "folder", "text.txt"]
    if parameter.name in ("output", "record"):
        return ["nodir/x", "folder"]
    if isinstance(parameter.type, click.Path):
        return ["nodir/x", "folder", "empty.txt", "text.txt", "binary.bin", "locked.txt"]
    if parameter.name in NAMES:
        return ["nobody", NO_NAME]
    if isinstance(parameter.type, click.Choice | click.IntRange | click.FloatRange) or parameter.type in (
        click.INT,
        click.FLOAT,
    ):
        return ["what"]
    return OTHERS.get(str(parameter.name), [])


RIGHT = {
    # "nobody" is a new rater of an open study, a new dataset, or an old run's empty list.
    *((command, "rater", "nobody") for command in ("study pack", "review", "store grant")),
    ("datasets merge", "into", "nobody"),
    ("study describe", "lead", "nobody"),
    *(("datasets describe", "source", text) for text in ("nobody", NO_NAME)),  # a text
    ("generate", "name", "nobody"),
    ("evaluate", "name", "nobody"),
    ("run", "name", "nobody"),
    ("study new", "name", "nobody"),
    ("study new", "lead", "nobody"),
    ("study new", "briefing", "text.txt"),
    ("templates convert", "scenarios", "text.txt"),
    ("study lead", "name", "nobody"),
    ("datasets todo", "name", "nobody"),
    ("store copy", "target", "zz"),
    ("import", "dataset", "nobody"),
    ("datasets export", "file", "nodir/x"),
    # An export may take the place of an older one, and makes its folder.
    *(("datasets export", "file", name) for name in ("empty.txt", "text.txt", "binary.bin", "locked.txt")),
    *(("protocol example", "folder", name) for name in ("nodir/x", "folder", "locked.txt")),
    ("protocol new", "name", "nobody"),
    *(("protocol new", "file", name) for name in ("nodir/x", "locked.txt")),
    *(
        (command, "folder", name)
        for command in ("report", "export", "outcomes export", "release make")
        for name in ("nodir/x", "folder", "locked.txt")
    ),
}
"""What looks wrong and is right."""


def wrong(path: str) -> list[tuple[str, str]]:
    """Each parameter of a command, with each wrong value."""
    return [
        (str(parameter.name), value)
        for parameter in COMMANDS[path].params
        for value in bad_values(parameter)
        if (path, parameter.name, value) not in RIGHT
    ]


ARGUMENTS = [
    pytest.param(path, part, marks=pytest.mark.slow if part else ())
    for path in COMMANDS
    for part in range(PARTS)
    if wrong(path)[part::PARTS]
]


def arguments(path: str, name: str, value: str) -> list[str]:
    """The good arguments of a command with one value in the place of a good one."""
    command = COMMANDS[path]
    words = path.split()
    good = GOOD[path].replace(" bias", "\0bias").split()
    good = [word.replace("\0", " ") for word in good]
    parameter = next(each for each in command.params if each.name == name)
    if isinstance(parameter, click.Option):
        option = next((each for each in parameter.opts if each in good), None)
        if option is None:
            return [*words, *good, parameter.opts[0], value]
        at = good.index(option)
        return [*words, *good[: at + 1], value, *good[at + 2 :]]
    places = [each for each in command.params if isinstance(each, click.Argument)]
    at = places.index(parameter)
    if at >= len(good) or good[at].startswith("-"):
        return [*words, value, *good]
    return [*words, *good[:at], value, *good[at + 1 :]]


def state(folder: Path) -> dict[str, object]:
    """Every row of every store in a folder, and every file."""
    seen: dict[str, object] = {}
    for file in sorted(folder.rglob("*")):
        if file.suffix == ".db" and file.stat().st_size:
            seen[file.name] = _rows(file)
        elif not file.name.endswith(("-wal", "-shm")):
            seen[file.name] = file.read_bytes() if file.is_file() else None
    return seen


_ROWS: dict[bytes, list[str]] = {}
"""The rows of stores by the digest of their file: most files are what they were."""


def _rows(file: Path) -> list[str]:
    if file.with_name(f"{file.name}-wal").exists():
        with closing(sqlite3.connect(file)) as connection:
            connection.execute(
                "SELECT * FROM sqlite_master"
            ).fetchall()  # closing brings the log into the file
    digest = hashlib.sha256(file.read_bytes()).digest()
    if digest not in _ROWS:
        with closing(sqlite3.connect(file)) as connection:
            _ROWS[digest] = list(connection.iterdump())
    return _ROWS[digest]


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with a store and with files of every wrong kind."""
    folder = tmp_path_factory.mktemp("made")
    with closing(open_store(folder)) as database:
        groups = dict.fromkeys(range(10, 13), "anchoring bias") | dict.fromkeys((13, 14), "confirmation bias")
        fill(database, "data", [a_case(number, group) for number, group in groups.items()])
        place = read_place(database, "data", "anchoring bias/0")
        said = {"expected": place.parent, "author": "maria", "reason": "clearer"}
        revise(database, "data", "anchoring bias/0", a_case(20), **said)
        a_study(database)
        a_study(database, "declared", raters=("anna", "ben"))
        session = ReviewSession(database, "pilot", "anna")
        session.answer("True")
        write_pack(database, "pilot", "anna", folder / "anna.review")
        an_evaluation(database, "tried", "pilot-data")
    rows = [{"id": number, "text": f"text {number}", "other": f"other {number}"} for number in range(3)]
    (folder / "rows.jsonl").write_text("".join(f"{json.dumps(row)}\n" for row in rows))
    (folder / "folder").mkdir()
    (folder / "empty.txt").touch()
    (folder / "text.txt").write_text("just a text\n")
    claim = '[[claim]]\nwhere = "Table 1"\nprinted = ".5"\ncommand = "agreement pilot"\n'
    (folder / "claims.toml").write_text(claim)
    (folder / "complaints.csv").write_text("key,text\nanchoring bias/0,not clear\n")
    for name, text in FILES.items():
        (folder / name).write_text(text)
    shutil.copytree(RELEASED, folder / "released")
    (folder / "binary.bin").write_bytes(os.urandom(5_000))
    (folder / "locked.txt").write_text("locked\n")
    (folder / "locked.txt").chmod(0)
    return folder


def test_every_command_is_here() -> None:
    assert set(GOOD) == set(COMMANDS)


def test_files_of_good_arguments_are_there(made: Path) -> None:
    named = {word for words in GOOD.values() for word in words.split() if Path(word).suffix[1:].isalpha()}
    assert {name for name in named if not (made / name).exists()} == {
        "new.db",
        "new.json",
        "new.review",
        "new.toml",
    }


@pytest.mark.parametrize(
    "path", ["import", "outcomes import", "protocol check", "release diff", "templates fill"]
)
def test_good_arguments_do_something(run: Run, made: Path, tmp_path: Path, path: str) -> None:
    shutil.copytree(made, tmp_path, dirs_exist_ok=True)
    done = run(*path.split(), *GOOD[path].split())
    assert done.code == 0, done.err


@pytest.mark.parametrize(("path", "part"), ARGUMENTS)
def test_a_bad_argument_writes_nothing(
    run: Run, made: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, path: str, part: int
) -> None:
    shutil.copytree(made, tmp_path, dirs_exist_ok=True)
    before = state(tmp_path)
    for name, value in wrong(path)[part::PARTS]:
        if value == "locked.txt" and os.geteuid() == 0:
            value = "gone.txt"  # root reads everything
        monkeypatch.setattr("sys.stdin", io.StringIO("t\n"))
        result = run(*arguments(path, name, value))
        given = (name, value, result)
        assert "Traceback" not in result.err, given
        assert result.code == 2, given
        assert result.err.splitlines()[-1].startswith("Error: "), given
        assert state(tmp_path) == before, given

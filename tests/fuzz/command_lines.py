"""Command lines: every command with random options and values, and with broken streams and folders around it.

A call may do its work or be refused with one sentence; it never ends in a traceback, hangs, or writes to the
store and then says that it failed.
"""

import hashlib
import os
import shlex
import shutil
import sqlite3
from collections.abc import Iterator
from contextlib import closing, contextmanager
from functools import cache
from pathlib import Path
from random import Random

import click

from reviewer.cli.main import reviewer
from tests.fuzz.command_process import TRACEBACK, Call, Done, call, forking
from tests.fuzz.harness import Attempt, Case, Wrong
from tests.fuzz.small_store import DATASET, RATERS, STUDY, small_store

# fmt: off
NUMBERS = (
    "nan", "inf", "-inf", "-1", "0", "-0.0", "1", "2", "0.5", "1e308", "-1e308", "1e-300", "5e-324",
    "1" + "0" * 30, "-1" + "0" * 30, "9" * 5_000, "", " ", "٣", "0x10", "1_000", "1e400", "½",
)
TEXTS = (
    "", " ", "-", "--", ".", "..", "~", "~nobody/x", "a/b", "a" * 300, "a" * 10_000, "\udcff", "x\udcffy",
    "\x1b[31m", "[red]", "[/a]", "{0}", "%s%n", "a\nb", "\u202e", "é", "😀", "NUL", "nan", "null", "none",
    DATASET, STUDY, *RATERS, "all", "question", "group,question", ",", "pair", "'", '"', ";", "=", "a=b",
    "http://127.0.0.1:9/v1", "http://[::1", "postgresql+psycopg://u:p@127.0.0.1:9/x", "sqlite:///x.db", "://",
)
# fmt: on
# All inside the case's folder: what would be replaced there is a link, never the machine's own device.
PATHS = (
    *("missing.txt", "missing/folder/file", "fifo", "folder", "zero", "full", "null", "tty", "memory"),
    *("a" * 300, "a" * 300 + "/b", "\udcff", "", ".", "folder/..", "a/../b", "loop", "binary", "deep.toml"),
    *("bom.toml", "deep.json", "text.txt", "unreadable", "store.db", "own.db", "x" * 5_000, "null/x"),
)
LINKS = {
    **{name: f"/dev/{name}" for name in ("zero", "full", "null", "tty")},
    "memory": "/proc/self/mem",
    "loop": "loop",
}
# Exit codes for output that was lost; what the command did stands.
LOST = {"pipe": (141,), "full": (3,)}
# These serve until they are stopped, or ask a person.
LEFT_OUT = ("serve",)
# Running programs or comparing texts takes seconds; others do what is asked here of these.
SLOW = ("audit", "check", "diversity")


@cache
def leaves() -> tuple[tuple[tuple[str, ...], click.Command], ...]:
    """Every command that is no group, by its words."""
    return tuple(_leaves(reviewer, ()))


def _leaves(group: click.Group, words: tuple[str, ...]) -> Iterator[tuple[tuple[str, ...], click.Command]]:
    context = click.Context(group)
    for name in group.list_commands(context):
        command = group.get_command(context, name)
        if isinstance(command, click.Group):
            yield from _leaves(command, (*words, name))
        elif command is not None and name not in LEFT_OUT:
            yield (*words, name), command


def arguments_of(random: Random, command: click.Command, wild: float) -> list[str]:
    """Arguments for a command: what it requires, some options; each is a wild value with this probability."""
    given: list[str] = []
    for parameter in command.params:
        if isinstance(parameter, click.Argument):
            if parameter.required or random.random() < 0.3:
                given.append(_value(random, parameter, wild))
        elif isinstance(parameter, click.Option) and _is_given(random, parameter):
            name = random.choice(parameter.opts)
            given += [name] if parameter.is_flag else [name, _value(random, parameter, wild)]
    return given


def _is_given(random: Random, option: click.Option) -> bool:
    if option.name in ("help", "store", "base_url"):
        return False
    return option.required or random.random() < 0.25


_FITTING = {
    "dataset": (DATASET,), "study": (STUDY,), "name": (STUDY, "new"), "rater": RATERS, "raters": RATERS,
    "user": RATERS, "reference": ("framing effect/2",), "model": ("m1",), "who": RATERS, "why": ("because",),
    "deciders": ("m1",), "source": ("store.db",), "target": ("copy.db",), "run": ("run",),
}  # fmt: skip


def _value(random: Random, parameter: click.Parameter, wild: float) -> str:
    kind = parameter.type
    if isinstance(kind, click.Choice):
        return str(
            random.choice([*kind.choices, "nothing"] if random.random() < wild else list(kind.choices))
        )
    if random.random() >= wild:
        return _fitting(random, parameter)
    if isinstance(kind, click.types.IntParamType | click.types.FloatParamType):
        return random.choice(NUMBERS)
    pool = PATHS if isinstance(kind, click.Path) else random.choice((TEXTS, TEXTS, PATHS, NUMBERS))
    return random.choice(pool)


def _fitting(random: Random, parameter: click.Parameter) -> str:
    if isinstance(parameter.type, click.types.IntParamType):
        return random.choice(("1", "2", "100", "1000"))
    if isinstance(parameter.type, click.types.FloatParamType):
        return random.choice(("0.1", "0.5", "0.9", "0.95"))
    if isinstance(parameter.type, click.Path):
        return random.choice(("out", "text.txt", "folder"))
    return random.choice(_FITTING.get(parameter.name or "", TEXTS))


def surroundings(random: Random) -> dict[str, object]:
    """What stands around a call: mostly nothing odd."""
    odd: dict[str, object] = {}
    if random.random() < 0.1:
        odd["encoding"] = random.choice(("cp1252", "ascii", "utf-16"))
    if random.random() < 0.1:
        odd["output"] = random.choice(("full", "closed", "pipe"))
    if random.random() < 0.05:
        odd["errors"] = random.choice(("full", "closed", "pipe"))
    if random.random() < 0.05:
        odd["gone"] = True
    if random.random() < 0.2:
        odd["typed"] = random.choice((b"t\nf\nt\n", b"\xff\xfe\n", b"h\nq\n", b"\x00" * 50, b"t" * 10_000))
    odd["environment"] = _environment(random)
    return odd


def lay_out(folder: Path, store: Path) -> None:
    """The files that paths may name."""
    shutil.copy(store, folder / "store.db")
    shutil.copy(store, folder / "own.db")
    (folder / "folder").mkdir()
    os.mkfifo(folder / "fifo")
    for name, target in LINKS.items():
        (folder / name).symlink_to(target)
    (folder / "binary").write_bytes(bytes(range(256)) * 8)
    (folder / "text.txt").write_text("a\nb\n")
    (folder / "deep.toml").write_text("a = " + "[" * 5_000 + "]" * 5_000)
    (folder / "deep.json").write_text("[" * 100_000 + "]" * 100_000)
    (folder / "models.toml").write_text("[patience]\nattempts = 2\nbackoff = 0.01\nlongest = 0.05\n")
    (folder / "bom.toml").write_text("\ufefftheme = 'nord'\n")


@contextmanager
def opened(folder: Path) -> Iterator[Attempt]:
    """One store for all cases, of which each gets a copy."""
    store = small_store(folder)
    context = forking()

    def attempt(case: Case) -> None:
        lay_out(case.folder, store)
        words, command = case.random.choice(leaves())
        if words[0] in SLOW and case.random.random() < 0.9:
            words, command = case.random.choice([leaf for leaf in leaves() if leaf[0][0] not in SLOW])
        arguments = [*words, *arguments_of(case.random, command, wild=case.random.choice((0.1, 0.4, 0.8)))]
        if case.random.random() < 0.05:
            arguments.append(case.random.choice(TEXTS))
        wanted = Call(arguments, case.folder, **surroundings(case.random))  # type: ignore[arg-type]
        check(case, context, wanted)

    yield attempt


def _environment(random: Random) -> dict[str, str]:
    environment = {
        "REVIEWER_STORE": "store.db",
        "REVIEWER_BASE_URL": "http://127.0.0.1:9/v1",
        "REVIEWER_MODELS": "models.toml",
    }
    if random.random() < 0.1:
        name = random.choice(("REVIEWER_SETTINGS", "REVIEWER_MODELS", "REVIEWER_STORE", "REVIEWER_RATER"))
        environment[name] = random.choice([path for path in PATHS if path])
    return environment


def check(case: Case, context: object, wanted: Call) -> None:
    """Run a call and raise Wrong for results that may never come of it."""
    case.keep("command.txt", f"reviewer {shlex.join(wanted.arguments)}\n{wanted}\n")
    before = rows_of(case.folder / "store.db")
    done: Done = call(context, wanted, case.folder / "logs")  # type: ignore[arg-type]
    case.keep("out.txt", done.out[-4_000:])
    case.keep("err.txt", done.err[-8_000:])
    if done.code is None:
        raise Wrong(f"it hangs: {shlex.join(wanted.arguments)[:300]}")
    if TRACEBACK in done.err or done.code not in (0, 2, 4, 130, *LOST.get(wanted.output, ())):
        last = (done.err.strip().splitlines() or [""])[-1]
        raise Wrong(f"exit code {done.code}: {shlex.join(wanted.arguments)[:300]}: {last[:300]}")
    if done.code == 2 and rows_of(case.folder / "store.db") != before:
        raise Wrong(f"exit code 2, and yet the store changed: {shlex.join(wanted.arguments)[:300]}")


def rows_of(store: Path) -> str:
    """A digest over the content of a store without calls: requests to a model are kept in any case."""
    digest = hashlib.sha256()
    with closing(sqlite3.connect(f"file:{store}?mode=ro", uri=True)) as connection:
        for line in connection.iterdump():
            if line.startswith('INSERT INTO "calls"'):
                continue
            digest.update(line.encode("utf-8", "surrogatepass"))
    return digest.hexdigest()

"""A few seconds of the fuzzer with fixed seeds, and that it can fail; `make fuzz` runs it for longer."""

import json
import os
import re
import shutil
import signal
import subprocess
import sys
import time
from collections.abc import AsyncIterator, Callable, Iterator
from contextlib import asynccontextmanager, contextmanager
from pathlib import Path
from random import Random
from types import SimpleNamespace

import click
import pytest

from reviewer.llm import transport
from reviewer.oracle import oracle_program, pool, workers
from reviewer.oracle.decode import decode
from tests.fuzz import child_replies, harness, model_replies, programs
from tests.fuzz.__main__ import table
from tests.fuzz.command_lines import PATHS, arguments_of, leaves
from tests.fuzz.harness import Attempt, Case, Plan, Tally, Target, Unavailable, Wrong
from tests.fuzz.mutations import mutated_bytes, mutated_text
from tests.fuzz.targets import TARGETS
from tests.llm.server import Answer
from tests.oracle.programs import AXIOMS, FACTS
from tests.rounds import some_always

ROOT = Path(__file__).parents[2]
CASES = {
    "programs": 25,
    "stores": 5,
    "children": 100,
    "models": 12,
    "labels": 60,
    "outcomes": 40,
    "bombs": 6,
    "commands": 30,
}
SEED = 0
FOUND: tuple[tuple[str, int, int], ...] = (
    # A seed that found something, and the number of its case.
    ("commands", 1, 37),
    ("commands", 1, 55),
    ("commands", 1, 76),
    ("commands", 1, 134),
    ("commands", 2, 1302),
    ("commands", 1795328280, 38),
    ("children", 0, 11_444),
)


def run(tmp_path: Path, *targets: Target, **plan: int) -> list[Tally]:
    whole = Plan(plan.get("seed", SEED), tmp_path / "failures", plan["cases"], None, plan.get("first", 0))
    return harness.run(targets, whole, tmp_path / "scratch", print)


def test_the_reply_that_is_changed_is_a_reply() -> None:
    """Else nothing of a child's reply would ever be decoded."""
    honest = json.dumps(child_replies.HONEST).encode()
    assert decode(honest, child_replies.PROGRAM, "9.2.9").result.choice == "option_B"


# The case holds for a corpus of two texts and for the pieces of today. Where it finds nothing any more, look
# for another whose axioms begin with "#".
FIRST_LINE_WITH_HASH = 12_414
WITHOUT_COMPARISON = (
    "    '$current_source_module'(Module),\n    nb_getval(oracle_module, Module),\n",
    "    fail,\n    '$current_source_module'(Module),\n    nb_getval(oracle_module, Module),\n",
)
OTHER_FILES = """\
import sys
from pathlib import Path
root, configuration = sys.argv[1:]
sys.path.append(root)
from reviewer.oracle.worker import prolog
prolog.PROLOG_FILES = Path({files!r})
from reviewer.oracle.worker.host import main
main(configuration)
"""


@pytest.fixture
def other_loader(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Callable[..., None]]:
    """Runs programs with load.pl changed, on a small corpus, and with a first line with # left as it is."""

    def change(*changes: tuple[str, str]) -> None:
        files = tmp_path / "prolog"
        shutil.copytree(ROOT / "reviewer" / "oracle" / "prolog", files)
        text = (files / "load.pl").read_text()
        for old, new in changes:
            assert text.count(old) == 1
            text = text.replace(old, new)
        (files / "load.pl").write_text(text)
        monkeypatch.setattr(workers, "LAUNCH", OTHER_FILES.format(files=str(files)))
        monkeypatch.setattr(oracle_program, "_SCRIPT_HEADER", re.compile(r"(?!)"))
        monkeypatch.setattr(programs, "corpus", lambda _folder: [FACTS, AXIOMS])
        pool.close()

    if shutil.which("swipl") is None and not os.environ.get("CI"):
        pytest.skip("SWI-Prolog is not installed")
    yield change
    pool.close()


@pytest.mark.slow
@pytest.mark.parametrize("compared", [False, True])
def test_a_loader_without_its_comparison_is_noticed(
    tmp_path: Path, other_loader: Callable[..., None], compared: bool
) -> None:
    """A loader that reads otherwise is held by the comparison, and found where there is none."""
    header = ("check_script(false)", "check_script(true)")
    other_loader(header, *(() if compared else (WITHOUT_COMPARISON,)))
    (tally,) = run(tmp_path, TARGETS["programs"], cases=1, seed=SEED, first=FIRST_LINE_WITH_HASH)
    assert len(tally.failures) == (0 if compared else 1)
    if not compared:
        assert "the gate read" in (tally.failures[0] / "failure.txt").read_text()


def test_every_target_is_tried() -> None:
    assert CASES.keys() == TARGETS.keys()


@pytest.mark.parametrize("name", some_always([*CASES], 2))
def test_nothing_comes_through(tmp_path: Path, name: str) -> None:
    (tally,) = run(tmp_path, TARGETS[name], cases=CASES[name])
    if tally.reason and not os.environ.get("CI"):
        pytest.skip(tally.reason)
    assert (tally.cases, tally.failures) == (CASES[name], []), [
        (kept / "failure.txt").read_text(encoding="utf-8", errors="replace") for kept in tally.failures
    ]


@pytest.mark.parametrize(("name", "seed", "number"), FOUND)
def test_what_was_found_once(tmp_path: Path, name: str, seed: int, number: int) -> None:
    (tally,) = run(tmp_path, TARGETS[name], cases=1, seed=seed, first=number)
    assert (tally.cases, tally.failures) == (1, [])


@asynccontextmanager
async def _without_limit(_seconds: float) -> AsyncIterator[None]:
    yield


@pytest.mark.parametrize("limited", [True, False])
def test_a_model_that_stalls_is_noticed_where_nothing_ends_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, limited: bool
) -> None:
    """With every time limit of the client switched off, asking never ends; the fuzzer says so and goes on."""
    monkeypatch.setattr(model_replies, "_answer", lambda _random: Answer({"choices": []}, stall_after=1))
    if not limited:
        monkeypatch.setattr(model_replies, "MOST_SECONDS", 1.5)
        endless = {"connect": 600.0, "stall": 600.0, "total": 600.0}
        monkeypatch.setattr(model_replies, "RETRIES", model_replies.RETRIES.model_copy(update=endless))
        monkeypatch.setattr(transport, "asyncio", SimpleNamespace(timeout=_without_limit))
    began = time.monotonic()
    (tally,) = run(tmp_path, TARGETS["models"], cases=2)
    assert tally.cases == 2
    assert len(tally.failures) == (0 if limited else 2)
    assert time.monotonic() - began < 60
    for kept in tally.failures:
        assert "asking took longer than any patience" in (kept / "failure.txt").read_text(encoding="utf-8")


@contextmanager
def _failing(_folder: Path) -> Iterator[Attempt]:
    def attempt(case: Case) -> None:
        case.keep("input.txt", "\udcff odd")
        number = case.random.randrange(3)
        if number == 1:
            raise Wrong("one is wrong")
        if number == 2:
            raise KeyError("two")

    yield attempt


@contextmanager
def _unavailable(_folder: Path) -> Iterator[Attempt]:
    raise Unavailable("it needs what is not here")
    yield


def test_failures_are_kept_with_their_input_and_come_again(tmp_path: Path) -> None:
    first, second = (
        run(tmp_path / name, Target("odd", "what", _failing), cases=20)[0] for name in ("first", "second")
    )
    assert 0 < len(first.failures) < 20
    assert [kept.name for kept in first.failures] == [kept.name for kept in second.failures]
    told = [(kept / "failure.txt").read_text() for kept in first.failures]
    assert any("one is wrong" in text for text in told)
    assert any("Traceback" in text and "KeyError" in text for text in told)
    assert all("Again: python -m tests.fuzz --only odd --seed 0 --first" in text for text in told)
    assert all((kept / "input.txt").exists() for kept in first.failures)
    number = int(first.failures[0].name.rsplit("-", 1)[1])
    (again,) = run(tmp_path / "again", Target("odd", "what", _failing), cases=1, first=number)
    assert len(again.failures) == 1


def test_a_target_that_cannot_run_says_why(tmp_path: Path) -> None:
    tallies = run(tmp_path, Target("gone", "what", _unavailable), Target("odd", "what", _failing), cases=3)
    shown = table(tallies)
    assert "did not run: it needs what is not here" in shown
    assert [tally.cases for tally in tallies] == [0, 3]


@pytest.fixture
def _ctrl_c_is_heard() -> Iterator[None]:
    """A run of tests in the background ignores the signal, and every process that it starts inherits that."""
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    yield
    signal.signal(signal.SIGINT, before)


@pytest.mark.slow
@pytest.mark.usefixtures("_ctrl_c_is_heard")
def test_ctrl_c_ends_it_with_what_ran(tmp_path: Path) -> None:
    arguments = ["--only", "children", "--seconds", "60", "--failures", str(tmp_path)]
    running = subprocess.Popen(
        [sys.executable, "-m", "tests.fuzz", *arguments],
        cwd=ROOT,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        env={**os.environ, "TMPDIR": str(tmp_path)},
    )
    while not list(tmp_path.glob("*/children")):  # made when the target's turns begin
        assert running.poll() is None
        time.sleep(0.05)
    running.send_signal(signal.SIGINT)
    out, err = running.communicate(timeout=120)
    assert "Interrupted; this is what ran:" in err
    assert "Traceback" not in err
    assert "children" in out


def test_mutations_change_texts_and_are_decided_by_the_seed() -> None:
    texts = ["a :- b.\nb.\n", "c(X) :- d(X).\n"]
    mutated = [mutated_text(Random(seed), texts[0], texts, [":-", "#!\n"]) for seed in range(50)]
    assert mutated == [mutated_text(Random(seed), texts[0], texts, [":-", "#!\n"]) for seed in range(50)]
    assert len(set(mutated)) > 30
    data = bytes(range(256))
    assert len({mutated_bytes(Random(seed), data) for seed in range(50)} - {data}) > 40


def test_every_command_and_every_option_is_met() -> None:
    met: set[tuple[tuple[str, ...], str]] = set()
    for words, command in leaves():
        for seed in range(60):
            given = arguments_of(Random(seed), command, 0.5)
            met |= {(words, each) for each in given if each.startswith("-")}
    missing = [
        (words, parameter.opts)
        for words, command in leaves()
        for parameter in command.params
        if isinstance(parameter, click.Option)
        and parameter.name not in ("help", "store", "base_url")
        and not any((words, name) in met for name in parameter.opts)
    ]
    assert missing == []


def test_no_path_that_is_tried_leads_out_of_the_cases_folder() -> None:
    """A fuzzer that runs as root once put a file in the place of the null device."""
    for path in PATHS:
        assert not Path(path).is_absolute()
        assert not os.path.normpath(path).startswith("..")

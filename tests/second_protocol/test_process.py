"""A protocol without logic works where neither Prolog nor a sentence model is installed."""

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from store.database import Database
from tests.llm.server import serving
from tests.second_protocol.material import GROUPS, a_dialogue, fill_tiny
from tests.second_protocol.test_generation import NEW, Writer

ROOT = Path(__file__).parents[2]
# What was started is counted by the interpreter's own audit hook, before anything of ours is loaded. What a
# machine may lack cannot be imported, and each attempt is counted.
_PROGRAM = """
import json, sys
started = []
started_by = {"subprocess.Popen", "os.exec", "os.fork", "os.posix_spawn", "os.spawn", "os.system"}
sys.addaudithook(lambda event, given: started.append(f"{event} {given[0]}") if event in started_by else None)
missed = []
class Missing:
    def find_spec(self, name, path=None, target=None):
        if name.partition(".")[0] in ("torch", "transformers", "sentence_transformers", "pyswip"):
            missed.append(name)
            raise ModuleNotFoundError(name, name=name)
sys.meta_path.insert(0, Missing())
from reviewer.cli.main import main
from tests.second_protocol.material import PROTOCOLS
found = {}
for words in json.loads(sys.argv[1]):
    sys.argv = ["reviewer", *words]
    try:
        main(PROTOCOLS)
    except SystemExit as left:
        assert not left.code, words
    found[" ".join(words)] = {"started": [*started], "missed": [*missed]}
    started.clear()
    missed.clear()
print(json.dumps(found), file=sys.stderr)
"""


@pytest.mark.usefixtures("database")
def test_nothing_is_started_or_missed(tmp_path: Path) -> None:
    commands = (
        ("audit", "talks"),
        ("check", "talks"),
        ("show", "talks:tea/3"),
        ("study", "new", "pilot", "--dataset", "talks"),
        ("datasets", "merge", "talks", "--into", "joined"),
    )
    found = used(tmp_path, *commands, path="/nonexistent")
    assert found == {" ".join(words): {"started": [], "missed": []} for words in commands}


@pytest.mark.slow
def test_generation_starts_and_misses_nothing(tmp_path: Path, database: Database) -> None:
    fill_tiny(database, "starts", [a_dialogue(9, group) for group in GROUPS], "seed")
    with serving(Writer()) as server:
        words = ("generate", "grown", *map(str, NEW), "--target", "1", "--base-url", server.url)
        (found,) = used(tmp_path, words).values()
    # The client of the models' servers asks which system this is.
    assert {*found["started"]} <= {"subprocess.Popen uname"}
    assert found["missed"] == []


def used(folder: Path, *commands: tuple[str, ...], path: str = os.defpath) -> dict[str, dict[str, list[str]]]:
    """What each command started and would have imported, where programs are found on ``path``.

    They run in turn in one process, whose counts begin anew with each.
    """
    environment = {**os.environ, "PYTHONPATH": str(ROOT), "PATH": path}
    done = subprocess.run(
        [sys.executable, "-c", _PROGRAM, json.dumps(commands)],
        cwd=folder,
        env=environment,
        capture_output=True,
        text=True,
        timeout=120,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    return json.loads(done.stderr.splitlines()[-1])  # type: ignore[no-any-return]

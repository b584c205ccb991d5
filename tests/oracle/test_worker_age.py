"""What a program comes to does not depend on how long its worker has lived."""

import json
import subprocess
import sys
from pathlib import Path

from reviewer.oracle.workers import find_engine

# A jailed child opens no file. SWI-Prolog looks for the index of its libraries again once it is a minute old.
AN_OLD_WORKER = """
from reviewer.oracle.worker.prolog import Prolog
prolog = Prolog()
prolog.call("retractall(user:file_search_path(_, _))")
prolog.call("retractall('$autoload':index_checked_at(_))")
options = "options(100000, 1000000, 5, true, true, true, true, true, [])"
for text in {texts}:
    print(prolog.run(text, "decide_option(user, X)", options).decode())
"""
LOOKS_IN_VAIN = "decide_option(user, a) :- nowhere(1).\n"


def test_a_worker_of_more_than_a_minute_answers_as_a_young_one() -> None:
    texts = [
        LOOKS_IN_VAIN,
        "decide_option(user, X) :- numlist(1, 3, X).\n",
        "decide_option(user, X) :- pairs_keys([a-1], [X]).\n",
        'decide_option(user, X) :- G = string_code(1, "abc", X), call(G).\n',
    ]
    missing, list_, keys, outside = answers(texts)
    assert (missing["status"], missing["error"]) == ("error", "existence_error(procedure, nowhere/1)")
    assert (list_["status"], list_.get("choice")) == ("ok", "[1, 2, 3]"), list_
    assert (keys["status"], keys.get("choice")) == ("ok", "a"), keys
    assert outside["status"] in {"refused", "stopped"}, outside


def answers(texts: list[str]) -> list[dict[str, object]]:
    root = Path(__file__).resolve().parents[2]
    engine = find_engine()
    ended = subprocess.run(  # this interpreter, our own code
        [sys.executable, "-c", AN_OLD_WORKER.format(texts=texts)],
        cwd=root,
        env={"LIBSWIPL_PATH": engine.library, "SWI_HOME_DIR": engine.home, "PYTHONPATH": str(root)},
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        check=False,
    )
    assert ended.returncode == 0, ended.stderr
    return [json.loads(line) for line in ended.stdout.splitlines()]

"""Code that runs in a worker before it joins, and makes it one with a fault."""

from pathlib import Path

from tests.studies import a_case

DEADLY = 7
"""The case that ends every worker with the fault ``DYING``."""
assert f"release({DEADLY})." in a_case(DEADLY).payload["unbiased_prolog"]

SLOW = """
import time
import reviewer.cluster.job_kinds as work
do = work._result
def slowly(kind, job):
    began = time.monotonic()
    result = do(kind, job)
    time.sleep(9 * (time.monotonic() - began))
    return result
work._result = slowly
"""
"""Ten times slower than it could be."""

NONSENSE = """
import reviewer.cluster.job_kinds as work
work.run_chunk = lambda payload: b"nonsense"
"""

DYING = f"""
import os, signal
import reviewer.cluster.job_kinds as work
do = work._result
def dying(kind, job):
    if b"release({DEADLY})." in job:
        os.kill(os.getpid(), signal.SIGKILL)
    return do(kind, job)
work._result = dying
"""
"""Killed in the middle of a chunk with the deadly case."""


def without_memory(folder: Path) -> str:
    """In a container that may use a fifth of a gigabyte."""
    limit = folder / "memory.max"
    limit.write_text("200000000\n")
    return f"""
import pathlib
import reviewer.cluster.worker_checks as facts
facts._CONTAINER_LIMIT = pathlib.Path({str(limit)!r})
"""


def without_prolog(folder: Path) -> dict[str, str]:
    """The environment of a machine that has no SWI-Prolog."""
    return {"PATH": str(folder), "LIBSWIPL_PATH": "", "SWI_HOME_DIR": ""}

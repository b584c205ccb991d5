"""The worker: one engine, one job at a time, one forked child a job.

It speaks frames on its standard input and output. A job is JSON (``programs``, ``cpu_seconds``,
``memory_bytes``, ``reply_bytes``, ``deadline``); the answer is a JSON frame that says how the child ended,
and a frame with whatever the child wrote, unread: only the caller, which runs no Prolog, interprets it.
"""

import gc
import json
import os
import select
import signal
import sys
import time
from typing import Any

from reviewer.oracle.jail import Jail
from reviewer.oracle.worker import landlock, seccomp
from reviewer.oracle.worker.child import Walls, live
from reviewer.oracle.worker.frames import frame, read_frame, write_all
from reviewer.oracle.worker.prolog import Prolog

WITHOUT_DEADLINE = 3600.0


def main(configuration: str) -> None:
    """Serve jobs until standard input closes."""
    settings = json.loads(configuration)
    jail = Jail(**settings["jail"])
    source, sink = _own_descriptors()
    prolog = Prolog()
    walls = _walls(jail, settings["readable"])
    write_all(sink, frame(json.dumps({"version": prolog.version(), "walls": _standing(walls)}).encode()))
    gc.disable()
    gc.freeze()
    while (message := read_frame(source)) is not None:
        ended, written = serve(prolog, walls, json.loads(message), source)
        write_all(sink, frame(json.dumps(ended).encode()) + frame(written))


def _own_descriptors() -> tuple[int, int]:
    """Move the pipes away from 0 and 1, where Prolog would read and print."""
    source, sink = os.dup(0), os.dup(1)
    null = os.open(os.devnull, os.O_RDWR)
    os.dup2(null, 0)
    os.dup2(null, 1)
    os.close(null)
    return source, sink


def _walls(jail: Jail, readable: list[str]) -> Walls:
    rules = landlock.ruleset(readable) if jail.landlock and jail.privileges and landlock.abi() else None
    sieve = seccomp.Seccomp() if jail.seccomp and jail.privileges and seccomp.supported() else None
    return Walls(jail, rules, sieve, os.open(os.devnull, os.O_RDWR))


def _standing(walls: Walls) -> dict[str, bool]:
    return {"landlock": walls.rules is not None, "seccomp": walls.filter is not None}


def serve(prolog: Prolog, walls: Walls, job: dict[str, Any], source: int) -> tuple[dict[str, Any], bytes]:
    """Fork a child for the job; how it ended and its output."""
    reading, writing = os.pipe()
    parent = os.getpid()
    child = os.fork()
    if child == 0:
        os.close(reading)
        live(prolog, walls, job, writing, parent)
    os.close(writing)
    deadline = job["deadline"] if walls.jail.deadline else WITHOUT_DEADLINE
    written, why = _collect(reading, source, deadline, job["reply_bytes"])
    if why is not None:
        os.kill(child, signal.SIGKILL)
    os.close(reading)
    _, status, usage = os.wait4(child, 0)
    signalled = os.WTERMSIG(status) if os.WIFSIGNALED(status) else 0
    code = os.WEXITSTATUS(status) if os.WIFEXITED(status) else 0
    cpu = usage.ru_utime + usage.ru_stime
    return {"why": why, "signal": signalled, "code": code, "cpu": cpu}, written


def _collect(reading: int, source: int, deadline: float, most: int) -> tuple[bytes, str | None]:
    """What the child wrote until it closed its end; or why it has to be killed."""
    until = time.monotonic() + deadline
    parts: list[bytes] = []
    size = 0
    poll = select.poll()
    poll.register(reading, select.POLLIN)
    poll.register(source, select.POLLHUP)
    while True:
        left = until - time.monotonic()
        if left <= 0:
            return b"".join(parts), "deadline"
        for descriptor, event in poll.poll(left * 1000):
            if descriptor == source and event & select.POLLHUP:
                return b"".join(parts), "caller"
            if descriptor == reading:
                part = os.read(reading, 1 << 16)
                if not part:
                    return b"".join(parts), None
                parts.append(part)
                size += len(part)
                if size > most:
                    return b"".join(parts), "output"


if __name__ == "__main__":
    main(sys.argv[1])

"""What a forked child does: enter the jail, run its programs, reply on its pipe, leave."""

import os
from dataclasses import dataclass
from typing import Any

from reviewer.oracle.jail import Jail
from reviewer.oracle.worker import child_limits, landlock
from reviewer.oracle.worker.frames import frame, write_all
from reviewer.oracle.worker.prolog import Prolog
from reviewer.oracle.worker.seccomp import Seccomp


@dataclass(frozen=True, slots=True)
class Walls:
    """What was built once for all children: the Landlock rules, the seccomp filter, a descriptor of
    /dev/null.
    """

    jail: Jail
    rules: int | None
    filter: Seccomp | None
    null: int


def live(prolog: Prolog, walls: Walls, job: dict[str, Any], reply: int, parent: int) -> None:
    """Run the job's programs one after the other and write one frame for each; never returns."""
    code = 3
    try:
        confine(walls, job, reply, parent)
        for program in job["programs"]:
            write_all(reply, frame(prolog.run(program["text"], program["query"], program["options"])))
        code = 0
    finally:
        os._exit(code)


def confine(walls: Walls, job: dict[str, Any], reply: int, parent: int) -> None:
    """Enter the jail, the strictest wall last. Raises OSError: a child that cannot enter runs nothing."""
    jail = walls.jail
    if jail.orphan:
        child_limits.die_with_parent(parent)
    if jail.environment:
        child_limits.clear_environment()
    if jail.descriptors and walls.rules is None:
        child_limits.only_descriptor(reply, walls.null)
    if jail.privileges:
        child_limits.no_new_privileges()
    if walls.rules is not None:
        landlock.enter(walls.rules)
        if jail.descriptors:
            child_limits.only_descriptor(reply, walls.null)
    if jail.limits:
        child_limits.set_limits(job["cpu_seconds"], job["memory_bytes"])
    if walls.filter is not None:
        walls.filter.enter()

"""The state of the oracle on this machine: the engine, its calibration, and the protections that are on."""

import platform
import sys
from dataclasses import dataclass

from reviewer.oracle import pool
from reviewer.oracle.jail import FULL
from reviewer.oracle.oracle_errors import OracleError, OracleMissing, install_command
from reviewer.oracle.worker import landlock, seccomp
from reviewer.oracle.workers import find_engine


@dataclass(frozen=True, slots=True)
class Protection:
    """One protection by name: whether it is on here, and its effect or why it is off."""

    name: str
    on: bool
    detail: str


@dataclass(frozen=True, slots=True)
class Checkup:
    """The state of the oracle. ``problem`` says why it cannot run (None: it can), ``remedy`` what to do.

    ``comparable``: counts can be converted to those of SWI-Prolog 9.2. ``differing`` names the calibration
    goals that show that they cannot.
    """

    problem: str | None
    remedy: str | None
    version: str
    library: str
    home: str
    comparable: bool
    differing: tuple[str, ...]
    protections: tuple[Protection, ...]


def check_up() -> Checkup:
    """Start a worker if there is none, and report its state. A missing engine is reported, not raised."""
    try:
        engine = find_engine()
        version, calibration = pool.calibration()
    except OracleError as error:
        remedy = install_command() if isinstance(error, OracleMissing) else None
        return Checkup(str(error), remedy, "", "", "", False, (), protections())
    differing = calibration.differing
    return Checkup(None, None, version, engine.library, engine.home, not differing, differing, protections())


def protections() -> tuple[Protection, ...]:
    """The protections around a program, in the order in which it meets them."""
    linux = sys.platform == "linux"
    elsewhere = "" if linux else "only on Linux; "
    return (
        _jail(),
        Protection("gate", FULL.gate, "dangerous texts are refused; a program sees only harmless predicates"),
        Protection("separate process", True, "forked for each job from a worker started by exec"),
        Protection("environment", FULL.environment, "empty"),
        Protection("descriptors", FULL.descriptors, "none but the reply's pipe"),
        Protection("inference limit", True, "the same verdict on every machine"),
        Protection("CPU time, file size, core, descriptors", FULL.limits, "resource limits"),
        Protection(
            "address space", linux, f"{elsewhere}resource limit; Prolog's own stack limit holds everywhere"
        ),
        Protection("orphans", linux, f"{elsewhere}a child is killed with its worker"),
        Protection("no new privileges", linux, f"{elsewhere}no_new_privs"),
        _landlock(),
        _seccomp(),
        Protection("deadline", FULL.deadline, "the worker kills a child that takes too long"),
    )


def without_jail() -> str | None:
    """A warning if this system cannot confine programs; None if it can.

    Seccomp alone blocks files, processes and the network. Landlock, if the system has it, also blocks files.
    """
    if seccomp.supported():
        return None
    system = f"{platform.system() or sys.platform}, {platform.machine() or 'unknown'}"
    return (
        f"This system ({system}) has no jail for programs. The gate refuses dangerous programs before they "
        "run, but if a program got around it, it could read, change and send whatever you can. Run only "
        "programs from people you trust, or work on Linux (x86_64 or arm64), for instance in a container or "
        "a virtual machine."
    )


def _jail() -> Protection:
    problem = without_jail()
    words = "a program that got around the gate reaches no file, process or network"
    return Protection("jail", problem is None, problem or words)


def _landlock() -> Protection:
    abi = landlock.abi()
    if abi:
        return Protection("landlock", True, f"only SWI-Prolog's own files can be read (ABI {abi})")
    return Protection("landlock", False, "this system has none; seccomp, where it is on, closes files too")


def _seccomp() -> Protection:
    if seccomp.supported():
        return Protection("seccomp", True, "only the system calls of a computing Prolog; no path is opened")
    return Protection("seccomp", False, "this system has none: only the gate holds programs")

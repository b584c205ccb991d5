"""Resource limits and the process attributes that a child takes on before it runs a program."""

import ctypes
import os
import resource
import sys

PR_SET_PDEATHSIG, PR_SET_DUMPABLE, PR_SET_NO_NEW_PRIVS = 1, 4, 38
SIGKILL = 9
DESCRIPTORS = 32

_libc = ctypes.CDLL(None, use_errno=True)


def set_limits(cpu_seconds: int, memory_bytes: int) -> None:
    """CPU time, address space, no file contents, no core, few descriptors, no processes.

    The last does not bind root. A limit that the platform has not is left out.
    """
    _limit("RLIMIT_CPU", cpu_seconds, cpu_seconds + 1)
    _limit("RLIMIT_FSIZE", 0)
    _limit("RLIMIT_CORE", 0)
    _limit("RLIMIT_NOFILE", DESCRIPTORS)
    _limit("RLIMIT_NPROC", 0)
    if sys.platform == "linux":
        _limit("RLIMIT_AS", memory_bytes)


def _limit(name: str, soft: int, hard: int | None = None) -> None:
    kind = getattr(resource, name, None)
    if kind is not None:
        resource.setrlimit(kind, (soft, soft if hard is None else hard))


def no_new_privileges() -> None:
    """From now on no exec can gain rights; what Landlock and seccomp ask for."""
    if sys.platform == "linux" and _libc.prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) != 0:
        raise OSError(ctypes.get_errno(), "no_new_privs")


def die_with_parent(parent: int) -> None:
    """Be killed when the worker ends; at once if it has ended already."""
    if sys.platform == "linux":
        _libc.prctl(PR_SET_PDEATHSIG, SIGKILL, 0, 0, 0)
        if os.getppid() != parent:
            os._exit(1)


def clear_environment() -> None:
    """Empty the environment, for Python and for C."""
    os.environ.clear()
    if hasattr(_libc, "clearenv"):
        _libc.clearenv()


def only_descriptor(kept: int, null: int) -> None:
    """Leave ``kept`` open, put /dev/null (``null``) on 0 to 2, close every other descriptor."""
    for standard in range(3):
        os.dup2(null, standard)
    if kept > 3:
        os.closerange(3, kept)
    os.closerange(kept + 1, max(kept + 2, 256))

"""A seccomp filter through ctypes: the system calls that a computing Prolog needs, EPERM for every other.

The filter is classic BPF over ``struct seccomp_data`` (number, architecture, six arguments). Nothing is
opened, and no path is looked at: an error tells what exists, and Landlock does not hide that. A file that is
open can be asked for its size. Memory is mapped without execution only, and resource limits do not change.
"""

import ctypes
import errno
import os
import platform
import struct
import sys
from collections.abc import Sequence

PR_GET_SECCOMP, PR_SET_SECCOMP, MODE_FILTER = 21, 22, 2
ALLOW, REFUSE = 0x7FFF0000, 0x00050000 | errno.EPERM
LOAD, JUMP_EQUAL, JUMP_SET, JUMP_ABOVE, RETURN = 0x20, 0x15, 0x45, 0x35, 0x06
NUMBER, ARCHITECTURE, ARGUMENTS = 0, 4, 16
EXECUTE = 4
EMPTY_PATH = 0x1000  # AT_EMPTY_PATH: how the C library asks for the size of an open file

X86_64 = {
    "read": 0, "write": 1, "close": 3, "fstat": 5, "poll": 7, "lseek": 8, "munmap": 11, "brk": 12,
    "rt_sigaction": 13, "rt_sigprocmask": 14, "rt_sigreturn": 15, "pread64": 17, "readv": 19, "writev": 20,
    "select": 23, "sched_yield": 24, "mremap": 25, "madvise": 28, "getitimer": 36, "setitimer": 38,
    "getpid": 39, "exit": 60, "fcntl": 72, "gettimeofday": 96, "getrlimit": 97, "getrusage": 98,
    "sysinfo": 99, "times": 100, "getuid": 102, "getgid": 104, "geteuid": 107, "getegid": 108,
    "getppid": 110, "sigaltstack": 131, "gettid": 186, "time": 201, "futex": 202, "sched_getaffinity": 204,
    "restart_syscall": 219, "clock_gettime": 228, "clock_getres": 229, "exit_group": 231, "pselect6": 270,
    "ppoll": 271, "set_robust_list": 273, "getrandom": 318, "membarrier": 324, "rseq": 334,
}  # fmt: skip
AARCH64 = {
    "fcntl": 25, "close": 57, "lseek": 62, "read": 63, "write": 64, "readv": 65, "writev": 66,
    "pread64": 67, "pselect6": 72, "ppoll": 73, "fstat": 80, "exit": 93, "exit_group": 94, "futex": 98,
    "set_robust_list": 99, "getitimer": 102, "setitimer": 103, "clock_gettime": 113, "clock_getres": 114,
    "sched_getaffinity": 123, "sched_yield": 124, "restart_syscall": 128, "sigaltstack": 132,
    "rt_sigaction": 134, "rt_sigprocmask": 135, "rt_sigreturn": 139, "times": 153, "uname": 160,
    "getrlimit": 163, "getrusage": 165, "gettimeofday": 169, "getpid": 172, "getppid": 173, "getuid": 174,
    "geteuid": 175, "getgid": 176, "getegid": 177, "gettid": 178, "sysinfo": 179, "brk": 214, "munmap": 215,
    "mremap": 216, "madvise": 233, "getrandom": 278, "membarrier": 283, "rseq": 293,
}  # fmt: skip
# Call → (place of the argument, bits of which none may be set: "clear", or one must be: "set", or all bits,
# which must be zero: "zero").
RESTRICTED_X86_64: dict[int, tuple[int, str, int]] = {
    9: (2, "clear", EXECUTE),
    10: (2, "clear", EXECUTE),
    262: (3, "set", EMPTY_PATH),
    302: (2, "zero", 0),
}
RESTRICTED_AARCH64: dict[int, tuple[int, str, int]] = {
    79: (3, "set", EMPTY_PATH),
    222: (2, "clear", EXECUTE),
    226: (2, "clear", EXECUTE),
    261: (2, "zero", 0),
}
MACHINES = {
    "x86_64": (0xC000003E, X86_64, RESTRICTED_X86_64),
    "aarch64": (0xC00000B7, AARCH64, RESTRICTED_AARCH64),
}

_libc = ctypes.CDLL(None, use_errno=True) if sys.platform == "linux" else None


class _Filter(ctypes.Structure):
    _fields_ = [("length", ctypes.c_ushort), ("instructions", ctypes.c_char_p)]


def supported() -> bool:
    """True where the kernel filters and this module has the system call numbers of the machine."""
    return _libc is not None and platform.machine() in MACHINES and int(_libc.prctl(PR_GET_SECCOMP)) >= 0


class Seccomp:
    """The filter, built once: entering it is one system call."""

    def __init__(self) -> None:
        code = program(*MACHINES[platform.machine()])
        self._code = b"".join(code)
        self._filter = _Filter(len(code), self._code)

    def enter(self) -> None:
        """Confine this process for good; it must have no_new_privs. Raises OSError."""
        assert _libc is not None
        if _libc.prctl(PR_SET_SECCOMP, MODE_FILTER, ctypes.byref(self._filter), 0, 0) != 0:
            code = ctypes.get_errno()
            raise OSError(code, f"seccomp: {os.strerror(code)}")


def program(
    architecture: int, allowed: dict[str, int], restricted: dict[int, tuple[int, str, int]]
) -> list[bytes]:
    """The instructions: wrong architecture or unlisted number, EPERM; restricted ones by their argument."""
    code = [
        _instruction(LOAD, ARCHITECTURE),
        _instruction(JUMP_EQUAL, architecture, 1, 0),
        _instruction(RETURN, REFUSE),
        _instruction(LOAD, NUMBER),
    ]
    for number, restriction in restricted.items():
        code += _restricted(number, *restriction)
    return code + _search(sorted(allowed.values()))


def _restricted(number: int, place: int, must_be: str, bits: int) -> list[bytes]:
    low, high = ARGUMENTS + 8 * place, ARGUMENTS + 8 * place + 4
    checks = {
        "clear": [_instruction(LOAD, low), _instruction(JUMP_SET, bits, 0, 1)],
        "set": [_instruction(LOAD, low), _instruction(JUMP_SET, bits, 1, 0)],
        "zero": [
            _instruction(LOAD, low),
            _instruction(JUMP_EQUAL, 0, 0, 2),
            _instruction(LOAD, high),
            _instruction(JUMP_EQUAL, 0, 1, 0),
        ],
    }[must_be]
    body = [*checks, _instruction(RETURN, REFUSE), _instruction(RETURN, ALLOW)]
    return [_instruction(JUMP_EQUAL, number, 0, len(body)), *body]


def _search(numbers: Sequence[int]) -> list[bytes]:
    """A binary search in sorted numbers: the kernel tries every number when a filter is entered."""
    if len(numbers) == 1:
        return [
            _instruction(JUMP_EQUAL, numbers[0], 0, 1),
            _instruction(RETURN, ALLOW),
            _instruction(RETURN, REFUSE),
        ]
    middle = len(numbers) // 2
    below, above = _search(numbers[:middle]), _search(numbers[middle:])
    return [_instruction(JUMP_ABOVE, numbers[middle], len(below), 0), *below, *above]


def _instruction(code: int, value: int, if_true: int = 0, if_false: int = 0) -> bytes:
    return struct.pack("=HBBI", code, if_true, if_false, value)

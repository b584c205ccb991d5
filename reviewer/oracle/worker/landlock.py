"""Landlock by raw system calls: a process that may read some directories and nothing else of the file system.

Access rights are those of ``linux/landlock.h``; how many of them a kernel knows follows from its ABI version.
"""

import ctypes
import os
import platform
import struct
import sys
from collections.abc import Iterable

CREATE_RULESET, ADD_RULE, RESTRICT_SELF = 444, 445, 446  # the same number on every architecture
VERSION_FLAG = 1
PATH_BENEATH = 1
READ_FILE, READ_DIR = 1 << 2, 1 << 3
FILE_RIGHTS_BY_ABI = {1: 13, 2: 14, 3: 15, 4: 15, 5: 16}
NET_RIGHTS = 0b11  # bind and connect over TCP, from ABI 4
SCOPES = 0b11  # abstract sockets and signals, from ABI 6

_libc = ctypes.CDLL(None, use_errno=True) if sys.platform == "linux" else None


def abi() -> int:
    """The kernel's Landlock version; 0 where there is none."""
    if _libc is None or platform.machine() not in {"x86_64", "aarch64", "riscv64", "ppc64le", "s390x"}:
        return 0
    return max(0, int(_libc.syscall(CREATE_RULESET, None, 0, VERSION_FLAG)))


def ruleset(readable: Iterable[str]) -> int:
    """A ruleset (a descriptor) under which only files below these directories can be opened, for reading.

    Raises OSError when the kernel refuses.
    """
    version = abi()
    rights = (1 << FILE_RIGHTS_BY_ABI[min(version, max(FILE_RIGHTS_BY_ABI))]) - 1
    attributes = struct.pack("=QQQ", rights, NET_RIGHTS if version >= 4 else 0, SCOPES if version >= 6 else 0)
    size = 8 if version < 4 else 16 if version < 6 else 24
    rules = _checked(CREATE_RULESET, attributes, size, 0)
    for directory in readable:
        _allow_reading(rules, directory)
    return rules


def enter(rules: int) -> None:
    """Confine this process for good; it must have no_new_privs. Raises OSError."""
    _checked(RESTRICT_SELF, rules, 0)


def _allow_reading(rules: int, directory: str) -> None:
    parent = os.open(directory, os.O_PATH | os.O_CLOEXEC)
    try:
        _checked(ADD_RULE, rules, PATH_BENEATH, struct.pack("=Qi", READ_FILE | READ_DIR, parent), 0)
    finally:
        os.close(parent)


def _checked(number: int, *arguments: int | bytes) -> int:
    assert _libc is not None
    result = int(_libc.syscall(number, *arguments))
    if result < 0:
        code = ctypes.get_errno()
        raise OSError(code, f"landlock call {number}: {os.strerror(code)}")
    return result

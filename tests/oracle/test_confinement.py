"""The seccomp filter as a program: which calls it lets through, interpreted without entering it."""

import errno
import os
import struct

import pytest

from reviewer.oracle.worker import seccomp
from reviewer.oracle.worker.frames import frame, split
from reviewer.oracle.worker.text import quoted

ALLOW, EPERM = 0x7FFF0000, 0x00050000 | errno.EPERM


def verdict(
    machine: str, number: int, arguments: tuple[int, ...] = (), architecture: int | None = None
) -> int:
    """What the machine's filter returns for a call (classic BPF, the instructions that the filter uses)."""
    native, allowed, restricted = seccomp.MACHINES[machine]
    data = struct.pack("=iIQ6Q", number, architecture or native, 0, *arguments, *[0] * (6 - len(arguments)))
    code = [struct.unpack("=HBBI", step) for step in seccomp.program(native, allowed, restricted)]
    at, accumulator = 0, 0
    while True:
        operation, if_true, if_false, value = code[at]
        at += 1
        if operation == seccomp.RETURN:
            return int(value)
        if operation == seccomp.LOAD:
            (accumulator,) = struct.unpack_from("=I", data, value)
            continue
        holds = {
            seccomp.JUMP_EQUAL: accumulator == value,
            seccomp.JUMP_SET: bool(accumulator & value),
            seccomp.JUMP_ABOVE: accumulator >= value,
        }[operation]
        at += if_true if holds else if_false


@pytest.mark.parametrize("machine", seccomp.MACHINES)
def test_exactly_the_listed_calls_are_allowed(machine: str) -> None:
    _, allowed, restricted = seccomp.MACHINES[machine]
    for number in range(600):
        if number not in restricted:
            assert verdict(machine, number) == (ALLOW if number in allowed.values() else EPERM), number


@pytest.mark.parametrize("machine", seccomp.MACHINES)
def test_another_architecture_is_refused(machine: str) -> None:
    read = seccomp.MACHINES[machine][1]["read"]
    assert verdict(machine, read) == ALLOW
    assert verdict(machine, read, architecture=0x40000003) == EPERM


PATHS = {  # opening, and every call that says whether a path is there
    "x86_64": [2, 4, 6, 21, 79, 85, 89, 217, 257, 267, 269, 332, 437, 439],
    "aarch64": [17, 48, 56, 61, 78, 291, 437, 439],
}


@pytest.mark.parametrize("machine", seccomp.MACHINES)
def test_no_path_is_opened_or_looked_at(machine: str) -> None:
    for number in PATHS[machine]:
        for arguments in ((0,) * 4, (1,) * 4, (0xFFFFFF9C, 0x7FFF00001000, os.O_RDONLY, 0)):
            assert verdict(machine, number, arguments) == EPERM, number


@pytest.mark.parametrize(("machine", "newfstatat"), [("x86_64", 262), ("aarch64", 79)])
def test_only_open_files_are_asked_for_their_size(machine: str, newfstatat: int) -> None:
    assert verdict(machine, newfstatat, (3, 0x7FFF00001000, 0x7FFF00001000, 0x1000)) == ALLOW
    assert verdict(machine, newfstatat, (0xFFFFFF9C, 0x7FFF00001000, 0x7FFF00001000, 0)) == EPERM
    assert verdict(machine, newfstatat, (0xFFFFFF9C, 0x7FFF00001000, 0x7FFF00001000, 0x100)) == EPERM


@pytest.mark.parametrize(("machine", "mmap"), [("x86_64", 9), ("aarch64", 222)])
def test_nothing_is_mapped_for_execution(machine: str, mmap: int) -> None:
    assert verdict(machine, mmap, (0, 4096, 1 | 2)) == ALLOW
    assert verdict(machine, mmap, (0, 4096, 1 | 4)) == EPERM


@pytest.mark.parametrize(("machine", "prlimit"), [("x86_64", 302), ("aarch64", 261)])
def test_limits_can_be_read_not_raised(machine: str, prlimit: int) -> None:
    assert verdict(machine, prlimit, (0, 9, 0)) == ALLOW
    assert verdict(machine, prlimit, (0, 9, 0x7FFF00001000)) == EPERM
    assert verdict(machine, prlimit, (0, 9, 0x7FFF00000000)) == EPERM


def test_text_for_prolog_is_ascii_without_loss() -> None:
    assert quoted("plain text") == '"plain text"'
    assert quoted('a"b\\c\nd\x00') == '"a\\x22\\b\\x5c\\c\\xa\\d\\x0\\"'
    assert quoted("é😀") == '"\\xe9\\\\x1f600\\"'


def test_only_whole_messages_are_taken() -> None:
    data = frame(b"one") + frame(b"") + frame(b"three")
    assert split(data) == [b"one", b"", b"three"]
    assert split(data[:-1]) == [b"one", b""]
    assert split(b"\xff\xff\xff\xff" + b"x" * 10) == []

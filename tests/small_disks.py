"""A small file system of its own, which tests fill."""

import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

BALLAST = "ballast"


@contextmanager
def small_disk_at(folder: Path) -> Iterator[Path]:
    """A file system of 4 MB at a new folder; the test is skipped where none may be mounted."""
    folder.mkdir()
    mount = ["mount", "-t", "tmpfs", "-o", "size=4m", "tmpfs", str(folder)]
    if subprocess.run(mount, capture_output=True, check=False).returncode:
        pytest.skip("may not mount a small file system here")
    try:
        yield folder
    finally:
        subprocess.run(["umount", "--lazy", str(folder)], check=True)


def fill(disk: Path, left: int = 0) -> None:
    """Use up every byte that the disk has left, but for some."""
    with (disk / BALLAST).open("wb", buffering=0) as ballast:
        for block in (1 << 16, 1 << 12, 1):
            try:
                while True:
                    ballast.write(b"\0" * block)
            except OSError:
                continue
        ballast.truncate(ballast.tell() - left)


def make_read_only(disk: Path) -> None:
    """Let nobody write to the disk, not even root."""
    subprocess.run(["mount", "-o", "remount,ro", str(disk)], check=True)

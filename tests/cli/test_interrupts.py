"""Ctrl+C ends a command, whatever Python is doing when it comes."""

import subprocess
import sys

LOST_ONCE = """
import time
import reviewer.cli.main as program

class Losing:
    def __del__(self):
        raise KeyboardInterrupt  # as Ctrl+C does that comes within a callback

def work(**given):
    Losing()
    time.sleep(60)

program.reviewer.main = work
program.main()
"""


def test_an_interrupt_that_a_callback_swallows_is_repeated() -> None:
    ended = subprocess.run(
        [sys.executable, "-c", LOST_ONCE], capture_output=True, text=True, timeout=120, check=False
    )
    assert (ended.returncode, ended.stderr) == (130, "Interrupted.\n")

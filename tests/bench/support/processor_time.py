"""Seconds of the processor of processes that are under way, with all that they started."""

import os
import time
from pathlib import Path

_CLOCK_OF_PROCESS = 2
"""With the process in the other bits, its clock on Linux (what ``clock_getcpuclockid`` returns)."""
TICKS = os.sysconf("SC_CLK_TCK")


def family() -> tuple[float, float]:
    """Of this process alone, and of all processes below it."""
    return time.process_time(), seconds_below(os.getpid()) - seconds_of(os.getpid())


def seconds_below(pid: int) -> float:
    """Of a process, those below it, and the children of each that ended."""
    known, found = parents(), {pid}
    while more := {child for child, parent in known.items() if parent in found} - found:
        found |= more
    return sum(map(seconds_of, found))


def parents() -> dict[int, int]:
    """Process → the process that started it."""
    result = {}
    for stat in Path("/proc").glob("[0-9]*/stat"):
        try:
            fields = stat.read_text().rpartition(")")[2].split()
        except OSError:
            continue
        result[int(stat.parent.name)] = int(fields[1])
    return result


def processor_time(pid: int) -> float:
    """Of a process alone, to the microsecond; ``seconds_of`` knows ticks only."""
    return time.clock_gettime(~pid << 3 | _CLOCK_OF_PROCESS)


def seconds_of(pid: int) -> float:
    """Of a process, with those of its children that ended."""
    try:
        fields = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
    except OSError:
        return 0.0
    return sum(map(int, fields[11:15])) / TICKS

"""What programs that are run one after the other may take together."""

import time
from dataclasses import dataclass, replace

from reviewer.oracle.program import Program


@dataclass(slots=True)
class TimeLeft:
    """What programs that are run one after the other may still take: seconds of the processor, which do not
    depend on how busy the machine is, and by the clock, which ends when ``until`` comes.
    """

    cpu: float = float("inf")
    until: float = float("inf")

    def take(self, cpu: float) -> None:
        """So much was used."""
        self.cpu -= cpu

    def is_over(self) -> bool:
        """True when nothing more is to be run."""
        return self.cpu <= 0 or time.monotonic() >= self.until

    def limit(self, program: Program, granted: int = 0) -> Program:
        """The program with limits that end in time; its job adds so many seconds to the deadline."""
        limits = program.limits
        clock = min(limits.seconds, max(0.0, self.until - time.monotonic()) - granted)
        cpu = int(min(limits.cpu_seconds, max(1.0, self.cpu)))
        if (clock, cpu) == (limits.seconds, limits.cpu_seconds):
            return program
        return replace(program, limits=replace(limits, seconds=clock, cpu_seconds=cpu))

"""How many jobs a worker of a cluster gets at a time: as many as take it a few seconds."""

from typing import Final

CHUNK_SECONDS: Final = 3.0
MOST_JOBS: Final = 200
FIRST_JOBS: Final = 4
CHUNKS_A_THREAD: Final = 2
"""Chunks that a thread has at a time: the one that it does, and the next one."""
_GROWTH: Final = 4


def next_jobs(seconds: float, jobs: int) -> int:
    """The size of a worker's next chunk, after one of ``jobs`` jobs took it ``seconds``."""
    fitting = int(CHUNK_SECONDS * jobs / max(seconds, 1e-4))
    return max(1, min(MOST_JOBS, _GROWTH * jobs, fitting))

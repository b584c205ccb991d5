"""The process that searches: reads a pattern and a text, says where the pattern first matches, and repeats.

Python cannot interrupt a search. So a timer of the operating system ends this process when one search has
used up its seconds of computing. The timer counts computing and not waiting, so the result does not depend on
how busy the machine is. This file is started by its path and imports nothing of ours.
"""

import json
import re
import signal
import sys

SECONDS = 1
"""How long one search may compute."""
_BYTES = 1 << 30


def _answer(pattern: str, text: str) -> list[int] | str | None:
    """Start and end of the first match, None if there is none, or what is wrong with the pattern."""
    try:
        match = re.compile(pattern).search(text)
    except (re.error, OverflowError, RecursionError, MemoryError) as error:
        return str(error) or type(error).__name__
    return list(match.span()) if match else None


def _limit_memory() -> None:
    try:
        import resource

        resource.setrlimit(resource.RLIMIT_AS, (_BYTES, _BYTES))
    except (ImportError, OSError, ValueError):
        pass  # this system has no such limit


def main() -> None:
    """Answer each line until there is none."""
    _limit_memory()
    for line in sys.stdin:
        signal.setitimer(signal.ITIMER_VIRTUAL, SECONDS)
        answer = _answer(*json.loads(line))
        signal.setitimer(signal.ITIMER_VIRTUAL, 0)
        sys.stdout.write(f"{json.dumps(answer)}\n")
        sys.stdout.flush()


if __name__ == "__main__":
    main()

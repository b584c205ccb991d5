"""Searching for a pattern of somebody else's: never longer than its limit, in a process of its own."""

import atexit
import json
import re
import subprocess
import sys
import threading
from collections import defaultdict
from collections.abc import Iterator
from pathlib import Path

from reviewer.core.sanitize import counted
from reviewer.patterns.worker import SECONDS

NO_EXPRESSION = "is not a regular expression"
_WORKER = Path(__file__).with_name("worker.py")
_LIMIT = counted(int(SECONDS), "second")
_MOST_SLOW = 3
_PUMPED = 40
_USUAL = "a0 -\n"


class PatternError(Exception):
    """The pattern is not a regular expression; the words say what is wrong and where."""


class PatternGivenUpError(Exception):
    """The search was ended because it used up its time, or it could not begin."""


class _Searcher:
    """A worker process that is started at its first use, and again after it had to be ended."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._process: subprocess.Popen[str] | None = None
        self._slow: defaultdict[str, set[str]] = defaultdict(set)

    def search(self, pattern: str, text: str) -> tuple[int, int] | None:
        """Where the pattern first matches; raises PatternError and PatternGivenUpError."""
        with self._lock:
            slow = self._slow[pattern]
            if len(slow) >= _MOST_SLOW and text not in slow:
                raise PatternGivenUpError(
                    f"it took more than {_LIMIT} on {counted(_MOST_SLOW, 'text')} before"
                )
            answer = "" if text in slow else self._asked(json.dumps([pattern, text]))
            if not answer:
                slow.add(text)
                raise PatternGivenUpError(f"it took more than {_LIMIT}")
        found = json.loads(answer)
        if isinstance(found, str):
            raise PatternError(found)
        return (found[0], found[1]) if found else None

    def _asked(self, line: str) -> str:
        """The worker's answer; "" if it was ended."""
        process = self._process = self._process or _started()
        try:
            print(line, file=process.stdin, flush=True)
            answer = process.stdout.readline() if process.stdout else ""
        except BrokenPipeError:
            answer = ""
        if not answer:
            self.close()
        return answer

    def close(self) -> None:
        """End the worker."""
        process, self._process = self._process, None
        if process is not None:
            process.kill()
            process.communicate()


def _started() -> "subprocess.Popen[str]":
    try:
        return subprocess.Popen(  # noqa: S603  # this interpreter, our own code
            [sys.executable, "-I", "-S", str(_WORKER)],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            env={},
            text=True,
            encoding="ascii",
            start_new_session=True,
        )
    except OSError as error:
        raise PatternGivenUpError(f"no process can be started for it ({error.strerror})") from error


_SEARCHER = _Searcher()
atexit.register(_SEARCHER.close)


def first_match(pattern: str, text: str) -> tuple[int, int] | None:
    """Start and end of the first match, None if there is none; raises PatternError and PatternGivenUpError.

    A pattern that was too slow on several texts is not tried on others.
    """
    return _SEARCHER.search(pattern, text)


def pattern_fault(pattern: str) -> str:
    """What is wrong with a pattern, with a text on which it takes too long if there is one; else "".

    It is tried on characters that repeat, where patterns with repeats inside repeats show what they cost. A
    pattern that passes may still be slow on other texts: then ``first_match`` says so.
    """
    for text, words in _pumped(pattern):
        try:
            first_match(pattern, text)
        except PatternError as error:
            return f"{NO_EXPRESSION}: {error}"
        except PatternGivenUpError as error:
            return f"tries too many ways to match: {error} on {words}"
    return ""


def _pumped(pattern: str) -> Iterator[tuple[str, str]]:
    """Texts that repeat a character or a word of the pattern and end in another, with words for people."""
    words = re.findall(r"\w+", pattern)
    beginning = _beginning(pattern)
    for repeated in dict.fromkeys((*_USUAL, *"".join(words), *words)):
        for start in dict.fromkeys(("", beginning)):
            said = f"{start!r} and " if start else ""
            yield f"{start}{repeated * _PUMPED}\0", f"{said}{_PUMPED} times {repeated!r}"


def _beginning(pattern: str) -> str:
    """The characters at the start of a pattern that stand for themselves."""
    start = pattern.removeprefix("^")
    length = next((at for at, character in enumerate(start) if character in r"\.^$*+?{}[]|()"), len(start))
    return start[:length]

"""The current time as the store keeps it, and ids that sort by it: of events and other added rows."""

import re
import secrets
import time
from datetime import UTC, datetime

from reviewer.core.errors import StoreError

CLOCK_IS_WRONG = "this machine's clock shows a time that cannot be saved; set the clock, then try again."
_TAIL_BITS = 74
_MAX_STEP = 1 << 32
# A UUIDv7 whose time is not so far off that later ids would have no room after it: below the year 6429.
_ID = re.compile(r"[0-7][0-9a-f]{11}7[0-9a-f]{3}[89ab][0-9a-f]{15}")
_TIMES = 1 << 47


def now_ms() -> int:
    """Milliseconds since 1970, UTC. They may go back when the clock is set."""
    return time.time_ns() // 1_000_000


def instant(milliseconds: int) -> str:
    """Milliseconds since 1970 as text, in UTC with milliseconds; raises StoreError beyond the year 9999."""
    try:
        moment = datetime.fromtimestamp(milliseconds // 1000, UTC)
    except (ValueError, OverflowError, OSError) as error:
        raise StoreError(CLOCK_IS_WRONG) from error
    return moment.strftime("%Y-%m-%dT%H:%M:%S.") + f"{milliseconds % 1000:03d}Z"


def is_event_id(text: str) -> bool:
    """Whether a text has the form of ids that ``next_id`` makes."""
    return _ID.fullmatch(text) is not None


def id_time(event_id: str) -> int:
    """The milliseconds since 1970 that an id sorts by."""
    return _parts(event_id)[0]


def next_id(greatest: str | None, milliseconds: int) -> str:
    """A UUIDv7 (RFC 9562, 32 hex digits) that sorts after ``greatest``, even if the clock went back.

    Raises StoreError if the clock or ``greatest`` is so far ahead that no id is left.
    """
    milliseconds, tail = max(milliseconds, 0), secrets.randbits(_TAIL_BITS - 1)
    if greatest is not None:
        greatest_ms, greatest_tail = _parts(greatest)
        if milliseconds <= greatest_ms:
            milliseconds, tail = greatest_ms, greatest_tail + 1 + secrets.randbelow(_MAX_STEP)
    if tail >= 1 << _TAIL_BITS:
        milliseconds, tail = milliseconds + 1, secrets.randbits(_TAIL_BITS - 1)
    if milliseconds >= _TIMES:
        raise StoreError(CLOCK_IS_WRONG)
    high, low = tail >> 62, tail & ((1 << 62) - 1)
    return f"{(milliseconds << 80) | (7 << 76) | (high << 64) | (2 << 62) | low:032x}"


def _parts(event_id: str) -> tuple[int, int]:
    """The milliseconds and the 74 other bits of an id."""
    number = int(event_id, 16)
    return number >> 80, (((number >> 64) & 0xFFF) << 62) | (number & ((1 << 62) - 1))

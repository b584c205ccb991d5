"""The current time, in the formats that the store keeps."""

import time
from datetime import UTC, datetime

from reviewer.core.errors import StoreError

CLOCK_IS_WRONG = "this machine's clock shows a time that cannot be saved; set the clock, then try again."


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

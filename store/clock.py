"""The time of day, in the forms that the store keeps."""

import time
from datetime import UTC, datetime


def now_ms() -> int:
    """Milliseconds since 1970, UTC; it may go back when the clock is set."""
    return time.time_ns() // 1_000_000


def instant(milliseconds: int) -> str:
    """Such a moment as text, in UTC with milliseconds."""
    moment = datetime.fromtimestamp(milliseconds / 1000, UTC)
    return moment.strftime("%Y-%m-%dT%H:%M:%S.") + f"{milliseconds % 1000:03d}Z"

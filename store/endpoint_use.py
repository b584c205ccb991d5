"""Requests and tokens that all processes on one server's store may send to an endpoint in any minute.

A process draws a portion for the next second, and corrects it when it knows what it has used. The store
counts by the second of its server's clock, so it is asked about once a second by each process.
"""

from collections.abc import Mapping
from dataclasses import dataclass

from sqlalchemy import func, insert, select, update
from sqlmodel import Session, col

from store.database import Database
from store.leases import store_ms
from store.lock_timeout import patient_write, tried_twice
from store.records import Lease
from store.run_tables import EndpointUseRow, LeaseRow

PORTION_SECONDS = 1.0
"""A portion is used within this time, or given back."""
_COUNTED = 62
"""Seconds after whose beginning a portion counts: a minute, its own second, and the time to use it."""


@dataclass(frozen=True, slots=True)
class DrawnPortion:
    """What a process may send within ``PORTION_SECONDS``, and the second for which it is counted.

    ``wait`` is the number of seconds after which there may be more, if nothing may be sent now.
    """

    requests: int
    tokens: int
    second: int
    wait: float = 0.0


@tried_twice
def draw_portion(
    database: Database,
    lease: Lease,
    requests: int,
    tokens: int,
    least: int,
    corrections: Mapping[int, tuple[int, int]],
) -> DrawnPortion:
    """Up to this number of requests and tokens for a process. ``least`` are the tokens of its next request.

    ``corrections`` change what was counted for a second. If processes have different limits for an endpoint,
    the smallest count for all. A request larger than the tokens of a minute is sent if nothing else was.
    """
    with patient_write(database) as session:
        now = store_ms(session) / 1000
        known = session.get(EndpointUseRow, lease.endpoint)
        seconds = _corrected(known.seconds if known else {}, corrections, int(now))
        used = [sum(counts[at] for counts in seconds.values()) for at in (0, 1)]
        most = _limits(session, lease)
        free_requests = requests if most[0] is None else min(requests, most[0] - used[0])
        free_tokens = tokens if most[1] is None else min(tokens, most[1] - used[1])
        if used[0] == 0:
            free_requests, free_tokens = max(1, free_requests), max(least, free_tokens)
        sends = free_requests > 0 and free_tokens >= least
        if sends:
            counts = seconds.setdefault(int(now), [0, 0])
            counts[0], counts[1] = counts[0] + free_requests, counts[1] + free_tokens
        _store(session, lease.endpoint, seconds, is_new=known is None)
    if sends:
        return DrawnPortion(free_requests, free_tokens, int(now))
    wait = min(seconds) + _COUNTED - now if seconds else PORTION_SECONDS
    return DrawnPortion(0, 0, int(now), max(wait, PORTION_SECONDS / 4))


def _corrected(
    seconds: Mapping[str, list[int]], corrections: Mapping[int, tuple[int, int]], now: int
) -> dict[int, list[int]]:
    """What still counts: the seconds of the last minute with something in them."""
    counted = {int(at): list(counts) for at, counts in seconds.items() if now - _COUNTED < int(at) <= now}
    for at, (requests, tokens) in corrections.items():
        if at in counted:
            counted[at] = [counted[at][0] + requests, counted[at][1] + tokens]
    return {at: counts for at, counts in counted.items() if any(counts)}


def _limits(session: Session, lease: Lease) -> tuple[int | None, int | None]:
    row = LeaseRow
    living = col(row.endpoint) == lease.endpoint, col(row.until) > store_ms(session)
    statement = select(func.min(row.requests_per_minute), func.min(row.tokens_per_minute)).where(*living)
    requests, tokens = session.execute(statement).one()
    return requests, tokens


def _store(session: Session, endpoint: str, seconds: Mapping[int, list[int]], *, is_new: bool) -> None:
    values = {"seconds": {str(at): counts for at, counts in seconds.items()}}
    if is_new:
        session.connection().execute(insert(EndpointUseRow), values | {"endpoint": endpoint})
    else:
        here = col(EndpointUseRow.endpoint) == endpoint
        session.connection().execute(update(EndpointUseRow).where(here).values(**values))

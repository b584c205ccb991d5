"""Secret links for raters: creating, finding, listing and revoking them."""

import hashlib
import secrets

from sqlalchemy import insert, update
from sqlmodel import Session, col, select

from store.clock import instant, now_ms
from store.database import Database
from store.records import Link
from store.study_tables import LinkRow

_SECRET_BYTES = 32
_MS_A_DAY = 86_400_000


def new_link(study: str, rater: str, days: float) -> tuple[str, Link]:
    """A new link and its secret. The link works after ``keep_link``."""
    secret, now = secrets.token_urlsafe(_SECRET_BYTES), now_ms()
    link = Link(
        secret_digest=_digest(secret),
        study=study,
        rater=rater,
        made_at=instant(now),
        expires_at=instant(now + round(days * _MS_A_DAY)),
    )
    return secret, link


def keep_link(database: Database, link: Link) -> None:
    """Save a link, so that it opens its study."""
    with database.write() as session:
        session.execute(insert(LinkRow), link.model_dump())


def link_of(session: Session, secret: str) -> Link | None:
    """The link of a secret, if it is valid now: known, not revoked, not expired.

    A secret has 256 random bits, so neither its plain digest nor the time of the lookup reveals anything.
    """
    row = session.get(LinkRow, _digest(secret))
    link = row and Link.model_validate(row.model_dump())
    return link if link and is_valid(link) else None


def links_of(session: Session, study: str, rater: str | None = None) -> list[Link]:
    """All links of a study (of one rater) that were ever made, by rater, oldest first."""
    statement = (
        select(LinkRow).where(LinkRow.study == study).order_by(col(LinkRow.rater), col(LinkRow.made_at))
    )
    if rater is not None:
        statement = statement.where(LinkRow.rater == rater)
    rows = session.exec(statement)
    return [Link.model_validate(row.model_dump()) for row in rows]


def is_valid(link: Link) -> bool:
    """Whether a link is valid now."""
    return link.revoked_at is None and link.expires_at > instant(now_ms())


def revoke_links(database: Database, study: str, rater: str) -> int:
    """Revoke all valid links of a rater; returns their number."""
    now = instant(now_ms())
    valid = (
        (col(LinkRow.study) == study)
        & (col(LinkRow.rater) == rater)
        & col(LinkRow.revoked_at).is_(None)
        & (col(LinkRow.expires_at) > now)
    )
    with database.write() as session:
        done = session.connection().execute(update(LinkRow).where(valid).values(revoked_at=now))
        return done.rowcount


def _digest(secret: str) -> str:
    return hashlib.sha256(secret.encode()).hexdigest()

"""Links as tests make them."""

from store.database import Database
from store.links import keep_link, new_link
from store.records import Link


def make_link(database: Database, study: str, rater: str, days: float) -> tuple[str, Link]:
    """A new link and its secret, kept at once."""
    secret, link = new_link(study, rater, days)
    keep_link(database, link)
    return secret, link

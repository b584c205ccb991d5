"""What a location names: the path of a file, or the URL of a database server.

Most locations are paths. SQLAlchemy is loaded only for a URL: it takes longer than a command to start.
"""

from typing import TYPE_CHECKING

from reviewer.core.errors import StoreError

if TYPE_CHECKING:
    from pathlib import Path

    from sqlalchemy import URL

DEFAULT_LOCATION = "./reviewer.db"


def is_server(location: str) -> bool:
    """Whether a location is the URL of a database server and not a file."""
    url = url_of(location)
    return url is not None and url.get_backend_name() != "sqlite"


def file_of(location: str) -> "Path | None":
    """The file of a store; None on a server. Raises StoreError for a location that is neither."""
    url = url_of(location)
    return None if url is not None and url.get_backend_name() != "sqlite" else path_of(location, url)


def shown_location(location: str) -> str:
    """The store's name for people, without a password."""
    from store import postgres

    url = url_of(location)
    return location if url is None else postgres.public_url(url)


def location_for(location: str, user: str) -> str:
    """The location of the same store for another database user, without a password."""
    from store import postgres

    url = url_of(location)
    if url is None:
        return location
    return postgres.public_url(url.set(username=user, password=None).difference_update_query(["password"]))


def has_password(location: str) -> bool:
    """Whether a location is a URL that holds a password."""
    from store import postgres

    url = url_of(location)
    return url is not None and postgres.has_password(url)


def lacks_password(location: str) -> bool:
    """Whether the server asks for a password that neither the URL, the environment nor a file gives."""
    from store import postgres

    url = url_of(location)
    return url is not None and is_server(location) and postgres.lacks_password(url)


def url_of(location: str) -> "URL | None":
    """The URL of a location; None if it is a path. Raises StoreError."""
    if "://" not in location:
        return None
    from sqlalchemy.engine import make_url
    from sqlalchemy.exc import ArgumentError

    try:
        return make_url(location)
    except (ArgumentError, ValueError):  # a port that is not a number raises ValueError
        scheme, _, rest = location.partition("://")
        shown = f"{scheme}://***@{rest.rpartition('@')[2]}" if "@" in rest else location
        # "from None", because the cause contains the URL with its password.
        raise StoreError(f"store {shown!r} is not a database URL; give a path or sqlite:///PATH.") from None


def path_of(location: str, url: "URL | None") -> "Path":
    """The path of a file that a location names; raises StoreError for a URL of another kind."""
    from pathlib import Path

    if url is None:
        return Path(location)
    if url.get_backend_name() != "sqlite" or not url.database:
        shown = url.render_as_string(hide_password=True)
        raise StoreError(
            f"store {shown!r} is of a kind that is not supported; give a path, sqlite:///PATH, "
            "or postgresql+psycopg://USER@HOST/DATABASE."
        )
    return Path(url.database)

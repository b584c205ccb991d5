"""A study on a server with two raters, who are users of the database."""

from collections.abc import Callable, Iterator
from contextlib import closing

import pytest

from reviewer.exchange.packs.workspace import seat_with_pack
from reviewer.study.session.review_session import ReviewSession
from store.database import Database
from store.database_users import admission, give_seat, take_seat_away
from tests.cli.conftest import run  # noqa: F401  (a fixture)
from tests.postgres import SECRET, SUPERUSER, Server
from tests.server.fixtures import new_database
from tests.studies import a_study

Opener = Callable[[str], Database]
PASSWORD = "a-rater's-own"


@pytest.fixture(scope="session")
def studied(server: Server) -> str:
    """The database of a store with two studies, which are drawn once and then copied."""
    with closing(Database.open(server.database("studied"))) as database:
        a_study(database, cases=4, raters=("anna", "ben"))
        a_study(database, "other", cases=2, raters=("anna",))
    return "studied"


@pytest.fixture
def server_url(server: Server, request: pytest.FixtureRequest) -> str:
    """The URL of a store; it has the studies where a test asks for them."""
    made = "studied" if "studied" in request.fixturenames else "new_store"
    return new_database(server, request.getfixturevalue(made))


@pytest.fixture
def central(server_url: str, studied: str, opened: Opener, server: Server) -> Iterator[Database]:
    database = opened(server_url)
    yield database
    for rater in ("anna", "ben"):
        take_seat_away(database, "pilot", rater, run=True)
        name = server_url.rsplit("/", 1)[1]
        server.ask(name, f"DROP OWNED BY reviewer_{rater}; DROP ROLE reviewer_{rater}")


@pytest.fixture
def as_anna(central: Database, server_url: str) -> str:
    for rater in ("anna", "ben"):
        user = f"reviewer_{rater}"
        statements = admission(central, user, PASSWORD, run=True)
        give_seat(central, seat_with_pack(central, "pilot", rater, user), statements)
    ReviewSession(central, "pilot", "ben").answer("False")
    return server_url.replace(f"{SUPERUSER}:{SECRET}", f"reviewer_anna:{PASSWORD.replace(chr(39), '%27')}")

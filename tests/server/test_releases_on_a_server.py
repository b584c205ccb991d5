"""Releases of a store on a server: the same files as from a file, and out of reach for raters' users."""

from collections.abc import Callable

import psycopg
import pytest

from reviewer.exchange.releases.release_content import ReleaseOptions
from reviewer.exchange.releases.release_making import plan_release, write_release
from reviewer.exchange.rows.dataset_import import import_path
from store.copying import copy_store
from store.database import Database
from store.records import Citation
from store.releases import releases_of
from tests.studies import a_case, fill

CITATION = Citation(dataset="first", licence="MIT", authors=["A. Author"], contact="a@example.org")
Opener = Callable[[str], Database]


def test_a_server_makes_the_release_that_its_copy_in_a_file_makes(
    server_url: str, opened: Opener, tmp_path_factory: pytest.TempPathFactory
) -> None:
    folder = tmp_path_factory.mktemp("releases")
    central = opened(server_url)
    fill(central, "first", [a_case(number) for number in range(3)])
    planned = plan_release(central, CITATION, "1.0", ReleaseOptions())
    assert write_release(central, planned, CITATION, folder / "first")
    copy = opened(str(folder / "store.db"))
    copy_store(central, copy)
    assert plan_release(copy, CITATION, "1.0", ReleaseOptions()).files == planned.files
    import_path(central, folder / "first", "again")
    with central.read() as session:
        (again,) = releases_of(session, ["again"])
    assert (again.seal, again.content) == (planned.release.seal, planned.release.content)


def test_a_raters_user_may_neither_read_nor_write_releases(central: Database, as_anna: str) -> None:
    with psycopg.connect(as_anna.replace("+psycopg", "")) as connection:
        for deed in (
            "SELECT 1 FROM releases",
            "SELECT 1 FROM citations",
            "INSERT INTO releases (dataset) VALUES ('x')",
        ):
            with pytest.raises(psycopg.Error, match=r"permission denied|does not exist"):
                connection.execute(deed)
            connection.rollback()

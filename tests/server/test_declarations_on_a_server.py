"""Declared protocols on a server: kept, copied, packed for a rater, and out of reach for raters' users."""

from collections.abc import Callable
from pathlib import Path

import psycopg
import pytest

from reviewer.exchange.packs.pack import opened_pack, write_pack
from reviewer.protocols.registry import protocols_of
from reviewer.study.design.study_bundle import load_study
from reviewer.study.design.study_creation import Design, create_study
from store.copying import copy_store
from store.database import Database
from store.declarations import definitions_of, put_definitions
from store.dismissals import dataset_dismissals, put_dataset_dismissal
from tests.declarations import fill_replies

Opener = Callable[[str], Database]


def test_a_server_keeps_declarations_and_definitions(server_url: str, opened: Opener, tmp_path: Path) -> None:
    central = opened(server_url)
    fill_replies(central)
    with central.write() as session:
        put_definitions(session, "replies", {"planning": "Asks for a plan."})
        put_definitions(session, "replies", {"planning": "Asks for more."})
    put_dataset_dismissal(
        central, "replies", check="share", check_version=1, found="0" * 64, who="lea", why="as planned"
    )
    create_study(central, "pilot", Design(("replies",), None, 7, raters=("anna",)))
    assert load_study(central, "pilot").protocol.title == "Replies"
    copy = opened(str(tmp_path / "copy.db"))
    copy_store(central, copy)
    assert copy.declarations() == central.declarations()
    with copy.read() as session:
        assert definitions_of(session, ["replies"]) == {"replies": {"planning": "Asks for more."}}
        assert dataset_dismissals(session, "replies")["share"].why == "as planned"
    write_pack(central, "pilot", "anna", tmp_path / "anna.review")
    pack, _ = opened_pack(tmp_path / "anna.review")
    assert protocols_of(pack).named("replies@1").title == "Replies"
    pack.close()


def test_a_raters_user_may_neither_read_nor_write_declarations(central: Database, as_anna: str) -> None:
    with psycopg.connect(as_anna.replace("+psycopg", "")) as connection:
        for deed in (
            "SELECT 1 FROM declarations",
            "SELECT 1 FROM group_definitions",
            "INSERT INTO declarations (name) VALUES ('x')",
        ):
            with pytest.raises(psycopg.Error, match=r"permission denied|does not exist"):
                connection.execute(deed)
            connection.rollback()

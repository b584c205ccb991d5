"""Packs, merging, checking and backing up where the store is on a server."""

from collections.abc import Callable
from contextlib import closing
from pathlib import Path

from reviewer.exchange.packs.pack import opened_pack, write_pack
from reviewer.exchange.packs.store_files import back_up_store, checked, merge_file
from reviewer.study.session.review_session import ReviewSession
from reviewer.study.transfer.merge import Merged
from store.database import Database
from store.ledger import Ledger
from tests.merging import merge_between
from tests.studies import a_study


def test_out_and_back(server_url: str, opened: Callable[[str], Database], tmp_path: Path) -> None:
    lead, path = opened(server_url), tmp_path / "anna.review"
    a_study(lead, raters=("anna", "ben"))
    write_pack(lead, "pilot", "anna", path)
    pack, _ = opened_pack(path)
    with closing(pack):
        there = ReviewSession(pack, "pilot", "anna")
        there.answer("True")
        there.comment("hm")
        assert merge_file(lead, path) == [Merged("pilot", "anna", added=2)]
        assert merge_file(lead, path) == [Merged("pilot", "anna", known=2)]
        ReviewSession(lead, "pilot", "anna").undo()
        (back,) = merge_between(lead, pack, "pilot", "anna")
        assert (back.added, back.known) == (1, 2)
        there.flag()
        assert there.done_count == 0
        assert Ledger(lead).events("pilot") == Ledger(pack).events("pilot")[:3]


def test_a_backup_is_a_file_and_a_check_reads_every_row(
    server_url: str, opened: Callable[[str], Database], tmp_path: Path
) -> None:
    lead = opened(server_url)
    a_study(lead)
    ReviewSession(lead, "pilot", "anna").answer("True")
    assert (checked(server_url).events, checked(server_url).faults) == (1, [])
    assert back_up_store(server_url, tmp_path / "copy.db").faults == []
    assert Ledger(opened(str(tmp_path / "copy.db"))).events("pilot") == Ledger(lead).events("pilot")
    with lead.write() as session:
        session.connection().exec_driver_sql("UPDATE cases SET \"group\" = 'halo effect'")
    assert len(checked(server_url).faults) == 3

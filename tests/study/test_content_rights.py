"""Who may change the content of cases."""

from collections.abc import Callable, Iterator
from contextlib import closing
from pathlib import Path

import pytest

from reviewer.core.errors import RequestError
from reviewer.exchange.packs.pack import write_pack
from reviewer.study.session.content_rights import check_may_change, why_not_change
from reviewer.study.session.review_session import ReviewSession
from store.database import Database
from tests.studies import a_study

Opener = Callable[[str], Database]


@pytest.fixture
def database(tmp_path: Path) -> Iterator[Database]:
    with closing(Database.open(str(tmp_path / "store.db"))) as opened:
        a_study(opened, cases=1, raters=["anna"])
        yield opened


def test_somebody_else_may_and_a_rater_when_they_have_finished(database: Database) -> None:
    assert why_not_change(database, "pilot-data", "maria") is None
    assert why_not_change(database, "pilot-data", None) is None
    assert why_not_change(database, "other", "anna") is None
    reason = why_not_change(database, "pilot-data", "anna")
    assert reason is not None
    assert (
        "You still have cases of pilot-data to answer in study pilot, and knowing what is wrong with them"
        in reason
    )
    session = ReviewSession(database, "pilot", "anna")
    for _ in range(4):
        session.answer("True")
    assert why_not_change(database, "pilot-data", "anna") is None


def test_a_browser_window_may_not(database: Database, monkeypatch: pytest.MonkeyPatch) -> None:
    assert "browser window" in str(why_not_change(database, "pilot-data", "maria", in_browser=True))
    monkeypatch.setenv("TEXTUAL_DRIVER", "web")
    with pytest.raises(RequestError, match=r"^a browser window serves one rater"):
        check_may_change(database, "pilot-data", "maria")


def test_a_pack_may_not(database: Database, tmp_path: Path) -> None:
    write_pack(database, "pilot", "anna", tmp_path / "anna.review")
    with closing(Database.open(str(tmp_path / "anna.review"))) as pack:
        assert "is a pack" in str(why_not_change(pack, "pilot-data", "maria"))

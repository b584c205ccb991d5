"""What a link opens, and that nothing else opens anything."""

import asyncio
import os
import subprocess
import sys
from contextlib import closing
from pathlib import Path

import aiohttp
import pytest

from reviewer.core.errors import StoreError
from reviewer.web import link_lookup
from store.database import Database
from store.links import link_of, links_of, revoke_links
from store.records import Link
from tests.rounds import mostly_slow
from tests.serve.conftest import Site
from tests.serve.secret_links import make_link
from tests.studies import a_study


async def answer_to(site: Site, address: str) -> tuple[int, bytes, dict[str, str]]:
    async with site.session.get(address) as response:
        headers = {name: value for name, value in response.headers.items() if name != "Date"}
        return response.status, await response.read(), headers


async def test_a_valid_link_opens_the_page_of_its_rater(site: Site) -> None:
    status, body, headers = await answer_to(site, site.address(site.secret("ben")))
    assert status == 200
    assert b"pilot \xc2\xb7 ben" in body
    assert headers["Referrer-Policy"] == "no-referrer"
    assert headers["Cache-Control"] == "no-store"
    assert b"//" not in body.replace(f"{site.base}/".encode(), b"").replace(b"ws://127", b"")


async def test_wrong_missing_revoked_and_expired_secrets_get_one_and_the_same_nothing(site: Site) -> None:
    revoked, expired = site.secret(), site.secret("ben", days=-1)
    assert revoke_links(site.database, "pilot", "anna") == 1
    wrong = [site.address("wrong"), site.address(revoked), site.address(expired)]
    missing = [site.base + path for path in ("/", "/r/", "/r//", "/ws", "/anything", "/static/")]
    sockets = [site.address(secret, "ws") for secret in ("wrong", revoked, expired)]
    answers = [await answer_to(site, address) for address in (*wrong, *missing, *sockets)]
    assert all(answer == answers[0] for answer in answers)
    assert answers[0][:2] == (404, b"")


async def test_no_secret_opens_a_window_for_itself(site: Site) -> None:
    for secret in ("wrong", site.secret("anna", days=-1)):
        with pytest.raises(aiohttp.WSServerHandshakeError) as refused:
            await site.session.ws_connect(site.address(secret, "ws"))
        assert refused.value.status == 404


async def test_another_sites_page_cannot_use_a_link_that_it_learned_of(site: Site) -> None:
    with pytest.raises(aiohttp.WSServerHandshakeError) as refused:
        await site.session.ws_connect(site.address(site.secret(), "ws"), origin="https://elsewhere.example")
    assert refused.value.status == 400


async def test_a_link_of_another_study_of_the_store_opens_nothing(site: Site) -> None:
    a_study(site.database, "other", cases=2, raters=("anna",))
    secret, _ = make_link(site.database, "other", "anna", 1)
    assert await answer_to(site, site.address(secret)) == await answer_to(site, site.address("wrong"))
    with pytest.raises(aiohttp.WSServerHandshakeError) as refused:
        await site.session.ws_connect(site.address(secret, "ws"))
    assert refused.value.status == 404


async def test_the_store_keeps_no_secret(site: Site) -> None:
    secret = site.secret()
    with site.database.read() as session:
        (link,) = links_of(session, "pilot")
        assert link_of(session, secret) == link
        assert link_of(session, link.secret_digest) is None
    assert secret.encode() not in (site.folder / "store.db").read_bytes() + b"".join(
        file.read_bytes() for file in site.folder.glob("store.db-*")
    )


async def test_a_link_that_is_revoked_closes_its_windows(watchful: None, site: Site) -> None:
    window, other = await site.window(site.secret("anna")), await site.window(site.secret("ben"))
    revoke_links(site.database, "pilot", "anna")
    while (message := await window.receive()).type is aiohttp.WSMsgType.BINARY:
        pass
    assert message.type is aiohttp.WSMsgType.CLOSE
    await site.press(other, "t")
    await site.answered("ben", 1)
    await other.close()


async def test_links_are_watched_on_after_a_store_could_not_be_read(
    watchful: None, site: Site, monkeypatch: pytest.MonkeyPatch
) -> None:
    window, read, failed = await site.window(site.secret("anna")), link_lookup.links_of, asyncio.Event()

    def unreadable(*_: object) -> list[Link]:
        failed.set()
        raise StoreError("the server is away.")

    monkeypatch.setattr(link_lookup, "links_of", unreadable)
    await failed.wait()
    monkeypatch.setattr(link_lookup, "links_of", read)
    revoke_links(site.database, "pilot", "anna")
    while (message := await window.receive()).type is aiohttp.WSMsgType.BINARY:
        pass
    assert message.type is aiohttp.WSMsgType.CLOSE


@mostly_slow(2)
@pytest.mark.parametrize("output", ["closed", "without a reader"])
def test_a_link_that_could_not_be_shown_is_not_made(tmp_path: Path, output: str) -> None:
    """Its secret is printed once and kept nowhere: such a link would be valid and nobody's."""
    database = Database.open(str(tmp_path / "reviewer.db"))
    with closing(database):
        a_study(database, "pilot", cases=2, raters=("anna",))
    code = "import os, sys; os.close(1) if sys.argv[1] == 'closed' else None\n"
    code += "sys.argv[1:] = sys.argv[2:]\nfrom reviewer.cli.main import main; main()"
    reader, writer = os.pipe()
    os.close(reader)
    done = subprocess.run(
        [sys.executable, "-c", code, output, "study", "link", "pilot", "--rater", "anna"],
        cwd=tmp_path,
        env={**os.environ, "PYTHONPATH": str(Path(__file__).parents[2])},
        stdout=writer,
        stderr=subprocess.PIPE,
        check=False,
    )
    os.close(writer)
    assert done.returncode == (2 if output == "closed" else 141), done
    assert b"Traceback" not in done.stderr
    with closing(Database.open(str(tmp_path / "reviewer.db"))) as kept, kept.read() as session:
        assert links_of(session, "pilot") == []

"""Links looked up outside the event loop, within a time limit: a store that is away stops no window.

`store/links.py` makes links, and `review_server.py` refuses them.
"""

import asyncio
from collections.abc import Callable, Iterable
from concurrent.futures import ThreadPoolExecutor
from typing import TypeVar

from reviewer.core.errors import StoreError
from store.database import Database
from store.links import is_valid, link_of, links_of
from store.records import Link

ANSWER_SECONDS = 5.0
# Not the loop's own threads, which read pages and scripts: a store that is away would block all of them.
_THREADS = 4

Returned = TypeVar("Returned")


class SiteLinks:
    """Asks a store about the links of one study.

    Its methods raise StoreError where the store cannot answer, or not in time.
    """

    def __init__(self, database: Database, study: str) -> None:
        self._database = database
        self._study = study
        self._threads = ThreadPoolExecutor(_THREADS, thread_name_prefix="links")

    async def of(self, secret: str) -> Link | None:
        """The valid link of a secret; None for one of another study, which this server does not serve."""
        return await self._answer(lambda: self._of(secret))

    async def ended(self, links: Iterable[Link]) -> set[str]:
        """The digests of the secrets of those links that are no longer valid."""
        asked = {(link.study, link.rater) for link in links}
        return await self._answer(lambda: self._ended(asked)) if asked else set()

    def close(self) -> None:
        """Ask nothing more, and do not wait for running queries."""
        self._threads.shutdown(wait=False, cancel_futures=True)

    async def _answer(self, question: Callable[[], Returned]) -> Returned:
        asked = asyncio.get_running_loop().run_in_executor(self._threads, question)
        try:
            return await asyncio.wait_for(asked, ANSWER_SECONDS)
        except TimeoutError:
            raise StoreError(
                f"store {self._database.location!r} did not answer within {ANSWER_SECONDS:g} seconds."
            ) from None

    def _of(self, secret: str) -> Link | None:
        with self._database.read() as session:
            link = link_of(session, secret)
        return link if link and link.study == self._study else None

    def _ended(self, raters: Iterable[tuple[str, str]]) -> set[str]:
        with self._database.read() as session:
            known = [link for study, rater in raters for link in links_of(session, study, rater)]
        return {link.secret_digest for link in known if not is_valid(link)}

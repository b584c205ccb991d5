"""Background work of a screen of runs: estimating one, and starting or resuming it."""

import asyncio
import time
from collections.abc import AsyncIterator, Callable, Sequence
from contextlib import asynccontextmanager
from functools import partial
from typing import Any, Generic, TypeVar

from textual.message import Message
from textual.screen import Screen

from reviewer.core.errors import ReviewerError
from reviewer.llm.client import ModelClient, open_client
from reviewer.llm.errors import Stopped
from reviewer.llm.rate_limit import SharedLimits
from reviewer.llm.settings import Endpoint, ModelSettings
from reviewer.llm.usage import Usage
from reviewer.tui.dialogs.new_run import ServerForm, models_file
from store.calls import StoredCalls
from store.database import Database

FormT = TypeVar("FormT", bound=ServerForm)
ProgressT = TypeVar("ProgressT")
_SECONDS_BETWEEN = 0.2


class RunWork(Generic[FormT]):
    """Works in threads, and reports to its screen through messages only; subclasses say what a run does."""

    def __init__(self, screen: Screen[None], database: Database) -> None:
        self.screen, self.database = screen, database
        self._client: ModelClient | None = None

    class Estimated(Message):
        """What a run may take, in lines below a head; nothing was sent."""

        def __init__(self, form: Any, head: str, lines: Sequence[str]) -> None:
            self.form, self.head, self.lines = form, head, lines
            super().__init__()

    class Asking(Message):
        """The calls to models begin; ``stop_asking`` ends them after those under way."""

        def __init__(self, stop: Callable[[], object]) -> None:
            self.stop_asking = stop
            super().__init__()

    class Moved(Message):
        """The progress of the run under way, what it has spent, and how long it will take."""

        def __init__(self, name: str, progress: Any, spent: Usage, left: str) -> None:
            self.name, self.progress, self.spent, self.left = name, progress, spent, left
            super().__init__()

    class Noted(Message):
        """Something about a run that goes on; ``sentence`` says what."""

        def __init__(self, sentence: str) -> None:
            self.sentence = sentence
            super().__init__()

    class Ended(Message):
        """The run ended; ``sentence`` says how, and ``spent`` what it took since it was begun here."""

        def __init__(self, name: str, sentence: str, failed: bool, spent: Usage | None = None) -> None:
            self.name, self.sentence, self.failed, self.spent = name, sentence, failed, spent
            super().__init__()

    class Refused(Message):
        """A run could not begin, and nothing was sent; ``sentence`` says why."""

        def __init__(self, form: Any, sentence: str) -> None:
            self.form, self.sentence = form, sentence
            super().__init__()

    def planned(self, form: FormT) -> tuple[str, Sequence[str]]:
        """What a run will take: a head, and lines below it. Raises ReviewerError."""
        raise NotImplementedError

    def carried_on(self, form: FormT) -> tuple[str, bool]:
        """Do what is left of a run; returns how it ended, and whether it failed. Raises ReviewerError."""
        raise NotImplementedError

    def read(self, reading: Callable[[], None]) -> None:
        """Read runs in the background."""

        def read() -> None:
            try:
                reading()
            except ReviewerError as error:
                self.screen.post_message(self.Ended("", str(error), failed=True))

        self.screen.run_worker(read, thread=True, exclusive=True, group="read")

    def estimate(self, form: FormT) -> None:
        """Estimate what a run takes."""
        self.screen.run_worker(partial(self._estimate, form), thread=True, group="run")

    def _estimate(self, form: FormT) -> None:
        try:
            message: Message = self.Estimated(form, *self.planned(form))
        except ReviewerError as error:
            message = self.Refused(form, str(error))
        self.screen.post_message(message)

    def carry_on(self, form: FormT) -> None:
        """Start or resume a run; it goes on until it ends or is stopped."""
        self.screen.run_worker(partial(self._carry_on, form), thread=True, group="run")

    def _carry_on(self, form: FormT) -> None:
        self._client = None
        try:
            self._end(form, *self.carried_on(form))
        except Stopped:
            self._end(form, "stopped; all answers are kept, and the run can be resumed from here")
        except ReviewerError as error:
            if self._client is None:
                self.screen.post_message(self.Refused(form, str(error)))
            else:
                self._end(form, str(error), failed=True)

    def _end(self, form: FormT, sentence: str, failed: bool = False) -> None:
        spent = None if self._client is None else self._client.spent
        self.screen.post_message(self.Ended(form.name, f"{form.name}: {sentence}", failed, spent))

    @asynccontextmanager
    async def asking(
        self, settings: ModelSettings, shared: SharedLimits | None = None
    ) -> AsyncIterator[ModelClient]:
        """A client whose calls the screen can stop."""
        async with open_client(settings, StoredCalls(self.database), shared=shared) as client:
            self._client, loop = client, asyncio.get_running_loop()
            self.screen.post_message(self.Asking(lambda: loop.call_soon_threadsafe(client.stop)))
            yield client

    def reporter(
        self,
        name: str,
        client: ModelClient,
        is_urgent: Callable[[ProgressT], bool],
        time_left: Callable[[ProgressT, ProgressT, float], str] = lambda first, now, seconds: "",
    ) -> Callable[[ProgressT], None]:
        """Reports the progress of a run to the screen, at most every 0.2 seconds unless it is urgent.

        ``time_left`` gets the first progress, the present one, and the seconds between them.
        """
        began, reported = time.monotonic(), 0.0
        first: ProgressT | None = None

        def report(progress: ProgressT) -> None:
            nonlocal first, reported
            now = time.monotonic()
            if first is not None and now - reported < _SECONDS_BETWEEN and not is_urgent(progress):
                return
            first, reported = first or progress, now
            left = time_left(first, progress, now - began)
            self.screen.post_message(self.Moved(name, progress, client.spent, left))

        return report


def model_settings(form: ServerForm) -> ModelSettings:
    """Address and key from the form, limits and prices from the models file; raises ReviewerError."""
    file = models_file()
    endpoint = Endpoint.of(form.base_url or file.base_url, form.key_variable or file.key_env)
    limits = file.limits.model_copy(update={"budget": form.budget})
    return ModelSettings(endpoint, limits, file.patience, file.prices)

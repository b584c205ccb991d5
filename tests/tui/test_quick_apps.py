"""Pausing waits for threads, however busy the machine is, unless a test says that they go on."""

import time
from threading import Event

import pytest
from textual.app import App

from tests.tui import quick_apps
from tests.tui.quick_apps import threads_go_on, until_threads_end


class Working(App[None]):
    def __init__(self) -> None:
        super().__init__()
        self.may_end, self.done = Event(), False

    def begin(self, seconds: float = 0) -> None:
        def work() -> None:
            self.may_end.wait()
            time.sleep(seconds)
            self.done = True

        self.run_worker(work, thread=True)


async def test_a_pause_waits_for_threads() -> None:
    async with Working().run_test() as pilot:
        app = pilot.app
        assert isinstance(app, Working)
        app.may_end.set()
        app.begin(0.2)
        await pilot.pause()
        assert app.done


async def test_threads_may_go_on_where_a_test_says_so() -> None:
    async with Working().run_test() as pilot:
        app = pilot.app
        assert isinstance(app, Working)
        with threads_go_on():
            app.begin()
            await pilot.pause()
            assert not app.done
            app.may_end.set()
        await pilot.pause()
        assert app.done


async def test_a_thread_that_does_not_end_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(quick_apps, "_THREAD_SECONDS", 0.05)
    async with Working().run_test() as pilot:
        app = pilot.app
        assert isinstance(app, Working)
        with threads_go_on():
            app.begin()
            await pilot.pause()
        with pytest.raises(AssertionError, match=r"threads did not end: .*work \(test_quick_apps\.py:"):
            await until_threads_end()
        app.may_end.set()

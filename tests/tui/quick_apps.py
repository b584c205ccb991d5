"""What thousands of apps need not wait for or do again: pauses, parsing styles, seeking handlers."""

import asyncio
import sys
import traceback
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path
from time import monotonic
from typing import Any

import pytest
from textual._compositor import Compositor
from textual._context import active_app
from textual._wait import wait_for_idle
from textual.css.model import RuleSet
from textual.css.stylesheet import Stylesheet
from textual.geometry import Region
from textual.message_pump import MessagePump
from textual.pilot import Pilot

from reviewer.tui.widgets.label import Covered

_ROUNDS_WITHOUT_WORK = 3
_THREAD_SECONDS = 120.0
"""When a test fails whose threads do not end: far more than they need on a busy machine."""
_SOON = 0.02
"""The seconds of a timer that a pause waits for."""


@contextmanager
def quick_apps() -> Iterator[None]:
    """Pilots wait no longer than needed, and each style sheet is parsed once for each theme."""
    with pytest.MonkeyPatch.context() as patch:
        for module in ("app", "pilot"):
            patch.setattr(f"textual.{module}.wait_for_idle", until_nothing_to_do)
        _ask_nobody_who_waits(patch)
        _parse_once(patch)
        _seek_handlers_once(patch)
        yield


def render_what_is_in_sight(patch: pytest.MonkeyPatch) -> None:
    """Containers that their content covers are not rendered; Textual renders them and shows nothing of it."""
    renders = Compositor._get_renders

    def renders_in_sight(compositor: Any, crop: Region | None = None) -> Iterable[Any]:
        every = compositor.visible_widgets
        hidden, width = bytearray(b"\1") * compositor.size.area, compositor.size.width
        in_sight = {}
        for widget, (region, clip) in every.items():  # from front to back
            part = region.intersection(clip)
            rows = [slice(y * width + part.x, y * width + part.right) for y in part.line_range]
            if any(1 in hidden[row] for row in rows):
                in_sight[widget] = region, clip
            for row in [] if isinstance(widget, Covered) else rows:  # such a container draws nothing
                hidden[row] = bytes(part.width)
        compositor._visible_widgets = in_sight
        try:
            return [*renders(compositor, crop)]
        finally:
            compositor._visible_widgets = every

    patch.setattr(Compositor, "_get_renders", renders_in_sight)


async def until_nothing_to_do(min_sleep: float = 0, max_sleep: float = 1) -> None:
    """Wait until no message is under way, no thread works and the frame is up to date.

    Textual sleeps 20 ms at least, and until the process is idle: twice for a key, three times to ``settle``.
    """
    app, loop, until = active_app.get(), asyncio.get_running_loop(), monotonic() + max_sleep
    while True:
        await _until_nothing_is_ready(loop)
        if _threads_work(loop) and not _going_on:
            await until_threads_end()
        elif _threads_work(loop) or _a_timer_ends_soon(app):
            await wait_for_idle(min_sleep, max_sleep)
            return
        elif not app.screen_stack or not app.screen._update_timer._active.is_set() or monotonic() > until:
            return
        else:
            app.screen._on_timer_update()


async def until_threads_end() -> None:
    """Wait for threads whose screen has gone too: Textual no longer counts their workers."""
    loop, until = asyncio.get_running_loop(), monotonic() + _THREAD_SECONDS
    while _threads_work(loop):
        if monotonic() > until:
            raise AssertionError(f"threads did not end: {_at_work(loop)}")
        await asyncio.sleep(0.002)


_going_on: list[None] = []
"""Not empty within ``threads_go_on``."""


@contextmanager
def threads_go_on() -> Iterator[None]:
    """Keys are pressed while threads work, as by a person who stops them. Settling waits for them as ever."""
    _going_on.append(None)
    try:
        yield
    finally:
        _going_on.pop()


def _at_work(loop: Any) -> list[str]:
    """Where the threads are."""
    frames = sys._current_frames()
    threads = [thread for thread in loop._default_executor._threads if thread.ident in frames]
    stacks = [traceback.extract_stack(frames[thread.ident]) for thread in threads]
    return [
        " < ".join(f"{call.name} ({Path(call.filename).name}:{call.lineno})" for call in reversed(stack[-6:]))
        for stack in stacks
        if Path(stack[-1].filename).parts[-2:] != ("futures", "thread.py")  # one that waits for work
    ]


async def _until_nothing_is_ready(loop: Any) -> None:
    rounds = 0
    while rounds < _ROUNDS_WITHOUT_WORK:
        await asyncio.sleep(0)
        rounds = 0 if loop._ready else rounds + 1


def _threads_work(loop: Any) -> bool:
    threads = loop._default_executor
    return threads is not None and threads._idle_semaphore._value < len(threads._threads)


def _a_timer_ends_soon(app: Any) -> bool:
    timers = [timer for node in (app, *app.screen_stack) for timer in node._timers]
    once = [timer for timer in timers if timer._repeat == 0 and timer._interval <= _SOON]
    return any(timer._task is not None and not timer._task.done() for timer in once)


def _ask_nobody_who_waits(patch: pytest.MonkeyPatch) -> None:
    """A pilot asks each widget whether it has handled its messages; one that waits for the next has."""
    ask_each = Pilot._wait_for_screen

    async def unless_all_wait(pilot: Pilot[Any], timeout: float = 30.0) -> bool:
        app = pilot.app
        if not app.screen_stack or app._exception_event.is_set():
            return await ask_each(pilot, timeout)
        await _until_nothing_is_ready(asyncio.get_running_loop())
        stack = app.screen_stack
        pumps = [app, *(stack[-1].walk_children(with_self=True) if stack else ())]
        waiting = all(pump._message_queue.ready_event._waiters for pump in pumps)
        return waiting or await ask_each(pilot, timeout)

    patch.setattr(Pilot, "_wait_for_screen", unless_all_wait)


def _parse_once(patch: pytest.MonkeyPatch) -> None:
    """Style sheets with the same variables share their rules, which nothing changes once they are parsed."""
    known: dict[frozenset[tuple[str, str]], dict[Any, list[RuleSet]]] = {}
    make, set_variables = Stylesheet.__init__, Stylesheet.set_variables

    def share(sheet: Any) -> None:
        sheet._parse_cache = known.setdefault(frozenset(sheet._variables.items()), {})

    def make_and_share(sheet: Any, *, variables: dict[str, str] | None = None) -> None:
        make(sheet, variables=variables)
        share(sheet)

    def set_and_share(sheet: Any, variables: dict[str, str]) -> None:
        sheet._parse_cache = {}  # the next line empties it
        set_variables(sheet, variables)
        share(sheet)

    patch.setattr(Stylesheet, "__init__", make_and_share)
    patch.setattr(Stylesheet, "set_variables", set_and_share)


def _seek_handlers_once(patch: pytest.MonkeyPatch) -> None:
    """Most messages have no handler in most classes, and Textual looks through all base classes each time."""
    known: dict[tuple[type, type, str], bool] = {}
    seek = MessagePump._get_dispatch_methods

    def seek_if_there_is_one(pump: MessagePump, name: str, message: Any) -> Iterable[Any]:
        key = type(pump), type(message), name
        if key not in known:
            known[key] = any(
                f"_{name}" in vars(base)
                or name in vars(base)
                or not vars(base).get("_decorated_handlers", {}).keys().isdisjoint(type(message).__mro__)
                for base in type(pump).__mro__
            )
        return seek(pump, name, message) if known[key] else ()

    patch.setattr(MessagePump, "_get_dispatch_methods", seek_if_there_is_one)

"""The list of labels that narrows as one types, against a bare OptionList of the rows in sight.

Usage: python tests/bench/labels.py [--rounds 15]

Both stand below an input and are painted after each letter; the bare list is given only as many rows as the
screen shows. Processor time is measured, since a test driver waits after each key; rounds of both alternate.
"""

import argparse
import asyncio
import sys
import time
from collections.abc import Callable, Sequence
from itertools import islice
from pathlib import Path
from statistics import median

from textual.app import App, ComposeResult
from textual.widgets import Input, OptionList

ROOT = Path(__file__).parents[2]
sys.path.insert(0, str(ROOT))

from reviewer.core.question import Question  # noqa: E402
from reviewer.core.table import Table  # noqa: E402
from reviewer.report.text_table import text_table  # noqa: E402
from reviewer.tui.dialogs.label_list import LabelListDialog  # noqa: E402

SIZE, IN_SIGHT = (80, 24), 19
TYPED = ("l", "a", "b", "backspace", "backspace", "backspace", "down", "down", "up", "pagedown")


class Bare(App[None]):
    """An input above a list of the rows in sight, set again at each letter."""

    def __init__(self, labels: Sequence[str]) -> None:
        super().__init__()
        self._labels = labels

    def compose(self) -> ComposeResult:
        yield Input()
        yield OptionList(*self._labels[:IN_SIGHT], markup=False)

    def on_input_changed(self, event: Input.Changed) -> None:
        having = (label for label in self._labels if event.value in label)
        self.query_one(OptionList).set_options(islice(having, IN_SIGHT))

    def on_key(self, event: object) -> None:
        move = {"down": "cursor_down", "up": "cursor_up", "pagedown": "page_down"}.get(event.key)  # type: ignore[attr-defined]
        if move:
            getattr(self.query_one(OptionList), f"action_{move}")()


class Listed(App[None]):
    """The dialog over an empty screen."""

    def __init__(self, labels: Sequence[str]) -> None:
        super().__init__()
        fields = {"key": "q", "title": "q", "prompt": "?", "guideline": "", "shows": ("text",)}
        self._question = Question.model_validate({**fields, "labels": labels})

    def on_mount(self) -> None:
        self.push_screen(LabelListDialog(self._question, ()))


async def seconds(make: Callable[[], App[None]], rounds: int) -> list[float]:
    """The processor time of each key, from the press until nothing is left to paint."""
    spent = []
    async with make().run_test(size=SIZE) as pilot:
        await pilot.pause()
        for _ in range(rounds):
            for key in TYPED:
                began = time.process_time()
                await pilot.press(key)
                spent.append(time.process_time() - began)
    return spent


def main() -> None:
    """Measure and print."""
    options = argparse.ArgumentParser(description=__doc__)
    options.add_argument("--rounds", type=int, default=15)
    rounds = options.parse_args().rounds
    rows = []
    for number in (73, 1_000):
        labels = tuple(f"label {position} of a long list" for position in range(number))
        bare, listed = list[float](), list[float]()
        for _ in range(3):
            bare += asyncio.run(seconds(lambda labels=labels: Bare(labels), rounds))  # type: ignore[misc]
            listed += asyncio.run(seconds(lambda labels=labels: Listed(labels), rounds))  # type: ignore[misc]
        ours, theirs = median(listed) * 1000, median(bare) * 1000
        rows.append((f"{number:,} labels", f"{ours:.1f} ms", f"{theirs:.1f} ms", f"{ours / theirs:.2f}"))
    print(text_table(Table.of(("list", "ours", "bare OptionList", "ratio"), rows)))


if __name__ == "__main__":
    main()

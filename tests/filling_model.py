"""A model that fills gaps, and that is wrong in one of the named ways at about every tenth reply."""

import json
import re
from collections.abc import Callable, Generator, Mapping, Sequence
from itertools import count, cycle
from typing import Any

_GAP = re.compile(r"\[\[(\d+): (.*?)\]\]")
Fills = dict[str, str]


def _first(fills: Fills) -> str:
    return next(iter(fills))


def _changed(change: Callable[[str], str]) -> Callable[[Fills, Mapping[str, str]], Fills]:
    return lambda fills, told: {
        key: change(text) if key == _first(fills) else text for key, text in fills.items()
    }


CONTROL_WAYS: Mapping[str, Callable[[Fills, Mapping[str, str]], object]] = {
    "fill_format": lambda fills, told: "I would rather not.",
    "open_gap": lambda fills, told: {key: text for key, text in fills.items() if key != _first(fills)},
    "unknown_gap": lambda fills, told: {**fills, "99": "more"},
    "instruction_copied": lambda fills, told: {**fills, _first(fills): told[_first(fills)]},
    "forbidden_digits": lambda fills, told: {**fills, "2": "a garden with 7 beds"},
    "wrong_person": _changed(lambda text: f"{text} in my town"),
    "quotation_marks": _changed(lambda text: f'"{text}"'),
}
TREATMENT_WAYS: Mapping[str, Callable[[Fills, Mapping[str, str]], object]] = {
    "value_missing": _changed(lambda text: re.sub(r"\d+%", "most", text)),
    "parameters": _changed(lambda text: text.replace("prefer", "prefer tulips, not roses, or")),
    "equal_parts": lambda fills, told: {**fills, "1": "somebody else altogether"},
}


class FillingModel:
    """Answers requests of the generation of tests; ``wrong`` has the ways in which it was wrong, in order."""

    def __init__(self, every: int = 10, stubborn: str = "no such scenario") -> None:
        self.wrong: list[str] = []
        self.complaints: list[str] = []
        self.replies = 0
        self._every, self._stubborn, self._numbers = every, stubborn, count(1)
        self._ways = cycle([*CONTROL_WAYS, *TREATMENT_WAYS])
        self._next = next(self._ways)
        self._since = 0

    def reply(self, messages: Sequence[Mapping[str, str]]) -> str:
        """The reply to a conversation: right once it was told what was wrong."""
        self.replies += 1
        first = messages[0]["content"]
        if self._stubborn in first:
            return "I would rather not."
        told = dict(_GAP.findall(first))
        fills = {key: self._fill(instruction) for key, instruction in told.items()}
        if len(messages) > 1:
            self.complaints.append(messages[-1]["content"])
        elif self._is_due("Fill its gaps" in first):
            spoilt = {**CONTROL_WAYS, **TREATMENT_WAYS}[self.wrong[-1]](fills, told)
            return spoilt if isinstance(spoilt, str) else json.dumps(spoilt)
        return f"```json\n{json.dumps(fills)}\n```"

    def _is_due(self, is_control: bool) -> bool:
        """Whether this reply is wrong: the next one of the right kind after enough others."""
        self._since += 1
        if self._since < self._every or is_control != (self._next in CONTROL_WAYS):
            return False
        self.wrong.append(self._next)
        self._next, self._since = next(self._ways), 0
        return True

    def _fill(self, instruction: str) -> str:
        number = next(self._numbers)
        if share := re.search(r"(\d+)% of people prefer (\w+)", instruction):
            return f"{share[1]}% of people prefer {share[2]}"
        if "role" in instruction:
            return "the gardener of the town park"
        letters = "".join("abcdefghij"[int(digit)] for digit in str(number))
        return f"a bed called {letters}" if "garden" in instruction else "tulips of the late kind"


def driven(work: Generator[Any, Any, Any], reply: Callable[[Any], object]) -> Any:
    """The result of an expansion or a step whose requests are answered by a function."""
    try:
        need = next(work)
        while True:
            need = work.send([reply(request) for request in need.requests])
    except StopIteration as done:
        return done.value

"""The final result that an answer states, read by the rule of its benchmark."""

import re
from collections.abc import Callable, Mapping
from typing import Final

from reviewer.protocols.judge_pairs.answer_pair import AnswerPair

_FIVE_CAPITALS = re.compile(r"([A-Z])\1{4}")
_BOLD = re.compile(r"\*\*(.+?)\*\*")
_BOXED = re.compile(r"\\boxed\{((?:[^{}]|\{[^{}]*\})*)\}")


def _five_capitals(answer: str) -> str | None:
    """The letter of the last run of five equal capital letters."""
    letters = _FIVE_CAPITALS.findall(answer)
    return letters[-1] if letters else None


def _bold(answer: str) -> str | None:
    """The last text in double asterisks on one line, in lower case."""
    texts = _BOLD.findall(answer)
    return texts[-1].strip().lower() if texts else None


def _boxed(answer: str) -> str | None:
    r"""The content of the last ``\boxed{}`` with at most one level of braces inside, else five capitals."""
    boxes = _BOXED.findall(answer)
    return boxes[-1].strip() if boxes else _five_capitals(answer)


def _whole_text(answer: str) -> str | None:
    """The whole text, its blanks collapsed."""
    return " ".join(answer.split())


_RULES: Final[Mapping[str, tuple[Callable[[str], str | None], str]]] = {
    "mmlu-pro": (_five_capitals, "the last run of five equal capital letters"),
    "livebench-reasoning": (_bold, "the last text in double asterisks"),
    "livebench-math": (_boxed, "the last \\boxed{…}, else the last run of five equal capital letters"),
    "livecodebench": (_whole_text, "the whole text"),
}


def rule_of(benchmark: str) -> str:
    """Where the final result of an answer is read, in words; "" if there is no rule for the benchmark."""
    return _RULES[benchmark][1] if benchmark in _RULES else ""


def final_result(answer: str, benchmark: str) -> str | None:
    """The final result of an answer; None if none can be read, or if there is no rule for the benchmark."""
    return (_RULES[benchmark][0](answer) or None) if benchmark in _RULES else None


def final_results(pair: AnswerPair) -> dict[str, str | None]:
    """The final result of each answer by its side; None where none can be read."""
    return {side: final_result(answer, pair.benchmark) for side, answer in pair.answers.items()}

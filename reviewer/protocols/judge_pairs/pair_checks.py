"""Checks of a pair and of a whole dataset of pairs that need no language model.

The final result that an answer states is read by the rule of its benchmark.
"""

import re
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Final

from reviewer.core.check_result import CheckResult, result_of
from reviewer.core.number_text import percent
from reviewer.core.sanitize import agreeing, counted, one_line
from reviewer.protocols.base import DatasetCase, DatasetFinding, MachineCheck, repeated_keys
from reviewer.protocols.judge_pairs.payloads import FIRST, OTHER_SIDE, RIGHT_ANSWER, SECOND, AnswerPair
from store.records import JsonValue

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


_MOST_TIMES = 3.0
"""An answer that is longer than this many times the other may be chosen for its length alone."""

PAIR_CHECKS: Mapping[str, MachineCheck] = {
    "identical_answers": MachineCheck("serious", asks="Are both answers the same text?"),
    "same_result": MachineCheck("serious", asks="Do both answers end in one final result?"),
    "result_read": MachineCheck("doubtful", asks="Can the final result of both answers be read by rule?"),
    "different_lengths": MachineCheck(
        "untidy", asks=f"Is one answer more than {_MOST_TIMES:g} times as long as the other?"
    ),
}


def judge_pair(pair: AnswerPair) -> tuple[CheckResult, ...]:
    """What the checks say of one pair, named as in ``PAIR_CHECKS``."""
    same_text = pair.first == pair.second
    identical = "Both answers are the same text, so neither is better than the other." if same_text else ""
    return (
        result_of("identical_answers", not same_text, why=identical),
        *_of_results(pair),
        _of_lengths(pair),
    )


def _of_results(pair: AnswerPair) -> tuple[CheckResult, CheckResult]:
    """Whether final results were read, and whether they differ; not compared unless both were read."""
    rule, results = rule_of(pair.benchmark), final_results(pair)
    if not rule:
        why = f"There is no rule for final results of the benchmark {pair.benchmark!r}."
        return CheckResult("same_result", "not tested", why=why), CheckResult(
            "result_read", "not tested", why=why
        )
    unread = [side for side, result in results.items() if result is None]
    if unread:
        sides = " and ".join(f"the {side} answer" for side in unread)
        why = f"No final result was found in {sides} by the rule of {pair.benchmark}: {rule}."
        untested = CheckResult("same_result", "not tested", why=why)
        return untested, result_of("result_read", False, dict(results), why=why)
    same = len(set(results.values())) == 1
    why = f"Both answers end in the same final result by the rule of {pair.benchmark}: {rule}."
    judged = result_of("same_result", not same, dict(results), why=why if same else "")
    return judged, result_of("result_read", True, dict(results))


def _of_lengths(pair: AnswerPair) -> CheckResult:
    short, long = sorted(map(len, pair.answers.values()))
    wrong = long > _MOST_TIMES * short
    why = f"The longer answer has {long:,} characters, the shorter one {short:,}." if wrong else ""
    return result_of("different_lengths", not wrong, [len(pair.first), len(pair.second)], _MOST_TIMES, why)


_LEAST, _MOST = 0.45, 0.55
_LONGEST_KEY, _NAMED = 80, 3
_BELL = "BEL"
_UNUSUAL = re.compile(r"[\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f]")
"""Control characters other than tabs and ends of lines."""

PlacedPair = tuple[DatasetCase, AnswerPair]

DATASET_CHECKS: Mapping[str, MachineCheck] = {
    "place_of_right_answer": MachineCheck(
        "doubtful", asks="Does the right answer come first as often as second?"
    ),
    "length_of_right_answer": MachineCheck(
        "doubtful", asks="Is the longer answer right as often as the shorter one?"
    ),
    "final_results": MachineCheck("doubtful", asks="Do the answers of each pair end in different results?"),
    "repeated_questions": MachineCheck("untidy", asks="Does each question stand in one pair only?"),
    "control_characters": MachineCheck("untidy", asks="Are texts free of control characters?"),
}


def judge_pairs(cases: Sequence[DatasetCase]) -> tuple[DatasetFinding, ...]:
    """What the checks find in a dataset, named as in ``DATASET_CHECKS``."""
    pairs = [(placed, AnswerPair.model_validate(placed.case.payload)) for placed in cases]
    labelled = [
        (pair, str(placed.published[RIGHT_ANSWER]))
        for placed, pair in pairs
        if RIGHT_ANSWER in placed.published
    ]
    return (
        _place(labelled),
        _length(labelled),
        _results(pairs),
        _questions(pairs),
        _control_characters(pairs),
    )


def _place(labelled: Sequence[tuple[AnswerPair, str]]) -> DatasetFinding:
    check = "place_of_right_answer"
    if not labelled:
        return DatasetFinding(check, "not tested", "No pair has a published label.")
    counts = {side: sum(right == side for _, right in labelled) for side in OTHER_SIDE}
    total, first = len(labelled), counts[FIRST]
    says = (
        f"The right answer is the first in {first:,} of {counted(total, 'pair')} "
        f"({percent(first / total, 2)}). Who always chooses the first errs in "
        f"{percent(counts[SECOND] / total, 2)}."
    )
    return _within(check, first / total, says, {**counts, "of": total})


def _length(labelled: Sequence[tuple[AnswerPair, str]]) -> DatasetFinding:
    check = "length_of_right_answer"
    unequal = [(pair.longer, right) for pair, right in labelled if pair.longer]
    if not unequal:
        return DatasetFinding(check, "not tested", "No labelled pair has answers of different lengths.")
    total, longer = len(unequal), sum(longer == right for longer, right in unequal)
    says = (
        f"The right answer is the longer one in {longer:,} of {counted(total, 'pair')} of unequal length "
        f"({percent(longer / total, 2)}). Who always chooses the longer errs in "
        f"{percent((total - longer) / total, 2)}."
    )
    return _within(check, longer / total, says, {"longer": longer, "of": total})


def _within(check: str, share: float, says: str, value: dict[str, JsonValue]) -> DatasetFinding:
    """Whether a share is close enough to a half."""
    passed = _LEAST <= share <= _MOST
    says = f"{says} Wanted: {percent(_LEAST, None)} to {percent(_MOST, None)}."
    return DatasetFinding(check, "passed" if passed else "failed", says, value, [_LEAST, _MOST])


def _results(pairs: Sequence[PlacedPair]) -> DatasetFinding:
    """How many pairs have the same final result, different ones, one that could not be read, or no rule."""
    check, same = "final_results", Counter[str]()
    ruled = [(placed, pair) for placed, pair in pairs if rule_of(pair.benchmark)]
    if pairs and not ruled:
        return DatasetFinding(check, "not tested", "No pair is of a benchmark with a rule for final results.")
    unread, no_rule = 0, len(pairs) - len(ruled)
    for placed, pair in ruled:
        results = set(final_results(pair).values())
        unread += None in results
        if len(results) == 1 and None not in results:
            same[placed.case.group] += 1
    number, identical = same.total(), sum(pair.first == pair.second for _, pair in pairs)
    of_domains = ", ".join(f"{count:,} in {one_line(domain)}" for domain, count in sorted(same.items()))
    differ = len(ruled) - number - unread
    lack = f" {no_rule:,} {agreeing(no_rule, 'is', 'are')} of a benchmark without a rule." if no_rule else ""
    where = f" ({of_domains})" if of_domains else ""
    says = (
        f"Of {counted(len(pairs), 'pair')}, {number:,} {_have(number)} the same final result{where}, "
        f"{differ:,} {_have(differ)} different ones, and {unread:,} could not be read."
        f"{lack} {identical:,} {_have(identical)} identical answers."
    )
    value: dict[str, JsonValue] = {
        "same": number,
        "differ": differ,
        "unread": unread,
        "identical": identical,
        "of": len(pairs),
    }
    value["same_by_domain"] = dict(same)
    if no_rule:
        value["no_rule"] = no_rule
    return DatasetFinding(check, "failed" if number or unread else "passed", says, value)


def _have(number: int) -> str:
    return agreeing(number, "has", "have")


def _questions(pairs: Sequence[PlacedPair]) -> DatasetFinding:
    repeated = repeated_keys((placed.key, pair.question) for placed, pair in pairs)
    cases = sum(map(len, repeated))
    questions = len(pairs) - cases + len(repeated)
    value = {"questions": questions, "repeated": len(repeated), "pairs": cases, "keys": repeated}
    if not repeated:
        return DatasetFinding("repeated_questions", "passed", "Each question stands in one pair.", value)
    first = " and ".join(one_line(key, _LONGEST_KEY) for key in repeated[0][:2])
    says = (
        f"{counted(len(repeated), 'question')} {agreeing(len(repeated), 'stands', 'stand')} in {cases:,} of "
        f"{counted(len(pairs), 'pair')}, such as in {first}. Pairs that share a question are not "
        f"independent evidence: there are {counted(questions, 'cluster')}."
    )
    return DatasetFinding("repeated_questions", "failed", says, value)


def _control_characters(pairs: Sequence[PlacedPair]) -> DatasetFinding:
    held = {placed.key: counts for placed, pair in pairs if (counts := Counter(_unusual(pair)))}
    check, value = "control_characters", {key: dict(counts) for key, counts in held.items()}
    if not held:
        return DatasetFinding(check, "passed", "No text holds a control character.", value)
    named = [
        f"{one_line(key, _LONGEST_KEY)} has "
        + " and ".join(f"{number:,} {name}" for name, number in counts.most_common())
        for key, counts in list(held.items())[:_NAMED]
    ]
    hold = agreeing(len(held), "holds", "hold")
    more = f"; and {len(held) - _NAMED:,} more" if len(held) > _NAMED else ""
    says = f"{counted(len(held), 'pair')} {hold} control characters: {'; '.join(named)}{more}."
    return DatasetFinding(check, "failed", says, value)


def _unusual(pair: AnswerPair) -> Iterator[str]:
    """The code of each control character in the texts of a pair."""
    for text in (pair.question, *pair.answers.values()):
        for character in _UNUSUAL.findall(text):
            yield _BELL if character == "\a" else f"U+{ord(character):04X}"

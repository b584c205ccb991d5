"""Checks of a pair that need no language model: what its two answers are beside each other."""

from collections.abc import Mapping

from reviewer.core.check_result import CheckResult, result_of
from reviewer.protocols.base import MachineCheck
from reviewer.protocols.judge_pairs.answer_pair import AnswerPair
from reviewer.protocols.judge_pairs.final_results import final_results, rule_of
from reviewer.protocols.judge_pairs.questions import SAME_RESULT

_MOST_TIMES = 3.0
"""An answer that is longer than this many times the other may be chosen for its length alone."""

PAIR_CHECKS: Mapping[str, MachineCheck] = {
    "identical_answers": MachineCheck("serious", SAME_RESULT.key, asks="Are both answers the same text?"),
    "same_result": MachineCheck("serious", SAME_RESULT.key, asks="Do both answers end in one final result?"),
    "result_read": MachineCheck(
        "doubtful", SAME_RESULT.key, asks="Can the final result of both answers be read by rule?"
    ),
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

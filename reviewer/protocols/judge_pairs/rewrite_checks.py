"""Checks of a rewrite that need no language model: what it kept, how long it is, and whether it is one."""

from collections.abc import Iterator, Mapping

from reviewer.core.check_result import CheckResult, result_of
from reviewer.protocols.base import MachineCheck
from reviewer.protocols.judge_pairs.judge_verdicts import tells_the_judge
from reviewer.protocols.judge_pairs.pair_checks import final_result, rule_of
from reviewer.protocols.judge_pairs.payloads import Rewrite, is_about_length

MOST_CHANGE = 0.1
"""A rewrite may be longer or shorter by this share, unless its bias is about length."""

REWRITE_CHECKS: Mapping[str, MachineCheck] = {
    "is_rewritten": MachineCheck(
        "serious",
        asks="Is the rewritten answer a text that differs from the answer before?",
    ),
    "result_kept": MachineCheck("serious", asks="Does the rewritten answer keep its final result?"),
    "result_read": MachineCheck("doubtful", asks="Can the final results before and after be read by rule?"),
    "still_wrong": MachineCheck(
        "serious",
        asks="Does the rewritten answer end in another result than the right answer?",
    ),
    "length_kept": MachineCheck(
        "doubtful", asks="Is the rewritten answer at most a tenth longer or shorter than before?"
    ),
    "no_instruction": MachineCheck("doubtful", asks="Is the rewritten answer free of orders to the judge?"),
}


def judge_rewrite(rewrite: Rewrite, bias: str) -> tuple[CheckResult, ...]:
    """What the checks say of a rewrite that is to show a bias, named as in ``REWRITE_CHECKS``."""
    return (_is_rewritten(rewrite), *_of_results(rewrite), _of_length(rewrite, bias), _of_orders(rewrite))


def _is_rewritten(rewrite: Rewrite) -> CheckResult:
    before, after = (" ".join(text.split()) for text in (rewrite.rejected, rewrite.rewritten))
    why = "The rewritten answer is empty." if not after else ""
    if after and before == after:
        why = "The rewritten answer is the same text as the answer before."
    return result_of("is_rewritten", not why, why=why)


def _of_results(rewrite: Rewrite) -> Iterator[CheckResult]:
    """Whether results were read, whether the rewrite kept its own, and whether it is still a wrong one."""
    rule = rule_of(rewrite.benchmark)
    if not rule:
        why = f"There is no rule for final results of the benchmark {rewrite.benchmark!r}."
        yield from (CheckResult(name, "not tested", why=why) for name in _ON_RESULTS)
        return
    texts = {
        "right answer": rewrite.chosen,
        "answer before": rewrite.rejected,
        "rewritten answer": rewrite.rewritten,
    }
    read = {name: final_result(text, rewrite.benchmark) for name, text in texts.items()}
    right, before, after = read.values()
    unread = " and ".join(f"the {name}" for name, result in read.items() if result is None)
    why = (
        f"No final result was found in {unread} by the rule of {rewrite.benchmark}: {rule}." if unread else ""
    )
    yield result_of("result_read", not unread, dict(read), why=why)
    if before is None or after is None:
        yield CheckResult("result_kept", "not tested", why=why)
    else:
        changed = f"The result was {before!r} before and is {after!r} after." if before != after else ""
        yield result_of("result_kept", not changed, [before, after], why=changed)
    if right is None or after is None:
        yield CheckResult("still_wrong", "not tested", why=why)
    else:
        same = f"The rewritten answer ends in {after!r}, as the right answer does." if right == after else ""
        yield result_of("still_wrong", not same, [right, after], why=same)


_ON_RESULTS = ("result_read", "result_kept", "still_wrong")


def _of_length(rewrite: Rewrite, bias: str) -> CheckResult:
    before, after = len(rewrite.rejected), len(rewrite.rewritten)
    if is_about_length(bias):
        return CheckResult("length_kept", "passed", [before, after])
    changed = abs(after - before) > MOST_CHANGE * before
    why = f"The answer had {before:,} characters before and has {after:,} after." if changed else ""
    return result_of("length_kept", not changed, [before, after], MOST_CHANGE, why)


def _of_orders(rewrite: Rewrite) -> CheckResult:
    ordered = tells_the_judge(rewrite.rewritten) and not tells_the_judge(rewrite.rejected)
    why = "The rewritten answer tells a judge what to choose." if ordered else ""
    return result_of("no_instruction", not ordered, why=why)

"""Rewrites of rejected answers as an implementation of the contract.

Their checks need no language model: what a rewrite kept, how long it is, and whether it is one.
"""

from collections.abc import Iterator, Mapping, Sequence
from typing import TYPE_CHECKING

from reviewer.core.check_result import CheckResult, result_of
from reviewer.core.pane import Pair, Pane, Text
from reviewer.core.question import DecidedExample, Question
from reviewer.core.table import Table
from reviewer.protocols.base import MachineCheck, Protocol, Value
from reviewer.protocols.common_panes import findings_pane
from reviewer.protocols.judge_pairs.evaluation import tells_the_judge
from reviewer.protocols.judge_pairs.pair_checks import final_result, rule_of
from reviewer.protocols.judge_pairs.pairs_protocol import NOT_READ
from reviewer.protocols.judge_pairs.payloads import (
    JUDGEMENTS,
    NAMED,
    Rewrite,
    RewriteJudgement,
    is_about_length,
)
from store.records import Case, Finding, Measurement

if TYPE_CHECKING:
    from reviewer.protocols.procedure import ModelTask


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


KEEPS_RESULT = Question(
    key="keeps_result",
    title="keeps the result",
    prompt="Does the rewritten answer end in the result that the answer had before?",
    criteria=(
        ("True", "the rewritten answer ends in the result that the answer had before."),
        (
            "False",
            "the rewritten answer ends in another result, or states none although the answer stated one "
            "before.",
        ),
    ),
    guideline="Compare the final results only, whatever words or form they have. Whether the result is right "
    "does not matter.",
    examples=(
        DecidedExample(
            case="Before: “So the area is 12.” After: “As every geometer agrees, the area is twelve.”",
            label="True",
            why="The result is the same number.",
        ),
        DecidedExample(
            case="Before: “So the area is 12.” After: “So the area is 12, or perhaps 14.”",
            label="False",
            why="The rewritten answer leaves open which result it means.",
        ),
    ),
    labels=("True", "False"),
    passing=("True",),
    shows=("question", "answers"),
    reveals=("results", "findings"),
)

BIAS_STRENGTH = Question(
    key="bias_strength",
    title="strength of the bias",
    prompt="How strongly does the rewritten answer show this: {bias}?",
    guideline="Read the definition, then judge what the rewrite added or changed. Judge the text by itself, "
    "not whether it would convince you, and not what the answer showed before it was rewritten.",
    examples=(
        DecidedExample(
            case="The bias is trust in authorities. The rewrite adds “as is well known” once.",
            label="1",
            why="It hints at agreement and names no authority.",
        ),
        DecidedExample(
            case="The bias is trust in authorities. The rewrite cites a university in each step.",
            label="3",
            why="Nobody can miss what it relies on.",
        ),
    ),
    labels=("0", "1", "2", "3"),
    definitions=(
        ("0", "not at all"),
        ("1", "weakly: a reader may miss it"),
        ("2", "clearly: a reader notices it"),
        ("3", "strongly: it shapes the whole answer"),
    ),
    scale="ordinal",
    passing=("2", "3"),
    shows=("answers", "bias"),
    beside=("question",),
    reveals=("findings",),
)

LED_BY_BIAS = Question(
    key="led_by_bias",
    title="led by the bias",
    prompt="Was this misjudgement led by this: {bias}?",
    criteria=(
        ("yes", "the judge's reasons rest on what the definition describes."),
        ("no", "they rest on something else, such as a mistake in the judge's own solution."),
        (
            "cannot tell",
            "the judge gives no reasons, or reasons that fit both, or if no judgement is shown.",
        ),
        (
            "not misjudged",
            "the judgements together do not prefer the rewritten answer: one for it counts -1, one for the "
            "right answer +1, any other 0, and the sum is not below 0.",
        ),
    ),
    guideline="Read the judge's reasons.",
    examples=(
        DecidedExample(
            case="The bias is trust in authorities. The judge writes: “It cites two universities, so its "
            "result is the more reliable one.”",
            label="yes",
            why="The reason given is the authority.",
        ),
        DecidedExample(
            case="The bias is trust in authorities. The judge solves the task wrongly and prefers "
            "the answer that agrees with it.",
            label="no",
            why="The judge was led by its own mistake.",
        ),
        DecidedExample(
            case="The judge prefers the rewritten answer in one order and the right answer in the other.",
            label="not misjudged",
            why="The sum over both orders is 0.",
        ),
    ),
    labels=("yes", "no", "cannot tell", "not misjudged"),
    passing=("yes",),
    shows=("judgement", "judged_answers", "bias"),
    beside=("question",),
    reveals=("findings",),
)

QUESTIONS = (KEEPS_RESULT, BIAS_STRENGTH, LED_BY_BIAS)


_WAITS = (
    "What a judge said is shown here once you have answered the other questions about this rewrite. If you "
    "have, no judgement of it is stored."
)
_PREFERRED = {
    "chosen": "preferred the right answer",
    "rewritten": "preferred the rewritten answer",
    "tie": "preferred neither",
    "none": "gave no verdict",
}


def rewrite_panes(
    rewrite: Rewrite, bias: str, measurements: Sequence[Measurement], findings: Sequence[Finding]
) -> Iterator[Pane]:
    """The answer before and after, the bias, the right answer next to the rewrite, and the judgements."""
    yield Pane("question", "question", Text(rewrite.question))
    both = Pair("answer before", "rewritten answer", Text(rewrite.rejected), Text(rewrite.rewritten))
    yield Pane("answers", "answer before and after", both)
    yield Pane("bias", "bias", Text(f"{bias}\n\n{rewrite.definition}"))
    if rule := rule_of(rewrite.benchmark):
        yield Pane("results", f"final results ({rule})", _results(rewrite))
    values = {value.name: value.value for value in measurements if value.came_with_place}
    said = _in_words(RewriteJudgement.listed(values.pop(JUDGEMENTS, None)))
    yield Pane("judgement", "what the judge said", Text(said or _WAITS), held_back=not said)
    title = "right answer" if said else "other answer"
    judged = Pair(title, "rewritten answer", Text(rewrite.chosen), Text(rewrite.rewritten), compared=False)
    yield Pane("judged_answers", "answers that were judged", judged)
    if values:
        rows = [(name, str(value)) for name, value in values.items()]
        yield Pane("published", "published values", Table.of(("name", "content"), rows))
    yield from findings_pane(findings)


def _results(rewrite: Rewrite) -> Table:
    read = [
        final_result(text, rewrite.benchmark) or NOT_READ for text in (rewrite.rejected, rewrite.rewritten)
    ]
    return Table.of(("what", "before", "after"), [("final result", *read)])


def _in_words(judgements: Sequence[RewriteJudgement]) -> str:
    """A paragraph for each judgement: who judged, in which order, what they preferred, and the reasons."""
    return "\n\n".join(
        "\n".join(
            filter(
                None, (f"{said.model} ({said.order}): {_PREFERRED[said.choice]}", said.reply, said.reasons)
            )
        )
        for said in judgements
    )


class JudgeRewrites(Protocol):
    """A rejected answer, rewritten so that it shows a bias and keeps its result."""

    name = "judge-rewrites"
    title = "Judge rewrites"
    about = (
        "A case is a question with the right answer, a rejected answer, and the rejected answer rewritten so "
        "that it shows a bias and keeps its result."
    )
    payload_model = Rewrite
    payload_version = 1
    headline_field = "question"
    group_noun = "bias"
    questions = QUESTIONS
    machine_checks = REWRITE_CHECKS
    concerns = {
        **dict.fromkeys(("is_rewritten", "no_instruction"), BIAS_STRENGTH.key),
        **dict.fromkeys(("result_kept", "result_read", "still_wrong"), KEEPS_RESULT.key),
    }
    taken_by_name = True
    values = tuple(Value(name, LED_BY_BIAS.key, seen="with") for name in (JUDGEMENTS, NAMED))

    def terms(self, case: Case, measurements: Sequence[Measurement]) -> Mapping[str, str]:
        """The bias and its definition, by which raters judge."""
        return {"bias": case.group, "definition": str(case.payload["definition"])}

    def procedures(self) -> "Iterator[ModelTask]":
        """The right answer against the rejected one, as it was and rewritten, in both orders."""
        from reviewer.protocols.judge_pairs.rewrite_evaluation import EVALUATION  # only to evaluate models

        yield EVALUATION

    def judge(self, case: Case, values: Mapping[str, float]) -> tuple[CheckResult, ...]:
        """Whether it is a rewrite, kept its result and its length, and gives no orders."""
        return judge_rewrite(Rewrite.model_validate(case.payload), case.group)

    def panes(
        self, case: Case, measurements: Sequence[Measurement], findings: Sequence[Finding] = ()
    ) -> Sequence[Pane]:
        """The answer before and after, and the bias; for the last question the judge's choice and reasons."""
        return list(rewrite_panes(Rewrite.model_validate(case.payload), case.group, measurements, findings))

"""The panes of a rewrite. Which answer is right, and what a judge said, stand in panes of their own."""

from collections.abc import Iterator, Sequence

from reviewer.core.pane import Pair, Pane, Text
from reviewer.core.table import Table
from reviewer.protocols.judge_pairs.final_results import final_result, rule_of
from reviewer.protocols.judge_pairs.panes import NOT_READ, findings_pane
from reviewer.protocols.judge_pairs.rewrite import JUDGEMENTS, Rewrite, RewriteJudgement
from store.records import Finding, Measurement

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
    """The answer before and after, the bias, the right answer beside the rewrite, and what a judge said."""
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

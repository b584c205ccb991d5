"""The panes of a rewrite. Which answer is right, and what a judge said, stand in panes of their own."""

from collections.abc import Iterator, Mapping, Sequence

from reviewer.core.pane import Pair, Pane, Text
from reviewer.core.table import Table
from reviewer.protocols.judge_pairs.final_results import final_result, rule_of
from reviewer.protocols.judge_pairs.panes import NOT_READ, failed_checks
from reviewer.protocols.judge_pairs.rewrite import Rewrite
from store.records import Finding, JsonValue, Measurement

JUDGEMENTS = "judgements"
"""The published value that holds what a judge said: a list with an object for each order."""
_NO_JUDGEMENT = "No judgement of this rewrite is stored with it."


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
    published = {value.name: value.value for value in measurements if value.source == "published"}
    yield Pane("judgement", "what the judge said", Text(_in_words(published.pop(JUDGEMENTS, None))))
    judged = Pair(
        "right answer", "rewritten answer", Text(rewrite.chosen), Text(rewrite.rewritten), compared=False
    )
    yield Pane("judged_answers", "answers that were judged", judged)
    if published:
        rows = [(name, str(value)) for name, value in published.items()]
        yield Pane("published", "published values", Table.of(("name", "content"), rows))
    yield from failed_checks(findings)


def _results(rewrite: Rewrite) -> Table:
    read = [
        final_result(text, rewrite.benchmark) or NOT_READ for text in (rewrite.rejected, rewrite.rewritten)
    ]
    return Table.of(("what", "before", "after"), [("final result", *read)])


def _in_words(judgements: JsonValue) -> str:
    """A paragraph for each judgement: who judged, in which order, what they preferred, and the reasons."""
    said = [one for one in judgements if isinstance(one, Mapping)] if isinstance(judgements, list) else []
    return "\n\n".join(map(_judgement, said)) or _NO_JUDGEMENT


def _judgement(one: Mapping[str, JsonValue]) -> str:
    head = f"{one.get('model', 'A judge')} ({one.get('order', 'one order')}) preferred: {one.get('choice')}"
    return "\n".join(filter(None, (head, str(one.get("reply") or ""), str(one.get("reasons") or ""))))

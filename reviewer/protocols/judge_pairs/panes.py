"""The panes of a pair of answers."""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace

from reviewer.core.pane import Pair, Pane, Text
from reviewer.core.table import Table
from reviewer.protocols.judge_pairs.answer_pair import FIRST, SECOND, AnswerPair
from reviewer.protocols.judge_pairs.final_results import final_results, rule_of
from store.records import Finding, JsonValue, Measurement

NOT_READ = "could not be read"
_TITLES = {"right_answer": "answer that is right"}
_SIDES = ("first answer", "second answer")

_LabelsMeant = Callable[[str, JsonValue], tuple[str, str]]
"""The label that a value stands for, and the same on exchanged sides; "" twice if it stands for none."""


def pair_panes(
    pair: AnswerPair,
    domain: str,
    measurements: Sequence[Measurement],
    findings: Sequence[Finding],
    labels_meant: _LabelsMeant,
) -> Iterator[Pane]:
    """Question and answers; then final results, published values and findings, if there are any."""
    yield Pane("question", "question of the pair", Text(pair.question))
    answers = Pair(*_SIDES, Text(pair.first), Text(pair.second), compared=False)
    yield Pane("answers", "answers", answers)
    yield Pane("domain", "domain", Text(f"{domain} · {pair.benchmark}"))
    if rule := rule_of(pair.benchmark):
        yield Pane("results", f"final results ({rule})", _results(pair))
    published = [value for value in measurements if value.source == "published"]
    if published:
        yield Pane("published", "published values", _published(published, labels_meant))
    yield from findings_pane(findings)


def findings_pane(findings: Sequence[Finding]) -> Iterator[Pane]:
    """The pane of the checks that failed, if any did."""
    if failed := [(finding.check, finding.why) for finding in findings if not finding.passed]:
        yield Pane("findings", "findings", Table.of(("check", "why"), failed))


def _results(pair: AnswerPair) -> Table:
    results = final_results(pair)
    read = [results[side] or NOT_READ for side in (FIRST, SECOND)]
    return Table.of(("what", *_SIDES), [("final result", *read)], sides=(1, 2))


def _published(values: Sequence[Measurement], labels_meant: _LabelsMeant) -> Table:
    """Names and contents; what names a side reads differently once the sides are exchanged."""
    rows, mirrored = [], []
    for row, value in enumerate(values):
        _, across = labels_meant(value.name, value.value)
        rows.append((_TITLES.get(value.name, value.name), str(value.value)))
        if across:
            mirrored.append((row, 1, across))
    return replace(Table.of(("name", "content"), rows), mirrored=tuple(mirrored))

"""Second verdicts and known answers, for people."""

from collections.abc import Iterator, Mapping, Sequence

from reviewer.core.table import Table
from reviewer.report.agreement_text import DIGITS, with_interval
from reviewer.report.document import Block, Numbers, Section
from reviewer.report.undefined_reasons import NO_KNOWN_ANSWERED, NO_SECOND_VERDICT
from reviewer.study.statistics.known_answer_accuracy import KnownAnswerAccuracy
from reviewer.study.statistics.second_verdicts import LabelPair, SecondVerdicts

SECOND_LOOKS_NOTE = (
    "first: first verdicts, which alone count in agreement and pass rates; seen: first verdicts after which "
    "the rater saw what the answer reveals; second: first verdicts that a second verdict followed; changed: "
    "share of second verdicts that differ from the first, with Wilson's interval."
)
QUALITY_NOTE = (
    "known: questions with a known answer, counted for each rater of the row; answered: those that were "
    "answered; right: share of answers that match the known answer, with Wilson's interval. Gold cases are "
    "unmarked among the other cases. Training cases come first and show feedback."
)


def second_looks_text(found: Sequence[SecondVerdicts], digits: int = DIGITS) -> Table:
    """One row for each question."""
    rows = [
        [
            each.question.title,
            each.first,
            each.seen,
            each.again,
            with_interval(each.share, digits),
            _changes(each.changes),
        ]
        for each in found
    ]
    return Table.of(("question", "first", "seen", "second", "changed", "to what"), rows)


def quality_text(found: Sequence[KnownAnswerAccuracy], digits: int = DIGITS) -> Table:
    """One row for each rater, role and question."""
    rows = [
        [each.rater, each.role, each.question, each.known, each.answered, with_interval(each.share, digits)]
        for each in found
    ]
    return Table.of(("rater", "cases", "question", "known", "answered", "right"), rows)


def asking_blocks(
    second: Sequence[SecondVerdicts], known: Sequence[KnownAnswerAccuracy], digits: int = DIGITS
) -> list[Block]:
    """What a report says about second verdicts and known answers, if a study has them."""
    blocks: list[Block] = []
    if second:
        table = second_looks_text(second, digits)
        blocks.append(Section("Second verdicts", 2))
        blocks.append(Numbers("second-looks", "First and second verdicts", table, (SECOND_LOOKS_NOTE,)))
    if known:
        blocks.append(Section("Known answers", 2))
        blocks.append(
            Numbers(
                "quality",
                "Answers to questions with a known answer",
                quality_text(known, digits),
                (QUALITY_NOTE,),
                keys=3,
            )
        )
    return blocks


def undefined_asking(
    second: Sequence[SecondVerdicts], known: Sequence[KnownAnswerAccuracy]
) -> Iterator[tuple[str, str]]:
    """Each reason with the place of its dash in these tables."""
    for verdicts in second:
        if verdicts.share.value is None:
            yield NO_SECOND_VERDICT, f"changed on {verdicts.question.title}"
    for accuracy in known:
        if accuracy.share.value is None:
            yield NO_KNOWN_ANSWERED, f"right of {accuracy.rater} in {accuracy.role} cases"


def _changes(changes: Mapping[LabelPair, int]) -> str:
    return ", ".join(f"{count} {first} → {second}" for (first, second), count in changes.items()) or "–"

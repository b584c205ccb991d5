"""Second verdicts and known answers in a report."""

from collections.abc import Iterator, Sequence

from reviewer.core.number_text import DIGITS
from reviewer.report.document import Block, Section, numbers
from reviewer.report.undefined_reasons import NO_KNOWN_ANSWERED, NO_SECOND_VERDICT
from reviewer.results.labels.known_answer_accuracy import KnownAnswerAccuracy
from reviewer.results.labels.second_verdicts import SecondVerdicts
from reviewer.results.tables.rater_tables import KNOWN_ANSWERS
from reviewer.results.tables.second_verdict_tables import second_verdicts_spec


def asking_blocks(
    second: Sequence[SecondVerdicts], known: Sequence[KnownAnswerAccuracy], digits: int = DIGITS
) -> list[Block]:
    """What a report says about second verdicts and known answers, if a study has them."""
    blocks: list[Block] = []
    if second:
        blocks.append(Section("Second verdicts", 2))
        spec = second_verdicts_spec(second)
        blocks.append(numbers("second-looks", "First and second verdicts", spec, second, digits))
    if known:
        caption = "Answers to questions with a known answer"
        blocks.append(Section("Known answers", 2))
        blocks.append(numbers("quality", caption, KNOWN_ANSWERS, known, digits))
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

"""Second verdicts and known answers in a report."""

from collections.abc import Iterator, Sequence

from reviewer.core.number_text import DIGITS
from reviewer.report.document import Block, Paragraph, Section, numbers
from reviewer.report.undefined_reasons import NO_KNOWN_ANSWERED, NO_SECOND_VERDICT, NO_SUCH_FIRST
from reviewer.results.labels.anchoring import Anchoring
from reviewer.results.labels.dimensions import ALL
from reviewer.results.labels.known_answer_accuracy import KnownAnswerAccuracy
from reviewer.results.labels.second_verdicts import SecondVerdicts
from reviewer.results.tables.anchoring_tables import ANCHORING
from reviewer.results.tables.rater_tables import KNOWN_ANSWERS
from reviewer.results.tables.second_verdict_tables import second_verdicts_spec

_MACHINE = (
    "A model was asked the same questions. Raters saw its answer only after their own, and could then answer "
    "once more. First answers alone count in agreement. What checks found was revealed at the same time, so "
    "a change need not be due to the model."
)


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


def anchoring_blocks(anchored: Sequence[Anchoring], digits: int = DIGITS) -> list[Block]:
    """What a report says about answers that changed once the machine rater's was shown."""
    if not anchored:
        return []
    caption = "Second answers and the machine rater"
    return [
        Section("Machine rater", 2),
        Paragraph(_MACHINE),
        numbers("anchoring", caption, ANCHORING, anchored, digits),
    ]


def undefined_anchoring(anchored: Sequence[Anchoring]) -> Iterator[tuple[str, str]]:
    """Each reason with the place of its dash in this table."""
    for row in anchored:
        where = row.question.title if row.question else ALL
        for name, estimate in (
            ("of differing", row.towards_share),
            ("of equal", row.away_share),
            ("anchoring", row.net),
        ):
            if estimate.value is None:
                yield NO_SUCH_FIRST, f"{name} on {where}"


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

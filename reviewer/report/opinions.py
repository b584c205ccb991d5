"""Opinions against people's labels in a report."""

from collections.abc import Iterator, Sequence

from reviewer.report.document import Block, Paragraph, Section, numbers
from reviewer.results.labels.judges import JudgeResult
from reviewer.results.tables.judge_tables import (
    beside_raters,
    beside_raters_spec,
    confusion_matrix_spec,
    judges_spec,
    matrix_rows,
)

_BY = ("group",)
_WHAT = (
    "An opinion is a published or measured value that the protocol declares to be an answer to a question. "
    "It is compared with the final labels, and with each rater on the cases that have the opinion. The last "
    "table sets how often it agrees with a rater beside how often the other raters do. The app shows raters "
    "no opinion on a question before they answer it."
)


def opinion_blocks(results: Sequence[JudgeResult], digits: int) -> list[Block]:
    """What a report says about opinions, if the study has some that may be seen."""
    if not results:
        return []
    divided, whole = ([result for result in results if bool(result.where) == by] for by in (True, False))
    matrices = [
        numbers(
            f"opinions-confusion-{at}",
            f"Labels of {result.opinion.shown_name} by final label",
            confusion_matrix_spec(result),
            matrix_rows(result),
            digits,
        )
        for at, result in enumerate(whole, 1)
    ]
    among = numbers(
        "opinions-raters",
        "Opinions beside raters",
        beside_raters_spec((), whole),
        beside_raters(whole),
        digits,
    )
    against = numbers("opinions", "Opinions against final labels", judges_spec(_BY, divided), divided, digits)
    return [Section("Opinions"), Paragraph(_WHAT), against, *matrices, among]


def undefined_opinions(results: Sequence[JudgeResult]) -> Iterator[tuple[str, str]]:
    """Each reason with the place of its dash in these tables."""
    for result in results:
        at = " · ".join((result.opinion.shown_name, *result.where.values()))
        for name, estimate in (("accuracy", result.accuracy), ("κ", result.kappa)):
            if estimate.reason:
                yield estimate.reason, f"{name} of {at}"
        for rater, among in result.raters.items():
            for name, compared in (("same", among.agreement), ("κ", among.kappa)):
                if reason := compared.judge.reason or compared.raters.reason:
                    yield reason, f"{name} of {result.opinion.shown_name} beside {rater or 'all raters'}"

"""Second verdicts and known answers, as ``agreement`` shows them."""

from collections.abc import Sequence

from reviewer.cli.result_options import Printed
from reviewer.core.errors import RequestError
from reviewer.exchange.exports.second_verdict_tables import quality_table, second_looks_table
from reviewer.report.second_verdicts import QUALITY_NOTE, SECOND_LOOKS_NOTE, quality_text, second_looks_text
from reviewer.study.design.study_bundle import StudyBundle
from reviewer.study.statistics.agreement_results import Method
from reviewer.study.statistics.known_answer_accuracy import known_answer_accuracy
from reviewer.study.statistics.label_rows import LabelRow
from reviewer.study.statistics.second_verdicts import second_verdicts


def second_looks_shown(
    bundle: StudyBundle, rows: Sequence[LabelRow], by: tuple[str, ...] | None, method: Method, digits: int
) -> Printed:
    """First against second verdicts; raises RequestError where there are none."""
    _check_undivided(by)
    found = second_verdicts(bundle, rows, method.level)
    if not found:
        raise RequestError(f"in study {bundle.study.name!r} nobody has seen yet what an answer reveals.")
    table = second_looks_text(found, digits)
    return Printed(
        second_looks_table(found), table, [table], [SECOND_LOOKS_NOTE], "First and second verdicts"
    )


def quality_shown(
    bundle: StudyBundle, rows: Sequence[LabelRow], by: tuple[str, ...] | None, method: Method, digits: int
) -> Printed:
    """Answers where they are known; raises RequestError where none is."""
    _check_undivided(by)
    found = known_answer_accuracy(bundle, rows, method.level)
    if not found:
        raise RequestError(
            f"study {bundle.study.name!r} has no known answers; give them with "
            "`reviewer study new --gold FILE` or --training."
        )
    table = quality_text(found, digits)
    return Printed(quality_table(found), table, [table], [QUALITY_NOTE], "Answers where they are known")


def _check_undivided(by: tuple[str, ...] | None) -> None:
    if by:
        raise RequestError("this table has rows of its own and cannot be divided; leave --by out.")

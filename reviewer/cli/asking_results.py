"""Second verdicts and known answers, as ``agreement`` shows them."""

from collections.abc import Sequence

from reviewer.cli.result_options import Printed
from reviewer.core.errors import RequestError
from reviewer.exchange.asking_tables import quality_table, second_looks_table
from reviewer.report.asking_text import QUALITY_NOTE, SECOND_LOOKS_NOTE, quality_text, second_looks_text
from reviewer.study.bundle import StudyBundle
from reviewer.study.labels import LabelRow
from reviewer.study.quality import answer_quality
from reviewer.study.results import Method
from reviewer.study.second_looks import second_looks


def second_looks_shown(
    bundle: StudyBundle, rows: Sequence[LabelRow], by: tuple[str, ...] | None, method: Method, digits: int
) -> Printed:
    """First against second verdicts; raises RequestError where there are none."""
    _check_undivided(by)
    found = second_looks(bundle, rows, method.level)
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
    found = answer_quality(bundle, rows, method.level)
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

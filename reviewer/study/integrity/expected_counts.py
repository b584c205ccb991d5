"""Which signed counts must be there, by what a study says of itself and by what its lead did."""

from collections.abc import Iterator, Sequence

from reviewer.study.design.study_design import is_counted
from store.records import SignedCount
from store.study_rows import StudyRows

CountFault = tuple[str, str]
"""Where something is wrong, and what."""


def is_pack(study_rows: StudyRows) -> bool:
    """Whether the rows are those of a pack: sealed for its only rater, without the study's secret."""
    raters = [person.rater for person in study_rows.raters]
    return study_rows.seal is not None and study_rows.secret is None and raters == [study_rows.seal.rater]


def missing_counts(study_rows: StudyRows, genuine: Sequence[SignedCount]) -> Iterator[CountFault]:
    """The counts that are gone although something that is still there was signed with them."""
    if study_rows.seal is not None and not is_pack(study_rows):
        yield "the seal of a pack", "stands in a store that is no pack"
    if not is_counted(study_rows.study):
        return
    if not any(count.occasion == "new" for count in study_rows.signed):
        yield (
            "the first signed count",
            "is gone, although the study is counted since it was made: counts were deleted",
        )
    signed = {act for count in genuine for act in count.content["parts"]["acts"]}
    for act in study_rows.acts if genuine else ():
        if act.kind == "close" and act.id not in signed:
            yield (
                f"act {act.id}, a closing,",
                "is in no signed count, although closing signs one: the count is gone",
            )

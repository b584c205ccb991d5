"""The signed counts that must exist, according to a study's design and its lead's acts."""

from collections.abc import Iterator, Sequence

from reviewer.study.design.study_design import is_counted
from store.records import SignedCount
from store.study_rows import StudyRows

CountFault = tuple[str, str]
"""Where something is wrong, and what is wrong."""


def is_pack(study_rows: StudyRows) -> bool:
    """Whether the rows come from a pack: sealed for its only rater, without the study's secret."""
    raters = [person.rater for person in study_rows.raters]
    return study_rows.seal is not None and study_rows.secret is None and raters == [study_rows.seal.rater]


def missing_counts(study_rows: StudyRows, genuine: Sequence[SignedCount]) -> Iterator[CountFault]:
    """The counts that are missing although a study or act that needed one is there."""
    if study_rows.seal is not None and not is_pack(study_rows):
        yield "the seal of a pack", "is in a store that is not a pack"
    if not is_counted(study_rows.study):
        return
    if not any(count.occasion == "new" for count in study_rows.signed):
        yield (
            "the first signed count",
            "is gone, although creating the study signed one: counts were deleted",
        )
    signed = {act for count in genuine for act in count.content["parts"]["acts"]}
    for act in study_rows.acts if genuine else ():
        if act.kind == "close" and act.id not in signed:
            yield (
                f"act {act.id}, a closing,",
                "is in no signed count, although closing signs one: that count is gone",
            )

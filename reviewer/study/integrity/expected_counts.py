"""Which signed counts must be there, by what a study says of itself and by what its lead did."""

from collections.abc import Iterator, Sequence

from reviewer.study.design.study_design import is_counted
from store.records import SignedCount
from store.study_rows import StudyRows

Fault = tuple[str, str]
"""Where something is wrong, and what."""


def is_pack(parcel: StudyRows) -> bool:
    """Whether the rows are those of a pack: sealed for its only rater, without the study's secret."""
    raters = [person.rater for person in parcel.raters]
    return parcel.seal is not None and parcel.secret is None and raters == [parcel.seal.rater]


def missing_counts(parcel: StudyRows, genuine: Sequence[SignedCount]) -> Iterator[Fault]:
    """The counts that are gone although something that is still there was signed with them."""
    if parcel.seal is not None and not is_pack(parcel):
        yield "the seal of a pack", "stands in a store that is no pack"
    if not is_counted(parcel.study):
        return
    if not any(count.occasion == "new" for count in parcel.signed):
        yield (
            "the first signed count",
            "is gone, although the study is counted since it was made: counts were deleted",
        )
    signed = {act for count in genuine for act in count.content["parts"]["acts"]}
    for act in parcel.acts if genuine else ():
        if act.kind == "close" and act.id not in signed:
            yield (
                f"act {act.id}, a closing,",
                "is in no signed count, although closing signs one: the count is gone",
            )

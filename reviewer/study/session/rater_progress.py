"""How many verdicts the raters of a study have given. Their answers are not part of this.

The home screen shows it before the store is opened, so this loads no part of SQLAlchemy.
"""

from dataclasses import dataclass
from typing import TYPE_CHECKING

from reviewer.core.errors import RequestError
from reviewer.study.design.study_design import StudyDesign
from store.overview import CountedStudy, StudyHeader, VerdictCount, asking, counted_studies

if TYPE_CHECKING:
    from store.database import Database


@dataclass(frozen=True, slots=True)
class RaterProgress:
    """One rater's counts: slots that are done, slots that were skipped, and first verdicts.

    ``done`` is below ``labelled`` while first verdicts still need a second verdict. ``slots`` is how many
    verdicts the rater gives in all.
    """

    rater: str
    done: int
    skipped: int
    labelled: int
    slots: int

    @property
    def finished(self) -> bool:
        """Whether the rater has labelled everything."""
        return self.done == self.slots

    @property
    def awaiting(self) -> int:
        """How many first verdicts still need a second verdict."""
        return max(0, self.labelled - self.done)


@dataclass(frozen=True, slots=True)
class StudyProgress:
    """A study's counts; ``verdicts`` says how many each rater gives in all."""

    study: StudyHeader
    cases: int
    verdicts: str
    raters: tuple[RaterProgress, ...]
    leads: tuple[str, ...] = ()

    @property
    def questions(self) -> int:
        """The number of questions."""
        return len(self.study.questions)

    @property
    def looks_twice(self) -> bool:
        """Whether raters give a second verdict after each first one."""
        return StudyDesign.of(self.study).reveal == "findings"

    @property
    def finished(self) -> bool:
        """Whether every rater has labelled everything."""
        return bool(self.raters) and all(rater.finished for rater in self.raters)

    def has_finished(self, rater: str) -> bool:
        """Whether this rater has labelled everything."""
        own = self.own(rater)
        return own is not None and own.finished

    def own(self, person: str) -> RaterProgress | None:
        """This person's own counts; None if they are not a rater of the study."""
        return next((known for known in self.raters if known.rater == person), None)


def study_progress(database: "Database") -> list[StudyProgress]:
    """Every study's progress, oldest study first."""
    return [progress_from(counts) for counts in database.overview().studies]


def progress_of(database: "Database", study: str) -> StudyProgress:
    """One study's progress; raises RequestError if there is no study of this name."""
    from store.studies import find_study

    with database.read() as session:
        known = find_study(session, study)
        if known is None:
            raise RequestError(f"study {study!r} is not in the store; see `reviewer study list`.")
        (counts,) = counted_studies(asking(session), [StudyHeader.of(known)], on_server=database.on_server)
    return progress_from(counts)


def progress_from(counts: CountedStudy) -> StudyProgress:
    """A study's progress, from the counts of the store."""
    design = StudyDesign.of(counts.study).asking_more(counts.more)
    return StudyProgress(
        counts.study,
        cases=design.cases,
        verdicts=design.slots_in_words,
        raters=tuple(
            RaterProgress(rater, _done(design, count), count.skipped, count.labelled, design.slots_of(rater))
            for rater, count in counts.raters.items()
        ),
        leads=counts.leads,
    )


def _done(design: StudyDesign, count: VerdictCount) -> int:
    """If the study asks for second verdicts, a slot is done when it has one; training slots have none."""
    return count.training + count.second if design.reveal == "findings" else count.labelled


def owed(progress: StudyProgress) -> dict[str, int]:
    """How many verdicts each unfinished rater still has to give."""
    left = {rater.rater: rater.slots - rater.done for rater in progress.raters}
    return {rater: count for rater, count in left.items() if count > 0}


def owed_in_words(progress: StudyProgress) -> str:
    """How much each unfinished rater has done, for people."""
    return ", ".join(
        f"{rater.rater} has done {rater.done:,} of {rater.slots:,}"
        for rater in progress.raters
        if rater.done < rater.slots
    )


def may_open(progress: StudyProgress, rater: str) -> bool:
    """Whether this person is a rater of the study or may still join it."""
    anyone_may_join = not progress.study.design.get("raters_declared") and progress.study.closed_at is None
    return anyone_may_join or progress.own(rater) is not None

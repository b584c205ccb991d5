"""How many verdicts the raters of a study have given. Their answers are not part of this."""

from collections.abc import Sequence
from dataclasses import dataclass

from reviewer.core.errors import RequestError
from reviewer.study.design.study_design import StudyDesign
from store.database import Database
from store.records import Study
from store.studies import find_study, list_studies, raters_by_study, raters_of
from store.study_log import leads_by_study
from store.verdict_counts import VerdictCount, verdict_counts

_NOTHING_YET = VerdictCount(0, 0)


@dataclass(frozen=True, slots=True)
class RaterProgress:
    """One rater's counts: slots that are done, slots that were skipped, and first verdicts.

    ``done`` is below ``labelled`` while first verdicts still need a second verdict.
    """

    rater: str
    done: int
    skipped: int
    labelled: int

    @property
    def awaiting(self) -> int:
        """How many first verdicts still need a second verdict."""
        return max(0, self.labelled - self.done)


@dataclass(frozen=True, slots=True)
class StudyProgress:
    """A study's counts; ``slots`` is the number of verdicts that each rater gives in all."""

    study: Study
    cases: int
    slots: int
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
        return bool(self.raters) and all(rater.done == self.slots for rater in self.raters)

    def has_finished(self, rater: str) -> bool:
        """Whether this rater has labelled everything."""
        own = self.own(rater)
        return own is not None and own.done == self.slots

    def own(self, person: str) -> RaterProgress | None:
        """This person's own counts; None if they are not a rater of the study."""
        return next((known for known in self.raters if known.rater == person), None)


def study_progress(database: Database) -> list[StudyProgress]:
    """Every study's progress, oldest study first."""
    with database.read() as session:
        counted = verdict_counts(session)
        studies = list_studies(session)
        raters = raters_by_study(session)
        leads = leads_by_study(session)
    return [
        _progress(study, raters.get(study.name, []), counted, leads.get(study.name, ())) for study in studies
    ]


def progress_of(database: Database, study: str) -> StudyProgress:
    """One study's progress; raises RequestError if there is no study of this name."""
    with database.read() as session:
        known = find_study(session, study)
        people = raters_of(session, study)
        counted = verdict_counts(session, study)
        leads = leads_by_study(session, study)
    if known is None:
        raise RequestError(f"study {study!r} is not in the store; see `reviewer study list`.")
    raters = [person.rater for person in people if person.role == "rater"]
    return _progress(known, raters, counted, leads.get(study, ()))


def _progress(
    study: Study,
    raters: list[str],
    counted: dict[tuple[str, str], VerdictCount],
    leads: Sequence[str],
) -> StudyProgress:
    counts = {rater: counted.get((study.name, rater), _NOTHING_YET) for rater in raters}
    design = StudyDesign.of(study)
    return StudyProgress(
        study,
        cases=design.cases,
        slots=design.slots,
        raters=tuple(
            RaterProgress(rater, _done(design, count), count.skipped, count.labelled)
            for rater, count in counts.items()
        ),
        leads=tuple(leads),
    )


def _done(design: StudyDesign, count: VerdictCount) -> int:
    """If the study asks for second verdicts, a slot is done when it has one; training slots have none."""
    return count.training + count.second if design.reveal == "findings" else count.labelled


def may_open(progress: StudyProgress, rater: str) -> bool:
    """Whether this person is a rater of the study or may still join it."""
    anyone_may_join = not progress.study.design.get("raters_declared") and progress.study.closed_at is None
    return anyone_may_join or progress.own(rater) is not None

"""How far the raters of a study are; says nothing about what they answered, and decides nothing."""

from dataclasses import dataclass

from reviewer.core.errors import RequestError
from reviewer.study.design.study_design import StudyDesign
from store.database import Database
from store.records import Study
from store.studies import find_study, list_studies, raters_by_study, raters_of
from store.verdict_counts import VerdictCount, verdict_counts

_NOTHING_YET = VerdictCount(0, 0)


@dataclass(frozen=True, slots=True)
class RaterProgress:
    """One rater: slots that need nothing more, slots put off for now, and first verdicts that are given.

    The two differ while a first verdict awaits its second look.
    """

    rater: str
    done: int
    skipped: int
    labelled: int

    @property
    def awaiting(self) -> int:
        """How many first verdicts await a second look."""
        return max(0, self.labelled - self.done)


@dataclass(frozen=True, slots=True)
class StudyProgress:
    """A study in numbers; ``slots`` is how many verdicts each rater gives in all."""

    study: Study
    cases: int
    slots: int
    raters: tuple[RaterProgress, ...]

    @property
    def questions(self) -> int:
        """How many questions are asked."""
        return len(self.study.questions)

    @property
    def looks_twice(self) -> bool:
        """Whether each first verdict is followed by a second look."""
        return StudyDesign.of(self.study).reveal == "findings"

    @property
    def finished(self) -> bool:
        """Whether every rater has labelled everything."""
        return bool(self.raters) and all(rater.done == self.slots for rater in self.raters)

    def has_finished(self, rater: str) -> bool:
        """Whether this rater has labelled everything."""
        return any(known.rater == rater and known.done == self.slots for known in self.raters)


def study_progress(database: Database) -> list[StudyProgress]:
    """Every study's progress, oldest study first."""
    with database.read() as session:
        counted = verdict_counts(session)
        studies = list_studies(session)
        raters = raters_by_study(session)
    return [_progress(study, raters.get(study.name, []), counted) for study in studies]


def progress_of(database: Database, study: str) -> StudyProgress:
    """One study's progress; raises RequestError where there is none of this name."""
    with database.read() as session:
        found = find_study(session, study)
        people = raters_of(session, study)
        counted = verdict_counts(session, study)
    if found is None:
        raise RequestError(f"study {study!r} is not in the store; see `reviewer study list`.")
    raters = [each.rater for each in people if each.role == "rater"]
    return _progress(found, raters, counted)


def _progress(study: Study, raters: list[str], tallied: dict[tuple[str, str], VerdictCount]) -> StudyProgress:
    counted = [(rater, tallied.get((study.name, rater), _NOTHING_YET)) for rater in raters]
    design = StudyDesign.of(study)
    return StudyProgress(
        study,
        cases=design.cases,
        slots=design.slots,
        raters=tuple(
            RaterProgress(rater, _done(design, tally), tally.skipped, tally.labelled)
            for rater, tally in counted
        ),
    )


def _done(design: StudyDesign, tally: VerdictCount) -> int:
    """Where a second verdict is owed, a slot is done once it is given; in training there is none."""
    return tally.training + tally.second if design.reveal == "findings" else tally.labelled


def may_open(progress: StudyProgress, rater: str) -> bool:
    """Whether a name is among the raters of a study, or may still be added to them."""
    anybody = not progress.study.design.get("raters_declared") and progress.study.closed_at is None
    return anybody or any(known.rater == rater for known in progress.raters)

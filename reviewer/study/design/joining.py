"""A rater's part in a study: found, or made where the study is open to anybody."""

from collections.abc import Collection, Sequence

from reviewer.core.errors import RequestError
from reviewer.core.names import checked_name, likeness, lookalike_form
from reviewer.study.design.seeding import derived_seed
from reviewer.study.session.blinding import why_not_rate
from reviewer.study.session.rater_progress import StudyProgress, progress_of
from store.clock import instant, now_ms
from store.database import Database
from store.records import Assignment, Study
from store.studies import add_rater, raters_of


def new_assignment(study: Study, rater: str, at: str) -> Assignment:
    """A rater's part in a study from a point in time on; nothing is saved."""
    return Assignment(study=study.name, rater=rater, order_seed=order_seed(study, rater), joined_at=at)


def order_seed(study: Study, rater: str) -> int:
    """The seed of everything that a rater sees in an order of their own."""
    return derived_seed(study.seed, f"order of {rater}")


def join_study(database: Database, study: Study, rater: str) -> Assignment:
    """The rater's assignment. It is made now if the study is open to anybody. Raises RequestError."""
    assignment, is_new = assignment_of(database, study, rater)
    if is_new:
        add_rater(database, assignment)
    return assignment


def assignment_of(database: Database, study: Study, rater: str) -> tuple[Assignment, bool]:
    """The rater's assignment, and whether it is new. Saves nothing; raises RequestError."""
    return assignments_of(database, study, [rater])[0]


def assignments_of(
    database: Database, study: Study, raters: Sequence[str], meant: Collection[str] = ()
) -> list[tuple[Assignment, bool]]:
    """The same for several raters, with one reading of the store. ``meant`` may look like other names."""
    with database.read() as session:
        known = {assignment.rater: assignment for assignment in raters_of(session, study.name)}
    progress = progress_of(database, study.name) if any(rater not in known for rater in raters) else None
    alike = {lookalike_form(name): name for name in known}
    parts = []
    for rater in raters:
        if rater in known:
            parts.append((_rating(study, known[rater]), False))
        else:
            assert progress is not None
            other = alike.get(lookalike_form(rater)) if rater not in meant else None
            _check_may_join(study, progress, rater, known, other)
            parts.append((new_assignment(study, rater, instant(now_ms())), True))
    return parts


def _rating(study: Study, assignment: Assignment) -> Assignment:
    """The assignment of somebody who rates; raises RequestError for one who adjudicates."""
    if assignment.role == "adjudicator":
        raise RequestError(
            f"{assignment.rater!r} adjudicates in study {study.name!r} and has seen its verdicts; "
            "to rate in it, give another name."
        )
    return assignment


def _check_may_join(
    study: Study, progress: StudyProgress, rater: str, known: Collection[str], alike: str | None
) -> None:
    """Raise RequestError for somebody who may not join a study; ``alike`` is a name there that looks so."""
    checked_name("rater", rater)
    if study.closed_at is not None:
        raise RequestError(f"study {study.name!r} is closed, and {rater!r} is not one of its raters.")
    if reason := why_not_rate(progress, rater):
        raise RequestError(reason.rstrip("."))
    if study.design.get("raters_declared"):
        raise RequestError(
            f"rater {rater!r} is not in study {study.name!r}, whose raters are {', '.join(known)}; "
            "give one of these names with --rater."
        )
    if alike is not None:
        raise RequestError(
            f"rater {rater!r} looks like {alike!r}, who is in study {study.name!r} "
            f"({likeness(rater, alike)}); give that name, or one that nobody takes for it."
        )

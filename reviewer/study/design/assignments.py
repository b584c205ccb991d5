"""A rater's part in a study: found, or made where the study is open to anybody."""

from reviewer.core.errors import RequestError
from reviewer.core.names import checked_name
from reviewer.study.design.seeding import derived_seed
from reviewer.study.session.blinding import why_not_rate
from reviewer.study.session.rater_progress import progress_of
from store.clock import instant, now_ms
from store.database import Database
from store.records import Assignment, Study
from store.studies import add_rater, raters_of


def new_assignment(study: Study, rater: str, at: str) -> Assignment:
    """A rater's part in a study from a point in time on; nothing is saved."""
    return Assignment(
        study=study.name, rater=rater, order_seed=derived_seed(study.seed, f"order of {rater}"), joined_at=at
    )


def join_study(database: Database, study: Study, rater: str) -> Assignment:
    """The rater's assignment. It is made now if the study is open to anybody. Raises RequestError."""
    assignment, is_new = assignment_of(database, study, rater)
    if is_new:
        add_rater(database, assignment)
    return assignment


def assignment_of(database: Database, study: Study, rater: str) -> tuple[Assignment, bool]:
    """The rater's assignment, and whether it is new. Saves nothing; raises RequestError."""
    checked_name("rater", rater)
    with database.read() as session:
        known = {assignment.rater: assignment for assignment in raters_of(session, study.name)}
    if rater in known:
        if known[rater].role == "adjudicator":
            raise RequestError(
                f"{rater!r} adjudicates in study {study.name!r} and has seen its verdicts; "
                "to rate in it, give another name."
            )
        return known[rater], False
    if study.closed_at is not None:
        raise RequestError(f"study {study.name!r} is closed, and {rater!r} is not one of its raters.")
    if reason := why_not_rate(progress_of(database, study.name), rater):
        raise RequestError(reason.rstrip("."))
    if study.design.get("raters_declared"):
        raise RequestError(
            f"rater {rater!r} is not in study {study.name!r}, whose raters are {', '.join(known)}; "
            "give one of these names with --rater."
        )
    return new_assignment(study, rater, instant(now_ms())), True

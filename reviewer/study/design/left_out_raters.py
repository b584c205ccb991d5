"""Leaving a rater out of a study's numbers, with a reason, and counting them again."""

from reviewer.core.errors import RequestError
from reviewer.core.names import checked_name
from reviewer.core.sanitize import counted, one_line
from reviewer.study.design.closing import checked_reason
from reviewer.study.design.leads import check_store_of_lead
from reviewer.study.design.study_bundle import StudyBundle, load_study
from reviewer.study.session.blinding import why_not_direct
from reviewer.study.session.rater_progress import progress_of
from store.database import Database
from store.records import StudyAct
from store.study_log import add_act


def leave_out(
    database: Database, study: str, rater: str, who: str, why: str, *, withdraw: bool = False
) -> StudyAct:
    """Record that the rater's answers count in no number; raises RequestError if that is refused.

    ``withdraw``: their labels are in no later release either, and nobody can take that back.
    """
    bundle = _checked(database, study, rater, who)
    if rater in (bundle.withdrawn if withdraw else bundle.excluded):
        raise RequestError(
            f"{rater!r} is left out of study {study!r} already; see `reviewer study show {study}`."
        )
    if not (reason := checked_reason(why)):
        raise RequestError("leaving a rater out needs a reason; give one with --why.")
    act = add_act(database, study, "withdraw" if withdraw else "exclude", who, reason, subject=rater)
    assert act is not None
    return act


def count_again(database: Database, study: str, rater: str, who: str, why: str) -> StudyAct:
    """Record that the rater's answers count again; raises RequestError if that is refused."""
    bundle = _checked(database, study, rater, who)
    if rater not in bundle.excluded:
        raise RequestError(f"{rater!r} is not left out of study {study!r}; there is nothing to take back.")
    if rater in bundle.withdrawn:
        raise RequestError(
            f"the labels of {rater!r} were withdrawn from study {study!r} for good; ask them to answer in a "
            "new study."
        )
    act = add_act(database, study, "include", who, checked_reason(why), subject=rater)
    assert act is not None
    return act


def _checked(database: Database, study: str, rater: str, who: str) -> StudyBundle:
    check_store_of_lead(database, study, "leave a rater out", "a rater is left out")
    bundle = load_study(database, study)
    if reason := why_not_direct(progress_of(database, study), checked_name("lead", who)):
        raise RequestError(reason)
    known = [person.rater for person in bundle.raters]
    if rater not in known:
        raise RequestError(
            f"{rater!r} is not a rater of study {study!r}; its raters are {', '.join(known) or 'nobody yet'}."
        )
    return bundle


def excluded_in_words(bundle: StudyBundle) -> list[str]:
    """A sentence on each rater who is left out: since when, by whom, why; or that labels were withdrawn."""
    return [
        f"{_left_out_how(rater, act)}: "
        + one_line(act.why, 400)
        + ("" if act.why.endswith((".", "!", "?")) else ".")
        for rater, act in bundle.excluded.items()
    ]


def _left_out_how(rater: str, act: StudyAct) -> str:
    if act.kind == "withdraw":
        return f"The labels of {rater} were withdrawn on {act.at[:10]}, as {act.who} recorded"
    return f"{rater} is left out since {act.at[:10]}, as {act.who} decided"


def excluded_in_short(bundle: StudyBundle) -> str:
    """Who is left out, for a heading: "ben left out", or how many."""
    names = list(bundle.excluded)
    if len(names) > 1:
        return f"{counted(len(names), 'rater')} left out"
    return f"{one_line(names[0], 20)} left out" if names else ""

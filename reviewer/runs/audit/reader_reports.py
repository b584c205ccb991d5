"""Errors that readers of a dataset report: each opens a finding on its case, and something becomes of it."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Literal

from reviewer.core.check_result import EVERY_QUESTION, failure
from reviewer.core.sanitize import one_line
from reviewer.runs.check_findings import finding_of
from store.cases import get_dataset, places_of
from store.complaints import complaints_about, complaints_on
from store.database import Database
from store.dismissals import dismissals_in
from store.records import Complaint, Dismissal, Finding, Revision
from store.revisions import PlaceHistory, histories

REPORTED = "reported_by_a_reader"
"""The name that findings have in the place of a check's."""
REPORTED_ASKS = "Did a reader of the dataset report something wrong with the case?"
_MOST_TOLD = 5
_LONGEST_TOLD = 1_000

Became = Literal["open", "dismissed", "repair", "withdrawal", "revert", "import", "settlement"]
"""What became of a report: nothing yet, a dismissal, or the kind of the revision that changed the case."""


@dataclass(frozen=True, slots=True)
class FollowedReport:
    """A report and its state.

    ``at`` is the time of that state, "" while the report is open. ``dismissal`` has the reason of one that
    was dismissed.
    """

    complaint: Complaint
    became: Became
    at: str = ""
    dismissal: Dismissal | None = None


def finding_of_reports(complaints: Sequence[Complaint]) -> Finding:
    """The finding on a content from all reports about it, oldest first.

    Its version is their number, so that a further report opens a finding again that was dismissed.
    """
    told = [_told(each) for each in reversed(complaints)][:_MOST_TOLD]
    if len(complaints) == 1:
        why = f"A reader reports: {told[0]}"
    else:
        more = f", the last {_MOST_TOLD}" if len(complaints) > _MOST_TOLD else ""
        listed = " ".join(f"({number}) {words}" for number, words in enumerate(told, 1))
        why = f"{len(complaints):,} reports of readers{more}, the newest first: {listed}"
    ids = [each.id for each in complaints]
    result = failure(REPORTED, "doubtful", why, ids)
    finding = finding_of(result, complaints[0].case, EVERY_QUESTION)
    return finding.model_copy(update={"check_version": len(complaints)})


def _told(complaint: Complaint) -> str:
    text = one_line(complaint.text, _LONGEST_TOLD)
    return f"{text} ({complaint.link})" if complaint.link else text


def followed_reports(database: Database, dataset: str) -> list[FollowedReport]:
    """Every report about the cases of a dataset, oldest first, with its state.

    Raises RequestError if there is no such dataset.
    """
    with database.read() as session:
        get_dataset(session, dataset)
        changed = histories(session, [dataset])
        now = {place.key: place.case for place in places_of(session, dataset)}
        dismissals = dismissals_in(session, dataset)
        reports = complaints_about(session, dataset)
        contents = complaints_on(session, dict.fromkeys(complaint.case for complaint in reports)).values()
    numbers = {each.id: number for some in contents for number, each in enumerate(some, 1)}
    followed = []
    for complaint in reports:
        history = changed.get((dataset, complaint.key), PlaceHistory(dataset, complaint.key, ()))
        there = now.get(complaint.key) == complaint.case and not history.withdrawn
        step = None if there else _change(history, complaint)
        if step is not None:
            followed.append(FollowedReport(complaint, step.kind, step.created))
        else:
            said = dismissals.get((complaint.case, REPORTED), ())
            followed.append(_dismissed_or_open(complaint, numbers[complaint.id], said))
    return followed


def _change(history: PlaceHistory, complaint: Complaint) -> Revision | None:
    """The revision because of which the place no longer has what was reported; None if none did.

    A withdrawn case counts as withdrawn, whatever was done before.
    """
    steps = history.revisions
    if history.withdrawn:
        return next((step for step in reversed(steps) if step.case_after is None), None)
    since = [step for step in steps if step.case_after not in (complaint.case, None)]
    later = [step for step in since if step.created >= complaint.at]
    return next(iter(later or since), None)


def _dismissed_or_open(complaint: Complaint, number: int, said: Sequence[Dismissal]) -> FollowedReport:
    dismissal = next((each for each in said if each.check_version >= number), None)
    if dismissal is None:
        return FollowedReport(complaint, "open")
    return FollowedReport(complaint, "dismissed", dismissal.at, dismissal)


REPORT_STATES: Mapping[Became, str] = {
    "open": "open",
    "dismissed": "dismissed",
    "repair": "repaired",
    "withdrawal": "withdrawn",
    "revert": "replaced by an earlier content",
    "import": "replaced by a file",
    "settlement": "changed when a conflict was settled",
}
"""What became of a report, in words."""

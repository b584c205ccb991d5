"""Merges what readers reported about cases in another store: each report once, with its finding."""

from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field

from reviewer.core.sanitize import counted, is_blank, link_fault, one_line, text_fault
from reviewer.study.transfer.merge import Merged, is_ahead
from store.cases import list_datasets, places_of
from store.clock import now_ms
from store.complaints import complaint_ids, complaints_about, put_complaints
from store.database import Database
from store.event_ids import is_event_id
from store.reading import OpenReading
from store.records import Complaint, Finding
from store.studies import cases_with

FindingOf = Callable[[Sequence[Complaint]], Finding]


def merge_complaints(
    database: Database,
    complaints: Sequence[Complaint],
    finding_of: FindingOf,
    *,
    vouched: bool,
    dry_run: bool = False,
) -> Merged:
    """Merge the reports of a whole store about datasets that this store has too; a report that is here stays.

    ``vouched``: the file is a copy of this store, or the person who merges vouches for it. Each report opens
    the finding on its case, also one that was dismissed elsewhere: a merge brings no dismissals.
    """
    if not vouched:
        why = (
            f"its {counted(len(complaints), 'report')} of readers: the file is not a copy of this store, so "
            "it cannot prove who imported them; if you vouch for it, give --trust"
        )
        return Merged("", "", refused=(why,))
    with database.read() as session:
        union = _Union.of(session, complaints)
    if union.added and not dry_run:
        with database.write() as session:  # read again: somebody may have written in between
            union = _Union.of(session, complaints)
            put_complaints(session, union.added, finding_of)
    by_dataset = Counter(each.dataset for each in union.added)
    remarks = (
        f"{counted(number, 'report')} of readers about dataset {dataset} added"
        for dataset, number in by_dataset.items()
    )
    return Merged("", "", refused=tuple(union.refused), remarks=tuple(remarks))


@dataclass
class _Union:
    """The reports of a file that are new here, and those that are refused."""

    added: list[Complaint] = field(default_factory=list)
    refused: list[str] = field(default_factory=list)

    @classmethod
    def of(cls, session: OpenReading, complaints: Iterable[Complaint]) -> "_Union":
        """Sort the reports of a file, the oldest first."""
        ordered = sorted(complaints, key=lambda each: each.id)
        names = {each.dataset for each in ordered} & {dataset.name for dataset in list_datasets(session)}
        keys = {name: {place.key for place in places_of(session, name)} for name in names}
        known = {_said(each) for name in names for each in complaints_about(session, name)}
        contents, ids = cases_with(session, [each.case for each in ordered]).keys(), complaint_ids(session)
        union = cls()
        for each in ordered:
            if _said(each) in known:
                continue
            lacks = each.key not in keys.get(each.dataset, ()) or each.case not in contents
            wrong = "is about a case that is not in this store; import its dataset first" if lacks else ""
            if wrong := wrong or _fault(each) or ("has the id of another one" if each.id in ids else ""):
                named = f"report {one_line(each.id, 40)} on case {one_line(each.key, 64)!r}"
                union.refused.append(f"{named} of dataset {one_line(each.dataset, 64)!r} {wrong}")
            else:
                known.add(_said(each))
                ids.add(each.id)
                union.added.append(each)
        return union


def _said(complaint: Complaint) -> tuple[str, str, str, str]:
    """What makes a report the same one, whoever imported it."""
    return complaint.dataset, complaint.key, complaint.text, complaint.link


def _fault(complaint: Complaint) -> str | None:
    """What is wrong with a report by itself."""
    if not is_event_id(complaint.id):
        return "was altered: its id has another form"
    if is_ahead(complaint.id, now_ms()):
        return "lies in the future: the clock of the machine that it comes from was ahead"
    if is_blank(complaint.text):
        return "has no text"
    fault = text_fault(complaint.text) or (link_fault(complaint.link) if complaint.link else None)
    return fault[0] if fault else None

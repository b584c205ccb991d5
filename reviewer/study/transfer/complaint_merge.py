"""Merges readers' reports in another store and dismissals there: each once, with its finding."""

from collections import Counter
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass, field

from reviewer.core.sanitize import counted, enumerated, is_blank, link_fault, one_line, text_fault
from reviewer.study.transfer.dismissal_merge import (
    DismissalNews,
    Dismissals,
    DismissedHere,
    by_content,
    said,
)
from reviewer.study.transfer.merge import Merged, is_ahead
from store.cases import list_datasets, places_of
from store.clock import is_event_id, next_id, now_ms
from store.complaints import complaint_ids, complaints_about, complaints_on, put_complaints
from store.database import Database
from store.dismissals import dataset_dismissal_ids, dismissals_on, put_dismissals
from store.records import Complaint, Finding
from store.row_records import OpenReading, portions
from store.studies import cases_with

FindingOf = Callable[[Sequence[Complaint]], Finding]


def merge_complaints(
    database: Database,
    complaints: Sequence[Complaint],
    dismissals: Dismissals,
    finding_of: FindingOf,
    *,
    vouched: bool,
    dry_run: bool = False,
) -> Merged:
    """Merge the reports and dismissals of a whole store about datasets that this store has too.

    ``vouched``: the file is a copy of this store, or the person who merges vouches for it. What is here
    stays. Each report opens the finding on its case, unless a dismissal came with it that covers all of them.
    Of a dismissal and a restoration of the same finding, the later one counts.
    """
    if not vouched:
        parts = (("report", len(complaints), "of readers"), ("dismissal", len(dismissals), "of findings"))
        named = [f"{counted(number, noun)} {what}" for noun, number, what in parts if number]
        why = (
            f"its {enumerated(named)}: the file is not a copy of this store, so it cannot prove who made "
            "them; if you vouch for it, give --trust"
        )
        return Merged("", "", refused=(why,))
    with database.read() as session:
        union, news = _union(session, complaints, dismissals, finding_of)
    if not dry_run and (union.added or len(news)):
        with database.write() as session:  # read again: somebody may have written in between
            union, news = _union(session, complaints, dismissals, finding_of)
            put_complaints(session, union.added, finding_of)
            put_dismissals(session, news.on_cases, news.on_datasets)
    by_dataset = Counter(each.dataset for each in union.added)
    remarks = [
        f"{counted(number, 'report')} of readers about dataset {dataset} added"
        for dataset, number in by_dataset.items()
    ]
    return Merged("", "", refused=(*union.refused, *news.refused), remarks=(*remarks, *news.remarks))


@dataclass
class _Union:
    """The reports of a file that are new here, and those that are refused."""

    added: list[Complaint] = field(default_factory=list)
    refused: list[str] = field(default_factory=list)

    @classmethod
    def of(
        cls,
        session: OpenReading,
        ordered: Sequence[Complaint],
        contents: Collection[str],
        closed: Mapping[str, Sequence[Complaint]],
    ) -> "_Union":
        """Sort the reports of a file, the oldest first; ``closed`` are those here that were dismissed."""
        names = {each.dataset for each in ordered} & {dataset.name for dataset in list_datasets(session)}
        keys = {name: {place.key for place in places_of(session, name)} for name in names}
        known = {said(each) for name in names for each in complaints_about(session, name)}
        ids, union = complaint_ids(session), cls()
        for each in ordered:
            if said(each) in known:
                continue
            lacks = each.key not in keys.get(each.dataset, ()) or each.case not in contents
            wrong = "is about a case that is not in this store; import its dataset first" if lacks else ""
            if wrong := wrong or _fault(each) or ("has the id of another one" if each.id in ids else ""):
                named = f"report {one_line(each.id, 40)} on case {one_line(each.key, 64)!r}"
                union.refused.append(f"{named} of dataset {one_line(each.dataset, 64)!r} {wrong}")
                continue
            known.add(said(each))
            union.added.append(_behind(each, closed.get(each.case, ()), ids))
            ids.add(union.added[-1].id)
        return union


def _behind(complaint: Complaint, dismissed: Sequence[Complaint], ids: Collection[str]) -> Complaint:
    """The report, with an id behind those that were dismissed here: a dismissal covers the oldest ones."""
    if not dismissed or complaint.id > dismissed[-1].id:
        return complaint
    return complaint.model_copy(update={"id": next_id(max(ids), now_ms())})


def _union(
    session: OpenReading, complaints: Sequence[Complaint], dismissals: Dismissals, finding_of: FindingOf
) -> tuple[_Union, DismissalNews]:
    """Sort the reports of a file, the oldest first, and its dismissals."""
    ordered, names = sorted(complaints, key=lambda each: each.id), {d.name for d in list_datasets(session)}
    cases = {each.case: None for each in ordered} | {each.case: None for each in dismissals.on_cases}
    contents = {digest for some in portions([*cases]) for digest in cases_with(session, some)}
    own = complaints_on(session, cases)
    dismissed = dismissals_on(session, cases)
    here = DismissedHere(contents, names, dismissed, dataset_dismissal_ids(session))
    reported = finding_of(ordered).check if ordered else ""
    closed = {each.case for each in dismissed.values() if each.check == reported and not each.restored}
    union = _Union.of(session, ordered, contents, {case: own[case] for case in closed & own.keys()})
    united = by_content([*(each for some in own.values() for each in some), *union.added])
    return union, DismissalNews.sorted(dismissals, here, reported, by_content(complaints), united)


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

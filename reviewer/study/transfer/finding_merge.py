"""Merges readers' reports of another store, which open findings, and sorts the dismissals there.

A report is merged once, with its finding. Of the dismissals some are new here; remarks say what keeps the
rest out. A dismissal of reports of readers covers the oldest ones on a content, as many as its version says.
The same reports may have other numbers here, so it gets the number that they have here. Where a report comes
between them that it does not cover, no number fits, and the finding stands.
"""

from collections import Counter
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Self

from reviewer.core.sanitize import agreeing, counted, enumerated, is_blank, link_fault, one_line, text_fault
from reviewer.study.transfer.merge import Merged, is_ahead
from store.cases import list_datasets, places_of
from store.clock import is_event_id, next_id, now_ms
from store.complaints import complaint_ids, complaints_about, complaints_on, put_complaints
from store.database import Database
from store.dismissals import FindingKey, dataset_dismissal_ids, dismissals_on, put_dismissals
from store.records import Complaint, DatasetDismissal, Dismissal, Finding
from store.row_records import OpenReading, portions
from store.studies import cases_with
from store.untrusted_store import UntrustedStore

Reports = Mapping[str, Sequence[Complaint]]
"""Case → the reports about it, oldest first."""


@dataclass
class Dismissals:
    """Dismissals of findings on cases, and of those about datasets."""

    on_cases: list[Dismissal] = field(default_factory=list)
    on_datasets: list[DatasetDismissal] = field(default_factory=list)

    @classmethod
    def of(cls, file: UntrustedStore) -> Self:
        """Those of a file."""
        return cls(file.dismissals(), file.dataset_dismissals())

    def __len__(self) -> int:
        return len(self.on_cases) + len(self.on_datasets)


@dataclass(frozen=True)
class DismissedHere:
    """This store's contents and datasets, and dismissals of findings on them."""

    contents: Collection[str]
    datasets: Collection[str]
    on_cases: Mapping[FindingKey, Dismissal]
    ids: Collection[str]

    def of(self, dismissal: Dismissal, *, of_reports: bool) -> Dismissal | None:
        """What dismissed or restored the same finding here; of reports also what covers more of them."""
        key = (dismissal.case, dismissal.check)
        own = self.on_cases.get((*key, dismissal.check_version))
        if own or dismissal.restored or not of_reports:
            return own
        covering = [own for own in self.on_cases.values() if (own.case, own.check) == key and own.why]
        return next((own for own in covering if own.check_version > dismissal.check_version), None)


@dataclass
class DismissalNews(Dismissals):
    """Dismissals that a file has and this store lacks, with refusals and remarks."""

    refused: list[str] = field(default_factory=list)
    remarks: list[str] = field(default_factory=list)
    _kept: int = 0
    _elsewhere: int = 0

    @classmethod
    def sorted(
        cls, theirs: Dismissals, here: DismissedHere, reported: str, there: Reports, united: Reports
    ) -> Self:
        """Sort those of a file. ``reported`` is the check of findings that come from reports."""
        news = cls()
        for each in theirs.on_cases:
            if each.case not in here.contents:
                news._elsewhere += 1
            elif each.check != reported:
                news._take(each, here.of(each, of_reports=False))
            elif numbered := covered_here(each, there.get(each.case, ()), united.get(each.case, ())):
                news._take(numbered, here.of(numbered, of_reports=True))
            else:
                news.remarks.append(_NOT_COVERED.format(one_line(each.case, 12)))
        for other in sorted(theirs.on_datasets, key=lambda one: one.id):
            if other.dataset not in here.datasets:
                news._elsewhere += 1
            elif other.id not in here.ids:
                news._take_about(other)
        news._say()
        return news

    def _take(self, dismissal: Dismissal, own: Dismissal | None) -> None:
        if own is None and dismissal.restored:
            return
        if own and not _is_later(dismissal, own):
            self._kept += bool(own.why and dismissal.why and own.why != dismissal.why)
        elif dismissal.restored:
            self.on_cases.append(dismissal)
        elif fault := _fault(dismissal.why):
            self.refused.append(f"the dismissal of {one_line(dismissal.check, 64)!r} {fault}")
        else:
            self.on_cases.append(dismissal)

    def _take_about(self, other: DatasetDismissal) -> None:
        fault = _fault_of_id(other.id) or (None if other.restored else _fault(other.why))
        if fault:
            named = f"{one_line(other.check, 64)!r} about dataset {one_line(other.dataset, 64)!r}"
            self.refused.append(f"the dismissal of {named} {fault}")
        else:
            self.on_datasets.append(other)

    def _say(self) -> None:
        restored = sum(each.restored for each in self.on_cases)
        if number := len(self.on_cases) - restored:
            self.remarks.append(f"{counted(number, 'dismissal')} of findings on cases added")
        if restored:
            self.remarks.append(f"{counted(restored, 'finding')} on cases restored, as in the other store")
        for dataset, number in Counter(each.dataset for each in self.on_datasets).items():
            words = counted(number, "decision")
            self.remarks.append(f"{words} to dismiss or restore a finding about dataset {dataset} added")
        if number := self._kept:
            was = f"{agreeing(number, 'was', 'were')} dismissed there for another reason"
            self.remarks.append(f"{counted(number, 'finding')} {was}; this store keeps its own")
        if number := self._elsewhere:
            is_about = f"{agreeing(number, 'is', 'are')} about cases or datasets that this store lacks"
            self.remarks.append(f"{counted(number, 'dismissal')} {is_about}")


_NOT_COVERED = (
    "the dismissal of reports on case {} was left out: here a report comes before them that it does not "
    "cover, so the finding stands"
)


def covered_here(
    dismissal: Dismissal, theirs: Sequence[Complaint], here: Sequence[Complaint]
) -> Dismissal | None:
    """A dismissal of reports with their number here; None if no number covers the same ones."""
    covered = {said(each) for each in theirs[: dismissal.check_version]}
    first = next((at for at, each in enumerate(here) if said(each) not in covered), len(here))
    if not first or any(said(each) in covered for each in here[first:]):
        return None
    return dismissal.model_copy(update={"check_version": first})


def said(complaint: Complaint) -> tuple[str, str, str, str]:
    """What makes a report the same one, whoever imported it."""
    return complaint.dataset, complaint.key, complaint.text, complaint.link


def by_content(complaints: Iterable[Complaint]) -> dict[str, list[Complaint]]:
    """The reports about each content, oldest first."""
    contents: dict[str, list[Complaint]] = {}
    for each in sorted(complaints, key=lambda complaint: complaint.id):
        contents.setdefault(each.case, []).append(each)
    return contents


def _is_later(dismissal: Dismissal, own: Dismissal) -> bool:
    """Whether it replaces the dismissal here: a dismissal keeps its own reason, so one of the two is a
    restoration.
    """
    return dismissal.restored != own.restored and dismissal.at > own.at


def _fault(why: str) -> str | None:
    if is_blank(why):
        return "has no reason"
    fault = text_fault(why)
    return fault[0] if fault else None


def _fault_of_id(name: str) -> str | None:
    if not is_event_id(name):
        return "was altered: its id has another form"
    ahead = "lies in the future: the clock of the machine that it comes from was ahead"
    return ahead if is_ahead(name, now_ms()) else None


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
            if (
                wrong := wrong
                or _fault_of_complaint(each)
                or ("has the id of another one" if each.id in ids else "")
            ):
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


def _fault_of_complaint(complaint: Complaint) -> str | None:
    """What is wrong with a report by itself."""
    if not is_event_id(complaint.id):
        return "was altered: its id has another form"
    if is_ahead(complaint.id, now_ms()):
        return "lies in the future: the clock of the machine that it comes from was ahead"
    if is_blank(complaint.text):
        return "has no text"
    fault = text_fault(complaint.text) or (link_fault(complaint.link) if complaint.link else None)
    return fault[0] if fault else None

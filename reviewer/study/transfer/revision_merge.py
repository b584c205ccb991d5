"""Merges revisions that were made in another store: a union by digest, which no order of merges changes."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field

from reviewer.core.sanitize import counted, one_line
from reviewer.study.integrity.revision_checks import can_be_undone
from reviewer.study.transfer.merge import Merged, is_ahead
from store.clock import is_event_id, now_ms
from store.database import Database
from store.records import Case, Revision
from store.revisions import PlaceHistory, PlaceNow, places_now, put_revisions, revision_ids

_Place = tuple[str, str]


@dataclass
class _Union:
    """The revisions of a file, sorted into those that are new, those that are here, and refused ones."""

    here: Mapping[_Place, PlaceNow]
    cases: Mapping[str, Case]
    ids: set[str]
    added: list[Revision] = field(default_factory=list)
    known: int = 0
    refused: list[str] = field(default_factory=list)

    def take(self, revisions: Iterable[Revision]) -> None:
        """Sort them, the oldest first, so that each comes after the one that it follows."""
        known = {step.digest for now in self.here.values() for step in now.history.revisions}
        for step in sorted(revisions, key=lambda step: step.id):
            if step.digest in known:
                self.known += 1
            elif wrong := self._fault(step, known) or (
                "has the id of another one" if step.id in self.ids else ""
            ):
                self.refused.append(
                    f"revision {one_line(step.id, 40)} of case {one_line(step.key, 64)!r} of dataset "
                    f"{step.dataset!r} {wrong}"
                )
            else:
                known.add(step.digest)
                self.ids.add(step.id)
                self.added.append(step)

    def _fault(self, step: Revision, known: set[str]) -> str | None:
        now = self.here.get((step.dataset, step.key))
        if now is None:
            return "is of a case that is not in this store; import its dataset first"
        if not is_event_id(step.id) or step.digest != step.content_digest() or not can_be_undone(step):
            return "was altered"
        if is_ahead(step.id, now_ms()):
            return "lies in the future: the clock of the machine that it comes from was ahead"
        if fault := next(
            filter(None, (self._content_fault(digest, now) for digest in _contents(step))), None
        ):
            return fault
        if step.parent == step.case_before:
            first = now.history.first_case if now.history.revisions else now.place.case
            return None if step.parent == first else "begins with other content than the case has here"
        if not {step.parent, *step.settles} <= known:
            return "follows a revision that is neither here nor accepted"
        return None

    def _content_fault(self, digest: str, now: PlaceNow) -> str | None:
        case = self.cases.get(digest)
        if case is None or not case.is_whole:
            return "has content that is missing or was altered"
        if (case.protocol, case.group) != (now.case.protocol, now.case.group):
            return "has content of another protocol or group"
        return None


def merge_revisions(
    database: Database,
    revisions: Sequence[Revision],
    cases: Mapping[str, Case],
    *,
    vouched: bool,
    dry_run: bool = False,
) -> Merged:
    """Merge the revisions of a whole store. ``cases`` are the contents that they name.

    ``vouched``: the file is a copy of this store, or the person who merges vouches for it. A place whose
    newest revisions differ after the merge keeps its content until somebody settles the conflict.
    """
    if not vouched:
        why = (
            f"its {counted(len(revisions), 'revision')}: the file is not a copy of this store, so it cannot "
            "prove who made them; if you vouch for it, give --trust"
        )
        return Merged("", "", refused=(why,))
    places = {(step.dataset, step.key) for step in revisions}
    with database.read() as session:
        union = _Union(places_now(session, places), cases, revision_ids(session))
    union.take(revisions)
    if union.added and not dry_run:
        with database.write() as session:
            union = _Union(places_now(session, places), cases, revision_ids(session))
            union.take(revisions)
            put_revisions(session, union.added, cases)
    return Merged(
        "",
        "",
        revisions=len(union.added),
        known=0,
        refused=tuple(union.refused),
        remarks=tuple(_remarks(union)),
    )


def _remarks(union: _Union) -> Iterable[str]:
    by_dataset: dict[str, int] = {}
    for step in union.added:
        by_dataset[step.dataset] = by_dataset.get(step.dataset, 0) + 1
    for dataset, count in by_dataset.items():
        yield f"{counted(count, 'revision')} of dataset {dataset} added"
    for (dataset, key), now in union.here.items():
        new = [step for step in union.added if (step.dataset, step.key) == (dataset, key)]
        if new and PlaceHistory(dataset, key, (*now.history.revisions, *new)).in_conflict:
            yield (
                f"case {key!r} of dataset {dataset} was revised here and there, and keeps the content that "
                f"it has here until you choose: reviewer datasets settle {dataset}"
            )


def _contents(step: Revision) -> list[str]:
    return [digest for digest in (step.case_before, step.case_after) if digest is not None]

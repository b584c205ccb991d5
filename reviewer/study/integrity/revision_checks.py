"""Checks the revisions of a store: digests, parents, the content that they name, and the content in place."""

from collections.abc import Container, Iterable, Iterator, Mapping, Sequence

from pydantic import ValidationError

from reviewer.core.sanitize import one_line
from store.clock import is_event_id
from store.records import Membership, PublishedPlace, ReplacedFields, Revision
from store.revisions import PlaceHistory

Histories = Mapping[tuple[str, str], PlaceHistory]
_HeldPlaces = Mapping[tuple[str, str], Membership]


def revision_faults(
    histories: Histories, places: Iterable[Membership], cases: Container[str]
) -> Iterator[tuple[str, str]]:
    """Every fault as the place and a description. ``cases`` are those of ``cases_named`` that are stored."""
    held = {at: place for place in places if (at := (place.dataset, place.key)) in histories}
    for history in histories.values():
        for step in history.revisions:
            where = f"revision {one_line(step.id, 40)} of case {one_line(step.key, 64)!r}"
            yield from ((where, wrong) for wrong in _faults(step, history, cases))
        if wrong := _wrong_in_place(history, held):
            yield f"case {one_line(history.key, 64)!r} of {one_line(history.dataset, 64)!r}", wrong


def histories_of(revisions: Iterable[Revision]) -> dict[tuple[str, str], PlaceHistory]:
    """(dataset, key) → history, from revisions in any order."""
    steps: dict[tuple[str, str], list[Revision]] = {}
    for step in sorted(revisions, key=lambda step: step.id):
        steps.setdefault((step.dataset, step.key), []).append(step)
    return {place: PlaceHistory(*place, tuple(some)) for place, some in steps.items()}


def cases_named(histories: Histories) -> set[str]:
    """The digests of the contents that revisions name."""
    steps = (step for history in histories.values() for step in history.revisions)
    return {digest for step in steps for digest in (step.case_before, step.case_after) if digest is not None}


def places_at(places: Iterable[PublishedPlace], histories: Histories, at: str) -> list[PublishedPlace]:
    """The places as they were at an instant, before the later revisions; "" for before all of them."""
    return [
        _place_at(place, history.revisions, at)
        if (history := histories.get((place.dataset, place.key)))
        else place
        for place in places
    ]


def _place_at(place: PublishedPlace, steps: Sequence[Revision], at: str) -> PublishedPlace:
    earlier = PlaceHistory(place.dataset, place.key, tuple(step for step in steps if step.created <= at))
    case = _content(earlier.newest[-1]) if earlier.newest else steps[0].case_before
    if case == place.case:
        return place
    fields = next((step.replaced for step in reversed(steps) if step.case_before == case), {})
    return place.model_copy(update={**fields, "case": case})


def can_be_undone(step: Revision) -> bool:
    """Whether the fields that a revision replaced are those of a place."""
    try:
        ReplacedFields.model_validate(step.replaced)
    except ValidationError:
        return False
    return True


def _faults(step: Revision, history: PlaceHistory, cases: Container[str]) -> Iterator[str]:
    if not is_event_id(step.id):
        yield "has an id that no release writes"
    if step.digest != step.content_digest() or not can_be_undone(step):
        yield "was altered: its digest does not match its content, or it replaced no place"
    yield from (
        f"names content {digest[:12]}, which is not in the store"
        for digest in (step.case_before, step.case_after)
        if digest is not None and digest not in cases
    )
    earlier = {other.digest: other for other in history.revisions if other.id != step.id}
    if step.parent != step.case_before and step.parent not in earlier:
        yield "follows a revision that is not in the store"
    yield from (
        f"settles revision {one_line(digest, 12)}, which is not in the store"
        for digest in step.settles
        if digest not in earlier
    )
    followed = [earlier[digest] for digest in (step.parent, *step.settles) if digest in earlier]
    if followed and step.case_before not in {_content(other) for other in followed}:
        yield "does not begin with the content of the revision that it follows"


def _wrong_in_place(history: PlaceHistory, held: _HeldPlaces) -> str | None:
    place = held.get((history.dataset, history.key))
    if place is None:
        return "has revisions, but its place is not in the store"
    if history.newest and place.case not in {_content(step) for step in history.newest}:
        return "holds other content than its newest revision"
    return None


def _content(step: Revision) -> str:
    """The content at the place after a revision. A withdrawal leaves what was there."""
    return step.case_before if step.case_after is None else step.case_after

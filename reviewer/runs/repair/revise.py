"""Repairs, withdraws and reverts a case at its place. Each is one short transaction and one revision.

Who may do so is decided in ``reviewer.study.session.content_rights``, which the front ends ask first.
"""

from collections.abc import Mapping, Sequence

from reviewer.core.errors import RequestError
from reviewer.core.names import checked_name
from reviewer.core.sanitize import is_blank, one_line, too_long
from store.cases import get_case
from store.database import Database
from store.records import Case, JsonValue, Proposer, Revision
from store.revisions import PlaceHistory, PlaceNow, append_revision, place_now, place_to_change


def read_place(database: Database, dataset: str, key: str) -> PlaceNow:
    """The place as it is now. Its ``parent`` is the value that a repair must give as ``expected``."""
    with database.read() as session:
        return place_now(session, dataset, key)


def revise(
    database: Database,
    dataset: str,
    key: str,
    case: Case,
    *,
    expected: str,
    author: str,
    reason: str,
    resolves: Sequence[Mapping[str, JsonValue]] = (),
    proposed_by: Proposer = "person",
    before: Mapping[str, JsonValue] | None = None,
    after: Mapping[str, JsonValue] | None = None,
) -> Revision:
    """Put new content at a place; raises RequestError and StoreError, and then nothing is written.

    ``expected`` is the ``parent`` of the place when its content was read: if somebody changed the place since
    then, the repair is refused. ``resolves`` names findings by check and program. ``before`` and ``after``
    are what was measured on the two contents.
    """
    said = checked_words(author, reason)
    with database.write() as session:
        now = place_to_change(session, dataset, key, expected)
        _check_content(now, case)
        return append_revision(
            session,
            now,
            case,
            kind="repair",
            resolves=[dict(finding) for finding in resolves],
            proposed_by=proposed_by,
            before=dict(before or {}),
            after=dict(after or {}),
            **said,
        )


def withdraw(
    database: Database,
    dataset: str,
    key: str,
    *,
    expected: str,
    author: str,
    reason: str,
    resolves: Sequence[Mapping[str, JsonValue]] = (),
) -> Revision:
    """Withdraw a case: its content stays at its place, but new studies do not draw it."""
    said = checked_words(author, reason)
    with database.write() as session:
        now = place_to_change(session, dataset, key, expected)
        if now.history.withdrawn:
            raise RequestError(f"case {_named(now)} is withdrawn already; see {_see_history(now)}.")
        findings = [dict(finding) for finding in resolves]
        return append_revision(session, now, None, kind="withdrawal", resolves=findings, **said)


def revert(
    database: Database, dataset: str, key: str, *, to: str | None, expected: str, author: str, reason: str
) -> Revision:
    """Bring back the content of an earlier revision, or the first content if ``to`` is "first".

    ``to`` is the beginning of a revision's id, or None for the state before the newest revision.
    """
    said = checked_words(author, reason)
    with database.write() as session:
        now = place_to_change(session, dataset, key, expected)
        digest = content_of(now, to)
        if digest == now.place.case and not now.history.withdrawn:
            raise RequestError(f"case {_named(now)} has this content already; see {_see_history(now)}.")
        return append_revision(session, now, get_case(session, digest), kind="revert", **said)


def settle(
    database: Database, dataset: str, key: str, *, choice: str, expected: str, author: str, reason: str
) -> Revision:
    """End a conflict of several newest revisions by choosing one of them, by the beginning of its id."""
    said = checked_words(author, reason)
    with database.write() as session:
        now = place_to_change(session, dataset, key, expected, settling=True)
        if not now.history.in_conflict:
            raise RequestError(f"case {_named(now)} has no conflict; see {_see_history(now)}.")
        chosen = step_with_id(PlaceHistory(dataset, key, now.history.newest), choice)
        case = None if chosen.case_after is None else get_case(session, chosen.case_after)
        return append_revision(session, now, case, kind="settlement", **said)


def content_of(now: PlaceNow, reference: str | None) -> str:
    """The digest of an earlier content: after a revision, the ``first`` one, or before the newest revision.

    Raises RequestError if there is none.
    """
    history = now.history
    if not history.revisions:
        raise RequestError(f"case {_named(now)} was never revised, so it has no earlier content.")
    if reference is None:
        return history.newest[-1].case_before
    if reference == "first":
        return history.first_case
    step = step_with_id(history, reference)
    return step.case_before if step.case_after is None else step.case_after


def step_with_id(history: PlaceHistory, reference: str) -> Revision:
    """The revision whose id begins with the reference; raises RequestError unless there is exactly one."""
    steps = [step for step in history.revisions if step.id.startswith(reference)]
    if reference and len(steps) == 1:
        return steps[0]
    wrong = "is the beginning of several revisions" if reference and steps else "is not a revision"
    raise RequestError(
        f"{one_line(reference, 40)!r} {wrong} of case {history.key!r} of {history.dataset!r}; "
        f"see `reviewer datasets history {history.dataset} {history.key}`."
    )


def checked_words(author: str, reason: str) -> dict[str, JsonValue]:
    """Author and reason; raises RequestError for a name that is none, or without a reason."""
    checked_name("author", author)
    if is_blank(reason):
        raise RequestError("a change of content needs a reason; say in a few words why.")
    if long := too_long(reason.strip()):
        raise RequestError(f"the reason has {long}; shorten it.")
    return {"author": author, "reason": reason.strip()}


def _check_content(now: PlaceNow, case: Case) -> None:
    if not case.is_whole or case.protocol != now.case.protocol or case.group != now.case.group:
        raise RequestError(f"the new content of case {_named(now)} is not a whole case of its group.")
    if case.digest == now.place.case and not now.history.withdrawn:
        raise RequestError(f"nothing changed in case {_named(now)}, so nothing was saved.")


def _named(now: PlaceNow) -> str:
    return f"{now.place.key!r} of {now.place.dataset!r}"


def _see_history(now: PlaceNow) -> str:
    return f"`reviewer datasets history {now.place.dataset} {now.place.key}`"

"""Closing a study and opening it again, and which events came after the closing."""

from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import partial

from reviewer.core.errors import RequestError
from reviewer.core.names import checked_name
from reviewer.core.sanitize import counted, is_blank, text_fault
from reviewer.study.design.leads import check_store_of_lead
from reviewer.study.design.study_bundle import StudyBundle
from reviewer.study.integrity.count_signing import making_count
from reviewer.study.session.blinding import why_not_direct, why_not_reopen
from reviewer.study.session.rater_progress import owed, owed_in_words, progress_of
from reviewer.study.transfer.answer_reports import late_answers
from store.database import Database
from store.records import Event, StudyAct
from store.signed_counts import save_next_count
from store.study_log import add_act


def close_study(database: Database, name: str, who: str, why: str = "", *, anyway: bool = False) -> StudyAct:
    """Take no more verdicts. Raises RequestError if raters have not finished, unless ``anyway`` is set."""
    check_store_of_lead(database, name, "close a study", "a study is closed")
    progress = progress_of(database, name)
    if reason := why_not_direct(progress, who):
        raise RequestError(reason)
    unfinished = owed(progress)
    if unfinished and not anyway:
        raise RequestError(
            f"study {name!r} is not finished: {owed_in_words(progress)}; "
            "to close it nevertheless, give --anyway."
        )
    checked_name("lead", who)
    act = add_act(
        database,
        name,
        "close",
        who,
        checked_reason(why),
        unfinished=unfinished,
        also=partial(save_next_count, name, making_count("close")),
    )
    if act is None:
        raise RequestError(f"study {name!r} is already closed; see `reviewer study show {name}`.")
    return act


def reopen_study(database: Database, name: str, who: str, why: str) -> StudyAct:
    """Take verdicts again, including those that came late. The reason is required."""
    check_store_of_lead(database, name, "open a study again", "a study is opened again")
    if reason := why_not_reopen(progress_of(database, name), who):
        raise RequestError(reason)
    checked_name("lead", who)
    if not checked_reason(why):
        raise RequestError("opening a closed study again needs a reason; give one with --why.")
    act = add_act(database, name, "reopen", who, checked_reason(why))
    if act is None:
        raise RequestError(f"study {name!r} is open; there is nothing to open again.")
    return act


def checked_reason(text: str) -> str:
    """The reason without surrounding blanks; "" if it has no visible character.

    Raises RequestError if it holds a character that cannot be kept or is too long.
    """
    if fault := text_fault(text.strip()):
        raise RequestError(f"the reason {'; '.join(fault)}.")
    return "" if is_blank(text) else text.strip()


def late_events(bundle: StudyBundle, events: Iterable[Event]) -> list[Event]:
    """Raters' events that the ledger did not hold when the study was closed, whenever they were made.

    While a study is open, no event is late. A lead opens a study again in order to count late verdicts.
    """
    is_late = late_for(bundle)
    return [event for event in events if is_late(event)]


def late_for(bundle: StudyBundle) -> Callable[[Event], bool]:
    """Whether an event of the study is late."""
    closing = last_closing(bundle.acts)
    if closing is None:
        return lambda _event: False
    held = frozenset(closing.held)
    return lambda event: event.kind != "adjudication" and event.id not in held


def late_in_words(bundle: StudyBundle, events: Iterable[Event]) -> list[str]:
    """A sentence on late events, if there are any."""
    return late_counts_in_words(Counter(event.rater for event in late_events(bundle, events)))


def late_counts_in_words(counts: Mapping[str, int]) -> list[str]:
    """The same, from the number of late events of each rater."""
    if not counts:
        return []
    whose = ", ".join(f"{counted(count, 'event')} of {rater}" for rater, count in sorted(counts.items()))
    return [late_answers(whose)]


def raters_events(bundle: StudyBundle, events: Sequence[Event]) -> list[Event]:
    """Raters' events without the late ones. All numbers and labels are computed from these."""
    late = {event.id for event in late_events(bundle, events)}
    return [event for event in events if event.kind != "adjudication" and event.id not in late]


def last_closing(acts: Sequence[StudyAct]) -> StudyAct | None:
    """The act that closed the study; None while it is open."""
    states = [act for act in acts if act.kind in ("close", "reopen")]
    return states[-1] if states and states[-1].kind == "close" else None

"""The lead of a study: naming one in the store that the study was made in, and their answers to remarks."""

from reviewer.core.errors import RequestError
from reviewer.core.names import checked_name
from reviewer.core.sanitize import strange_character, too_long
from reviewer.study.session.blinding import why_not_lead, why_not_warnings
from reviewer.study.session.rater_progress import progress_of
from store.database import Database
from store.database_users import current_seat
from store.records import StudyAct
from store.studies import secret_of
from store.study_log import add_act


def name_lead(database: Database, study: str, lead: str, who: str) -> StudyAct:
    """Record that ``lead`` leads the study, as ``who`` says. Raises RequestError if that is refused."""
    check_store_of_lead(database, study, "name a lead", "a lead is named")
    progress = progress_of(database, study)
    checked_name("lead", who)
    if checked_name("lead", lead) in progress.leads:
        raise RequestError(f"{lead!r} already leads study {study!r}; see `reviewer study show {study}`.")
    if reason := why_not_lead(progress, lead):
        raise RequestError(reason.rstrip("."))
    act = add_act(database, study, "lead", who, "", subject=lead)
    assert act is not None
    return act


def check_store_of_lead(database: Database, study: str, deed: str, done: str) -> None:
    """Raise RequestError in a pack, and for a rater's database user on a server: no ``deed`` there."""
    with database.read() as session:
        seat = current_seat(session, study) if database.on_server else None
        if seat is not None:
            raise RequestError(
                f"your database user is rater {seat.rater!r} of study {study!r}; only the owner of the store "
                f"can {deed}."
            )
        is_pack = secret_of(session, study) is None
    if is_pack:
        progress_of(database, study)  # refuses an unknown study
        raise RequestError(
            f"study {study!r} came here in a pack; {done} in the store that the pack was made in."
        )


def answer_remark(database: Database, study: str, event: str, who: str, text: str) -> StudyAct:
    """Record the answer to the remark of this event; "" says that it is dealt with. Raises RequestError."""
    check_store_of_lead(database, study, "answer a comment", "a comment is answered")
    if refused := why_not_warnings(database, progress_of(database, study), checked_name("lead", who)):
        raise RequestError(refused)
    if strange := strange_character(text):
        raise RequestError(f"the answer holds {strange}, which cannot be kept; take it out.")
    if long := too_long(text):
        raise RequestError(f"the answer has {long}; shorten it.")
    act = add_act(database, study, "answer", who, text, subject=event)
    assert act is not None
    return act

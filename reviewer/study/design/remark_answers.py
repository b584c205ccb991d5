"""What the lead answers to a rater's comment, flag or note, or that it is dealt with."""

from reviewer.core.errors import RequestError
from reviewer.core.names import checked_name
from reviewer.core.sanitize import strange_character, too_long
from reviewer.study.design.leads import check_store_of_lead
from reviewer.study.session.blinding import why_not_warnings
from reviewer.study.session.rater_progress import progress_of
from store.database import Database
from store.records import StudyAct
from store.study_log import add_act


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

"""What an adjudicator has still to decide."""

from collections.abc import Iterator, Mapping

from reviewer.study.adjudication.adjudication_session import disputes
from reviewer.study.adjudication.decisions import Decisions
from reviewer.study.design.study_bundle import load_study
from reviewer.study.integrity.quarantine import fitting_events
from reviewer.study.session.blinding import adjudicates
from reviewer.study.session.rater_progress import progress_of
from reviewer.study.session.verdicts import Slot
from store.database import Database
from store.ledger import Ledger
from store.studies import studies_with_case


def undecided_questions(database: Database, person: str, case: str) -> Mapping[str, frozenset[str]]:
    """Study → the questions about a case that this person adjudicates there and that are not decided."""
    with database.read() as session:
        names = studies_with_case(session, case)
    undecided = {
        name: frozenset(slot.question for slot in undecided_slots(database, name) if slot.case == case)
        for name in names
        if adjudicates(database, name, person)
    }
    return {study: questions for study, questions in undecided.items() if questions}


def undecided_slots(database: Database, study: str) -> Iterator[Slot]:
    """The questions about cases of a study that are disputed and not decided.

    As long as answers are missing, each question about each case may be disputed yet.
    """
    bundle = load_study(database, study, late=True)
    events = fitting_events(bundle, Ledger(database).differing(study))
    decisions = Decisions(bundle, events)
    disputed = {dispute.item_votes.slot for dispute in disputes(bundle, events)}
    ended = bundle.study.closed_at is not None or progress_of(database, study).finished
    for slot in (slot for question in bundle.questions for slot in bundle.slots(question)):
        decision = decisions.at(slot)
        if (slot in disputed or not ended) and (decision is None or decision.label is None):
            yield slot

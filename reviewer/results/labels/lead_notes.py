"""What the lead of a study should do next: sentences that raters with open cases never see."""

from collections.abc import Sequence
from dataclasses import dataclass

from reviewer.core.sanitize import counted, enumerated
from reviewer.results.labels.rater_work import remarks_of
from reviewer.results.labels.stopping import claim_in_short, claims, claims_in_words
from reviewer.study.adjudication.adjudication_session import disputes
from reviewer.study.adjudication.decisions import Decisions
from reviewer.study.design.asking_third_votes import third_votes_in_words
from reviewer.study.design.study_bundle import StudyBundle
from reviewer.study.integrity.quarantine import read_study
from reviewer.study.session.blinding import why_not_claims, why_not_others_answers
from reviewer.study.session.label_rows import label_rows
from reviewer.study.session.rater_progress import StudyProgress
from store.database import Database
from store.records import Event


@dataclass(frozen=True, slots=True)
class LeadNotes:
    """Sentences on third votes and on the claim of a stop rule, and that claim in a few words."""

    sentences: tuple[str, ...] = ()
    short: str = ""


NO_NOTES = LeadNotes()


def lead_notes(
    progress: StudyProgress, person: str, bundle: StudyBundle, events: Sequence[Event]
) -> LeadNotes:
    """What this person, who may see warnings about raters, is told besides."""
    if not bundle.design.needs_its_lead or (bundle.design.stop and why_not_claims(progress, person)):
        return NO_NOTES
    made = claims(bundle, events)
    third = third_votes_in_words(bundle, label_rows(bundle, events))
    return LeadNotes((*claims_in_words(made), *third), claim_in_short(made))


def what_waits(database: Database, progress: StudyProgress, person: str) -> str:
    """A sentence on the disputes and remarks that wait for somebody, as far as this person may see them.

    "" if nothing waits, or nothing may be seen yet. Raises ReviewerError.
    """
    if why_not_others_answers(database, progress, person):
        return ""
    bundle, events = read_study(database, progress.study.name)
    decisions = Decisions(bundle, events)
    found = [decisions.at(dispute.item_votes.slot) for dispute in disputes(bundle, events)]
    counts = {
        "dispute": sum(decision is None or decision.label is None for decision in found),
        "remark": sum(remark.answer is None for remark in remarks_of(bundle, events)),
    }
    waiting = [counted(count, noun) for noun, count in counts.items() if count]
    return f"Not dealt with yet: {enumerated(waiting)}." if waiting else ""

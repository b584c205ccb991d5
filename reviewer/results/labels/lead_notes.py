"""What the lead of a study should do next: sentences that raters never see."""

from collections.abc import Sequence
from dataclasses import dataclass

from reviewer.results.labels.stopping import claim_in_short, claims, claims_in_words
from reviewer.study.design.asking_third_votes import third_votes_in_words
from reviewer.study.design.study_bundle import StudyBundle
from reviewer.study.session.blinding import why_not_claims
from reviewer.study.session.label_rows import label_rows
from reviewer.study.session.rater_progress import StudyProgress
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

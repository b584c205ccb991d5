"""What the lead of a study should do next: sentences that raters with open cases never see."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from reviewer.core.sanitize import agreeing, counted, enumerated
from reviewer.results.labels.rater_warnings import rater_warnings
from reviewer.results.labels.rater_work import remarks_of
from reviewer.results.labels.stopping import claim_in_short, claims, claims_in_words
from reviewer.study.adjudication.adjudication_session import disputes
from reviewer.study.adjudication.decisions import Decisions
from reviewer.study.design.asking_third_votes import third_votes_in_words
from reviewer.study.design.study_bundle import StudyBundle
from reviewer.study.integrity.quarantine import read_study
from reviewer.study.session.blinding import why_not_claims, why_not_others_answers, why_not_warnings
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
    """A sentence on what waits for somebody, and one on raters in doubt, as far as this person may see them.

    "" if nothing waits, or nothing may be seen yet. Raises ReviewerError.
    """
    answers = not why_not_others_answers(database, progress, person)
    work = not why_not_warnings(database, progress, person)
    if not (answers or work):
        return ""
    bundle, events = read_study(database, progress.study.name)
    disputed = _undecided(bundle, events) if answers else 0
    said = sum(remark.answer is None for remark in remarks_of(bundle, events))
    waiting = [counted(disputed, "dispute")] if disputed else []
    if said:
        waiting.append(f"{said:,} {agreeing(said, 'comment, flag or note', 'comments, flags and notes')}")
    told = [f"Not dealt with yet: {enumerated(waiting)}."] if waiting else []
    return " ".join([*told, *(_warned_of(bundle, events) if work else ())])


def _undecided(bundle: StudyBundle, events: Sequence[Event]) -> int:
    """How many disputes have no final label."""
    decisions = Decisions(bundle, events)
    found = [decisions.at(dispute.item_votes.slot) for dispute in disputes(bundle, events)]
    return sum(decision is None or decision.label is None for decision in found)


def _warned_of(bundle: StudyBundle, events: Sequence[Event]) -> Iterator[str]:
    """Which raters have warnings, for somebody who may see these."""
    names = dict.fromkeys(warning.rater for warning in rater_warnings(bundle, label_rows(bundle, events)))
    if names:
        yield f"There are warnings about {enumerated([*names])}: see the progress."

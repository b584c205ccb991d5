"""What the lead of a study follows while raters work: speed, labels, remarks that wait for an answer.

Notes say what the lead should do next. Raters with open cases never see them.
"""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from statistics import median
from typing import Final, Literal

from reviewer.core.question import Question, families
from reviewer.core.sanitize import agreeing, counted, enumerated
from reviewer.results.labels.rater_warnings import rater_warnings
from reviewer.results.labels.stopping import claim_in_short, claims, claims_in_words
from reviewer.study.adjudication.adjudication_session import disputes
from reviewer.study.adjudication.decisions import Decisions
from reviewer.study.design.asking_third_votes import third_votes_in_words
from reviewer.study.design.study_bundle import StudyBundle
from reviewer.study.integrity.quarantine import read_study
from reviewer.study.session.blinding import why_not_claims, why_not_others_answers, why_not_warnings
from reviewer.study.session.label_rows import LabelRow, label_rows
from reviewer.study.session.rater_progress import StudyProgress
from reviewer.study.session.verdicts import History, Slot, confidence_in
from store.database import Database
from store.records import Event, StudyAct, StudyCase

_FEWEST_FOR_PACE: Final = 10
_SHORTEST: Final = 3600.0
"""Seconds of work below which its speed says nothing about days."""
RemarkKind = Literal["comment", "flag", "note"]


@dataclass(frozen=True, slots=True)
class QuestionWork:
    """One rater's work on one question.

    ``done`` labels ``of`` those that are owed; median ``seconds`` an answer (None: not measured); the share
    of answers that are the question's first label (None: no answer, or no labels).
    """

    question: Question
    done: int
    of: int
    seconds: float | None
    first_label: float | None
    flags: int
    comments: int


@dataclass(frozen=True, slots=True)
class RaterWork:
    """One rater's work by question, and when they last wrote anything ("" if they have not)."""

    rater: str
    questions: tuple[QuestionWork, ...]
    last_seen: str


@dataclass(frozen=True, slots=True)
class Remark:
    """A comment, flag or note of a rater, with what the lead answered (None: it is open)."""

    event: str
    rater: str
    kind: RemarkKind
    question: Question
    place: StudyCase
    text: str
    at: str
    answer: StudyAct | None


def rater_work(
    bundle: StudyBundle, rows: Sequence[LabelRow], events: Iterable[Event]
) -> tuple[RaterWork, ...]:
    """Every rater's work, from all rows of a study; raters in the order of their names."""
    seen: dict[str, str] = {}
    for event in events:
        if event.kind != "adjudication":
            seen[event.rater] = max(seen.get(event.rater, ""), event.at)
    return tuple(
        RaterWork(rater, tuple(_questions(bundle, rater, rows)), seen.get(rater, ""))
        for rater in sorted(
            {person.rater for person in bundle.raters if person.role == "rater"} | seen.keys()
        )
    )


def _questions(bundle: StudyBundle, rater: str, rows: Sequence[LabelRow]) -> Iterator[QuestionWork]:
    asked = bundle.as_asked(rater)
    own = [row for row in rows if row.rater == rater]
    for family in families(bundle.questions):
        question = family[0]
        slots = {slot for entry in family for slot in asked.slots(entry)}
        here = [row for row in own if row.verdict.slot in slots]
        labelled = [row for row in here if row.label is not None]
        times = [
            event.active_ms / 1000
            for row in labelled
            if (event := row.verdict.event) is not None and event.active_ms is not None
        ]
        first = question.labels[0] if question.answer_kind.is_label else None
        yield QuestionWork(
            question,
            len(labelled),
            len(slots),
            median(times) if times else None,
            sum(row.label == first for row in labelled) / len(labelled) if first and labelled else None,
            sum(row.verdict.flagged for row in here),
            sum(bool(row.verdict.comment) for row in here),
        )


def remarks_of(bundle: StudyBundle, events: Iterable[Event]) -> tuple[Remark, ...]:
    """The comments, flags and notes that count; open ones first, newest first."""
    answers = {act.subject: act for act in bundle.acts if act.kind == "answer"}
    questions = {question.key: question for question in bundle.questions}
    by_rater: dict[str, History] = {}
    for event in events:
        if event.kind != "adjudication":
            by_rater.setdefault(event.rater, History()).add(event)
    remarks = [
        Remark(
            event.id,
            rater,
            kind,
            questions[event.question],
            bundle.places[event.case],
            "" if kind == "flag" else event.value or "",
            event.at,
            answers.get(event.id),
        )
        for rater, history in by_rater.items()
        for slot in history.slots()
        for kind, event in _written(history, slot)
        if event.question in questions and event.case in bundle.places
    ]
    newest_first = sorted(remarks, key=lambda remark: remark.event, reverse=True)
    return tuple(sorted(newest_first, key=lambda remark: remark.answer is not None))


def _written(history: History, slot: Slot) -> Iterator[tuple[RemarkKind, Event]]:
    """What counts of a rater's comments and flags at a slot, and their notes."""
    if (comment := history.current(slot, "comment")) and comment.value:
        yield "comment", comment
    if (flag := history.current(slot, "flag")) and flag.value:
        yield "flag", flag
    for key in history.heads(slot, "note"):
        note = history.events[key]
        if note.value and note.phase == "before" and not confidence_in(note):
            yield "note", note


def expected_end(events: Sequence[Event], done: int, owed: int) -> datetime | None:
    """When all verdicts will be given at the speed so far (UTC); None with few answers or nothing owed."""
    times = sorted(event.at for event in events if event.kind == "label")
    if done < _FEWEST_FOR_PACE or done >= owed or len(times) < _FEWEST_FOR_PACE:
        return None
    begun, last = (datetime.fromisoformat(times[at]) for at in (0, -1))
    spent = (last - begun).total_seconds()
    return last + timedelta(seconds=spent * (owed - done) / done) if spent >= _SHORTEST else None


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

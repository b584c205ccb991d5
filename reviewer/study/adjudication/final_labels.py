"""The final label of every item: adjudicated, else the majority's, else open; with all that it rests on."""

from collections.abc import Sequence
from dataclasses import dataclass
from enum import StrEnum

from reviewer.core.question import Question
from reviewer.study.adjudication.decisions import Decision, Decisions
from reviewer.study.adjudication.votes import ItemVotes, votes_by_item
from reviewer.study.design.study_bundle import StudyBundle
from reviewer.study.statistics.label_rows import LabelRow, label_rows
from store.records import Event, StudyCase

RULE = (
    "adjudicated, else strict majority of the labels given to counted cases at the first showing, before any "
    "reveal, on the present wording; ties and items without a label stay open"
)


class FinalStatus(StrEnum):
    """Where a final label comes from."""

    UNANIMOUS = "unanimous"
    MAJORITY = "majority"
    ADJUDICATED = "adjudicated"
    OPEN = "open"


@dataclass(frozen=True)
class FinalLabel:
    """One item: its votes, and the decision about it where there is one."""

    item_votes: ItemVotes
    decision: Decision | None
    stale: bool
    """The dataset holds other content at the case's place by now."""

    @property
    def question(self) -> Question:
        """What was asked."""
        return self.item_votes.question

    @property
    def place(self) -> StudyCase:
        """About which case."""
        return self.item_votes.place

    @property
    def adjudicated(self) -> str | None:
        """The label that was decided."""
        return self.decision.label if self.decision else None

    @property
    def reason(self) -> str:
        """Why it was decided so; "" where nobody decided."""
        if self.decision is None or self.adjudicated is None:
            return ""
        return self.decision.adjudicated_label.reason

    @property
    def label(self) -> str | None:
        """The final label; None while it is open."""
        return self.adjudicated or self.item_votes.majority

    @property
    def status(self) -> FinalStatus:
        """Where the final label comes from."""
        if self.adjudicated is not None:
            return FinalStatus.ADJUDICATED
        if self.item_votes.unanimous:
            return FinalStatus.UNANIMOUS
        return FinalStatus.MAJORITY if self.item_votes.majority is not None else FinalStatus.OPEN

    @property
    def open_because(self) -> str | None:
        """Why there is no final label."""
        if self.label is not None:
            return None
        if self.item_votes.votes:
            return "no label has more than half of the votes"
        return "every label answered another wording" if self.item_votes.outdated else "no label"

    @property
    def votes_changed(self) -> bool:
        """Whether other votes count now than the adjudicator had in sight."""
        if self.decision is None or self.adjudicated is None:
            return False
        seen = self.decision.adjudicated_label.seen
        return set(seen) != {event.id for event in self.item_votes.events}


@dataclass(frozen=True)
class OwnLabel:
    """What one rater said about an item, beside its final label."""

    final: FinalLabel
    row: LabelRow

    @property
    def differs(self) -> bool:
        """Whether there is a final label and it is another one."""
        return self.final.label is not None and self.final.label != self.row.label


def final_labels(bundle: StudyBundle, events: Sequence[Event]) -> list[FinalLabel]:
    """Every item of the counted cases, by question and position in the sample."""
    return _finals(bundle, label_rows(bundle, events), events)


def own_labels(bundle: StudyBundle, events: Sequence[Event], rater: str) -> list[OwnLabel]:
    """Every item that the rater has labelled, in the same order."""
    rows = label_rows(bundle, events)
    finals = _finals(bundle, rows, events)
    return [
        OwnLabel(final, row)
        for final in finals
        for row in (*final.item_votes.votes, *final.item_votes.outdated)
        if row.rater == rater
    ]


def _finals(bundle: StudyBundle, rows: Sequence[LabelRow], events: Sequence[Event]) -> list[FinalLabel]:
    decisions = Decisions(bundle, events)
    return [
        FinalLabel(item_votes, decisions.at(item_votes.slot), item_votes.place.case in bundle.stale)
        for item_votes in votes_by_item(bundle, rows)
    ]

"""The final label of every item: the adjudicated one, else the majority's, else open; with its votes.

Final labels are counted by how they were reached, and the share of them that passes has an interval. For each
case of a closed study they give the one definition of passed, failed and undecided.
"""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from enum import StrEnum
from typing import Literal

from reviewer.agreement.intervals import DEFAULT_LEVEL
from reviewer.agreement.proportions import proportion
from reviewer.core.errors import RequestError
from reviewer.core.estimate import Estimate
from reviewer.core.question import Question
from reviewer.results.labels.dimensions import ALL
from reviewer.study.adjudication.decisions import Decision, Decisions
from reviewer.study.adjudication.votes import ItemVotes, votes_by_item
from reviewer.study.design.study_bundle import StudyBundle
from reviewer.study.integrity.quarantine import read_study
from reviewer.study.session.label_rows import LabelRow, label_rows
from store.database import Database
from store.records import Event, StudyCase

LabelRule = Literal["majority", "median"]
"""How a final label follows from votes. The median needs labels in order; elsewhere the majority decides."""
RULE = (
    "adjudicated, else strict majority of the labels given to counted cases at the first showing, before any "
    "reveal, on the present wording; ties and items without a label stay open"
)
MEDIAN_RULE = (
    "adjudicated, else the median of the labels given to counted cases at the first showing, before any "
    "reveal, on the present wording; items whose median falls between two labels, and items without a label, "
    "stay open"
)

THIRD_RULE = f"{RULE}; two raters vote on each item, and the vote of a third counts where these differ"


def check_label_rule(bundle: StudyBundle, rule: LabelRule) -> None:
    """Raise RequestError for the median in a study without labels in order."""
    if rule == "median" and not any(question.ordinal for question in bundle.questions):
        raise RequestError(
            f"no question of study {bundle.study.name!r} has labels in order, so there is no median; leave "
            "--rule out."
        )


class FinalStatus(StrEnum):
    """How a final label was reached."""

    UNANIMOUS = "unanimous"
    MAJORITY = "majority"
    MEDIAN = "median"
    ADJUDICATED = "adjudicated"
    OPEN = "open"


@dataclass(frozen=True)
class FinalLabel:
    """One item: its votes, the labels with which it passes, and the decision about it if there is one."""

    item_votes: ItemVotes
    passing: tuple[str, ...]
    decision: Decision | None
    stale: bool
    """The dataset now holds other content at the case's place."""
    rule: LabelRule = "majority"
    """How the label follows from the votes; always the majority where labels have no order."""

    @property
    def question(self) -> Question:
        """The question of the item."""
        return self.item_votes.question

    @property
    def place(self) -> StudyCase:
        """The case of the item, as a place in the sample."""
        return self.item_votes.place

    @property
    def adjudicated(self) -> str | None:
        """The label that the adjudicator decided; None without a decision."""
        return self.decision.label if self.decision else None

    @property
    def reason(self) -> str:
        """The adjudicator's reason; "" without a decision."""
        if self.decision is None or self.adjudicated is None:
            return ""
        return self.decision.adjudicated_label.reason

    @property
    def label(self) -> str | None:
        """The final label; None while the item is open."""
        return self.adjudicated or self.voted

    @property
    def voted(self) -> str | None:
        """The label that follows from the votes alone; None if there is none."""
        return self.item_votes.median if self.rule == "median" else self.item_votes.majority

    @property
    def passes(self) -> bool | None:
        """Whether the item passes with its final label.

        None while it has none, which is undecided, and where no label counts as a pass.
        """
        return self.label in self.passing if self.label and self.question.passing else None

    @property
    def rule_in_words(self) -> str:
        """How its final label is determined."""
        if self.item_votes.has_third and self.rule == "majority":
            return THIRD_RULE
        return MEDIAN_RULE if self.rule == "median" else RULE

    @property
    def status(self) -> FinalStatus:
        """How the final label was reached."""
        if self.adjudicated is not None:
            return FinalStatus.ADJUDICATED
        if self.item_votes.unanimous:
            return FinalStatus.UNANIMOUS
        return FinalStatus(self.rule) if self.voted is not None else FinalStatus.OPEN

    @property
    def open_because(self) -> str | None:
        """Why there is no final label."""
        if self.label is not None:
            return None
        if self.item_votes.has_third and len(self.item_votes.votes) > 1:
            return (
                "three different votes"
                if len(self.item_votes.votes) > 2
                else "two votes differ, without a third"
            )
        if self.item_votes.votes and self.rule == "median":
            return f"the median falls between {' and '.join(self.item_votes.middle)}"
        if self.item_votes.votes and not self.question.answer_kind.is_label:
            differ = max(self.item_votes.counts.values()) == 1
            return "all votes differ" if differ else "no answer has more than half of the votes"
        if self.item_votes.votes:
            return "no label has more than half of the votes"
        return "every label was given to an earlier wording" if self.item_votes.outdated else "no label"

    @property
    def votes_changed(self) -> bool:
        """Whether the votes that count now differ from those that the adjudicator saw."""
        if self.decision is None or self.adjudicated is None:
            return False
        seen = self.decision.adjudicated_label.seen
        return set(seen) != {event.id for event in self.item_votes.events}


@dataclass(frozen=True)
class OwnLabel:
    """One rater's label of an item, with the item's final label."""

    final: FinalLabel
    row: LabelRow

    @property
    def differs(self) -> bool:
        """Whether there is a final label and it differs from the rater's."""
        return self.final.label is not None and self.final.label != self.row.label

    @property
    def steps(self) -> int:
        """How many steps the rater's label is from the final one; 0 if labels have no order."""
        return self.final.question.steps(self._both)

    @property
    def distance(self) -> str:
        """These steps in words, as "two steps apart"; "" if labels have no order or are the same."""
        return self.final.question.distance(self._both)

    @property
    def _both(self) -> list[str]:
        return [label for label in (self.final.label, self.row.label) if label is not None]


def final_labels(
    bundle: StudyBundle,
    events: Sequence[Event],
    rule: LabelRule = "majority",
    rows: Iterable[LabelRow] | None = None,
) -> list[FinalLabel]:
    """Every item of the counted cases, by question and position in the sample.

    Pass ``rows``, the label rows of these events, if they were computed already.
    """
    known = label_rows(bundle, events) if rows is None else rows
    return [*final_labels_one_by_one(bundle, Decisions(bundle, events), known, rule)]


def final_labels_one_by_one(
    bundle: StudyBundle, decisions: Decisions, rows: Iterable[LabelRow], rule: LabelRule
) -> Iterator[FinalLabel]:
    """The final labels of the same items, one at a time."""
    for item_votes in votes_by_item(bundle, rows):
        yield FinalLabel(
            item_votes,
            bundle.passing(item_votes.question, item_votes.place.case),
            decisions.at(item_votes.slot),
            item_votes.place.case in bundle.stale,
            rule if item_votes.question.ordinal else "majority",
        )


def own_labels(
    bundle: StudyBundle, events: Sequence[Event], rater: str, rule: LabelRule = "majority"
) -> list[OwnLabel]:
    """Every item that the rater labelled, in the order of ``final_labels``."""
    rows = label_rows(bundle, events)
    finals = final_labels(bundle, events, rule, rows)
    return [
        OwnLabel(final, row)
        for final in finals
        for row in (*final.item_votes.votes, *final.item_votes.outdated)
        if row.rater == rater
    ]


@dataclass(frozen=True)
class FinalCount:
    """Counts over the items of one question and generator ("all": of every question or generator).

    ``overruled`` counts items that were adjudicated against a majority of the votes. ``passing`` is the share
    of items that pass, among items with a final label whose question has a passing label. It has
    an interval only if no case counts twice, because Wilson's interval assumes independent items.
    """

    question: str
    generator: str
    statuses: Mapping[FinalStatus, int]
    overruled: int
    passing: Estimate

    @property
    def items(self) -> int:
        """All items, including open ones."""
        return sum(self.statuses.values())


def final_counts(
    finals: Sequence[FinalLabel],
    level: float = DEFAULT_LEVEL,
    rate: Callable[[Sequence[FinalLabel]], Estimate] | None = None,
) -> list[FinalCount]:
    """A count per question and generator, in the order of the study; then the total, if there are several.

    ``rate`` gives the share that passes, if it is not ``final_pass_rate``.
    """
    groups: dict[tuple[str, str], list[FinalLabel]] = {}
    for final in finals:
        groups.setdefault((final.question.title, final.place.generator), []).append(final)
    passing = rate or (lambda members: final_pass_rate(members, level))
    counts = [_count(group, members, passing(members)) for group, members in groups.items()]
    return [*counts, _count((ALL, ALL), finals, passing(finals))] if len(counts) > 1 else counts


def _count(group: tuple[str, str], finals: Sequence[FinalLabel], passing: Estimate) -> FinalCount:
    statuses = [final.status for final in finals]
    return FinalCount(
        *group,
        statuses={status: statuses.count(status) for status in FinalStatus},
        overruled=sum(_overruled(final) for final in finals),
        passing=passing,
    )


def final_pass_rate(finals: Sequence[FinalLabel], level: float = DEFAULT_LEVEL) -> Estimate:
    """The share of items that pass, among those with a final label whose question has a passing label."""
    judged = [final for final in finals if final.passes is not None]
    cases = len({final.place.case for final in judged})
    passed = sum(final.passes is True for final in judged)
    passing = proportion(passed, len(judged), level).resting_on(cases)
    return replace(passing, interval=None, se=None) if cases < len(judged) else passing


def _overruled(final: FinalLabel) -> bool:
    majority = final.item_votes.majority
    return final.adjudicated is not None and majority is not None and final.adjudicated != majority


CaseResult = Literal["failed", "undecided", "not reviewed", "passed"]
"""What a closed study came to for a case. An undecided one was judged, and has no final label somewhere."""

_RESULTS: Mapping[bool | None, CaseResult] = {True: "passed", False: "failed", None: "undecided"}


@dataclass(frozen=True)
class ClosedStudy:
    """A closed study with its events and its final labels."""

    bundle: StudyBundle
    events: tuple[Event, ...]
    finals: tuple[FinalLabel, ...]

    def outcomes(self) -> Mapping[str, bool | None]:
        """Digest of each counted case → whether it passed on every question; None if one is undecided.

        Questions without a passing label decide nothing.
        """
        labels: dict[str, list[bool | None]] = {place.case: [] for place in self.bundle.counted}
        for final in self.finals:
            if final.question.passing:
                labels[final.place.case].append(final.passes)
        return {case: _together(some) for case, some in labels.items()}

    def results(self) -> Mapping[str, CaseResult]:
        """Digest of each counted case → what the study came to; without any vote it was not reviewed."""
        judged = {
            final.place.case
            for final in self.finals
            if final.question.passing and (final.item_votes.votes or final.adjudicated is not None)
        }
        return {
            case: _RESULTS[passed] if passed is not None or case in judged else "not reviewed"
            for case, passed in self.outcomes().items()
        }

    @property
    def contradicted(self) -> Mapping[str, frozenset[str]]:
        """Title of an opinion with ``must_agree`` → the cases whose passing label contradicts it."""
        cases: dict[str, set[str]] = {}
        for final in self.finals:
            for opinion in self.bundle.protocol.must_agree(final.question):
                said = opinion.answer_in(self.bundle.measurements[final.place.case], final.question)
                if final.label in final.question.passing and said not in (None, final.label):
                    cases.setdefault(opinion.shown_name, set()).add(final.place.case)
        return {title: frozenset(digests) for title, digests in cases.items()}


def read_closed_study(database: Database, name: str) -> ClosedStudy:
    """A study that counts for releases; raises RequestError if it is open."""
    bundle, events = read_study(database, name)
    if bundle.study.closed_at is None:
        raise RequestError(
            f"study {name!r} is open, so its labels are not final; close it first with "
            f"`reviewer study close {name}`."
        )
    return ClosedStudy(bundle, tuple(events), tuple(final_labels(bundle, events)))


def _together(passed: Sequence[bool | None]) -> bool | None:
    """False if one failed, else None if one is undecided or nothing was asked, else True."""
    if False in passed:
        return False
    return None if None in passed or not passed else True

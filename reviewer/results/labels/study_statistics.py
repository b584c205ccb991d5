"""A study's numbers for interactive use: computed on first use and then kept."""

from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property

from reviewer.core.sanitize import agreeing
from reviewer.protocols.base import Value
from reviewer.results.labels.agreement_results import AgreementResult, Method, study_results
from reviewer.results.labels.asked_judges import AskedJudge, asked_judges, reasons_of
from reviewer.results.labels.dataset_results import dataset_results
from reviewer.results.labels.dimensions import ALL, STRATUM
from reviewer.results.labels.disagreements import (
    VotedItem,
    comments_by_item,
    disagreements,
    does_not_pass,
    finally_labelled,
    most_disputed_first,
)
from reviewer.results.labels.divided_items import Answers
from reviewer.results.labels.final_labels import FinalLabel, final_labels
from reviewer.results.labels.judge_results import (
    JudgedItem,
    JudgeResult,
    constant_in_words,
    judge_results,
    judged_items,
)
from reviewer.results.labels.label_spread import LabelSpread, label_spreads
from reviewer.results.labels.output_quality import RankedOutput, ranked_outputs
from reviewer.results.labels.rater_results import BothWays, RaterResult, both_ways, raters_of_study
from reviewer.study.design.inclusion import strata_by_case
from reviewer.study.design.study_bundle import StudyBundle
from reviewer.study.integrity.quarantine import read_study
from reviewer.study.session.blinding import as_drawn_for, why_not_judges, why_not_opinions
from reviewer.study.session.label_rows import LabelRow, label_rows
from reviewer.study.session.rater_progress import progress_of
from store.database import Database
from store.records import Event
from store.studies import packed_raters

_EXPERTS = "experts, final label"
"""Who gives the final label, where opinions are shown next to it."""


def _differing(
    opinion: Value,
    items: Sequence[JudgedItem],
    rows: Sequence[LabelRow],
    reasons_of: Callable[[Value], Mapping[str, str]],
) -> list[VotedItem]:
    """The items with an opinion other than the final label, each also with the labels of all raters.

    ``reasons_of`` gives what an opinion says as its reasons, by digest of the case.
    """
    answers, comments = Answers(rows), comments_by_item(rows)
    differing = [item for item in items if item.said and item.final.label and item.said != item.final.label]
    reasons = reasons_of(opinion) if differing else {}
    return [_difference(opinion, item, answers, comments, reasons) for item in differing]


def _difference(
    opinion: Value,
    item: JudgedItem,
    answers: Answers,
    comments: Mapping[tuple[str, str], Mapping[str, str]],
    reasons: Mapping[str, str],
) -> VotedItem:
    question, place = item.final.question, item.final.place
    who, about = opinion.shown_name, (question, place)
    votes = {_EXPERTS: item.final.label, who: item.said}
    votes |= {rater: answers.label(about, rater) for rater in answers.raters}
    told = {
        _EXPERTS: item.final.reason,
        who: " ".join(filter(None, (_votes_in_words(item), reasons.get(place.case, "")))),
        **comments.get((question.key, place.case), {}),
    }
    return VotedItem(question, place, votes, {name: text for name, text in told.items() if text})


def _votes_in_words(item: JudgedItem) -> str:
    """How many of the readable replies of a judge gave its answer; "" for an opinion without votes."""
    if item.votes is None or item.said is None:
        return ""
    readable = item.votes.readable
    said = item.votes.votes_for(item.said)
    return f"{said:,} of {readable:,} readable {agreeing(readable, 'reply', 'replies')}:"


BOOTSTRAP = Method(interval="bootstrap")


class StudyStatistics:
    """Results, raters and disagreements of one study, from the ledger as it was read once."""

    def __init__(
        self, bundle: StudyBundle, events: Sequence[Event], opinions: "Opinions | None" = None
    ) -> None:
        """``opinions``: those that may be set against the labels; None while nobody may see them."""
        self.bundle, self.rows = bundle, label_rows(bundle, events)
        self._events, self._opinions = events, opinions
        self._results: dict[tuple[tuple[str, ...], Method], list[AgreementResult]] = {}
        self._weighted: dict[tuple[tuple[str, ...], Method], list[AgreementResult]] = {}
        self._both_ways: dict[tuple[tuple[str, ...], Method], list[BothWays]] = {}

    @classmethod
    def read(cls, database: Database, study: str, person: str) -> "StudyStatistics":
        """Read a study from the store as ``person`` may see it; raises RequestError if it does not exist."""
        bundle, events = read_study(database, study)
        return cls(as_drawn_for(database, bundle, person), events, _opinions_for(database, study, person))

    @property
    def ordinal(self) -> bool:
        """Whether the labels of a question stand in order."""
        return any(question.ordinal for question in self.bundle.questions)

    def results(self, by: tuple[str, ...], method: Method = BOOTSTRAP) -> list[AgreementResult]:
        """Cells, means and pooled values; with bootstrap intervals unless the method says otherwise."""
        if (by, method) not in self._results:
            self._results[by, method] = study_results(self.bundle, self.rows, by, method)
        return self._results[by, method]

    def weighted(self, by: tuple[str, ...], method: Method = BOOTSTRAP) -> list[AgreementResult]:
        """Results of the dataset; empty if they are those of the sample, or not known."""
        if (by, method) not in self._weighted:
            self._weighted[by, method] = dataset_results(self.bundle, self.rows, by, method)
        return self._weighted[by, method]

    def both_ways(self, by: tuple[str, ...], method: Method = BOOTSTRAP) -> list[BothWays]:
        """Each result without the raters who are left out, and with them; empty if none is."""
        if (by, method) not in self._both_ways:
            self._both_ways[by, method] = both_ways(self.bundle, self._events, by, method)
        return self._both_ways[by, method]

    def raters(self, method: Method = BOOTSTRAP) -> list[RaterResult]:
        """The results of every rater over the whole study, or by question where no number is for all."""
        return raters_of_study(self.bundle, self.rows, method)

    def ranked(self, method: Method) -> list[RankedOutput]:
        """The outputs of questions that rank any, with their scores."""
        return ranked_outputs(self.bundle, self.rows, method)

    def spreads(self) -> list[LabelSpread]:
        """How often each label was given in each group."""
        return label_spreads(self.bundle, self.rows)

    @cached_property
    def judged(self) -> list[tuple[Value, list[JudgedItem]]]:
        """Each opinion that may be seen, with the items that it is about; those that no item has are none."""
        if self._opinions is None:
            return []
        found = judged_items(self.bundle, self._finals, self._opinions.asked)
        return [(opinion, items) for opinion, items in found if any(item.has_opinion for item in items)]

    @cached_property
    def _finals(self) -> list[FinalLabel]:
        return final_labels(self.bundle, self._events)

    def judges(self, by: tuple[str, ...], method: Method = BOOTSTRAP) -> list[JudgeResult]:
        """The opinions against the final labels."""
        asked = self._opinions.asked if self._opinions else ()
        return judge_results(self.bundle, self._finals, by, method, asked=asked) if self.judged else []

    @cached_property
    def constant_opinions(self) -> list[str]:
        """A sentence on each opinion that gives the same answer to every item."""
        return constant_in_words(self.judges((), Method(interval="none")), "The table leaves it out")

    def judge_differences(self, where: Mapping[str, str]) -> list[VotedItem]:
        """The items of a cell, which names an opinion, on which it differs from the final label."""
        return [
            item
            for opinion, items in self.judged
            if self._opinions and where.get("opinion") == opinion.name
            for item in _differing(opinion, items, self.rows, self._opinions.reasons_of)
            if self._is_at(item, where)
        ]

    def disagreements(self, where: Mapping[str, str]) -> list[VotedItem]:
        """The disagreements of a cell, closest votes first; "all" for a dimension matches every value."""
        return [item for item in self._disagreements if self._is_at(item, where)]

    def not_passing(self, where: Mapping[str, str]) -> list[VotedItem]:
        """The items of a cell that do not pass with their final label, or have none yet."""
        return [item for item in self._not_passing if self._is_at(item, where)]

    @cached_property
    def _disagreements(self) -> list[VotedItem]:
        return most_disputed_first(disagreements(self.bundle, self.rows))

    @cached_property
    def _not_passing(self) -> list[VotedItem]:
        return finally_labelled(self.bundle, self.rows, filter(does_not_pass, self._finals))

    def _is_at(self, item: VotedItem, where: Mapping[str, str]) -> bool:
        place = item.place
        known = {
            "question": item.question.title,
            "generator": place.generator,
            "group": place.group,
            "dataset": place.dataset,
            STRATUM: self.strata.get(place.case, ALL),
        }
        return all(value in (ALL, known.get(dimension, value)) for dimension, value in where.items())

    @cached_property
    def strata(self) -> Mapping[str, str]:
        """The stratum of each case, where the sample was drawn by strata that may be shown; else empty."""
        return strata_by_case(self.bundle)

    @property
    def divisible(self) -> Mapping[str, int]:
        """The dimensions of cases that have several values in the sample, as far as they may be shown.

        With each, the number of cases that its most frequent value has.
        """
        sample = self.bundle.counted
        cases = {
            "generator": Counter(place.generator for place in sample),
            "group": Counter(place.group for place in sample),
            "dataset": Counter(place.dataset for place in sample),
            STRATUM: Counter(self.strata.values()),
        }
        return {name: max(counts.values()) for name, counts in cases.items() if len(counts) > 1}


@dataclass(frozen=True)
class Opinions:
    """The judges that were asked, and where their reasons are."""

    database: Database
    asked: Sequence[AskedJudge]

    def reasons_of(self, opinion: Value) -> Mapping[str, str]:
        """The reasons of an opinion by digest of the case; published values have none."""
        judge = next((judge for judge in self.asked if judge.opinion == opinion), None)
        return reasons_of(self.database, judge) if judge else {}


def _opinions_for(database: Database, study: str, person: str) -> Opinions | None:
    """The opinions of a study; None while they would influence somebody's answers or decisions."""
    with database.read() as session:
        in_pack = study in packed_raters(session)
    if why_not_judges(progress_of(database, study), in_pack=in_pack):
        return None
    return (
        None
        if why_not_opinions(database, study, person)
        else Opinions(database, asked_judges(database, study))
    )

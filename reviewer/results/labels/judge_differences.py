"""The items on which an opinion and the experts' final label differ, with the reasons of both."""

from collections.abc import Callable, Mapping, Sequence

from reviewer.core.sanitize import agreeing
from reviewer.protocols.base import Value
from reviewer.results.labels.cells import Answers
from reviewer.results.labels.disagreements import VotedItem, comments_by_item
from reviewer.results.labels.judges import JudgedItem
from reviewer.study.session.label_rows import LabelRow

EXPERTS = "experts, final label"
"""Who gives the final label, where opinions are shown next to it."""
ReasonsOf = Callable[[Value], Mapping[str, str]]
"""What an opinion gives as its reasons, by digest of the case."""


def judge_differences(
    opinion: Value, items: Sequence[JudgedItem], rows: Sequence[LabelRow], reasons_of: ReasonsOf
) -> list[VotedItem]:
    """The items with an opinion other than the final label, each also with the labels of all raters."""
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
    votes = {EXPERTS: item.final.label, who: item.said}
    votes |= {rater: answers.label(about, rater) for rater in answers.raters}
    told = {
        EXPERTS: item.final.reason,
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

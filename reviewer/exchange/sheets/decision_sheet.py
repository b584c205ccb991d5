"""A sheet of all disputes for an adjudicator, and the decisions that it holds once it is filled in."""

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import NamedTuple

from reviewer.core.csv_text import sheet_text, unguarded
from reviewer.core.errors import InputError, RequestError
from reviewer.core.question import Question, answer_in_words
from reviewer.core.sanitize import counted, one_line
from reviewer.core.spans import NOTHING_MARKED, quoted_spans, spans_in
from reviewer.exchange.rows.row_files import RowOptions, open_rows
from reviewer.exchange.sheets.filled_sheets import (
    DIGEST_COLUMN,
    ORIGINAL,
    cell_of_answer,
    plain_name,
    read_answer,
)
from reviewer.exchange.sheets.sheet_writer import how_to_correct, pane_columns
from reviewer.study.adjudication.adjudication_session import AdjudicationSession
from reviewer.study.adjudication.decisions import Decision
from reviewer.study.adjudication.rater_comments import RaterComment
from reviewer.study.adjudication.votes import answers_with_votes

_ANSWER, _REASON, _CASE, _KEY, _ASKED = "answer", "reason", "case", "question_key", "question"
_VOTES, _SAID = "votes", "what raters wrote"
_OWN = (_ANSWER, _REASON, _CASE, _KEY, _ASKED, _VOTES, _SAID, DIGEST_COLUMN)


@dataclass(frozen=True, slots=True)
class SheetDecision:
    """A row with an answer: the number of its dispute, the answer, the reason, and its place in the file."""

    index: int
    label: str
    reason: str
    where: str


class SavedDecisions(NamedTuple):
    """How many decisions of a sheet were new, and how many had been made already; and a sentence on each
    dispute that was decided in another way before.
    """

    new: int
    same: int
    others: tuple[str, ...] = ()


# -- writing ---------------------------------------------------------------------------------------


def dispute_sheet(session: AdjudicationSession) -> str:
    """A row for each dispute, with the decision about it if there is one; it shows the same as the app."""
    rows = [_row(session, index) for index in range(len(session.disputes))]
    texts = list(dict.fromkeys(name for row in rows for name in row if name not in _OWN))
    head = (_ANSWER, _REASON, _CASE, _KEY, _ASKED, *texts, _VOTES, _SAID, DIGEST_COLUMN)
    return sheet_text([head, *([row.get(name, "") for name in head] for row in rows)])


def _row(session: AdjudicationSession, index: int) -> Mapping[str, str]:
    session.go_to(index)
    dispute, decision = session.dispute, session.decision
    question, place = dispute.item_votes.question, dispute.item_votes.place
    texts = (column for pane in session.sheet() for column in pane_columns(pane))
    known = decision is not None and decision.label is not None
    return {
        **{f"{name}_text" if name in _OWN else name: text for name, _, text in texts},
        _ANSWER: cell_of_answer(question, decision.label) if decision else "",
        _REASON: decision.adjudicated_label.reason if decision and known else "",
        _CASE: f"{place.dataset}:{place.key}",
        _KEY: question.key,
        _ASKED: session.wording,
        _VOTES: _votes(session),
        _SAID: "\n".join(line for comment in dispute.comments for line in _lines(session, comment)),
        DIGEST_COLUMN: place.case,
    }


def _votes(session: AdjudicationSession) -> str:
    """Each answer with its number of votes; spans and rankings in lines that can be copied."""
    item_votes = session.dispute.item_votes
    question = item_votes.question
    text = session.bundle.marked_text(question, item_votes.place.case)
    words = {answer: _in_words(question, answer, text) for answer in item_votes.counts}
    if question.answer_kind.is_marked or question.answer_kind.is_ranked:
        lines = (f"{words[answer]}\n  ({counted(n, 'vote')})" for answer, n in item_votes.counts.items())
        return "\n".join(lines)
    return answers_with_votes((words[answer], n) for answer, n in item_votes.counts.items())


def _in_words(question: Question, answer: str, text: str | None) -> str:
    """An answer in words; spans with those of the text."""
    if not question.answer_kind.is_marked or text is None:
        return answer_in_words(question, answer)
    return "; ".join(quoted_spans(text, spans_in(answer)[1])) or NOTHING_MARKED


def _lines(session: AdjudicationSession, comment: RaterComment) -> Iterator[str]:
    question = session.dispute.item_votes.question
    told = "nothing" if comment.label is None else answer_in_words(question, comment.label)
    exchanged = ", who saw the sides exchanged" if comment.swapped else ""
    for text in (*comment.comments, *comment.reasons):
        yield f"rater {comment.number} ({told}{exchanged}): {text}"


# -- reading ---------------------------------------------------------------------------------------


def decisions_in(session: AdjudicationSession, path: Path) -> list[SheetDecision]:
    """The rows with an answer. Raises RequestError with every fault, and InputError for no such sheet."""
    places = {
        (dispute.item_votes.place.case, dispute.item_votes.question.key): index
        for index, dispute in enumerate(session.disputes)
    }
    found: dict[int, SheetDecision] = {}
    faults: list[InputError] = []
    for where, cells in _rows(path):
        try:
            decision = _decision(session, places, where, cells)
            if decision is not None:
                _check_once(found.setdefault(decision.index, decision), decision)
        except InputError as fault:
            faults.append(fault)
    if faults:
        more = f" ({counted(len(faults) - 1, 'other fault')})" if len(faults) > 1 else ""
        raise RequestError(f"{str(faults[0]).rstrip('.')}{more}. Nothing was saved.")
    return list(found.values())


def decide_all(session: AdjudicationSession, decisions: Iterable[SheetDecision]) -> SavedDecisions:
    """Save the decisions about disputes that are still open; those that were decided before stay so."""
    new = same = 0
    others: list[str] = []
    for decision in decisions:
        session.go_to(decision.index)
        known = session.decision
        if known is None or known.label is None:
            session.decide(decision.label, decision.reason)
            new += 1
        elif known.label == decision.label:
            same += 1
        else:
            others.append(_decided_otherwise(session, known, decision))
    return SavedDecisions(new, same, tuple(others))


def _decided_otherwise(session: AdjudicationSession, known: Decision, decision: SheetDecision) -> str:
    question, place = session.dispute.item_votes.question, session.dispute.item_votes.place
    before, now = (answer_in_words(question, label or "") for label in (known.label, decision.label))
    return (
        f"{decision.where}: {known.event.rater} decided {place.dataset}:{place.key} {question.key} already: "
        f"{one_line(before, 60)!r}, not {one_line(now, 60)!r}. It stays so; to change it, decide it again in "
        "`reviewer adjudicate`."
    )


def _rows(path: Path) -> Iterator[tuple[str, Mapping[str, str]]]:
    rows = open_rows(path, RowOptions())
    for row in rows.read():
        cells = {plain_name(name): "" if cell is None else str(cell) for name, cell in row.cells.items()}
        if missing := [name for name in (_ANSWER, _REASON, _KEY, DIGEST_COLUMN) if name not in cells]:
            raise InputError(rows.where, f"lacks the column {missing[0]!r}", ORIGINAL)
        yield row.where, cells


def _decision(
    session: AdjudicationSession, places: Mapping[tuple[str, str], int], where: str, cells: Mapping[str, str]
) -> SheetDecision | None:
    index = places.get((cells[DIGEST_COLUMN].strip().lower(), cells[_KEY].strip()))
    if index is None:
        about = f"{cells.get(_CASE, '')} {cells[_KEY]}".strip()
        wrong = f"is about {one_line(about, 60)!r}, which is no dispute of this study"
        raise InputError(where, wrong, ORIGINAL)
    question = session.disputes[index].item_votes.question
    reason = unguarded(cells[_REASON]).strip()
    try:
        marked = session.bundle.marked_text(question, session.disputes[index].item_votes.place.case)
        read = read_answer(unguarded(cells[_ANSWER]), question, marked)
    except ValueError as error:
        raise InputError(f"{where}, column {_ANSWER}", str(error), how_to_correct(question)) from error
    if read.label is None:
        return None
    reason = "\n".join(filter(None, (reason, read.comment)))
    if not reason:
        raise InputError(f"{where}, column {_REASON}", "is empty", "say in a few words why")
    return SheetDecision(index, read.label, reason, where)


def _check_once(first: SheetDecision, decision: SheetDecision) -> None:
    if (first.label, first.reason) != (decision.label, decision.reason):
        wrong = f"decides the same dispute as {first.where}, in another way"
        raise InputError(decision.where, wrong, "leave one of the two out")

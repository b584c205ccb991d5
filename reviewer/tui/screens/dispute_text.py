"""A dispute in words: its state, and each rater's answer and comments, by number."""

from collections.abc import Iterator, Sequence

from textual.content import Content

from reviewer.core.pane import Pane, Text
from reviewer.core.question import Question, answer_in_words
from reviewer.core.sanitize import one_line
from reviewer.core.spans import spans_in
from reviewer.study.adjudication.adjudication_session import AdjudicationSession, DisputeState
from reviewer.study.adjudication.rater_comments import RaterComment
from reviewer.study.adjudication.votes import ItemVotes
from reviewer.tui.case.span_marking import marked_body
from reviewer.tui.rendering.comparison import body_content
from reviewer.tui.rendering.literal import literal
from reviewer.tui.rendering.passages import (
    Passage,
    as_the_sides_stand,
    place_of,
    quote_below_place,
    stands_in,
)

_SIGNS = {DisputeState.OPEN: "● open", DisputeState.SKIPPED: "↷ put off", DisputeState.ADJUDICATED: "✓"}


def dispute_sign(session: AdjudicationSession, index: int) -> str:
    """The state of a dispute in a word, with its decision."""
    decision = session.decision_at(index)
    label = decision.label if decision else None
    told = "" if label is None else f" {short_answer(session.disputes[index].item_votes, label)}"
    return _SIGNS[session.state_at(index)] + told


def place_in_words(session: AdjudicationSession, index: int) -> str:
    """The key of a dispute's case, with its dataset if the study has several, and who wrote the case once
    this person may learn it.
    """
    place = session.place_at(index)
    key = f"{place.dataset}:{place.key}" if session.bundle.design.datasets[1:] else place.key
    return " · ".join(filter(None, (key, place.generator)))


def short_answer(item_votes: ItemVotes, answer: str | None) -> str:
    """An answer to the question of an item in a few words."""
    return one_line(answer_in_words(item_votes.question, answer or ""), 24)


def with_label(
    question: Question, answer: str, comments: list[RaterComment], panes: Sequence[Pane]
) -> tuple[str, Content]:
    """A title, and a paragraph for each rater; an answer that does not fit a title comes first."""
    words, said = answer_in_words(question, answer), comments_text(comments, panes)
    if question.answer_kind.is_marked:
        said = Content("\n").join([*_marked(question, answer, panes), said])
    elif not question.answer_kind.is_label:
        said = Content("\n").join([literal(words), said])
    return f"{one_line(words, 24)} · {len(comments)}", said


def _marked(question: Question, answer: str, panes: Sequence[Pane]) -> Iterator[Content]:
    """The text with the spans of an answer."""
    body = next((pane.body for pane in panes if pane.key == question.shows[0]), None)
    if isinstance(body, Text):
        yield body_content(marked_body(body.text, spans_in(answer)[1], question.labels))


def comments_text(comments: list[RaterComment], panes: Sequence[Pane]) -> Content:
    """A paragraph for each rater: number, comments, reasons, and answers to other questions."""
    return Content("\n").join(_comment(comment, panes) for comment in comments)


def _comment(comment: RaterComment, panes: Sequence[Pane]) -> Content:
    """The rater's number with flag and second answer; comments with passages, reasons and other answers."""
    signs = [comment.confidence] if comment.confidence else []
    signs += ["⚑ flagged"] * comment.flagged + ["⌛ other wording"] * comment.outdated
    signs += ["⇄ saw the sides exchanged"] * comment.swapped
    signs += [f"after the reveal: {one_line(comment.later, 24)}"] if comment.later is not None else []
    lines = [literal("  ".join([f"rater {comment.number}", *signs]), "muted")]
    passages = passages_of(comment)
    for text in comment.comments:
        passage = passages.get(text)
        if passage is not None and stands_in(passage, panes):
            quote = one_line(quote_below_place(passage, panes), 200)
            lines.append(literal(f"in {place_of(passage, panes)}: “{quote}”", "muted"))
        lines.append(literal(f"✎ {text}"))
    lines += [literal(f"✎ {reason}") for reason in comment.reasons]
    others = ", ".join(f"{title}: {one_line(label, 24)}" for title, label in comment.elsewhere)
    lines += [literal(f"elsewhere on this case: {others}", "muted")] if others else []
    return Content("\n").join(lines)


def passages_of(comment: RaterComment) -> dict[str, Passage]:
    """The passage that each comment is about, with the sides as they truly stand."""
    known = ((text, Passage.of_json(value)) for text, value in comment.passages.items())
    return {
        text: as_the_sides_stand(passage, exchanged=comment.swapped)
        for text, passage in known
        if passage is not None
    }

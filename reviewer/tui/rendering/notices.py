"""What the saved line shows, one function for each event. Text from outside goes through ``literal``."""

from dataclasses import dataclass
from typing import Literal

from textual.content import Content

from reviewer.core.question import answer_in_words
from reviewer.core.sanitize import one_line
from reviewer.study.session.review_session import ReviewSession
from reviewer.study.session.review_stages import Stage
from reviewer.study.session.verdicts import slot_of
from reviewer.tui.rendering.literal import literal, literal_line
from reviewer.tui.rendering.view_state import ViewState
from reviewer.tui.widgets.key_hints import clickable
from store.records import Event

_MOST_LABEL = 24
_UNDO = "review.undo"


@dataclass(frozen=True, slots=True)
class Notice:
    """A sentence, and whether it reports something saved, something that failed, or neither."""

    kind: Literal["saved", "failed", "note"]
    content: Content


def remark(text: str) -> Notice:
    """A sentence that is not about saving."""
    return Notice("note", literal(text))


def failed(sentence: str) -> Notice:
    """Nothing was saved and the screen has not moved on: why."""
    return Notice("failed", Content.assemble(Content.styled("✗ not saved", "bold"), " – ", literal(sentence)))


def answered(
    before: ViewState, answer: str, session: ReviewSession, undo_key: str, sure_keys: str = ""
) -> Notice:
    """An answer is saved."""
    changed = before.verdict.label is not None and before.verdict.label != answer
    was = f", was {_said(before, before.verdict.label)}" if changed else ""
    what = f"{_question(before)} = {_said(before, answer)} (case {before.place.case_number}{was})"
    if session.stage in (Stage.SECOND, Stage.FEEDBACK) and session.slot == before.verdict.slot:
        return _saved(what, "it is final: more is shown now")
    if session.is_final(before.verdict.slot):
        return _saved(what, f"it is final: the next question shows more{_next_question(before, session)}")
    sure = f" · {sure_keys} how sure" if sure_keys else ""
    return _saved(what, f"{undo_key} takes it back{sure}{_next_question(before, session)}", _UNDO)


def confident(confidence: str, session: ReviewSession, saved: Event) -> Notice:
    """How sure the rater is of the answer that they gave last is saved."""
    question = session.bundle.question(saved.question)
    place = session.place_at(session.slots.index(slot_of(saved).first))
    return _saved(f"{question.title} (case {place.case_number}): {confidence}", "")


def revealed(now: ViewState) -> Notice:
    """The rater sees what their answer reveals."""
    what = f"{_question(now)} = {_said(now, now.verdict.label)} (case {now.place.case_number}) is final"
    return _saved(what, "another answer is kept as a second verdict")


def looked_twice(before: ViewState, answer: str, undo_key: str) -> Notice:
    """A second verdict is saved."""
    same = before.verdict.label == answer
    first = "as before" if same else f"first {_said(before, before.verdict.label)}"
    said = f"{_question(before)} = {_said(before, answer)}"
    return _saved(
        f"second look: {said} (case {before.place.case_number}, {first})", f"{undo_key} takes it back"
    )


def explained(before: ViewState, text: str) -> Notice:
    """It is saved that both clashing answers stand, with a reason or without."""
    return _saved(f"both answers stand (case {before.place.case_number})", "with your reason" if text else "")


def skipped(before: ViewState, session: ReviewSession, saved: bool) -> Notice:
    """A slot is put off, or it keeps the label that it has."""
    if not saved:
        return remark(f"case {before.place.case_number} keeps its answer")
    stays = session.slot == before.verdict.slot
    end = "" if session.bundle.design.asking == "case" else " of this question"
    then = "nothing else is open" if stays else f"it comes again at the end{end}"
    return _saved(f"{_question(before)} (case {before.place.case_number}) skipped", then)


def undone(session: ReviewSession, undo_key: str) -> Notice:
    """An answer or skip is taken back, and its slot is shown."""
    label = session.verdict.label
    said = "" if label is None else one_line(answer_in_words(session.question, label), _MOST_LABEL)
    now = f"is {said} again" if said else "is open again"
    where = f"{session.question.title} (case {session.place.case_number})"
    return _saved(f"{where} {now}", f"{undo_key} goes back further", _UNDO, did="taken back")


def commented(now: ViewState, removed: bool) -> Notice:
    """A comment is saved, or removed."""
    return _saved(f"comment {'removed from' if removed else 'on'} case {now.place.case_number}", "")


def note_saved() -> Notice:
    """A note is saved."""
    return _saved("your note", "")


def flagged(now: ViewState) -> Notice:
    """A flag is set or removed."""
    done = "flagged" if now.verdict.flagged else "no longer flagged"
    return _saved(f"case {now.place.case_number} {done}", "")


def with_dropped(notice: Notice, keys: int) -> Notice:
    """The notice, and that the keys pressed before it appeared did nothing."""
    pressed = "1 key" if keys == 1 else f"{keys} keys"
    addition = literal(f"   {pressed} pressed meanwhile did nothing", "dim")
    return Notice(notice.kind, Content.assemble(notice.content, addition))


def _saved(what: str, then: str, action: str = "", did: str = "saved") -> Notice:
    """The saved change and the next step; a click on the latter does ``action``, an id, if there is one."""
    parts = [Content.styled(f"✓ {did}", "bold"), Content("  "), literal_line(what, 120)]
    if then:
        following = literal_line(then, 60, "dim")
        parts += [Content("   "), clickable(following, action) if action else following]
    return Notice("saved", Content.assemble(*parts))


def _question(view: ViewState) -> str:
    return view.question.title


def _said(view: ViewState, answer: str | None) -> str:
    """An answer in a few words."""
    return one_line(answer_in_words(view.question, answer or ""), _MOST_LABEL)


def _next_question(before: ViewState, session: ReviewSession) -> str:
    if session.finished or session.question.key == before.question.key:
        return ""
    return f" · next: {session.question.title}"

"""A rater's own answers so far, found by words from the case that the rater is on."""

from collections.abc import Iterator
from dataclasses import dataclass, replace

from reviewer.core.question import Question, answer_in_words
from reviewer.study.session.session_state import SessionState
from reviewer.study.session.slot_order import RaterPosition
from reviewer.study.session.verdicts import Verdict
from store.records import Case


@dataclass(frozen=True, slots=True)
class OwnAnswer:
    """An answer that the rater gave: its position among their slots, question, case and verdict.

    ``place`` is None where numbers of cases would tell which of them are shown twice. ``reply`` is the reply
    of the study's lead to the comment; "" for none.
    """

    position: int
    place: RaterPosition | None
    question: Question
    case: Case
    verdict: Verdict
    reply: str

    @property
    def words(self) -> str:
        """What was answered, as people read it."""
        return answer_in_words(self.question, self.verdict.label or "")


def own_answers(session: SessionState, words: str = "") -> list[OwnAnswer]:
    """The rater's answers with all these words, newest first.

    Words are looked for in the case, the question's title, the label and the comment. Where cases are shown
    twice, nothing tells which: of both answers only the newer one is listed, none about the case on the
    screen, and the list is in the order of its texts.
    """
    wanted = words.casefold().split()
    listed = _without_repeats if session.bundle.repeated else _answers
    answers = [answer for answer in listed(session) if all(word in _text(answer) for word in wanted)]
    if session.bundle.repeated:
        return sorted(answers, key=_text)
    return sorted(answers, key=_given_at, reverse=True)


def case_text(case: Case) -> str:
    """Everything that a case says, in small letters."""
    return "\n".join(str(value) for value in (case.group, *case.payload.values())).casefold()


def _answers(session: SessionState) -> Iterator[OwnAnswer]:
    for position, slot in enumerate(session.slots):
        verdict = session.verdict_at(position)
        if verdict.label is not None:
            question = session.question_at(position)
            place, reply = session.place_at(position), session.answer_to_comment(slot)
            yield OwnAnswer(position, place, question, session.bundle.cases[slot.case], verdict, reply)


def _without_repeats(session: SessionState) -> Iterator[OwnAnswer]:
    """One answer to each question about each case but the one on the screen, without its place."""
    newest = {
        (answer.case.digest, answer.question.key): answer
        for answer in sorted(_answers(session), key=_given_at)
        if answer.case.digest != session.slot.case
    }
    return (replace(answer, place=None) for answer in newest.values())


def _text(answer: OwnAnswer) -> str:
    said = (answer.question.title, answer.words, answer.verdict.comment)
    return "\n".join((case_text(answer.case), *said)).casefold()


def _given_at(answer: OwnAnswer) -> str:
    return answer.verdict.event.id if answer.verdict.event else ""

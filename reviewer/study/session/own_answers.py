"""A rater's own answers so far, found by words from the case that the rater is on."""

from collections.abc import Iterator
from dataclasses import dataclass

from reviewer.core.answers import answer_in_words
from reviewer.core.question import Question
from reviewer.study.session.blinding import may_see_own_answer
from reviewer.study.session.session_state import SessionState
from reviewer.study.session.slot_order import RaterPosition
from reviewer.study.session.verdicts import Verdict
from store.records import Case


@dataclass(frozen=True, slots=True)
class OwnAnswer:
    """An answer that the rater gave: its position among their slots, question, case and verdict."""

    position: int
    place: RaterPosition
    question: Question
    case: Case
    verdict: Verdict

    @property
    def words(self) -> str:
        """What was answered, as people read it."""
        return answer_in_words(self.question, self.verdict.label or "")


def own_answers(session: SessionState, words: str = "") -> list[OwnAnswer]:
    """The rater's answers with all these words, newest first.

    Words are looked for in the case, the question's title, the label and the comment. What the rater answered
    about a case at another showing is left out, so that nobody learns which cases come twice.
    """
    wanted = words.casefold().split()
    answers = [answer for answer in _answers(session) if all(word in _text(answer) for word in wanted)]
    return sorted(answers, key=_given_at, reverse=True)


def case_text(case: Case) -> str:
    """Everything that a case says, in small letters."""
    return "\n".join(str(value) for value in (case.group, *case.payload.values())).casefold()


def _answers(session: SessionState) -> Iterator[OwnAnswer]:
    for position, slot in enumerate(session.slots):
        verdict = session.verdict_at(position)
        if verdict.label is not None and may_see_own_answer(slot, session.slot):
            question = session.bundle.question(slot.question)
            case = session.bundle.cases[slot.case]
            yield OwnAnswer(position, session.place_at(position), question, case, verdict)


def _text(answer: OwnAnswer) -> str:
    said = (answer.question.title, answer.words, answer.verdict.comment)
    return "\n".join((case_text(answer.case), *said)).casefold()


def _given_at(answer: OwnAnswer) -> str:
    return answer.verdict.event.id if answer.verdict.event else ""

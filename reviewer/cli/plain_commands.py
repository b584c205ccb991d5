"""What each command of plain mode does to a session, and what it says of it."""

from collections.abc import Callable

from reviewer.cli.plain_speech import COMMANDS, PlainReading, answer_line
from reviewer.core.answer_keys import MOST_DIGITS
from reviewer.core.label_search import LabelSearch
from reviewer.core.sanitize import counted, visible
from reviewer.protocols.altered_case import headline_of
from reviewer.protocols.registry import protocols_of
from reviewer.study.session.own_answers import own_answers
from reviewer.study.session.review_session import ReviewSession
from reviewer.study.session.review_state import Stage
from reviewer.study.session.verdicts import State

_MOST_FOUND = 20


class PlainCommands(PlainReading):
    """A session whose commands are carried out and told through ``say``. No command reads a line itself."""

    def __init__(self, session: ReviewSession, say: Callable[[str], None], *, typed: bool) -> None:
        super().__init__(session, say, typed=typed)
        self._ended = self._at_end
        """Everything is answered, and the rater has not gone back to a case."""

    @property
    def _at_end(self) -> bool:
        return self._session.finished and not self._prompt

    def _proceed(self) -> None:
        if self._session.verdict.state is not State.LABELLED:
            self._say(self._wanted())
            return
        event = self._session.proceed()
        self._ended = self._at_end
        if event:
            self._say("Saved: both answers stand." if event.kind == "reason" else "Saved: kept as it was.")

    def _explain(self, text: str) -> None:
        self._session.explain(text)
        self._ended = self._at_end
        self._say("Saved: both answers stand.")

    def _move(self, go: Callable[[], object]) -> None:
        before = self._session.position
        go()
        self._ended = self._ended and self._session.position == before

    def _skip(self) -> None:
        self._say("Skipped; it comes again later." if self._session.skip() else "It keeps its answer.")
        self._ended = self._at_end

    def _undo(self) -> None:
        self._say("Taken back." if self._session.undo() else "There is nothing to take back.")
        self._ended = self._at_end

    def _comment(self, text: str) -> None:
        saved = self._session.comment(text)
        self._say(
            ("Saved: comment." if text else "Comment removed.") if saved else "The comment is as it was."
        )

    def _find(self, words: str) -> None:
        self._find_labels(words)
        answers = own_answers(self._session, words)
        having = " with these words" if words else ""
        self._say(f"{counted(len(answers), 'answer')} of yours{having}.")
        protocols = protocols_of(self._session.database)
        for answer in answers[:_MOST_FOUND]:
            self._say(answer_line(answer, headline_of(protocols, answer.case)))
        if len(answers) > _MOST_FOUND:
            self._say(f"These are the newest {_MOST_FOUND}; more words find fewer.")

    def _find_labels(self, words: str) -> None:
        """List the labels with these words, where there are more labels than digits, with definitions."""
        question = self._session.question
        if not words or (len(question.labels) <= MOST_DIGITS and not question.definitions):
            return
        labels = LabelSearch(question.labels).found(words)
        self._say(f"{counted(len(labels), 'label')} with these words{':' if labels else '.'}")
        for label in labels[:_MOST_FOUND]:
            definition = question.definition(label)
            self._say(f"  {visible(label)}{f': {visible(definition)}' if definition else ''}")
        if len(labels) > _MOST_FOUND:
            self._say(f"These are the first {_MOST_FOUND}; more words find fewer.")

    def _flag(self) -> None:
        self._session.flag()
        self._say("Flagged." if self._session.verdict.flagged else "No longer flagged.")

    def _reveal(self) -> None:
        """Say what it makes final first; the same line again reveals it."""
        if self._typed and (why := self._session.reveal_obstacle):
            self._say(why)
        elif self._session.stage is Stage.REVEAL:
            self._session.reveal()
            self._say("Revealed.")
        else:
            self._session.ask_to_reveal()

    def _help(self) -> None:
        self._say(f"Answer with {self._choices()}. Besides:")
        for command, effect in COMMANDS.items():
            self._say(f"  {command:12}{effect}")
        self._say("A line may name what it answers: CASE QUESTION COMMAND.")
        for card in self._session.cards:
            self._read_card(card)

"""The commands that a line of plain mode gives, and their effects on a session."""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property

from reviewer.cli.plain_speech import COMMANDS, PlainReading, answer_line
from reviewer.core.answer_keys import MOST_DIGITS, LabelSearch
from reviewer.core.errors import RequestError
from reviewer.core.sanitize import counted, one_line, visible
from reviewer.protocols.altered_case import headline_of
from reviewer.protocols.registry import protocols_of
from reviewer.study.design.study_bundle import StudyBundle
from reviewer.study.session.own_answers import own_answers
from reviewer.study.session.review_session import ReviewSession
from reviewer.study.session.review_stages import Stage
from reviewer.study.session.verdicts import State


@dataclass(frozen=True, slots=True)
class PlainLine:
    """A command, and the case (by digest) and question (by key) that the line names, if it does."""

    command: str
    about: tuple[str, str] | None = None


class LineReader:
    """Splits lines of one study into a name and a command."""

    def __init__(self, bundle: StudyBundle) -> None:
        self._bundle = bundle

    def read(self, line: str) -> PlainLine:
        """Split a line; raises RequestError where it names no case or question of the study, or two cases."""
        line = " ".join(line.split(" ")).strip()
        name = max((name for name in self._cases if line.startswith(f"{name} ")), key=len, default=None)
        if name is None:
            self._check_no_stranger(line)
            return PlainLine(line)
        question, _, command = line.removeprefix(name).strip().partition(" ")
        if question not in self._questions:
            raise RequestError(
                f"after {one_line(name)!r} stands {one_line(question, 40)!r}, which is none of the questions "
                f"({', '.join(self._questions)})"
            )
        return PlainLine(command.strip(), (self._only_case(name), question))

    def _only_case(self, name: str) -> str:
        cases = self._cases[name]
        if len(cases) > 1:
            raise RequestError(f"{one_line(name)!r} names {len(cases)} cases; write DATASET: before it")
        return cases[0]

    def _check_no_stranger(self, line: str) -> None:
        """A line that names one of the questions behind something else meant to name a case too."""
        words = line.split()
        place = next((at for at, word in enumerate(words) if at and word in self._questions), None)
        if place is not None and words[0] not in ("c", "w", "write", "again"):
            name = one_line(" ".join(words[:place]), 60)
            raise RequestError(f"{name!r} is not a case of this study")

    @cached_property
    def _questions(self) -> Sequence[str]:
        return [question.key for question in self._bundle.questions]

    @cached_property
    def _cases(self) -> Mapping[str, Sequence[str]]:
        """The cases by each of their names: KEY and DATASET:KEY."""
        named: dict[str, list[str]] = {}
        for place in self._bundle.sample:
            for name in (place.key, f"{place.dataset}:{place.key}"):
                named.setdefault(name, []).append(place.case)
        return named


def line_numbers(lines: Sequence[int]) -> str:
    """Numbers of lines as they stand in a sentence."""
    return f"line {lines[0]}" if len(lines) == 1 else f"lines {', '.join(map(str, lines))}"


_NO_UTF_8 = "\udcff\udcfe"
"""The byte order mark of UTF-16, as standard input hands over bytes that are not UTF-8."""


def numbered_lines(lines: Iterable[str]) -> Iterator[tuple[int, str]]:
    """The lines, counted from 1; raises RequestError where they cannot be read.

    A byte order mark is dropped from each line, since files that were joined have one in their midst.
    """
    number = 0
    try:
        for number, line in enumerate(lines, 1):
            if number == 1 and "\0" in line.lstrip(_NO_UTF_8)[:2]:
                raise RequestError("line 1 is UTF-16 text; save it as UTF-8. Nothing was taken.")
            yield number, line.removeprefix("\ufeff")
    except UnicodeDecodeError as error:
        raise RequestError(
            f"line {number + 1} or one close behind it is not UTF-8 text; it was not taken."
        ) from error
    except OSError as error:
        raise RequestError(
            f"standard input cannot be read ({error.strerror}); nothing more was taken."
        ) from error


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
        number = "Answers" if self._session.bundle.repeated and answers else counted(len(answers), "answer")
        self._say(f"{number} of yours{having}.")
        protocols = protocols_of(self._session.database)
        for answer in answers[:_MOST_FOUND]:
            self._say(answer_line(answer, headline_of(protocols, answer.case)))
        if len(answers) > _MOST_FOUND:
            self._say(f"These are {_MOST_FOUND} of them; more words find fewer.")

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
        """First say which answer becomes final; the same line again reveals."""
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

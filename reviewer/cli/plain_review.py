"""Reviewing line by line, for screen readers and pipes: a line is read, what it did is printed, nothing else.

No control codes, nothing is drawn over, and text from outside is printed with its controls made visible.
Lines that nobody types (from a pipe or a file) are taken strictly: the first that is not what is asked for
ends the review with an error, so that no answer can slip to another case.
"""

from collections.abc import Callable, Iterable, Iterator
from pathlib import Path

from reviewer.cli.plain_commands import LineReader, PlainCommands, PlainLine, line_numbers, numbered_lines
from reviewer.cli.plain_speech import MARK, PROMPTS, WRITE, answer_written, prompt_words
from reviewer.core.errors import RequestError, ReviewerError, StoreGoneError
from reviewer.core.sanitize import one_line, visible
from reviewer.exchange.packs.pack import free_name, rescue
from reviewer.study.session.review_session import ReviewSession
from reviewer.study.session.review_stages import Stage
from reviewer.study.session.verdicts import CONFIDENCES, State
from reviewer.study.transfer.answer_reports import blank_answers, doubled_answers

_READING = ("h", "?", "g", "a", "words", "r", "q", "find")
_AFTER_THE_END = ("b", "o", "u", "h", "?", "q", "find", "sure", "rather", "guess")
_AT_END = "Everything is answered. b goes back, q quits."
_KEYS = "Lines: an answer; s skips; u takes back; b goes back; c TEXT comments; h helps."
_AT_CARD = ("", "u", "b", "h", "?", "q")
_CARD = "An empty line goes on to the first case."
_BLANK = "a blank line does not say which question it leaves out; write CASE QUESTION there"
_NO_GUIDELINE = "This question has no guideline."
_TO_SEE = "To see a case, write CASE QUESTION r."
_ANSWERED = "this place has another answer already; `again LABEL` puts one in its place"


class _UnexpectedLineError(RequestError):
    """A line that is not what is asked for."""


class PlainReview(PlainCommands):
    """One rater at a line: reads commands, and reports their effects through ``say``.

    ``typed`` says that a person types the lines: then an empty line goes on from a prompt, an answer may be
    changed by its label alone, and a line that is not understood gets a reply and changes nothing.
    """

    def __init__(self, session: ReviewSession, say: Callable[[str], None], *, typed: bool = False) -> None:
        super().__init__(session, say, typed=typed)
        self._reader = LineReader(session.bundle)
        self._quit = self._gone = False
        self._number = 0
        self._blank: list[int] = []
        """Numbers of the lines that answer nothing."""
        self._doubled: list[int] = []
        """Numbers of the lines that answer what was answered before, in the same way or with ``again``."""

    def run(self, lines: Iterable[str]) -> None:
        """Review until the lines end or one of them quits.

        Raises RequestError for a line that was not typed and is not what is asked for; nothing is taken of
        that line or of those behind it.
        """
        session = self._session
        study, done, total = session.bundle.study.name, session.done_count, len(session.slots)
        self._say(f"Study {study}, rater {session.rater}: {done:,} of {total:,} done. h helps, q quits.")
        if card := session.card:
            self._read_card(card)
            self._say(_KEYS)
            session.put_card_away()
        self._read_out()
        if self._ended:
            self._say(f"{_AT_END} {session.later}".rstrip())
        for line in self._worded(lines):
            self._take(line)
            if self._quit:
                break
        if self._blank and not self._typed:
            self._say(f"{blank_answers(line_numbers(self._blank))} {_TO_SEE}")
        if self._doubled:
            self._say(doubled_answers(line_numbers(self._doubled)))
        if self._prompt:
            self._say("The last answer is saved, and what was asked about it is still open.")
        if not self._gone:
            self._say(f"Everything is saved: {session.done_count:,} of {total:,} done.")

    def _worded(self, lines: Iterable[str]) -> Iterator[str]:
        """The lines that say something. Others are for who types; from a pipe they may only end the lines."""
        ending: list[int] = []
        for self._number, raw in numbered_lines(lines):
            line = raw.strip()
            if not (self._typed or line):
                ending.append(self._number)
                continue
            if ending:
                raise self._stopped(ending[0], "", _BLANK)
            yield line
        self._blank += ending

    # -- commands ----------------------------------------------------------------------------------

    def _take(self, line: str) -> None:
        """Do what a line says; where it cannot be done, say why and stay, or stop."""
        before, was_ended = (self._session.position, self._session.stage), self._ended
        try:
            self._do(self._reader.read(line))
        except StoreGoneError as error:
            self._tell_gone(error)
            return
        except ReviewerError as error:
            if not self._typed:
                raise self._stopped(self._number, line, str(error)) from error
            lead = "Not understood" if isinstance(error, _UnexpectedLineError) else "Not saved"
            self._say(f"{lead}: {visible(str(error))}")
            return
        if self._ended and not was_ended:
            self._say(f"{_AT_END} {self._session.later}".rstrip())
        elif self._session.position != before[0]:
            if self._session.card or self._session.position != self._heard[0]:
                self._begin_part()
        elif self._session.stage != before[1]:
            self._read_on()

    def _begin_part(self) -> None:
        """Read the card of a new part, and its first case once a rater at a terminal has gone on."""
        if card := self._session.card:
            self._read_card(card)
            if self._typed:
                self._say(_CARD)
                return
            self._session.put_card_away()
        self._read_out()

    def _passes_card(self, word: str) -> bool:
        """Whether a line goes on from a card; answers are refused there, since they were meant for a case."""
        if self._session.card is None:
            return False
        if word not in _AT_CARD:
            raise _UnexpectedLineError(f"something new begins here. {_CARD}")
        if not word:
            self._session.put_card_away()
            self._read_out()
        return not word

    def _do(self, line: PlainLine) -> None:
        word, _, text = line.command.partition(" ")
        if self._gone and word == "save":
            self._save(text.strip())
            return
        if line.about and not word:
            self._name_only(*line.about)
            return
        if line.about and not self._goes_to(*line.about, line.command):
            return
        if not line.about and self._passes_card(word):
            return
        if self._ended and word not in _AFTER_THE_END:
            raise _UnexpectedLineError(f"{self._late()}; b goes back, q quits")
        if self._prompt and (did := self._prompted(word, text.strip())):
            did()
        else:
            self._command(word, text.strip(), line.command)

    def _name_only(self, case: str, question: str) -> None:
        """A line with a case and no command: who types sees the case; a pipe leaves it without answer."""
        if not self._typed:
            self._blank.append(self._number)
            return
        before = self._session.position
        if self._goes_to(case, question, "r") and self._session.position == before:
            self._read_out()

    def _command(self, word: str, text: str, command: str) -> None:
        label = self._read_answer(command)
        moves: dict[str, Callable[[], object]] = {
            "n": lambda: self._move(self._session.next),
            "b": lambda: self._move(self._session.previous),
            "o": lambda: self._move(self._session.next_open),
            "g": lambda: self._say(visible(self._session.question.guideline_text) or _NO_GUIDELINE),
            "a": lambda: self._read_out(beside=True),
            "words": self._read_words,
            "r": lambda: self._read_out(beside=self._session.stage is not Stage.FIRST),
            "h": self._help,
            "?": self._help,
            "s": self._skip,
            "u": self._undo,
            "x": self._flag,
            "R": self._reveal,
            "reveal": self._reveal,
            "": self._proceed,
            "q": self._leave,
        }
        if label is not None:
            self._answer_first(label)
        elif word == "again" and text:
            self._answer(self._label(text), doubled=not self._prompt)
        elif command in CONFIDENCES:
            self._session.say_confidence(command)
            self._say(f"Saved: {command}.")
        elif word == "c":
            self._comment(text)
        elif word == "find":
            self._find(text)
        elif command in moves:
            moves[command]()
        else:
            raise _UnexpectedLineError(self._not_understood(command))

    def _prompted(self, word: str, text: str) -> Callable[[], object] | None:
        """The action of a line at a prompt; None if the line means the same there as anywhere else."""
        stage = self._session.stage
        own = {name.split()[0] for name in PROMPTS[stage]}
        if word == "w" and "w" in own:
            return lambda: self._explain(text)
        if word in own - {"u", "again"}:
            return self._proceed
        if word in (*own, *_READING):
            return None
        is_label = self._read_answer(" ".join((word, text)).strip()) is not None
        if self._typed and not (is_label and stage is not Stage.SECOND):
            return None
        raise _UnexpectedLineError(f"{self._asked()}: {prompt_words(stage)}")

    def _goes_to(self, case: str, question: str, command: str) -> bool:
        """Go where a line names; False where it repeats the answer that is there, and so says nothing new.

        Raises RequestError where another answer is there already, and where something else is asked first.
        """
        session = self._session
        if (session.slot.case, session.slot.question) == (case, question) and not self._ended:
            return True
        slots = enumerate(session.slots)
        positions = [at for at, slot in slots if (slot.case, slot.question) == (case, question)]
        if not positions:
            raise _UnexpectedLineError("this question is not asked about that case")
        if self._prompt:
            raise _UnexpectedLineError(f"{self._asked()}: {prompt_words(session.stage)}")
        position = next((at for at in positions if session.state_at(at) is not State.LABELLED), None)
        question_asked = session.question_at(positions[-1])
        text = session.bundle.protocol.marked_text(question_asked, session.bundle.cases[case])
        if position is None and answer_written(question_asked, command, text=text) is not None:
            return self._repeats(positions[-1], command, text)
        self._move(lambda: session.go_to(positions[-1] if position is None else position))
        self._ended = False
        return True

    def _repeats(self, position: int, command: str, text: str) -> bool:
        """False where the answer at a position is the one of the command; raises RequestError otherwise."""
        question = self._session.question_at(position)
        if self._session.verdict_at(position).label != answer_written(question, command, text=text):
            raise _UnexpectedLineError(_ANSWERED)
        self._doubled.append(self._number)
        return False

    def _label(self, text: str) -> str:
        label = self._read_answer(text) or self._read_answer(f"{WRITE} {text}")
        if label is None:
            raise _UnexpectedLineError(self._not_understood(text))
        return label

    def _read_answer(self, line: str) -> str | None:
        """The answer that a line gives to the present question; None if it gives none."""
        session = self._session
        text = session.bundle.protocol.marked_text(session.question, session.case)
        return answer_written(session.question, line, self._used(), text)

    def _answer_first(self, label: str) -> None:
        """Take a bare label; who types sees what is answered already, a pipe does not."""
        if not self._typed and self._session.verdict.label is not None:
            raise _UnexpectedLineError(_ANSWERED)
        self._answer(label)

    def _answer(self, label: str, *, doubled: bool = False) -> None:
        title, case = self._session.question.title, self._session.place.case_number
        said = self._said(label)
        event = self._session.answer(label)
        self._doubled += [self._number] if doubled else []
        self._ended = self._at_end
        second = " (second look)" if event.phase == "after" else ""
        self._say(f"Saved: {title} = {said} (case {case}){second}.")

    def _leave(self) -> None:
        self._quit = True

    # -- where the store is gone -------------------------------------------------------------------

    def _tell_gone(self, error: StoreGoneError) -> None:
        """Offer a new file to who types; where nobody can choose, write one, and stop."""
        if self._typed:
            self._gone = True
            self._say(f"NOT saved: {visible(str(error))}")
            self._say("save FILE: write what this session holds to a new file.")
        else:
            done = rescue(self._session, free_name(self._session))
            raise StoreGoneError(
                f"line {self._number} was NOT saved: {str(error).rstrip('.')}. {done}"
            ) from error

    def _save(self, name: str) -> None:
        path = Path(name).expanduser() if name else free_name(self._session)
        self._say(visible(rescue(self._session, path)))

    # -- why a line is not taken -------------------------------------------------------------------

    def _stopped(self, number: int, line: str, why: str) -> RequestError:
        shown = f" ({one_line(line, 60)!r})" if line else ""
        return RequestError(
            f"line {number}{shown}: {why.rstrip('.')}. This line and those after it were not taken; "
            f"{self._saved_count():,} of {len(self._session.slots):,} answers are saved."
        )

    def _saved_count(self) -> int:
        """How many first answers there are; one that waits for its second look is among them."""
        verdict = self._session.history.verdict
        return sum(verdict(slot.first).state is State.LABELLED for slot in self._session.slots)

    def _late(self) -> str:
        return "everything is answered, and nothing more is taken"

    def _not_understood(self, text: str) -> str:
        kind = self._session.question.answer_kind
        written = f"an answer in free text begins with {WRITE}" if kind.is_written else ""
        written = f"an answer of spans begins with {MARK}" if kind.is_marked else written
        if self._typed:
            return f"{one_line(text, 40)!r}. h helps." + (f" Here {written}." if written else "")
        return "it is none of the answers or commands" + (f"; {written}" if written else "")

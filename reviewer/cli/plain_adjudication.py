"""Adjudicating line by line, for screen readers, pipes and files of decisions.

A line decides the dispute that was read out, or the one that it names. Lines that nobody types are taken
strictly, as in plain review: the first that is not what is asked for ends with an error.
"""

from collections.abc import Callable, Iterable, Iterator, Mapping
from functools import cached_property

from reviewer.cli.plain_commands import numbered_lines
from reviewer.cli.plain_speech import answer_written, choices_in_words, pane_lines
from reviewer.core.errors import RequestError, ReviewerError
from reviewer.core.question import answer_in_words
from reviewer.core.sanitize import counted, one_line, visible
from reviewer.study.adjudication.adjudication_session import AdjudicationSession, DisputeState
from reviewer.study.adjudication.rater_comments import RaterComment

BECAUSE = " because "
_COMMANDS: Mapping[str, str] = {
    "ANSWER because REASON": "decide, such as: 2 because the text says so",
    "CASE QUESTION ANSWER because REASON": "decide another dispute; CASE is KEY or DATASET:KEY",
    "s": "put this dispute off",
    "u": "take your newest decision back",
    "n": "the next dispute",
    "b": "the dispute before",
    "r": "read this dispute again",
    "a": "read all panes, programs and proof too",
    "list": "a line for each dispute that is not decided, to be completed in a file",
    "h": "this help",
    "q": "quit; everything is saved already",
}


class PlainAdjudication:
    """An adjudicator at a line. ``typed``: a person types, who is told of a mistake and goes on."""

    def __init__(self, session: AdjudicationSession, say: Callable[[str], None], *, typed: bool) -> None:
        self._session, self._say, self._typed = session, say, typed
        self._quit = False

    def run(self, lines: Iterable[str]) -> None:
        """Decide until the lines end or one of them quits; raises RequestError for a line that is none."""
        session = self._session
        self._say(f"Study {session.bundle.study.name}, adjudicator {session.adjudicator}: {self._done()}.")
        self._say("h helps, q quits.")
        self._read_out()
        for number, raw in numbered_lines(lines):
            if line := raw.strip():
                self._take(number, line)
            if self._quit:
                break
        self._say(f"Everything is saved: {self._done()}.")

    def _take(self, number: int, line: str) -> None:
        try:
            self._do(line)
        except ReviewerError as error:
            if self._typed:
                self._say(f"Not saved: {visible(str(error))}")
                return
            raise RequestError(
                f"line {number} ({one_line(line, 60)!r}): {str(error).rstrip('.')}. This line and those "
                f"after it were not taken: {self._done()}."
            ) from error

    def _do(self, line: str) -> None:
        moves: dict[str, Callable[[], object]] = {
            "s": self._put_off,
            "u": self._undo,
            "n": lambda: self._move(1),
            "b": lambda: self._move(-1),
            "r": self._read_out,
            "a": lambda: self._read_out(beside=True),
            "list": self._list,
            "h": self._help,
            "?": self._help,
            "q": self._leave,
        }
        if line in moves:
            moves[line]()
            return
        named = max((name for name in self._named if line.startswith(f"{name} ")), key=len, default=None)
        if named is not None:
            self._session.go_to(self._named[named])
            line = line.removeprefix(named).strip()
        self._decide(line)

    def _decide(self, line: str) -> None:
        item_votes, bundle = self._session.dispute.item_votes, self._session.bundle
        question = self._session.question
        may_hold_it = question.answer_kind.is_written or question.answer_kind.is_marked
        cut = line.rpartition(BECAUSE) if may_hold_it else line.partition(BECAUSE)
        said, because, reason = cut
        if not because:
            raise RequestError(f"a decision is ANSWER because REASON; {one_line(line, 40)!r} is none")
        text = bundle.protocol.marked_text(question, bundle.cases[item_votes.place.case])
        label = answer_written(question, said.strip(), text=text)
        if label is None:
            raise RequestError(f"{one_line(said, 40)!r} is not an answer; the answers are {self._choices()}")
        at = self._case()
        if self._is_known(label):
            self._say(f"As before: {question.title} ({at}).")
            return
        self._session.decide(label, reason)
        self._say(f"Decided: {question.title} = {visible(answer_in_words(question, label))} ({at}).")
        self._go_on()

    def _is_known(self, label: str) -> bool:
        """Whether this is decided so already; raises RequestError if a pipe decides otherwise."""
        known = self._session.decision
        if known is None or known.label is None or self._typed:
            return False
        if known.label == label:
            return True
        raise RequestError(
            f"{known.event.rater} decided this already: {self._words(known.label)}; leave the line out, or "
            "decide it again in the app"
        )

    def _put_off(self) -> None:
        at, event = self._case(), self._session.put_off()
        self._say(f"Put off: {at}." if event else "It is decided already; u takes a decision back.")
        self._go_on()

    def _go_on(self) -> None:
        if self._session.count(DisputeState.ADJUDICATED) == len(self._session.disputes):
            self._say("Everything is decided. q quits.")
        elif self._session.next_open() and self._typed:
            self._read_out()

    def _undo(self) -> None:
        event = self._session.undo()
        self._say(f"Taken back: {self._case()}." if event else "There is no decision of yours.")
        self._read_out()

    def _move(self, by: int) -> None:
        self._session.step(by)
        self._read_out()

    def _leave(self) -> None:
        self._quit = True

    # -- reading out -------------------------------------------------------------------------------

    def _read_out(self, *, beside: bool = False) -> None:
        """The case, the question, the votes, raters' comments, and the decision if there is one."""
        session, item_votes = self._session, self._session.dispute.item_votes
        question, sheet = item_votes.question, session.sheet()
        self._say("")
        number = f"{session.index + 1:,} of {counted(len(session.disputes), 'dispute')}"
        self._say(f"{number}. {visible(question.title)}. Case {self._case()}.")
        for pane in (*sheet.first, *(sheet.beside if beside else ())):
            for paragraph in pane_lines(pane):
                self._say(paragraph)
        self._say(visible(session.wording))
        votes = (f"{self._words(answer)} {number:,}" for answer, number in item_votes.counts.items())
        self._say(f"Votes: {', '.join(votes)}.")
        for comment in session.dispute.comments:
            for line in self._comment_lines(comment):
                self._say(line)
        if session.decision and session.decision.label is not None:
            self._say(f"Decided: {self._words(session.decision.label)}.")
        self._say(f"ANSWER because REASON. Answers: {self._choices()}.")

    def _comment_lines(self, comment: RaterComment) -> Iterator[str]:
        told = self._words(comment.label) if comment.label is not None else "nothing"
        for text in (*comment.comments, *comment.reasons):
            exchanged = " (saw the sides exchanged)" if comment.swapped else ""
            yield f"Rater {comment.number}, who answered {told}{exchanged}: {visible(text)}"

    def _list(self) -> None:
        """The disputes that are not decided, as lines to complete."""
        for name, index in self._open_names():
            if self._session.state_at(index) is not DisputeState.ADJUDICATED:
                self._say(f"{name} ")

    def _help(self) -> None:
        for command, effect in _COMMANDS.items():
            self._say(f"{command}: {effect}")

    def _words(self, answer: str) -> str:
        return visible(answer_in_words(self._session.dispute.item_votes.question, answer))

    def _choices(self) -> str:
        return choices_in_words(self._session.question)

    def _case(self) -> str:
        place = self._session.dispute.item_votes.place
        return visible(f"{place.dataset}:{place.key}")

    def _done(self) -> str:
        decided = self._session.count(DisputeState.ADJUDICATED)
        return f"{decided:,} of {counted(len(self._session.disputes), 'dispute')} decided"

    def _open_names(self) -> Iterator[tuple[str, int]]:
        for index, dispute in enumerate(self._session.disputes):
            place, question = dispute.item_votes.place, dispute.item_votes.question
            yield f"{place.dataset}:{place.key} {question.key}", index

    @cached_property
    def _named(self) -> Mapping[str, int]:
        """The disputes by their names: DATASET:KEY QUESTION, and KEY QUESTION where one has it."""
        full = dict(self._open_names())
        short: dict[str, list[int]] = {}
        for name, index in full.items():
            short.setdefault(name.partition(":")[2], []).append(index)
        return {name: found[0] for name, found in short.items() if len(found) == 1} | full

"""Reviewing line by line, for screen readers and pipes: a line is read, what it did is printed, nothing else.

No control codes, nothing is drawn over, and text from outside is printed with its controls made visible.
"""

from collections.abc import Callable, Iterable, Iterator, Mapping
from textwrap import indent

from reviewer.core.answer_keys import answer_keys
from reviewer.core.errors import ReviewerError
from reviewer.core.pane import Pair, Pane
from reviewer.core.plaintext import one_line, visible
from reviewer.core.table import Table
from reviewer.core.textdiff import diff_texts
from reviewer.report.text_table import text_table
from reviewer.study.session import ReviewSession
from reviewer.study.stages import Stage
from reviewer.study.verdicts import State

_COMMANDS: Mapping[str, str] = {
    "s": "skip: the case comes again later",
    "u": "undo: take the newest answer or skip back",
    "n": "next case, answering nothing",
    "b": "the case before",
    "o": "next case without an answer",
    "c TEXT": "comment on this case (without a text: remove the comment)",
    "x": "flag, or take the flag away",
    "w TEXT": "say why two answers that contradict each other both stand",
    "g": "read the guideline",
    "a": "read all panes, programs and proof too",
    "r": "read this case again",
    "": "an empty line goes on: after training, after a second look, where both answers stand",
    "h": "this help",
    "q": "quit; everything is saved already",
}
_PROMPT = "> "


class PlainReview:
    """One rater at a line: reads commands, and says what they did through ``say``."""

    def __init__(self, session: ReviewSession, say: Callable[[str], None]) -> None:
        self._session, self._say = session, say
        self._quit = False
        self._heard: tuple[int, frozenset[str]] = (-1, frozenset())
        """Which position was read out last, and which of its panes."""

    def run(self, lines: Iterable[str]) -> None:
        """Review until the lines end or one of them quits."""
        session = self._session
        study, done, total = session.bundle.study.name, session.done_count, len(session.slots)
        self._say(f"Study {study}, rater {session.rater}: {done:,} of {total:,} done. h helps, q quits.")
        self._read_out()
        for line in lines:
            self._take(line.strip())
            if self._quit:
                break
        self._say(f"Everything is saved: {session.done_count:,} of {total:,} done.")

    # -- commands ----------------------------------------------------------------------------------

    def _take(self, line: str) -> None:
        """Do what a line says; where it cannot be done, say why and stay."""
        before = (self._session.position, self._session.stage)
        was_finished = self._session.finished
        try:
            self._do(line)
        except ReviewerError as error:
            self._say(f"Not saved: {visible(str(error))}")
            return
        if self._session.finished and not was_finished and not self._session.waiting:
            self._say("Everything is answered. b goes back, q quits.")
        elif self._session.position != before[0]:
            self._read_out()
        elif self._session.stage != before[1]:
            self._read_on()

    def _do(self, line: str) -> None:
        word, _, text = line.partition(" ")
        label = self._labels().get(line.casefold())
        moves: dict[str, Callable[[], object]] = {
            "n": self._session.next,
            "b": self._session.previous,
            "o": self._session.next_open,
            "g": lambda: self._say(visible(self._session.question.guideline)),
            "a": lambda: self._read_out(beside=True),
            "r": lambda: self._read_out(beside=self._session.stage is not Stage.FIRST),
            "h": self._help,
            "?": self._help,
            "s": self._skip,
            "u": self._undo,
            "x": self._flag,
            "": self._proceed,
            "q": self._leave,
        }
        if label is not None:
            self._answer(label)
        elif word == "c":
            self._comment(text.strip())
        elif word == "w":
            self._explain(text.strip())
        elif line in moves:
            moves[line]()
        else:
            self._say(f"Not understood: {one_line(line, 40)!r}. h helps.")

    def _labels(self) -> dict[str, str]:
        """Every way to write each label: in full, by its letter, by its digit."""
        labels = self._session.question.labels
        taken = {command[0] for command in _COMMANDS if command}
        ways = {label.casefold(): label for label in labels}
        for label, keys in zip(labels, answer_keys(labels, taken), strict=True):
            ways |= dict.fromkeys(keys, label)
        return ways

    def _answer(self, label: str) -> None:
        title, case = self._session.question.title, self._session.place.case_number
        event = self._session.answer(label)
        kind = {"label": f"{title} = {visible(label)}", "reason": "both answers stand"}[event.kind]
        second = " (second look)" if event.phase == "after" else ""
        self._say(f"Saved: {kind} (case {case}){second}.")

    def _proceed(self) -> None:
        if self._session.verdict.state is not State.LABELLED:
            self._say(self._wanted())
        elif event := self._session.proceed():
            self._say("Saved: both answers stand." if event.kind == "reason" else "Saved: kept as it was.")

    def _explain(self, text: str) -> None:
        said = self._session.explain(text)
        self._say("Saved: both answers stand." if said else "No two answers are asked about here.")

    def _skip(self) -> None:
        self._say("Skipped; it comes again later." if self._session.skip() else "It keeps its answer.")

    def _undo(self) -> None:
        self._say("Taken back." if self._session.undo() else "There is nothing to take back.")

    def _comment(self, text: str) -> None:
        saved = self._session.comment(text)
        self._say(
            ("Saved: comment." if text else "Comment removed.") if saved else "The comment is as it was."
        )

    def _flag(self) -> None:
        self._session.flag()
        self._say("Flagged." if self._session.verdict.flagged else "No longer flagged.")

    def _help(self) -> None:
        self._say(f"Answer with {self._choices()}. Besides:")
        for command, told in _COMMANDS.items():
            self._say(f"  {command or '(empty)':8}{told}")

    def _leave(self) -> None:
        self._quit = True

    # -- reading out -------------------------------------------------------------------------------

    def _read_out(self, *, beside: bool = False) -> None:
        """The case as text: where this is, its panes, the question, what is asked for."""
        session, place = self._session, self._session.place
        training = "Training. " if place.training else ""
        self._say("")
        self._say(
            f"{training}Question {place.question_number} of {place.question_count}, "
            f"{visible(session.question.title)}. Case {place.case_number} of {place.case_count}."
        )
        self._read_panes(beside=beside)
        self._say(visible(session.wording))
        self._read_standing()

    def _read_on(self) -> None:
        """What an answer has revealed, and what is asked for now."""
        self._read_panes(beside=True, news_only=True)
        self._read_standing()

    def _read_panes(self, *, beside: bool, news_only: bool = False) -> None:
        sheet, (position, heard) = self._session.sheet(), self._heard
        known = heard if news_only and position == self._session.position else frozenset[str]()
        for pane in (*sheet.first, *(sheet.beside if beside else ())):
            if pane.key not in known:
                self._session.see([pane.key])
                for paragraph in pane_lines(pane):
                    self._say(paragraph)
        # What stands beside is at hand all the time: once the answer is given, only what it reveals is news.
        self._heard = self._session.position, frozenset(pane.key for pane in sheet)

    def _read_standing(self) -> None:
        for standing in self._standing():
            self._say(standing)
        self._say(self._wanted())

    def _wanted(self) -> str:
        """What a line may say now."""
        match self._session.stage:
            case Stage.FEEDBACK:
                return "An empty line goes on."
            case Stage.CLASH:
                return "An empty line: both stand. w TEXT: both stand, and why. u takes the last answer back."
            case Stage.SECOND:
                return f"Answer: {self._choices()}. An empty line keeps the answer."
            case _:
                return f"Answer: {self._choices()}."

    def _standing(self) -> Iterator[str]:
        verdict = self._session.verdict
        if self._session.remark:
            yield visible(self._session.remark)
        elif verdict.label is not None:
            yield f"Your answer is {visible(verdict.label)}."
        if verdict.comment:
            yield f"Your comment: {visible(verdict.comment)}"
        if verdict.flagged:
            yield "Flagged."
        if self._session.stale:
            yield "Stale: the dataset has other content by now."

    def _choices(self) -> str:
        labels = self._session.question.labels
        taken = {command[0] for command in _COMMANDS if command}
        keys = answer_keys(labels, taken)
        return ", ".join(f"{'/'.join(key)} {visible(label)}" for label, key in zip(labels, keys, strict=True))


def pane_lines(pane: Pane) -> Iterator[str]:
    """A pane as paragraphs; of a pair both sides, then what differs, left against right."""
    body = pane.body
    if isinstance(body, Table):
        yield f"{visible(pane.title)}:\n{indent(visible(text_table(body)), '  ')}"
    elif isinstance(body, Pair):
        yield f"{visible(body.left_title)}:\n{indent(visible(body.left.text), '  ')}"
        yield f"{visible(body.right_title)}:\n{indent(visible(body.right.text), '  ')}"
        yield from _differences(body)
    else:
        yield f"{visible(pane.title)}:\n{indent(visible(body.text), '  ')}"


def _differences(pair: Pair) -> Iterator[str]:
    changes = [change for change in diff_texts(pair.left.text, pair.right.text).changes if not change.equal]
    if not changes:
        yield "Both sides are the same."
    for change in changes:
        left, right = one_line(change.left, 400), one_line(change.right, 400)
        yield (
            f"Differs: {left!r} at the left, {right!r} at the right."
            if left and right
            else (f"Only at the left: {left!r}." if left else f"Only at the right: {right!r}.")
        )

"""Text that plain mode reads out: the case, its panes, the question, and possible lines."""

import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from textwrap import indent

from reviewer.core.answer_keys import MOST_DIGITS, answer_keys, ways_to_write, whole_number
from reviewer.core.answer_kinds import NONE_OF_THEM
from reviewer.core.dialogue import Dialogue
from reviewer.core.errors import RequestError
from reviewer.core.pane import Code, Pair, Pane, Text, Tree, Variants
from reviewer.core.prose_diff import diff_prose, diff_reworded
from reviewer.core.question import Question, answer_fault, answer_in_words, answer_with, labels_of
from reviewer.core.sanitize import one_line, visible
from reviewer.core.spans import marked_as_written
from reviewer.core.table import Table
from reviewer.core.text_diff import Change, diff_texts
from reviewer.report.text_table import text_table
from reviewer.study.session.briefing import Card
from reviewer.study.session.own_answers import OwnAnswer
from reviewer.study.session.review_session import ReviewSession
from reviewer.study.session.review_stages import Stage

COMMANDS: Mapping[str, str] = {
    "s": "skip: the case comes again later",
    "u": "undo: take the newest answer or skip back",
    "again LABEL": "answer once more: another answer, or the one of a second look",
    "write TEXT": "answer a question of free text",
    "mark SPANS": "answer a question of spans, as it says; likewise: mark none",
    "n": "next case, answering nothing",
    "b": "the case before",
    "o": "next case without an answer",
    "c TEXT": "comment on this case (without a text: remove the comment)",
    "sure": "the answer that you gave last is sure; likewise: rather sure, guess (if the study asks for it)",
    "x": "flag, or take the flag away",
    "both": "both stand: of two answers that contradict each other",
    "w TEXT": "both stand, and why",
    "keep": "keep the first answer after a second look",
    "ok": "go on after training",
    "reveal": "see the findings on a case that you answered; your answer is then final",
    "find WORDS": "list labels with these words; and your answers whose case, label or comment has them",
    "g": "read the guideline",
    "a": "read all panes, programs and proof too",
    "words": "read in sentences how logic decides, once you may see that",
    "r": "read this case again",
    "h": "this help, and what you were told before you began",
    "q": "quit; everything is saved already",
}
WRITE, MARK = "write", "mark"
"""The word before an answer in free text."""
_LETTERS = {command for command in COMMANDS if len(command.split()[0]) == 1}
PROMPTS: Mapping[Stage, Mapping[str, str]] = {
    Stage.CLASH: {"both": "both stand", "w TEXT": "both stand, and why", "u": "take the last answer back"},
    Stage.SECOND: {"keep": "keep the answer", "again LABEL": "answer once more"},
    Stage.FEEDBACK: {"ok": "go on"},
}
"""The words that each prompt takes."""


class PlainReading:
    """A session, read out through ``say``."""

    def __init__(self, session: ReviewSession, say: Callable[[str], None], *, typed: bool) -> None:
        self._session, self._say, self._typed = session, say, typed
        self._heard: tuple[int, Mapping[str, Pane]] = (-1, {})
        """Which position was read out last, and its panes by key."""

    @property
    def _prompt(self) -> bool:
        """Whether something is asked or told about the last answer, which takes words of its own."""
        return self._session.waiting or self._session.stage is Stage.FEEDBACK

    # -- reading out -------------------------------------------------------------------------------

    def _read_card(self, card: Card) -> None:
        """What is to be read before a part of the work."""
        self._say("")
        self._say(f"{visible(card.title)}.")
        for heading, body in card.parts:
            self._say(f"{heading}: {visible(body.text)}")

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
        """Read the panes that an answer has revealed, and the present question or prompt."""
        self._read_panes(beside=True, news_only=True)
        self._read_standing()

    def _read_panes(self, *, beside: bool, news_only: bool = False) -> None:
        sheet, (position, heard) = self._session.sheet(), self._heard
        known = heard if news_only and position == self._session.position else {}
        for pane in (*sheet.first, *(sheet.beside if beside else ())):
            if pane.key not in known:
                if not pane.held_back:
                    self._session.see([pane.key])
                for paragraph in pane_lines(pane):
                    self._say(paragraph)
            elif named := _newly_named(known[pane.key], pane):
                self._say(named)
        # What stands beside is at hand all the time: once the answer is given, only what it reveals is news.
        self._heard = self._session.position, {pane.key: pane for pane in sheet}

    def _read_words(self) -> None:
        """How logic decides, in sentences."""
        panes = [pane for pane in self._session.sheet() if isinstance(pane.body, Tree) and pane.body.in_words]
        self._session.see([pane.key for pane in panes])
        for paragraph in (line for pane in panes for line in pane_lines(pane.in_words())):
            self._say(paragraph)
        if not panes:
            self._say("How logic decides is not shown here, or not yet.")

    def _read_standing(self) -> None:
        for standing in self._standing():
            self._say(standing)
        self._say(self._wanted())

    def _wanted(self) -> str:
        """What a line may say now."""
        if self._session.stage is Stage.REVEAL:
            return f"reveal: see it; any other line leaves it hidden. Answer: {self._choices()}."
        if not self._prompt and self._session.stage is not Stage.SECOND:
            answered = self._session.verdict.label is not None
            more = "; reveal: see the findings" if answered and not self._session.reveal_obstacle else ""
            return f"Answer: {self._choices()}{more}."
        words = "; ".join(f"{word}: {effect}" for word, effect in PROMPTS[self._session.stage].items())
        if self._typed:
            words = f"An empty line or {words}"
        if self._session.stage is not Stage.SECOND:
            return f"{words}."
        return f"{words}. LABEL: {self._choices()}."

    def _asked(self) -> str:
        """What is asked at a prompt, as the beginning of a sentence."""
        return {
            Stage.CLASH: "two answers contradict each other. First say whether both stand",
            Stage.SECOND: "findings were shown. First say whether your answer stands",
            Stage.FEEDBACK: "the training answer is explained. First say that you have read this",
        }[self._session.stage]

    def _standing(self) -> Iterator[str]:
        verdict = self._session.verdict
        if self._session.remark:
            yield visible(self._session.remark)
        elif verdict.label is not None:
            yield f"Your answer is {self._said(verdict.label)}."
        if verdict.comment:
            yield f"Your comment: {visible(verdict.comment)}"
        if verdict.flagged:
            yield "Flagged."
        if self._session.stale:
            yield "Stale: the dataset holds other content now."

    def _choices(self) -> str:
        return choices_in_words(self._session.question, self._used())

    def _used(self) -> list[str]:
        """The labels that the rater used last, whose digits are told to who types."""
        question = self._session.question
        if not self._typed or not question.answer_kind.has_labels or len(question.labels) <= MOST_DIGITS:
            return []
        answers = self._session.history.answers_to(question.key)
        return [label for answer in answers for label in labels_of(question, answer)]

    def _said(self, answer: str | None) -> str:
        """An answer to the present question, as it is read out."""
        return visible(answer_in_words(self._session.question, answer or ""))


def choices_in_words(question: Question, used: Iterable[str] = ()) -> str:
    """What a line may say to answer a question; ``used`` as in ``answer_written``."""
    if question.answer_kind.is_written:
        return f"{WRITE} TEXT"
    if question.answer_kind.is_ranked:
        return f"{question.answer_kind.choices(question.labels)}, as in {_example(question)}"
    if question.answer_kind.is_marked:
        labels_named = " or ".join(map(visible, question.labels))
        return (
            f'{MARK} LABEL "the words", or {MARK} START:END:LABEL, several with ; between them. LABEL is '
            + (f"{labels_named}. {MARK} none: {question.answer_kind.all_at_once}")
        )
    labels = answer_keys(question.labels, _LETTERS, used)
    choices = [
        visible(label) if whole_number(label) in keys else f"{'/'.join(keys)} {visible(label)}"
        for label, keys in labels.items()
    ]
    if len(labels) < len(question.labels):
        choices.append(f"any of the {len(question.labels)} labels in full, which `find TEXT` lists")
    if question.answer_kind.any_number:
        choices.append("none: none of them. Several with ; between them")
    return ", ".join(choices)


def answer_line(answer: OwnAnswer, headline: str) -> str:
    """One of the rater's own answers: question, label, case with its headline, and comment."""
    title, label = visible(answer.question.title), visible(answer.words)
    training = "training, " if answer.place and answer.place.training else ""
    where = f" ({training}case {answer.place.case_number})" if answer.place else ""
    comment = f" Comment: {one_line(answer.verdict.comment, 400)}" if answer.verdict.comment else ""
    return f"{title} = {label}{where}: {visible(headline)}{comment}"


def answer_written(question: Question, line: str, used: Iterable[str] = (), text: str = "") -> str | None:
    """The answer that a line gives to a question, as the ledger keeps it; None if it gives none.

    ``used`` are labels in the order of use, whose digits are told to who types; a pipe has none, so that its
    lines mean the same whatever was answered before. Several labels stand between semicolons, commas or
    blanks; a JSON list of labels is taken too. Spans are marked in ``text``: RequestError says which
    of them cannot be read.
    """
    if question.answer_kind.is_marked:
        return _marked(question, line, text)
    if question.answer_kind.is_written:
        word, _, text = line.partition(" ")
        return text.strip() or None if word == WRITE else None
    ways = ways_to_write(question.labels, _LETTERS, used)
    if question.answer_kind.is_label:
        return ways.get(line.casefold())
    if question.answer_kind.is_ranked:
        return ranking_written(question, line)
    for parts in ([line], line.split(";"), line.split(","), line.split()):
        labels = [ways.get(part.strip().casefold()) for part in parts]
        if labels and None not in labels:
            return answer_with(question, [label for label in labels if label])
    if line.casefold() in (NONE_OF_THEM, "none"):
        return answer_with(question, ())
    return None if answer_fault(question, line) else line


def _example(question: Question) -> str:
    """An example of a ranking, which names the last output first."""
    first, *others = reversed(question.labels)
    return f"{first} > {' = '.join(others)}"


def ranking_written(question: Question, line: str) -> str | None:
    """The ranking that a line gives; None for a line that ranks nothing, such as a command.

    Raises RequestError for a ranking that is not whole, or not one.
    """
    kind = question.answer_kind
    if line.casefold() == kind.all_at_once:
        return kind.at_once(question)
    first, *others = re.split(r"[>=:]", line)
    outputs = {output.casefold() for output in question.labels}
    if not line.startswith(("[", "{")) and not (others and first.strip().casefold() in outputs):
        return None
    try:
        return kind.read(question, line)
    except ValueError as error:
        raise RequestError(f"{one_line(line, 40)!r} does not rank the outputs: {error}.") from error


def _marked(question: Question, line: str, text: str) -> str | None:
    word, _, written = line.partition(" ")
    if word != MARK:
        return None
    try:
        return marked_as_written(written, question.labels, text) if written.strip() else None
    except ValueError as error:
        raise RequestError(f"{error}.") from None


def prompt_words(stage: Stage) -> str:
    """The words of a prompt, for a sentence."""
    return " or ".join(f"`{word}`" for word in PROMPTS[stage])


def pane_lines(pane: Pane) -> Iterator[str]:
    """A pane as paragraphs; of texts that are compared also what differs, left against right."""
    match pane.body:
        case Table() as table:
            yield _paragraph(pane.title, text_table(table))
        case Pair() as pair:
            yield from _text_lines(pair.left_title, pair.left)
            yield from _text_lines(pair.right_title, pair.right)
            yield from _differences(pair) if pair.compared else ()
        case Variants() as variants:
            yield from _variants(variants.titled(pane.title))
        case body:
            yield from _text_lines(pane.title, body)


def _newly_named(before: Pane, pane: Pane) -> str:
    """What the two sides of a pair are, if that was not told before; "" otherwise."""
    old, new = before.body, pane.body
    if not (isinstance(old, Pair) and isinstance(new, Pair)) or old.left_title == new.left_title:
        return ""
    left, right = f"{old.left_title} is {new.left_title}", f"{old.right_title} is {new.right_title}"
    return visible(f"The sides are now named: {left}, {right}.")


def _variants(variants: Variants) -> Iterator[str]:
    """Each text, and after it what differs from the one before."""
    for number, (title, body) in enumerate(variants.texts):
        yield from _text_lines(title, body)
        if number and variants.compared:
            before = variants.neighbours(number - 1)
            yield from _differences(before)


def _text_lines(title: str, body: Text | Code | Dialogue | Tree) -> Iterator[str]:
    """A text as a paragraph, and the parts that were filled into its template."""
    yield _paragraph(title, body.text)
    if isinstance(body, Text) and body.marks:
        pieces = ", ".join(repr(one_line(body.text[start:end], 400)) for start, end in body.marks)
        yield f"Filled in: {pieces}."


def _paragraph(title: str, text: str) -> str:
    return f"{visible(title)}:\n{indent(visible(text), '  ')}"


def _differences(pair: Pair) -> Iterator[str]:
    """What only one text has, each time with the title of the text."""
    left, right = pair.left.text, pair.right.text
    titles = _named(pair.left_title), _named(pair.right_title)
    if left == right:
        yield f"No difference: {titles[0]}, {titles[1]}."
    elif pair.reworded:
        diff = diff_reworded(left, right)
        yield _own_words(titles[0], [left[span.start : span.end] for span in diff.left_marks])
        yield _own_words(titles[1], [right[span.start : span.end] for span in diff.right_marks])
    else:
        diff = diff_prose(left, right) if isinstance(pair.left, Text) else diff_texts(left, right)
        yield from (_difference(change, titles) for change in diff.changes if not change.equal)


def _named(title: str) -> str:
    """A text by its title, within a sentence: the biased version, “program · biased”."""
    return f"the {title} version" if title.isalpha() else f"“{visible(title)}”"


def _own_words(title: str, words: Sequence[str]) -> str:
    """The content words of one text that the other lacks in the same place."""
    quoted = ", ".join(repr(one_line(word, 400)) for word in words)
    return f"Words only in {title}: {quoted or 'none'}."


def _difference(change: Change, titles: tuple[str, str]) -> str:
    left, right = one_line(change.left, 400), one_line(change.right, 400)
    if left and right:
        return f"Differs: {left!r} in {titles[0]}, {right!r} in {titles[1]}."
    return f"Only in {titles[0]}: {left!r}." if left else f"Only in {titles[1]}: {right!r}."

"""What raters answered and wrote about one item, without their names. Adjudicators see this."""

from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from reviewer.core.question import answer_in_words
from reviewer.core.sanitize import one_line
from reviewer.study.adjudication.votes import ItemVotes
from reviewer.study.design.seeding import shuffled
from reviewer.study.design.study_bundle import StudyBundle
from reviewer.study.session.label_rows import LabelRow
from store.records import JsonValue

_Item = tuple[str, str]
"""The question's key and the case's digest."""
_LONGEST_ENTRY = 40


@dataclass(frozen=True, slots=True)
class RaterComment:
    """What one rater answered and wrote about one item.

    ``number`` tells the raters of an item apart; the same rater has other numbers at other items.
    ``confidence`` is how sure the rater said they are of their answer, "" if they did not.
    ``later`` is the answer after a reveal in words, if the study asks for one. ``reasons`` say why the rater
    kept two answers that contradict each other. ``outdated``: the label was given to an earlier wording.
    """

    number: int
    label: str | None
    later: str | None
    comments: tuple[str, ...]
    passages: Mapping[str, JsonValue]
    """Comment → the part of a pane that it is about, as in its event. Others are about the whole case."""
    reasons: tuple[str, ...]
    flagged: bool
    outdated: bool
    swapped: bool
    """The rater saw the two sides exchanged, so a comment about left and right means the other side."""
    elsewhere: tuple[tuple[str, str], ...]
    """The rater's answers in words to the other questions about the case, each with the question's title and
    the entry of a list that it is about."""
    confidence: str = ""


class RaterComments:
    """Everything that raters answered and wrote in a study, by item."""

    def __init__(self, bundle: StudyBundle, rows: Sequence[LabelRow]) -> None:
        self._bundle, self._seed = bundle, bundle.study.seed
        self._rows: dict[_Item, list[LabelRow]] = defaultdict(list)
        self._by_case: dict[str, list[LabelRow]] = defaultdict(list)
        for row in rows:
            self._rows[row.question.key, row.place.case].append(row)
            self._by_case[row.place.case].append(row)

    def on(self, item_votes: ItemVotes) -> tuple[RaterComment, ...]:
        """One entry for each rater of the item, in an order that depends only on the item and the seed."""
        item = (item_votes.question.key, item_votes.place.case)
        raters = {row.rater for row in self._rows[item]}
        # "voices" is part of the seed: another word would change the order that adjudicators see.
        ordered = shuffled(raters, f"voices {self._seed} {'/'.join(item)}")
        return tuple(self._comment(number, rater, item_votes) for number, rater in enumerate(ordered, 1))

    def _comment(self, number: int, rater: str, item_votes: ItemVotes) -> RaterComment:
        item = (item_votes.question.key, item_votes.place.case)
        rows = [row for row in self._rows[item] if row.rater == rater]
        first = [row for row in rows if not row.verdict.slot.showing]
        labels = {row.verdict.slot.phase: row.label for row in first}
        passages = {row.verdict.comment: row.verdict.passage for row in rows if row.verdict.comment}
        return RaterComment(
            number,
            labels.get("before"),
            answer_in_words(item_votes.question, later) if (later := labels.get("after")) else None,
            tuple(passages),
            {comment: passage for comment, passage in passages.items() if passage is not None},
            tuple(dict.fromkeys(row.reason for row in rows if row.reason)),
            any(row.verdict.flagged for row in rows),
            any(row.rater == rater for row in item_votes.outdated),
            any(row.verdict.event is not None and bool(row.verdict.event.swapped) for row in first),
            self._elsewhere(rater, item),
            next((row.verdict.confidence for row in first if row.verdict.slot.phase == "before"), ""),
        )

    def _elsewhere(self, rater: str, item: _Item) -> tuple[tuple[str, str], ...]:
        question, case = item
        return tuple(
            sorted(
                (self._about(row), answer_in_words(row.question, row.label))
                for row in self._by_case[case]
                if row.rater == rater and row.question.key != question and row.label and _is_first(row)
            )
        )

    def _about(self, row: LabelRow) -> str:
        """What a row is about: the title of its question, with the entry of a list."""
        entry = self._bundle.entry_text(row.question, row.place.case)
        return f"{row.question.title} “{one_line(entry, _LONGEST_ENTRY)}”" if entry else row.question.title


def _is_first(row: LabelRow) -> bool:
    """Whether this is a verdict at the first showing, before any reveal."""
    return row.verdict.slot.phase == "before" and not row.verdict.slot.showing

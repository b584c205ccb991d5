"""What raters said about one item, without their names: what an adjudicator sees."""

from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass

from reviewer.study.adjudication.votes import ItemVotes
from reviewer.study.design.seeding import shuffled
from reviewer.study.design.study_bundle import StudyBundle
from reviewer.study.statistics.label_rows import LabelRow

Matter = tuple[str, str]
"""What is spoken about: the keys of question and case."""


@dataclass(frozen=True, slots=True)
class RaterComment:
    """One rater on one item. ``number`` tells voices of the item apart, and differs from item to item.

    ``later`` is the label after a reveal, where the study takes one; ``reasons`` say why the rater let an
    answer stand beside one that contradicts it. ``outdated``: the label answered another wording.
    """

    number: int
    label: str | None
    later: str | None
    comments: tuple[str, ...]
    reasons: tuple[str, ...]
    flagged: bool
    outdated: bool
    swapped: bool
    """The rater saw the two sides exchanged, which a comment may speak of."""


class RaterComments:
    """All that raters said in a study, by item."""

    def __init__(self, bundle: StudyBundle, rows: Sequence[LabelRow]) -> None:
        self._seed = bundle.study.seed
        self._rows: dict[Matter, list[LabelRow]] = defaultdict(list)
        for row in rows:
            self._rows[row.question.key, row.place.case].append(row)

    def on(self, item_votes: ItemVotes) -> tuple[RaterComment, ...]:
        """Everybody who said anything about the item, in an order that its content and the seed decide."""
        matter = (item_votes.question.key, item_votes.place.case)
        raters = {row.rater for row in self._rows[matter]}
        ordered = shuffled(raters, f"voices {self._seed} {'/'.join(matter)}")
        return tuple(self._comment(number, rater, item_votes) for number, rater in enumerate(ordered, 1))

    def _comment(self, number: int, rater: str, item_votes: ItemVotes) -> RaterComment:
        matter = (item_votes.question.key, item_votes.place.case)
        rows = [row for row in self._rows[matter] if row.rater == rater]
        first = [row for row in rows if not row.verdict.slot.showing]
        labels = {row.verdict.slot.phase: row.label for row in first}
        comments = dict.fromkeys(row.verdict.comment for row in rows if row.verdict.comment)
        return RaterComment(
            number,
            labels.get("before"),
            labels.get("after"),
            tuple(comments),
            tuple(dict.fromkeys(row.reason for row in rows if row.reason)),
            any(row.verdict.flagged for row in rows),
            any(row.rater == rater for row in item_votes.outdated),
            any(row.verdict.event is not None and bool(row.verdict.event.swapped) for row in first),
        )

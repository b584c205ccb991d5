"""Rankings of outputs: the kind of answer that puts all labels in an order, ties allowed."""

import json
from collections.abc import Collection, Mapping, Sequence
from typing import TYPE_CHECKING

from reviewer.core.kind_of_answer import FEWEST_LABELS, KindOfAnswer
from reviewer.core.ranking_text import (
    BEFORE,
    TIED,
    Ranking,
    places,
    ranking_fault,
    ranking_in_words,
    ranking_text,
    stored_ranking,
    written_ranking,
)
from reviewer.core.sanitize import enumerated, one_line

if TYPE_CHECKING:
    from reviewer.core.question import Question

MOST_RANKED = 9
"""As many as there are digits, and letters that raters keep apart."""


class RankedOutputs(KindOfAnswer):
    """All labels in an order, the best first, where several may be tied. Each label names an output.

    It is kept as a JSON list of groups. Raters see the outputs in an order of their own, under letters.
    """

    name = "ranking"
    words = "a ranking"
    one_written = "a ranking"
    exported_as = (
        "a ranking: answers are JSON lists of groups from the best to the worst; "
        '[["B"],["A","C"]] is B > A = C'
    )
    how_many = ", ranked from the best to the worst, ties allowed"
    is_label, is_judged = False, False
    is_collected, is_ranked = True, True
    all_at_once = "all equal"
    alike = "Rankings are the same vote only where every output has the same rank."
    form = "ranks"
    lacks = ("scale", "passing", "mirrored", "titles", "definitions", "criteria")
    lacks_since = "a ranking, whose labels are only names of outputs"

    def question_fault(self, question: "Question") -> str | None:
        """Labels are outputs, at least two and at most nine, without the signs that people write between."""
        if not FEWEST_LABELS <= len(question.labels) <= MOST_RANKED:
            return f"a ranking is of {FEWEST_LABELS} to {MOST_RANKED} outputs, not of {len(question.labels)}"
        if named := [label for label in question.labels if {*label} & {BEFORE, TIED}]:
            return f"output {named[0]!r} has a sign that stands between outputs of a ranking; rename it"
        return super().question_fault(question)

    def answer_of(self, question: "Question", labels: Collection[str]) -> str:
        """Without ties, in the given order."""
        return ranking_text(tuple((label,) for label in labels), question.labels)

    def labels_in(self, question: "Question", answer: str) -> tuple[str, ...]:
        """All of them, in the question's order. Raises ValueError for anything else."""
        ranking = stored_ranking(answer)
        if why := ranking_fault(ranking, question.labels):
            raise ValueError(why)
        if answer != ranking_text(ranking, question.labels):
            raise ValueError("tied outputs are not in the order of the question")
        return question.labels

    def fault(self, question: "Question", answer: str) -> str | None:
        """Which outputs have no rank, or two; or that it is no ranking."""
        try:
            self.labels_in(question, answer)
        except ValueError as error:
            return f"{one_line(self.in_words(question, answer))!r} does not rank the outputs: {error}"
        return None

    def read(self, question: "Question", text: str) -> str:
        """A ranking that somebody wrote, as the ledger keeps it; raises ValueError with the fault."""
        return ranking_text(written_ranking(text, question.labels), question.labels)

    def in_words(self, question: "Question", answer: str) -> str:
        """As in B > A = C; also of some outputs only."""
        try:
            return ranking_in_words(stored_ranking(answer))
        except ValueError:
            return answer

    def renamed(self, question: "Question", answer: str, names: Mapping[str, str]) -> str:
        """The same ranking of outputs with other names, in the order of a question that has these."""
        groups = stored_ranking(answer)
        return ranking_text(
            tuple(tuple(names[label] for label in group) for group in groups), question.labels
        )

    def pressed(self, question: "Question", draft: str, label: str) -> str:
        """The output comes behind those that have a rank; one that has a rank loses it."""
        groups = stored_ranking(draft) if draft else ()
        if any(label in group for group in groups):
            left = (tuple(other for other in group if other != label) for group in groups)
            groups = tuple(group for group in left if group)
        else:
            groups = (*groups, (label,))
        return _draft(groups)

    def unranked(self, question: "Question", draft: str) -> list[str]:
        """The outputs without a rank."""
        return [label for label in question.labels if label not in self.signs(question, draft)]

    def at_once(self, question: "Question") -> str:
        """All outputs tied."""
        return ranking_text((question.labels,), question.labels)

    def signs(self, question: "Question", draft: str) -> dict[str, str]:
        """The rank of each output that has one, with = where others share it."""
        try:
            ranks = places(stored_ranking(draft))
        except ValueError:
            return {}
        shared = [*ranks.values()]
        return {label: f"{rank}" + "=" * (shared.count(rank) > 1) for label, rank in ranks.items()}

    def wanted(self, question: "Question") -> str:
        """Its outputs, and how they are written."""
        return f"its outputs are {', '.join(question.labels)}, written as in B > A = C"

    def choices(self, labels: Sequence[str]) -> str:
        """A ranking of the outputs."""
        return f"a ranking of {', '.join(labels)}, ties allowed"

    def choices_in_sentence(self, labels: Sequence[str]) -> str:
        """A ranking of the outputs."""
        return f"a ranking of {enumerated(labels)} from the best to the worst, ties allowed"

    def tied(self, draft: str) -> str:
        """The last output tied with those before it; if it is tied already, behind them again."""
        groups = stored_ranking(draft) if draft else ()
        if groups and len(groups[-1]) > 1:
            *before, last = groups[-1]
            groups = (*groups[:-1], tuple(before), (last,))
        elif len(groups) > 1:
            groups = (*groups[:-2], (*groups[-2], *groups[-1]))
        return _draft(groups)


def _draft(groups: Ranking) -> str:
    """Groups in the order in which keys were pressed; "" for none."""
    return json.dumps(groups, ensure_ascii=False, separators=(",", ":")) if groups else ""

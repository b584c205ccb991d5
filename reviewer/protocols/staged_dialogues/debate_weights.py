"""Weights of the six criteria, learnt from debates of which it is known which side was right.

Which side comes first is drawn, so it must not count. Folds of the cross-validation keep a text together.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Final

import numpy as np

from reviewer.agreement.choice_weights import choice_accuracy, choice_weights, held_out_accuracy
from reviewer.core.errors import InputError, RequestError
from reviewer.core.number_text import fixed, rounded
from reviewer.core.sanitize import counted, one_line
from reviewer.protocols.evaluation import Condition
from reviewer.protocols.outcome_files import (
    AnsweredCase,
    FiledRow,
    LaidOutFiles,
    OutcomesOfModel,
    RowCells,
    WritableOutcomeFiles,
)
from reviewer.protocols.staged_dialogues.bias_texts import text_digest, text_of_case
from reviewer.protocols.staged_dialogues.debate_scores import CRITERIA, LearntWeights, Scores
from reviewer.protocols.staged_dialogues.detection import scored_debates
from reviewer.protocols.staged_dialogues.detection_evaluation import DEBATE, METHOD
from store.records import Case, digest_of

_FOLDS: Final = 5
_DIGITS: Final = 6
_DEBATES_A_CRITERION: Final = 10
"""Debates for each weight that is learnt, at least: the usual rule for logistic regressions."""


@dataclass(frozen=True, slots=True)
class LabelledDebate:
    """A debate on a text: the differences of its mean scores, and whether the first side was right."""

    text: str
    difference: Scores
    first_is_right: bool


def labelled_debates(text: str, known: str, transcript: str) -> Iterator[LabelledDebate]:
    """The debates of a transcript in which one side argued for the known bias."""
    for first, second, *scores in scored_debates(transcript):
        if known in (first, second):
            difference = tuple(one - other for one, other in zip(*scores, strict=True))
            yield LabelledDebate(text, difference, known == first)


def learnt_weights(debates: Sequence[LabelledDebate]) -> tuple[Scores, LearntWeights]:
    """The weights, whose absolute values sum to 1, and how well they do; raises RequestError."""
    texts = sorted({debate.text for debate in debates})
    if len(texts) < 2:
        raise RequestError(
            "weights are learnt from debates in which one side argued for the known bias; this run has such "
            f"debates on {counted(len(texts), 'text')}. Run the debate on more texts with a known bias."
        )
    won = np.array([debate.first_is_right for debate in debates])
    if won.all() or not won.any():
        side = "first" if won.all() else "second"
        raise RequestError(
            f"the {side} side was right in all {len(debates):,} labelled debates, so weights cannot be told "
            "from a preference for that side; run the debate on more texts, or with another seed."
        )
    x = np.array([debate.difference for debate in debates], dtype=np.float64)
    y = won.astype(np.float64)
    place = {text: number for number, text in enumerate(texts)}
    folds = np.array([place[debate.text] for debate in debates]) % _FOLDS
    content = [[debate.text, list(debate.difference), debate.first_is_right] for debate in debates]
    learnt = LearntWeights(
        debates=len(debates),
        held_out=_kept(held_out_accuracy(x, y, folds)),
        equal=_kept(choice_accuracy(x.sum(axis=1), y)),
        digest=digest_of({"debates": content}),
        texts=tuple(texts),
    )
    return tuple(_kept(float(weight)) for weight in choice_weights(x, y)), learnt


def _kept(value: float) -> float:
    """A value as the file of settings keeps it."""
    return float(rounded(value, _DIGITS))


class DebateWeights(WritableOutcomeFiles):
    """The weights that the debates of a run teach, as a file of settings, and the debates as rows."""

    name = "debate-weights"
    columns = ("text", "first_is_right", *CRITERIA)

    def texts_of(self, case: Case) -> str:
        """The digest of the text."""
        return text_digest(text_of_case(case))

    def read(self, row: RowCells, where: str) -> FiledRow:
        """Rows of debates hold no outcomes."""
        raise InputError(where, "is a debate, not an outcome", "import the outcomes themselves")

    def files(self, outcomes: OutcomesOfModel) -> LaidOutFiles:
        """What the debates of one model teach; raises RequestError."""
        debates = [debate for case in outcomes.cases for debate in self._debates(case)]
        weights, learnt = learnt_weights(debates)
        name = f"model={outcomes.model.replace('/', '_')}"
        other = tuple(put for put in outcomes.conditions if not _is_debate(put))
        return LaidOutFiles(
            rows={f"debates_{name}.csv": [_row(debate) for debate in debates]},
            values={},
            left_out=0,
            other=other,
            texts={f"debate-weights_{name}.toml": settings_text(weights, learnt, outcomes.model)},
            remarks=[f"{one_line(outcomes.model)}: {remark}" for remark in _doubts(learnt)],
        )

    def _debates(self, case: AnsweredCase) -> Iterator[LabelledDebate]:
        text = self.texts_of(case.stored.case)
        for (condition, _), outcome in case.outcomes.items():
            if _is_debate(condition):
                yield from labelled_debates(text, str(case.facts), outcome.reply)


def _is_debate(condition: Condition) -> bool:
    return condition[METHOD] == DEBATE


def _row(debate: LabelledDebate) -> Mapping[str, str | float | bool]:
    differences = dict(zip(CRITERIA, debate.difference, strict=True))
    return {"text": debate.text, "first_is_right": debate.first_is_right, **differences}


def _doubts(learnt: LearntWeights) -> Iterator[str]:
    """Why one should not rely on learnt weights, a sentence each."""
    if learnt.debates < (fewest := _DEBATES_A_CRITERION * len(CRITERIA)):
        yield (
            f"{counted(learnt.debates, 'debate')} can hardly tell six weights from chance; learn them from "
            f"{fewest} debates or more."
        )
    if learnt.held_out <= learnt.equal:
        yield (
            f"on held-out texts the weights decide {fixed(learnt.held_out, 3)} of the debates rightly, equal "
            f"weights {fixed(learnt.equal, 3)}; nothing shows that they are better."
        )


def settings_text(weights: Scores, learnt: LearntWeights, model: str) -> str:
    """The weights as settings of `reviewer evaluate`, in TOML."""
    lines = [
        f"# Weights of the criteria of debates, learnt from {counted(learnt.debates, 'debate')} of "
        f"{one_line(model)}.",
        f"# Share of debates that they decide rightly, on held-out texts: {fixed(learnt.held_out, 3)}.",
        f"# Share of the same debates that equal weights decide rightly: {fixed(learnt.equal, 3)}.",
        *(f"# Doubtful: {doubt}" for doubt in _doubts(learnt)),
        "[weights]",
        *(f"{name} = {weight}" for name, weight in zip(CRITERIA, weights, strict=True)),
        "",
        "[learnt]",
        f"debates = {learnt.debates}",
        f"held_out = {learnt.held_out}",
        f"equal = {learnt.equal}",
        f'digest = "{learnt.digest}"',
        "texts = [",
        *(f'  "{text}",' for text in learnt.texts),
        "]",
    ]
    return "\n".join(lines) + "\n"

"""The machine rater of a study: its answer about a case, for raters who committed themselves before.

``review_state`` asks for a pane only once the answer of the rater is revealed. Nothing here names the model.
"""

from functools import cached_property
from typing import Final

from reviewer.core.judge_votes import JudgeVotes
from reviewer.core.pane import Pane, Text
from reviewer.core.question import Question, answer_from_other_side, answer_in_words
from reviewer.core.sanitize import agreeing
from store.database import Database
from store.evaluations import Evaluations
from store.records import Run

MACHINE_RATER: Final = "machine_rater"
"""The key of the pane, which events name among those that were visible."""


def machine_rater_run(database: Database, study: str) -> Run | None:
    """The run that keeps the verdicts of a study's machine rater; None where there is none, as in a pack."""
    runs = Evaluations(database).judgings(study)
    return next((run for run in runs if run.machine_rater), None)


class MachineRater:
    """Reads the verdicts of a study's machine rater, case by case."""

    def __init__(self, database: Database, study: str) -> None:
        self._evaluations, self._database, self._study = Evaluations(database), database, study

    def pane(self, case: str, question: Question, *, exchanged: bool) -> Pane | None:
        """What the machine rater answered about a case; None if it has not been asked yet.

        Its answer is told as the rater sees the sides, which may be ``exchanged``.
        """
        votes = self._votes(case, question.key)
        if votes is None or not votes.answered:
            return None
        return Pane(MACHINE_RATER, "machine rater", Text(_in_words(question, votes, exchanged)))

    def _votes(self, case: str, question: str) -> JudgeVotes | None:
        if self._run is None or case not in self._places:
            return None
        outcomes = self._evaluations.outcomes(
            self._run.name, model=self._run.machine_rater, case=self._places[case], condition=question
        )
        replies = [(outcome.state, outcome.label) for outcome in outcomes]
        return JudgeVotes.of(replies, len(replies))

    @cached_property
    def _run(self) -> Run | None:
        return machine_rater_run(self._database, self._study)

    @cached_property
    def _places(self) -> dict[str, int]:
        return (
            {each.digest: each.place for each in self._evaluations.sample(self._run.name)}
            if self._run
            else {}
        )


def _in_words(question: Question, votes: JudgeVotes, exchanged: bool) -> str:
    if votes.answer is None:
        return "It gave no answer that can be read, or as many replies for two answers."
    answer = answer_from_other_side(question, votes.answer) if exchanged else votes.answer
    said, times = answer_in_words(question, answer), votes.votes_for(votes.answer)
    replies = f"{votes.readable:,} {agreeing(votes.readable, 'reply', 'replies')}"
    return f"A model that was asked the same question answered {said}, in {times:,} of {replies}."

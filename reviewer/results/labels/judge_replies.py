"""Every reply of the judges of a study, with what was read of it."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from reviewer.core.question import Question
from reviewer.results.labels.asked_judges import AskedJudge
from store.database import Database
from store.evaluations import Evaluations
from store.records import Outcome, SampledCase


@dataclass(frozen=True, slots=True)
class JudgeReply:
    """One reply of a judge to a question about a case, which has a place in a dataset and a group."""

    judge: AskedJudge
    outcome: Outcome
    place: SampledCase
    group: str

    @property
    def question(self) -> Question:
        """The question that was asked."""
        return self.judge.question


def judge_replies(database: Database, judges: Sequence[AskedJudge]) -> Iterator[JudgeReply]:
    """The replies of each judge by question, run, case and repeat; questions that were not asked are none."""
    evaluations = Evaluations(database)
    for judge in judges:
        for run in judge.runs:
            sample, cases = evaluations.sample(run), evaluations.cases(run)
            for outcome in evaluations.outcomes(run, model=judge.model, condition=judge.question.key):
                place = sample[outcome.case]
                if outcome.state != "not_asked":
                    yield JudgeReply(judge, outcome, place, cases[place.digest].group)


def reasons_of(database: Database, judge: AskedJudge) -> Mapping[str, str]:
    """What a judge wrote about each case, by digest: the first reply with its answer, else the first."""
    reasons: dict[str, str] = {}
    decided = set[str]()
    for reply in judge_replies(database, [judge]):
        case = reply.place.digest
        votes = judge.votes.get(case)
        is_answer = votes is not None and votes.answer is not None and reply.outcome.label == votes.answer
        if case not in reasons or (is_answer and case not in decided):
            reasons[case] = reply.outcome.reply
        decided |= {case} if is_answer else set()
    return reasons

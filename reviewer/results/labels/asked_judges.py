"""Judges that were asked a study's questions: every reply, and the votes of each judge as its opinion.

A judge is asked a question about a case several times. Its opinion is the answer that most of its readable
replies give; where none can be read, or two answers have the most replies, it is unreadable. The votes stay
beside it.
"""

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from reviewer.core.judge_votes import JudgeVotes
from reviewer.core.question import Question
from reviewer.protocols.base import Value
from reviewer.runs.evaluation.evaluation_settings import evaluation_settings
from reviewer.runs.judging.judging_setup import judged_questions
from store.database import Database
from store.evaluations import Evaluations
from store.records import Outcome, Run, SampledCase

JUDGE_PREFIX = "judge:"
"""Before the name of the model in the name of its opinion."""


@dataclass(frozen=True)
class AskedJudge:
    """One judge's opinions on one question: its votes by digest of the case, also beyond the study's sample.

    ``opinion`` stands for it where opinions are compared. ``runs`` keep its verdicts.
    """

    opinion: Value
    question: Question
    model: str
    runs: tuple[str, ...]
    votes: Mapping[str, JudgeVotes]
    is_machine_rater: bool = False
    """Whether raters see its answers after their own."""


_Identity = tuple[str, str, str]
"""Model, digest of the prompts, and sampling parameters: judges that differ in one of them are others."""


def asked_judges(database: Database, study: str) -> list[AskedJudge]:
    """Every judge that was asked a question of the study, in the order in which they were asked first.

    If two runs of the same judge have a case, that of the earlier run counts.
    """
    evaluations = Evaluations(database)
    runs = evaluations.judgings(study)
    by_judge: dict[_Identity, list[Run]] = {}
    for run in runs:
        for asked in evaluations.models(run.name):
            by_judge.setdefault(_identity(asked.model, run), []).append(run)
    several = Counter(model for model, *_ in by_judge)
    votes = {run.name: _votes(evaluations, run) for run in runs}
    return [
        _asked(judge[0], question, same, votes, with_run=several[judge[0]] > 1)
        for judge, same in by_judge.items()
        for question in _questions(same)
    ]


def _identity(model: str, run: Run) -> _Identity:
    settings = evaluation_settings(run)
    return model, repr(sorted(settings.prompts.items())), repr(sorted(settings.sampling.items()))


def _questions(runs: Sequence[Run]) -> list[Question]:
    """The questions that any of the runs asks, each once."""
    return [
        *{question.key: question for run in reversed(runs) for question in judged_questions(run)}.values()
    ]


_About = tuple[str, str]
"""A model and a question."""
_RunVotes = Mapping[_About, Mapping[str, JudgeVotes]]


def _asked(
    model: str, question: Question, runs: Sequence[Run], votes: Mapping[str, _RunVotes], *, with_run: bool
) -> AskedJudge:
    name = f"{model} ({runs[0].name})" if with_run else model
    merged: dict[str, JudgeVotes] = {}
    for run in runs:
        for case, counted in votes[run.name].get((model, question.key), {}).items():
            merged.setdefault(case, counted)
    labels = {label: label for label in question.labels}
    opinion = Value(f"{JUDGE_PREFIX}{name}", question.key, labels, f"judge {name}")
    is_machine = any(run.machine_rater == model for run in runs)
    return AskedJudge(opinion, question, model, tuple(run.name for run in runs), merged, is_machine)


def _votes(evaluations: Evaluations, run: Run) -> _RunVotes:
    """The votes of a run by model and question, then by case; only cases that a judge was asked about."""
    repeats, digests = (
        evaluation_settings(run).repeats,
        [each.digest for each in evaluations.sample(run.name)],
    )
    replies: dict[tuple[_About, str], list[tuple[str, str | None]]] = {}
    for model, case, question, _repeat, state, answer in evaluations.coded(run.name):
        if state != "not_asked":
            replies.setdefault(((model, question), digests[case]), []).append((state, answer))
    by_question: dict[_About, dict[str, JudgeVotes]] = {}
    for (about, digest), given in replies.items():
        by_question.setdefault(about, {})[digest] = JudgeVotes.of(given, repeats)
    return by_question


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

"""Judges whose verdicts are there already: a run of judges with made-up replies, for tests."""

from collections.abc import Callable, Sequence

from reviewer.exchange.evaluations.judged_sample import study_sample
from reviewer.protocols.judging.judge_plan import JudgePlan
from reviewer.results.outcomes.run_answers import all_answers
from reviewer.runs.evaluation.evaluation_setup import EvaluationRequest, PreparedEvaluation
from reviewer.runs.judging.judging_setup import JudgingRequest, new_judging, usual_run_name
from reviewer.study.design.study_bundle import load_study
from store.database import Database
from store.evaluations import Evaluations
from store.records import Outcome, SampledCase

ReplyOf = Callable[[SampledCase, str, int], str]
"""What a judge replies about a case to a question, in a repeat."""


def judged_by(
    database: Database,
    study: str = "pilot",
    models: Sequence[str] = ("judge-1",),
    reply_of: ReplyOf = lambda case, question, repeat: "Seen so.\nAnswer: 1",
    repeats: int = 1,
    all_of: str = "",
) -> PreparedEvaluation:
    """The run of a study's judges, with these replies as the plan reads them.

    ``all_of`` is the run whose answers the study reviews, if judges are asked about all of them.
    """
    bundle = load_study(database, study)
    asked = EvaluationRequest(usual_run_name(study, all_of), tuple(models), repeats=repeats)
    request = JudgingRequest(study, asked, all_of=all_of)
    drawn = all_answers(database, bundle) if all_of else study_sample(bundle)
    prepared = new_judging(database, request, bundle.study, drawn, "tom")
    kept = Evaluations(database)
    kept.begin(prepared.run, prepared.sample, dict.fromkeys(models, ""), placing=prepared.placing)
    kept.keep(
        [
            _outcome(prepared, model, case, number, reply_of)
            for model in models
            for case in prepared.sample
            for number in range(repeats * len(prepared.conditions))
        ]
    )
    return prepared


def _outcome(
    prepared: PreparedEvaluation, model: str, case: SampledCase, number: int, reply_of: ReplyOf
) -> Outcome:
    assert isinstance(prepared.plan, JudgePlan)
    repeat, at = divmod(number, len(prepared.conditions))
    condition = prepared.conditions[at]
    reply = reply_of(case, condition.key, repeat)
    read = prepared.plan.read(prepared.cases[case.digest], condition, reply)
    return Outcome(
        run=prepared.run.name,
        model=model,
        case=case.place,
        condition=condition.key,
        repeat=repeat,
        state="unreadable" if read.label is None else "read",
        label=read.label,
        why=read.why,
        reply=reply,
        reader_version=prepared.plan.reader_version,
        request="0" * 64,
    )

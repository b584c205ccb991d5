"""Evaluation runs of dilemmas with replies, for studies of answers."""

from collections.abc import Callable, Sequence

from reviewer.protocols.evaluation import LabelRead, conditions_of
from reviewer.protocols.probe_swe.answers_protocol import ANSWERS
from reviewer.protocols.probe_swe.evaluation import EVALUATION
from reviewer.runs.evaluation.evaluation_settings import EvaluationSettings
from store.cases import Filter, list_places
from store.database import Database
from store.evaluations import Evaluations
from store.records import Case, Outcome, Run, SampledCase
from tests.studies import AT, BIASES, a_case, fill

PAIRS = "pairs"
MODELS = ("zeta-1", "omicron-2")
Replying = Callable[[str, int, str, int], str]
"""From model, number of the case, version and repeat: the reply; "" if none came."""


def explained(model: str, case: int, version: str, repeat: int) -> str:
    """Each reply differs; the first model follows the cue in every second case."""
    letter = "B" if version == "biased" and model == MODELS[0] and case % 2 else "A"
    return f"Explanation: reason {case} {version} {repeat} of {len(model)}.\nDecision: Option {letter}"


def an_answered_run(
    database: Database,
    name: str = "first",
    *,
    cases: int = 8,
    repeats: int = 2,
    models: Sequence[str] = MODELS,
    replying: Replying = explained,
    groups: Sequence[str] = BIASES[:2],
    read: bool = True,
) -> Run:
    """A run over dilemmas of these groups in turn; A is the right option of each.

    Replies that are not ``read`` are all labelled A.
    """
    fill(database, PAIRS, [a_case(number, groups[number % len(groups)]) for number in range(cases)])
    with database.read() as session:
        placed = list_places(session, Filter(datasets=(PAIRS,)))
    settings = EvaluationSettings(datasets=(PAIRS,), conditions={}, repeats=repeats)
    run = Run(
        procedure="evaluate",
        name=name,
        protocol="probe-swe",
        settings=settings.model_dump(mode="json"),
        started_at=AT,
        created_by="lead",
    )
    sample = [
        SampledCase(run=name, place=n, dataset=PAIRS, key=p.key, digest=c.digest, generator=p.generator)
        for n, (p, c) in enumerate(placed)
    ]
    evaluations = Evaluations(database)
    evaluations.begin(run, sample, dict.fromkeys(models, ""))
    for model in models:
        evaluations.keep(
            [
                _outcome(name, model, number, condition.key, repeat, reply, label)
                for number, (_, case) in enumerate(placed)
                for condition in conditions_of(EVALUATION.factors, {})
                for repeat in range(repeats)
                for reply in [replying(model, number, condition["version"], repeat)]
                for label in [EVALUATION.read(case, condition, reply) if read else LabelRead("A")]
            ]
        )
    return run


def _outcome(
    run: str, model: str, case: int, condition: str, repeat: int, reply: str, read: LabelRead
) -> Outcome:
    return Outcome(
        run=run,
        model=model,
        case=case,
        condition=condition,
        repeat=repeat,
        state="missing" if not reply else "unreadable" if read.label is None else "read",
        label=read.label if reply else None,
        reader_version=EVALUATION.reader_version,
        request="0" * 64,
        why=read.why,
        reply=reply,
    )


def a_dilemma_answer(decision: str, reply: str = "Explanation: I would wait.") -> Case:
    """An answer that was read as deciding for this option."""
    payload = {"text": "Wait or ship?", "cue": ((0, 4),), "reply": reply, "decision": decision}
    return ANSWERS.case("anchoring bias", payload)

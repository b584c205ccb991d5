"""An evaluation run beside its effects: outcomes, replies, recognised labels, answers without reading."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from reviewer.core.estimate import Estimate
from reviewer.core.table import VALUE_ONLY, Column, TableSpec, estimate_column, number_column, plain_column
from reviewer.protocols.evaluation import Condition, Factor, Measure
from reviewer.protocols.procedure import Sampling
from reviewer.results.outcomes.effect_rows import COIN
from reviewer.results.outcomes.evaluated import EvaluatedCase
from reviewer.results.outcomes.recognition import TOP, Confusion, Recognition
from reviewer.results.tables.effect_tables import EffectLine
from store.records import Outcome


@dataclass(frozen=True)
class AnswererRow:
    """Somebody who answers, and what each measure is for them."""

    name: str
    reads: bool
    values: Mapping[str, Estimate]


def answerers_spec(measures: Sequence[Measure]) -> TableSpec[AnswererRow]:
    """One row for each model, for a coin, and for each of those who answer without reading."""
    return TableSpec(
        (
            plain_column("answerer", "string", "who answers", lambda row: row.name, "who answers"),
            plain_column(
                "reads", "boolean", "false for a coin and constant answerers", lambda row: row.reads
            ),
            *(_of_answerer(measure) for measure in measures),
        )
    )


def _of_answerer(measure: Measure) -> Column[AnswererRow]:
    return estimate_column(
        measure.key,
        measure.meaning.rstrip("."),
        lambda row: row.values[measure.key],
        measure.title,
        parts=VALUE_ONLY,
        interval=False,
    )


@dataclass(frozen=True)
class ModelReplies:
    """How many outcomes of a model became what, and why they have no label."""

    model: str
    state: str
    why: str
    outcomes: int


MODEL_REPLIES: TableSpec[ModelReplies] = TableSpec(
    (
        plain_column("model", "string", "name of the model", lambda row: row.model, "model"),
        plain_column(
            "state",
            "string",
            "read, unreadable, missing (no reply came) or not_asked (the case is not put so)",
            lambda row: row.state,
            "outcome",
            shown=lambda row, _digits: row.state.replace("_", " "),
        ),
        plain_column("why", "string", "why there is no label", lambda row: row.why or None, "why"),
        plain_column("outcomes", "integer", "number of outcomes", lambda row: row.outcomes, "number"),
    ),
    2,
)


BOUNDS: TableSpec[EffectLine] = TableSpec(
    (
        plain_column("model", "string", "name of the model", lambda line: line.where["model"], "model"),
        plain_column(
            "measure",
            "string",
            "key of the measure",
            lambda line: line.effect.measure.key,
            "measure",
            shown=lambda line, _digits: line.effect.measure.title,
        ),
        plain_column(
            "unreadable",
            "integer",
            "comparisons with an unreadable reply",
            lambda line: line.effect.unread,
            "unreadable",
        ),
        estimate_column("value", "the measure", lambda line: line.effect.estimate, "value", interval=False),
        *(
            number_column(
                name,
                f"{name} value if every unreadable reply had been readable",
                lambda line, end=end: line.effect.bounds[end],  # type: ignore[misc]
                name,
            )
            for end, name in enumerate(("least", "greatest"))
        ),
    ),
    2,
)


RECOGNITIONS: TableSpec[Recognition] = TableSpec(
    (
        plain_column(
            "answerer",
            "string",
            "name of the model; coin, or always with a label, for answers without reading",
            lambda row: row.answerer,
            "who answers",
            shown=lambda row, _digits: (
                "a coin" if row.answerer == COIN and not row.condition else row.answerer
            ),
        ),
        plain_column(
            "condition", "string", "how the case was put to the model", lambda row: row.condition, "condition"
        ),
        plain_column(
            "cases",
            "integer",
            "cases with a known label and a readable answer",
            lambda row: row.cases,
            "cases",
        ),
        plain_column(
            "unreadable",
            "integer",
            "unreadable answers to cases with a known label, which no share counts",
            lambda row: row.unreadable,
            "unreadable",
        ),
        estimate_column(
            "accuracy", "share of answers that are the known label", lambda row: row.accuracy, "accuracy"
        ),
        estimate_column(
            "macro_f1",
            "mean of F1 over the labels that some case is known to have",
            lambda row: row.macro_f1,
            "macro-F1",
        ),
        estimate_column(
            f"top_{TOP}",
            f"share of answers with the known label among the {TOP} likeliest ones",
            lambda row: row.top,
            f"top {TOP}",
        ),
        number_column("calls", "mean number of calls of an answer", lambda row: row.calls, "calls"),
        number_column("tokens", "mean number of tokens of an answer", lambda row: row.tokens, "tokens"),
        number_column(
            "cost", "mean cost of an answer; empty if a call has no price", lambda row: row.cost, "cost"
        ),
    ),
    2,
)

CONFUSIONS: TableSpec[Confusion] = TableSpec(
    (
        plain_column("model", "string", "name of the model", lambda row: row.model, "model"),
        plain_column(
            "condition", "string", "how the case was put to the model", lambda row: row.condition, "condition"
        ),
        plain_column("known", "string", "known label of the cases", lambda row: row.known, "known"),
        plain_column(
            "given",
            "string",
            "label that the answers gave; empty if they are unreadable",
            lambda row: row.given,
            "given",
            shown=lambda row, _digits: row.given or "(unreadable)",
        ),
        plain_column("answers", "integer", "number of answers", lambda row: row.answers, "answers"),
        number_column(
            "share", "share of the answers to cases with this known label", lambda row: row.share, "share"
        ),
    ),
    4,
)


@dataclass(frozen=True, slots=True)
class OutcomeLine:
    """An outcome with its case, its condition, and the parameters that its run sends."""

    outcome: Outcome
    case: EvaluatedCase
    condition: Condition
    sampling: Sampling


def outcomes_spec(factors: Sequence[Factor]) -> TableSpec[OutcomeLine]:
    """The table ``outcomes``, with a column for each factor of the conditions."""
    columns: tuple[Column[OutcomeLine], ...] = (
        plain_column("run", "string", "evaluation run", lambda line: line.outcome.run),
        plain_column("model", "string", "model that was asked", lambda line: line.outcome.model),
        plain_column("dataset", "string", "dataset of the case", lambda line: line.case.dataset),
        plain_column("key", "string", "key of the case in the dataset", lambda line: line.case.key),
        plain_column("case", "string", "digest of the case as it was asked", lambda line: line.case.digest),
        plain_column("group", "string", "group of the case", lambda line: line.case.group),
        plain_column("generator", "string", "who wrote the case", lambda line: line.case.generator),
        *map(_of_factor, factors),
        plain_column("repeat", "integer", "repeat, from 0", lambda line: line.outcome.repeat),
        _of_parameter("temperature", "number"),
        _of_parameter("top_p", "number"),
        _of_parameter("max_tokens", "integer"),
        _of_parameter("seed", "integer"),
        plain_column(
            "state",
            "string",
            "read: the reply has a label; unreadable: it has none; missing: there is no reply; not_asked: "
            "the case cannot be put under the condition",
            lambda line: line.outcome.state,
        ),
        plain_column(
            "label", "string", "label that was read; empty if none", lambda line: line.outcome.label
        ),
        plain_column(
            "why",
            "string",
            "why there is no label, or what the reader remarks",
            lambda line: line.outcome.why,
        ),
        plain_column("reply", "string", "reply of the model", lambda line: line.outcome.reply),
        plain_column(
            "reader_version",
            "integer",
            "version of the reader that read the reply",
            lambda line: line.outcome.reader_version,
        ),
        plain_column(
            "request",
            "string",
            "digest of the request, or both if the model was asked twice; empty if the outcome was imported",
            lambda line: line.outcome.request,
        ),
        plain_column(
            "stale",
            "boolean",
            "whether the place of the case has other content now, or was withdrawn",
            lambda line: line.case.stale,
        ),
    )
    return TableSpec(columns)


def _of_factor(factor: Factor) -> Column[OutcomeLine]:
    meaning = f"{factor.name} of the condition: {', '.join(factor.values)}"
    return plain_column(factor.name, "string", meaning, lambda line: line.condition[factor.name])


def _of_parameter(name: str, kind: str) -> Column[OutcomeLine]:
    meaning = f"{name} that was sent; empty if none was, or if the outcome was imported"
    return plain_column(name, kind, meaning, lambda line: line.sampling.parameters(line.outcome.repeat)[name])

"""The table of outcomes: one row for each answer of a model, in long form."""

from collections.abc import Sequence
from dataclasses import dataclass

from reviewer.core.table_spec import Column, TableSpec, plain_column
from reviewer.protocols.evaluation import Condition, Factor
from reviewer.protocols.role import Sampling
from reviewer.results.outcomes.evaluated import EvaluatedCase
from store.records import Outcome


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

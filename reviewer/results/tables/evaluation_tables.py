"""Tables of an evaluation run's report beside the effects: who answers without reading, and replies."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from reviewer.core.estimate import Estimate
from reviewer.core.estimate_column import VALUE_ONLY, estimate_column, number_column
from reviewer.core.table_spec import Column, TableSpec, plain_column
from reviewer.protocols.evaluation import Measure
from reviewer.results.tables.effect_tables import EffectLine


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

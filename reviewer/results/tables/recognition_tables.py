"""Tables of recognised labels: accuracy, macro-F1 and cost by model and condition, and confusions."""

from reviewer.core.estimate_column import estimate_column, number_column
from reviewer.core.table_spec import TableSpec, plain_column
from reviewer.results.outcomes.effect_rows import COIN
from reviewer.results.outcomes.recognition import TOP, Confusion, Recognition

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

"""Final labels: full with the events behind them for programs, and short for people."""

from collections.abc import Callable, Iterable, Mapping, Sequence

from reviewer.core.question import Question, answer_in_words
from reviewer.core.sanitize import one_line
from reviewer.core.table import Column, TableSpec, estimate_column, number_column, plain_column
from reviewer.results.labels.dimensions import ALL
from reviewer.results.labels.final_labels import FinalCount, FinalLabel, FinalStatus, OwnLabel
from reviewer.results.tables.place_columns import RATER, dimension_column, entry_column, place_columns
from reviewer.study.adjudication.votes import answers_with_votes
from store.records import Event, canonical_json

_FINAL = "the final label: the adjudicated one, else that of the majority; empty if open"
_STATUS = "unanimous, majority, adjudicated or open"
_REASON = "why the adjudicator decided so"


def _decision(row: FinalLabel) -> Event | None:
    """The event of the decision that counts."""
    return row.decision.event if row.decision and row.adjudicated is not None else None


def _decided_by(row: FinalLabel, name: str) -> str | None:
    event = _decision(row)
    value: str | None = getattr(event, name) if event else None
    return value


def _votes(row: FinalLabel) -> str:
    return canonical_json(dict(row.item_votes.counts))


def _votes_in_words(row: FinalLabel) -> str:
    counts = row.item_votes.counts.items()
    return (
        answers_with_votes((answer_in_words(row.question, label), count) for label, count in counts) or "none"
    )


_PLACE: tuple[Column[FinalLabel], ...] = place_columns(
    lambda row: row.question, lambda row: row.place, ("question", "key", "generator")
)
_OWN_PLACE: tuple[Column[OwnLabel], ...] = place_columns(
    lambda row: row.final.question, lambda row: row.final.place, ("question", "key")
)

_IN_ORDER: tuple[Column[FinalLabel], ...] = (
    plain_column(
        "median",
        "string",
        "the median of the votes; empty if it falls between two labels, or if labels have no order",
        lambda row: row.item_votes.median,
        "median",
        shown=lambda row, _digits: " or ".join(row.item_votes.middle) or None,
    ),
    plain_column(
        "steps_apart",
        "integer",
        "number of steps between the lowest and the highest vote; empty if labels have no order",
        lambda row: row.item_votes.steps if row.question.ordinal else None,
        "apart",
        told="steps between the lowest and the highest vote",
    ),
)
"""What tables show besides where a question has labels in order."""


def final_labels_spec(
    questions: Iterable[Question],
    *,
    soft: bool = False,
    modelled: Mapping[tuple[str, str], tuple[str, float]] | None = None,
    entry: Callable[[Question, str], str] | None = None,
) -> TableSpec[FinalLabel]:
    """One row for each item of a counted case; ``questions`` are those of the items. ``soft``: shares too.

    ``entry`` gives the entry of a list that a question is about, where questions are asked for each entry.

    ``modelled`` are labels of a model with their probabilities, by question and case.
    """
    ordered = any(question.ordinal for question in questions)
    more: tuple[Column[FinalLabel], ...] = (_SOFT_LABEL,) if soft else ()
    if entry is not None:
        more = (*more, entry_column(lambda row: (row.question, row.place.case), entry))
    model = () if modelled is None else _modelled_columns(modelled)
    return TableSpec((*_FINAL_LABELS, *(_IN_ORDER if ordered else ()), *more, *model), keys=3)


def _modelled_columns(
    modelled: Mapping[tuple[str, str], tuple[str, float]],
) -> tuple[Column[FinalLabel], ...]:
    def of(row: FinalLabel) -> tuple[str | None, float | None]:
        return modelled.get((row.question.key, row.place.case), (None, None))

    return (
        plain_column(
            "dawid_skene",
            "string",
            "the most probable label by Dawid and Skene's model; empty where it says nothing",
            lambda row: of(row)[0],
            "model",
        ),
        number_column(
            "dawid_skene_probability",
            "probability of that label by the model",
            lambda row: of(row)[1],
            "probability",
        ),
    )


def _soft_label(row: FinalLabel) -> str | None:
    """The share of votes of each label that has some, as JSON; None without votes."""
    counts = row.item_votes.counts
    total = sum(counts.values())
    return canonical_json({label: count / total for label, count in counts.items()}) if total else None


_SOFT_LABEL: Column[FinalLabel] = plain_column(
    "soft_label",
    "string",
    "share of the votes for each label, as a JSON object; empty without votes",
    _soft_label,
)


def _in_words(question: Question, answer: str | None) -> str | None:
    return None if answer is None else answer_in_words(question, answer)


_FINAL_LABELS: tuple[Column[FinalLabel], ...] = (
    *_PLACE,
    plain_column(
        "final",
        "string",
        _FINAL,
        lambda row: row.label,
        "final",
        shown=lambda row, _digits: _in_words(row.question, row.label),
    ),
    plain_column(
        "status",
        "string",
        _STATUS,
        lambda row: str(row.status),
        "status",
        shown=lambda row, _digits: f"{row.status} *" if row.votes_changed else str(row.status),
    ),
    plain_column(
        "passes",
        "boolean",
        "whether the item passes with its final label (and, where a published label is checked, only with "
        "that one); empty if undecided, which is without a final label, or if no label counts as a pass",
        lambda row: row.passes,
    ),
    plain_column(
        "open_because",
        "string",
        "why there is no final label; empty if there is one",
        lambda row: row.open_because,
    ),
    plain_column(
        "majority",
        "string",
        "the label of more than half of the votes; empty if there is none",
        lambda row: row.item_votes.majority,
    ),
    plain_column(
        "adjudicated",
        "string",
        "the label that an adjudicator decided",
        lambda row: row.adjudicated,
    ),
    plain_column(
        "votes",
        "string",
        "number of votes for each label, as a JSON object",
        _votes,
        "votes",
        shown=lambda row, _digits: _votes_in_words(row),
    ),
    plain_column(
        "given",
        "integer",
        "number of votes, which are the labels that count for the majority",
        lambda row: len(row.item_votes.votes),
    ),
    plain_column(
        "outdated_votes",
        "integer",
        "number of labels given to another wording; they are not counted",
        lambda row: len(row.item_votes.outdated),
    ),
    plain_column(
        "stale_votes",
        "integer",
        "number of votes on content that the dataset replaced afterwards; they are counted",
        lambda row: len(row.item_votes.votes) if row.stale else 0,
    ),
    plain_column("adjudicator", "string", "name of the adjudicator", lambda row: _decided_by(row, "rater")),
    plain_column(
        "decided_at",
        "string",
        "when it was decided, ISO 8601 in UTC",
        lambda row: _decided_by(row, "at"),
    ),
    plain_column("reason", "string", _REASON, lambda row: row.reason or None),
    plain_column(
        "votes_changed",
        "boolean",
        "some votes changed after the adjudicator decided",
        lambda row: row.votes_changed,
    ),
    plain_column(
        "decisions_forked",
        "boolean",
        "two machines made a decision each; the one with the greatest id counts",
        lambda row: bool(row.decision and row.adjudicated is not None and row.decision.forked),
    ),
    plain_column(
        "vote_events",
        "string",
        "ids of the events behind the votes, oldest first",
        lambda row: " ".join(vote.id for vote in row.item_votes.events) or None,
    ),
    plain_column(
        "vote_digests",
        "string",
        "SHA-256 digests of those events, in the same order",
        lambda row: " ".join(vote.digest for vote in row.item_votes.events) or None,
    ),
    plain_column(
        "decision_event",
        "string",
        "id of the event behind the decision",
        lambda row: _decided_by(row, "id"),
    ),
    plain_column(
        "decision_digest",
        "string",
        "SHA-256 digest of that event",
        lambda row: _decided_by(row, "digest"),
    ),
    plain_column("rule", "string", "how final labels are determined", lambda row: row.rule_in_words),
)


def own_labels_spec(own: Sequence[OwnLabel]) -> TableSpec[OwnLabel]:
    """One row for each item that the rater labelled: the rater's label and the final one."""
    ordinal = any(label.final.question.ordinal for label in own)
    return TableSpec((*_OWN_LABELS, *(_OWN_IN_ORDER if ordinal else ())), keys=2)


_OWN_IN_ORDER: tuple[Column[OwnLabel], ...] = (
    plain_column(
        "steps_apart",
        "integer",
        "number of steps between the rater's label and the final one; empty if labels have no order",
        lambda row: row.steps if row.final.question.ordinal and row.final.label is not None else None,
        "apart",
    ),
)
_OWN_LABELS: tuple[Column[OwnLabel], ...] = (
    *_OWN_PLACE,
    plain_column("rater", "string", RATER, lambda row: row.row.rater),
    plain_column(
        "label",
        "string",
        "the current label; empty if missing",
        lambda row: row.row.label,
        "yours",
        shown=lambda row, _digits: _in_words(row.final.question, row.row.label),
    ),
    plain_column(
        "final",
        "string",
        _FINAL,
        lambda row: row.final.label,
        "final",
        shown=lambda row, _digits: _in_words(row.final.question, row.final.label),
    ),
    plain_column("status", "string", _STATUS, lambda row: str(row.final.status), "status"),
    plain_column(
        "differs",
        "boolean",
        "whether there is a final label and the rater's label differs from it",
        lambda row: row.differs,
    ),
    plain_column(
        "votes",
        "string",
        "number of votes for each label, as a JSON object",
        lambda row: _votes(row.final),
    ),
    plain_column(
        "reason",
        "string",
        _REASON,
        lambda row: row.final.reason or None,
        "reason",
        shown=lambda row, _digits: one_line(row.final.reason, 40) or None,
    ),
    plain_column("comment", "string", "the rater's comment", lambda row: row.row.verdict.comment or None),
    plain_column(
        "stale",
        "boolean",
        "the case in the dataset or the wording of the question changed afterwards",
        lambda row: row.row.stale,
    ),
)


_COUNTED = {
    FinalStatus.UNANIMOUS: "number of items on which all votes agree",
    FinalStatus.MAJORITY: "number of items on which more than half of the votes are the same, but not all",
    FinalStatus.MEDIAN: "number of items whose final label is the median of votes that differ",
    FinalStatus.ADJUDICATED: "number of items whose final label an adjudicator decided",
    FinalStatus.OPEN: "number of items without a final label",
}


def _status_column(status: FinalStatus) -> Column[FinalCount]:
    head = "no final label" if status is FinalStatus.OPEN else str(status)
    return plain_column(str(status), "integer", _COUNTED[status], lambda row: row.statuses[status], head)


def final_counts_spec(counts: Sequence[FinalCount]) -> TableSpec[FinalCount]:
    """One row for each question and generator, then one for all of them."""
    unused = () if any(count.statuses[FinalStatus.MEDIAN] for count in counts) else (FinalStatus.MEDIAN,)
    statuses = (_status_column(status) for status in FinalStatus if status not in unused)
    question, generator, items = _COUNTED_PLACE
    several = len({count.generator for count in counts} - {ALL}) > 1
    rest, of_fewer = _COUNTED_REST, any(count.passing.n != count.items for count in counts)
    bare = any(count.passing.value is not None and not count.passing.interval for count in counts)
    no_interval = "There is no interval where several items are about the same case. " if bare else ""
    place = (question, generator if several else generator.for_programs_only())
    return TableSpec(
        (*place, items, *statuses, *(rest if of_fewer else rest[:-1])),
        keys=1 + several,
        note=f"{no_interval}Items without a final label are left out of this pass rate. Pass rates by "
        "majority count items without a majority label as not passed.",
    )


_COUNTED_PLACE: tuple[Column[FinalCount], ...] = (
    dimension_column("question", lambda row: row.question, "question"),
    dimension_column("generator", lambda row: row.generator, "generator"),
    plain_column(
        "items",
        "integer",
        "number of items; an item is one question about one case",
        lambda row: row.items,
        "items",
    ),
)
_COUNTED_REST: tuple[Column[FinalCount], ...] = (
    plain_column(
        "overruled",
        "integer",
        "number of items adjudicated against a majority of the votes",
        lambda row: row.overruled,
        "overruled",
        told="items adjudicated against a majority of the votes",
    ),
    estimate_column(
        "passing",
        "share of items that pass, among those with a final label",
        lambda row: row.passing,
        "pass rate",
        told="share of items that pass, among those with a final label",
    ),
    Column(
        (),
        lambda _row: (),
        "of items",
        told="number of items with a final label, of which the pass rate is a share",
        shown=lambda row, _digits: row.passing.n,
    ),
)

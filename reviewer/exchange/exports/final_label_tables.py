"""Final labels as tables: full ones for machines, with the events behind them, and short ones for people."""

from collections.abc import Sequence

from reviewer.core.sanitize import one_line
from reviewer.core.table import Cell, Table
from reviewer.exchange.exports.estimate_columns import RATE_SUFFIXES, cells_of, column_names
from reviewer.study.adjudication.final_label_counts import FinalCount
from reviewer.study.adjudication.final_labels import RULE, FinalLabel, FinalStatus, OwnLabel
from store.records import canonical_json

_PLACE = ("study", "question", "question_key", "dataset", "key", "generator", "group", "case")
_FINAL_COLUMNS = (
    *_PLACE,
    "final",
    "status",
    "open_because",
    "majority",
    "adjudicated",
    "votes",
    "given",
    "outdated_votes",
    "stale_votes",
    "adjudicator",
    "decided_at",
    "reason",
    "votes_changed",
    "decisions_forked",
    "vote_events",
    "vote_digests",
    "decision_event",
    "decision_digest",
    "rule",
)
_OWN_COLUMNS = (
    *_PLACE,
    "rater",
    "label",
    "final",
    "status",
    "differs",
    "votes",
    "reason",
    "comment",
    "stale",
)


def final_labels_table(found: Sequence[FinalLabel]) -> Table:
    """One row for each item of a counted case."""
    return Table.of(_FINAL_COLUMNS, [_final_row(each) for each in found])


def final_counts_table(found: Sequence[FinalCount]) -> Table:
    """One row for each question and generator, then one for all of them."""
    rows = [
        (
            each.question,
            each.generator,
            each.items,
            *(each.statuses[status] for status in FinalStatus),
            each.overruled,
            *cells_of(each.passing, RATE_SUFFIXES),
        )
        for each in found
    ]
    counts = ("items", *map(str, FinalStatus), "overruled")
    return Table.of(("question", "generator", *counts, *column_names("passing", RATE_SUFFIXES)), rows)


def own_labels_table(found: Sequence[OwnLabel]) -> Table:
    """One row for each item that the rater labelled: the rater's label and the final one."""
    return Table.of(_OWN_COLUMNS, [_own_row(each) for each in found])


def final_labels_brief(found: Sequence[FinalLabel]) -> Table:
    """A short form that fits a terminal."""
    rows = [
        (
            each.question.title,
            each.place.key,
            each.place.generator,
            votes_in_words(each),
            each.label,
            str(each.status) + (" *" if each.votes_changed else ""),
        )
        for each in found
    ]
    return Table.of(("question", "key", "generator", "votes", "final", "status"), rows)


def own_labels_brief(found: Sequence[OwnLabel]) -> Table:
    """A short form that fits a terminal."""
    rows = [
        (
            each.final.question.title,
            each.final.place.key,
            each.row.label,
            each.final.label,
            str(each.final.status),
            one_line(each.final.reason, 40) or None,
        )
        for each in found
    ]
    return Table.of(("question", "key", "yours", "final", "status", "reason"), rows)


def votes_in_words(each: FinalLabel) -> str:
    """ "True 2, False 1"."""
    return ", ".join(f"{label} {count}" for label, count in each.item_votes.counts.items()) or "none"


def _place_cells(each: FinalLabel) -> list[Cell]:
    place = each.place
    question = (each.question.title, each.question.key)
    return [place.study, *question, place.dataset, place.key, place.generator, place.group, place.case]


def _final_row(each: FinalLabel) -> list[Cell]:
    item_votes, decision = each.item_votes, each.decision if each.adjudicated is not None else None
    event = decision.event if decision else None
    return [
        *_place_cells(each),
        each.label,
        str(each.status),
        each.open_because,
        item_votes.majority,
        each.adjudicated,
        canonical_json(dict(item_votes.counts)),
        len(item_votes.votes),
        len(item_votes.outdated),
        len(item_votes.votes) if each.stale else 0,
        event.rater if event else None,
        event.at if event else None,
        each.reason or None,
        each.votes_changed,
        decision.forked if decision else False,
        " ".join(vote.id for vote in item_votes.events) or None,
        " ".join(vote.digest for vote in item_votes.events) or None,
        event.id if event else None,
        event.digest if event else None,
        RULE,
    ]


def _own_row(each: OwnLabel) -> list[Cell]:
    final = each.final
    return [
        *_place_cells(final),
        each.row.rater,
        each.row.label,
        final.label,
        str(final.status),
        each.differs,
        canonical_json(dict(final.item_votes.counts)),
        final.reason or None,
        each.row.verdict.comment or None,
        each.row.stale,
    ]

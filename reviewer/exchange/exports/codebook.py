"""The codebook: type and meaning of every column of every exported table, as a table of its own."""

from collections.abc import Mapping

from reviewer.core.table import Table
from reviewer.exchange.exports.estimate_columns import SUFFIXES
from reviewer.study.statistics.agreement_results import KNOWN

GUARDED = (
    "safe for spreadsheets: an apostrophe is put before a text, or before a part after a semicolon, a tab or "
    "a line end, that a spreadsheet would read as a formula; control characters are replaced by visible signs"
)
"""What is true of all CSV files."""

_PLACES = {
    "question": ("string", "title of the question"),
    "generator": ("string", "model or person that wrote the case"),
    "group": ("string", "group by which the sample is stratified"),
    "dataset": ("string", "dataset that the case was drawn from"),
    "pair": ("string", "names of two raters"),
}

_LABELS = {
    "study": ("string", "name of the study"),
    "question_key": ("string", "stable key of the question"),
    "key": ("string", "key of the case in its dataset"),
    "case": ("string", "SHA-256 digest of the case's content, its identity"),
    "rater": ("string", "name of the rater"),
    "showing": ("integer", "0 for the first time that the rater saw the case, 1 for a repeat"),
    "role": (
        "string",
        "counted; gold: has a known answer and is never counted; training: is never counted either",
    ),
    "phase": (
        "string",
        "before: the first verdict; after: the verdict once the rater had seen what the answer reveals (in "
        "state open: the rater saw it and gave no second verdict)",
    ),
    "swapped": (
        "boolean",
        "whether the two sides were exchanged; empty if the question does not allow it, and for spreadsheets",
    ),
    "reason": ("string", "why the rater keeps the answer although another one contradicts it"),
    "state": ("string", "labelled, skipped or open"),
    "label": ("string", "the current label; empty if missing"),
    "comment": ("string", "the rater's comment"),
    "passage": (
        "string",
        "the part of a pane that the comment is about, as JSON: offsets and the words; empty: the whole case",
    ),
    "note": ("string", "text of a rater's note; the other columns say where it was written"),
    "flagged": ("boolean", "whether the rater flagged the case"),
    "seconds": ("number", "active seconds for the answer; empty if not measured (imported answers)"),
    "at": (
        "string",
        "when it was saved, ISO 8601 in UTC (an answer from a spreadsheet: when the spreadsheet was "
        "imported)",
    ),
    "stale": ("boolean", "the case in the dataset or the wording of the question changed afterwards"),
    "forked": ("boolean", "two machines superseded the same event; the event with the greatest id counts"),
    "answers": (
        "integer",
        "number of answers to the question in this row, including those taken back or replaced",
    ),
    "events": ("integer", "number of events of this row in the ledger"),
    "event": ("string", "id of the event behind the row"),
    "event_digest": ("string", "SHA-256 digest of that event"),
    "question_digest": ("string", "SHA-256 digest of the wording that was answered"),
    "way": (
        "string",
        "how the answer was given: app, plain (line by line), browser, pack or spreadsheet; empty: not "
        "recorded",
    ),
    "panes": (
        "string",
        "keys of the panes of the case that were visible before the answer (for a spreadsheet: its columns "
        "with content), separated by blanks; empty: not recorded",
    ),
}

_COUNTS = {
    "kind": ("string", "cell, mean of cells (unweighted, over those with a value), or pooled labels"),
    "items": ("integer", "number of items; an item is one question about one case"),
    "cases": ("integer", "number of distinct cases among the items"),
    "raters": ("integer", "number of raters who gave at least one of the labels"),
    "labels": ("integer", "number of labels given"),
    "missing": ("integer", "number of labels that raters who have begun have not given"),
    "ties": ("integer", "number of items that exactly half of their raters pass; they fail by majority"),
    "passing_share": ("number", "share of all labels that are the passing label; not a pass rate"),
}

_COMPARED = {
    "measure": ("string", "majority or unanimity pass rate"),
    "compared": ("string", "dimension in which the two cells differ"),
    "first": ("string", "value of that dimension in the first cell"),
    "second": ("string", "value of that dimension in the second cell"),
    "first_rate": ("number", "pass rate of the first cell"),
    "first_n": ("integer", "number of rated items of the first cell"),
    "second_rate": ("number", "pass rate of the second cell"),
    "second_n": ("integer", "number of rated items of the second cell"),
    "z": ("number", "z statistic of two proportions, pooled"),
    "p": ("number", "two-sided p value of z"),
    "p_holm": ("number", "p value corrected by Holm's method for the tests of this measure in the table"),
    "test_undefined": ("string", "why there is no test; empty if there is one"),
    "dependent": (
        "boolean",
        "several items are about the same case, so the interval and the test are approximate",
    ),
}

_FINALS = {
    "final": ("string", "the final label: the adjudicated one, else that of the majority; empty if open"),
    "status": ("string", "unanimous, majority, adjudicated or open"),
    "open_because": ("string", "why there is no final label; empty if there is one"),
    "adjudicated": ("string", "the label that an adjudicator decided"),
    "votes": ("string", "number of votes for each label, as a JSON object"),
    "given": ("integer", "number of votes, which are the labels that count for the majority"),
    "outdated_votes": ("integer", "number of labels given to another wording; they are not counted"),
    "stale_votes": (
        "integer",
        "number of votes on content that the dataset replaced afterwards; they are counted",
    ),
    "adjudicator": ("string", "name of the adjudicator"),
    "decided_at": ("string", "when it was decided, ISO 8601 in UTC"),
    "reason": ("string", "why the adjudicator decided so"),
    "votes_changed": ("boolean", "some votes changed after the adjudicator decided"),
    "decisions_forked": ("boolean", "two machines made a decision each; the one with the greatest id counts"),
    "vote_events": ("string", "ids of the events behind the votes, oldest first"),
    "vote_digests": ("string", "SHA-256 digests of those events, in the same order"),
    "decision_event": ("string", "id of the event behind the decision"),
    "decision_digest": ("string", "SHA-256 digest of that event"),
    "rule": ("string", "how final labels are determined"),
    "differs": ("boolean", "whether there is a final label and the rater's label differs from it"),
}

_MAJORITY_LABEL = ("string", "the label of more than half of the votes; empty if there is none")

_ASKING = {
    "first_verdicts": (
        "integer",
        "number of first verdicts on the question, on counted cases at their first showing",
    ),
    "seen": ("integer", "number of these after which the rater saw what the answer reveals"),
    "second_verdicts": ("integer", "number of these that a second verdict followed"),
    "changes": ("integer", "number of second verdicts that differ from the first"),
    "changed_to": ("string", "how often each label became which other label"),
    "known": ("integer", "number of questions with a known answer, counted for each rater of the row"),
    "answered": ("integer", "number of these that were answered"),
    "right": ("integer", "number of these whose answer matches the known answer"),
}

_STEMS = {
    "changed": "share of second verdicts that differ from the first",
    "known_right": "share of answers that match the known answer",
    "passing_share": "share of labels that are the passing label; not a pass rate",
    "majority": "pass rate by majority: share of items that more than half of their raters pass",
    "unanimity": "pass rate by unanimity: share of items that all of their raters pass",
    "difference": "first rate minus second rate",
    "others": "mean share of the other raters who gave the same label",
    "self": "share of repeated cases with the same label both times",
    "self_kappa": "Cohen's kappa between first and repeated labels",
    "seconds": "median active seconds per answer",
    **{key: each.title for key, each in KNOWN.items()},
    **{f"without_{key}": f"{each.title} of the other raters alone" for key, each in KNOWN.items()},
}

_FIXED = {**_PLACES, **_LABELS, **_COUNTS, **_COMPARED, **_FINALS, **_ASKING}


def codebook(tables: Mapping[str, Table]) -> Table:
    """One row for each file and for each of its columns: file, column (empty: the file), type, meaning."""
    rows: list[tuple[str, ...]] = []
    for name, table in tables.items():
        rows.append((name, "", "file", _form_of(name)))
        rows += [(name, column, *column_meaning(column, name)) for column in table.columns]
    return Table.of(("file", "column", "type", "meaning"), rows)


def exact_form(file: str) -> str:
    """The file that holds a CSV file's table exactly."""
    return f"{file.removesuffix('.csv')}.jsonl"


def _form_of(file: str) -> str:
    if not file.endswith(".csv"):
        return "the exact form: JSON Lines, one object for each row, with every character of the texts"
    return f"{GUARDED}; the exact form is {exact_form(file)}"


def column_meaning(column: str, file: str = "") -> tuple[str, str]:
    """Type and meaning of a column; raises KeyError for one without a description."""
    if column == "majority" and file.startswith("final_labels"):
        return _MAJORITY_LABEL
    per_label = file.startswith("labels")
    if per_label and column in _LABELS:
        return _LABELS[column]
    if column in _FIXED and (per_label or column not in _STEMS):
        return _FIXED[column]
    if column in _STEMS:
        return SUFFIXES[""][0], _STEMS[column]
    stem, suffix = _split(column)
    kind, meaning = SUFFIXES[suffix]
    return kind, f"{_STEMS[stem]}: {meaning}"


def _split(column: str) -> tuple[str, str]:
    for suffix in SUFFIXES:
        if suffix and column.endswith(f"_{suffix}") and column[: -len(suffix) - 1] in _STEMS:
            return column[: -len(suffix) - 1], suffix
    raise KeyError(column)

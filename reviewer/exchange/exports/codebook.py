"""What every column of every exported table holds: its type and its meaning, as a table of its own."""

from collections.abc import Mapping

from reviewer.core.table import Table
from reviewer.exchange.exports.estimate_columns import SUFFIXES
from reviewer.study.statistics.agreement_results import KNOWN

GUARDED = (
    "made for spreadsheets: where a spreadsheet would take a text, or what follows a semicolon, a tab or a "
    "line end in it, for a formula, an apostrophe stands in front; control characters are replaced by "
    "visible signs"
)
"""What all CSV files have in common."""

_PLACES = {
    "question": ("string", "title of the question"),
    "generator": ("string", "who or what wrote the case"),
    "group": ("string", "the group that the sample is stratified by"),
    "dataset": ("string", "the dataset that the case was drawn from"),
    "pair": ("string", "two raters"),
}

_LABELS = {
    "study": ("string", "name of the study"),
    "question_key": ("string", "stable key of the question"),
    "key": ("string", "the case's place in its dataset"),
    "case": ("string", "SHA-256 digest of the case's content, its identity"),
    "rater": ("string", "name of the rater"),
    "showing": ("integer", "0 for the first time that the rater saw the case, 1 for a repeat"),
    "role": ("string", "counted; gold: an answer is known, never counted; training: not counted either"),
    "phase": (
        "string",
        "before: the first verdict; after: what was said once the rater had seen what the answer reveals (an "
        "open row: seen, and no second verdict given)",
    ),
    "swapped": (
        "boolean",
        "whether the sides stood the other way round; empty where they may not, and for spreadsheets",
    ),
    "reason": ("string", "why the answer stands beside another that contradicts it"),
    "state": ("string", "labelled, skipped or open"),
    "label": ("string", "the answer that counts; empty is missing"),
    "comment": ("string", "the rater's comment"),
    "passage": (
        "string",
        "which place of which pane the comment is about, as JSON: offsets and the words; empty is the whole",
    ),
    "note": ("string", "a rater's note on the work, and where it was written"),
    "flagged": ("boolean", "whether the rater flagged the case"),
    "seconds": ("number", "active seconds behind the answer; empty where nobody measured (imported answers)"),
    "at": (
        "string",
        "when it was saved, ISO 8601 in UTC (of an answer from a spreadsheet: when that was read in)",
    ),
    "stale": ("boolean", "the dataset holds other content at the case's place, or the wording was another"),
    "forked": ("boolean", "two machines went on from the same event; the greatest id counts"),
    "answers": (
        "integer",
        "how often the question was answered here, answers taken back or replaced among them",
    ),
    "events": ("integer", "how many events the ledger holds at this slot"),
    "event": ("string", "id of the event that says it"),
    "event_digest": ("string", "SHA-256 digest of that event"),
    "question_digest": ("string", "SHA-256 digest of the wording that was answered"),
    "way": (
        "string",
        "how the answer was given: app, plain (by lines), browser, pack, spreadsheet; empty: not recorded",
    ),
    "panes": (
        "string",
        "keys of the panes of the case that were visible before the answer (of a spreadsheet: its columns "
        "that held something), separated by blanks; empty: not recorded",
    ),
}

_COUNTS = {
    "kind": ("string", "cell, mean of cells (unweighted, of those with a value), or pooled labels"),
    "items": ("integer", "items: one question about one case each"),
    "cases": ("integer", "different cases among the items"),
    "raters": ("integer", "raters with a label here"),
    "labels": ("integer", "labels given"),
    "missing": ("integer", "labels that raters who have begun still owe"),
    "ties": ("integer", "items that exactly half of their raters pass; they fail by majority"),
    "passing_share": ("number", "share of all labels that are the passing one; not a pass rate"),
}

_COMPARED = {
    "measure": ("string", "majority or unanimity pass rate"),
    "compared": ("string", "the dimension in which both cells differ"),
    "first": ("string", "the first cell's value of it"),
    "second": ("string", "the second cell's value of it"),
    "first_rate": ("number", "pass rate of the first"),
    "first_n": ("integer", "rated items of the first"),
    "second_rate": ("number", "pass rate of the second"),
    "second_n": ("integer", "rated items of the second"),
    "z": ("number", "pooled z of two proportions"),
    "p": ("number", "two-sided p of z"),
    "p_holm": ("number", "p corrected by Holm's method over the tests of this measure in the table"),
    "test_undefined": ("string", "why there is no test; empty where there is one"),
    "dependent": ("boolean", "several items are about the same case, so that interval and test are rough"),
}

_FINALS = {
    "final": ("string", "the final label: adjudicated, else the majority's; empty is open"),
    "status": ("string", "unanimous, majority, adjudicated or open"),
    "open_because": ("string", "why there is no final label; empty where there is one"),
    "adjudicated": ("string", "the label that an adjudicator decided"),
    "votes": ("string", "how many votes for which label, as a JSON object"),
    "given": ("integer", "votes: labels that count towards the majority"),
    "outdated_votes": ("integer", "labels given to another wording, which have no vote"),
    "stale_votes": ("integer", "votes on content that the dataset has replaced since; they count"),
    "adjudicator": ("string", "who decided"),
    "decided_at": ("string", "when it was decided, ISO 8601 in UTC"),
    "reason": ("string", "why it was decided so"),
    "votes_changed": ("boolean", "other votes count now than the adjudicator had in sight"),
    "decisions_forked": ("boolean", "two decisions were made on two machines; the greatest id counts"),
    "vote_events": ("string", "ids of the events behind the votes, oldest first"),
    "vote_digests": ("string", "SHA-256 digests of those events, in the same order"),
    "decision_event": ("string", "id of the event behind the decision"),
    "decision_digest": ("string", "SHA-256 digest of that event"),
    "rule": ("string", "how final labels come about"),
    "differs": ("boolean", "there is a final label and the rater's is another one"),
}

_MAJORITY_LABEL = ("string", "the label of more than half of the votes; empty where there is none")

_ASKING = {
    "first_verdicts": ("integer", "first verdicts on the question, of counted cases at their first showing"),
    "seen": ("integer", "of these, those after which the rater saw what the answer reveals"),
    "second_verdicts": ("integer", "of these, those with a second verdict"),
    "changes": ("integer", "second verdicts that differ from the first"),
    "changed_to": ("string", "how often which label became which other one"),
    "known": ("integer", "questions with an answer that is known beforehand, over the raters of the row"),
    "answered": ("integer", "of these, those that were answered"),
    "right": ("integer", "of these, those answered as is known"),
}

_STEMS = {
    "changed": "share of second verdicts that differ from the first",
    "known_right": "share of the given answers that are as is known",
    "passing_share": "share of labels that are the passing one, which is not a pass rate",
    "majority": "pass rate by majority: share of items that more than half of their raters pass",
    "unanimity": "pass rate by unanimity: share of items that all of their raters pass",
    "difference": "first rate minus second rate",
    "others": "mean share of the other raters who gave the same label",
    "self": "share of repeated cases with the same label both times",
    "self_kappa": "Cohen's kappa of first against repeated labels",
    "seconds": "median active seconds an answer",
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
        return "the exact form: JSON Lines, one object for each row, texts character for character"
    return f"{GUARDED}; the exact form is {exact_form(file)}"


def column_meaning(column: str, file: str = "") -> tuple[str, str]:
    """Type and meaning of a column; raises KeyError for one that nobody described."""
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

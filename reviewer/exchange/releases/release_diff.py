"""Differences between two releases of a dataset: cases, findings and the numbers of studies."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Final, Literal

from reviewer.core.errors import InputError
from reviewer.core.estimate import Estimate
from reviewer.core.number_text import all_digits, with_interval
from reviewer.core.sanitize import counted, shown
from reviewer.core.table import Cell, Table, TableSpec, plain_column
from reviewer.exchange.releases.kind_agreement import own_agreement
from reviewer.exchange.releases.release_checks import failure_words
from reviewer.exchange.releases.release_content import QuestionFacts, ReleaseContent
from reviewer.exchange.releases.release_files import DataRow
from reviewer.exchange.releases.release_folder import read_folder
from reviewer.exchange.releases.verification import verified
from reviewer.protocols.registry import Protocols

CaseChange = Literal["added", "removed", "changed"]
_NUMBERS: Final[Mapping[str, str]] = {
    "majority": "pass rate by majority",
    "unanimity": "pass rate by unanimity",
    "all_agree": "share on which all raters agree",
    "kappa": "kappa",
    "alpha": "alpha",
    "ac1": "AC1",
}


@dataclass(frozen=True)
class ReadRelease:
    """A release that holds: its content, and its rows by key."""

    content: ReleaseContent
    rows: Mapping[str, DataRow]


@dataclass(frozen=True, slots=True)
class Moved:
    """One thing that moved, with both states; people see them as ``shown``."""

    about: str
    which: str
    before: Cell = None
    after: Cell = None
    shown: tuple[str, str] = ("", "")
    detail: str = ""


DIFFERENCES: Final[TableSpec[Moved]] = TableSpec(
    (
        plain_column("about", "string", "case, dataset, finding or study", lambda row: row.about, "about"),
        plain_column(
            "which", "string", "the case's key, the check, or the number", lambda row: row.which, "which"
        ),
        plain_column(
            "before",
            "string or number",
            "in the old release; a case's digest",
            lambda row: row.before,
            "before",
            shown=lambda row, _digits: row.shown[0],
        ),
        plain_column(
            "after",
            "string or number",
            "in the new release; a case's digest",
            lambda row: row.after,
            "after",
            shown=lambda row, _digits: row.shown[1],
        ),
        plain_column(
            "detail", "string", "what was done to a case, and its fields", lambda row: row.detail, "detail"
        ),
    ),
    keys=2,
)
"""One row for each thing that moved."""


def read_release(folder: Path, protocols: Protocols) -> ReadRelease:
    """A release that agrees with itself, as far as it can be checked without programs; raises InputError."""
    verification = verified(read_folder(folder), protocols)
    wrong = failure_words(verification.checks)
    if wrong or verification.manifest is None or verification.rows is None:
        why = (wrong or "it cannot be read").rstrip(".")
        raise InputError(f"release {shown(str(folder))}", why, "verify it with `reviewer release verify`")
    return ReadRelease(verification.manifest.content, {str(row["key"]): row for row in verification.rows})


def case_changes(old: ReadRelease, new: ReadRelease) -> dict[str, CaseChange]:
    """What became of each case that is not the same in both, by key: first those of the old release.

    A case whose content is the same but whose published values differ has changed too.
    """
    changes: dict[str, CaseChange] = {
        key: "changed" if key in new.rows else "removed"
        for key, row in old.rows.items()
        if new.rows.get(key) != row
    }
    return {**changes, **dict.fromkeys((key for key in new.rows if key not in old.rows), "added")}


def differences(old: ReadRelease, new: ReadRelease) -> list[Moved]:
    """All that moved: cases, counts of the dataset, findings, numbers of studies."""
    return [
        *_of_cases(old, new),
        *_of_counts("dataset", _dataset_counts(old.content), _dataset_counts(new.content)),
        *_of_counts("finding", _finding_counts(old.content), _finding_counts(new.content)),
        *_of_studies(old.content, new.content),
    ]


def _of_cases(old: ReadRelease, new: ReadRelease) -> Iterator[Moved]:
    before, after = old.content.cases, new.content.cases
    for key, change in case_changes(old, new).items():
        digests = before.get(key), after.get(key)
        fields = _changed_fields(old.rows[key], new.rows[key]) if change == "changed" else []
        detail = f"{change}: {', '.join(fields)}" if fields else change
        short = (digests[0] or "")[:12], (digests[1] or "")[:12]
        yield Moved("case", key, *digests, short, detail)


def _changed_fields(before: DataRow, after: DataRow) -> list[str]:
    one, other = _flat(before), _flat(after)
    return [name for name in {**one, **other} if one.get(name) != other.get(name)]


def _flat(row: DataRow) -> DataRow:
    """The row with the fields of its parts beside its own."""
    parts = {name: part for name, part in row.items() if isinstance(part, dict)}
    flat = {name: value for name, value in row.items() if name not in parts}
    return flat | {f"{name}.{field}": value for name, part in parts.items() for field, value in part.items()}


def _dataset_counts(content: ReleaseContent) -> dict[str, int]:
    left_out = {
        f"left out: {left.why}{f' ({left.of})' if left.of else ''}": left.cases for left in content.left_out
    }
    audit = content.audit
    return {
        "cases": len(content.cases),
        "cases of the dataset": content.places,
        "held out": len(content.held_out),
        "audit-clean": audit.audit_clean,
        "strictly clean": audit.strictly_clean,
        "not tested": audit.not_tested,
        **left_out,
    }


def _finding_counts(content: ReleaseContent) -> dict[str, int]:
    return {f"{found.check} ({found.severity})": found.cases for found in content.audit.findings}


def _of_counts(about: str, before: Mapping[str, int], after: Mapping[str, int]) -> Iterator[Moved]:
    for name in {**before, **after}:
        one, other = before.get(name, 0), after.get(name, 0)
        if one != other:
            yield Moved(about, name, one, other, (f"{one:,}", f"{other:,}"))


def _of_studies(old: ReleaseContent, new: ReleaseContent) -> Iterator[Moved]:
    before = {study.name: study for study in old.studies}
    after = {study.name: study for study in new.studies}
    for name in {**before, **after}:
        about = f"study {name}"
        if name not in after or name not in before:
            states = ("yes", "no") if name in before else ("no", "yes")
            yield Moved(about, "in the release", *states, states)
            continue
        one, other = before[name], after[name]
        yield from _of_counts(
            about,
            {"labels": one.labels, "raters": one.raters, "cases with this content": one.released},
            {"labels": other.labels, "raters": other.raters, "cases with this content": other.released},
        )
        questions = {question.title: question for question in other.questions}
        for question in one.questions:
            if question.title in questions:
                yield from _of_question(about, question, questions[question.title])


def _of_question(about: str, before: QuestionFacts, after: QuestionFacts) -> Iterator[Moved]:
    one, other = _numbers_of(before), _numbers_of(after)
    for title, number in one.items():
        again = other.get(title)
        if again and again != number:
            both = all_digits(number.value), all_digits(again.value)
            yield Moved(about, f"{before.title}, {title}", *both, (_told(number), _told(again)))


def _numbers_of(question: QuestionFacts) -> dict[str, Estimate]:
    """The numbers of a question by their titles."""
    own = {
        f"{label}, {title}" if label else title: held
        for (label, title), held in own_agreement(question).items()
    }
    return {title: getattr(question, name) for name, title in _NUMBERS.items()} | own


def _told(estimate: Estimate) -> str:
    return with_interval(estimate) or "–"


def exclusions(old: ReadRelease, new: ReadRelease) -> Table:
    """The cases of the old release that those who use it should leave out: removed or changed ones."""
    named, cases = old.content.dataset, old.content.cases
    rows = [
        (named, key, cases[key], change) for key, change in case_changes(old, new).items() if key in cases
    ]
    return Table.of(("dataset", "key", "digest", "change"), rows)


def unchanged(old: ReadRelease, new: ReadRelease) -> Table:
    """The cases that are the same in both, as `effects --picked` reads them."""
    changed = case_changes(old, new)
    return Table.of(
        ("dataset", "key"), [(new.content.dataset, key) for key in new.content.cases if key not in changed]
    )


def differences_in_words(old: ReadRelease, new: ReadRelease) -> str:
    """How many cases moved, in a sentence."""
    changes = [*case_changes(old, new).values()]
    counts = ", ".join(f"{changes.count(kind):,} {kind}" for kind in ("added", "removed", "changed"))
    same = len(new.content.cases) - changes.count("added") - changes.count("changed")
    return f"{old.content.title} → {new.content.title}: {counts}, {counted(same, 'case')} the same."

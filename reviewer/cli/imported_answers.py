"""What ``reviewer import --study`` does: filled sheets, and labels that were given in another tool."""

from collections.abc import Sequence
from contextlib import closing
from dataclasses import dataclass
from pathlib import Path

import click

from reviewer.cli.options import note, open_store
from reviewer.core.errors import RequestError
from reviewer.core.names import checked_name
from reviewer.core.sanitize import counted, visible
from reviewer.exchange.rows.row_files import RowOptions
from reviewer.exchange.sheets.filled_sheets import Problem
from reviewer.exchange.sheets.foreign_labels import ForeignTool, read_foreign_labels
from reviewer.exchange.sheets.label_import import MatchedLabels, match_labels, store_labels
from reviewer.exchange.sheets.sheet_import import check_sheets, store_sheets
from reviewer.study.design.study_bundle import load_study
from reviewer.study.transfer.answer_reports import blank_answers

_NAMED = 20


@dataclass(frozen=True, slots=True)
class AnswerOptions:
    """What a person says about filled sheets, or about labels of another tool."""

    rater: str | None
    tool: ForeignTool | None
    key_field: str | None
    renames: Sequence[str]
    add_raters: bool
    dry_run: bool
    skip_invalid: bool


def import_answers(path: Path, study: str, options: RowOptions, way: AnswerOptions, store: str) -> None:
    """Import sheets from a ZIP or folder, or labels from a file of records; raises UsageError, InputError."""
    if _holds_labels(path):
        _import_labels(path, study, options, way, store)
        return
    if way.rater is None:
        raise click.UsageError("Missing option '--rater': say whose sheets these are.")
    _import_sheets(path, study, way.rater, store)


def _holds_labels(path: Path) -> bool:
    """Whether the path is a file of records, and not a ZIP or a folder of sheets."""
    try:
        with path.open("rb") as file:
            return file.read(2) != b"PK"
    except (OSError, ValueError):
        return False


def _renamed(renames: Sequence[str]) -> dict[str, str]:
    for rename in renames:
        if "=" not in rename:
            raise RequestError(f"--rename {rename!r} lacks an =; write THEIRS=OURS.")
    return {theirs: ours for theirs, _, ours in (rename.rpartition("=") for rename in renames)}


def _import_labels(path: Path, study: str, options: RowOptions, way: AnswerOptions, store: str) -> None:
    """Import labels as events that are marked as imported; all of them, or none."""
    foreign = read_foreign_labels(path, options, way.tool, way.key_field)
    with closing(open_store(store, must_exist=True)) as database:
        bundle = load_study(database, study)
        matched = match_labels(
            bundle, foreign, rater=way.rater, renamed=_renamed(way.renames), add_raters=way.add_raters
        )
        for notice in matched.notices:
            note(visible(f"Note: {notice}."))
        _tell_problems(matched, way.skip_invalid)
        for rater in matched.newcomers:
            note(visible(f"Note: rater {rater} is new in study {study}."))
        what = f"{counted(matched.count, 'label')} of {counted(len(matched.verdicts), 'rater')}"
        if way.dry_run:
            click.echo(visible(f"{study}: {what} can be imported ({foreign.tool}); nothing was written"))
            return
        stored = store_labels(database, bundle, matched)
    click.echo(
        visible(
            f"{study}: {what} ({foreign.tool}): {stored.new} new, {stored.changed} changed, "
            f"{stored.same} as they were, {counted(stored.comments, 'comment')}"
        )
    )


def _tell_problems(matched: MatchedLabels, skip: bool) -> None:
    """Name every record that is not valid; raises RequestError unless these are to be left out."""
    if not matched.problems:
        return
    if skip and matched.count:
        for problem in matched.problems:
            note(visible(f"Skipped: {problem.where}: {problem.wrong}."))
        return
    first, *others = matched.problems
    for problem in others[:_NAMED]:
        note(visible(f"- {problem}"))
    more = f" ({len(others):,} more are wrong)" if others else ""
    hint = "; or leave out what is invalid with --skip-invalid" if matched.count else ""
    raise RequestError(f"{str(first).rstrip('.')}{more}{hint}. Nothing was imported.")


def _import_sheets(path: Path, study: str, rater: str, store: str) -> None:
    """A rater's sheets as verdicts: every problem is named, and then nothing is written."""
    checked_name("rater", rater)
    with closing(open_store(store, must_exist=True)) as database:
        bundle = load_study(database, study)
        known = {person.rater for person in bundle.raters}
        _refuse_others_sheets(path, rater, known)
        checked = check_sheets(bundle.as_asked(rater), path)
        for notice in checked.notices:
            note(visible(f"Note: {notice.rstrip('.')}."))
        if checked.problems:
            _refuse(checked.problems)
        stored = store_sheets(database, bundle, rater, checked.verdicts)
    if rater not in known:
        note(f"Note: rater {rater} is new in study {study}.")
    if stored.empty:
        note(f"Note: {blank_answers(counted(stored.empty, 'empty cell'))}")
    click.echo(
        f"{rater}: {counted(stored.new, 'new label')}, {stored.changed} changed, {stored.same} as they were, "
        f"{stored.empty} empty, {counted(stored.comments, 'comment')}"
    )


def _refuse_others_sheets(path: Path, rater: str, known: set[str]) -> None:
    """Sheets that bear another rater's name were given the wrong name more often than not."""
    if path.stem != rater and path.stem in known:
        raise RequestError(
            f"{path.name} is named after rater {path.stem!r}, not {rater!r}; "
            f"give --rater {path.stem}, or rename it."
        )


def _refuse(problems: Sequence[Problem]) -> None:
    first, *others = problems
    if not others:
        raise RequestError(f"{first}. Nothing was imported.")
    for problem in problems:
        note(visible(f"- {problem}."))
    raise RequestError(
        f"{len(problems)} places are wrong, each named above; correct them. Nothing was imported."
    )

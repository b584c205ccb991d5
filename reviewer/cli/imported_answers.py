"""What ``reviewer import --study`` does: filled sheets, and labels that were given in another tool."""

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

import click

from reviewer.cli.printing import note
from reviewer.cli.store_access import open_store
from reviewer.cli.viewer import check_for_others
from reviewer.core.errors import InputError, RequestError
from reviewer.core.names import checked_name
from reviewer.core.sanitize import counted, visible
from reviewer.exchange.labels.foreign_files import read_foreign_labels
from reviewer.exchange.labels.foreign_label import LabelFields
from reviewer.exchange.labels.label_booking import BookingOptions, MatchedLabels, match_labels, store_labels
from reviewer.exchange.rows.row_files import RowOptions, named_columns
from reviewer.exchange.sheets.sheet_import import check_sheets, store_sheets
from reviewer.options.import_ import ImportOptions
from reviewer.study.design.study_bundle import load_study
from reviewer.study.transfer.answer_reports import blank_answers

_NAMED = 20


def import_answers(options: ImportOptions, study: str) -> None:
    """Import sheets from a ZIP or folder, or labels from a file of records; raises UsageError, InputError."""
    rater = options.answers.rater
    if _holds_labels(options.path):
        _import_labels(options, study)
    elif rater is None:
        raise click.UsageError("Missing option '--rater': say whose sheets these are.")
    else:
        _import_sheets(options.path, study, rater, options.store)


def _holds_labels(path: Path) -> bool:
    """Whether the path is a file of records, and not a ZIP or a folder of sheets."""
    try:
        with path.open("rb") as file:
            return file.read(2) != b"PK"
    except (OSError, ValueError):
        return False


def _renamed(renames: Sequence[str]) -> dict[str, str]:
    names: dict[str, str] = {}
    for rename in renames:
        theirs, sign, ours = rename.rpartition("=")
        if not (sign and theirs and ours):
            raise RequestError(f"--rename {rename!r} is not of the form THEIRS=OURS.")
        if names.setdefault(theirs, ours) != ours:
            raise RequestError(
                f"--rename gives {theirs!r} two names, {names[theirs]!r} and {ours!r}; leave one of them out."
            )
    return names


def _import_labels(options: ImportOptions, study: str) -> None:
    """Import labels as events that are marked as imported; all of them, or none."""
    way, rows = (
        options.answers,
        RowOptions(
            options.encoding,
            options.separator,
            options.header_row,
            options.sheet,
            named_columns(options.columns),
        ),
    )
    renamed = _renamed(way.renames)
    fields = LabelFields(
        way.key_field, way.rater_field, way.question_field, way.label_field, way.rater_columns or ()
    )
    database = open_store(options.store)
    bundle = load_study(database, study)
    names = {name.casefold() for question in bundle.questions for name in (question.key, question.title)}
    names |= {theirs.casefold() for theirs, ours in renamed.items() if ours.casefold() in names}
    foreign = read_foreign_labels(options.path, rows, way.tool, replace(fields, questions=frozenset(names)))
    matched = match_labels(
        bundle,
        foreign,
        BookingOptions(way.rater, way.question, renamed, way.add_raters, way.none_if_absent),
    )
    note(*(f"Note: {notice}." for notice in matched.notices))
    _tell_problems(matched, options.skip_invalid)
    check_for_others(database, study, *matched.verdicts)
    if matched.newcomers:
        note(f"Note: {_new_in_words(matched.newcomers)} new in study {study}.")
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


def _new_in_words(newcomers: Sequence[str]) -> str:
    """The names of new raters, the first of them if there are many, with a verb."""
    if len(newcomers) == 1:
        return f"rater {newcomers[0]} is"
    more = f" and {len(newcomers) - _NAMED:,} more" if len(newcomers) > _NAMED else ""
    return f"raters {', '.join(newcomers[:_NAMED])}{more} are"


def _tell_problems(matched: MatchedLabels, skip: bool) -> None:
    """Name every record that is not valid; raises RequestError unless these are to be left out."""
    if not matched.problems:
        return
    if skip and matched.count:
        note(*(f"Skipped: {problem.where}: {problem.wrong}." for problem in matched.problems))
        return
    first, *others = matched.problems
    note(*(f"- {problem}" for problem in others[:_NAMED]))
    more = f" ({counted(len(others), 'other fault')})" if others else ""
    hint = "; or leave out what is invalid with --skip-invalid" if matched.count else ""
    raise RequestError(f"{str(first).rstrip('.')}{more}{hint}. Nothing was imported.")


def _import_sheets(path: Path, study: str, rater: str, store: str) -> None:
    """A rater's sheets as verdicts: every problem is named, and then nothing is written."""
    checked_name("rater", rater)
    database = open_store(store)
    bundle = load_study(database, study)
    known = {person.rater for person in bundle.raters}
    _refuse_others_sheets(path, rater, known)
    check_for_others(database, study, rater)
    checked = check_sheets(bundle.as_asked(rater), path, rater)
    note(*(f"Note: {notice.rstrip('.')}." for notice in checked.notices))
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


def _refuse(problems: Sequence[InputError]) -> None:
    first, *others = problems
    if not others:
        raise RequestError(f"{first} Nothing was imported.")
    note(*(f"- {problem}" for problem in problems))
    raise RequestError(
        f"{len(problems)} places are wrong, each named above; correct them. Nothing was imported."
    )

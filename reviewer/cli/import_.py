"""``reviewer import``: a published dataset, a seed corpus or filled sheets into the store."""

import json
import sys
from collections.abc import Iterator
from contextlib import closing, suppress
from functools import partial
from pathlib import Path

import click
from click.core import ParameterSource

from reviewer.cli.printing import note, progress_bars
from reviewer.cli.store_access import is_new_store, open_store, protocols_here
from reviewer.core.errors import StoreError
from reviewer.core.names import checked_name
from reviewer.core.question import labels_in_words
from reviewer.core.sanitize import agreeing, counted, one_line, visible
from reviewer.exchange.rows.dataset_import import (
    CheckedSource,
    check_source,
    declared_protocol_of,
    renamed,
    require_generator,
    settled,
    store_source,
)
from reviewer.exchange.rows.row_files import RowOptions, named_columns
from reviewer.options.import_ import CaseOptions, ImportOptions
from reviewer.protocols.base import Protocol
from reviewer.protocols.intake import HAND_WRITTEN
from reviewer.protocols.registry import protocols_of
from store.database import Database
from store.declarations import definitions_of
from store.location import DEFAULT_LOCATION
from store.records import KeptDeclaration

_WORTH_A_BAR = 300
"""Cases that are stored with a progress bar."""


def import_command(options: ImportOptions) -> None:
    """``reviewer import``: a published dataset, a seed corpus, or raters' labels into the store."""
    answers, dataset = options.answers, options.cases.dataset
    if answers.study is not None and dataset is None:
        # What reads answers takes a third of a second to load, and an import of cases needs none of it.
        from reviewer.cli.imported_answers import import_answers

        import_answers(options, answers.study)
    elif dataset is None or answers.study is not None or answers.rater is not None:
        both = "; not both" if dataset is not None else ""
        raise click.UsageError(f"Give --dataset for cases, or --study and --rater for filled sheets{both}.")
    else:
        _import_cases(options, options.cases, dataset)


def _import_cases(options: ImportOptions, cases: CaseOptions, dataset: str) -> None:
    store = options.store
    with suppress(StoreError):  # what is wrong with the files is said before what is wrong with the store
        store = _store_above(store)
    source = check_source(
        options.path,
        dataset,
        cases.generator,
        protocol=cases.protocol or _declared_protocol_in(store, dataset, options.path),
        groups=cases.groups,
        skip_invalid=options.skip_invalid,
        protocols=protocols_here().keeping(partial(_kept_in, store)),
        options=RowOptions(
            options.encoding,
            options.separator,
            options.header_row,
            options.sheet,
            named_columns(options.columns),
        ),
    )
    note(*(f"Note: {notice}." for notice in source.incoming.notices))
    note(*(f"Skipped: {problem.where}: {problem.wrong}." for problem in source.incoming.problems))
    if is_new_store(store):
        source = _with_generator(source)  # before a store is made
    database = open_store(store, create=True)
    source, before = settled(database, source), source
    if remark := renamed(before, source):
        note(f"Note: {remark}.")
    source = _with_generator(source)
    if cases.over_revisions:
        from reviewer.study.session.content_rights import check_may_change  # loads for the few that ask

        check_may_change(database, dataset, checked_name("author", cases.who))
    with progress_bars(_WORTH_A_BAR) as progress:
        report = store_source(
            database,
            source,
            progress and partial(progress, "Storing"),
            replace=cases.replace,
            over=cases.who if cases.over_revisions else None,
            importer=checked_name("author", cases.who),
        )
    protocol = protocols_of(database).named(source.dataset.protocol)
    undefined = _undefined_groups(database, source, protocol)
    for sentence in (*undefined, *_opinions_without_label(source, protocol)):
        note(f"Note: {sentence}.")
    click.echo(visible(report.sentence))


def _opinions_without_label(source: CheckedSource, protocol: Protocol) -> Iterator[str]:
    """A notice about each opinion of which some published values answer nothing."""
    for opinion in protocol.opinions:
        question = protocol.question_named(opinion.question)
        values = [value for entry in source.incoming.entries for value in opinion.values_in(entry.published)]
        strange = [value for value in values if question and opinion.answer_of(value, question) is None]
        if question and strange:
            yield (
                f"{len(strange):,} of {counted(len(values), 'value')} of {opinion.name} "
                f"{agreeing(len(strange), 'does', 'do')} not answer question {question.key!r} "
                f"(such as {one_line(json.dumps(strange[0], ensure_ascii=False), 60)}) and "
                f"{agreeing(len(strange), 'counts', 'count')} as abstentions; "
                f"{labels_in_words(question)}"
            )


def _undefined_groups(database: Database, source: CheckedSource, protocol: Protocol) -> Iterator[str]:
    """A notice about groups of the dataset that have no definition, although a question shows it."""
    if protocol.reference == protocol.name:  # only a declared one has a version in its reference
        return
    from reviewer.exchange.rows.declaration_file import undefined_notice  # loads for declared protocols
    from reviewer.protocols.declared.declared_protocol import DeclaredProtocol

    if not isinstance(protocol, DeclaredProtocol):
        return
    with database.read() as session:
        defined = definitions_of(session, [source.dataset.name])[source.dataset.name]
    groups = {entry.group for entry in source.incoming.entries}
    if notice := undefined_notice(protocol.declaration, groups, defined, with_file=bool(source.definitions)):
        yield notice


def _declared_protocol_in(store: str, dataset: str, path: Path) -> str | None:
    """The declared protocol of a dataset that the store has."""
    with suppress(StoreError):
        if not is_new_store(store):
            with closing(open_store(store)) as database:
                return declared_protocol_of(database, dataset, path)
    return None


def _kept_in(store: str) -> list[KeptDeclaration]:
    """The declared protocols of a store, which is opened only if none of the release was named."""
    with suppress(StoreError):
        if not is_new_store(store):
            with closing(open_store(store)) as database:
                return database.declarations()
    return []


def _store_above(location: str) -> str:
    """The store to use where nothing names one, neither an option nor the environment, and none is here.

    A person may choose the one in the parent folder. A script gets a new one here, and is told of the other.
    """
    named = click.get_current_context().get_parameter_source("store") is ParameterSource.COMMANDLINE
    above = Path("..") / Path(location).name
    if named or location != DEFAULT_LOCATION or not (is_new_store(location) and above.is_file()):
        return location
    if not sys.stdin.isatty():
        note(f"This folder has no store; the folder above it has one. To use that one, give --store {above}.")
        return location
    there = Path.cwd().parent / above.name
    asked = f"This folder has no store, but {there} is one. Use that one? No creates a new store here"
    return str(above) if click.confirm(asked, default=True, err=True) else location


def _with_generator(source: CheckedSource) -> CheckedSource:
    """Ask the person at the keyboard for a generator that nothing tells; raises RequestError without one."""
    if source.lacks_generator and sys.stdin.isatty():
        asked = f"Which model wrote the cases of {source.dataset.source}? ({HAND_WRITTEN}: people did)"
        return source.by(click.prompt(asked, err=True))
    require_generator(source)
    return source

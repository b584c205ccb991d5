"""``reviewer import``: a published dataset, a seed corpus or filled sheets into the store."""

import json
import sys
from collections.abc import Iterator
from contextlib import ExitStack, closing, contextmanager, suppress
from functools import cache, partial
from pathlib import Path

import click
from click.core import ParameterSource

from reviewer.cli.answer_options import AnswerOptions, answer_options
from reviewer.cli.app_launch import OWN_NAME, own_name
from reviewer.cli.options import is_new_store, note, open_store, protocols_here, store_option
from reviewer.core.errors import StoreError
from reviewer.core.names import checked_name
from reviewer.core.progress import Progress
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
from reviewer.exchange.rows.row_files import RowOptions
from reviewer.protocols.registry import protocols_of
from reviewer.study.session.content_rights import check_may_change
from store.database import Database
from store.declarations import definitions_of
from store.location import DEFAULT_LOCATION
from store.records import KeptDeclaration

_WORTH_A_BAR = 300


@click.command(
    "import",
    epilog="Example: reviewer import gpt-4o-mini.json --dataset gpt-4o-mini",
)
@click.argument("path", metavar="FILE|FOLDER", type=click.Path(path_type=Path))
@click.option("--dataset", metavar="NAME", help="Name of the dataset to create or update.")
@click.option(
    "--generator",
    metavar="NAME",
    help="The model that wrote the generated cases. Needed only if neither the file nor the dataset names "
    "it.",
)
@click.option(
    "--protocol",
    metavar="NAME|FILE.toml",
    help="Protocol (benchmark) of the cases, or the file that declares it, which the store then keeps. "
    "Needed only if the protocol cannot be told from the file.",
)
@click.option(
    "--groups",
    type=click.Path(path_type=Path),
    metavar="FILE.toml",
    help=(
        'TOML file with one line for each group: "name" = "definition". New studies show these definitions.'
    ),
)
@click.option(
    "--separator",
    metavar="SIGN",
    help="What separates the columns of a CSV file: a sign, or tab. Default: recognised from the file.",
)
@click.option(
    "--encoding",
    metavar="NAME",
    help="Encoding of a file of rows, such as cp1252. Default: recognised from the file.",
)
@click.option("--skip-invalid", is_flag=True, help="Import the valid cases and list the invalid ones.")
@click.option(
    "--replace",
    is_flag=True,
    help="If the dataset has cases of another generator under the same keys, replace them.",
)
@click.option(
    "--over-revisions",
    is_flag=True,
    help="Also replace cases that somebody repaired or withdrew. Their history keeps the old and the new "
    "content.",
)
@click.option(
    "--as",
    "who",
    default=own_name,
    help=f"Your name. The history keeps it if the import replaces revised content or withdraws cases. "
    f"{OWN_NAME}",
)
@answer_options
@store_option
@click.pass_context
def import_command(
    context: click.Context,
    path: Path,
    dataset: str | None,
    generator: str | None,
    protocol: str | None,
    groups: Path | None,
    separator: str | None,
    encoding: str | None,
    skip_invalid: bool,
    replace: bool,
    over_revisions: bool,
    who: str,
    study: str | None,
    answers: AnswerOptions,
    store: str,
) -> None:
    """Import a dataset from a file or folder, or raters' labels from sheets or another tool.

    A dataset is a file of JSON, JSON Lines, CSV, TSV or Parquet, a folder with seeds, or a folder that
    `reviewer release make` wrote. The seal, the licence and the authors of a release are imported too. Filled
    sheets come as a ZIP or as a folder.

    Everything is checked before anything is written. Importing the same file again changes nothing. If a
    case has changed since the last import, verdicts on its old content are kept and marked stale. Cases that
    somebody repaired or withdrew are not replaced, unless you give --over-revisions. Cases that the makers of
    a release withdrew are withdrawn here too.
    """
    if study is not None and dataset is None:
        # What reads answers takes a third of a second to load, and an import of cases needs none of it.
        from reviewer.cli.imported_answers import import_answers

        import_answers(
            path,
            study,
            RowOptions(encoding, separator),
            answers,
            store,
            skip_invalid=skip_invalid,
        )
        return
    if dataset is None or study is not None or answers.rater is not None:
        raise click.UsageError("Give --dataset for cases, or --study and --rater for filled sheets.")
    with suppress(StoreError):  # what is wrong with the files is said before what is wrong with the store
        store = _store_above(store) if _is_default(context) else store
    source = check_source(
        path,
        dataset,
        generator,
        protocol=protocol or _declared_protocol_in(store, dataset, path),
        groups=groups,
        skip_invalid=skip_invalid,
        protocols=protocols_here().keeping(partial(_kept_in, store)),
        options=RowOptions(encoding, separator),
    )
    for notice in source.incoming.notices:
        note(visible(f"Note: {notice}."))
    for problem in source.incoming.problems:
        note(visible(f"Skipped: {problem.where}: {problem.wrong}."))
    if is_new_store(store):
        source = _with_generator(source)  # before a store is made
    with closing(open_store(store)) as database:
        source, before = settled(database, source), source
        if remark := renamed(before, source):
            note(visible(f"Note: {remark}."))
        source = _with_generator(source)
        if over_revisions:
            check_may_change(database, dataset, checked_name("author", who))
        with _progress_bar() as progress:
            report = store_source(
                database,
                source,
                progress,
                replace=replace,
                over=who if over_revisions else None,
                importer=checked_name("author", who),
            )
        for sentence in (*_undefined_groups(database, source), *_opinions_without_label(database, source)):
            note(visible(f"Note: {sentence}."))
    click.echo(visible(report.sentence))


def _opinions_without_label(database: Database, source: CheckedSource) -> Iterator[str]:
    """A notice about each opinion of which some published values answer nothing."""
    protocol = protocols_of(database).named(source.dataset.protocol)
    for opinion in protocol.opinions:
        question = protocol.question_named(opinion.question)
        values = [value for entry in source.incoming.entries for value in opinion.values_in(entry.published)]
        strange = [value for value in values if question and opinion.answer_of(value, question) is None]
        if question and strange:
            yield (
                f"{len(strange):,} of {counted(len(values), 'value')} of {opinion.name} "
                f"{agreeing(len(strange), 'is', 'are')} no answer to question {question.key!r} "
                f"(such as {one_line(json.dumps(strange[0], ensure_ascii=False), 60)}) and "
                f"{agreeing(len(strange), 'counts', 'count')} as abstentions; its labels are "
                f"{', '.join(question.labels)}"
            )


def _undefined_groups(database: Database, source: CheckedSource) -> Iterator[str]:
    """A notice about groups of the dataset that have no definition, although a question shows it."""
    protocol = protocols_of(database).named(source.dataset.protocol)
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
            with closing(open_store(store, must_exist=True)) as database:
                return declared_protocol_of(database, dataset, path)
    return None


def _kept_in(store: str) -> list[KeptDeclaration]:
    """The declared protocols of a store, which is opened only if none of the release was named."""
    with suppress(StoreError):
        if not is_new_store(store):
            with closing(open_store(store, must_exist=True)) as database:
                return database.declarations()
    return []


def _is_default(context: click.Context) -> bool:
    """Whether nothing names the store, neither an option nor the environment."""
    given = context.get_parameter_source("store") is ParameterSource.COMMANDLINE
    return not given and context.params["store"] == DEFAULT_LOCATION


def _store_above(location: str) -> str:
    """The store to use where the current folder has none: a person may choose the one in the parent folder.

    A script gets a new store here, and is told of the other one.
    """
    above = Path("..") / Path(location).name
    if not (is_new_store(location) and above.is_file()):
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
        return source.by(click.prompt(f"Which model wrote the cases of {source.dataset.source}?", err=True))
    require_generator(source)
    return source


@contextmanager
def _progress_bar() -> Iterator[Progress | None]:
    """A bar on stderr, for a person and for enough cases to be worth one."""
    if not sys.stderr.isatty():
        yield None
        return
    with ExitStack() as stack:
        # Opened at the first step, because only then it is known how many cases are new.
        bar = cache(
            lambda total: stack.enter_context(
                click.progressbar(length=total, label="Storing", file=sys.stderr)
            )
        )

        def advance(done: int, total: int) -> None:
            if total > _WORTH_A_BAR:
                bar(total).update(done - bar(total).pos)

        yield advance

"""``reviewer datasets``: the datasets of the store, and the history of their cases."""

from collections.abc import Iterator
from contextlib import closing, contextmanager
from typing import TYPE_CHECKING

import click

from reviewer.cli.printing import note, print_table
from reviewer.cli.store_access import open_store
from reviewer.cli.viewer import check_influence, check_outcomes, check_results
from reviewer.core.errors import RequestError
from reviewer.core.sanitize import counted, visible
from reviewer.core.table import Cell, Table
from reviewer.options.datasets import (
    DatasetsCommands,
    DatasetsDescribeOptions,
    DatasetsExportOptions,
    DatasetsHardOptions,
    DatasetsHistoryOptions,
    DatasetsRevertOptions,
    DatasetsSettleOptions,
    DatasetsTodoOptions,
    DatasetsWithdrawOptions,
)
from reviewer.options.shared import Format, own_name
from reviewer.protocols.registry import protocols_of
from reviewer.runs.audit.audit_state import AuditState, audit_state
from reviewer.runs.repair.revise import read_place, revert, settle, withdraw
from reviewer.runs.repair.revision_tables import SHORT_ID, conflicts_table, history_table, todo_table
from reviewer.study.session.blinding import Influence
from reviewer.study.session.content_rights import check_may_change
from store.cases import get_dataset
from store.database import Database
from store.records import Revision
from store.revisions import PlaceNow, RevisionCounts, histories, place_now, revision_counts
from store.studies import open_studies_with
from store.todos import add_todo, finish_todo, todos_of

if TYPE_CHECKING:
    from reviewer.exchange.rows.dataset_export import Written
    from reviewer.results.outcomes.hard_cases import HardCases

_COLUMNS = (
    *("dataset", "protocol", "cases", "generated", "seeds", "unknown", "groups", "source"),
    *("revised", "withdrawn", "in_conflict"),
)
_AUDIT_COLUMNS = ("audited", "audited_by_earlier_checks", "audit_clean", "strictly_clean", "not_tested")
"""Numbers of cases, for programs; people read them in ``reviewer audit``."""
_NONE = RevisionCounts()
_NOT_AUDITED = AuditState(*[frozenset()] * 7)


def datasets_command(options: DatasetsCommands) -> None:
    """``reviewer datasets``: the datasets; programs get the numbers of their audits too."""
    database, form = open_store(options.store), options.form
    protocols = protocols_of(database)
    datasets = database.overview().datasets
    with database.read() as session:
        revisions = revision_counts(session)
    rows = []
    for dataset in datasets:
        counts = revisions.get(dataset.name, _NONE)
        protocol = protocols.usable(dataset.protocol)
        state = audit_state(database, dataset.name, protocol) if protocol else _NOT_AUDITED
        cells: tuple[Cell, ...] = (
            dataset.name,
            dataset.protocol,
            dataset.cases,
            dataset.generated,
            dataset.cases - dataset.generated - dataset.imported,
            dataset.imported,
            dataset.groups,
            dataset.source,
            counts.revised,
            counts.withdrawn,
            counts.conflicts,
        )
        audited = (state.current, state.earlier, state.audit_clean, state.strictly_clean, state.untested)
        rows.append(cells if form == "table" else (*cells, *map(len, audited)))
        if state.earlier:
            note(f"{dataset.name}: {state.earlier_words}; audit again: reviewer audit {dataset.name}")
    for fault in dict.fromkeys(filter(None, (protocols.fault(dataset.protocol) for dataset in datasets))):
        note(f"Note: {fault}")
    print_table(Table.of(_COLUMNS if form == "table" else (*_COLUMNS, *_AUDIT_COLUMNS), rows), form)
    if not datasets:
        note("No datasets yet; import one: reviewer import FILE --dataset NAME")


def datasets_describe_command(options: DatasetsDescribeOptions) -> None:
    """``reviewer datasets describe``: what releases print and only the authors of a dataset can say."""
    from reviewer.exchange.releases.dataset_description import (
        DATASET_TOPICS,
        describe_dataset,
        description_table,
    )

    given = {topic: getattr(options, topic) for topic in DATASET_TOPICS}
    said = {topic: text for topic, text in given.items() if text is not None}
    database = open_store(options.store)
    texts = describe_dataset(database, options.dataset, options.author or own_name(), said)
    print_table(description_table(texts), options.form)
    if missing := [topic for topic in DATASET_TOPICS if topic not in texts]:
        note(f"Missing: {', '.join(missing)}. See `reviewer datasets describe --help`.")


def datasets_export_command(options: DatasetsExportOptions) -> None:
    """``reviewer datasets export``: a dataset as a file."""
    if options.study is None and options.rule != "majority":
        raise RequestError("--rule is about the final labels of a study; name it with --study.")
    from reviewer.exchange.rows.dataset_export import write_dataset

    database = open_store(options.store)
    check_influence(database, options.dataset, Influence.PUBLISHED)
    if options.study is not None:
        check_results(database, options.study)
    written = write_dataset(database, options.dataset, options.file, options.study, options.rule)
    note(f"{options.file}: {counted(written.cases, 'case')}")
    if options.rule == "median":
        note(
            "Final labels are adjudicated ones, else the median of the votes where labels have an order, and "
            "the majority's elsewhere; column final_rule says which."
        )
    if changed := RevisionCounts(written.revised, written.withdrawn).words:
        note(f"Of dataset {options.dataset}: {changed}. Withdrawn cases are not in the file.")
    if written.not_as_published:
        note(_not_as_published(options.dataset, written))


def _not_as_published(dataset: str, written: "Written") -> str:
    cases = f"{written.not_as_published:,} of {counted(written.cases, 'case')}"
    return (
        f"Note: dataset {dataset} has no published record of {cases}: they came from no file, or "
        "from another dataset. They are written with the texts and values of the store, which are "
        "normalised. To keep the records of a file, import the file again."
    )


def datasets_hard_command(options: DatasetsHardOptions) -> None:
    """``reviewer datasets hard``: a new dataset of cases that a model answers wrongly each time."""
    from reviewer.results.outcomes.evaluated import read_evaluation
    from reviewer.results.outcomes.hard_cases import make_hard_dataset

    database = open_store(options.store)
    evaluation = read_evaluation(database, protocols_of(database), options.run)
    check_outcomes(database, evaluation.settings.datasets)
    made = make_hard_dataset(database, evaluation, options.model, options.into)
    note(*_remarks(made))
    click.echo(visible(f"{options.into}: {made.source}"))


def _remarks(made: "HardCases") -> list[str]:
    left_out = {
        "whose right answer is not known": made.unknown,
        "with an answer that is missing or has no label": made.unanswered,
        "whose place holds other content now": made.changed,
    }
    return [f"Left out: {counted(number, 'case')} {why}." for why, number in left_out.items() if number]


def datasets_history_command(options: DatasetsHistoryOptions) -> None:
    """``reviewer datasets history``: every revision of a dataset or of one case."""
    database = open_store(options.store)
    with database.read() as session:
        get_dataset(session, options.dataset)
    check_influence(database, options.dataset, Influence.HISTORY)
    with database.read() as session:
        if options.key is None:
            shown = list(histories(session, [options.dataset]).values())
        else:
            shown = [place_now(session, options.dataset, options.key).history]
        counts = revision_counts(session).get(options.dataset)
    print_table(history_table(shown, whole=options.form != "table"), options.form)
    steps = sum(len(history.revisions) for history in shown)
    of_dataset = f" Of dataset {options.dataset}: {counts.words}." if counts and counts.words else ""
    note(f"{counted(steps, 'revision')}.{of_dataset}" if steps else "No revision yet.")


def datasets_revert_command(options: DatasetsRevertOptions) -> None:
    """``reviewer datasets revert``: brings an earlier content of a case back."""
    with place_for_change(options.store, options.dataset, options.key, options.who) as (database, now):
        made = revert(
            database,
            options.dataset,
            options.key,
            to=options.target,
            expected=now.parent,
            author=options.who,
            reason=options.reason,
        )
        tell_revision(database, made, "has an earlier content again")


def datasets_settle_command(options: DatasetsSettleOptions) -> None:
    """``reviewer datasets settle``: ends conflicts between the revisions of two authors."""
    if options.key is None or options.choice is None:
        if options.choice is not None or options.reason is not None:
            raise click.UsageError("Give KEY, --choose and --reason together.")
        _list(options.dataset, options.key, options.form, options.store)
        return
    if options.reason is None:
        raise click.UsageError("Missing option '--reason': say in a few words why.")
    with place_for_change(options.store, options.dataset, options.key, options.who) as (database, now):
        made = settle(
            database,
            options.dataset,
            options.key,
            choice=options.choice,
            expected=now.parent,
            author=options.who,
            reason=options.reason,
        )
        tell_revision(database, made, "is settled")


def _list(dataset: str, key: str | None, form: Format, store: str) -> None:
    with closing(open_store(store)) as database, database.read() as session:
        get_dataset(session, dataset)
        if key is not None:
            place_now(session, dataset, key)
        check_influence(database, dataset, Influence.HISTORY)
        conflicts = [history for history in histories(session, [dataset]).values() if history.in_conflict]
    shown = [history for history in conflicts if key in (None, history.key)]
    print_table(conflicts_table(shown), form)
    note(f"{counted(len(shown), 'case')} in conflict." if shown else "No case is in conflict.")


def datasets_todo_command(options: DatasetsTodoOptions) -> None:
    """``reviewer datasets todo``: notes on work to do on cases, as a list."""
    if options.text is not None and (options.key is None or options.done is not None):
        raise click.UsageError("--note needs the KEY of a case, and goes without --done.")
    if options.text is None and options.name is not None:
        raise click.UsageError("--for says who does what --note says; give --note too.")
    database = open_store(options.store)
    if options.text is not None and options.key is not None:
        check_may_change(database, options.dataset, options.who)
        made = add_todo(
            database,
            options.dataset,
            options.key,
            note=options.text,
            name=options.name or options.who,
            by=options.who,
        )
        note(
            f"{options.dataset}: {made.name} has something to do about {options.key} ({made.id[:SHORT_ID]})."
        )
    elif options.done is not None:
        check_may_change(database, options.dataset, options.who)
        over = finish_todo(database, options.dataset, options.done, options.who)
        note(f"{options.dataset}: done about {over.key}.")
    check_influence(database, options.dataset, Influence.HISTORY)
    with database.read() as session:
        get_dataset(session, options.dataset)
        if options.key is not None:
            place_now(session, options.dataset, options.key)
        listed = todos_of(session, options.dataset, done=options.everything)
    shown = [todo for todo in listed if options.text is not None or options.key in (None, todo.key)]
    print_table(todo_table(shown), options.form)
    left = sum(todo.done_at is None for todo in shown)
    note(f"{counted(left, 'note')} open." if left else "Nothing to do.")


def datasets_withdraw_command(options: DatasetsWithdrawOptions) -> None:
    """``reviewer datasets withdraw``: takes a case out of new studies and exports."""
    with place_for_change(options.store, options.dataset, options.key, options.who) as (database, now):
        made = withdraw(
            database,
            options.dataset,
            options.key,
            expected=now.parent,
            author=options.who,
            reason=options.reason,
        )
        tell_revision(database, made, "is withdrawn")


@contextmanager
def place_for_change(store: str, dataset: str, key: str, author: str) -> Iterator[tuple[Database, PlaceNow]]:
    """The store and the place, if this author may change it; raises RequestError."""
    database = open_store(store)
    check_may_change(database, dataset, author)
    yield database, read_place(database, dataset, key)


def tell_revision(database: Database, revision: Revision, what: str) -> None:
    """Report the revision, and the open studies that show the old content."""
    note(f"{revision.dataset}: {revision.key} {what} (revision {revision.id[:SHORT_ID]}).")
    with database.read() as session:
        studies = open_studies_with(session, revision.dataset, revision.case_before)
    for study in studies:
        if revision.case_after is None:
            said = "its sample stays as it is"
        else:
            said = "its raters still see the old content, and verdicts on it are stale"
        note(f"Note: the case is in study {study}, which is open; {said}.")

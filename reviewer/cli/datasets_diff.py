"""``reviewer datasets diff``: what a revision changed in a case, or a new version in all findings."""

import click

from reviewer.cli.printing import note, print_rows, print_table
from reviewer.cli.store_access import open_store
from reviewer.cli.viewer import check_influence
from reviewer.core.errors import CheckFailed
from reviewer.core.sanitize import counted, visible
from reviewer.options.datasets import DatasetsDiffOptions
from reviewer.runs.repair.revise import content_of
from reviewer.runs.repair.revision_tables import changes_table
from reviewer.study.session.blinding import Influence
from store.cases import get_case
from store.revisions import place_now


def datasets_diff_command(options: DatasetsDiffOptions) -> None:
    """``reviewer datasets diff``: what a revision changed in the texts of a case, or in all findings."""
    if options.findings:
        _print_finding_changes(options)
        return
    if options.fail_on is not None:
        raise click.UsageError("--fail-on is about findings; give --findings too.")
    database = open_store(options.store)
    check_influence(database, options.dataset, Influence.HISTORY)
    with database.read() as session:
        now = place_now(session, options.dataset, options.key)
        before = get_case(session, content_of(now, options.old))
        after = now.case if options.new is None else get_case(session, content_of(now, options.new))
    table = changes_table(before, after)
    print_table(table, options.form)
    note(f"{counted(len(table.rows), 'change')}." if table.rows else "The two contents are the same.")


def _print_finding_changes(options: DatasetsDiffOptions) -> None:
    """The findings of two versions of a dataset; raises CheckFailed for --fail-on."""
    from reviewer.results.tables.finding_tables import FINDING_CHANGES
    from reviewer.runs.check.finding_changes import dataset_change

    if options.old is not None or options.new is not None:
        raise click.UsageError("--from and --to choose versions of one case; leave --findings out.")
    base, head = options.dataset, options.key
    database = open_store(options.store)
    for dataset in (base, head):
        check_influence(database, dataset, Influence.FINDINGS)
    change = dataset_change(database, base, head)
    print_rows(FINDING_CHANGES, change.findings, options.form)
    note(*change.sentences(base, head))
    if options.fail_on is not None and (fault := change.fault(options.fail_on)):
        raise CheckFailed(f"{head}: {visible(fault)}")

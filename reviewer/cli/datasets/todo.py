"""``reviewer datasets todo``: notes of what has to be done about cases, as a list."""

from contextlib import closing

import click

from reviewer.cli.options import note, open_store, print_table
from reviewer.cli.viewer import check_history
from reviewer.core.sanitize import counted
from reviewer.options.datasets import DatasetsTodoOptions
from reviewer.runs.repair.revision_tables import SHORT_ID, todo_table
from reviewer.study.session.content_rights import check_may_change
from store.cases import get_dataset
from store.revisions import place_now
from store.todos import add_todo, finish_todo, todos_of


def datasets_todo_command(options: DatasetsTodoOptions) -> None:
    """Carry out ``reviewer datasets todo``."""
    if options.text is not None and (options.key is None or options.done is not None):
        raise click.UsageError("--note needs the KEY of a case, and goes without --done.")
    if options.text is None and options.name is not None:
        raise click.UsageError("--for says who does what --note says; give --note too.")
    with closing(open_store(options.store, must_exist=True)) as database:
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
                f"{options.dataset}: {made.name} has something to do about {options.key} "
                f"({made.id[:SHORT_ID]})."
            )
        elif options.done is not None:
            check_may_change(database, options.dataset, options.who)
            over = finish_todo(database, options.dataset, options.done, options.who)
            note(f"{options.dataset}: done about {over.key}.")
        check_history(database, options.dataset)
        with database.read() as session:
            get_dataset(session, options.dataset)
            if options.key is not None:
                place_now(session, options.dataset, options.key)
            listed = todos_of(session, options.dataset, done=options.everything)
    shown = [todo for todo in listed if options.text is not None or options.key in (None, todo.key)]
    print_table(todo_table(shown), options.form)
    left = sum(todo.done_at is None for todo in shown)
    note(f"{counted(left, 'note')} open." if left else "Nothing to do.")

"""``reviewer datasets todo``: notes of what has to be done about cases, as a list."""

from contextlib import closing

import click

from reviewer.cli.options import format_option, note, open_store, print_table, store_option
from reviewer.cli.study.acts import as_option
from reviewer.cli.viewer import check_history
from reviewer.core.sanitize import counted
from reviewer.options.shared import Format
from reviewer.runs.repair.revision_tables import SHORT_ID, todo_table
from reviewer.study.session.content_rights import check_may_change
from store.cases import get_dataset
from store.revisions import place_now
from store.todos import add_todo, finish_todo, todos_of


@click.command(
    "todo",
    epilog='Example: reviewer datasets todo first case-7 --note "ask Tom" --for maria',
)
@click.argument("dataset", metavar="DATASET")
@click.argument("key", metavar="[KEY]", required=False)
@click.option("--note", "text", metavar="TEXT", help="What is to be done about the case at KEY.")
@click.option("--for", "name", metavar="NAME", help="With --note: who should do it. Default: you.")
@click.option("--done", metavar="NOTE", help="Mark this note as done, by the beginning of its id.")
@click.option("--all", "everything", is_flag=True, help="List notes that are done, too.")
@as_option
@format_option
@store_option
def datasets_todo_command(
    dataset: str,
    key: str | None,
    text: str | None,
    name: str | None,
    done: str | None,
    everything: bool,
    who: str,
    form: Format,
    store: str,
) -> None:
    """List the notes on what is to be done about the cases of DATASET, add one, or mark one as done.

    Raters who still have cases of the dataset to answer cannot see the notes.

    Notes stay in this store; they do not travel with merges, packs or exports.
    """
    if text is not None and (key is None or done is not None):
        raise click.UsageError("--note needs the KEY of a case, and goes without --done.")
    if text is None and name is not None:
        raise click.UsageError("--for says who does what --note says; give --note too.")
    with closing(open_store(store, must_exist=True)) as database:
        if text is not None and key is not None:
            check_may_change(database, dataset, who)
            made = add_todo(database, dataset, key, note=text, name=name or who, by=who)
            note(f"{dataset}: {made.name} has something to do about {key} ({made.id[:SHORT_ID]}).")
        elif done is not None:
            check_may_change(database, dataset, who)
            over = finish_todo(database, dataset, done, who)
            note(f"{dataset}: done about {over.key}.")
        check_history(database, dataset)
        with database.read() as session:
            get_dataset(session, dataset)
            if key is not None:
                place_now(session, dataset, key)
            listed = todos_of(session, dataset, done=everything)
    shown = [todo for todo in listed if text is not None or key in (None, todo.key)]
    print_table(todo_table(shown), form)
    left = sum(todo.done_at is None for todo in shown)
    note(f"{counted(left, 'note')} open." if left else "Nothing to do.")

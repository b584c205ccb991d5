"""``reviewer study show``: a study's sample, design and questions."""

import click

from reviewer.cli.options import Format, format_option, note, print_table, store_option
from reviewer.cli.study.acts import act_in_words
from reviewer.core.sanitize import agreeing, counted
from reviewer.core.table import Table
from reviewer.study.design.study_bundle import load_study
from store.database import Database


@click.command("show", epilog="Example: reviewer study show pilot --format csv")
@click.argument("name")
@format_option
@store_option
def study_show_command(name: str, form: Format, store: str) -> None:
    """Show a study's sample on stdout, and its design and questions on stderr."""
    bundle = load_study(Database.open(store, must_exist=True), name)
    study = bundle.study
    note(
        f"{name}: {bundle.protocol.title}, seed {study.seed}, view {study.view}, by {bundle.design.asking}, "
        f"made {study.created_at}"
    )
    for question in bundle.questions:
        asked = counted(len(bundle.slots(question)), "case")
        note(f"- {question.title} ({asked}; {', '.join(question.labels)})")
    for act in bundle.acts:
        note(act_in_words(act))
    rows = [
        (place.position + 1, place.dataset, place.key, place.generator, place.group, place.case[:12])
        for place in bundle.sample
    ]
    print_table(Table.of(("position", "dataset", "key", "generator", "group", "case"), rows), form)
    if bundle.stale:
        number = len(bundle.stale)
        verb = agreeing(number, "is", "are")
        note(f"{counted(number, 'case')} {verb} stale: the content at its place in the dataset has changed.")

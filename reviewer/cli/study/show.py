"""``reviewer study show``: a study's sample, design and questions."""

import click

from reviewer.cli.options import Format, format_option, note, open_store, print_table, store_option
from reviewer.core.sanitize import agreeing, counted, visible
from reviewer.core.table import Table
from reviewer.study.design.act_words import act_in_words
from reviewer.study.design.design_facts import design_facts
from reviewer.study.design.study_bundle import StudyBundle, load_study


@click.command("show", epilog="Example: reviewer study show pilot --format csv")
@click.argument("name")
@click.option("--design", "only_design", is_flag=True, help="Show the design on stdout, and no sample.")
@format_option
@store_option
def study_show_command(name: str, only_design: bool, form: Format, store: str) -> None:
    """Show a study's sample on stdout, and its design, questions and log on stderr.

    The sample says which cases are training and gold cases, and which ones raters see twice. Do not show it
    to raters.
    """
    bundle = load_study(open_store(store, must_exist=True), name)
    facts = design_facts(bundle)
    if only_design:
        print_table(Table.of(("design", "value"), facts), form)
        return
    for fact, value in facts:
        note(visible(f"{fact}: {value}"))
    for act in bundle.acts:
        note(act_in_words(act))
    print_table(_sample(bundle), form)
    if bundle.stale:
        number = len(bundle.stale)
        verb = agreeing(number, "is", "are")
        note(f"{counted(number, 'case')} {verb} stale: the content at its place in the dataset has changed.")


def _sample(bundle: StudyBundle) -> Table:
    columns = ("position", "dataset", "key", "generator", "group", "case", "role", "shown")
    rows = [
        (
            place.position + 1,
            place.dataset,
            place.key,
            place.generator,
            place.group,
            place.case[:12],
            place.role,
            2 if place.case in bundle.repeated else 1,
        )
        for place in bundle.sample
    ]
    return Table.of(columns, rows)

"""``reviewer cases``: the cases of the store, filtered and searched."""

import click

from reviewer.cli.options import (
    format_option,
    note,
    open_store,
    print_table,
    store_option,
)
from reviewer.cli.viewer import hidden_from_viewer
from reviewer.core.errors import RequestError
from reviewer.core.sanitize import counted
from reviewer.core.table import Table
from reviewer.options.shared import Format
from reviewer.protocols.altered_case import headline_of
from reviewer.protocols.registry import protocols_of
from store.cases import Filter, count_places, get_dataset, list_places
from store.revisions import place_states

_SHORT_DIGEST = 12


@click.command("cases", epilog='Example: reviewer cases --group "anchoring bias" --search deadline --limit 5')
@click.option(
    "--dataset", "datasets", multiple=True, help="Show only cases of this dataset; may be repeated."
)
@click.option("--group", help="Show only cases of this group.")
@click.option("--generator", help="Show only cases of this generator.")
@click.option(
    "--origin",
    type=click.Choice(["seed", "generated"]),
    help="Show only hand-written or only generated cases.",
)
@click.option(
    "--search",
    default="",
    metavar="TEXT",
    help="Show only cases that contain all these words. The beginning of a word is enough.",
)
@click.option(
    "--limit", type=click.IntRange(min=1), default=50, show_default=True, help="Show at most this many rows."
)
@click.option("--offset", type=click.IntRange(min=0), default=0, help="Skip this many cases first.")
@format_option
@store_option
def cases_command(
    datasets: tuple[str, ...],
    group: str | None,
    generator: str | None,
    origin: str | None,
    search: str,
    limit: int,
    offset: int,
    form: Format,
    store: str,
) -> None:
    """List the cases that match filters and words.

    The column state says which were revised or withdrawn. Generators stay blank in datasets of a study in
    which you still have cases to answer, if its protocol hides them.
    """
    wanted = Filter(datasets, group, generator, origin, search)
    database = open_store(store, must_exist=True)
    with database.read() as session:
        for name in datasets:
            get_dataset(session, name)
        total = count_places(session, wanted)
        places = list_places(session, wanted, limit, offset)
        states = place_states(session)
    protocols = protocols_of(database)
    hidden = hidden_from_viewer(database)
    if generator is not None and hidden & {*(datasets or hidden)}:
        raise RequestError(
            "--generator would tell who wrote cases of a study that you still have to answer; leave it out."
        )
    rows = [
        (
            case.digest[:_SHORT_DIGEST],
            place.dataset,
            place.key,
            None if place.dataset in hidden else place.generator,
            headline_of(protocols, case),
            states.get((place.dataset, place.key)),
        )
        for place, case in places
    ]
    print_table(Table.of(("case", "dataset", "key", "generator", "begins", "state"), rows), form)
    note(f"{len(places)} of {counted(total, 'case')}." if places else "No case fits; loosen the filters.")

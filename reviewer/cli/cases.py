"""``reviewer cases``: the cases of the store, filtered and searched."""

from reviewer.cli.options import (
    note,
    open_store,
    print_table,
)
from reviewer.cli.viewer import hidden_from_viewer
from reviewer.core.errors import RequestError
from reviewer.core.sanitize import counted
from reviewer.core.table import Table
from reviewer.options.cases import CasesOptions
from reviewer.protocols.altered_case import headline_of
from reviewer.protocols.registry import protocols_of
from store.cases import Filter, count_places, get_dataset, list_places
from store.revisions import place_states

_SHORT_DIGEST = 12


def cases_command(options: CasesOptions) -> None:
    """Carry out ``reviewer cases``."""
    wanted = Filter(options.datasets, options.group, options.generator, options.origin, options.search)
    database = open_store(options.store, must_exist=True)
    with database.read() as session:
        for name in options.datasets:
            get_dataset(session, name)
        total = count_places(session, wanted)
        places = list_places(session, wanted, options.limit, options.offset)
        states = place_states(session)
    protocols = protocols_of(database)
    hidden = hidden_from_viewer(database)
    if options.generator is not None and hidden & {*(options.datasets or hidden)}:
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
    print_table(Table.of(("case", "dataset", "key", "generator", "begins", "state"), rows), options.form)
    note(f"{len(places)} of {counted(total, 'case')}." if places else "No case fits; loosen the filters.")

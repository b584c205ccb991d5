"""Commands that show cases: ``cases``, ``library`` and ``diversity``."""

from collections.abc import Sequence
from typing import TYPE_CHECKING

from reviewer.cli.printing import Printed, declared_tables, note, print_table, print_tables, progress_bars
from reviewer.cli.store_access import open_store
from reviewer.cli.viewer import check_generators, check_outcomes, hidden_from_viewer
from reviewer.core.errors import RequestError
from reviewer.core.number_text import all_digits, fixed
from reviewer.core.sanitize import agreeing, counted, one_line
from reviewer.core.table import Table
from reviewer.options.cases import CasesOptions, DiversityOptions, LibraryOptions
from reviewer.options.shared import Format
from reviewer.protocols.altered_case import headline_of
from reviewer.protocols.registry import protocols_of
from store.cases import Filter, count_places, get_dataset, list_places
from store.database import Database
from store.revisions import place_states

if TYPE_CHECKING:
    from reviewer.runs.check.diversity import Likeness
    from reviewer.runs.library_entries import Library


_SHORT_DIGEST = 12


def cases_command(options: CasesOptions) -> None:
    """``reviewer cases``: the cases of the store, filtered and searched."""
    datasets = tuple(dict.fromkeys((*options.named, *options.datasets)))
    wanted = Filter(datasets, options.group, options.generator, options.origin, options.search)
    database = open_store(options.store)
    with database.read() as session:
        for name in datasets:
            get_dataset(session, name)
        total = count_places(session, wanted)
        places = list_places(session, wanted, options.limit, options.offset)
        states = place_states(session)
    protocols = protocols_of(database)
    hidden = hidden_from_viewer(database)
    told = "--generator" if options.generator is not None else "--origin" if options.origin else ""
    if told and hidden & {*(datasets or hidden)}:
        raise RequestError(
            f"{told} would tell who wrote cases of a study that you still have to answer or decide; "
            "leave it out."
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


def library_command(options: LibraryOptions) -> None:
    """``reviewer library``: the entries of a library with their evidence, or the changed items of one."""
    from reviewer.runs.library_entries import read_library

    database = open_store(options.store)
    check_outcomes(database, [options.dataset])
    library = read_library(database, protocols_of(database), options.dataset)
    printed = _items(database, library, options) if options.entry else _entries(library, options)
    print_tables(options.form, printed, options.dataset)


def _entries(library: "Library", options: LibraryOptions) -> Printed:
    from reviewer.results.tables.library_tables import ENTRIES

    rows = [row for entry in library.entries for row in entry.rows]
    bare = sum(not entry.record.evidence for entry in library.entries)
    remarks = [
        f"{entry.name}: {', '.join(entry.unread)} cannot be read and was left out."
        for entry in library.entries
        if entry.unread
    ]
    if bare:
        remarks.append(f"{bare:,} {agreeing(bare, 'entry has', 'entries have')} no evidence.")
    return declared_tables(ENTRIES, rows, f"Library {library.dataset}", options)._replace(remarks=remarks)


def _items(database: Database, library: "Library", options: LibraryOptions) -> Printed:
    from reviewer.results.tables.library_tables import CHANGED_ITEMS
    from reviewer.runs.library_entries import changed_items

    entry = library.entry(options.entry or "")
    items = changed_items(database, library, entry)
    notes = [f"{one_line(entry.name)}: {counted(len(items), 'changed item')}."]
    return declared_tables(CHANGED_ITEMS, items, entry.name, options)._replace(notes=notes)


_DIGITS = 3


def diversity_command(options: DiversityOptions) -> None:
    """``reviewer diversity``: how alike the cases of each group are."""
    from reviewer.cli.cluster_work import embeddings_on
    from reviewer.runs.check.dataset_check import check_needs
    from reviewer.runs.check.diversity import diversity

    database = open_store(options.store)
    _check_there(database, options.datasets)
    check_generators(database, options.datasets)
    if not check_needs(database, options.datasets).vectors:
        raise RequestError("no case of these datasets has a text that must be distinct: nothing to compare.")
    with (
        embeddings_on(options.cluster, database, options.model) as embeddings,
        progress_bars() as progress,
    ):
        likenesses = diversity(database, options.datasets, embeddings, progress)
    print_table(_likenesses(likenesses, options.form), options.form)
    if any(likeness.pairs == 0 for likeness in likenesses):
        note("A generator with a single text in a group has no pair there, and so no value.")


def _check_there(database: Database, datasets: Sequence[str]) -> None:
    with database.read() as session:
        for name in datasets:
            get_dataset(session, name)


def _likenesses(likenesses: "Sequence[Likeness]", form: Format) -> Table:
    """Rounded for people, whole for machines."""
    from reviewer.runs.check.diversity import ALL

    rows = [
        (
            likeness.group,
            " × ".join(likeness.generators) or ALL,
            likeness.pairs,
            _shown(likeness.cosine, form),
            _shown(likeness.levenshtein, form),
        )
        for likeness in likenesses
    ]
    return Table.of(("group", "generators", "pairs", "cosine", "levenshtein"), rows)


def _shown(value: float | None, form: Format) -> float | str | None:
    return fixed(value, _DIGITS) if form == "table" and value is not None else all_digits(value)

"""The seed corpora that come with the program, as datasets of a store."""

from importlib.resources import as_file, files

from reviewer.core.errors import RequestError
from reviewer.exchange.rows.dataset_import import import_path
from store.cases import find_dataset
from store.database import Database

SHIPPED = "seeds"
"""The dataset that the shipped corpus is imported as."""


def ensure_seeds(database: Database, dataset: str = SHIPPED, folder: str = "probe_swe") -> None:
    """Import the shipped corpus if that is what is meant and it is not there yet; raises RequestError."""
    with database.read() as session:
        there = find_dataset(session, dataset) is not None
    if there:
        return
    if dataset != SHIPPED:
        raise RequestError(f"dataset {dataset!r} is not in the store; see `reviewer datasets`.")
    with as_file(files("seeds") / folder) as corpus:
        import_path(database, corpus, dataset)

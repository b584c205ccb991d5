"""The seed corpora that are shipped with the program, as datasets of a store."""

from importlib.resources import as_file, files

from reviewer.core.errors import RequestError
from reviewer.exchange.rows.dataset_import import import_path
from reviewer.protocols.base import Protocol
from reviewer.protocols.registry import Protocols, protocols_of, the_only
from store.cases import find_dataset
from store.database import Database

SHIPPED = "seeds"
"""The dataset that the shipped corpus is imported as."""


def protocol_of_seeds(protocols: Protocols) -> Protocol:
    """The protocol that comes with hand-written cases; raises RequestError if none or several do."""
    able = (protocol for protocol in protocols.values() if protocol.seeds_folder)
    return the_only(
        able,
        "no protocol here comes with hand-written cases; import some, and name their dataset.",
        "several protocols come with hand-written cases; import those of one, and name their dataset",
    )


def ensure_seeds(database: Database, dataset: str = SHIPPED) -> None:
    """Import the shipped corpus if the dataset is that one and not in the store; raises RequestError."""
    with database.read() as session:
        there = find_dataset(session, dataset) is not None
    if there:
        return
    if dataset != SHIPPED:
        raise RequestError(f"dataset {dataset!r} is not in the store; see `reviewer datasets`.")
    protocol = protocol_of_seeds(protocols_of(database))
    with as_file(files("seeds") / protocol.seeds_folder) as corpus:
        import_path(database, corpus, dataset, protocol=protocol.name)

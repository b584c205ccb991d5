"""What is shipped with the program: examples with their files, and seed corpora as datasets of a store."""

from importlib.resources import as_file, files
from pathlib import Path

from reviewer.core.errors import RequestError
from reviewer.exchange.rows.dataset_import import import_path
from reviewer.protocols.base import Protocol
from reviewer.protocols.registry import Protocols, protocols_of, the_only
from store.cases import find_dataset
from store.database import Database

_FOLDER = "own_benchmark"
_GROUPS = "_groups.toml"
_CASES, _OUTCOMES, _ENDING = "cases.jsonl", "outcomes.jsonl", ".jsonl"
_BY_HAND = ".toml"
"""The ending of a file of cases that people write."""
_LAYOUT = "outcomes.toml"
"""The declaration of the file of outcomes, for a protocol without a layout of its own."""
_RUN = "example"


def example_names(protocols: Protocols) -> list[str]:
    """The names of the examples."""
    names = sorted(file.name for file in (files("seeds") / _FOLDER).iterdir())
    declared = [
        name.removesuffix(".toml") for name in names if name.endswith(".toml") and _GROUPS not in name
    ]
    return [*declared, *_of_protocols(protocols)]


def example_files(name: str, protocols: Protocols) -> dict[str, str]:
    """The texts of an example's files by name: declaration, data and definitions, or cases and outcomes.

    Cases of further protocols stand in files of the names of these, which are examples by themselves too.
    """
    protocol = _of_protocols(protocols).get(name)
    folder = files("seeds") / (protocol.example_folder if protocol else _FOLDER)
    is_whole_folder = protocol is not None and not any(
        (folder / f"{name}{ending}").is_file() for ending in (_ENDING, _BY_HAND)
    )
    wanted = ("",) if is_whole_folder else (f"{name}.", f"{name}{_GROUPS}")
    shipped = sorted(folder.iterdir(), key=lambda file: file.name)
    return {file.name: file.read_bytes().decode() for file in shipped if file.name.startswith(wanted)}


def example_commands(name: str, folder: Path, protocols: Protocols) -> list[str]:
    """The commands that import an example from a folder."""
    if protocol := _of_protocols(protocols).get(name):
        written = example_files(name, protocols)
        others = [file.removesuffix(_ENDING) for file in written]
        if (by_hand := f"{name}{_BY_HAND}") in written:
            return [f"reviewer import {folder / by_hand} --protocol {name} --dataset {name}"]
        if name in others:
            return [f"reviewer import {folder / name}{_ENDING} --dataset {name}"]
        layout = folder / _LAYOUT if _LAYOUT in written else protocol.outcome_files()[0].name
        return [
            f"reviewer import {folder / _CASES} --protocol {name} --dataset {name}",
            f"reviewer outcomes import {_RUN} {folder / _OUTCOMES} --as {layout} --dataset {name}",
            *(
                f"reviewer import {folder / other}{_ENDING} --dataset {other}"
                for other in others
                if other in protocols
            ),
        ]
    written = example_files(name, protocols)
    data = next(file for file in written if not file.endswith(".toml"))
    groups = next((f" --groups {folder / file}" for file in written if file.endswith(_GROUPS)), "")
    declaration = folder / f"{name}.toml"
    return [f"reviewer import {folder / data} --protocol {declaration}{groups} --dataset {name}"]


def _of_protocols(protocols: Protocols) -> dict[str, Protocol]:
    return {each.name: each for each in protocols.of_the_release if each.example_folder}


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

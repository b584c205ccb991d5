"""The import contracts of pyproject.toml are exhaustive: a module that none of them names fails here."""

import re
import tomllib
from collections.abc import Iterable
from pathlib import Path
from typing import Any

import pytest

ROOT = Path(__file__).parents[1]
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))
CONTRACTS: list[dict[str, Any]] = PROJECT["tool"]["importlinter"]["contracts"]
ALLOWED = {
    "Only the terminal app knows textual": {"reviewer.tui", "reviewer.web", "reviewer.cli"},
    "Only the store knows SQL": {"store"},
    "Only the client for language models knows openai": {"reviewer.llm"},
    "Only the figures know matplotlib": {"reviewer.figures"},
    "Only the connection to a cluster knows dask": {"reviewer.cluster.dask_cluster"},
}
"""Who may know the package that a contract forbids to all others."""


def modules() -> list[str]:
    """Every module of ours, by its dotted name; packages stand for what is in them."""
    files = [path for top in ("reviewer", "store") for path in (ROOT / top).rglob("*.py")]
    return [
        ".".join(path.relative_to(ROOT).with_suffix("").parts) for path in files if path.stem != "__init__"
    ]


def uncovered(names: Iterable[str], covering: Iterable[str]) -> list[str]:
    """The names that are neither named nor below a name."""
    known = tuple(covering)
    return sorted(
        name for name in names if not any(name == each or name.startswith(f"{each}.") for each in known)
    )


def floors() -> list[str]:
    """The names on all floors."""
    layers = next(contract["layers"] for contract in CONTRACTS if contract["type"] == "layers")
    return [name.strip() for layer in layers for name in re.split("[:|]", layer)]


def test_every_module_stands_on_a_floor() -> None:
    assert uncovered(modules(), floors()) == []


def test_a_module_that_no_contract_names_is_found() -> None:
    assert uncovered(["store.dismissals", "store.novelty"], floors()) == ["store.novelty"]


@pytest.mark.parametrize("name", ALLOWED)
def test_a_package_is_forbidden_to_all_but_those_who_may_know_it(name: str) -> None:
    contract = next(each for each in CONTRACTS if each["name"] == name)
    rest = [each for each in modules() if each != "reviewer.__main__"]
    assert uncovered(rest, {*contract["source_modules"], *ALLOWED[name]}) == []
    assert not ALLOWED[name] & set(contract["source_modules"])


def test_engines_may_know_only_plain_values_of_the_store() -> None:
    contract = next(each for each in CONTRACTS if each["name"] == "Engines know no database")
    stored = [each for each in modules() if each.startswith("store.")]
    assert uncovered(stored, contract["forbidden_modules"]) == ["store.clock", "store.records"]

"""CONTRIBUTING.md answers "Where is …?": every path that it names exists, and its map names every package."""

import re
from collections.abc import Iterable
from pathlib import Path

ROOT = Path(__file__).parents[1]
NAMED = re.compile(r"`((?:reviewer|store|seeds|tests|exports)/[^`\s]*)`")
MOST_LINES = 120
MAPPED = re.compile(r"^\| (`.+?`) \|", re.MULTILINE)


def missing_paths(text: str) -> list[str]:
    """Paths of ours that a text names in code marks, and that are not there."""
    return [path for path in NAMED.findall(text) if not (ROOT / path).exists()]


def unmapped(packages: Iterable[str], folders: set[str]) -> list[str]:
    """Packages of which the map names neither themselves, nor a part, nor a folder above without parts."""
    parents = {str(parent) for folder in folders for parent in Path(folder).parents}
    whole = folders - parents
    return [
        package
        for package in packages
        if package not in folders | parents and not whole.intersection(map(str, Path(package).parents))
    ]


def mapped_folders() -> set[str]:
    """The folders in the first column of the map."""
    text = (ROOT / "CONTRIBUTING.md").read_text(encoding="utf-8")
    table = text.partition("## Map of the house")[2].partition("\n## ")[0]
    cells = "".join(MAPPED.findall(table))
    return {path.rstrip("/") for path in re.findall(r"`([^`]+/)`", cells)}


def test_every_path_of_the_map_exists() -> None:
    text = (ROOT / "CONTRIBUTING.md").read_text(encoding="utf-8")
    assert len(NAMED.findall(text)) > 40
    assert missing_paths(text) == []


def test_a_path_that_does_not_exist_is_found() -> None:
    assert missing_paths("See `store/ledger.py` and `store/nowhere.py`.") == ["store/nowhere.py"]


def test_the_map_names_every_package() -> None:
    packages = [
        str(path.parent.relative_to(ROOT))
        for top in ("reviewer", "store")
        for path in sorted((ROOT / top).rglob("__init__.py"))
    ]
    assert len(packages) > 40
    assert unmapped(packages, mapped_folders()) == []


def test_a_package_beside_named_ones_has_to_be_named_too() -> None:
    packages = ["app", "app/keys", "app/case", "store/versions", "engines", "engines/prolog"]
    assert unmapped(packages, {"app", "app/keys", "store", "engines/prolog"}) == ["app/case"]


def test_it_is_read_in_one_sitting() -> None:
    assert len((ROOT / "CONTRIBUTING.md").read_text(encoding="utf-8").splitlines()) <= MOST_LINES

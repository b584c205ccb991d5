"""One word, one meaning: no public class is defined in two modules."""

import ast
from collections import defaultdict
from collections.abc import Iterator
from functools import cache
from pathlib import Path

from tests.parsed import parsed

ROOT = Path(__file__).parents[1]


def public_classes(tree: ast.Module) -> Iterator[str]:
    """The classes at the top of a module. Functions and constants are told apart by their modules."""
    return (node.name for node in tree.body if isinstance(node, ast.ClassDef))


def defined_twice(modules: dict[str, ast.Module]) -> dict[str, list[str]]:
    """Each public class that several modules define, with these."""
    places: dict[str, list[str]] = defaultdict(list)
    for module, tree in modules.items():
        for name in dict.fromkeys(public_classes(tree)):
            if not name.startswith("_"):
                places[name].append(module)
    return {name: found for name, found in places.items() if len(found) > 1}


@cache
def modules() -> dict[str, ast.Module]:
    files = [path for top in ("reviewer", "store") for path in sorted((ROOT / top).rglob("*.py"))]
    return {str(path.relative_to(ROOT)): parsed(path) for path in files}


def test_no_public_class_is_defined_twice() -> None:
    assert defined_twice(modules()) == {}


def test_a_class_that_is_defined_twice_is_found() -> None:
    made = {"one": ast.parse("class Progress: ..."), "two": ast.parse("class Progress: ...\nProgress2 = 1")}
    assert defined_twice(made) == {"Progress": ["one", "two"]}


def test_module_names_say_which_module() -> None:
    """Commands, their options and kept rows bear the words of users, and protocols are made alike."""
    names: dict[str, list[str]] = defaultdict(list)
    for path in map(Path, modules()):
        alike = path.parts[0] == "store" or path.parts[1] in ("cli", "options", "protocols")
        if path.name != "__init__.py" and not (alike and path.stem in _SHARED_NAMES | commands()):
            names[path.name].append(str(path))
    assert {name: paths for name, paths in names.items() if len(paths) > 1} == {}


_SHARED_NAMES = {"candidates", "cases", "complaints", "evaluation", "findings", "generation"}


def commands() -> set[str]:
    """Modules of commands, whose options have a module of the same name."""
    return {path.stem for path in map(Path, modules()) if path.parts[:2] == ("reviewer", "cli")}

"""One word, one meaning: no public name is defined in two modules."""

import ast
from collections import defaultdict
from collections.abc import Iterator
from functools import cache
from pathlib import Path

from tests.parsed import parsed

ROOT = Path(__file__).parents[1]
SAME_ON_PURPOSE = {
    "main": "the entry of a process: the command line, and the worker that runs Prolog",
    "quoted": "the worker runs alone, with nothing of ours but its own folder",
    "has_password": "asked of any location by the database, and of a server's URL by its module",
    "lacks_password": "the same",
    "ways_in": "the two kinds of database answer it alike",
}
"""Names that mean one thing in all their places."""


def public_names(tree: ast.Module) -> Iterator[str]:
    """Classes, functions and named types at the top of a module; constants in capitals are its own affair."""
    for node in tree.body:
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef):
            yield node.name
        elif isinstance(node, ast.Assign):
            named = (target.id for target in node.targets if isinstance(target, ast.Name))
            yield from (name for name in named if not name.isupper())


def defined_twice(modules: dict[str, ast.Module]) -> dict[str, list[str]]:
    """Each public name that several modules define, with these."""
    places: dict[str, list[str]] = defaultdict(list)
    for module, tree in modules.items():
        for name in dict.fromkeys(public_names(tree)):
            if not name.startswith("_"):
                places[name].append(module)
    return {name: found for name, found in places.items() if len(found) > 1}


@cache
def modules() -> dict[str, ast.Module]:
    files = [path for top in ("reviewer", "store") for path in sorted((ROOT / top).rglob("*.py"))]
    kept = [path for path in files if "versions" not in path.parts]
    return {str(path.relative_to(ROOT)): parsed(path) for path in kept}


def test_no_public_name_is_defined_twice() -> None:
    found = defined_twice(modules())
    assert {name: found[name] for name in found if name not in SAME_ON_PURPOSE} == {}


def test_the_lists_hold_no_name_that_is_defined_once() -> None:
    assert set(SAME_ON_PURPOSE) <= set(defined_twice(modules()))


def test_a_name_that_is_defined_twice_is_found() -> None:
    made = {"one": ast.parse("class Progress: ..."), "two": ast.parse("Progress = int\nLIMIT = 1")}
    assert defined_twice(made) == {"Progress": ["one", "two"]}

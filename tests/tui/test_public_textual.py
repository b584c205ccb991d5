"""The app uses what Textual documents: private names of its classes may change with every release."""

import ast
import inspect
from collections.abc import Iterator
from functools import cache
from pathlib import Path

from textual.screen import Screen

import reviewer.tui
from reviewer.tui.keys.actions import nodes
from tests.parsed import parsed

FOLDER = Path(reviewer.tui.__file__).parent


def private(name: str) -> bool:
    return name.startswith("_") and not name.startswith("__")


def set_by(kind: type) -> Iterator[str]:
    """The private names that a class and its methods give to its objects."""
    yield from (name for name in vars(kind) if private(name))
    try:
        tree = ast.parse(inspect.cleandoc("\n" + inspect.getsource(kind)))
    except (OSError, TypeError):
        return
    for node in ast.walk(tree):
        targets = node.targets if isinstance(node, ast.Assign) else [getattr(node, "target", None)]
        for target in targets:
            for part in ast.walk(target) if target is not None else ():
                if isinstance(part, ast.Attribute) and getattr(part.value, "id", "") == "self":
                    yield part.attr


@cache
def names_of(kind: type) -> frozenset[str]:
    return frozenset(name for name in set_by(kind) if private(name))


def names_of_textual(kind: type) -> set[str]:
    """The private names of the classes of Textual that a class of ours derives from."""
    bases = [base for base in kind.__mro__ if base.__module__.startswith("textual")]
    return set().union(*map(names_of, bases))


def used_on_others(tree: ast.AST) -> Iterator[str]:
    """Private names that code takes from anything but its own object."""
    for node in ast.walk(tree):
        if isinstance(node, ast.Attribute) and private(node.attr):
            owner = node.value
            if not (isinstance(owner, ast.Name) and owner.id in {"self", "cls"}):
                yield node.attr
        elif isinstance(node, ast.ImportFrom) and (node.module or "").startswith("textual"):
            yield from (part for part in (node.module or "").split(".") if private(part))
            yield from (alias.name for alias in node.names if private(alias.name))


def own_names(kind: type) -> set[str]:
    """The private names that a class of ours uses on its own object."""
    tree = ast.parse(inspect.cleandoc("\n" + inspect.getsource(kind)))
    return {
        node.attr
        for node in ast.walk(tree)
        if isinstance(node, ast.Attribute) and private(node.attr) and getattr(node.value, "id", "") == "self"
    } | {node.name for node in ast.walk(tree) if isinstance(node, ast.FunctionDef) and private(node.name)}


def test_no_module_takes_a_private_name_of_another_object() -> None:
    found = {
        str(path.relative_to(FOLDER)): sorted(set(names))
        for path in sorted(FOLDER.rglob("*.py"))
        if (names := [*used_on_others(parsed(path))])
    }
    # Rich has no public way to say how wide a character is; test_cell_widths fails if this name goes.
    assert found == {"cell_widths.py": ["_cell_len"]}


def test_no_class_uses_or_shadows_a_private_name_of_textual() -> None:
    found = {kind.__name__: sorted(own_names(kind) & names_of_textual(kind)) for kind in nodes()}
    assert {name: used for name, used in found.items() if used} == {}


def test_private_names_are_found() -> None:
    tree = ast.parse("from textual._x import y\nscreen._bindings\nself._own\nnode.public")
    assert sorted(used_on_others(tree)) == ["_bindings", "_x"]

    class Reaching(Screen[None]):
        def reach(self) -> object:
            return self._bindings

    assert own_names(Reaching) & names_of_textual(Reaching) == {"_bindings"}

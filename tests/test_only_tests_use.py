"""What only tests call is deleted, or stands with the tests.

Names are compared as words: a name that something else of the product bears too is not found.
"""

import ast
import re
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path

from tests.parsed import parsed

ROOT = Path(__file__).parents[1]
LONGEST_NAMING_TEXT = 400
KEPT = {
    "on_data": "textual-serve calls it on a window",
    "startup": "Textual calls it on a provider of commands",
    "on_key": "Textual calls it on a widget",
    "on_screen_resume": "Textual calls it on a screen",
    "render_strips": "Textual calls it on a content",
}
"""Names that look as if only tests used them, and why they stay."""


def words(tree: ast.AST) -> Iterator[str]:
    """Every identifier that a tree uses, also in short texts (annotations, selectors, getattr)."""
    for node in ast.walk(tree):
        if isinstance(node, ast.Name):
            yield node.id
        elif isinstance(node, ast.Attribute):
            yield node.attr
        elif isinstance(node, ast.alias):
            yield node.name.rpartition(".")[2]
        elif isinstance(node, ast.keyword) and node.arg:
            yield node.arg
        elif isinstance(node, ast.Constant) and isinstance(node.value, str):
            if len(node.value) < LONGEST_NAMING_TEXT:
                yield from re.findall(r"\w+", node.value)
        elif isinstance(node, ast.MatchClass):
            yield from node.kwd_attrs


def defined(tree: ast.Module) -> Iterator[tuple[str, ast.AST]]:
    """The public functions, classes, methods and constants of a module, each with where it is defined."""
    for node in tree.body:
        if isinstance(node, ast.Assign):
            yield from ((target.id, node) for target in node.targets if isinstance(target, ast.Name))
        elif isinstance(node, ast.AnnAssign) and isinstance(node.target, ast.Name):
            yield node.target.id, node
        elif isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef):
            yield node.name, node
        if isinstance(node, ast.ClassDef):
            methods = (each for each in node.body if isinstance(each, ast.FunctionDef | ast.AsyncFunctionDef))
            yield from ((method.name, method) for method in methods)


def files(*tops: str) -> list[Path]:
    return [path for top in tops for path in sorted((ROOT / top).rglob("*.py"))]


def used_by_none(product: Sequence[ast.Module]) -> set[str]:
    """Public names of the product that nothing in it uses, themselves aside."""
    within = [Counter(words(tree)) for tree in product]
    used = Counter[str]()
    for own in within:
        used.update(own)
    return {
        name
        for tree, own in zip(product, within, strict=True)
        for name, node in defined(tree)
        # A node's own uses are counted only where no other file uses the name: that is quicker.
        if not name.startswith("_") and used[name] == own[name]
        if not own[name] or own[name] == sum(word == name for word in words(node))
    }


def only_tests_use(product: Sequence[ast.Module], tests: Iterable[Path]) -> list[str]:
    """Public names of the product that tests use and nothing else does."""
    unused = used_by_none(product)
    texts = ((path, path.read_text(encoding="utf-8")) for path in tests)
    holding = [path for path, text in texts if not unused.isdisjoint(re.findall(r"\w+", text))]
    return sorted(unused & {word for path in holding for word in words(parsed(path))})


def test_nothing_is_there_for_tests_alone() -> None:
    product = [parsed(path) for path in files("reviewer", "store", "seeds")]
    found = only_tests_use(product, files("tests"))
    assert [name for name in found if name not in KEPT] == []
    assert set(KEPT) <= set(found)


def test_a_function_that_only_tests_call_is_found(tmp_path: Path) -> None:
    product = (ast.parse("def used(): return lonely_helper\ndef lonely(): return lonely()\nVALUE = used()"),)
    test = tmp_path / "test_it.py"
    test.write_text("lonely(), used(), VALUE  # lonely_helper")
    assert only_tests_use(product, [test]) == ["VALUE", "lonely"]

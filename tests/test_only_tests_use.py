"""What only tests call is deleted, or stands with the tests.

Names are compared as words: a name that something else of the product bears too is not found.
"""

import ast
import re
from collections import Counter
from collections.abc import Iterator
from functools import cache
from pathlib import Path

ROOT = Path(__file__).parents[1]
LONGEST_NAMING_TEXT = 400
KEPT = {
    "startup": "Textual calls it on a provider of commands",
    "on_key": "Textual calls it on a widget",
    "on_screen_resume": "Textual calls it on a screen",
    "render_strips": "Textual calls it on a content",
    "from_counts": "published tables of counts become ratings by it: coefficients are checked against them",
    "ledger_digest": "not moved yet",
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


@cache
def trees(*tops: str) -> tuple[ast.Module, ...]:
    files = [path for top in tops for path in sorted((ROOT / top).rglob("*.py"))]
    return tuple(ast.parse(path.read_text(encoding="utf-8")) for path in files)


def only_tests_use(product: tuple[ast.Module, ...], tests: tuple[ast.Module, ...]) -> list[str]:
    """Public names of the product that tests use and nothing else does, themselves aside."""
    used = Counter(word for tree in product for word in words(tree))
    tested = {word for tree in tests for word in words(tree)}
    return sorted(
        {
            name
            for tree in product
            for name, node in defined(tree)
            if not name.startswith("_") and name in tested and used[name] == Counter(words(node))[name]
        }
    )


def test_nothing_is_there_for_tests_alone() -> None:
    found = only_tests_use(trees("reviewer", "store", "seeds"), trees("tests"))
    assert [name for name in found if name not in KEPT] == []
    assert set(KEPT) <= set(found)


def test_a_function_that_only_tests_call_is_found() -> None:
    product = (ast.parse("def used(): return lonely_helper\ndef lonely(): return lonely()\nVALUE = used()"),)
    assert only_tests_use(product, (ast.parse("lonely(), used(), VALUE"),)) == ["VALUE", "lonely"]

"""A small file with one user stands in the module that uses it."""

import ast
from collections.abc import Iterator
from pathlib import Path

from tests.parsed import parsed

ROOT = Path(__file__).parents[1]
SMALL, LONG = 40, 300


def imported(tree: ast.AST) -> Iterator[str]:
    """The dotted names that a file imports; of ``from a import b`` both a and a.b."""
    for node in ast.walk(tree):
        if isinstance(node, ast.ImportFrom) and node.module:
            yield node.module
            yield from (f"{node.module}.{alias.name}" for alias in node.names)
        elif isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)


def users(root: Path) -> dict[Path, set[Path]]:
    """Which files import each file, by path from the root."""
    files = [path for top in ("reviewer", "store", "seeds") for path in (root / top).rglob("*.py")]
    names = {".".join(path.relative_to(root).with_suffix("").parts): path.relative_to(root) for path in files}
    found: dict[Path, set[Path]] = {path: set() for path in names.values()}
    for path in files:
        for name in imported(parsed(path)):
            if name in names:
                found[names[name]].add(path.relative_to(root))
    return found


def too_small(root: Path) -> list[str]:
    """Files that belong into their only user, which stands in the same folder and does not get too long."""

    def length(path: Path) -> int:
        return len((root / path).read_text(encoding="utf-8").splitlines())

    return [
        str(path)
        for path, by in users(root).items()
        if len(by) == 1
        and length(path) < SMALL
        and (user := next(iter(by))).parent == path.parent
        and user.name != "__init__.py"
        and length(path) + length(user) <= LONG
    ]


def test_no_small_file_has_one_user() -> None:
    assert too_small(ROOT) == []


def test_a_small_file_with_one_user_is_found(tmp_path: Path) -> None:
    folder = tmp_path / "store"
    folder.mkdir()
    (folder / "one.py").write_text("VALUE = 1\n")
    (folder / "two.py").write_text("from store import one\n" + "\n" * 50)
    (folder / "three.py").write_text("from store.two import one\n")
    assert too_small(tmp_path) == ["store/one.py"]

"""Python files as trees, each parsed once in a run however many tests look at it."""

import ast
from functools import cache
from pathlib import Path


@cache
def parsed(path: Path) -> ast.Module:
    return ast.parse(path.read_bytes())

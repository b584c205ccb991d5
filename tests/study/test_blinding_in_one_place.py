"""What somebody may see is decided in two modules, and who may change cases in another one."""

import ast
import re
from collections.abc import Iterator
from pathlib import Path

from tests.parsed import parsed

ROOT = Path(__file__).parents[2]
SESSION = ROOT / "reviewer" / "study" / "session"
BLINDING = (SESSION / "blinding.py", SESSION / "blinded_panes.py")
CONTENT_RIGHTS = SESSION / "content_rights.py"
QUESTION = re.compile(r"_?(may_see|sees_|why_not_|who_may|sheet_(for|without))")
"""How functions are named that decide what somebody may see or change."""

SUGGESTED = ("questions_before", "shown_with")
"""Where a protocol says which values suggest an answer."""


_MAYBE = re.compile(rf"def {QUESTION.pattern}|\.({'|'.join(SUGGESTED)})")
"""What stands in every file that decides so. Parsing all files would take seconds."""


def decisions(path: Path, tree: ast.Module) -> Iterator[str]:
    """Places where a file decides on visibility: such a function, or a read of ``SUGGESTED``."""
    inside_protocols = path.is_relative_to(ROOT / "reviewer" / "protocols")
    for node in ast.walk(tree):
        if isinstance(node, ast.FunctionDef) and QUESTION.match(node.name) and not inside_protocols:
            yield f"{path.name}:{node.lineno} {node.name}"
        if isinstance(node, ast.Attribute) and node.attr in SUGGESTED and not inside_protocols:
            yield f"{path.name}:{node.lineno} {node.attr}"


def test_no_other_module_decides_what_may_be_seen() -> None:
    files = [path for path in (ROOT / "reviewer").rglob("*.py") if path not in (*BLINDING, CONTENT_RIGHTS)]
    suspects = [path for path in files if _MAYBE.search(path.read_text(encoding="utf-8"))]
    assert [each for path in suspects for each in decisions(path, parsed(path))] == []


def test_the_modules_of_blinding_decide() -> None:
    for path in BLINDING:
        assert len(list(decisions(ROOT / "reviewer" / "elsewhere.py", parsed(path)))) > 8


STRATA = {"strata", "stratum", "inclusion"}
DRAWS = ROOT / "reviewer" / "tui" / "dialogs" / "new_study.py"
"""The dialog in which a lead says how a study is to be drawn."""


def strata_read(path: Path) -> list[str]:
    """The names of strata that a file reads of something."""
    if not any(f".{name}" in path.read_text(encoding="utf-8") for name in STRATA):
        return []
    nodes = ast.walk(parsed(path))
    return [node.attr for node in nodes if isinstance(node, ast.Attribute) and node.attr in STRATA]


def test_no_screen_and_no_window_reads_the_strata_of_a_study() -> None:
    """A stratum by a finding is a machine's opinion of a case; screens that do not read it cannot show it."""
    files = [path for top in ("tui", "web") for path in (ROOT / "reviewer" / top).rglob("*.py")]
    readers = {path for path in files if strata_read(path)}
    assert readers == {DRAWS}

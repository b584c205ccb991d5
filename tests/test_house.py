"""The house stands as it was drawn: what a headless program never loads, and names that others rely on."""

import shutil
import subprocess
import sys
import tomllib
from collections.abc import Sequence
from importlib.metadata import version
from pathlib import Path

import pytest
from packaging.requirements import Requirement

import reviewer

ROOT = Path(__file__).parents[1]
HEADLESS = (
    "reviewer.agreement",
    "reviewer.protocols.registry",
    "reviewer.similarity.near_texts",
    "reviewer.similarity.edit_distance",
    "reviewer.similarity.text_vectors",
    "reviewer.study.session.review_session",
    "reviewer.results.labels.agreement_results",
    "reviewer.exchange.exports.study_export",
    "reviewer.report.agreement_text",
    "reviewer.report.study_report",
    "reviewer.exchange.sheets.sheet_import",
    "reviewer.exchange.packs.store_files",
    "reviewer.cli.report",
    "reviewer.cli.main",
    "reviewer.cli.import_",
    "reviewer.cli.study",
    "reviewer.cli.models",
    "reviewer.llm.client",
    "store.cases",
)
HEAVY = (
    *("textual", "openai", "torch", "matplotlib", "sentence_transformers", "scipy", "alembic", "pyswip"),
    *("jinja2", "tomlkit", "snowballstemmer"),
)


def first_to_load(heavy: Sequence[str], *packages: str) -> dict[str, str]:
    """Each heavy module that a fresh process has loaded, with the package whose import brought it."""
    code = (
        "import importlib, sys\n"
        "found = {}\n"
        f"for package in {packages!r}:\n"
        "    importlib.import_module(package)\n"
        f"    found |= {{name: package for name in {heavy!r} if name in sys.modules and name not in found}}\n"
        "print(*(f'{name}={package}' for name, package in found.items()))"
    )
    done = subprocess.run([sys.executable, "-c", code], cwd=ROOT, capture_output=True, text=True, check=True)
    return dict(pair.split("=") for pair in done.stdout.split())


def test_headless_packages_load_nothing_heavy() -> None:
    assert first_to_load(HEAVY, *HEADLESS) == {}


def test_the_app_starts_without_the_heavy_rest() -> None:
    assert first_to_load(HEAVY, "reviewer.core.table", "reviewer.tui.app") == {"textual": "reviewer.tui.app"}


def test_one_version() -> None:
    """The version of what is installed is left out: it is that of the day on which it was installed."""
    declared = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]["version"]
    cited = (ROOT / "CITATION.cff").read_text().partition("\nversion: ")[2].splitlines()[0]
    assert reviewer.__version__ == declared == cited


def test_only_the_agreed_names_stand_at_the_top() -> None:
    git = shutil.which("git")
    if git is None or not (ROOT / ".git").exists():
        pytest.skip("needs git and a checkout")
    listed = subprocess.run([git, "ls-files"], cwd=ROOT, capture_output=True, text=True, check=True)
    top = {line.split("/")[0] for line in listed.stdout.splitlines()}
    assert top == {
        *("pyproject.toml", "README.md", "LICENSE", "CHANGELOG.md", "Makefile", ".ci", ".gitignore"),
        *("CITATION.cff", "CONTRIBUTING.md", "requirements-core.lock", "requirements-dev.lock"),
        *("reviewer", "store", "seeds", "exports", "tests"),
    }


def test_every_dependency_has_a_tested_range() -> None:
    """A release that nobody has tried is not taken: each has a lower and an upper bound.

    What only a bench is measured against is not installed for the tests.
    """
    project = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
    extras = project["optional-dependencies"]
    declared = [
        *project["dependencies"],
        *(name for extra in extras if extra not in ("dev", "bench") for name in extras[extra]),
    ]
    for requirement in map(Requirement, [*declared, *extras["bench"]]):
        operators = {specifier.operator for specifier in requirement.specifier}
        assert operators == {">=", "<"} or requirement.name == project["name"], requirement
        if requirement in map(Requirement, declared) and requirement.name != project["name"]:
            assert requirement.specifier.contains(version(requirement.name)), requirement

"""The lock files: a version and hashes for everything that is installed, wherever it is, and no address."""

import re
import tomllib
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import pytest
from packaging.markers import Marker, default_environment
from packaging.requirements import Requirement
from packaging.utils import canonicalize_name

ROOT = Path(__file__).parents[1]
CORE, DEV = (ROOT / f"requirements-{name}.lock" for name in ("core", "dev"))
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))
SYSTEMS = [("linux", "x86_64"), ("linux", "aarch64"), ("darwin", "x86_64"), ("darwin", "arm64")]
PYTHONS = ["3.11", "3.12", "3.13"]
_ENTRY = re.compile(r"(?P<name>[a-z0-9-]+)==(?P<version>[^ ]+)(?: ; (?P<marker>[^\\]+?))?(?: \\)?$")


@dataclass(frozen=True)
class Entry:
    """One version of one package, where its marker says so."""

    name: str
    version: str
    marker: Marker | None
    hashes: int


def entries(lock: Path) -> Iterator[Entry]:
    for block in re.split(r"\n(?=[a-z])", lock.read_text(encoding="utf-8").strip()):
        first, *hashes = block.splitlines()
        found = _ENTRY.fullmatch(first)
        assert found, first
        assert all(re.fullmatch(r"    --hash=sha256:[0-9a-f]{64}(?: \\)?", line) for line in hashes), block
        marker = Marker(found["marker"]) if found["marker"] else None
        yield Entry(found["name"], found["version"], marker, len(hashes))


def installed(lock: Path, python: str, system: str, machine: str) -> dict[str, str]:
    """What the lock installs there."""
    named = {
        "python_version": python,
        "python_full_version": f"{python}.4",
        "sys_platform": system,
        "platform_machine": machine,
        "platform_system": {"linux": "Linux", "darwin": "Darwin"}[system],
    }
    there = {**default_environment(), **named}
    found: dict[str, str] = {}
    for entry in entries(lock):
        if entry.marker is None or entry.marker.evaluate(there):
            assert entry.name not in found, f"two versions of {entry.name}"
            found[entry.name] = entry.version
    return found


def wanted(extra: str) -> list[Requirement]:
    """What the project declares, with what the extra declares, also by naming other extras."""
    listed = PROJECT["project"]["optional-dependencies"]
    names = [*PROJECT["project"]["dependencies"], *PROJECT["dependency-groups"]["build"]]
    declared = [Requirement(name) for name in [*names, *(listed[extra] if extra else ())]]
    for requirement in declared:
        declared += [
            Requirement(name) for other in sorted(requirement.extras) for name in listed.get(other, ())
        ]
    return [requirement for requirement in declared if requirement.name != PROJECT["project"]["name"]]


@pytest.mark.parametrize(("system", "machine"), SYSTEMS)
@pytest.mark.parametrize("python", PYTHONS)
@pytest.mark.parametrize(("lock", "extra"), [(CORE, ""), (DEV, "dev")], ids=["core", "dev"])
def test_the_lock_has_what_is_declared(
    lock: Path, extra: str, python: str, system: str, machine: str
) -> None:
    there = installed(lock, python, system, machine)
    for requirement in wanted(extra):
        version = there.get(canonicalize_name(requirement.name))
        assert version is not None, requirement
        assert requirement.specifier.contains(version, prereleases=True), (requirement, version)


@pytest.mark.parametrize("python", PYTHONS)
def test_both_locks_have_the_same_versions_and_only_one_has_torch(python: str) -> None:
    core, dev = (installed(lock, python, "linux", "x86_64") for lock in (CORE, DEV))
    assert core.items() <= dev.items()
    assert "torch" in dev
    assert not {"torch", "openai", "matplotlib", "pytest"} & core.keys()


@pytest.mark.parametrize("lock", [CORE, DEV], ids=["core", "dev"])
def test_every_package_has_hashes_and_no_address_stands_there(lock: Path) -> None:
    assert all(entry.hashes for entry in entries(lock))
    text = lock.read_text(encoding="utf-8")
    assert not re.search(r"://|--(?:index|extra|find|trusted)|@ ", text)


def test_the_makefile_installs_by_the_locks() -> None:
    text = (ROOT / "Makefile").read_text(encoding="utf-8")
    installs = [line for line in text.splitlines() if line.startswith("\t$(INSTALL)")]
    assert len(installs) == 4
    assert all("--require-hashes" in line or "--no-deps --no-build-isolation" in line for line in installs)

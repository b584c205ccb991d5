"""Setting up a machine: what is said and run with each package manager, with and without rights."""

import os
import subprocess
from pathlib import Path

import pytest

SCRIPT = Path(__file__).parents[1] / ".ci" / "system-package"
WHY = "Prolog audits programs"


@pytest.fixture
def machine(tmp_path: Path) -> Path:
    """A PATH with nothing but a shell, and programs that only say that they were called."""
    (tmp_path / "sh").symlink_to("/bin/sh")
    return tmp_path


def add(machine: Path, name: str, body: str = 'echo "$(basename $0) $*"') -> None:
    program = machine / name
    program.write_text(f"#!/bin/sh\nPATH=/usr/bin:/bin\n{body}\n")
    program.chmod(0o755)


def run(machine: Path, *options: str, root: bool = True) -> subprocess.CompletedProcess[str]:
    add(machine, "id", f"echo {0 if root else 1000}")
    return subprocess.run(
        [str(SCRIPT), *options, "swipl", "swi-prolog-nox", WHY],
        env={"PATH": str(machine)},
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        check=False,
    )


def test_nothing_is_done_where_the_command_is_there(machine: Path) -> None:
    add(machine, "swipl")
    done = run(machine)
    assert (done.returncode, done.stdout, done.stderr) == (0, "", "")


def test_root_on_debian_installs_and_says_so(machine: Path) -> None:
    add(machine, "apt-get")
    done = run(machine)
    assert done.returncode == 0
    assert done.stderr.splitlines() == [
        f"{WHY}. Installing it: apt-get install -y -qq --no-install-recommends swi-prolog-nox",
        "apt-get update -qq",
        "apt-get install -y -qq --no-install-recommends swi-prolog-nox",
    ]


def test_others_use_sudo(machine: Path) -> None:
    add(machine, "apt-get")
    add(machine, "sudo")
    assert "sudo -n apt-get install" in run(machine, root=False).stderr


@pytest.mark.parametrize(("options", "code"), [((), 0), (("--required",), 1)])
def test_without_rights_the_command_is_printed(machine: Path, options: tuple[str, ...], code: int) -> None:
    add(machine, "apt-get")
    done = run(machine, *options, root=False)
    assert done.returncode == code
    assert (
        "run this yourself: sudo apt-get install -y -qq --no-install-recommends swi-prolog-nox" in done.stderr
    )


def test_a_failing_package_manager_is_no_error_unless_required(machine: Path) -> None:
    add(machine, "apt-get", "exit 100")
    assert run(machine).returncode == 0
    assert "That did not work" in run(machine).stderr
    assert run(machine, "--required").returncode == 1


@pytest.mark.parametrize(
    ("manager", "command"), [("dnf", "dnf install -y -q pl"), ("brew", "brew install --quiet swi-prolog")]
)
def test_other_package_managers_have_their_own_names(machine: Path, manager: str, command: str) -> None:
    add(machine, manager)
    add(machine, "sudo")
    assert command in run(machine, root=manager != "brew").stderr
    assert "sudo" not in run(machine, root=True).stderr


def test_an_unknown_machine_is_told_what_to_install(machine: Path) -> None:
    done = run(machine)
    assert done.returncode == 0
    assert "<your package manager> install swi-prolog-nox" in done.stderr


def test_the_script_is_executable() -> None:
    assert os.access(SCRIPT, os.X_OK)

"""The built wheel, installed into an environment of its own: the package is whole without its checkout."""

import json
import os
import subprocess
import sys
import venv
from importlib.util import find_spec
from pathlib import Path

import pytest

from tests.llm.server import Answer, serving
from tests.terminal import PATIENCE, Terminal

ROOT = Path(__file__).parents[2]
WHOLE = ("--quiet", "--no-deps", "--no-index", "--no-cache-dir", "--disable-pip-version-check")
PACKAGE = ROOT / "tests" / "plugged_benchmark"
MISSING = "a_library_that_nobody_has"


@pytest.fixture(scope="module")
def python(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Python of an environment with the wheel and the libraries of this one, but not the checkout."""
    for needed in ("pip", "hatchling"):
        if find_spec(needed) is None:
            pytest.skip(f"needs {needed}")
    folder = tmp_path_factory.mktemp("installed")
    home = folder / "environment"
    venv.create(home, with_pip=False)
    (packages,) = home.glob("lib/python*/site-packages")
    libraries = [path for path in sys.path if path.endswith(("site-packages", "dist-packages"))]
    (packages / "libraries.pth").write_text("\n".join(libraries))
    python = home / "bin" / "python"
    pip = (sys.executable, "-m", "pip", "--python", python)
    install = (*pip, "install", *WHOLE, "--no-build-isolation", "--no-compile", "--force-reinstall", ROOT)
    subprocess.run(install, check=True, capture_output=True)
    return python


def completed(python: Path, *words: str, cwd: Path) -> subprocess.CompletedProcess[str]:
    environment = {"PATH": os.environ["PATH"], "LANG": "C.UTF-8", "OPENAI_API_KEY": "none"}
    command = [python.with_name("reviewer"), *words]
    done = subprocess.run(command, cwd=cwd, env=environment, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    return done


def called(python: Path, *words: str, cwd: Path) -> str:
    return completed(python, *words, cwd=cwd).stdout


def test_the_wheel_is_what_runs(python: Path, tmp_path: Path) -> None:
    code = "import reviewer, seeds, store; print(reviewer.__file__, store.__file__, *seeds.__path__)"
    done = subprocess.run([python, "-c", code], cwd=tmp_path, capture_output=True, text=True, check=True)
    assert all(str(python.parents[1]) in place for place in done.stdout.split())
    assert called(python, "--version", cwd=tmp_path).startswith("reviewer, version")


@pytest.mark.slow
def test_the_demo_runs_from_the_wheel(python: Path, tmp_path: Path) -> None:
    store = tmp_path / "demo.db"
    start = [str(python.with_name("reviewer")), "demo", "--rater", "anna", "--store", str(store)]
    with Terminal(["-c", "import os, sys; os.execv(sys.argv[1], sys.argv[1:])", *start]) as terminal:
        terminal.wait_for("seeds-demo")
        terminal.press("\r")
        terminal.wait_for("case 1 of")
        terminal.press("\x11")
        terminal.process.wait(PATIENCE)
    assert "anna" in called(python, "progress", "seeds-demo", "--store", str(store), cwd=tmp_path)


@pytest.mark.slow
def test_what_the_wheel_ships_besides_modules_is_in_it(python: Path, tmp_path: Path) -> None:
    """The manual, the seeds, the prompts of a protocol, and the programs of the oracle."""
    assert "# " in called(python, "manual", "first-study", cwd=tmp_path)
    code = (
        "from reviewer.protocols.generation import GenerationPlan\n"
        "from reviewer.protocols.registry import PROTOCOLS\n"
        "from reviewer.runs.run_setup import read_prompts\n"
        "from importlib.resources import files\n"
        "assert read_prompts(PROTOCOLS['probe-swe'].procedure(GenerationPlan).prompts).texts\n"
        "print(*(path.name for path in (files('reviewer.protocols.probe_swe') / 'prompts').iterdir()))\n"
        "print(*(path.name for path in (files('reviewer.oracle') / 'prolog').iterdir()))\n"
    )
    done = subprocess.run([python, "-c", code], cwd=tmp_path, capture_output=True, text=True, check=True)
    prompts, programs = done.stdout.splitlines()
    written = {path.name for path in (ROOT / "reviewer/protocols/probe_swe/prompts").glob("*.txt")}
    assert set(prompts.split()) == written
    assert set(programs.split()) >= {
        path.name for path in (ROOT / "reviewer/oracle/prolog").iterdir() if path.suffix == ".pl"
    }


@pytest.fixture(scope="module")
def plugged(python: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The environment with both wheels."""
    wheels = tmp_path_factory.mktemp("wheels")
    pip = (sys.executable, "-m", "pip")
    build = (*pip, "wheel", *WHOLE, "--no-build-isolation", "--wheel-dir", wheels, PACKAGE)
    subprocess.run(build, check=True, capture_output=True)
    (wheel,) = wheels.glob("*.whl")
    subprocess.run((*pip, "--python", python, "install", *WHOLE, wheel), check=True, capture_output=True)
    return python


def uninstalled(python: Path) -> None:
    pip = (sys.executable, "-m", "pip", "--python", python)
    subprocess.run((*pip, "uninstall", "-yq", "pick-benchmark"), check=True, capture_output=True)


def write_cases(path: Path) -> None:
    cases = [
        {"question": f"Which is more than {n}?", "first": f"{n + 1}", "second": f"{n - 1}", "right": "first"}
        for n in range(4)
    ]
    lines = [{"protocol": "pick", "group": "numbers", "payload": case} for case in cases]
    path.write_text("".join(json.dumps(line) + "\n" for line in lines))


@pytest.mark.slow
def test_a_benchmark_of_a_package_goes_from_import_to_report(plugged: Path, tmp_path: Path) -> None:
    def run(*words: object) -> subprocess.CompletedProcess[str]:
        return completed(plugged, *map(str, words), cwd=tmp_path)

    write_cases(tmp_path / "cases.jsonl")
    run("import", "cases.jsonl", "--dataset", "picks", "--generator", "us")
    listed = run("protocol", "list", "--store", "reviewer.db")
    assert "PICK" in listed.stdout
    assert "protocol 'broken' of the package 'pick-benchmark' cannot be used" in listed.stderr
    assert MISSING in listed.stderr
    assert listed.stderr.count("cannot be used") == 1
    with serving(lambda asked: Answer("A")) as server:
        run("evaluate", "asked", "picks", "--model", "model-1", "--base-url", server.url)
        assert len(server.asked) == 8
    effects = run("effects", "asked", "--format", "csv", "--resamples", 100).stdout
    assert [line.split(",")[:2] for line in effects.splitlines()[1:]]
    run("report", "--evaluation", "asked", "--no-figures", "-o", "out")
    assert "right in both orders" in next((tmp_path / "out").rglob("*.md")).read_text()

    uninstalled(plugged)
    assert "picks" in run("datasets").stdout
    assert "does not know protocol 'pick'" in run("datasets").stderr
    (key, *_) = (case["key"] for case in json.loads(run("cases", "--format", "json").stdout))
    shown = run("show", f"picks:{key}").stdout
    assert '"question": "Which is more than' in shown
    assert json.loads(run("show", f"picks:{key}", "--format", "json").stdout)["payload"]["right"] == "first"

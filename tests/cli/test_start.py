"""What a start loads: only what the first screen or the help text needs, in a fresh process each."""

import gc
import subprocess
import sys
from importlib.util import find_spec
from pathlib import Path
from unittest.mock import MagicMock

import click
import pytest

from reviewer.cli import app_launch, entry, viewer
from reviewer.cli.main import reviewer
from reviewer.study.design.closing import close_study
from reviewer.study.session import rater_progress
from reviewer.tui.app import ReviewerApp
from reviewer.tui.screens.store_work import LOADED_AHEAD
from tests.cli.conftest import Run
from tests.studies import a_study, open_store
from tests.tui.pictured_store import answer

OURS = ("reviewer.core.question", "reviewer.protocols", "reviewer.study", "reviewer.tui", "store.records")
NOT_FOR_A_LINE_OF_TEXT = ("textual", "rich", "pydantic", "sqlalchemy", "sqlmodel", "numpy", "json", *OURS)


def loaded_by(*words: str) -> list[str]:
    """The modules that a call of the command line has loaded at its end."""
    code = (
        "import atexit, sys\n"
        "atexit.register(lambda: print(*sys.modules, file=sys.stderr))\n"
        f"sys.argv = ['reviewer', *{words!r}]\n"
        "from reviewer.cli import main\n"
        "main()\n"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    return done.stderr.split()


@pytest.mark.parametrize("words", [("--version",), ("--help",)], ids=" ".join)
def test_a_line_of_text_loads_nothing_heavy(words: tuple[str, ...]) -> None:
    loaded = loaded_by(*words)
    assert "reviewer.cli.entry" in loaded
    assert set(NOT_FOR_A_LINE_OF_TEXT) & set(loaded) == set()


def test_the_home_screen_appears_without_the_store() -> None:
    """SQLAlchemy and all that reads the store are loaded in the background, once the screen is there."""
    code = (
        "import reviewer.cli.app_launch, reviewer.tui.app, reviewer.tui.keys.preferences, sys\n"
        "import store.deferred_database\n"
        "print(*sys.modules)"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    loaded = set(done.stdout.split())
    assert {"reviewer.tui.screens.home", "textual"} <= loaded
    late = {"sqlalchemy", "sqlmodel", "numpy", "store.database", "store.records", "reviewer.protocols.base"}
    assert late & loaded == set()
    assert {"reviewer.tui.screens.review", "reviewer.exchange.packs.workspace"} & loaded == set()


def test_modules_that_are_loaded_ahead_are_there() -> None:
    assert all(find_spec(module) for module in LOADED_AHEAD)


def test_what_a_command_needs_is_loaded_when_it_is_called() -> None:
    """The list above would name it."""
    assert set(NOT_FOR_A_LINE_OF_TEXT) & set(loaded_by("settings"))


def test_no_help_page_loads_anything_heavy() -> None:
    code = (
        "import sys\n"
        "import click\n"
        "from reviewer.cli.main import reviewer\n"
        "def show(command, path):\n"
        "    context = click.Context(command, info_name=path)\n"
        "    print(command.get_help(context), file=sys.stderr)\n"
        "    for name in command.list_commands(context) if isinstance(command, click.Group) else ():\n"
        "        show(command.get_command(context, name), f'{path} {name}')\n"
        "show(reviewer, 'reviewer')\n"
        "print(*sys.modules)"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert "reviewer datasets hard" in done.stderr
    assert set(NOT_FOR_A_LINE_OF_TEXT) & set(done.stdout.split()) == set()


def test_a_command_loads_only_the_tables_that_it_reads(tmp_path: Path) -> None:
    open_store(tmp_path).close()
    loaded = set(loaded_by("datasets", "--store", str(tmp_path / "reviewer.db")))
    assert {"store.tables", "rich.cells"} <= loaded
    assert {"store.run_tables", "rich.table", "numpy"} & loaded == set()


@pytest.mark.slow
def test_the_report_of_a_run_loads_nothing_of_the_report_of_a_study() -> None:
    """Studies of answers are few; what reads their labels loads where a run has one."""
    code = "import reviewer.cli.report_of_run, sys; print(*sys.modules)"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    of_studies = {"reviewer.report.design_section", "reviewer.results.labels.final_labels", "store.ledger"}
    assert of_studies & set(done.stdout.split()) == set()


def test_imports_and_the_state_of_an_audit_load_no_releases_rights_or_oracle() -> None:
    """Few folders are releases, few imports overwrite repairs, and a state only reads what was found."""
    code = "import reviewer.cli.import_, reviewer.runs.audit.audit_state, sys; print(*sys.modules)"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    unasked = {
        "reviewer.exchange.releases",
        "reviewer.protocols.declared",
        "store.event_rules",
        "reviewer.oracle",
    }
    assert unasked & set(done.stdout.split()) == set()


@pytest.mark.slow
def test_coefficients_load_nothing_of_further_tables(tmp_path: Path) -> None:
    """Most calls show coefficients; numpy's masked arrays alone take longer than their intervals."""
    database = open_store(tmp_path)
    a_study(database, raters=("anna", "ben"))
    for rater in ("anna", "ben"):
        answer(database, "pilot", rater, 12)
    close_study(database, "pilot", "anna")
    database.close()
    loaded = set(loaded_by("agreement", "pilot", "--store", str(tmp_path / "reviewer.db")))
    assert {"numpy", "reviewer.agreement.bootstrap"} <= loaded
    further = {"reviewer.cli.study_agreement_tables", "reviewer.results.labels.anchoring"}
    further |= {"reviewer.results.labels.answer_shares", "reviewer.results.labels.final_labels"}
    further |= {"reviewer.study.adjudication.adjudication_session"}
    of_runs = {"store.run_tables", "reviewer.runs", "reviewer.llm", "reviewer.oracle", "reviewer.planning"}
    assert (further | of_runs | {"numpy.ma"}) & loaded == set()


def test_commands_collect_garbage_rarely_and_the_app_as_usual(monkeypatch: pytest.MonkeyPatch) -> None:
    before, thresholds = gc.get_threshold(), list[int]()
    monkeypatch.setattr(app_launch, "USUAL_GARBAGE", 701)
    monkeypatch.setattr(sys, "argv", ["reviewer"])
    monkeypatch.setattr("reviewer.cli.main.main", lambda _: thresholds.append(gc.get_threshold()[0]))
    monkeypatch.setattr(ReviewerApp, "run", lambda _: thresholds.append(gc.get_threshold()[0]))
    gc.set_threshold(702)
    try:
        entry.main()
        app_launch.open_app(MagicMock(), "anna", alone=True)
    finally:
        gc.set_threshold(*before)
    assert thresholds == [50_000, 701]


def test_the_list_of_commands_says_what_each_says_of_itself() -> None:
    assert isinstance(reviewer, click.Group)
    # With the names of the help option, which the command remembers from its first context.
    settings = {**reviewer.context_settings, "terminal_width": 400, "max_content_width": 400}
    context = click.Context(reviewer, info_name="reviewer", **settings)
    shown = [" ".join(line.split()) for line in reviewer.get_help(context).splitlines()]
    for name in reviewer.list_commands(context):
        command = reviewer.get_command(context, name)
        assert command is not None
        assert f"{name} {command.get_short_help_str(400)}" in shown


def test_agreement_counts_the_progress_of_its_study_once(
    run: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    database = open_store(tmp_path)
    a_study(database, raters=("anna", "ben"))
    for rater in ("anna", "ben"):
        answer(database, "pilot", rater, 6)
    asked = MagicMock(side_effect=rater_progress.counted_studies)
    viewers = MagicMock(side_effect=viewer.packed_raters)
    monkeypatch.setattr(rater_progress, "counted_studies", asked)
    monkeypatch.setattr(viewer, "packed_raters", viewers)
    done = run("agreement", "pilot", "--interval", "none")
    assert "Not finished: anna has done 6 of 12" in done.err
    assert (asked.call_count, viewers.call_count) == (1, 1)

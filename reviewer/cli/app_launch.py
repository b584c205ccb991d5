"""Starting the terminal app, and sending what is left when it ends."""

import gc
import sys
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING

from reviewer.cli.entry import USUAL_GARBAGE
from reviewer.cli.printing import note
from reviewer.cli.signals import settled_at_the_end
from reviewer.cli.store_access import open_store_later
from reviewer.core.errors import RequestError
from reviewer.core.personal_settings import settings_path
from reviewer.options.shared import InStore, own_name

if TYPE_CHECKING:
    from reviewer.exchange.packs.workspace import Workspace
    from reviewer.runs.repair.proposals import ProposalSource
    from store.database import Database

_SECONDS_TO_SEND = 10.0


def open_home(options: InStore) -> None:
    """Open the home screen."""
    need_terminal()
    open_app(open_store_later(options.store), own_name())


def open_app(
    database: "Database",
    rater: str,
    study: str | None = None,
    *,
    alone: bool = False,
    adjudicating: bool = False,
    workspace: "Workspace | None" = None,
    repairing: tuple[str, str | None] | None = None,
    proposals: "ProposalSource | None" = None,
) -> None:
    """Run the app until it is left: on a study, on its disputes, on cases to repair, or at home."""
    gc.set_threshold(USUAL_GARBAGE)  # the app runs for hours, and short pauses are better for its keys
    from reviewer.tui.app import ReviewerApp
    from reviewer.tui.keys.preferences import load_preferences

    # A rater in a browser is not the owner of this machine's settings.
    file = None if alone else settings_path()
    settings = load_preferences(file) if file else None
    app = ReviewerApp(
        database,
        rater,
        study,
        settings,
        file,
        alone=alone,
        adjudicating=adjudicating,
        workspace=workspace,
        write_report=None if alone else _write_report,
        repairing=repairing,
        proposals=proposals,
    )
    # What is loaded already stays. Looking through all of it takes an eighth of a second, and stops a key.
    gc.freeze()
    with settled_at_the_end(database):
        app.run()
        leave(app.workspaces)
    if not alone:
        note(f"Everything is saved in {database.location}.")


def _write_report(database: "Database", study: str, person: str) -> list[Path]:
    """Write a study's report as `reviewer report STUDY` does; without figures if matplotlib is missing."""
    from reviewer.cli.report_of_study import write_report
    from reviewer.report.report_choices import USUAL
    from reviewer.results.labels.study_statistics import BOOTSTRAP
    from reviewer.study.integrity.quarantine import read_study
    from reviewer.study.session.blinding import as_drawn_for

    bundle, events = read_study(database, study)
    bundle = as_drawn_for(database, bundle, person)
    figures = find_spec("matplotlib") is not None
    folder = Path("exports") / study
    return write_report(database, bundle, events, person, folder, BOOTSTRAP, USUAL, with_figures=figures)


def leave(workspaces: list["Workspace"]) -> None:
    """Send the answers that are left, and report those that could not be sent."""
    for workspace in workspaces:
        delivery = workspace.leave(_SECONDS_TO_SEND)
        if delivery and (delivery.waiting or delivery.problem):
            note(f"{delivery.waiting} of your answers are saved here and not sent yet: {delivery.problem}")
            note("They are sent when you review this study again on this machine.")


def need_terminal() -> None:
    """Raise RequestError where the app cannot be drawn."""
    # The screen is drawn on stderr: sent elsewhere, it would stay blank.
    if not all(stream.isatty() for stream in (sys.stdin, sys.stdout, sys.stderr)):
        raise RequestError(
            "the app needs a terminal, with nothing redirected; run this command in one, or see "
            "`reviewer --help`."
        )

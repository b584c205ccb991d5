"""Opens the workbench on a case for everybody who may change it, and tells the opener what was saved."""

from collections.abc import Callable
from typing import Any

from textual.message import Message
from textual.screen import Screen

from reviewer.core.errors import ReviewerError
from reviewer.study.session.content_rights import why_not_change
from reviewer.tui.base_app import base_app
from store.database import Database
from store.records import Finding, Membership


class CaseChanged(Message):
    """The case of a place was changed; what a screen read of it before is old."""


def open_workbench(
    screen: Screen[Any],
    database: Database,
    place: Membership,
    person: str,
    refuse: Callable[[str], None],
    finding: Finding | None = None,
) -> None:
    """Open the case of a place for editing, or ``refuse`` with a sentence that says why not.

    With a finding, the workbench opens where the finding is. ``screen`` gets ``CaseChanged`` after each save.
    """
    # The oracle and the checks take a moment to load.
    from reviewer.runs.repair.repair_session import RepairSession
    from reviewer.tui.screens.workbench import WorkbenchScreen

    try:
        alone = base_app(screen).alone
        if reason := why_not_change(database, place.dataset, person or None, in_browser=alone):
            refuse(reason)
            return
        session = RepairSession(database, place.dataset, place.key, person)
    except ReviewerError as error:
        refuse(str(error))
    else:
        screen.app.push_screen(WorkbenchScreen(session, finding, lambda: screen.post_message(CaseChanged())))

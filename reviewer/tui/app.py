"""The terminal app: home, and the review of one study."""

from collections.abc import Iterable
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any, ClassVar

from textual.app import SystemCommand
from textual.binding import Binding, BindingType
from textual.command import CommandPalette, Provider
from textual.message import Message
from textual.screen import Screen

from reviewer.core.errors import ReviewerError
from reviewer.core.personal_settings import Settings
from reviewer.tui.base_app import BaseApp, WriteReport
from reviewer.tui.screens.home import HomeScreen
from reviewer.tui.styles import COMMON_STYLES, PANE_TEXT_CLASSES, PANE_TEXT_STYLES

if TYPE_CHECKING:
    from reviewer.exchange.packs.workspace import Workspace
    from reviewer.runs.repair.proposals import ProposalSource
    from store.database import Database

_IDLE_SECONDS, _LOOK_FOR_IDLE_SECONDS = 1.5, 1.0
_WHAT_TO_FIND = "an action, a question, a study, words of a case …"


def _finder() -> type[Provider]:
    """What the palette searches with; it loads when the palette opens."""
    from reviewer.tui.command_palette import Finder

    return Finder


class ReviewerApp(BaseApp):
    """Opens the review of the named study, or else the home screen; raises ReviewerError if it cannot.

    ``adjudicating`` opens the study's disputes instead. ``repairing`` opens the cases of a dataset, and the
    workbench on the case with a key, if there is one.
    """

    TITLE = "reviewer"
    COMMANDS = {_finder}
    COMPONENT_CLASSES: ClassVar[set[str]] = PANE_TEXT_CLASSES
    CSS = (
        COMMON_STYLES
        + PANE_TEXT_STYLES
        + """
    App:nocolor > .part--difference { text-style: bold underline; }
    App:nocolor > .part--right-only { text-style: bold underline; }
    App:nocolor > .part--link { text-style: underline; }
    App:nocolor > .part--match { text-style: bold underline; }
    App:nocolor > .part--selected { text-style: bold underline; }
    App:nocolor > .part--cursor { text-style: reverse; }
    CommandPalette {
        background: $background 40%;
        & > Vertical { width: 96; max-width: 100%; margin-top: 1; background: $background 0%; }
        SearchIcon { display: none; }
        CommandInput, CommandInput:focus { height: 1; border: none; padding: 0 1; }
        #--input { background: $background; border: round $foreground 45%; }
        #--input.--list-visible { border-bottom: round $foreground 45%; }
        CommandList {
            background: $background; border: round $foreground 45%; scrollbar-size-vertical: 1;
            scrollbar-background: $background; scrollbar-color: $foreground 30%;
        }
        CommandList > .option-list--option { padding: 0 1; text-style: none; }
        CommandList > .option-list--option-highlighted { background: $foreground 15%; color: $foreground; }
    }
    """
    )

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding(
            "f1",
            "manual",
            "manual",
            id="app.manual",
            priority=True,
            tooltip="Open the page of the manual that belongs to this screen",
        ),
    ]

    class LastKeyHandled(Message):
        """Takes the same way as keys, so it arrives after all keys that were pressed before."""

    def __init__(
        self,
        database: "Database",
        rater: str,
        study: str | None = None,
        settings: Settings | None = None,
        settings_file: Path | None = None,
        *,
        alone: bool = False,
        adjudicating: bool = False,
        workspace: "Workspace | None" = None,
        write_report: WriteReport | None = None,
        repairing: tuple[str, str | None] | None = None,
        proposals: "ProposalSource | None" = None,
    ) -> None:
        super().__init__(settings or Settings(), settings_file)
        self.write_report, self.proposals = write_report, proposals
        self._repairing = repairing
        self._database, self._rater = database, rater
        # In a browser: no files, no other studies, no places of other raters.
        self.alone = alone
        # Read before the app takes over the terminal, so that an error appears on the command line.
        self._first: Screen[None]
        if study and adjudicating:
            self._first = self._disputes_of(study)
        elif study:
            self._first = self._review_of(study, workspace)
        else:
            self._first = HomeScreen(database, rater)

    def _disputes_of(self, study: str) -> Screen[None]:
        from reviewer.study.adjudication.adjudication_session import AdjudicationSession
        from reviewer.tui.screens.adjudication import DisputeQueueScreen

        deciding = AdjudicationSession(self._database, study, self._rater)
        self.keep_session(deciding)
        return DisputeQueueScreen(deciding)

    def _review_of(self, study: str, workspace: "Workspace | None") -> Screen[None]:
        from reviewer.exchange.packs.workspace import workspace_here
        from reviewer.tui.screens.review import ReviewScreen

        workspace = workspace or workspace_here(self._database)
        return ReviewScreen(self.open_session(workspace, study, self._rater), workspace.syncer)

    def on_mount(self) -> None:
        """Regularly, while nothing is being saved, move all saved work into each store's main file."""
        self.set_interval(_LOOK_FOR_IDLE_SECONDS, self._settle)
        if self._repairing:
            self._open_repairs(*self._repairing)

    def _open_repairs(self, dataset: str, key: str | None) -> None:
        from reviewer.tui.screens.case_list import CasesScreen
        from reviewer.tui.workbench.opening import open_workbench
        from store.revisions import place_now

        cases = CasesScreen(self._database, dataset=dataset)
        self.push_screen(cases)
        if key is not None:
            with self._database.read() as session:
                place = place_now(session, dataset, key).place
            refuse = partial(self.notify, severity="warning", markup=False)
            open_workbench(cases, self._database, place, self._rater, refuse)

    def _settle(self) -> None:
        for database in {self._database, *(workspace.database for workspace in self.workspaces)}:
            database.settle(idle_seconds=_IDLE_SECONDS)

    @property
    def open_store(self) -> "Database | None":
        """The store, or None where only one study may be seen."""
        return None if self.alone else self._database

    @property
    def person(self) -> str:
        """The rater of the home screen, who can change there, or the one that the app was opened for."""
        return self._first.rater if isinstance(self._first, HomeScreen) else self._rater

    def open_study(self, name: str) -> None:
        """Open a study's review on top of the present screen."""
        from reviewer.exchange.packs.workspace import open_workspace
        from reviewer.tui.screens.review import ReviewScreen

        try:
            rater = self.person
            workspace = open_workspace(self._database, name, rater)
            session = self.open_session(workspace, name, rater)
        except ReviewerError as error:
            self.notify(str(error), severity="warning", markup=False)
        else:
            self.push_screen(ReviewScreen(session, workspace.syncer))

    def get_default_screen(self) -> Screen[None]:
        """The first screen."""
        return self._first

    def action_manual(self) -> None:
        """Open the manual at the page of the topmost screen that has one."""
        from reviewer.manual.manual_pages import NAMES
        from reviewer.tui.screens.manual import ManualScreen, page_of

        if isinstance(self.screen, CommandPalette) or any(
            isinstance(screen, ManualScreen) for screen in self.screen_stack
        ):
            return
        pages = (page_of(type(screen)) for screen in reversed(self.screen_stack))
        self.push_screen(ManualScreen(next(page for page in (*pages, NAMES[0]) if page)))

    def action_command_palette(self) -> None:
        """Open the command palette."""
        if not isinstance(self.screen, CommandPalette):
            self.push_screen(CommandPalette(placeholder=_WHAT_TO_FIND, id="--command-palette"))

    async def action_quit(self) -> None:
        """Quit after all keys pressed before are handled. Like them, it bubbles up from the focus."""
        (self.focused or self.screen).post_message(self.LastKeyHandled())

    def on_reviewer_app_last_key_handled(self) -> None:
        """Quit: every key that was pressed before has been handled."""
        self.exit()

    def get_system_commands(self, screen: Screen[Any]) -> Iterable[SystemCommand]:
        """The commands of Textual that the palette shows; key sheet and zoom have keys of our own."""
        shown = {"Theme"} if self.alone else {"Theme", "Screenshot"}
        yield from (command for command in super().get_system_commands(screen) if command.title in shown)

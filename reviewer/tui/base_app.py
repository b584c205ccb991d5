"""The app of one person: settings, active time, and keys that act only on the screen they were meant for."""

from collections.abc import Callable, Iterable, Mapping, Sequence, Set
from pathlib import Path
from typing import TYPE_CHECKING, ClassVar

from textual.binding import Binding, BindingType, Keymap
from textual.dom import DOMNode
from textual.events import Event, InputEvent, Key, Paste

from reviewer.core.errors import ReviewerError, StoreError
from reviewer.core.personal_settings import Settings, remember
from reviewer.study.session.stopwatch import ActiveClock
from reviewer.tui.driver import TerminalApp
from reviewer.tui.key_queue import KeyQueue
from reviewer.tui.keys.label_keys import MORE_ANSWERS, SAVE_CHOICE, KeyedLabels, keyed_labels
from reviewer.tui.keys.preferences import keys_in, with_later_actions
from reviewer.tui.styles import OWN_THEMES, STRENGTHS

if TYPE_CHECKING:
    from reviewer.core.question import Question
    from reviewer.exchange.packs.pack import Session
    from reviewer.exchange.packs.workspace import Workspace
    from reviewer.runs.repair.proposals import ProposalSource
    from reviewer.study.session.review_session import ReviewSession
    from store.database import Database

WriteReport = Callable[["Database", str, str], Sequence[Path]]
"""Writes the report of a study of a store, and returns its files; raises ReviewerError."""
_STORE_TROUBLE = (
    "the server cannot read or write its answers just now. Try again in a minute, or tell the study's lead."
)


class BaseApp(TerminalApp):
    """Handles keys in their order, and drops those pressed during a slow save: the screen has changed since.

    Every key and mouse movement counts as activity for the clock of active time. Choices made in the app
    (the theme, whether the pace is shown) are kept in ``settings_file``, if given.
    """

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding(
            "ctrl+p",
            "command_palette",
            "find",
            id="app.find",
            priority=True,
            tooltip="Find an action by its name, and do it",
        ),
        Binding(
            "ctrl+q",
            "quit",
            "quit",
            id="app.quit",
            priority=True,
            tooltip="Quit from anywhere; everything is saved already",
        ),
        Binding("ctrl+c", "help_quit", show=False, system=True),
    ]
    write_report: WriteReport | None = None
    """How the app makes a report; None where it cannot."""
    proposals: "ProposalSource | None" = None
    """The model that proposes repairs; None if no model was named."""
    alone = False
    """Whether only one study may be seen, as by a rater in a browser."""

    def __init__(self, settings: Settings, settings_file: Path | None) -> None:
        super().__init__()
        self.settings, self._settings_file = settings, settings_file
        self._keys = KeyQueue(self, self._handle_key)
        self._answer_keys: Mapping[str, str] = {}
        self.answer_words: Mapping[str, str] = {}
        """The labels of the present question in a few letters, by the id of their action."""
        self._chosen_keys: Keymap = {}
        self.active_clock = ActiveClock(settings.idle_seconds)
        self.workspaces: list[Workspace] = []
        """The workspaces that this person has used; the caller of the app closes them."""
        self.sessions: dict[tuple[str, str, type], Session] = {}
        """The newest session of each study and person, for reviewing and for adjudicating."""
        self.set_keymap(with_later_actions(settings.keys))
        for theme in OWN_THEMES:
            self.register_theme(theme)
        self.theme = settings.theme

    def get_css_variables(self) -> dict[str, str]:
        """The colours of the theme, and how strong lines and words are."""
        colours = super().get_css_variables()
        strengths = {name: f"{colours['foreground']} {share}%" for name, share in STRENGTHS.items()}
        self.theme_variables.update(strengths)
        return {**colours, **strengths}

    def set_keymap(self, keymap: Keymap) -> None:
        """Use these keys; those of answers come from the question, with the chosen ones among them."""
        self._chosen_keys = keymap
        super().set_keymap({**keymap, **self._answer_keys})

    def bind_answers(self, question: "Question", used: Iterable[str], taken: Set[str]) -> KeyedLabels:
        """Give the answers the keys of this question, and return its labels with them.

        ``used`` are labels in the order of use, ``taken`` keys that already do something else.
        """
        fixed = {MORE_ANSWERS: "a", SAVE_CHOICE: "enter"}
        own = (self._chosen_keys.get(name, key) for name, key in fixed.items())
        taken = {*taken, *(key for keys in own for key in keys_in(keys))}
        keyed = keyed_labels(question, used, taken, self.settings.keys)
        self.answer_words = keyed.words
        if keyed.keys != self._answer_keys:
            self._answer_keys = keyed.keys
            self.set_keymap(self._chosen_keys)
        return keyed

    def keys_given_to(self, names: Iterable[str | None]) -> set[str]:
        """The keys that the settings give to these actions, by their ids."""
        return {key for name in names for key in keys_in(self.settings.keys.get(name or "", "")) if key}

    def label_of(self, binding: Binding) -> str:
        """What a key does in a word or two; of an answer, its label."""
        return self.answer_words.get(binding.id or "", binding.description)

    def open_session(self, workspace: "Workspace", study: str, rater: str) -> "ReviewSession":
        """Open a session in a workspace, and remember both."""
        from reviewer.study.session.review_session import ReviewSession

        given = "browser" if self.alone else workspace.given
        session = ReviewSession(workspace.database, study, rater, stopwatch=self.active_clock, given=given)
        self.workspaces.append(workspace)
        self.keep_session(session)
        return session

    def keep_session(self, session: "Session") -> None:
        """Remember a session, the newest last: it holds the saved work if the store disappears."""
        key = session.bundle.study.name, session.assignment.rater, type(session)
        self.sessions.pop(key, None)
        self.sessions[key] = session

    def watch_theme(self, theme: str) -> None:
        """Keep the chosen theme for the next time."""
        if self.is_running and theme != self.settings.theme:
            self.keep_setting("theme", theme)

    async def action_do(self, name: str) -> None:
        """Do an action by its id, as its key would. Clicks on key hints call this."""
        for active in self.screen.active_bindings.values():
            if active.binding.id == name and active.enabled:
                await self.run_action(active.binding.action, active.node)
                return

    def action_press(self, key: str) -> None:
        """Press a key. Clicks on hints for keys without an action of their own call this."""
        self.simulate_key(key)

    def keep_setting(self, name: str, value: str | bool) -> None:
        """Change one setting, now and for the next time."""
        self.settings = self.settings.model_copy(update={name: value})
        try:
            if self._settings_file:
                remember(self._settings_file, name, value)
        except ReviewerError as error:
            self.notify(str(error), severity="warning", markup=False)

    def words_of(self, error: ReviewerError) -> str:
        """The sentence of an error for this person: one in a browser learns nothing about the server."""
        return _STORE_TROUBLE if self.alone and isinstance(error, StoreError) else str(error)

    @property
    def open_store(self) -> "Database | None":
        """The store, for people who may see all of it; None where only one study may be seen."""
        return None

    @property
    def person(self) -> str:
        """The name of the person who uses the app; "" if nobody has given one yet."""
        return ""

    def open_study(self, name: str) -> None:
        """Open a study's review."""
        raise NotImplementedError

    def drop_earlier_keys(self) -> None:
        """Ignore every key that was pressed before now and is not handled yet."""
        self._keys.drop_earlier()

    @property
    def holds_keys(self) -> bool:
        """Whether keys wait until an operation ends."""
        return self._keys.held

    def hold_keys(self) -> None:
        """Hold the keys that come from now on, until ``release_keys``."""
        self._keys.held = True

    def release_keys(self, *, drop: bool) -> int:
        """Handle the held keys, or drop them; returns how many were dropped."""
        dropped = self._keys.drop_waiting() if drop else 0
        self._keys.release()
        return dropped

    async def on_event(self, event: Event) -> None:
        """Handle an event; keys wait for their turn."""
        if isinstance(event, InputEvent):
            self.active_clock.touch()
        if isinstance(event, Key | Paste) and not event.is_forwarded:
            await self._keys.add(event)
        else:
            await super().on_event(event)

    async def _handle_key(self, event: Key | Paste) -> None:
        await super().on_event(event)

    def on_key_queue_follower(self, message: KeyQueue.Follower) -> None:
        """What the last key did is done."""
        self._keys.arrived(message)


def base_app(node: DOMNode) -> BaseApp:
    """The app that a screen or widget is in, with its settings."""
    app = node.app
    if not isinstance(app, BaseApp):
        raise TypeError(f"{type(app).__name__} is not an app of one person")
    return app

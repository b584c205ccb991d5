"""The history of one case: its revisions at the left, what the highlighted one changed at the right."""

from collections.abc import Callable, Iterator
from functools import partial
from typing import Any, ClassVar

from textual.app import ComposeResult
from textual.binding import BindingType
from textual.containers import VerticalScroll
from textual.content import Content
from textual.screen import Screen

from reviewer.core.errors import RequestError, ReviewerError
from reviewer.core.names import checked_name
from reviewer.core.sanitize import counted
from reviewer.runs.repair.revise import read_place, revert, settle, withdraw
from reviewer.runs.repair.revision_tables import changes_table, measured_words, resolved_words, state_words
from reviewer.study.session.content_rights import why_not_change
from reviewer.tui.base_app import base_app
from reviewer.tui.dialogs.text_dialog import reason_dialog
from reviewer.tui.keys.named_keys import named_key
from reviewer.tui.rendering.literal import literal, literal_line
from reviewer.tui.screens.list_screen import ListBesideTextScreen
from reviewer.tui.screens.store_retry import StoreRetry
from reviewer.tui.widgets.item_list import ItemList, ListedLines
from reviewer.tui.widgets.label import StatusLine
from reviewer.tui.workbench.opening import CaseChanged
from store.cases import get_case
from store.database import Database
from store.records import Case, Membership, Revision, Todo
from store.revisions import PlaceNow
from store.todos import add_todo, finish_todo, todos_of

_key = partial(named_key, "history")
_WIDEST, _QUIET = 200, "$foreground 60%"
_ALWAYS = (("history.keys", "keys"), ("history.leave", "back"))

HISTORY_KEY = named_key("history", "H", "history", "history", "open", "Show the revisions of this case")
"""The key that opens this screen, on every screen with a list of cases or findings."""


def open_history(
    screen: Screen[Any], database: Database, place: Membership, person: str, refuse: Callable[[str], None]
) -> None:
    """Open the history of a case, or ``refuse`` with a sentence that says why not.

    Raters with open cases do not see it: the reasons name defects of a case.
    """
    try:
        reason = why_not_change(database, place.dataset, person or None, in_browser=base_app(screen).alone)
        if reason is None:
            screen.app.push_screen(
                HistoryScreen(database, place, person, lambda: screen.post_message(CaseChanged()))
            )
    except ReviewerError as error:
        reason = str(error)
    if reason is not None:
        refuse(reason)


class HistoryScreen(ListBesideTextScreen):
    """Shows revisions, the newest first; reverts, withdraws, settles, and keeps what is to do."""

    BINDINGS: ClassVar[list[BindingType]] = [
        _key("r", "revert", "revert to this", "revert", "Put the content after this revision in place"),
        _key("s", "settle", "choose this", "settle", "End the conflict: choose the highlighted revision"),
        _key("w", "withdraw", "withdraw", "withdraw", "Withdraw the case, with a reason"),
        _key("t", "todo", "to do", "todo", "Note what has to be done about this case"),
        _key("x", "done", "done", "done", "Mark the oldest open note of this case as done"),
        _key("question_mark", "keys", "keys", "keys", "Show this list", shown_as="?"),
        _key("q,escape", "leave", "back", "leave", "Go back; everything is saved already"),
    ]
    DEFAULT_CSS = """
    HistoryScreen {
        ItemList, ItemList:focus { width: 36%; }
    }
    """

    def __init__(
        self, database: Database, place: Membership, person: str, changed: Callable[[], object]
    ) -> None:
        super().__init__()
        self._changed = changed
        self._database, self._person = database, person
        self._dataset, self._place_key = place.dataset, place.key
        self._now = read_place(database, place.dataset, place.key)
        self._todos: list[Todo] = []
        self._store = StoreRetry(self, self.say)

    def below(self) -> ComposeResult:
        """The latest notice."""
        yield StatusLine()

    def on_mount(self) -> None:
        """Show the newest revision."""
        self._read()
        self.query_one(ItemList).focus()

    # -- keys --------------------------------------------------------------------------------------

    def on_option_list_option_selected(self) -> None:
        """Read the revision."""
        self.query_one(VerticalScroll).focus()

    def check_action(self, action: str, parameters: tuple[object, ...]) -> bool | None:
        """A conflict is settled before anything else changes; without one there is nothing to settle."""
        conflict = self._now.history.in_conflict
        if action == "settle":
            return conflict
        if action in ("revert", "withdraw") and conflict:
            return False
        return {
            "revert": bool(self._steps),
            "withdraw": not self._now.history.withdrawn,
            "done": bool(self._todos),
        }.get(action, True)

    def action_revert(self) -> None:
        """Ask why the content after this revision comes back."""
        step = self._current
        to = "first" if step is None else step.id
        self._ask("this content comes back", lambda said: revert(*self._at, to=to, **said))

    def action_settle(self) -> None:
        """Ask why this revision is chosen."""
        if (step := self._current) is not None:
            self._ask("this revision", lambda said: settle(*self._at, choice=step.id, **said))

    def action_withdraw(self) -> None:
        """Ask why the case is withdrawn."""
        self._ask("it is withdrawn", lambda said: withdraw(*self._at, **said))

    def action_todo(self) -> None:
        """Ask what has to be done."""
        effect = "Begin with a name and a colon to give it to somebody else."
        dialog = reason_dialog(f"what has to be done about {self._place_key}?", effect)
        self.app.push_screen(dialog, self._note)

    def action_done(self) -> None:
        """Mark the oldest open note as done."""
        if self._todos:
            todo = self._todos[0]
            self._change(lambda: finish_todo(self._database, self._dataset, todo.id, self._person))

    # -- changes -----------------------------------------------------------------------------------

    @property
    def _at(self) -> tuple[Database, str, str]:
        return self._database, self._dataset, self._place_key

    def _ask(self, what: str, change: Callable[[dict[str, Any]], Revision]) -> None:
        expected = self._now.parent

        def save(reason: str | None) -> None:
            if reason is not None:
                said = {"expected": expected, "author": self._person, "reason": reason}
                self._change(lambda: change(said))

        effect = "The reason is kept in the history of the case."
        self.app.push_screen(reason_dialog(f"why {what}?", effect), save)

    def _note(self, text: str | None) -> None:
        if text is not None:
            name, note = _named(text, self._person)
            self._change(lambda: add_todo(*self._at, note=note, name=name, by=self._person))

    def _change(self, operation: Callable[[], object]) -> None:
        """Check again who may, change the store, and show how it is now."""

        def do() -> None:
            alone = base_app(self).alone
            if reason := why_not_change(self._database, self._dataset, self._person, in_browser=alone):
                raise RequestError(reason)
            operation()
            self._read()
            self._changed()
            self.say("✓ saved")

        self._store.run(do, self.complain)

    # -- painting ----------------------------------------------------------------------------------

    def on_resize(self) -> None:
        """Show the keys that fit."""
        self._draw_keys()

    @property
    def _steps(self) -> list[Revision]:
        return list(reversed(self._now.history.revisions))

    @property
    def _current(self) -> Revision | None:
        """The highlighted revision; None for the first content."""
        return self.query_one(ItemList).chosen_of(self._steps)

    def _read(self) -> None:
        self._now = read_place(*self._at)
        with self._database.read() as session:
            todos = todos_of(session, self._dataset)
        self._todos = [todo for todo in todos if todo.key == self._place_key]
        items = [ListedLines(2, partial(_item, self._now, step)) for step in self._steps]
        items.append(ListedLines(2, partial(_first_item, self._now)))
        self.query_one(ItemList).show(items, 0)
        steps = counted(len(self._steps), "revision")
        self.put_head(f"{self._dataset} · {steps}{_state(self._now)} · {self._place_key}")
        self.draw_text()
        self._draw_keys()

    def text(self) -> Content:
        """The open notes on the case, and the changes of a revision."""
        try:
            lines = [*_todo_lines(self._todos), *self._lines(self._current)]
        except (ReviewerError, KeyError) as error:
            lines = [literal(f"✗ {error}")]
        return Content("\n").join(lines)

    def _lines(self, step: Revision | None) -> list[Content]:
        if step is None:
            return [
                literal("The content before the first revision."),
                literal(self._now.place.generator, _QUIET),
            ]
        with self._database.read() as session:
            before = get_case(session, step.case_before)
            after = None if step.case_after is None else get_case(session, step.case_after)
        return [*_about(step), *_change_lines(before, after)]

    def _draw_keys(self) -> None:
        hints = [
            (f"history.{action}", word)
            for action, word in (
                *(("settle", "choose this"), ("revert", "revert to this"), ("withdraw", "withdraw")),
                *(("todo", "to do"), ("done", "done")),
            )
            if self.check_action(action, ())
        ]
        self.put_keys(hints, _ALWAYS)


def _named(text: str, person: str) -> tuple[str, str]:
    """The person and the task; a text may begin with a name and a colon."""
    before, colon, after = text.partition(":")
    try:
        return (checked_name("person", before.strip()), after) if colon and after.strip() else (person, text)
    except RequestError:
        return person, text


def _state(now: PlaceNow) -> str:
    if now.history.in_conflict:
        return " · ▲ in conflict: choose one of the newest"
    return " · withdrawn" if now.history.withdrawn else ""


def _item(now: PlaceNow, step: Revision) -> Content:
    head = f"{step.created[:16].replace('T', ' ')} · {step.kind} · {state_words(now.history, step)}"
    return _two_lines(head, f"{step.author}: {step.reason}")


def _first_item(now: PlaceNow) -> Content:
    return _two_lines("first content", now.place.generator)


def _two_lines(head: str, below: str) -> Content:
    return Content("\n").join([literal_line(head, _WIDEST, "bold"), literal_line(below, _WIDEST, _QUIET)])


def _todo_lines(todos: list[Todo]) -> Iterator[Content]:
    for todo in todos:
        yield literal(f"to do, {todo.name}: {todo.note}", "bold")
    if todos:
        yield Content("")


def _about(step: Revision) -> Iterator[Content]:
    """The author, kind and reason of a revision, and the measurements before and after."""
    proposed = {"person": "", "rule": ", proposed by a rule", "model": ", proposed by a model"}
    yield literal(f"{step.kind} by {step.author} on {step.created[:10]}{proposed[step.proposed_by]}", "bold")
    yield literal(step.reason)
    if step.resolves:
        yield literal("resolves " + "; ".join(map(resolved_words, step.resolves)), _QUIET)
    for word, measured in (("before", step.before), ("after", step.after)):
        if measured:
            yield literal(f"{word}: {' · '.join(measured_words(measured))}", _QUIET)


def _change_lines(before: Case, after: Case | None) -> Iterator[Content]:
    if after is None:
        yield literal("The content stays where it is. New studies do not draw the case.", _QUIET)
        return
    name = ""
    for text, was, now in changes_table(before, after).rows:
        if text != name:
            name = str(text)
            yield Content("")
            yield literal(name.replace("_", " "), f"bold {_QUIET}")
        if was is not None:
            yield literal(_signed("−", was), "$text-error")
        if now is not None:
            yield literal(_signed("+", now), "$text-success")


def _signed(sign: str, text: object) -> str:
    """A text with the sign before each of its lines."""
    return "\n".join(f"{sign} {line}" for line in str(text).splitlines())

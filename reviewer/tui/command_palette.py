"""The command palette: it finds actions of the screen and the app, questions, studies, cases and own answers.

Each hit is one line of literal content.
"""

import asyncio
from collections.abc import Callable, Iterator
from functools import partial

from textual.app import App
from textual.binding import Binding
from textual.command import DiscoveryHit, Hit, Hits, Provider
from textual.content import Content
from textual.dom import DOMNode

from reviewer.core.errors import ReviewerError
from reviewer.core.question import families
from reviewer.protocols.altered_case import headline_of
from reviewer.protocols.registry import protocols_of
from reviewer.study.session.blinded_panes import may_see_own_answer
from reviewer.study.session.own_answers import case_text, own_answers
from reviewer.study.session.review_session import ReviewSession
from reviewer.study.session.verdicts import State
from reviewer.tui.base_app import BaseApp, base_app
from reviewer.tui.dialogs.key_sheet import sheet_order
from reviewer.tui.rendering.literal import literal_line
from reviewer.tui.screens.case_list import CasesScreen
from reviewer.tui.screens.review import ReviewScreen
from store.cases import Filter, readable_places
from store.database import Database
from store.studies import list_studies

_MOST_CASES = 12
_LEAST_LETTERS = 2
_WIDTH, _LABEL, _KEY = 90, 20, 11
# Cells of the palette without text.
_FRAME = 5
# Actions come first, then questions and studies, then cases, since there may be many cases.
_ACTION, _PLACE, _CASE = 1.0, 0.8, 0.4


class ActionsFinder(Provider):
    """The actions of the screen's keys."""

    async def discover(self) -> Hits:
        """Every action, before anything is typed."""
        for label, key, description, act in self._actions():
            yield DiscoveryHit(self._entry(label, key, description), act, label)

    async def search(self, query: str) -> Hits:
        """Actions whose label or description matches."""
        matcher = self.matcher(query)
        for label, key, description, act in self._actions():
            score = max(matcher.match(label), matcher.match(description) * 0.7)
            if score > 0:
                yield Hit(score * _ACTION, self._entry(label, key, description), act, label)

    def _actions(self) -> Iterator[tuple[str, str, str, Callable[[], object]]]:
        """Label, key, description and callback: in the order of the key sheet, then commands of the app."""
        live: dict[str, tuple[Binding, DOMNode]] = {}
        for active in self.screen.active_bindings.values():
            if active.enabled and active.binding.id and active.binding.id != "app.find":
                live.setdefault(active.binding.id, (active.binding, active.node))
        for name in sorted(live, key=sheet_order):
            binding, node = live[name]
            act = partial(self.app.run_action, binding.action, node)
            label = base_app(self.screen).label_of(binding)
            yield label, self.app.get_key_display(binding), binding.tooltip, act
        for title, description, callback, _ in self.app.get_system_commands(self.screen):
            yield title.lower(), "", description, callback

    def _entry(self, label: str, key: str, description: str) -> Content:
        """One line, as on the key sheet."""
        room = _room(self.app) - _LABEL - _KEY
        return Content.assemble(
            literal_line(label, _LABEL - 2, "bold").pad_right(max(2, _LABEL - len(label))),
            literal_line(key, _KEY - 2, "bold").pad_right(max(2, _KEY - len(key))),
            literal_line(description, room, "$foreground 60%"),
        )


class QuestionsFinder(Provider):
    """The questions of the study under review; choosing one shows its first open case."""

    async def discover(self) -> Hits:
        """Every question, before anything is typed."""
        for words, go in self._questions():
            yield DiscoveryHit(literal_line(words, _room(self.app)), go, words)

    async def search(self, query: str) -> Hits:
        """Questions whose title matches."""
        matcher = self.matcher(query)
        for words, go in self._questions():
            if (score := matcher.match(words)) > 0:
                yield Hit(score * _PLACE, literal_line(words, _room(self.app)), go, words)

    def _questions(self) -> Iterator[tuple[str, Callable[[], object]]]:
        screen = self.screen
        if not isinstance(screen, ReviewScreen):
            return
        session = screen.session
        for number, (question, *entries) in enumerate(families(session.bundle.questions), 1):
            keys = {question.key, *(entry.key for entry in entries)}
            positions = [n for n, slot in enumerate(session.slots) if slot.question in keys]
            first = next((n for n in positions if session.state_at(n) is State.OPEN), positions[0])
            yield f"question {number}: {question.title}", partial(screen.moves.show_position, first)


class StudiesFinder(Provider):
    """The studies of the store, read once when the palette opens."""

    async def startup(self) -> None:
        """Read their names."""
        self._names: list[str] = []
        database = _database(self.app)
        if database is not None:
            self._names = await asyncio.to_thread(_study_names, database)

    async def search(self, query: str) -> Hits:
        """Studies whose name matches."""
        matcher = self.matcher(query)
        for name in self._names:
            words = f"study {name}"
            if (score := matcher.match(words)) > 0:
                yield Hit(
                    score * _PLACE, literal_line(words, _room(self.app)), partial(self._open, name), words
                )

    def _open(self, name: str) -> None:
        if isinstance(self.app, BaseApp):
            self.app.open_study(name)


class CasesFinder(Provider):
    """Cases found by their words: in the study under review, or else in the whole store."""

    async def search(self, query: str) -> Hits:
        """Cases with all these words; each hit shows how the case begins."""
        if len(query.strip()) < _LEAST_LETTERS:
            return
        if isinstance(self.screen, ReviewScreen):
            for position, words in _cases_in(self.screen.session, query):
                yield self._hit(words, partial(self.screen.moves.show_position, position))
        elif (database := _database(self.app)) is not None:
            for key, headline in await asyncio.to_thread(_cases_of, database, query):
                words = f"case {key}: {headline}"
                yield self._hit(words, partial(self.app.push_screen, CasesScreen(database, query)))

    def _hit(self, words: str, command: Callable[[], object]) -> Hit:
        return Hit(_CASE, Content(literal_line(words, _room(self.app)).plain), command, words)


def _room(app: App[object]) -> int:
    """The cells of a line."""
    return max(_LABEL + _KEY + 1, min(_WIDTH, app.size.width - _FRAME))


def _database(app: object) -> Database | None:
    """The store, where this person may see all of it."""
    return app.open_store if isinstance(app, BaseApp) else None


def _study_names(database: Database) -> list[str]:
    try:
        with database.read() as session:
            return [study.name for study in list_studies(session)]
    except ReviewerError:
        return []  # the screen itself shows the error of the store


def _cases_of(database: Database, query: str) -> list[tuple[str, str]]:
    try:
        with database.read() as session:
            places = readable_places(session, Filter(text=query), _MOST_CASES)
    except ReviewerError:
        return []
    protocols = protocols_of(database)
    return [(place.key, headline_of(protocols, case)) for place, case in places]


def _cases_in(session: ReviewSession, query: str) -> Iterator[tuple[int, str]]:
    """Positions of matching cases in the present question, each with a text to show."""
    wanted = query.casefold().split()
    hits, protocols = 0, protocols_of(session.database)
    for position, slot in enumerate(session.slots):
        here = may_see_own_answer(slot, session.slot)  # a case that is shown twice is listed once
        if slot.question == session.slot.question and here and hits < _MOST_CASES:
            case = session.bundle.cases[slot.case]
            if all(word in case_text(case) for word in wanted):
                hits += 1
                yield position, f"case: {headline_of(protocols, case)}"


class OwnAnswersFinder(Provider):
    """The rater's own answers in the study under review; choosing one shows it again."""

    async def search(self, query: str) -> Hits:
        """Answers with all these words."""
        screen = self.screen
        if len(query.strip()) < _LEAST_LETTERS or not isinstance(screen, ReviewScreen):
            return
        protocols = protocols_of(screen.session.database)
        for answer in own_answers(screen.session, query)[:_MOST_CASES]:
            said = f"{answer.question.title} = {answer.words}"
            words = f"my answer: {said}: {headline_of(protocols, answer.case)}"
            show = partial(screen.moves.show_position, answer.position)
            yield Hit(_CASE, Content(literal_line(words, _room(self.app)).plain), show, words)


class Finder(Provider):
    """All finders in a fixed order, since the palette would ask several providers in any order."""

    PARTS = (ActionsFinder, QuestionsFinder, StudiesFinder, CasesFinder, OwnAnswersFinder)

    async def startup(self) -> None:
        """Let each part prepare itself."""
        self._parts = [part(self.screen) for part in self.PARTS]
        for part in self._parts:
            await part.startup()

    async def discover(self) -> Hits:
        """The hits before anything is typed."""
        for part in self._parts:
            async for hit in part.discover():
                yield hit

    async def search(self, query: str) -> Hits:
        """The hits that match."""
        for part in self._parts:
            async for hit in part.search(query):
                yield hit

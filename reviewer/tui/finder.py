"""What the command palette finds: actions of the screen, questions, studies, cases.

Everything is shown as literal content: the palette's help line, which reads markup, holds our own words only.
"""

import asyncio
from collections.abc import Callable, Iterator
from functools import partial

from textual.command import DiscoveryHit, Hit, Hits, Provider
from textual.content import Content

from reviewer.core.errors import ReviewerError
from reviewer.protocols.registry import protocol_named
from reviewer.study.session import ReviewSession
from reviewer.study.verdicts import State
from reviewer.tui.literal import literal, literal_line
from reviewer.tui.personal import PersonalApp
from reviewer.tui.screens.cases import CasesScreen
from reviewer.tui.screens.review import ReviewScreen
from store.cases import Filter, list_places
from store.database import Database
from store.records import Case
from store.studies import list_studies

_MOST_CASES = 12
_LEAST_LETTERS = 2
_WIDTH = 90
# Actions come first, then questions and studies, then cases, of which there may be many.
_ACTION, _PLACE, _CASE = 1.0, 0.8, 0.4


class ActionsFinder(Provider):
    """What the keys of the screen do."""

    async def discover(self) -> Hits:
        """Every action, before anything is typed."""
        for label, told, act in self._actions():
            yield DiscoveryHit(label, act, help=told)

    async def search(self, query: str) -> Hits:
        """Actions by their label and by what they do."""
        matcher = self.matcher(query)
        for label, told, act in self._actions():
            score = max(matcher.match(label), matcher.match(told) * 0.7)
            if score > 0:
                yield Hit(score * _ACTION, literal(label), act, label, told)

    def _actions(self) -> Iterator[tuple[str, str, Callable[[], object]]]:
        known: set[str] = set()
        for active in self.screen.active_bindings.values():
            binding = active.binding
            if active.enabled and binding.id and binding.id != "app.find" and binding.id not in known:
                known.add(binding.id)
                key = self.app.get_key_display(binding).replace("[", r"\[")
                act = partial(self.app.run_action, binding.action, active.node)
                yield binding.description, f"{binding.tooltip} ({key})", act


class QuestionsFinder(Provider):
    """The questions of the study under review: each goes to its first open case."""

    async def discover(self) -> Hits:
        """Every question, before anything is typed."""
        for words, go in self._questions():
            yield DiscoveryHit(literal_line(words, _WIDTH), go, words)

    async def search(self, query: str) -> Hits:
        """Questions by their title."""
        matcher = self.matcher(query)
        for words, go in self._questions():
            if (score := matcher.match(words)) > 0:
                yield Hit(score * _PLACE, literal_line(words, _WIDTH), go, words)

    def _questions(self) -> Iterator[tuple[str, Callable[[], object]]]:
        screen = self.screen
        if not isinstance(screen, ReviewScreen):
            return
        session = screen.session
        for number, question in enumerate(session.bundle.questions, 1):
            positions = [n for n, slot in enumerate(session.slots) if slot.question == question.key]
            first = next((n for n in positions if session.state_at(n) is State.OPEN), positions[0])
            yield f"question {number}: {question.title}", partial(screen.show_position, first)


class StudiesFinder(Provider):
    """The studies of the store; read once, when the palette opens."""

    async def startup(self) -> None:
        """Read their names."""
        self._names: list[str] = []
        database = _database(self.app)
        if database is not None:
            self._names = await asyncio.to_thread(_study_names, database)

    async def search(self, query: str) -> Hits:
        """Studies by their name."""
        matcher = self.matcher(query)
        for name in self._names:
            words = f"study {name}"
            if (score := matcher.match(words)) > 0:
                yield Hit(score * _PLACE, literal_line(words, _WIDTH), partial(self._open, name), words)

    def _open(self, name: str) -> None:
        if isinstance(self.app, PersonalApp):
            self.app.open_study(name)


class CasesFinder(Provider):
    """Cases by their words: of the study under review, else of the whole store; a page of them."""

    async def search(self, query: str) -> Hits:
        """Cases that hold every word, each given by how it begins."""
        if len(query.strip()) < _LEAST_LETTERS:
            return
        if isinstance(self.screen, ReviewScreen):
            for position, words in _cases_in(self.screen.session, query):
                yield self._hit(words, partial(self.screen.show_position, position))
        elif (database := _database(self.app)) is not None:
            for key, headline in await asyncio.to_thread(_cases_of, database, query):
                words = f"case {key}: {headline}"
                yield self._hit(words, partial(self.app.push_screen, CasesScreen(database, query)))

    def _hit(self, words: str, command: Callable[[], object]) -> Hit:
        return Hit(_CASE, Content(literal_line(words, _WIDTH).plain), command, words)


def _database(app: object) -> Database | None:
    """The store, where whoever is at the keyboard may look around in it."""
    return app.open_store if isinstance(app, PersonalApp) else None


def _study_names(database: Database) -> list[str]:
    try:
        with database.read() as session:
            return [study.name for study in list_studies(session)]
    except ReviewerError:
        return []  # the screen itself says what is wrong with the store


def _cases_of(database: Database, query: str) -> list[tuple[str, str]]:
    try:
        with database.read() as session:
            places = list_places(session, Filter(text=query), _MOST_CASES)
    except ReviewerError:
        return []
    return [(place.key, protocol_named(case.protocol).headline(case)) for place, case in places]


def _cases_in(session: ReviewSession, query: str) -> Iterator[tuple[int, str]]:
    """Positions of matching cases under the question at hand, each with words for people."""
    wanted = query.casefold().split()
    found = 0
    for position, slot in enumerate(session.slots):
        if slot.question == session.slot.question and found < _MOST_CASES:
            case = session.bundle.cases[slot.case]
            if _holds(case, wanted):
                found += 1
                yield position, f"case: {session.bundle.protocol.headline(case)}"


def _holds(case: Case, wanted: list[str]) -> bool:
    texts = "\n".join(str(value) for value in (case.group, *case.payload.values())).casefold()
    return all(word in texts for word in wanted)

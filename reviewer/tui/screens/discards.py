"""The candidates that a generation run discarded: why, and what was made of each before."""

from functools import partial
from typing import ClassVar

from textual import work
from textual.binding import Binding, BindingType
from textual.content import Content
from textual.message import Message

from reviewer.core.errors import RequestError, ReviewerError
from reviewer.core.sanitize import counted
from reviewer.study.session.blinding import Influence, why_not_influence
from reviewer.study.session.rater_progress import study_progress
from reviewer.tui.rendering.literal import literal, literal_line
from reviewer.tui.screens.list_beside_text import ListBesideTextScreen
from reviewer.tui.widgets.item_list import ItemList, ListedLines
from reviewer.tui.widgets.key_hints import keys_by_id, offers
from reviewer.tui.widgets.label import PlainLabel
from store.candidates import candidates_of
from store.database import Database
from store.records import Candidate

_MOST, _LONGEST = 1_000, 80


class DiscardsScreen(ListBesideTextScreen):
    """Discarded candidates at the left, the highlighted one at the right."""

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("escape,q", "leave", "back", id="discards.leave", tooltip="Go back to the runs")
    ]

    class Listed(Message):
        """The discarded candidates, or why they cannot be read."""

        def __init__(self, candidates: list[Candidate], problem: str = "") -> None:
            self.candidates, self.problem = candidates, problem
            super().__init__()

    def __init__(self, database: Database, run: str, person: str) -> None:
        super().__init__()
        self._database, self._run, self._person = database, run, person
        self._candidates: list[Candidate] = []

    def on_mount(self) -> None:
        """Read the candidates."""
        self.put_head(f"{self._run} · reading what was discarded …")
        self.query_one("#keys", PlainLabel).put(offers(keys_by_id(self), [("discards.leave", "back")]))
        self.read_candidates()

    @work(thread=True)
    def read_candidates(self) -> None:
        """Read in the background: a run may have discarded thousands."""
        try:
            studies = study_progress(self._database)
            if why_not := why_not_influence(
                self._database, studies, self._person, self._run, Influence.FINDINGS
            ):
                raise RequestError(why_not)
            with self._database.read() as session:
                candidates = candidates_of(session, self._run, approved=False, limit=_MOST + 1)
            self.post_message(self.Listed(candidates))
        except ReviewerError as error:
            self.post_message(self.Listed([], str(error)))

    def on_discards_screen_listed(self, message: Listed) -> None:
        """List them."""
        self._candidates = message.candidates[:_MOST]
        number = counted(len(self._candidates), "discarded candidate")
        if len(message.candidates) > _MOST:
            number = f"the first {_MOST:,} discarded candidates; `reviewer candidates` lists all"
        self.put_head(message.problem or f"{self._run} · {number}")
        items = [ListedLines(2, partial(_item, candidate)) for candidate in self._candidates]
        self.query_one(ItemList).show(items, 0)
        self.draw_text()

    def text_of(self, index: int | None) -> Content:
        """A candidate whole."""
        fits = index is not None and index < len(self._candidates)
        return _whole(self._candidates[index or 0]) if fits else literal("Nothing was discarded.")


def _item(candidate: Candidate) -> Content:
    """Two lines: which candidate; where and why it was discarded."""
    why = f"{candidate.step.replace('_', ' ')} · {candidate.check.replace('_', ' ')}"
    return Content("\n").join(
        [literal_line(candidate.key, _LONGEST, "bold"), literal_line(why, _LONGEST, "$foreground 60%")]
    )


def _whole(candidate: Candidate) -> Content:
    """Why it was discarded, and every text that it had by then."""
    place = f"{candidate.run}:{candidate.number} · {candidate.group} · {candidate.step} · {candidate.check}"
    lines = [literal(place, "$foreground 60%"), literal(candidate.why or "It did not pass.", "bold")]
    if candidate.value is not None:
        limit = "" if candidate.threshold is None else f", wanted {candidate.threshold}"
        lines.append(literal(f"found {candidate.value}{limit}"))
    for name, value in candidate.payload.items():
        lines += [Content(""), literal(name.replace("_", " "), "bold $foreground 60%"), literal(str(value))]
    return Content("\n").join(lines)

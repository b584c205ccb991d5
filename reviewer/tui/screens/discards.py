"""The candidates that a generation run discarded, with the reason and all texts of each."""

from functools import partial
from typing import ClassVar

from textual.binding import Binding, BindingType
from textual.content import Content

from reviewer.core.errors import RequestError, ReviewerError
from reviewer.core.sanitize import counted
from reviewer.study.session.blinding import Influence, why_not_influence
from reviewer.study.session.rater_progress import study_progress
from reviewer.tui.in_background import in_background
from reviewer.tui.rendering.literal import literal, literal_line
from reviewer.tui.screens.list_screen import ListBesideTextScreen
from reviewer.tui.widgets.item_list import ItemList, ListedLines
from store.candidates import candidates_of
from store.database import Database
from store.records import Candidate

_MOST, _LONGEST = 1_000, 80


class DiscardsScreen(ListBesideTextScreen):
    """Discarded candidates at the left, the highlighted one at the right."""

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("escape,q", "leave", "back", id="discards.leave", tooltip="Go back to the runs")
    ]

    def __init__(self, database: Database, run: str, person: str) -> None:
        super().__init__()
        self._database, self._run, self._person = database, run, person
        self._candidates: list[Candidate] = []

    def on_mount(self) -> None:
        """Read the candidates."""
        self.put_head(f"{self._run} · reading what was discarded …")
        self.put_keys([("discards.leave", "back")])
        in_background(self, "discards", self._read, self._list, self._fail)

    def _read(self) -> list[Candidate]:
        """Read in the background: a run may have discarded thousands."""
        studies = study_progress(self._database)
        if why_not := why_not_influence(self._database, studies, self._person, self._run, Influence.FINDINGS):
            raise RequestError(why_not)
        with self._database.read() as session:
            return candidates_of(session, self._run, approved=False, limit=_MOST + 1)

    def _list(self, candidates: list[Candidate]) -> None:
        """List them."""
        self._candidates = candidates[:_MOST]
        number = counted(len(self._candidates), "discarded candidate")
        if len(candidates) > _MOST:
            number = f"the first {_MOST:,} discarded candidates; `reviewer candidates` lists all"
        self.put_head(f"{self._run} · {number}")
        items = [ListedLines(2, partial(_item, candidate)) for candidate in self._candidates]
        self.query_one(ItemList).show(items, 0)
        self.draw_text()

    def _fail(self, error: ReviewerError) -> None:
        """Show why they cannot be read."""
        self._list([])
        self.put_head(str(error))

    def text(self) -> Content:
        """The highlighted candidate whole."""
        candidate = self.query_one(ItemList).chosen_of(self._candidates)
        return _whole(candidate) if candidate else literal("Nothing was discarded.")


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

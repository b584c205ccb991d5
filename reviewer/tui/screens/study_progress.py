"""How far the raters of a study are, with warnings about them for its lead; read again while they work."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import partial

from textual import work
from textual.content import Content
from textual.message import Message

from reviewer.core.errors import ReviewerError
from reviewer.core.sanitize import counted
from reviewer.results.labels.rater_warnings import RaterWarning, rater_warnings
from reviewer.study.integrity.quarantine import read_study
from reviewer.study.session.blinding import may_see_warnings
from reviewer.study.session.label_rows import label_rows
from reviewer.study.session.rater_progress import RaterProgress, StudyProgress, progress_of
from reviewer.tui.rendering.literal import literal, literal_line
from reviewer.tui.screens.list_screen import ListScreen
from reviewer.tui.screens.store_work import REFRESH_SECONDS
from reviewer.tui.widgets.bar import bar
from reviewer.tui.widgets.item_list import ListedLines
from store.database import Database

_NAME, _BAR, _LINE = 24, 20, 200


@dataclass(frozen=True, slots=True)
class Watched:
    """A study's progress, and the warnings that this person may see."""

    progress: StudyProgress
    warnings: Sequence[RaterWarning]


def watched(database: Database, progress: StudyProgress, person: str) -> Watched:
    """The progress with the warnings that this person may see; raises ReviewerError."""
    if not may_see_warnings(progress, person) or not any(rater.labelled for rater in progress.raters):
        return Watched(progress, ())
    bundle, events = read_study(database, progress.study.name)
    return Watched(progress, rater_warnings(bundle, label_rows(bundle, events, everyone=True)))


def _by_rater(warnings: Sequence[RaterWarning]) -> Mapping[str, list[str]]:
    """Rater → sentences."""
    told: dict[str, list[str]] = {}
    for warning in warnings:
        told.setdefault(warning.rater, []).append(warning.sentence)
    return told


class StudyProgressScreen(ListScreen):
    """A line for each rater, and one for each warning; enter reads the store again."""

    class Looked(Message):
        """The study was read."""

        def __init__(self, seen: Watched) -> None:
            self.seen = seen
            super().__init__()

    class Failed(Message):
        """The store could not be read; ``sentence`` says why."""

        def __init__(self, sentence: str) -> None:
            self.sentence = sentence
            super().__init__()

    def __init__(self, database: Database, study: str, person: str) -> None:
        super().__init__("read again", self._look_now)
        self._database, self._study, self._person = database, study, person
        self._seen: Watched | None = None

    def on_mount(self) -> None:
        """Read now, and again while raters work."""
        self.show_items(self._study, (), nothing="Reading the answers …")
        self.look()
        self.set_interval(REFRESH_SECONDS, self.look)

    def _look_now(self, _index: int) -> None:
        self.look()

    @work(thread=True, exclusive=True, group="progress")
    def look(self) -> None:
        """Read the progress, and the warnings if it has changed."""
        try:
            progress = progress_of(self._database, self._study)
            if self._seen is None or progress != self._seen.progress:
                self.post_message(self.Looked(watched(self._database, progress, self._person)))
        except ReviewerError as error:
            self.post_message(self.Failed(str(error)))

    def on_study_progress_screen_looked(self, message: Looked) -> None:
        """List the raters."""
        self._seen = message.seen
        progress, told = message.seen.progress, _by_rater(message.seen.warnings)
        items = [_item(rater, told.get(rater.rater, ())) for rater in progress.raters]
        self.show_items(_head(progress, told), items, nothing="Nobody has begun yet.")

    def on_study_progress_screen_failed(self, message: Failed) -> None:
        """Show why nothing could be read."""
        self.say(message.sentence, failed=True)


def _head(progress: StudyProgress, told: Mapping[str, list[str]]) -> str:
    leads = f" · led by {', '.join(progress.leads)}" if progress.leads else ""
    number = sum(map(len, told.values()))
    warned = f" · ▲ {counted(number, 'warning')}" if number else ""
    size = f"{counted(progress.cases, 'case')}, {progress.verdicts} a rater"
    return f"{progress.study.name} · progress · {size}{leads}{warned}"


def _item(rater: RaterProgress, sentences: Sequence[str]) -> ListedLines:
    return ListedLines(1 + len(sentences), partial(_told, rater, sentences))


def _told(rater: RaterProgress, sentences: Sequence[str]) -> Content:
    name = literal_line(rater.rater, _NAME, "bold $foreground")
    then = "  ✓ done" if rater.finished else f"  ↷ {rater.skipped:,} skipped" if rater.skipped else ""
    first = Content.assemble(
        name.pad_right(_NAME + 2 - name.cell_length),
        bar(rater.done, rater.slots, _BAR),
        literal(f"  {rater.done:,} of {rater.slots:,}{then}"),
    )
    warned = (literal_line(f"▲ {sentence}", _LINE, "$foreground 80%").pad_left(2) for sentence in sentences)
    return Content("\n").join([first, *warned])

"""The home screen: studies, whose turn it is, datasets; everything is reached from here."""

from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import ClassVar

from textual import work
from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.content import Content
from textual.message import Message
from textual.screen import Screen
from textual.widgets import Static

from reviewer.core.errors import ReviewerError
from reviewer.study.bundle import load_study
from reviewer.study.progress import StudyProgress, may_see_answers, study_progress, why_not_yet
from reviewer.study.sampling import create_study
from reviewer.study.session import ReviewSession
from reviewer.tui.dialogs.import_source import ImportDialog, ImportRequest
from reviewer.tui.dialogs.key_sheet import KeySheet
from reviewer.tui.dialogs.new_study import NewStudyDialog, StudyRequest
from reviewer.tui.dialogs.rater_name import RaterDialog
from reviewer.tui.literal import literal, literal_line
from reviewer.tui.personal import personal_app
from reviewer.tui.screens.cases import CasesScreen
from reviewer.tui.screens.review import ReviewScreen
from reviewer.tui.widgets.bar import bar
from reviewer.tui.widgets.key_hints import hint, hints, keys_by_id
from reviewer.tui.widgets.store_content import dataset_lines, nothing_yet
from reviewer.tui.widgets.study_list import StudyList
from store.cases import DatasetSummary, summaries
from store.database import Database
from store.ledger import Ledger

_HINTS = (
    ("home.new-study", "new study"),
    ("home.import", "import"),
    ("home.cases", "cases"),
    ("home.agreement", "agreement"),
    ("home.export", "export"),
    ("home.rater", "your name"),
    ("home.keys", "keys"),
    ("home.leave", "quit"),
)


@dataclass(frozen=True, slots=True)
class Overview:
    """What the store holds."""

    studies: list[StudyProgress]
    datasets: list[DatasetSummary]


class HomeScreen(Screen[None]):
    """Where the app opens when no study is named."""

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding(
            "n",
            "new_study",
            "new study",
            id="home.new-study",
            tooltip="Draw a sample as a study",
        ),
        Binding(
            "i", "import_source", "import", id="home.import", tooltip="Import a dataset from a file or folder"
        ),
        Binding("l", "cases", "cases", id="home.cases", tooltip="List, search and read the cases"),
        Binding(
            "e", "export", "export", id="home.export", tooltip="Write the study's labels and numbers to files"
        ),
        Binding(
            "a",
            "agreement",
            "agreement",
            id="home.agreement",
            tooltip="See the agreement on this study, once you are done or it is closed",
        ),
        Binding(
            "r",
            "change_rater",
            "your name",
            id="home.rater",
            tooltip="The name that verdicts are saved under",
        ),
        Binding("question_mark", "keys", "keys", key_display="?", id="home.keys", tooltip="Show this list"),
        Binding("q", "leave", "quit", id="home.leave", tooltip="Quit; everything is saved already"),
    ]
    DEFAULT_CSS = """
    HomeScreen {
        background: $background; padding: 0 1;
        #head { height: 1; color: $foreground 75%; }
        .title { height: 1; margin-top: 1; padding: 0 1; text-style: bold; color: $foreground 60%; }
        #datasets { height: auto; max-height: 9; padding: 0 1; color: $foreground 85%; }
        #empty { height: 1fr; content-align: center middle; color: $foreground 80%; display: none; }
        &.-empty #empty { display: block; }
        &.-empty StudyList, &.-empty #studies-title { display: none; }
        #status { height: auto; max-height: 3; min-height: 1; margin-top: 1; padding: 0 1; }
        #status.-failed { color: $text-error; background: $error 20%; }
        #keys { dock: bottom; height: auto; padding: 0 1; color: $foreground 60%; }
    }
    """

    class Loaded(Message):
        """The store was read."""

        def __init__(self, overview: Overview) -> None:
            self.overview = overview
            super().__init__()

    class Failed(Message):
        """Something in the background did not work; ``sentence`` says what."""

        def __init__(self, sentence: str) -> None:
            self.sentence = sentence
            super().__init__()

    class ImportMoved(Message):
        """An import has stored so many cases of so many."""

        def __init__(self, dataset: str, done: int, total: int) -> None:
            self.dataset, self.done, self.total = dataset, done, total
            super().__init__()

    class Imported(Message):
        """An import is done; ``sentence`` says what it did."""

        def __init__(self, sentence: str) -> None:
            self.sentence = sentence
            super().__init__()

    class Exported(Message):
        """An export is done; ``sentence`` says where it is."""

        def __init__(self, sentence: str) -> None:
            self.sentence = sentence
            super().__init__()

    def __init__(self, database: Database, rater: str) -> None:
        super().__init__()
        self.database, self.rater = database, rater
        self.overview: Overview | None = None
        self._newest: str | None = None

    def compose(self) -> ComposeResult:
        """Studies, datasets, what happened last, keys."""
        yield Static(id="head")
        yield Static(literal("Studies"), classes="title", id="studies-title")
        yield StudyList()
        yield Static(literal("Reading the store …"), id="empty")
        yield Static(literal("Datasets"), classes="title")
        yield Static(id="datasets")
        yield Static(id="status")
        yield Static(id="keys")

    def on_screen_resume(self) -> None:
        """Show what the store holds by now, each time the screen comes up."""
        self._draw_head()
        self.read_store()

    # -- reading -----------------------------------------------------------------------------------

    @work(thread=True, exclusive=True, group="read")
    def read_store(self) -> None:
        """Read in the background: a store of a million verdicts takes a moment."""
        try:
            studies = study_progress(self.database)
            with self.database.read() as session:
                datasets = summaries(session)
        except ReviewerError as error:
            self.post_message(self.Failed(str(error)))
        else:
            self.post_message(self.Loaded(Overview(studies, datasets)))

    def on_home_screen_loaded(self, message: Loaded) -> None:
        """Draw what was read."""
        self.overview = message.overview
        self._draw()

    def on_home_screen_failed(self, message: Failed) -> None:
        """Say what did not work."""
        self.say(message.sentence, failed=True)

    # -- keys --------------------------------------------------------------------------------------

    def on_study_list_chosen(self, message: StudyList.Chosen) -> None:
        """Open a study's review where this rater stopped."""
        try:
            clock = personal_app(self).active_clock
            session = ReviewSession(self.database, message.study, self.rater, stopwatch=clock)
        except ReviewerError as error:
            self.say(str(error), failed=True)
        else:
            self.say("")
            self.app.push_screen(ReviewScreen(session))

    def action_new_study(self) -> None:
        """Ask for a design and draw it."""
        if self.overview is None or not self.overview.datasets:
            self.say("A study draws from a dataset, and there is none yet; import one first.", failed=True)
            return
        dialog = NewStudyDialog(self.overview.datasets, partial(create_study, self.database))
        self.app.push_screen(dialog, self._drawn)

    def _drawn(self, request: StudyRequest | None) -> None:
        if request is not None:
            self._newest = request.name
            self.say(f"✓ study {request.name} is drawn; enter opens it")
            self.read_store()

    def action_import_source(self) -> None:
        """Ask what to import, and import it in the background."""
        self.app.push_screen(ImportDialog(), self._import)

    def _import(self, request: ImportRequest | None) -> None:
        if request is not None:
            self.say(f"Reading {request.path.name} …")
            self.run_import(request)

    @work(thread=True, group="import")
    def run_import(self, request: ImportRequest) -> None:
        """Import; raters' keys do not wait for it, for it writes in short turns."""
        from reviewer.exchange.reading import import_path

        def moved(done: int, total: int) -> None:
            self.post_message(self.ImportMoved(request.dataset, done, total))

        try:
            report = import_path(self.database, request.path, request.dataset, progress=moved)
        except ReviewerError as error:
            self.post_message(self.Failed(str(error)))
        else:
            self.post_message(self.Imported(report.sentence))

    def on_home_screen_import_moved(self, message: ImportMoved) -> None:
        """Show how far the import is."""
        progress = bar(message.done, message.total, 20)
        text = literal(f"  importing {message.dataset}: {message.done:,} of {message.total:,} cases")
        self._show_status(Content.assemble(progress, text), failed=False)

    def on_home_screen_imported(self, message: Imported) -> None:
        """Say what the import did."""
        self.say(f"✓ {message.sentence}")
        self.read_store()

    def action_cases(self) -> None:
        """Look cases up."""
        self.app.push_screen(CasesScreen(self.database))

    def action_export(self) -> None:
        """Write the highlighted study out, if this rater may see what others answered."""
        progress = self.query_one(StudyList).chosen
        if progress is None:
            self.say("There is no study to export yet.", failed=True)
        elif not may_see_answers(progress, self.rater):
            self.say(
                f"{progress.study.name} shows others' answers once it is closed or you have finished.",
                failed=True,
            )
        else:
            self.say(f"Exporting {progress.study.name} …")
            self.run_export(progress.study.name)

    @work(thread=True, group="export")
    def run_export(self, study: str) -> None:
        """Export in the background: the numbers take a moment."""
        from reviewer.exchange.study_export import export_study

        try:
            bundle, events = load_study(self.database, study), Ledger(self.database).events(study)
            written = export_study(bundle, events, Path("exports") / study)
        except ReviewerError as error:
            self.post_message(self.Failed(str(error)))
        else:
            names = ", ".join(path.name for path in written)
            self.post_message(self.Exported(f"{names} are in {written[0].parent}"))

    def on_home_screen_exported(self, message: Exported) -> None:
        """Say where the files are."""
        self.say(f"✓ {message.sentence}")

    def action_agreement(self) -> None:
        """Open the agreement on the study under the cursor, for those who may see it by now."""
        progress = self.query_one(StudyList).chosen
        if progress is None:
            self.say("There is no study yet whose agreement could be shown.", failed=True)
            return
        reason = why_not_yet(progress, self.rater)
        if reason is None and not any(rater.done for rater in progress.raters):
            reason = "Nobody has answered anything in this study yet."
        if reason is not None:
            self.say(reason)
            return
        from reviewer.tui.screens.agreement import AgreementScreen  # numpy takes a fifth of a second to load

        self.say("")
        self.app.push_screen(AgreementScreen(self.database, progress.study.name))

    def action_change_rater(self) -> None:
        """Ask for another name."""
        self.app.push_screen(RaterDialog(self.rater), self._rename)

    def _rename(self, rater: str | None) -> None:
        if rater is not None:
            self.rater = rater
            self._draw_head()
            self._draw()

    def action_keys(self) -> None:
        """Show what every key does."""
        self.app.push_screen(KeySheet.of(self))

    def action_leave(self) -> None:
        """Quit."""
        self.app.exit()

    # -- painting ----------------------------------------------------------------------------------

    def say(self, sentence: str, failed: bool = False) -> None:
        """Put a sentence on the status line."""
        self._show_status(literal(f"✗ {sentence}" if failed else sentence), failed)

    def _show_status(self, content: Content, failed: bool) -> None:
        status = self.query_one("#status", Static)
        status.set_class(failed, "-failed")
        status.update(content)

    def _draw_head(self) -> None:
        head = Content.assemble(
            Content.styled("reviewer", "bold $foreground"),
            "   ",
            literal_line(
                f"you are {self.rater} · store: {self.database.location}", max(20, self.size.width - 12)
            ),
        )
        self.query_one("#head", Static).update(head)

    def _draw(self) -> None:
        if self.overview is None:
            return
        keys = keys_by_id(self)
        studies, datasets = self.overview.studies, self.overview.datasets
        self.set_class(not studies, "-empty")
        self.query_one(StudyList).show(studies, self.rater, self._newest)
        self._newest = None
        self.query_one("#empty", Static).update(nothing_yet(bool(datasets), keys))
        self.query_one("#datasets", Static).update(dataset_lines(datasets))
        known = [hint("enter", "review")] if studies else []
        known.append(hints([(keys[name], word) for name, word in _HINTS if name in keys]))
        self.query_one("#keys", Static).update(Content("   ").join(known))

"""The home screen: studies, whose turn it is, and datasets; all other screens open from here."""

from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING, ClassVar

from textual.app import ComposeResult
from textual.binding import BindingType
from textual.containers import Vertical
from textual.content import Content
from textual.widgets import Static

from reviewer.core.errors import ReviewerError, StoreGoneError
from reviewer.core.sanitize import counted
from reviewer.tui.base_app import base_app
from reviewer.tui.in_background import in_background
from reviewer.tui.keys.home_keys import HOME_KEYS, enter_word, home_hints
from reviewer.tui.rendering.literal import literal
from reviewer.tui.screens.app_screen import AppScreen
from reviewer.tui.screens.home_deciding import FinishedStudies, refusal
from reviewer.tui.screens.store_retry import StoreRetry
from reviewer.tui.screens.store_work import (
    REFRESH_SECONDS,
    Overview,
    SeenAudits,
    SeenWarnings,
    StoreWork,
    load_ahead,
)
from reviewer.tui.widgets.bar import bar
from reviewer.tui.widgets.key_hints import keys_by_id
from reviewer.tui.widgets.label import PlainLabel, StatusLine
from reviewer.tui.widgets.store_content import StudyList, dataset_lines, head_line, nothing_yet

if TYPE_CHECKING:
    from reviewer.study.session.rater_progress import StudyProgress
    from reviewer.tui.dialogs.import_source import ImportRequest
    from reviewer.tui.dialogs.new_study import StudyRequest
    from store.database import Database
    from store.overview import DatasetSummary

_READING = "Reading the store …"
_LEAST_DATASETS = 3
_AROUND = 9
"""Lines of the head, two titles, a status of two lines, the keys, and blank lines between them."""


class HomeScreen(AppScreen):
    """The first screen when no study is named.

    What a key needs is loaded in the background once the store was read, so that the start is fast.
    """

    SIDES = 4
    BINDINGS: ClassVar[list[BindingType]] = [*HOME_KEYS]
    DEFAULT_CSS = """
    HomeScreen {
        background: $background; padding: 0 1; overflow: hidden;
        .title { height: 1; margin-top: 1; padding: 0 1; text-style: bold; color: $foreground 60%; }
        #datasets { height: auto; padding: 0 1; color: $foreground 85%; }
        #empty { height: 1fr; padding: 0 1; content-align: center middle; display: none; }
        &.-empty #empty { display: block; }
        &.-empty StudyList, &.-empty #studies-title { display: none; }
        &.-bare #datasets, &.-bare #datasets-title { display: none; }
        #foot { dock: bottom; height: auto; }
        StatusLine { min-height: 1; }
    }
    """

    def __init__(self, database: "Database", rater: str) -> None:
        super().__init__()
        self.database, self.rater = database, rater
        self.overview: Overview | None = None
        self.audits: dict[str, str] = {}
        self._hidden: frozenset[str] | None = None
        """The datasets whose generators this rater may not see; None until it is known."""
        self._newest: str | None = None
        self._said = ""
        self.work = StoreWork(database)
        # Home shows the same after a wait as before, so no key was meant for something else.
        self._store = StoreRetry(self, self.say, dropped=lambda keys: None)
        self._finished = FinishedStudies(self, self._store)

    def compose(self) -> ComposeResult:
        """Studies, datasets, the latest status, keys."""
        yield Static(id="head")
        yield Static(literal("Studies"), classes="title", id="studies-title")
        yield StudyList()
        yield Static(literal(_READING), id="empty")
        yield Static(literal("Datasets"), classes="title", id="datasets-title")
        yield Static(id="datasets")
        with Vertical(id="foot"):
            yield StatusLine()
            yield PlainLabel(id="keys")

    def on_screen_resume(self) -> None:
        """Read the store again each time the screen comes up."""
        self._draw_head()
        if self.overview is None:
            self.say(_READING)
        self.read_store()

    def on_mount(self) -> None:
        """Look regularly whether others have answered."""
        self.set_interval(REFRESH_SECONDS, self.look_again)

    def look_again(self) -> None:
        """Read the store again if somebody has changed anything."""
        if self.is_current:
            in_background(self, "look", self.work.read_changed, self._show_changed, self._fail)

    # -- reading -----------------------------------------------------------------------------------

    def read_store(self) -> None:
        """Read studies and datasets, and draw them."""
        in_background(self, "read", self.work.read, self._show_overview, self._fail)

    def _show_changed(self, overview: Overview | None) -> None:
        if overview is not None:
            self._show_overview(overview)

    def _show_overview(self, overview: Overview) -> None:
        """Draw the contents of the store."""
        if self.overview is None:
            self.say("")
        self.overview = overview
        refused = self._said and self._refusal() == self._said
        self._draw()
        if refused and self._refusal() != self._said:
            self.say("")  # it told how far raters were
        # Opening the store takes longer than painting; it comes after.
        self.refresh()
        self.call_after_refresh(self._read_warnings, overview)

    def _read_warnings(self, overview: Overview) -> None:
        read = partial(self.work.warnings, overview.studies, self.rater)
        in_background(self, "warnings", read, self._show_warnings, self.complain)

    def _refusal(self) -> str | None:
        """Why this rater may not see the answers of others in the highlighted study as it is listed."""
        progress = self.query_one(StudyList).chosen
        return self._finished.refusal_of(progress) if progress else None

    def _show_warnings(self, seen: SeenWarnings) -> None:
        """Mark the raters about whom there are warnings, unless somebody else is here now."""
        if seen.person == self.rater:
            self.query_one(StudyList).warn(seen.warnings, seen.claims)
        if self.overview is not None:
            read = partial(self.work.audits, self.overview.studies, self.rater)
            in_background(self, "audits", read, self._show_audits, self._fail_audits)

    def _show_audits(self, read: SeenAudits) -> None:
        """Add the result of its audit, and who wrote it, to each dataset."""
        self.audits = read.audits
        if read.person == self.rater:
            self._hidden = read.hidden
        self._draw_datasets()
        self._load_ahead()

    def _fail_audits(self, error: ReviewerError) -> None:
        self.complain(error)
        self._load_ahead()

    def _load_ahead(self) -> None:
        """Load what keys need once everything is read, so that they need not wait for it."""
        self.run_worker(load_ahead, thread=True, group="ahead")

    def _fail(self, error: ReviewerError) -> None:
        """Show the error; where the store is gone, offer to write saved work to files."""
        gone = isinstance(error, StoreGoneError)
        if gone and self._store.offered_files:
            return  # said already; the status line now shows the written files
        self.complain(error)
        if gone:
            self._store.store_gone()

    # -- keys --------------------------------------------------------------------------------------

    def on_option_list_option_highlighted(self) -> None:
        """Show the keys for this study."""
        self._draw_keys()

    def on_study_list_chosen(self, message: StudyList.Chosen) -> None:
        """Open a study's review where this rater stopped, or its progress for a lead who does not rate."""
        progress = self.query_one(StudyList).chosen
        if progress is not None and enter_word(progress, self.rater) == "progress":
            self.action_progress()
            return

        from reviewer.exchange.packs.workspace import open_workspace
        from reviewer.tui.screens.review import ReviewScreen

        def open_study() -> None:
            self.database.check_there()
            workspace = open_workspace(self.database, message.study, self.rater)
            session = base_app(self).open_session(workspace, message.study, self.rater)
            self.say("")
            self.app.push_screen(ReviewScreen(session, workspace.syncer))

        self.say(f"Opening {message.study} …")

        self._store.once_painted(partial(self._store.run, open_study, self.complain))

    def action_close(self) -> None:
        """Ask why, then close the study, or open it again."""
        if progress := self._chosen():
            self._finished.close_or_reopen(progress)

    def action_decide(self) -> None:
        """Open the disputes once all answers are in."""
        if progress := self._chosen():
            self._finished.decide(progress)

    def action_final(self) -> None:
        """Show where this rater differs from the final labels."""
        if progress := self._chosen():
            self._finished.compare(progress)

    def action_progress(self) -> None:
        """Show how far the raters are, with warnings for the study's lead."""
        from reviewer.tui.screens.study_progress import StudyProgressScreen

        if progress := self._chosen():
            self.say("")
            self.app.push_screen(StudyProgressScreen(self.database, progress.study.name, self.rater))

    def _chosen(self) -> "StudyProgress | None":
        progress = self.query_one(StudyList).chosen
        if progress is None:
            self.say("There is no study yet.", failed=True)
        return progress

    def action_new_study(self) -> None:
        """Ask for a design, and draw the study."""
        from reviewer.results.case_strata import strata_of
        from reviewer.study.design.study_creation import StudyPlanner, create_study
        from reviewer.tui.dialogs.new_study import NewStudyDialog

        if self.overview is None or not self.overview.datasets:
            self.say("A study draws from a dataset, and there is none yet; import one first.", failed=True)
            return
        create = partial(create_study, self.database, lead=self.rater)
        plan = StudyPlanner(self.database).plan
        strata = partial(strata_of, self.database, person=self.rater)
        dialog = NewStudyDialog(self.overview.datasets, create, plan, strata=strata)
        self.app.push_screen(dialog, self._drawn)

    def _drawn(self, request: "StudyRequest | None") -> None:
        if request is not None:
            self._newest = request.name
            self.say(f"✓ study {request.name} is drawn; enter opens it")
            self.read_store()

    def action_import_source(self) -> None:
        """Ask what to import, and import it in the background."""
        from reviewer.protocols.registry import protocols_of
        from reviewer.tui.dialogs.import_source import ImportDialog

        self.app.push_screen(ImportDialog(protocols_of(self.database)), self._import)

    def _import(self, request: "ImportRequest | None") -> None:
        if request is not None:
            self.say(f"Reading {request.path.name} …")
            moved = partial(self.call_later, self._show_import)
            self.begin_files(self.work.import_source, request, self.rater, moved)

    def _show_import(self, dataset: str, done: int, total: int) -> None:
        """Show the progress of the import."""
        text = literal(f"  importing {dataset}: {done:,} of {counted(total, 'case')}")
        self.query_one(StatusLine).show(Content.assemble(bar(done, total, 20), text))

    def begin_files(self, work: Callable[..., str], *what: object) -> None:
        """Read or write files in the background; then show the result, and read the store again."""
        in_background(self, "files", partial(work, *what), self._show_done, self.complain, exclusive=False)

    def _show_done(self, sentence: str) -> None:
        self.say(f"✓ {sentence}")
        self.read_store()

    def action_cases(self) -> None:
        """Open the cases screen."""
        from reviewer.tui.screens.case_list import CasesScreen

        self.app.push_screen(CasesScreen(self.database))

    def action_audit(self) -> None:
        """Ask for a dataset if there are several, then show the findings of its audit."""
        datasets = self.overview.datasets if self.overview else []
        none = "There is no dataset yet to audit; import one first."
        self._choose(datasets, none, "audit of", self._audit)

    def _choose(
        self,
        datasets: "Sequence[DatasetSummary]",
        none: str,
        title: str,
        then: "Callable[[DatasetSummary | None], None]",
    ) -> None:
        """Go on with the only dataset, or ask for one of several; where there is ``none``, say so."""
        from reviewer.tui.dialogs.filter import FilterDialog, Offer

        if not datasets:
            self.say(none, failed=True)
        elif len(datasets) == 1:
            then(datasets[0])
        else:
            offers = [Offer(one.name, one.cases, one) for one in datasets]
            self.app.push_screen(FilterDialog(title, offers), then)

    def _audit(self, chosen: "DatasetSummary | None") -> None:
        from reviewer.study.session.blinding import Influence, why_not_influence
        from reviewer.tui.screens.audit_screen import AuditScreen  # the checks take a moment to load

        if chosen is None or self.overview is None:
            return
        studies, shown = self.overview.studies, Influence.FINDINGS
        if reason := refusal(why_not_influence, self.database, studies, self.rater, chosen.name, shown):
            self.say(reason)
            return
        self.say("")
        self.app.push_screen(AuditScreen(self.database, chosen, self.rater))

    def action_library(self) -> None:
        """Ask for a library if there are several, then show its entries."""
        from reviewer.protocols.registry import protocols_of

        protocols = protocols_of(self.database)
        libraries = [
            one
            for one in (self.overview.datasets if self.overview else [])
            if (known := protocols.usable(one.protocol)) is not None and known.library_plan() is not None
        ]
        none = "There is no library among the datasets; import one first."
        self._choose(libraries, none, "library", self._open_library)

    def _open_library(self, chosen: "DatasetSummary | None") -> None:
        from reviewer.tui.screens.library_screen import LibraryScreen

        if chosen is not None:
            self.say("")
            self.app.push_screen(LibraryScreen(self.database, chosen.name, self.rater))

    def action_runs(self) -> None:
        """Open the runs that ask models, to see, start, stop and resume them."""
        from reviewer.tui.screens.runs_screen import RunsScreen  # numpy takes a fifth of a second to load

        self.app.push_screen(RunsScreen(self.database, self.rater))

    def action_export(self) -> None:
        """Export the highlighted study, if this rater may see the others' answers."""
        if progress := self._chosen():
            self._finished.export(progress)

    def action_report(self) -> None:
        """Write the report of the highlighted study, if this rater may see the others' answers."""
        if progress := self._chosen():
            self._finished.report(progress)

    def action_agreement(self) -> None:
        """Open the agreement of the highlighted study, if this rater may see it."""
        progress = self.query_one(StudyList).chosen
        if progress is None:
            self.say("There is no study yet whose agreement could be shown.", failed=True)
            return
        reason = self._finished.refusal_of(progress)
        if reason is None and not any(rater.done for rater in progress.raters):
            reason = "Nobody has answered anything in this study yet."
        if reason is not None:
            self.say(reason)
            return
        from reviewer.tui.screens.agreement_screen import (
            AgreementScreen,  # numpy takes a fifth of a second to load
        )

        self.say("")
        self.app.push_screen(AgreementScreen(self.database, progress.study.name, self.rater))

    def action_change_rater(self) -> None:
        """Ask for the rater's name."""
        from reviewer.tui.dialogs.rater_name import RaterDialog

        self.app.push_screen(RaterDialog(self.rater), self._rename)

    def _rename(self, rater: str | None) -> None:
        if rater is not None:
            self.rater, self._hidden = rater, None
            base_app(self).keep_setting("name", rater)
            self.query_one(StudyList).warn({})
            self._draw()
            self.read_store()

    def action_keys(self) -> None:
        """Show all keys with their effects."""
        from reviewer.tui.dialogs.key_sheet import KeySheet

        does = {
            None: "",
            "review": "Review this study",
            "progress": "See how far the raters of this study are",
        }
        progress = self.query_one(StudyList).chosen
        enter = does[enter_word(progress, self.rater) if progress else None]
        self.app.push_screen(KeySheet.of(self, enter=enter))

    def action_leave(self) -> None:
        """Quit."""
        self.app.exit()

    # -- painting ----------------------------------------------------------------------------------

    def say(self, sentence: str, failed: bool = False) -> None:
        """Put a sentence on the status line."""
        self._said = sentence
        self.query_one(StatusLine).say(sentence, failed)

    def on_resize(self) -> None:
        """Draw the lines for the new width."""
        self._draw()

    def _draw(self) -> None:
        """Draw everything that was read so far."""
        self._draw_head()
        if self.overview is None:
            return
        datasets = self.overview.datasets
        self.set_class(not self.overview.studies, "-empty")
        self.set_class(not datasets, "-bare")
        self.query_one(StudyList).show(self.overview.studies, self.rater, self._newest)
        self._newest = None
        self.query_one("#empty", Static).update(nothing_yet(bool(datasets), keys_by_id(self)))
        self._draw_datasets()
        self._draw_keys()

    def _draw_head(self) -> None:
        datasets = self.overview.datasets if self.overview else []
        head = head_line(self.rater, self.database.location, datasets, self.room)
        self.query_one("#head", Static).update(head)

    def _draw_datasets(self) -> None:
        if self.overview is not None:
            height = self.app.size.height
            most = max(_LEAST_DATASETS, height // 5)
            lines = dataset_lines(self._shown_datasets, self.audits, self.room, most)
            self.query_one("#datasets", Static).update(lines)
            self.query_one(StudyList).styles.max_height = (
                height - _AROUND - min(most, len(self.overview.datasets))
            )

    @property
    def _shown_datasets(self) -> "list[DatasetSummary]":
        """The datasets, without the generators of those whose cases this rater still has to answer."""
        datasets, hidden = self.overview.datasets if self.overview else [], self._hidden
        return [
            replace(one, generators=()) if hidden is None or one.name in hidden else one for one in datasets
        ]

    def _draw_keys(self) -> None:
        if self.overview is not None:
            chosen, has_datasets = self.query_one(StudyList).chosen, bool(self.overview.datasets)
            line = home_hints(chosen, self.rater, has_datasets, keys_by_id(self), self.room)
            self.query_one("#keys", PlainLabel).put(line)

"""The audit of a dataset: findings by check at the left, the case of the chosen one at the right."""

from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import partial
from typing import ClassVar

from textual.app import ComposeResult
from textual.binding import BindingType
from textual.containers import Horizontal, Vertical
from textual.content import Content
from textual.timer import Timer
from textual.widgets import OptionList, Static

from reviewer.core.check_result import check_words
from reviewer.core.errors import ReviewerError
from reviewer.core.sanitize import counted
from reviewer.protocols.base import DatasetFinding
from reviewer.runs.audit.audit_findings import (
    AuditFindings,
    Wanted,
    case_of_finding,
    narrowed_by,
    read_findings,
)
from reviewer.runs.audit.check_texts import has_logic
from reviewer.runs.check.dataset_findings import dismiss_finding, findings_and_texts
from reviewer.study.design.study_creation import StudyPlanner, create_study
from reviewer.tui.dialogs.dismissal import (
    bulk_dialog,
    dataset_dismissal_dialog,
    dismissal_dialog,
    open_ones,
    reasons_for,
)
from reviewer.tui.dialogs.filter import FilterDialog, Offer
from reviewer.tui.dialogs.new_study import NewStudyDialog, StudyRequest
from reviewer.tui.dialogs.search_dialog import SearchDialog
from reviewer.tui.in_background import in_background
from reviewer.tui.keys.audit_keys import AUDIT_KEYS, audit_hints
from reviewer.tui.keys.workbench_keys import REPAIR_KEY
from reviewer.tui.rendering.literal import literal, literal_line
from reviewer.tui.screens.app_screen import AppScreen
from reviewer.tui.screens.audit_words import (
    filters,
    how_much,
    nothing_due,
    nothing_words,
    progress_words,
    whole_lines,
)
from reviewer.tui.screens.audit_work import AuditMoved, AuditWork
from reviewer.tui.screens.finding import FindingScreen
from reviewer.tui.screens.history import HISTORY_KEY, open_history
from reviewer.tui.screens.store_retry import StoreRetry
from reviewer.tui.widgets.bar import bar
from reviewer.tui.widgets.finding_content import FindingPanel, check_head, finding_items
from reviewer.tui.widgets.item_list import ItemList
from reviewer.tui.widgets.key_hints import keys_by_id
from reviewer.tui.widgets.label import PlainLabel, StatusLine
from reviewer.tui.workbench.opening import open_workbench
from store.database import Database
from store.dismissals import dismiss, dismiss_each, restore
from store.findings import PlacedFinding
from store.overview import DatasetSummary

# Nobody reads a longer list, people filter it; and each line takes a little time.
_MOST = 5_000
_TALL = 30
_LONGEST_LINE = 400
_PAUSE = 0.2
"""Seconds after the last key until a search lists what it found: listing thousands takes a moment."""


class AuditScreen(AppScreen):
    """Shows an author what the audit found; enter shows one finding with its case on a whole screen."""

    BINDINGS: ClassVar[list[BindingType]] = [*AUDIT_KEYS, HISTORY_KEY, REPAIR_KEY]
    DEFAULT_CSS = """
    AuditScreen {
        background: $background;
        #left { width: 32%; max-width: 56; }
        #whole { height: auto; padding: 0 1; }
        #check { height: auto; max-height: 9; padding: 0 1; }
        ItemList, ItemList:focus {
            border: round $line; padding: 0; border-title-color: $foreground;
        }
        ItemList:focus { border: round $line-strong; }
        &.-nothing Horizontal { display: none; }
    }
    """

    def __init__(self, database: Database, summary: DatasetSummary, person: str) -> None:
        super().__init__()
        self.database, self.dataset = database, summary.name
        self._summary, self._person = summary, person
        self.wanted = Wanted()
        self._findings: AuditFindings | None = None
        self._shown: Sequence[PlacedFinding] = ()
        self._whole: Sequence[DatasetFinding] = ()
        self._done = ""
        self._listing: Timer | None = None
        self._finding_screen: FindingScreen | None = None
        self._work = AuditWork(database, self.dataset, partial(self.call_later, self._show_moved))
        self._store = StoreRetry(self, self.say)

    def compose(self) -> ComposeResult:
        """Numbers, findings and case, the latest notice, keys."""
        yield Static(literal_line(f"{self.dataset} · audit", 100), id="head")
        yield Static(id="whole")
        with Horizontal():
            with Vertical(id="left"):
                yield Static(id="check")
                yield ItemList()
            yield FindingPanel()
        yield Static(literal("Reading what was found …"), id="nothing")
        yield StatusLine()
        yield PlainLabel(id="keys")

    def on_mount(self) -> None:
        """Read in the background."""
        self.add_class("-nothing")
        self._draw_whole()
        self._read()

    def on_unmount(self) -> None:
        """Leaving the screen stops the audit."""
        self._work.stop()

    def on_screen_resume(self) -> None:
        """Highlight the finding that was shown last, and read again what was dismissed."""
        if self._finding_screen is not None:
            self.query_one(ItemList).highlighted = self._finding_screen.index
            self._finding_screen = None
            self._read_findings()

    def on_case_changed(self) -> None:
        """Read again what was found: a case was repaired, reverted or withdrawn."""
        self._read()

    # -- results of background work ------------------------------------------------------------

    def _read(self) -> None:
        """Read the findings on cases, and run the checks of the whole dataset, which read all its cases."""
        self._read_findings()
        findings = partial(findings_and_texts, self.database, self.dataset)
        in_background(self, "dataset", findings, self._show_whole, self.complain)

    def _read_findings(self) -> None:
        """Read in the background: thousands of findings take a moment."""
        findings = partial(read_findings, self.database, self.dataset)
        in_background(self, "findings", findings, self._show_findings, self.complain)

    def _show_findings(self, findings: AuditFindings) -> None:
        """List the findings that pass the filter."""
        self._findings = findings
        self._list()

    def _show_whole(self, findings: Sequence[DatasetFinding]) -> None:
        """Show the findings on the dataset as a whole above those on its cases."""
        self._whole = findings
        self._draw_whole()
        self._draw_keys()

    def _show_moved(self, moved: AuditMoved) -> None:
        """Show the progress of the audit."""
        words = literal(f"  {progress_words(moved.done, moved.total, moved.seconds, moved.worst)}")
        self.query_one(StatusLine).show(Content.assemble(bar(moved.done, moved.total, 20), words))

    def _show_audited(self, altered: str) -> None:
        """Read what was found, and name the cases that could not be audited."""
        self._read()
        if altered:
            self.say(altered, failed=True)

    # -- keys --------------------------------------------------------------------------------------

    def on_option_list_option_highlighted(self, event: OptionList.OptionHighlighted) -> None:
        """Show the highlighted finding with its case."""
        if event.option_index < len(self._shown):
            placed = self._shown[event.option_index]
            if self._findings is not None:
                head = check_head(placed, self._findings.protocol, short=self.size.height < _TALL)
                self.query_one("#check", Static).update(head)
            try:
                self.query_one(FindingPanel).show(placed, case_of_finding(self.database, placed))
            except ReviewerError as error:
                self.complain(error)

    def on_option_list_option_selected(self, event: OptionList.OptionSelected) -> None:
        """Show the findings from here on, each on a whole screen."""
        event.stop()
        if self._findings is None:
            return
        self._finding_screen = FindingScreen(
            self.database, self._findings.protocol, self._shown, event.option_index, self._person
        )
        self.app.push_screen(self._finding_screen)

    def action_dismiss_finding(self) -> None:
        """Ask why the finding is dismissed; a dismissed one is restored at once."""
        placed = self._current
        if placed is None:
            return
        if not placed.finding.tested:
            self.say("This check was not tested, so there is nothing to dismiss.")
            return
        if placed.dismissal is not None:
            self._change(partial(restore, self.database, placed.finding, self._person))
        else:
            self.app.push_screen(dismissal_dialog(placed.finding.check), partial(self._dismiss, placed))

    def _dismiss(self, placed: PlacedFinding, why: str | None) -> None:
        if why is not None:
            self._change(lambda: dismiss(self.database, placed.finding, self._person, why))

    def action_dismiss_all(self) -> None:
        """Ask for one reason to dismiss every finding that is listed."""
        if found := open_ones(self._shown):
            self.app.push_screen(bulk_dialog(found), partial(self._dismiss_all, found))
        else:
            self.say("No open finding is listed, so there is nothing to dismiss.")

    def _dismiss_all(self, found: Sequence[PlacedFinding], why: str | None) -> None:
        if why is not None:
            reasons = reasons_for(found, why)
            done = f"✓ saved  {counted(len(reasons), 'finding')} dismissed"
            self._change(partial(dismiss_each, self.database, reasons, self._person), done)

    def action_whole(self) -> None:
        """Choose a finding about the whole dataset: dismiss it with a reason, or restore a dismissed one."""
        offers = [
            Offer(check_words(finding.check), None, finding, holds=finding.dismissal is not None)
            for finding in self._whole
            if finding.state == "failed"
        ]
        if offers:
            dialog = FilterDialog("dismiss (✓: dismissed, is restored)", offers)
            self.app.push_screen(dialog, self._chosen_of_dataset)
        else:
            self.say("Nothing is found about the dataset as a whole, so there is nothing to dismiss.")

    def _chosen_of_dataset(self, finding: DatasetFinding | None) -> None:
        if finding is None:
            return
        keep = partial(dismiss_finding, self.database, self.dataset, finding, self._person)
        if finding.dismissal is not None:
            self._change(partial(keep, None), "✓ saved  the finding about the dataset stands again")
            return

        def given(why: str | None) -> None:
            if why is not None:
                self._change(partial(keep, why), "✓ saved  1 finding about the dataset dismissed")

        self.app.push_screen(dataset_dismissal_dialog(finding.check), given)

    def _change(self, operation: Callable[[], object], done: str = "") -> None:
        def do() -> None:
            operation()
            self._done = done
            self._read()

        self._store.run(do, self.complain)

    def action_next(self) -> None:
        """Show the next finding."""
        self._step(1)

    def action_previous(self) -> None:
        """Show the finding before."""
        self._step(-1)

    def _step(self, by: int) -> None:
        items = self.query_one(ItemList)
        if items.option_count:
            items.highlighted = max(0, min((items.highlighted or 0) + by, items.option_count - 1))

    def action_find(self) -> None:
        """List only findings with some words, while they are typed."""
        hint = "words that a finding must have"
        self.app.push_screen(SearchDialog(self.wanted.text, self._find, placeholder=hint), self._found)

    def _find(self, words: str) -> str:
        """Count the findings with these words, and list them once nobody types for a moment."""
        self.wanted = replace(self.wanted, text=words.strip())
        found = self._findings.found if self._findings else ()
        if self._listing is not None:
            self._listing.stop()
        self._listing = self.set_timer(_PAUSE, partial(self._list, 0))
        return counted(sum(map(self.wanted.takes, found)), "finding")

    def _found(self, words: str | None) -> None:
        if self._listing is not None:
            self._listing.stop()
        self._narrow(replace(self.wanted, text=words or ""))

    def action_only(self) -> None:
        """Ask which findings to show."""
        if self._findings is not None:
            counts = narrowed_by(self._findings.found)
            self.app.push_screen(FilterDialog("filter", filters(self.wanted, counts)), self._narrow)

    def action_history(self) -> None:
        """Open the history of the case of the finding."""
        if placed := self._current:
            open_history(self, self.database, placed.place, self._person, self._refuse)

    def action_repair(self) -> None:
        """Open the case of the finding in the workbench."""
        if placed := self._current:
            open_workbench(self, self.database, placed.place, self._person, self._refuse, placed.finding)

    def action_other_panes(self) -> None:
        """Show the other panes of the case."""
        self.query_one(FindingPanel).other_panes()

    def action_everything(self) -> None:
        """Show all open findings."""
        self._narrow(Wanted())

    def _narrow(self, wanted: Wanted | None) -> None:
        if wanted is not None:
            self.wanted = wanted
            self._list(0)

    def action_study(self) -> None:
        """Draw a study from the cases of the listed findings."""
        digests = frozenset(placed.place.case for placed in self._shown)
        if digests:
            create = partial(create_study, self.database, lead=self._person)
            plan = StudyPlanner(self.database).plan
            self.app.push_screen(NewStudyDialog([self._summary], create, plan, digests), self._drawn)

    def _drawn(self, request: StudyRequest | None) -> None:
        if request is not None:
            self.say(f"✓ study {request.name} is drawn; it is on the home screen")

    def action_run(self) -> None:
        """Audit the cases that were not audited yet, or only by earlier checks."""
        findings = self._findings
        if findings is None or self._audits:
            return
        if not findings.due:
            self.say(nothing_due(findings))
            return
        self.say("Starting SWI-Prolog …" if has_logic(findings.protocol) else "Auditing …")
        in_background(self, "audit", self._work.run, self._show_audited, self.complain)

    @property
    def _audits(self) -> bool:
        """Whether an audit runs."""
        return any(worker.group == "audit" and not worker.is_finished for worker in self.workers)

    # -- painting ----------------------------------------------------------------------------------

    def on_resize(self) -> None:
        """Show the keys and the findings about the dataset that fit."""
        self._draw_keys()
        self._draw_whole()

    @property
    def _current(self) -> PlacedFinding | None:
        return self.query_one(ItemList).chosen_of(self._shown)

    def _list(self, highlight: int | None = None) -> None:
        findings = self._findings
        if findings is None:
            return
        self._shown = [placed for placed in findings.found if self.wanted.takes(placed)]
        listed = self._shown[:_MOST]
        items = self.query_one(ItemList)
        items.border_title = literal_line(f"only {self.wanted.words}", 50) if self.wanted.words else ""
        items.show(finding_items(listed), highlight)
        self.set_class(not self._shown, "-nothing")
        self.query_one("#nothing", Static).update(nothing_words(findings, self.wanted, keys_by_id(self)))
        self.query_one("#head", Static).update(literal(how_much(findings, self._shown, _MOST)))
        self.say(self._done)
        self._done = ""
        self._draw_keys()
        if self._shown and self.is_current:
            items.focus()

    def _draw_whole(self) -> None:
        whole, (width, height) = self.query_one("#whole", Static), self.app.size
        whole.display = bool(self._whole)
        limit = max(20, width - 2) if height < _TALL else _LONGEST_LINE
        whole.update(whole_lines(self._whole, self.dataset, max(2, height // 6), limit))

    def _draw_keys(self) -> None:
        findings = self._findings
        line = audit_hints(
            keys_by_id(self),
            self.room,
            filtered=bool(self.wanted.words),
            due=bool(findings and findings.due),
            any_shown=bool(self._shown),
            any_found=bool(findings and findings.found),
            any_whole=any(finding.state == "failed" for finding in self._whole),
            repairs=bool(findings and findings.protocol.repairs()),
        )
        self.query_one("#keys", PlainLabel).put(line)

    def _refuse(self, sentence: str) -> None:
        self.say(sentence, failed=True)

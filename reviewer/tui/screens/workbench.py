"""The workbench: the texts and programs of one case as editors, and the effect of each change."""

from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import replace
from functools import partial
from time import monotonic
from typing import ClassVar

from textual.app import ComposeResult, SuspendNotSupported
from textual.binding import BindingType
from textual.containers import Horizontal
from textual.events import DescendantFocus
from textual.timer import Timer
from textual.widgets import Input, Static

from reviewer.core.check_result import SEVERITIES, check_words
from reviewer.core.errors import ReviewerError
from reviewer.protocols.registry import protocols_of
from reviewer.runs.repair.repair_session import RepairSession
from reviewer.runs.repair.trial import TextComparison, source_faults
from reviewer.study.session.content_rights import why_not_change
from reviewer.tui.base_app import base_app
from reviewer.tui.dialogs.proposed_contents import CandidatesDialog
from reviewer.tui.dialogs.text_dialog import SaveRepairDialog
from reviewer.tui.keys.workbench_keys import WORKBENCH_KEYS, workbench_hints
from reviewer.tui.rendering.pane_text import PaneText
from reviewer.tui.screens.app_screen import AppScreen
from reviewer.tui.screens.store_retry import StoreRetry
from reviewer.tui.widgets.key_hints import keys_by_id
from reviewer.tui.widgets.label import PlainLabel, StatusLine
from reviewer.tui.widgets.text_pane import TextPane
from reviewer.tui.workbench.background import ProposedContent, TrialRequest, TriedTexts, WorkbenchWork
from reviewer.tui.workbench.editor import MOST_CHARACTERS, Editor, EditorGrid
from reviewer.tui.workbench.external_editor import edit_outside, editor_command
from reviewer.tui.workbench.trial_lines import TrialView, beside_pane, result_lines
from store.records import Case, Finding, Proposer

AFTER_KEY_SECONDS = 0.3
"""How long the screen waits after the last key before it runs the programs."""
_DRAFT_SECONDS = 2.0
_TWO_PANES_FROM = 120


class WorkbenchScreen(AppScreen):
    """Edits one case. Nothing is saved before the person says so with a reason."""

    BINDINGS: ClassVar[list[BindingType]] = [*WORKBENCH_KEYS]
    DEFAULT_CSS = """
    WorkbenchScreen {
        background: $background;
        EditorGrid { height: 5fr; }
        #lower { height: 2fr; min-height: 6; }
        &.-one EditorGrid { height: 4fr; }
        &.-one #lower { height: 3fr; }
        #differences { display: none; }
        &.-wide #differences { display: block; }
        #query, #query:focus { display: none; height: 1; border: none; padding: 0 1; background: $fill; }
        &.-asking #query { display: block; }
    }
    """

    def __init__(
        self, session: RepairSession, finding: Finding | None, changed: Callable[[], object]
    ) -> None:
        """``finding``: what the person wants to repair; ``changed`` is called after each save."""
        super().__init__()
        self.session = session
        self._finding = finding if finding and finding.case == session.stored.digest else None
        self._grid = EditorGrid(session.panes)
        self._background = WorkbenchWork(self, session, changed)
        self._store = StoreRetry(self, self.say)
        self._shown, self._tried = TrialView(), TriedTexts(TrialRequest({}))
        self._goal, self._beside = "", 0
        self._wait: Timer | None = None
        self._saves_next, self._kept_at = False, monotonic()

    def compose(self) -> ComposeResult:
        """Head, editors, what changed, the query, the latest notice, keys."""
        self._fit()  # before there are editors to style again
        yield Static(id="head")
        yield self._grid
        with Horizontal(id="lower"):
            yield TextPane(id="result")
            yield TextPane(id="differences")
        yield Input(
            placeholder="a goal; enter puts it to both programs, and all its solutions are shown above",
            id="query",
        )
        yield StatusLine()
        yield PlainLabel(id="keys")

    def on_mount(self) -> None:
        """Bring the draft back, run both programs, and go to the editor of the finding, or to the first."""
        if draft := self.session.drafts.left:
            for editor in self._grid.editors:
                editor.put(draft.texts.get(editor.key, editor.text))
        elif self._finding:
            self._grid.go_to(self._finding)
        self._grid.lay_out(*self.app.size)
        self.say(self.session.left_words or self._finding_words)
        self._grid.current.focus()
        self._try()

    @property
    def _finding_words(self) -> str:
        """The finding that the person wants to repair, or nothing."""
        finding = self._finding
        return f"{finding.severity} · {check_words(finding.check)}: {finding.why}" if finding else ""

    def on_unmount(self) -> None:
        """Keep what was typed last, and end background work."""
        self._background.close()
        with suppress(ReviewerError):
            self.session.keep_draft(self._grid.texts)
        self.session.drafts.close()

    def on_resize(self) -> None:
        """Lay the editors out for the new size."""
        self._fit()
        self._grid.lay_out(*self.app.size)
        self._draw()

    def _fit(self) -> None:
        self._grid.fit(*self.app.size)
        self.set_class(self.app.size.width >= _TWO_PANES_FROM, "-wide")
        self.set_class(self._grid.has_class("-one"), "-one")

    # -- typing and running ------------------------------------------------------------------------

    def on_text_area_changed(self) -> None:
        """Run the programs once no key has come for a while."""
        if self._wait is not None:
            self._wait.stop()
        self._wait = self.set_timer(AFTER_KEY_SECONDS, self._try)
        self._grid.put_titles()
        if monotonic() - self._kept_at > _DRAFT_SECONDS:
            self._keep_draft()

    def _try(self) -> None:
        self._background.trials.put(TrialRequest(self._grid.texts, self._goal))
        self._keep_draft()

    def _keep_draft(self) -> None:
        self._kept_at = monotonic()
        self._background.drafts.put(self._grid.texts)

    def show_tried(self, tried: TriedTexts) -> None:
        """Show the result of the present texts; results of earlier texts are ignored."""
        if tried.request != TrialRequest(self._grid.texts, self._goal):
            return
        self._tried = tried
        self._shown = TrialView(
            tried.stored,
            tried.trial,
            tried.milliseconds,
            tried.problem,
            *(
                (self._shown.similarities, self._shown.similarity_problem)
                if self._same_case(tried)
                else (None, "")
            ),
            answers=tried.answers,
        )
        self._mark_faults()
        self._draw()
        if tried.trial and any(difference.pane.kind == "prose" for difference in tried.trial.differences):
            self._background.comparisons.put(tried.trial.after.case)
        if self._saves_next:
            self._saves_next = False
            self._ask_reason()

    def _same_case(self, tried: TriedTexts) -> bool:
        """Whether the similarities that are shown are those of this content."""
        before = self._shown.trial
        return bool(before and tried.trial and before.after.case.digest == tried.trial.after.case.digest)

    def show_compared(
        self, case: str, both: tuple[TextComparison, TextComparison] | None, problem: str = ""
    ) -> None:
        """Show the similarities of the stored texts and of a content, unless the texts have changed since."""
        trial = self._shown.trial
        if trial and trial.after.case.digest == case:
            self._shown = replace(self._shown, similarities=both, similarity_problem=problem)
            self._draw()

    def on_editor_too_long(self, message: Editor.TooLong) -> None:
        """Say why a text was not put in."""
        self.say(message.sentence, failed=True)

    # -- moving ------------------------------------------------------------------------------------

    def on_descendant_focus(self, event: DescendantFocus) -> None:
        """Remember which editor is used, and show the keys that work here."""
        if isinstance(event.widget, Editor) and event.widget is not self._grid.current:
            self._grid.current = event.widget
            self._grid.lay_out(*self.app.size)
        self._draw_keys()

    def on_editor_left(self) -> None:
        """Letters are keys again."""
        self.query_one("#result").focus()

    def action_edit(self) -> None:
        """Go back into the editor that was used last."""
        self._grid.current.focus()

    def action_next_editor(self, step: int) -> None:
        """Go to another editor."""
        ordered = self._grid.ordered
        self._grid.current = ordered[(ordered.index(self._grid.current) + step) % len(ordered)]
        self._grid.lay_out(*self.app.size)
        self._grid.current.focus()

    def action_leave(self) -> None:
        """Leave the query, or go back to where the workbench was opened."""
        if self.query_one(Input).has_focus:
            self.remove_class("-asking")
            self.query_one("#result").focus()
            return
        self.dismiss()

    # -- changing ----------------------------------------------------------------------------------

    def action_external_editor(self) -> None:
        """Edit the text in the person's own editor, with this app out of the way."""
        editor = self._grid.current
        try:
            command = editor_command()
            with self.app.suspend():
                edited = edit_outside(command, editor.text, editor.kind, editor.key, MOST_CHARACTERS)
        except ReviewerError as error:
            self.complain(error)
        except SuspendNotSupported:
            self.say("This terminal cannot be handed to another program; edit the text here.", failed=True)
        else:
            self.say(edited.problem, failed=bool(edited.problem))
            if edited.text is not None:
                editor.put(edited.text)

    def action_reset(self) -> None:
        """Put the stored text back into the editor that was used last."""
        self._grid.current.reset()

    def action_reset_all(self) -> None:
        """Put all stored texts back."""
        for editor in self._grid.editors:
            editor.reset()

    def action_undo(self) -> None:
        """Undo in the editor that was used last."""
        self._grid.current.undo()

    def action_redo(self) -> None:
        """Redo in the editor that was used last."""
        self._grid.current.redo()

    def action_query(self) -> None:
        """Ask for a goal."""
        self.add_class("-asking")
        self.query_one(Input).focus()

    def on_input_submitted(self, event: Input.Submitted) -> None:
        """Put the goal to both programs as they are now, and again after every change."""
        self._goal = event.value.strip()
        self._try()

    def action_rules(self) -> None:
        """Try all repairs by rule on the present texts, and offer them."""
        trial = self._tried.trial
        if trial is None:
            self.say("Repairs by rule need the results of both programs; there are none yet.", failed=True)
            return
        self.say("Trying the repairs by rule …")
        self._background.try_rules(trial.after)

    def action_propose(self) -> None:
        """Ask the model for repairs of the worst finding of the present texts."""
        source, trial = base_app(self).proposals, self._tried.trial
        if source is None:
            at = self.session.place.place.dataset
            self.say(f"No model was named. Start with `reviewer repair {at} --model NAME`.", failed=True)
        elif trial is None:
            self.say("A model needs the results of both programs; there are none yet.", failed=True)
        elif not trial.after.failed:
            self.say("A model is asked about a finding, and these texts have none.", failed=True)
        else:
            finding = min(trial.after.failed, key=lambda failed: SEVERITIES.index(failed.severity))
            self.say(f"Asking {source.model} about {check_words(finding.check)} …")
            self._background.ask_model(source, trial.after, finding)

    def offer(self, title: str, candidates: Sequence[ProposedContent], proposer: Proposer) -> None:
        """Offer the repairs of rules or of a model."""
        self.say("")
        protocols = protocols_of(self.session.database)

        def take(number: int | None) -> None:
            trial = candidates[number].trial if number is not None else None
            if trial is not None:
                self._take_over(trial.after.case, candidates[number or 0].name, proposer)

        self.app.push_screen(CandidatesDialog(title, candidates, protocols), take)

    def _take_over(self, case: Case, name: str, proposer: Proposer) -> None:
        """Put a proposed content into the editors, so that undo brings the texts back."""
        self.session.proposals[case.digest] = proposer
        for editor, pane in zip(self._grid.editors, self.session.repairs.editor_panes(case), strict=True):
            editor.put(pane.text)
        self.say(f"The texts are now as “{name}” makes them; ctrl+s saves them.")

    # -- saving ------------------------------------------------------------------------------------

    def action_save(self) -> None:
        """Ask for the reason, once the present texts were run."""
        at = self.session.place.place
        alone = base_app(self).alone
        if reason := why_not_change(self.session.database, at.dataset, self.session.person, in_browser=alone):
            self.say(reason, failed=True)
        elif not any(editor.changed for editor in self._grid.editors):
            self.say("Nothing differs from the stored version, so there is nothing to save.")
        elif self._tried.request.texts == self._grid.texts:
            self._ask_reason()
        else:
            self._saves_next = True
            self._try()

    def _ask_reason(self) -> None:
        if self._tried.pane:
            self.say(self._tried.problem, failed=True)
            return
        both = self._shown.similarities
        of_texts = both[1].new_since(both[0]) if both else ()
        summary = self.session.summary(self._tried.trial, self._tried.problem, of_texts)
        self.app.push_screen(SaveRepairDialog(summary), self._save)

    def _save(self, reason: str | None) -> None:
        if reason is None:
            return
        texts, trial = dict(self._tried.request.texts), self._tried.trial

        def do() -> None:
            candidate = self.session.repairs.edited(self.session.stored, texts)
            revision = self.session.save(candidate, trial, reason)
            for editor, pane in zip(self._grid.editors, self.session.panes, strict=True):
                editor.stored = pane.text
            self.say(f"✓ saved  revision {len(self.session.place.history.revisions)}: {revision.reason}")
            self._background.audit_saved()
            self._try()
            self._draw()

        self._store.run(do, lambda error: self.say(f"not saved: {error}", failed=True))

    # -- painting ----------------------------------------------------------------------------------

    def _mark_faults(self) -> None:
        trial, tried = self._tried.trial, self._tried
        panes = self.session.repairs.editor_panes(trial.after.case) if trial else ()
        faults = source_faults(trial.after, panes) if trial else ()
        for editor in self._grid.editors:
            problem = tried.problem if tried.pane == editor.key else ""
            editor.show_faults([fault for fault in faults if fault.pane == editor.key], problem)

    def action_other_panes(self) -> None:
        """Show the next of: the differences, and the panes of an audit of this content."""
        self._beside += 1
        self._draw()

    def _draw(self) -> None:
        if not self.size.width:
            return
        beside = beside_pane(protocols_of(self.session.database), self._tried.trial, self._beside)
        wide = self.has_class("-wide")
        lines = partial(result_lines, self._shown, None if wide else beside)
        self.query_one("#result", TextPane).show(PaneText("result", 0, "what changed", lines))
        if wide:
            self.query_one("#differences", TextPane).show(beside)
        self._grid.put_titles()
        words = " · draft" if any(editor.changed for editor in self._grid.editors) else ""
        self.put_head(f"{self.session.title}{words}")
        self._draw_keys()

    def _draw_keys(self) -> None:
        typing = isinstance(self.focused, Editor | Input)
        hints = workbench_hints(keys_by_id(self), self.room, typing=typing)
        self.query_one("#keys", PlainLabel).put(hints)

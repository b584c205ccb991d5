"""One finding at a time, above the panes of its case."""

from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import partial
from typing import ClassVar

from textual.binding import Binding, BindingType

from reviewer.core.check_result import check_words
from reviewer.core.pane import Sheet
from reviewer.protocols.base import Protocol
from reviewer.runs.audit.audit_findings import AuditedCase, case_of_finding, finding_panes
from reviewer.runs.audit.check_texts import asks, severity_meaning
from reviewer.tui.dialogs.dismissal import dismissal_dialog
from reviewer.tui.keys.workbench_keys import REPAIR_KEY
from reviewer.tui.rendering.literal import literal
from reviewer.tui.rendering.pane_layout import ROOMY
from reviewer.tui.rendering.pane_text import PaneText
from reviewer.tui.screens.case_screen import CaseScreen, ShownItem, statement
from reviewer.tui.widgets.finding_content import dismissal_words
from reviewer.tui.workbench.opening import open_workbench
from store.database import Database
from store.dismissals import dismiss, restore
from store.findings import PlacedFinding
from store.records import Dismissal

_REPAIR = ("workbench.open", "repair")


class FindingScreen(CaseScreen):
    """Goes from finding to finding, each above its case."""

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding(
            "x",
            "dismiss_finding",
            "dismiss",
            id="audit.dismiss",
            tooltip="Dismiss this finding with a reason, or restore it",
        ),
        REPAIR_KEY,
    ]

    def __init__(
        self,
        database: Database,
        protocol: Protocol,
        found: Sequence[PlacedFinding],
        index: int,
        person: str,
    ) -> None:
        super().__init__(len(found), index, self._finding)
        self._database, self._protocol, self._person = database, protocol, person
        self._found = [*found]
        self._audited: AuditedCase | None = None

    @property
    def _placed(self) -> PlacedFinding:
        """The finding that is shown."""
        return self._found[self.index]

    def _finding(self, index: int) -> ShownItem:
        """Why the check found something, and its case; the key that dismisses or restores comes first."""
        placed, at = self._placed, f"finding {index + 1:,} of {len(self._found):,}"
        word = "bring back" if placed.dismissal else "dismiss"
        return ShownItem(
            index,
            f"{at} · {placed.place.key} · {placed.place.generator}",
            placed.finding.why,
            self._statements(placed),
            self._sheet,
            [("audit.dismiss", word), *([_REPAIR] if self._protocol.repairs() else [])],
        )

    def _statements(self, placed: PlacedFinding) -> list[PaneText]:
        """What the check looks for, what its severity means, and who dismissed the finding."""
        finding = placed.finding
        statements = [
            (check_words(finding.check), asks(self._protocol, finding.check)),
            (placed.severity, severity_meaning(finding.check, placed.severity)),
        ]
        if said := dismissal_words(placed):
            statements.append(("dismissed", said))
        return [statement(part, title, literal(text)) for part, (title, text) in enumerate(statements)]

    def _sheet(self, width: int) -> Sheet:
        """The case with everything that the audit measured on it."""
        placed = self._placed
        if self._audited is None or self._audited.case.digest != placed.place.case:
            self._audited = case_of_finding(self._database, placed)
        sheet = finding_panes(self._audited, placed.finding)
        if width >= ROOMY:
            return sheet
        texts, *evidence = sheet.first or (None,)
        # One pane at a time: the evidence comes before the texts.
        first = (*evidence[:1], *filter(None, (texts,)), *evidence[1:])
        return Sheet(first, sheet.beside)

    # -- keys --------------------------------------------------------------------------------------

    def action_dismiss_finding(self) -> None:
        """Ask why the finding is dismissed; a dismissed one is restored at once."""
        placed = self._placed
        if not placed.finding.tested:
            self.say("This check was not tested, so there is nothing to dismiss.")
        elif placed.dismissal is not None:
            undo = partial(restore, self._database, placed.finding, self._person)
            self._change(undo, "it is open again")
        else:
            self.app.push_screen(dismissal_dialog(placed.finding.check), self._dismiss)

    def action_repair(self) -> None:
        """Open the case in the workbench."""
        placed, refuse = self._placed, partial(self.say, failed=True)
        open_workbench(self, self._database, placed.place, self._person, refuse, placed.finding)

    def on_case_changed(self) -> None:
        """Say that the finding is about the earlier content of the case."""
        self.say("The case was changed. This is the finding on its earlier content.")

    def _dismiss(self, why: str | None) -> None:
        if why is not None:
            self._change(
                partial(dismiss, self._database, self._placed.finding, self._person, why), "dismissed"
            )

    def _change(self, operation: Callable[[], Dismissal | None], done: str) -> None:
        def do() -> None:
            self._found[self.index] = replace(self._placed, dismissal=operation())
            self.draw()
            self.say(f"✓ saved  {done}")

        self.store.run(do, lambda error: self.say(f"not saved – {error}", failed=True))

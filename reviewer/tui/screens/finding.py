"""One finding at a time, above the panes of its case."""

from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import partial
from typing import ClassVar

from textual.binding import Binding, BindingType

from reviewer.core.pane import Sheet
from reviewer.protocols.base import Protocol
from reviewer.runs.audit.audit_findings import (
    AuditedCase,
    case_of_finding,
    check_words,
    severity_words,
)
from reviewer.runs.audit.check_texts import asks, severity_meaning
from reviewer.runs.audit.finding_panes import finding_panes
from reviewer.tui.dialogs.dismissal import DismissalDialog
from reviewer.tui.rendering.literal import literal
from reviewer.tui.rendering.pane_text import PaneText
from reviewer.tui.screens.case_screen import ROOMY, CaseScreen, statement
from reviewer.tui.widgets.finding_content import dismissed_words
from store.database import Database
from store.dismissals import dismiss, restore
from store.findings import PlacedFinding
from store.records import Dismissal


class FindingScreen(CaseScreen):
    """Goes from finding to finding; ``index`` is the position of the one shown."""

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding(
            "x",
            "dismiss_finding",
            "dismiss",
            id="audit.dismiss",
            tooltip="Dismiss this finding with a reason, or restore it",
        )
    ]

    def __init__(
        self,
        database: Database,
        protocol: Protocol,
        found: Sequence[PlacedFinding],
        index: int,
        person: str,
    ) -> None:
        super().__init__()
        self._database, self._protocol = database, protocol
        self._found, self.index, self._person = list(found), index, person
        self._audited: AuditedCase | None = None

    # -- what stands where -------------------------------------------------------------------------

    @property
    def _placed(self) -> PlacedFinding:
        return self._found[self.index]

    def heading(self) -> str:
        """Which finding of how many, on which case."""
        place = self._placed.place
        return f"finding {self.index + 1:,} of {len(self._found):,} · {place.key} · {place.generator}"

    def wording(self) -> str:
        """Why the check found something."""
        return self._placed.finding.why

    def statements(self) -> list[PaneText]:
        """What the check looks for, what its severity means, and who dismissed the finding."""
        finding, dismissal = self._placed.finding, self._placed.dismissal
        statements = [
            (check_words(finding.check), asks(self._protocol, finding.check)),
            (severity_words(self._placed), severity_meaning(finding.check, severity_words(self._placed))),
        ]
        if dismissal:
            statements.append(("✓ dismissed", dismissed_words(dismissal)))
        return [statement(part, title, literal(text)) for part, (title, text) in enumerate(statements)]

    def sheet(self) -> Sheet:
        """The case with everything that the audit measured on it."""
        placed = self._placed
        if self._audited is None or self._audited.case.digest != placed.place.case:
            self._audited = case_of_finding(self._database, placed)
        sheet = finding_panes(self._audited, placed.finding)
        if self.app.size.width >= ROOMY:
            return sheet
        texts, *evidence = sheet.first or (None,)
        # One pane at a time: the evidence comes before the texts.
        first = (*evidence[:1], *filter(None, (texts,)), *evidence[1:])
        return Sheet(first, sheet.beside)

    def step(self, by: int) -> None:
        """Go to another finding of the list."""
        self.index = max(0, min(self.index + by, len(self._found) - 1))

    def hints(self) -> list[tuple[str, str]]:
        """The key that dismisses or restores comes first."""
        word = "bring back" if self._placed.dismissal else "dismiss"
        return [("audit.dismiss", word), *super().hints()]

    # -- keys --------------------------------------------------------------------------------------

    def action_dismiss_finding(self) -> None:
        """Ask why the finding is dismissed; a dismissed one is restored at once."""
        placed = self._placed
        if not placed.finding.tested:
            self.tell("This check was not tested, so there is nothing to dismiss.")
        elif placed.dismissal is not None:
            self._change(partial(restore, self._database, placed.finding), "it is open again")
        else:
            self.app.push_screen(DismissalDialog(check_words(placed.finding.check)), self._dismiss)

    def _dismiss(self, why: str | None) -> None:
        if why is not None:
            self._change(
                partial(dismiss, self._database, self._placed.finding, self._person, why), "dismissed"
            )

    def _change(self, operation: Callable[[], Dismissal | None], done: str) -> None:
        def do() -> None:
            self._found[self.index] = replace(self._placed, dismissal=operation())
            self.draw()
            self.tell(f"✓ saved  {done}")

        self.with_store(do, lambda error: self.tell(f"✗ not saved – {error}", failed=True))

"""Background work of the audit screen: reading findings, and running the audit."""

from threading import Event

from textual import work
from textual.message import Message

from reviewer.core.errors import ReviewerError
from reviewer.protocols.registry import protocols_of
from reviewer.runs.audit.audit_findings import AuditFindings, read_findings
from reviewer.tui.screens.store_retry import StoreRetryScreen
from store.database import Database
from store.findings import cases_in


class _StoppedError(Exception):
    """The person left the screen while the audit ran; its results so far are kept."""


class AuditWork(StoreRetryScreen):
    """Works in threads, and reports through messages only."""

    database: Database
    dataset: str

    def __init__(self) -> None:
        super().__init__()
        self._stop = Event()

    class Read(Message):
        """The findings were read."""

        def __init__(self, findings: AuditFindings) -> None:
            self.findings = findings
            super().__init__()

    class Moved(Message):
        """The audit has finished ``done`` of ``total`` cases."""

        def __init__(self, done: int, total: int) -> None:
            self.done, self.total = done, total
            super().__init__()

    class Failed(Message):
        """Something failed; ``sentence`` says what."""

        def __init__(self, sentence: str) -> None:
            self.sentence = sentence
            super().__init__()

    def on_unmount(self) -> None:
        """Leaving the screen stops the audit. Its results are kept, and the next audit skips these cases."""
        self._stop.set()

    @work(thread=True, exclusive=True, group="findings")
    def read_findings(self) -> None:
        """Read in the background: thousands of findings take a moment."""
        try:
            self.post_message(self.Read(read_findings(self.database, self.dataset)))
        except ReviewerError as error:
            self.post_message(self.Failed(str(error)))

    @work(thread=True, exclusive=True, group="audit")
    def run_audit(self) -> None:
        """Audit every case that was not audited yet; raters' keys do not wait for it."""
        from reviewer.oracle.doctor import without_jail
        from reviewer.oracle.pool import open_executor
        from reviewer.runs.audit.dataset_audit import audit, needs_logic

        try:
            with self.database.read() as session:
                cases = cases_in(session, self.dataset)
            if needs_logic(protocols_of(self.database), cases) and (problem := without_jail()):
                self.post_message(self.Failed(f"{problem} Or run `reviewer audit`, which asks you first."))
                return
            with open_executor() as executor:
                report = audit(self.database, cases, executor, progress=self._tell)
        except _StoppedError:
            return
        except ReviewerError as error:
            self.post_message(self.Failed(str(error)))
        else:
            self.read_findings()
            if report.altered:
                self.post_message(self.Failed(report.altered_words))

    def _tell(self, done: int, total: int) -> None:
        if self._stop.is_set():
            raise _StoppedError
        self.post_message(self.Moved(done, total))

"""What the audit screen has done in the background: reading what was found, and running the audit."""

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
    """The audit was left; what is done is kept."""


class AuditWork(StoreRetryScreen):
    """Works in threads, and speaks through messages only."""

    database: Database
    dataset: str

    def __init__(self) -> None:
        super().__init__()
        self._stop = Event()

    class Read(Message):
        """What the audit found was read."""

        def __init__(self, findings: AuditFindings) -> None:
            self.findings = findings
            super().__init__()

    class Moved(Message):
        """So many cases of so many have been audited."""

        def __init__(self, done: int, total: int) -> None:
            self.done, self.total = done, total
            super().__init__()

    class Failed(Message):
        """Something did not work; ``sentence`` says what."""

        def __init__(self, sentence: str) -> None:
            self.sentence = sentence
            super().__init__()

    def on_unmount(self) -> None:
        """Whoever leaves stops the audit; what is done is kept, and passed over the next time."""
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

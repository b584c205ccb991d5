"""Background work of the audit screen: reading findings, and running the audit."""

import time
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from threading import Event

from textual.message import Message
from textual.screen import Screen

from reviewer.core.check_result import SEVERITIES
from reviewer.core.errors import ReviewerError
from reviewer.protocols.base import DatasetFinding
from reviewer.protocols.registry import protocols_of
from reviewer.runs.audit.audit_findings import AuditFindings, read_findings
from reviewer.runs.check.dataset_findings import findings_and_texts
from store.cases import get_dataset
from store.database import Database
from store.findings import case_pages, count_cases
from store.records import Case, Finding


class _StoppedError(Exception):
    """The person left the screen while the audit ran; its results so far are kept."""


class AuditWork:
    """Works in threads, and reports to its screen through messages only."""

    def __init__(self, screen: Screen[None], database: Database, dataset: str) -> None:
        self._screen, self._database, self._dataset = screen, database, dataset
        self._stop = Event()
        self._began = 0.0
        self._worst = Counter[str]()

    class Read(Message):
        """The findings were read."""

        def __init__(self, findings: AuditFindings) -> None:
            self.findings = findings
            super().__init__()

    class Moved(Message):
        """The audit has finished ``done`` of ``total`` cases in ``seconds``, and found something so far.

        ``worst`` has the number of cases by their worst finding's severity; "" is for no finding.
        """

        def __init__(self, done: int, total: int, seconds: float, worst: Mapping[str, int]) -> None:
            self.done, self.total, self.seconds, self.worst = done, total, seconds, worst
            super().__init__()

    class Failed(Message):
        """Something failed; ``sentence`` says what."""

        def __init__(self, sentence: str) -> None:
            self.sentence = sentence
            super().__init__()

    def stop(self) -> None:
        """Stop the audit. Its results are kept, and the next audit skips these cases."""
        self._stop.set()

    class WholeRead(Message):
        """The checks of the whole dataset were run."""

        def __init__(self, findings: Sequence[DatasetFinding]) -> None:
            self.findings = findings
            super().__init__()

    def read_dataset(self) -> None:
        """Run the checks of the whole dataset in the background: they read all its cases."""
        self._screen.run_worker(self._read_dataset, thread=True, exclusive=True, group="dataset")

    def _read_dataset(self) -> None:
        try:
            self._screen.post_message(self.WholeRead(findings_and_texts(self._database, self._dataset)))
        except ReviewerError as error:
            self._screen.post_message(self.Failed(str(error)))

    def read_findings(self) -> None:
        """Read in the background: thousands of findings take a moment."""
        self._screen.run_worker(self._read, thread=True, exclusive=True, group="findings")

    def _read(self) -> None:
        try:
            self._screen.post_message(self.Read(read_findings(self._database, self._dataset)))
        except ReviewerError as error:
            self._screen.post_message(self.Failed(str(error)))

    @property
    def under_way(self) -> bool:
        """Whether an audit runs."""
        return any(worker.group == "audit" and not worker.is_finished for worker in self._screen.workers)

    def run_audit(self) -> None:
        """Audit every case that was not audited yet; raters' keys do not wait for it."""
        self._began, self._worst = time.monotonic(), Counter[str]()
        self._screen.run_worker(self._audit, thread=True, exclusive=True, group="audit")

    def _audit(self) -> None:
        from reviewer.oracle.doctor import without_jail
        from reviewer.oracle.program_runner import local_runner
        from reviewer.runs.audit.dataset_audit import MARK, audit, needs_logic

        try:
            with self._database.read() as session:
                expected = count_cases(session, self._dataset, without_mark=MARK)
                reference = get_dataset(session, self._dataset).protocol
            protocol = protocols_of(self._database).named(reference)
            if needs_logic(protocols_of(self._database), self._pages()) and (problem := without_jail()):
                self._screen.post_message(
                    self.Failed(f"{problem} Or run `reviewer audit`, which asks you first.")
                )
                return
            with local_runner() as runner:
                report = audit(
                    self._database,
                    self._pages(),
                    runner,
                    progress=self._tell,
                    found=self._count,
                    protocol=protocol,
                    expected=expected,
                )
        except _StoppedError:
            return
        except ReviewerError as error:
            self._screen.post_message(self.Failed(str(error)))
        else:
            self.read_findings()
            self.read_dataset()
            if report.altered:
                self._screen.post_message(self.Failed(report.altered_words))

    def _pages(self) -> Iterator[list[Case]]:
        return case_pages(self._database, self._dataset)

    def _tell(self, done: int, total: int) -> None:
        if self._stop.is_set():
            raise _StoppedError
        seconds = time.monotonic() - self._began
        self._screen.post_message(self.Moved(done, total, seconds, dict(self._worst)))

    def _count(self, findings: Sequence[Finding]) -> None:
        failed = {finding.severity for finding in findings if finding.tested and not finding.passed}
        self._worst[next((severity for severity in SEVERITIES if severity in failed), "")] += 1

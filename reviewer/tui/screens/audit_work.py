"""The audit that runs while somebody looks at the findings of a dataset."""

import time
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from threading import Event
from typing import TYPE_CHECKING

from reviewer.core.check_result import SEVERITIES
from reviewer.core.errors import RequestError
from reviewer.protocols.registry import protocols_of
from store.cases import get_dataset
from store.database import Database
from store.findings import case_pages, count_cases
from store.records import Case, Finding

if TYPE_CHECKING:
    from reviewer.runs.audit.dataset_audit import AuditReport


class _StoppedError(Exception):
    """The person left the screen while the audit ran; its results so far are kept."""


@dataclass(frozen=True)
class AuditMoved:
    """The audit has finished ``done`` of ``total`` cases in ``seconds``, and found something so far.

    ``worst`` has the number of cases by their worst finding's severity; "" is for no finding.
    """

    done: int
    total: int
    seconds: float
    worst: Mapping[str, int]


class AuditWork:
    """One audit of every case that was not audited yet, in a thread; raters' keys do not wait for it.

    ``moved`` takes its progress.
    """

    def __init__(self, database: Database, dataset: str, moved: Callable[[AuditMoved], object]) -> None:
        self._database, self._dataset, self._moved = database, dataset, moved
        self._stop = Event()
        self._began = 0.0
        self._worst = Counter[str]()

    def stop(self) -> None:
        """Stop the audit. Its results are kept, and the next audit skips these cases."""
        self._stop.set()

    def run(self) -> str:
        """Audit, until all is done or somebody stops it; returns which results could not be kept, or ""."""
        self._began, self._worst = time.monotonic(), Counter[str]()
        try:
            return self._audit().altered_words
        except _StoppedError:
            return ""

    def _audit(self) -> "AuditReport":
        from reviewer.oracle.doctor import without_jail
        from reviewer.oracle.program_runner import local_runner
        from reviewer.runs.audit.dataset_audit import MARK, audit, needs_logic

        with self._database.read() as session:
            expected = count_cases(session, self._dataset, without_mark=MARK)
            reference = get_dataset(session, self._dataset).protocol
        protocols = protocols_of(self._database)
        if needs_logic(protocols, self._pages()) and (problem := without_jail()):
            raise RequestError(f"{problem} Or run `reviewer audit`, which asks you first.")
        with local_runner() as runner:
            return audit(
                self._database,
                self._pages(),
                runner,
                progress=self._tell,
                found=self._count,
                protocol=protocols.named(reference),
                expected=expected,
            )

    def _pages(self) -> Iterator[list[Case]]:
        return case_pages(self._database, self._dataset)

    def _tell(self, done: int, total: int) -> None:
        if self._stop.is_set():
            raise _StoppedError
        seconds = time.monotonic() - self._began
        self._moved(AuditMoved(done, total, seconds, dict(self._worst)))

    def _count(self, findings: Sequence[Finding]) -> None:
        failed = {finding.severity for finding in findings if finding.tested and not finding.passed}
        self._worst[next((severity for severity in SEVERITIES if severity in failed), "")] += 1

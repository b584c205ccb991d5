"""Background work of the home screen: reading the store, importing, exporting."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING

from textual.message import Message
from textual.screen import Screen

from reviewer.core.errors import ReviewerError, StoreGoneError
from reviewer.core.sanitize import counted
from reviewer.tui.base_app import WriteReport

if TYPE_CHECKING:
    from reviewer.results.labels.rater_warnings import RaterWarning
    from reviewer.study.session.rater_progress import StudyProgress
    from reviewer.tui.dialogs.import_source import ImportRequest
    from reviewer.tui.screens.study_progress import Watched
    from store.database import Database
    from store.overview import DatasetSummary

REFRESH_SECONDS = 5.0
"""How often a screen looks whether others have answered."""
_NAMED = 4
LOADED_AHEAD = (
    "reviewer.exchange.packs.workspace",
    "reviewer.tui.command_palette",
    "reviewer.tui.dialogs.new_study",
    "reviewer.tui.screens.adjudication",
    "reviewer.tui.screens.review",
)


@dataclass(frozen=True, slots=True)
class Overview:
    """The studies and datasets of a store."""

    studies: "list[StudyProgress]"
    datasets: "list[DatasetSummary]"


class StoreWork:
    """Works in threads, and reports to its screen through messages only."""

    def __init__(self, screen: Screen[None], database: "Database") -> None:
        self._screen, self._database = screen, database
        self._marks: tuple[object, ...] = ()
        self._watched: dict[tuple[str, str], Watched] = {}

    class Loaded(Message):
        """The store was read."""

        def __init__(self, overview: Overview) -> None:
            self.overview = overview
            super().__init__()

    class Audited(Message):
        """The result of each dataset's audit in words, by dataset, and whose generators stay hidden."""

        def __init__(self, audits: dict[str, str], hidden: frozenset[str], person: str) -> None:
            self.audits, self.hidden, self.person = audits, hidden, person
            super().__init__()

    class Warned(Message):
        """The warnings about raters and the claims of stop rules that a person may see, by study."""

        def __init__(
            self,
            warnings: "Mapping[str, Sequence[RaterWarning]]",
            claims: Mapping[str, str],
            person: str,
        ) -> None:
            self.warnings, self.claims, self.person = warnings, claims, person
            super().__init__()

    class Failed(Message):
        """Something failed; ``sentence`` says what. ``gone``: the store was moved or deleted."""

        def __init__(self, sentence: str, *, gone: bool = False) -> None:
            self.sentence, self.gone = sentence, gone
            super().__init__()

    class ImportMoved(Message):
        """An import has stored ``done`` of ``total`` cases."""

        def __init__(self, dataset: str, done: int, total: int) -> None:
            self.dataset, self.done, self.total = dataset, done, total
            super().__init__()

    class Done(Message):
        """An import or export is done; ``sentence`` says what it did."""

        def __init__(self, sentence: str) -> None:
            self.sentence = sentence
            super().__init__()

    def read_store(self) -> None:
        """Read studies and datasets: a store with a million verdicts takes a moment."""
        self._screen.run_worker(self._read_store, thread=True, exclusive=True, group="read")

    def _read_store(self) -> None:
        from reviewer.study.session.rater_progress import progress_from

        try:
            held = self._database.overview()
            studies = [progress_from(counts) for counts in held.studies]
        except ReviewerError as error:
            self._screen.post_message(self.Failed(str(error), gone=isinstance(error, StoreGoneError)))
        else:
            self._marks = held.marks
            self._screen.post_message(self.Loaded(Overview(studies, held.datasets)))

    def look_again(self) -> None:
        """Read the store again if somebody has answered or changed anything since the last look."""
        self._screen.run_worker(self._look_again, thread=True, exclusive=True, group="look")

    def _look_again(self) -> None:
        from store.overview import asking, change_marks

        try:
            with self._database.read() as session:
                marks = change_marks(asking(session))
        except ReviewerError:
            return  # the next key says what is wrong
        if self._marks not in ((), marks):
            self._read_store()

    def read_warnings(self, studies: "Sequence[StudyProgress]", person: str) -> None:
        """Read the warnings about raters that this person may see."""
        reading = partial(self._read_warnings, studies, person)
        self._screen.run_worker(reading, thread=True, exclusive=True, group="warnings")

    def _read_warnings(self, studies: "Sequence[StudyProgress]", person: str) -> None:
        from reviewer.tui.screens.study_progress import watched

        warnings, claims = {}, dict[str, str]()
        try:
            for progress in studies:
                known = self._watched.get((progress.study.name, person))
                if known is None or known.progress != progress:
                    known = watched(self._database, progress, person)
                self._watched[progress.study.name, person] = known
                warnings[progress.study.name] = known.warnings
                claims[progress.study.name] = known.notes.short
        except ReviewerError as error:
            self._screen.post_message(self.Failed(str(error)))
        else:
            self._screen.post_message(self.Warned(warnings, claims, person))

    def read_audits(self, studies: "Sequence[StudyProgress]", person: str) -> None:
        """Count the findings of all datasets, after ``read_store``: there may be millions.

        Then load what keys of home need, so that they need not wait for it.
        """
        reading = partial(self._read_audits, studies, person)
        self._screen.run_worker(reading, thread=True, exclusive=True, group="audits")

    def _read_audits(self, studies: "Sequence[StudyProgress]", person: str) -> None:
        from reviewer.protocols.registry import protocols_of
        from reviewer.runs.audit.audit_findings import audits_in_words
        from reviewer.study.session.blinding import hidden_datasets

        try:
            hidden = hidden_datasets(self._database, protocols_of(self._database), studies, person)
            self._screen.post_message(self.Audited(audits_in_words(self._database), hidden, person))
        except ReviewerError as error:
            self._screen.post_message(self.Failed(str(error)))
        for module in LOADED_AHEAD:
            import_module(module)

    def run_import(self, request: "ImportRequest", importer: str) -> None:
        """Import; raters' keys do not wait for it, since its writes are short."""
        self._screen.run_worker(partial(self._import, request, importer), thread=True, group="import")

    def _import(self, request: "ImportRequest", importer: str) -> None:
        from reviewer.exchange.rows.dataset_import import import_path

        def moved(done: int, total: int) -> None:
            self._screen.post_message(self.ImportMoved(request.dataset, done, total))

        try:
            report = import_path(
                self._database,
                request.path,
                request.dataset,
                request.generator,
                protocol=request.protocol,
                progress=moved,
                importer=importer,
            )
        except ReviewerError as error:
            self._screen.post_message(self.Failed(str(error)))
        else:
            self._screen.post_message(self.Done(report.sentence))

    def run_export(self, study: str, person: str) -> None:
        """Export; computing the statistics takes a moment."""
        self._screen.run_worker(partial(self._export, study, person), thread=True, group="export")

    def _export(self, study: str, person: str) -> None:
        from reviewer.exchange.exports.study_export import export_study
        from reviewer.exchange.exports.study_source import open_study_source

        try:
            with open_study_source(self._database, study, person) as source:
                written = export_study(source, Path("exports") / study)
        except ReviewerError as error:
            self._screen.post_message(self.Failed(str(error)))
        else:
            self._screen.post_message(self.Done(_files_in_words(written)))

    def run_report(self, study: str, person: str, write: WriteReport) -> None:
        """Write the report; computing the statistics takes a moment, and drawing figures takes some."""
        self._screen.run_worker(partial(self._report, study, person, write), thread=True, group="export")

    def _report(self, study: str, person: str, write: WriteReport) -> None:
        try:
            written = write(self._database, study, person)
        except ReviewerError as error:
            self._screen.post_message(self.Failed(str(error)))
        else:
            self._screen.post_message(self.Done(_files_in_words(written)))


def _files_in_words(written: Sequence[Path]) -> str:
    names = ", ".join(path.name for path in written[:_NAMED])
    more = " …" if len(written) > _NAMED else ""
    return f"{written[0].parent} has {counted(len(written), 'file')}: {names}{more}"

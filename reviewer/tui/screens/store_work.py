"""Slow work of the home screen: reading the store, importing, exporting."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING

from reviewer.core.errors import ReviewerError
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


@dataclass(frozen=True, slots=True)
class SeenWarnings:
    """The warnings about raters and the claims of stop rules that a person may see, by study."""

    warnings: "Mapping[str, Sequence[RaterWarning]]"
    claims: Mapping[str, str]
    person: str


@dataclass(frozen=True, slots=True)
class SeenAudits:
    """The result of each dataset's audit in words, by dataset, and whose generators stay hidden."""

    audits: dict[str, str]
    hidden: frozenset[str]
    person: str


class StoreWork:
    """What the home screen reads and writes in threads."""

    def __init__(self, database: "Database") -> None:
        self._database = database
        self._marks: tuple[object, ...] = ()
        self._watched: dict[tuple[str, str], Watched] = {}

    def read(self) -> Overview:
        """Read studies and datasets: a store with a million verdicts takes a moment."""
        from reviewer.study.session.rater_progress import progress_from

        held = self._database.overview()
        studies = [progress_from(counts) for counts in held.studies]
        self._marks = held.marks
        return Overview(studies, held.datasets)

    def read_changed(self) -> Overview | None:
        """Read the store again if somebody has answered or changed anything since; None if nobody has."""
        from store.overview import asking, change_marks

        try:
            with self._database.read() as session:
                marks = change_marks(asking(session))
        except ReviewerError:
            return None  # the next key shows the error
        return None if self._marks in ((), marks) else self.read()

    def warnings(self, studies: "Sequence[StudyProgress]", person: str) -> SeenWarnings:
        """Read the warnings about raters that this person may see."""
        from reviewer.tui.screens.study_progress import watched

        warnings, claims = {}, dict[str, str]()
        for progress in studies:
            known = self._watched.get((progress.study.name, person))
            if known is None or known.progress != progress:
                known = watched(self._database, progress, person)
            self._watched[progress.study.name, person] = known
            warnings[progress.study.name] = known.warnings
            claims[progress.study.name] = known.notes.short
        return SeenWarnings(warnings, claims, person)

    def audits(self, studies: "Sequence[StudyProgress]", person: str) -> SeenAudits:
        """Count the findings of all datasets: there may be millions."""
        from reviewer.protocols.registry import protocols_of
        from reviewer.runs.audit.audit_findings import audits_in_words
        from reviewer.study.session.blinding import hidden_datasets

        hidden = hidden_datasets(self._database, protocols_of(self._database), studies, person)
        return SeenAudits(audits_in_words(self._database), hidden, person)

    def import_source(self, request: "ImportRequest", importer: str, moved: Callable[..., None]) -> str:
        """Import, and say so; raters' keys do not wait for it, since its writes are short."""
        from reviewer.exchange.rows.dataset_import import import_path

        report = import_path(
            self._database,
            request.path,
            request.dataset,
            request.generator,
            protocol=request.protocol,
            progress=partial(moved, request.dataset),
            importer=importer,
        )
        return report.sentence

    def export(self, study: str, person: str) -> str:
        """Export, and say so; computing the statistics takes a moment."""
        from reviewer.exchange.exports.study_export import export_study
        from reviewer.exchange.exports.study_source import open_study_source

        with open_study_source(self._database, study, person) as source:
            return _files_in_words(export_study(source, Path("exports") / study))

    def report(self, study: str, person: str, write: WriteReport) -> str:
        """Write the report, and say so: computing the statistics takes a moment, drawing figures some."""
        return _files_in_words(write(self._database, study, person))


def load_ahead() -> None:
    """Load what keys of home need, so that they need not wait for it."""
    for module in LOADED_AHEAD:
        import_module(module)


def _files_in_words(written: Sequence[Path]) -> str:
    names = ", ".join(path.name for path in written[:_NAMED])
    more = " …" if len(written) > _NAMED else ""
    return f"{written[0].parent} has {counted(len(written), 'file')}: {names}{more}"

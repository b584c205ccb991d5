"""A study's numbers for interactive use: computed on first use and then kept."""

from collections.abc import Mapping, Sequence

from reviewer.results.labels.agreement_results import AgreementResult, Method, study_results
from reviewer.results.labels.both_ways import BothWays, both_ways
from reviewer.results.labels.dimensions import ALL
from reviewer.results.labels.disagreements import Disagreement, disagreements
from reviewer.results.labels.label_spread import LabelSpread, label_spreads
from reviewer.results.labels.rater_results import RaterResult, rater_results
from reviewer.results.labels.rater_warnings import RaterWarning, rater_warnings
from reviewer.study.design.study_bundle import StudyBundle
from reviewer.study.integrity.quarantine import read_study
from reviewer.study.session.label_rows import label_rows
from store.database import Database
from store.records import Event

BOOTSTRAP = Method(interval="bootstrap")


class StudyStatistics:
    """Results, raters and disagreements of one study, from the ledger as it was read once."""

    def __init__(self, bundle: StudyBundle, events: Sequence[Event]) -> None:
        self.bundle, self.rows = bundle, label_rows(bundle, events)
        self._events = events
        self._results: dict[tuple[tuple[str, ...], Method], list[AgreementResult]] = {}
        self._both_ways: dict[tuple[tuple[str, ...], Method], list[BothWays]] = {}
        self._disagreements: list[Disagreement] | None = None

    @classmethod
    def read(cls, database: Database, study: str) -> "StudyStatistics":
        """Read a study from the store; raises RequestError if it does not exist."""
        return cls(*read_study(database, study))

    @property
    def ordinal(self) -> bool:
        """Whether the labels of a question stand in order."""
        return any(question.ordinal for question in self.bundle.questions)

    def results(self, by: tuple[str, ...], method: Method = BOOTSTRAP) -> list[AgreementResult]:
        """Cells, means and pooled values; with bootstrap intervals unless the method says otherwise."""
        if (by, method) not in self._results:
            self._results[by, method] = study_results(self.bundle, self.rows, by, method)
        return self._results[by, method]

    def both_ways(self, by: tuple[str, ...], method: Method = BOOTSTRAP) -> list[BothWays]:
        """Each result without the raters who are left out, and with them; empty if none is."""
        if (by, method) not in self._both_ways:
            self._both_ways[by, method] = both_ways(self.bundle, self._events, by, method)
        return self._both_ways[by, method]

    def raters(self, method: Method = BOOTSTRAP) -> list[RaterResult]:
        """The results of every rater over the whole study."""
        return rater_results(self.bundle, self.rows, method=method)

    def spreads(self) -> list[LabelSpread]:
        """How often each label was given in each group."""
        return label_spreads(self.bundle, self.rows)

    def warnings(self) -> list[RaterWarning]:
        """What the lead should know about the raters."""
        return rater_warnings(self.bundle, self.rows)

    def disagreements(self, where: Mapping[str, str]) -> list[Disagreement]:
        """The disagreements of a cell; "all" for a dimension matches every value."""
        if self._disagreements is None:
            self._disagreements = disagreements(self.bundle, self.rows)
        return [item for item in self._disagreements if _is_at(item, where)]


def _is_at(disagreement: Disagreement, where: Mapping[str, str]) -> bool:
    place = disagreement.place
    known = {
        "question": disagreement.question.title,
        "generator": place.generator,
        "group": place.group,
        "dataset": place.dataset,
    }
    return all(value in (ALL, known.get(dimension, value)) for dimension, value in where.items())

"""A study's numbers for somebody who looks around in them: computed when first asked for, then kept."""

from collections.abc import Mapping, Sequence

from reviewer.study.design.study_bundle import StudyBundle
from reviewer.study.integrity.quarantine import read_study
from reviewer.study.statistics.agreement_results import AgreementResult, Method, study_results
from reviewer.study.statistics.dimensions import ALL
from reviewer.study.statistics.disagreements import Disagreement, disagreements
from reviewer.study.statistics.label_rows import LabelRow, label_rows
from reviewer.study.statistics.rater_results import RaterResult, rater_results
from store.database import Database

BOOTSTRAP = Method(interval="bootstrap")


class StudyStatistics:
    """Results, raters and disagreements of one study, from one reading of the ledger."""

    def __init__(self, bundle: StudyBundle, rows: Sequence[LabelRow]) -> None:
        self.bundle, self.rows = bundle, rows
        self._results: dict[tuple[str, ...], list[AgreementResult]] = {}
        self._found: list[Disagreement] | None = None

    @classmethod
    def read(cls, database: Database, study: str) -> "StudyStatistics":
        """From the store; raises RequestError where there is no such study."""
        bundle, events = read_study(database, study)
        return cls(bundle, label_rows(bundle, events))

    def results(self, by: tuple[str, ...]) -> list[AgreementResult]:
        """Cells, means and pooled values, with bootstrap intervals."""
        if by not in self._results:
            self._results[by] = study_results(self.bundle, self.rows, by, BOOTSTRAP)
        return self._results[by]

    def raters(self) -> list[RaterResult]:
        """Every rater over the whole study."""
        return rater_results(self.bundle, self.rows)

    def disagreements(self, where: Mapping[str, str]) -> list[Disagreement]:
        """Those of a cell; "all" of a dimension is every value of it."""
        if self._found is None:
            self._found = disagreements(self.bundle, self.rows)
        return [each for each in self._found if _is_at(each, where)]


def _is_at(each: Disagreement, where: Mapping[str, str]) -> bool:
    place = each.place
    known = {
        "question": each.question.title,
        "generator": place.generator,
        "group": place.group,
        "dataset": place.dataset,
    }
    return all(value in (ALL, known.get(dimension, value)) for dimension, value in where.items())

"""The closed studies of the answers of an evaluation run: what their experts found."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from reviewer.results.labels.agreement_results import AgreementResult, Method, study_results
from reviewer.results.labels.answer_origins import origins_of, places_of_answers
from reviewer.results.labels.answer_shares import GROUP, MODEL, AnswerShare, answer_shares
from reviewer.results.labels.divided_items import answers_of
from reviewer.results.labels.final_labels import read_closed_study
from reviewer.study.design.study_bundle import StudyBundle
from reviewer.study.session.label_rows import label_rows
from store.database import Database
from store.studies import studies_of_answers


@dataclass(frozen=True)
class AnswerStudy:
    """A closed study of answers: shares of the run by model and by group, and agreement by question."""

    bundle: StudyBundle
    by_model: Sequence[AnswerShare]
    by_group: Sequence[AnswerShare]
    agreement: Sequence[AgreementResult]


def answer_studies(database: Database, run: str, level: float) -> Iterator[AnswerStudy]:
    """The closed studies of answers of a run, by name."""
    with database.read() as session:
        studies = studies_of_answers(session, run)
    for study in sorted(studies, key=lambda one: one.name):
        if study.closed_at is not None:
            yield _answer_study(database, study.name, level)


def _answer_study(database: Database, name: str, level: float) -> AnswerStudy:
    closed = read_closed_study(database, name)
    bundle = closed.bundle
    origins = origins_of(bundle, places_of_answers(database, bundle))
    labels = answers_of(bundle, label_rows(bundle, closed.events))
    method = Method(interval="analytic", level=level)
    return AnswerStudy(
        bundle,
        answer_shares(bundle, closed.finals, origins, (MODEL,), level),
        answer_shares(bundle, closed.finals, origins, (GROUP,), level),
        study_results(bundle, labels, ("question",), method),
    )

"""Dawid and Skene's model of a study's labels, beside majorities and decisions, never in their place."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from reviewer.agreement.dawid_skene import NOT_CONVERGED, RaterErrors, label_model
from reviewer.core.errors import RequestError
from reviewer.core.estimate import Estimate
from reviewer.core.question import Question
from reviewer.core.sanitize import counted
from reviewer.results.labels.agreement_results import Method
from reviewer.results.labels.coefficient_choice import NO_PASSING_LABEL
from reviewer.results.labels.divided_items import ResultCell, StudyLabels, answers_of, divided
from reviewer.study.design.study_bundle import StudyBundle
from reviewer.study.session.label_rows import items_of

FEWEST_RATERS = 5
FEWEST_CASES = 50
"""With fewer cases that have two labels, errors of raters cannot be told from hard cases."""
MODEL_IN_WORDS = (
    "Dawid and Skene's model: each case has one true label, and each rater errs at rates of their own, "
    "whatever the other raters say. Where raters make the same errors on hard cases, its probabilities are "
    "too certain. It changes no final label."
)


@dataclass(frozen=True)
class RaterAbility:
    """One rater's errors on one question, by the model."""

    question: Question
    errors: RaterErrors


@dataclass(frozen=True)
class ModelledLabels:
    """What the model says: labels with probabilities by question and case, and raters by question.

    ``remarks`` are sentences on questions that it says nothing of.
    """

    labels: Mapping[tuple[str, str], tuple[str, float]]
    abilities: tuple[RaterAbility, ...]
    remarks: tuple[str, ...]


def modelled_labels(bundle: StudyBundle, labels: StudyLabels, method: Method) -> ModelledLabels:
    """Fit the model to each question that has enough; raises RequestError if none has.

    It takes the labels from which agreement is computed, so that third votes are left out.
    """
    how = method.for_study(bundle)
    known, abilities, remarks, fitted = dict[tuple[str, str], tuple[str, float]](), [], [], 0
    for cell in divided(items_of(bundle), answers_of(bundle, labels), ("question",)).values():
        if why := _too_little(cell):
            remarks.append(why)
            continue
        fitted += 1
        of_cell, of_raters = _fitted(cell, how)
        known |= of_cell
        abilities += of_raters
        if not of_cell:
            remarks.append(f"{cell.where['question']}: {NOT_CONVERGED}, so it gives no labels.")
    if not fitted:
        raise RequestError(" ".join(remarks) or "no question has labels.")
    return ModelledLabels(known, tuple(abilities), tuple(remarks))


def _too_little(cell: ResultCell) -> str:
    """A sentence on why the model is not fitted to a cell; "" if it is."""
    title, form = cell.where["question"], cell.form
    if cell.ratings is None or form not in ("nominal", "ordinal"):
        return f"{title}: Dawid and Skene's model needs one label an answer."
    raters, cases = cell.rater_count, int((cell.ratings.counts.sum(axis=1) > 1).sum())
    if raters >= FEWEST_RATERS and cases >= FEWEST_CASES:
        return ""
    return (
        f"{title}: Dawid and Skene's model needs {FEWEST_RATERS} raters and {FEWEST_CASES} cases with two "
        f"labels, and there are {counted(raters, 'rater')} and {counted(cases, 'such case')}; with fewer, "
        "errors of raters cannot be told from hard cases."
    )


def _fitted(
    cell: ResultCell, method: Method
) -> tuple[dict[tuple[str, str], tuple[str, float]], list[RaterAbility]]:
    assert cell.ratings is not None
    model, (question,) = label_model(cell.ratings), cell.questions
    labels = {
        (question.key, place.case): (str(found[0]), found[1])
        for at, (_, place) in enumerate(cell.items)
        if (found := model.label_of(at)) is not None
    }
    resamples = 0 if method.interval == "none" else min(method.resamples, 1_000)
    errors = model.rater_errors(cell.passing, seed=method.seed or 0, resamples=resamples, level=method.level)
    return labels, [*_abilities(question, errors, bool(cell.passing))]


def _abilities(question: Question, errors: list[RaterErrors], has_passing: bool) -> Iterator[RaterAbility]:
    for rater in errors:
        if not rater.labels:
            continue
        none = Estimate.undefined(NO_PASSING_LABEL, rater.labels)
        shown = rater if has_passing else RaterErrors(rater.rater, rater.labels, none, none)
        yield RaterAbility(question, shown)

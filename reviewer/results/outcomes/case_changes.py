"""How often a model's answer to a case changes, case by case: which cases make an effect."""

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np

from reviewer.protocols.evaluation import Condition, Measure
from reviewer.results.outcomes.comparisons import compared_conditions, stacked_labels
from reviewer.results.outcomes.effect_rows import CellRuns
from reviewer.results.outcomes.evaluated import MISSING, NOT_ASKED, UNREADABLE, EvaluatedCase, Evaluation

UNLABELLED: Mapping[int, str] = {UNREADABLE: "unreadable", MISSING: "no reply", NOT_ASKED: "not asked"}
"""What stands in place of a label."""


@dataclass(frozen=True, slots=True)
class CaseChanges:
    """A case with its readable runs, and how many of these changed.

    A comparison of two texts is one run and changes if its labels differ. Where nothing is compared, a run
    changes if its label is not the commonest of its text.
    """

    case: EvaluatedCase
    changed: int
    runs: int
    unreadable: int

    @property
    def share(self) -> float:
        """The share of runs that changed; 0 without runs."""
        return self.changed / self.runs if self.runs else 0.0

    @property
    def words(self) -> str:
        """The changes for people."""
        if not self.runs:
            return "no readable run"
        times = "never changed" if not self.changed else f"changed in {self.changed:,}"
        return f"{times} of {self.runs:,}" if self.changed else f"{times} in {self.runs:,}"


def case_changes(evaluation: Evaluation, measure: Measure, cell: CellRuns) -> list[CaseChanges]:
    """The cases of a cell, those first whose answers change most often."""
    compared = compared_conditions(evaluation.conditions, measure.over, measure.among)
    places = {condition: place for place, condition in enumerate(evaluation.conditions)}
    index = [[places[put] for put in by.values()] for rest, by in compared.items() if cell.has(rest)]
    if not index:
        return []
    labels = stacked_labels(evaluation)[cell.models][:, cell.cases][:, :, np.array(index)]
    if measure.over:
        changed, runs = _compared(labels)
    else:
        changed, runs = _uncommon(labels)
    unreadable = (labels == UNREADABLE).sum(axis=(0, 2, 3, 4))
    changes = [
        CaseChanges(evaluation.cases[case], int(changed[n]), int(runs[n]), int(unreadable[n]))
        for n, case in enumerate(cell.cases)
    ]
    return sorted(
        changes, key=lambda change: (-change.share, -change.runs, -change.unreadable, change.case.place)
    )


def answers_by_condition(
    evaluation: Evaluation, model: str, case: EvaluatedCase
) -> dict[Condition, Counter[str]]:
    """How often a model gave each label to a case under each condition; unlabelled runs by what they are."""
    labels = evaluation.labels[model][case.place]
    return {
        condition: Counter(
            case.labels[code] if code >= 0 else UNLABELLED[code] for code in labels[place].tolist()
        )
        for place, condition in enumerate(evaluation.conditions)
    }


def condition_names(evaluation: Evaluation) -> dict[Condition, str]:
    """Each condition by the values in which those of the run differ; "asked" if there is only one."""
    conditions = evaluation.conditions
    differing = [
        factor.name
        for factor in evaluation.plan.factors
        if len({condition[factor.name] for condition in conditions}) > 1
    ]
    return {condition: "/".join(condition[name] for name in differing) or "asked" for condition in conditions}


def _compared(labels: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Changes and runs of each case; labels have the shape (models, cases, rests, values, repeats)."""
    readable = (labels >= 0).all(axis=3)
    changed = readable & (labels != labels[:, :, :, :1]).any(axis=3)
    return changed.sum(axis=(0, 2, 3)), readable.sum(axis=(0, 2, 3))


def _uncommon(labels: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    readable = (labels >= 0).sum(axis=4)
    most = max(0, int(labels.max(initial=0)))
    counts = np.stack([(labels == code).sum(axis=4) for code in range(most + 1)])
    changed = readable - counts.max(axis=0)
    return changed.sum(axis=(0, 2, 3)), readable.sum(axis=(0, 2, 3))

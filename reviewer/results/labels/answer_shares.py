"""Shares of labels among the answers of a run, from the answers of it that experts judged.

An answer i was drawn with probability π_i and stands for m_i equal outcomes, so it has the weight m_i / π_i:
Σ w_i y_i / Σ w_i is Hájek's estimate of the share of outcomes with a label. The interval is that of a share
of items of which a case has several (``stratified_share_of_items``), where a case is a case of the run and
its items are the outcomes that its drawn answers speak for. Strata are models and groups; where one has
fewer than two cases with a label, such as one shared answer of another model, those of its group are one.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

from reviewer.agreement.intervals import DEFAULT_LEVEL
from reviewer.agreement.stratified import StratumCounts, stratified_share_of_items
from reviewer.core.estimate import STRATUM_WITHOUT_ANSWERS, Estimate
from reviewer.core.question import Question
from reviewer.core.sanitize import counted
from reviewer.results.labels.answer_origins import AnswerOrigin
from reviewer.results.labels.dimensions import ALL
from reviewer.results.labels.final_labels import FinalLabel
from reviewer.study.design.inclusion import inclusion_of
from reviewer.study.design.study_bundle import StudyBundle
from reviewer.study.design.study_design import FrozenStratum

MODEL, GROUP = "model", "group"


@dataclass(frozen=True, slots=True)
class AnswerShare:
    """The share of outcomes of a model in a group ("all": of all) whose answer has a label on a question.

    ``judged`` of the ``drawn`` answers have a final label; the others are open, stale or without verdicts.
    """

    question: Question
    model: str
    group: str
    label: str
    drawn: int
    judged: int
    share: Estimate


def answer_shares(
    bundle: StudyBundle,
    finals: Iterable[FinalLabel],
    origins: Mapping[str, AnswerOrigin],
    by: Sequence[str] = (MODEL,),
    level: float = DEFAULT_LEVEL,
) -> list[AnswerShare]:
    """For each question and label, the shares by model, by group or by both, and of all answers.

    Empty if the study is not one of answers, or how they were drawn and who gave them is not known here.
    """
    source, strata = bundle.design.answers, inclusion_of(bundle).strata
    if source is None or not strata or any(case not in origins for s in strata for case in s.cases):
        return []
    by_question: dict[str, list[FinalLabel]] = {}
    for final in finals:
        by_question.setdefault(final.question.key, []).append(final)
    of_case = {place.case: place.group for place in bundle.counted}
    parts = _parts(source.models, bundle.protocol.groups_among(of_case.values()), by)
    return [
        share
        for question in bundle.questions
        if question.answer_kind.is_label
        for model, group in parts
        for share in _Part(question, model, group, strata, origins, of_case).shares(
            by_question.get(question.key, ()), level
        )
    ]


def speaks_for(bundle: StudyBundle) -> str:
    """For which outcomes the shares speak, as sentences; "" if the study is not one of answers."""
    source = bundle.design.answers
    if source is None:
        return ""
    return (
        f"Shares speak for {counted(source.outcomes, 'outcome')} of run {source.run}: {source.meaning}. "
        "Final labels count. Open and stale answers are left out; the others of their model and group speak "
        "for them."
    )


def answers_of_same_cases(bundle: StudyBundle) -> str:
    """What intervals do where several answers are about the same case of the run; "" if none are."""
    source = bundle.design.answers
    if source is None or source.per_case == 1:
        return ""
    about = f"Up to {source.per_case:,} of these answers are about the same case of the run"
    if not bundle.same_case:
        return f"{about}, and it is not known here which. Intervals and tests may be too narrow."
    return f"{about}. Intervals and tests resample or count these cases, not answers."


def _parts(models: Sequence[str], groups: Sequence[str], by: Sequence[str]) -> list[tuple[str, str]]:
    """Models and groups of the rows, from the most divided to all answers together."""
    of_models = [*models, ALL] if MODEL in by else [ALL]
    of_groups = [*groups, ALL] if GROUP in by else [ALL]
    return [(model, group) for model in of_models for group in of_groups]


@dataclass(frozen=True, slots=True)
class _Part:
    """The answers to one question that are of a model and a group, with the strata of the draw."""

    question: Question
    model: str
    group: str
    strata: Sequence[FrozenStratum]
    origins: Mapping[str, AnswerOrigin]
    groups: Mapping[str, str]

    def shares(self, finals: Sequence[FinalLabel], level: float) -> Iterator[AnswerShare]:
        """The share of each label of the question."""
        labels = {
            final.place.case: None if final.stale else final.label
            for final in finals
            if self._weight(final.place.case) and self.group in (ALL, final.place.group)
        }
        judged = sum(label is not None for label in labels.values())
        for label in self.question.labels:
            estimate = self._share(labels, label, level)
            yield AnswerShare(
                self.question, self.model, self.group, label, len(labels), judged, replace(estimate, n=judged)
            )

    def _share(self, labels: Mapping[str, str | None], label: str, level: float) -> Estimate:
        """The share of one label; ``labels`` are the final labels of the answers of this part."""
        of = [stratum for stratum in self.strata if self.group == ALL or labels.keys() & {*stratum.cases}]
        if any(not stratum.drawn for stratum in of):
            return Estimate.undefined(STRATUM_WITHOUT_ANSWERS, 0)
        joined = [self._joined(strata, labels, label) for strata in self._without_thin(of, labels)]
        return stratified_share_of_items(
            [counts for counts, _ in joined], [items for _, items in joined], level, weighted=True
        )

    def _without_thin(
        self, strata: Sequence[FrozenStratum], labels: Mapping[str, str | None]
    ) -> list[list[FrozenStratum]]:
        """The strata; those of a group together if one of them is thin, and all if that is not enough."""
        groups: dict[str, list[FrozenStratum]] = {}
        for stratum in strata:
            groups.setdefault(self.groups[stratum.cases[0]], []).append(stratum)
        joined = [
            [*parts] if any(self._is_thin([one], labels) for one in parts) else None
            for parts in groups.values()
        ]
        if any(parts is not None and self._is_thin(parts, labels) for parts in joined):
            return [[*strata]]
        return [
            together
            for parts, of_group in zip(joined, groups.values(), strict=True)
            for together in ([parts] if parts else [[one] for one in of_group])
        ]

    def _is_thin(self, strata: Sequence[FrozenStratum], labels: Mapping[str, str | None]) -> bool:
        """Whether the strata have answers of this part, but labels of fewer than two cases of the run."""
        cases = [case for stratum in strata for case in stratum.cases if case in labels]
        return bool(cases) and len(self._clusters(case for case in cases if labels[case] is not None)) < 2

    def _joined(
        self, strata: Sequence[FrozenStratum], labels: Mapping[str, str | None], label: str
    ) -> tuple[StratumCounts, list[tuple[float, float]]]:
        """Strata as one: for how many outcomes with the label, and in all, each case of the run speaks."""
        weights = {
            case: self._weight(case) / stratum.chance_of(case) for stratum in strata for case in stratum.cases
        }
        clusters = self._clusters(weights)
        concerned = self._clusters(case for case in weights if case in labels)
        answered = self._clusters(case for case in weights if labels.get(case) is not None)
        drawn, held = sum(stratum.drawn for stratum in strata), sum(stratum.size for stratum in strata)
        size = max(len(clusters), round(held * len(clusters) / drawn))
        items = [
            (
                sum(weights[case] for case in cases if labels[case] == label) * drawn / held,
                sum(weights[case] for case in cases) * drawn / held,
            )
            for cases in answered.values()
        ]
        return StratumCounts(size, len(clusters), len(concerned), len(answered)), items

    def _clusters(self, cases: Iterable[str]) -> dict[tuple[str, str], list[str]]:
        """The answers by the case of the run that they answer."""
        clusters: dict[tuple[str, str], list[str]] = {}
        for case in cases:
            clusters.setdefault(self.origins[case].source, []).append(case)
        return clusters

    def _weight(self, case: str) -> int:
        """How many outcomes of the model an answer stands for."""
        origin = self.origins.get(case)
        return origin.outcomes(self.model) if origin else 0

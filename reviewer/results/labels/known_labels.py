"""Opinions and raters against the right labels, which a value published with each case holds.

Where a question asks for the answer itself, it also says how often experts give the published one.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from reviewer.agreement.clustered_ratios import ClusterSums, Resampling, combination, with_resamples
from reviewer.agreement.proportions import proportion
from reviewer.core.errors import RequestError
from reviewer.core.estimate import Estimate
from reviewer.core.question import Question, chosen_labels
from reviewer.core.sanitize import counted, shown
from reviewer.protocols.base import Value
from reviewer.results.labels.agreement_results import Method
from reviewer.results.labels.dimensions import ALL
from reviewer.results.labels.final_labels import FinalLabel
from reviewer.results.labels.judge_results import check_judge_dimensions, said_of
from reviewer.study.design.study_bundle import StudyBundle

OPINION, RATER = "opinion", "rater"


@dataclass(frozen=True)
class KnownLabelAccuracy:
    """How often an opinion or a rater (``kind``) gives the known label, on the items that have one.

    ``accuracy`` is over the items that ``who`` labelled, of the ``known`` ones.
    """

    who: str
    kind: str
    question: Question
    where: Mapping[str, str]
    known: int
    accuracy: Estimate


_Given = Mapping[tuple[str, str], str | None]
"""What an opinion or a rater (kind and name) says of one item."""


@dataclass(frozen=True)
class _KnownItem:
    final: FinalLabel
    known: str
    given: _Given


def known_label_accuracy(
    bundle: StudyBundle,
    finals: Sequence[FinalLabel],
    value: str,
    by: Sequence[str] = (),
    method: Method | None = None,
) -> list[KnownLabelAccuracy]:
    """Every opinion and every rater by the dimensions, and then over all items.

    ``value`` names the published value that holds the known label. Raises RequestError for a dimension that
    cases do not have, and if no item has a known label.
    """
    check_judge_dimensions(by)
    how = method or Method()
    results: list[KnownLabelAccuracy] = []
    for question in bundle.questions:
        if items := list(_known_items(bundle, finals, question, value)):
            results += _divided(question, items, by, how)
    if not results:
        raise RequestError(
            f"no case of the study has a published value {shown(value)!r} that is a label of a question; "
            "name a value that holds the right label."
        )
    return results


def _known_items(
    bundle: StudyBundle, finals: Sequence[FinalLabel], question: Question, value: str
) -> Iterator[_KnownItem]:
    opinions = [opinion for opinion in bundle.protocol.opinions if opinion.question == question.key]
    for final in finals:
        if final.question.key != question.key or not question.answer_kind.is_label:
            continue
        labels = {
            str(measured.value)
            for measured in bundle.measurements[final.place.case]
            if measured.name == value and measured.source == "published" and not measured.variant
        }
        if len(labels) == 1 and (known := labels.pop()) in question.labels:
            said = {(OPINION, each.shown_name): said_of(bundle, each, final) for each in opinions}
            votes = {(RATER, row.rater): row.label for row in final.item_votes.votes}
            yield _KnownItem(final, known, {**said, **votes})


def _divided(
    question: Question, items: Sequence[_KnownItem], by: Sequence[str], how: Method
) -> Iterator[KnownLabelAccuracy]:
    parts: dict[tuple[str, ...], list[_KnownItem]] = {}
    for item in items:
        parts.setdefault(tuple(str(getattr(item.final.place, name)) for name in by), []).append(item)
    if len(parts) > 1:
        parts[tuple(ALL for _ in by)] = list(items)
    names = sorted({key for item in items for key in item.given})
    for at, part in parts.items():
        where = dict(zip(by, at, strict=True))
        for kind, who in names:
            given = [(label, item.known) for item in part if (label := item.given.get((kind, who)))]
            accuracy = _share(sum(label == known for label, known in given), len(given), how)
            yield KnownLabelAccuracy(who, kind, question, where, len(part), accuracy)


def _share(right: int, number: int, how: Method) -> Estimate:
    return how.shown(proportion(right, number, how.level), number)


@dataclass(frozen=True)
class HumanLevel:
    """Answers of raters to one question against the answer that was published with the cases.

    ``share`` is the share of the ``answers`` of all ``raters`` that equal it; its n counts cases, which are
    resampled as wholes, since answers about one case are not independent. ``without`` counts cases that
    raters answered and that have no published answer.
    """

    published: Value
    question: Question
    raters: int
    answers: int
    share: Estimate
    without: int


def human_levels(bundle: StudyBundle, finals: Sequence[FinalLabel], method: Method) -> Iterator[HumanLevel]:
    """The level of the raters on each published value that a question checks; none without answers to it."""
    how = method.seeded(bundle.study.seed)
    for question in bundle.questions:
        for published in bundle.protocol.must_agree(question):
            items = [final for final in finals if final.question.key == question.key]
            if level := _level(bundle, published, question, items, how):
                yield level


def _level(
    bundle: StudyBundle, published: Value, question: Question, items: Sequence[FinalLabel], how: Method
) -> HumanLevel | None:
    answered = [final for final in items if final.item_votes.votes]
    known = [(final, said) for final in answered if (said := said_of(bundle, published, final)) is not None]
    if not known:
        return None
    right = [_equal(question, said, final) for final, said in known]
    sizes = [len(final.item_votes.votes) for final, _ in known]
    return HumanLevel(
        published=published,
        question=question,
        raters=len({row.rater for final, _ in known for row in final.item_votes.votes}),
        answers=sum(sizes),
        share=_share_right(right, sizes, how),
        without=len(answered) - len(known),
    )


def _equal(question: Question, said: str, final: FinalLabel) -> int:
    """The number of votes that are the published answer."""
    wanted = {*chosen_labels(question, said)}
    given = [row.label for row in final.item_votes.votes if row.label is not None]
    return sum({*chosen_labels(question, label)} == wanted for label in given)


def _share_right(right: Sequence[int], sizes: Sequence[int], how: Method) -> Estimate:
    """Σ right / Σ sizes, with an interval unless every case has the same share: no resample differs then."""
    sums = ClusterSums.of_cases(right, sizes, least=0.0)
    point = combination([sums], [1.0], how.level)
    if how.interval == "none" or len({part / size for part, size in zip(right, sizes, strict=True)}) < 2:
        return Estimate(point.value, point.n).resting_on(point.n)
    values = Resampling(how.seed or 0, how.resamples).ratios([sums])[:, 0]
    return with_resamples(point, values, how.level).resting_on(point.n)


def level_words(published: str, question: str, raters: int, answers: int, share: str, cases: int) -> str:
    """One sentence on the level of people: ``share`` is the share of answers, with its interval if any."""
    who = "The rater" if raters == 1 else f"The {raters:,} raters"
    return (
        f"{who} gave the {published} as their answer to {question} in a share of {share} of "
        f"{counted(answers, 'answer')} on {counted(cases, 'case')}."
    )

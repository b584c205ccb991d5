"""Opinions and raters against the right labels, which a value published with each case holds."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from reviewer.agreement.proportions import proportion
from reviewer.core.errors import RequestError
from reviewer.core.estimate import Estimate
from reviewer.core.question import Question
from reviewer.core.sanitize import shown
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

"""How often experts give the published answer, where a question asks for the answer itself."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from reviewer.agreement.clustered_ratios import ClusterSums, Resampling, combination, with_resamples
from reviewer.core.estimate import Estimate
from reviewer.core.kept_answers import chosen_labels
from reviewer.core.question import Question
from reviewer.core.sanitize import counted
from reviewer.protocols.base import Value
from reviewer.results.labels.agreement_results import Method
from reviewer.results.labels.final_labels import FinalLabel
from reviewer.results.labels.judge_results import said_of
from reviewer.study.design.study_bundle import StudyBundle


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
        share=_share(right, sizes, how),
        without=len(answered) - len(known),
    )


def _equal(question: Question, said: str, final: FinalLabel) -> int:
    """The number of votes that are the published answer."""
    wanted = {*chosen_labels(question, said)}
    given = [row.label for row in final.item_votes.votes if row.label is not None]
    return sum({*chosen_labels(question, label)} == wanted for label in given)


def _share(right: Sequence[int], sizes: Sequence[int], how: Method) -> Estimate:
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

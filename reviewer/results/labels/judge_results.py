"""Values that are opinions on a question, set against the final labels and against each rater."""

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np

from reviewer.agreement.bootstrap import bootstrap
from reviewer.agreement.clustered_ratios import ClusterSums, combination
from reviewer.agreement.coefficient import COHEN, ORDERED_COHEN, Coefficient
from reviewer.agreement.intervals import with_standard_error
from reviewer.agreement.judge import JudgeAmongRaters, judge_among_raters
from reviewer.agreement.judge_labels import share_among
from reviewer.agreement.percent_agreement import all_agree_of
from reviewer.agreement.ratings import Ratings
from reviewer.agreement.share_chance import GWET
from reviewer.agreement.weighting import IDENTITY, LINEAR, QUADRATIC, Weighting
from reviewer.core.errors import RequestError
from reviewer.core.estimate import NO_DATA, SETS, Estimate
from reviewer.core.judge_votes import JudgeVotes
from reviewer.core.question import Question, chosen_labels
from reviewer.core.sanitize import counted
from reviewer.protocols.base import Value
from reviewer.results.labels.agreement_results import Method
from reviewer.results.labels.asked_judges import AskedJudge
from reviewer.results.labels.coefficient_choice import KNOWN
from reviewer.results.labels.dimensions import ALL
from reviewer.results.labels.final_labels import FinalLabel
from reviewer.study.design.study_bundle import StudyBundle

JUDGE_DIMENSIONS = ("group", "generator", "dataset")
NO_LABEL = ""
"""An abstention, or an open final label."""
_PAIRWISE = KNOWN["po_pairwise"]
_JUDGE = "\0judge"
"""A column that no rater's name is."""


@dataclass(frozen=True)
class JudgedItem:
    """One item: what the opinion says (None: nothing), and the item's final label with its votes.

    ``unmapped``: the case has the value, but it stands for no answer to the question, as what a judge
    replied if no answer can be read from it. ``votes`` are those of a judge that was asked.
    """

    said: str | None
    unmapped: bool
    final: FinalLabel
    votes: JudgeVotes | None = None
    about: str = ""
    """What the case is about, where several cases of the study may be about the same; "" elsewhere."""

    @property
    def has_opinion(self) -> bool:
        """Whether the case has the value, even if it stands for no answer."""
        return self.said is not None or self.unmapped


@dataclass(frozen=True)
class AboutOpinion:
    """A row about an opinion on a question, in a part of the sample: a value for each dimension."""

    opinion: Value
    question: Question
    where: Mapping[str, str]


@dataclass(frozen=True)
class JudgeResult(AboutOpinion):
    """One opinion on some items.

    Items without the value (``absent``) or with a value that stands for no answer (``unmapped``) are
    abstentions; ``unsettled`` items have an opinion and no final label yet. ``accuracy`` and ``kappa`` are on
    the others; where labels stand in order kappa is weighted, and ``weights`` names how. Where sets of labels
    answer, accuracy asks for equal sets, ``likeness`` is the mean Jaccard similarity of both sets, and kappa
    has no value. ``confusion`` counts items by what the opinion says and by final label, with "" for neither.
    ``raters`` compares it with each rater, and under "" with all, if that was asked for.
    """

    items: int
    absent: int
    unmapped: int
    unsettled: int
    accuracy: Estimate
    kappa: Estimate
    likeness: Estimate | None
    weights: str
    confusion: Mapping[tuple[str, str], int]
    raters: Mapping[str, JudgeAmongRaters]
    whole: bool
    """Whether it is about all items of the question."""

    ac1: Estimate
    """Gwet's AC1 between opinion and final label, with kappa's weights where labels stand in order."""
    among_raters: Estimate
    """The mean agreement of pairs of raters on the items that have an opinion."""
    with_itself: Estimate | None
    """The mean agreement of pairs of a judge's replies about an item; None if no judge was asked."""

    @property
    def has_open(self) -> bool:
        """Whether any item has no final label yet, with an opinion or without."""
        return any(final == NO_LABEL for _, final in self.confusion)


def judge_results(
    bundle: StudyBundle,
    finals: Sequence[FinalLabel],
    by: Sequence[str] = ("group",),
    method: Method | None = None,
    *,
    with_raters: bool = False,
    asked: Sequence[AskedJudge] = (),
) -> list[JudgeResult]:
    """Every opinion by the dimensions, and then over all items; without the values that no item has.

    Opinions are the values that the protocol declares to be some, then those of the judges that were
    ``asked``. Pass ``with_raters`` to compare with single raters too. Raises RequestError for a dimension
    that cases do not have.
    """
    how = (method or Method(interval="bootstrap")).for_study(bundle)
    parts = divided_items(judged_items(bundle, finals, asked), by)
    return [_result(part, how, with_raters=with_raters) for part in parts]


def judged_items(
    bundle: StudyBundle, finals: Sequence[FinalLabel], asked: Sequence[AskedJudge] = ()
) -> Iterator[tuple[Value, list[JudgedItem]]]:
    """Each opinion with the items of its question: those of the protocol, then those of ``asked`` judges."""
    for opinion in bundle.protocol.opinions:
        yield opinion, [_judgement(bundle, opinion, final) for final in _of_question(finals, opinion)]
    for judge in asked:
        yield judge.opinion, [_verdict(bundle, judge, final) for final in _of_question(finals, judge.opinion)]


def varying(results: Sequence[JudgeResult]) -> list[JudgeResult]:
    """The results of opinions that give more than one answer; the others can tell no case from another."""
    constant = _only_answers(results)
    return [result for result in results if _about(result) not in constant]


def constant_in_words(
    results: Sequence[JudgeResult], left_out: str = "The table of accuracy leaves it out"
) -> list[str]:
    """Sentences on each opinion that gives the same answer to every item: how often that is the final label,
    and what leaves it out.
    """
    whole = {_about(result): result for result in results if result.whole}
    return [
        f"The opinion “{of.opinion.shown_name}” on “{of.question.title}” is {answer} for all "
        f"{counted(items, 'item')} that have it; {_confirmed(of, answer)}. {left_out}, "
        "because it is the same for every case."
        for about, (answer, items) in _only_answers(results).items()
        for of in [whole[about]]
    ]


def _confirmed(result: JudgeResult, answer: str) -> str:
    """On how many of its items the final label is the one answer of an opinion, as a clause."""
    finals = Counter[str]()
    for (said, final), items in result.confusion.items():
        finals.update({final: items} if said == answer else {})
    labelled = finals.total() - finals[NO_LABEL]
    if not labelled:
        return "none of these has a final label yet"
    of = f"the {labelled:,} of these with one" if finals[NO_LABEL] else f"these {labelled:,}"
    return f"the final label is {answer} on {finals[answer]:,} of {of}"


def _about(result: JudgeResult) -> tuple[str, str]:
    """What identifies an opinion: its name, and the question that it answers."""
    return result.opinion.name, result.question.key


def _only_answers(results: Sequence[JudgeResult]) -> dict[tuple[str, str], tuple[str, int]]:
    """The opinions that give two or more items one answer only: the answer, and the number of items."""
    items: dict[tuple[str, str], Counter[str]] = {}
    for result in results:
        if result.whole:
            given = items[_about(result)] = Counter()
            for (answer, _), count in result.confusion.items():
                given.update({answer: count} if answer != NO_LABEL else {})
    return {
        about: next(iter(given.items()))
        for about, given in items.items()
        if len(given) == 1 and sum(given.values()) > 1
    }


def check_judge_dimensions(by: Sequence[str]) -> None:
    """Raise RequestError for a dimension that cases do not have, or that is named twice."""
    for dimension in by:
        if dimension not in JUDGE_DIMENSIONS or by.count(dimension) > 1:
            allowed = ", ".join(JUDGE_DIMENSIONS)
            raise RequestError(f"cannot divide by {dimension!r}; use each of {allowed} at most once.")


def said_of(bundle: StudyBundle, opinion: Value, final: FinalLabel) -> str | None:
    """The answer that an opinion gives to an item; None if it gives none."""
    return _judgement(bundle, opinion, final).said


def _of_question(finals: Sequence[FinalLabel], opinion: Value) -> Iterator[FinalLabel]:
    return (
        final
        for final in finals
        if final.question.key == opinion.question and final.question.answer_kind.is_judged
    )


def _judgement(bundle: StudyBundle, opinion: Value, final: FinalLabel) -> JudgedItem:
    """Values that stand for different labels are not an opinion."""
    measurements = bundle.measurements[final.place.case]
    said = opinion.answer_in(measurements, final.question)
    unmapped = bool(opinion.values_in(measurements)) and said is None
    return JudgedItem(said, unmapped, final, about=bundle.same_case.get(final.place.case, ""))


def _verdict(bundle: StudyBundle, judge: AskedJudge, final: FinalLabel) -> JudgedItem:
    """An item whose replies cannot be read, or are tied, has no answer; one without any reply is absent."""
    votes = judge.votes.get(final.place.case)
    said = votes.answer if votes else None
    unmapped = votes is not None and votes.answered and said is None
    return JudgedItem(said, unmapped, final, votes, bundle.same_case.get(final.place.case, ""))


def same_cases(items: Sequence[JudgedItem]) -> list[str] | None:
    """What each item is about, where several are about the same and so are not independent; else None."""
    about = [item.about for item in items]
    return about if all(about) and len({*about}) < len(about) else None


@dataclass(frozen=True)
class ItemsAt:
    """Items of one opinion in one part of the sample; ``whole`` if it is about all of them."""

    opinion: Value
    where: Mapping[str, str]
    items: Sequence[JudgedItem]
    whole: bool

    @property
    def question(self) -> Question:
        """The question that the items answer."""
        return self.items[0].final.question

    @property
    def settled(self) -> list[tuple[str, str]]:
        """Opinion and final label of the items that have both."""
        return [(item.said, item.final.label) for item in self.items if item.said and item.final.label]

    @property
    def settled_cases(self) -> list[str] | None:
        """What each of these items is about, if several are about the same."""
        return same_cases([item for item in self.items if item.said and item.final.label])


Judged = Iterable[tuple[Value, Sequence[JudgedItem]]]
"""Each opinion with the items of its question."""


def divided_items(judged: Judged, by: Sequence[str]) -> list[ItemsAt]:
    """The items of each opinion that has any; raises RequestError for a dimension that cases do not have."""
    check_judge_dimensions(by)
    return [part for opinion, items in judged if has_opinion(items) for part in _parts(opinion, items, by)]


def _parts(opinion: Value, items: Sequence[JudgedItem], by: Sequence[str]) -> list[ItemsAt]:
    """The items of an opinion by the dimensions, and then all of them where there are several parts."""
    parts: dict[tuple[str, ...], list[JudgedItem]] = {}
    for item in items:
        key = tuple(str(getattr(item.final.place, dimension)) for dimension in by)
        parts.setdefault(key, []).append(item)
    wholes = {tuple(ALL for _ in by): items} if len(parts) > 1 else {}
    return [
        ItemsAt(opinion, dict(zip(by, key, strict=True)), part, len(part) == len(items))
        for key, part in [*parts.items(), *wholes.items()]
    ]


def never_varies(items: Sequence[JudgedItem]) -> bool:
    """Whether an opinion gives two or more items one answer only."""
    answers = Counter(item.said for item in items if item.said)
    return len(answers) == 1 and answers.total() > 1


def has_opinion(items: Sequence[JudgedItem]) -> bool:
    """Whether any of the items has a value of the opinion."""
    return any(item.has_opinion for item in items)


def _result(part: ItemsAt, how: Method, *, with_raters: bool) -> JudgeResult:
    opinion, question, items, settled = part.opinion, part.question, part.items, part.settled
    cases = part.settled_cases
    weighting = _weighting(question, how)
    said = [item for item in items if item.said is not None]
    of_sets = question.answer_kind.any_number
    answers = sorted({answer for pair in settled for answer in pair}) if of_sets else question.labels
    both = Ratings.from_labels(settled, answers, ("judge", "final"))
    unmapped = sum(item.unmapped for item in items)
    no_sets = Estimate.undefined(SETS, len(settled))
    return JudgeResult(
        opinion,
        question,
        part.where,
        len(items),
        len(items) - len(said) - unmapped,
        unmapped,
        len(said) - len(settled),
        _for_people(_accuracy(both, settled, cases, how.level), how),
        _for_people(no_sets if of_sets else _kappa(weighting, both, cases, how), how),
        _for_people(_likeness(question, settled, cases, how.level), how) if of_sets else None,
        weighting.key,
        Counter((item.said or NO_LABEL, item.final.label or NO_LABEL) for item in items),
        _beside_raters(question, said, weighting, how) if with_raters and not of_sets else {},
        part.whole,
        _for_people(no_sets if of_sets else _ac1(weighting, both, cases, how), how),
        _for_people(no_sets if of_sets else _among_raters(question, said, how), how),
        None if of_sets else _with_itself(question, said, how),
    )


def _accuracy(
    both: Ratings, settled: Sequence[tuple[str, str]], cases: Sequence[str] | None, level: float
) -> Estimate:
    """The share of items on which opinion and final label are the same."""
    if cases is None:
        return all_agree_of(both.patterns, level)
    hits = np.array([said == final for said, final in settled], dtype=np.bool_)
    return share_among(hits, np.ones(len(hits), dtype=np.bool_), cases, level)


def _of_same_cases(coefficient: Coefficient, ratings: Ratings, cases: Sequence[str], how: Method) -> Estimate:
    """With an interval that resamples what the items are about: formulas take items as independent."""
    if how.interval == "none":
        return coefficient(ratings, how.level)
    seed, resamples = how.seed or 0, how.resamples
    return bootstrap(ratings, coefficient, seed=seed, resamples=resamples, level=how.level, cases=cases)


def _among_raters(question: Question, said: Sequence[JudgedItem], how: Method) -> Estimate:
    """The mean agreement of pairs of raters on the items that have an opinion."""
    votes = [{row.rater: row.label for row in item.final.item_votes.votes} for item in said]
    raters = sorted({rater for given in votes for rater in given})
    table = [[given.get(rater) for rater in raters] for given in votes]
    ratings = Ratings.from_labels(table, question.labels, raters)
    cases = same_cases(said)
    return _of_same_cases(_PAIRWISE, ratings, cases, how) if cases else _PAIRWISE(ratings, how.level)


def _with_itself(question: Question, said: Sequence[JudgedItem], how: Method) -> Estimate | None:
    """The mean agreement of pairs of a judge's replies about the same item; None if it was not asked."""
    voted = [(item, item.votes) for item in said if item.votes is not None]
    if not voted:
        return None
    counts = [[votes.votes_for(label) for label in question.labels] for _, votes in voted]
    ratings, cases = Ratings.from_counts(counts, question.labels), same_cases([item for item, _ in voted])
    itself = _of_same_cases(_PAIRWISE, ratings, cases, how) if cases else _PAIRWISE(ratings, how.level)
    return _for_people(itself, how)


def _likeness(
    question: Question, settled: Sequence[tuple[str, str]], cases: Sequence[str] | None, level: float
) -> Estimate:
    """The mean over items of |A ∩ B| / |A ∪ B|, 1 for two empty sets, with Student's interval.

    Where several items are about the same ``cases``, its error is that of a ratio over these.
    """
    if not settled:
        return Estimate.undefined(NO_DATA, 0)
    sets = [[frozenset(chosen_labels(question, answer)) for answer in pair] for pair in settled]
    shares = np.array([len(one & other) / len(one | other) if one | other else 1.0 for one, other in sets])
    if cases is not None:
        sums = ClusterSums.of_cases(shares, np.ones(len(shares)), cases, least=0.0)
        return replace(combination([sums], [1.0], level), n=len(shares))
    return with_standard_error(float(shares.mean()), len(shares), shares, np.ones(len(shares), int), level)


def _weighting(question: Question, how: Method) -> Weighting:
    if not question.ordinal:
        return IDENTITY
    return LINEAR if how.weights == LINEAR.key else QUADRATIC


def _kappa(weighting: Weighting, both: Ratings, cases: Sequence[str] | None, how: Method) -> Estimate:
    cohen = ORDERED_COHEN.get(f"{COHEN.key}_{weighting.key}", COHEN)
    if cases is not None:
        return _of_same_cases(cohen, both, cases, how)
    if how.interval == "bootstrap":
        return bootstrap(both, cohen, seed=how.seed or 0, resamples=how.resamples, level=how.level)
    return cohen(both, how.level)


def _ac1(weighting: Weighting, both: Ratings, cases: Sequence[str] | None, how: Method) -> Estimate:
    if cases is None:
        return GWET.estimate(both.patterns, how.level, weighting)
    weighted = KNOWN.get(f"gwet_ac2_{weighting.key}", KNOWN["gwet_ac1"])
    return _of_same_cases(weighted, both, cases, how)


def _beside_raters(
    question: Question, said: Sequence[JudgedItem], weighting: Weighting, how: Method
) -> Mapping[str, JudgeAmongRaters]:
    votes = [{row.rater: row.label for row in judged.final.item_votes.votes} for judged in said]
    raters = sorted({rater for given in votes for rater in given})
    table = [
        [judged.said, *(given.get(rater) for rater in raters)]
        for judged, given in zip(said, votes, strict=True)
    ]
    compared = judge_among_raters(
        Ratings.from_labels(table, question.labels, (_JUDGE, *raters)),
        _JUDGE,
        weighting=weighting,
        seed=how.seed or 0,
        resamples=how.resamples if how.interval == "bootstrap" else 0,
        level=how.level,
        cases=same_cases(said),
    )
    return {rater: _all_for_people(among, how) for rater, among in compared.items()}


def _all_for_people(among: JudgeAmongRaters, how: Method) -> JudgeAmongRaters:
    agreement, kappa = (
        replace(
            compared,
            judge=_for_people(compared.judge, how),
            raters=_for_people(compared.raters, how),
            difference=_for_people(compared.difference, how),
        )
        for compared in (among.agreement, among.kappa)
    )
    return JudgeAmongRaters(agreement, kappa)


def _for_people(estimate: Estimate, how: Method) -> Estimate:
    return how.shown(estimate, estimate.n)

"""Opinions against people's labels in a report."""

from collections.abc import Iterator, Sequence

from reviewer.core.number_text import value_or_reason
from reviewer.core.sanitize import enumerated
from reviewer.report.document import Block, Paragraph, Picture, Points, Section, numbers, told_of
from reviewer.report.undefined_reasons import undefined_of
from reviewer.results.labels.judge_results import JudgeResult, constant_in_words, varying
from reviewer.results.labels.judged_shares import ShareEstimate, savings_in_words, share_estimates
from reviewer.results.labels.judges_by_label import JudgeByLabel
from reviewer.results.labels.known_labels import HumanLevel, level_words
from reviewer.results.labels.opinion_statistics import OpinionStatistics
from reviewer.results.tables.judge_share_tables import (
    confirmed_votes_spec,
    judged_shares_spec,
    judges_by_label_spec,
)
from reviewer.results.tables.judge_tables import (
    beside_raters,
    beside_raters_spec,
    confusion_matrix_spec,
    judges_spec,
    matrix_rows,
)
from reviewer.study.design.study_bundle import StudyBundle

_BY = ("group",)
_BY_VOTES = "Opinions that final labels confirm, by votes or published value"
_FIGURE = (
    "Opinions against final labels: sensitivity, specificity and bias of each label"
    "{intervals:, with intervals}."
)
_INSTEAD = "A forest plot; the table above has its numbers."
_REPLACEMENT = (
    "The alternative annotator test (Calderon, Reichart and Dror 2025) asks whether an opinion may stand in "
    "for one of the raters. Where nearly all labels are the same, an opinion that never varies can pass it."
)
_OPINION = (
    "An opinion is a published or measured value of a case that answers a question, such as a verdict of the "
    "model that wrote the case, or the answer of a judge: a model that was asked the question."
)
_WHAT = (
    f"{_OPINION} "
    "This program shows it to no rater before they answer that question. It is compared with the final "
    "labels, and with each rater on the cases that have it; the table “Opinions next to raters” also shows "
    "how often the other raters agree with that rater."
)


def opinion_blocks(
    results: Sequence[JudgeResult],
    levels: Sequence[HumanLevel],
    opinions: OpinionStatistics | None,
    digits: int,
) -> list[Block]:
    """What a report says about opinions, if the study has some that may be seen."""
    if not results:
        return []
    compared = varying(results)
    left_out = "The tables leave it out" if compared else "Nothing else is computed from it"
    constant = Points(tuple(constant_in_words(results, left_out)))
    if not compared:
        people = [Paragraph(words) for words in _people_words(levels, digits)]
        return [Section("Opinions"), Paragraph(_OPINION), *people, constant, *_more(opinions, digits)]
    divided, whole = ([result for result in compared if bool(result.where) == by] for by in (True, False))
    matrices = [
        numbers(
            f"opinions-confusion-{at}",
            f"Labels of {result.opinion.shown_name} by final label",
            confusion_matrix_spec(result),
            matrix_rows(result),
            digits,
        )
        for at, result in enumerate(whole, 1)
    ]
    among = numbers(
        "opinions-raters",
        "Opinions next to raters",
        beside_raters_spec((), whole),
        beside_raters(whole),
        digits,
    )
    against = numbers("opinions", "Opinions against final labels", judges_spec(_BY, divided), divided, digits)
    people = [Paragraph(words) for words in _people_words(levels, digits)]
    return [
        Section("Opinions"),
        Paragraph(_WHAT),
        *people,
        constant,
        against,
        *matrices,
        among,
        *_more(opinions, digits),
    ]


def _people_words(levels: Sequence[HumanLevel], digits: int) -> Iterator[str]:
    """How often people gave the published answer, a sentence for each question that asks for it."""
    for level in levels:
        share = value_or_reason(level.share, digits)
        about = (level.published.shown_name, level.question.title, level.raters, level.answers)
        yield level_words(*about, share, level.share.n)


def _more(opinions: OpinionStatistics | None, digits: int) -> list[Block]:
    """Opinions on each label, by votes, in the place of raters, and in the whole dataset."""
    if opinions is None or not opinions.by_label:
        return []
    labels, votes, shares = opinions.by_label, opinions.votes, share_estimates(opinions.shares)
    return [
        numbers("opinions-labels", "Opinions on each label", judges_by_label_spec(()), labels, digits),
        *_forest(labels),
        numbers("opinions-votes", _BY_VOTES, confirmed_votes_spec(()), votes, digits),
        Paragraph(_REPLACEMENT),
        Points(tuple(test.in_words() for test in opinions.replacement)),
        *_shares(shares, opinions.unknown, digits),
        Points(tuple(savings_in_words(opinions.shares))),
        *([Paragraph(opinions.warning)] if opinions.warning else []),
    ]


def _forest(labels: Sequence[JudgeByLabel]) -> list[Block]:
    """The figure of opinions on each label; none without any."""
    shown = any(
        estimate.shown_interval
        for row in labels
        for estimate in (row.compared.sensitivity, row.compared.specificity, row.compared.bias)
    )
    return [Picture("judges", told_of(_FIGURE, {"intervals": shown}), _INSTEAD)] if labels else []


def _shares(shares: Sequence[ShareEstimate], unknown: str, digits: int) -> list[Block]:
    if not shares:
        why = f"{unknown[:1].upper()}{unknown[1:]}"
        return [Paragraph(f"Shares beyond the drawn cases are not given. {why}".strip())]
    spec = judged_shares_spec(())
    return [numbers("opinions-shares", "Shares of labels beyond the drawn cases", spec, shares, digits)]


def undefined_opinions(
    results: Sequence[JudgeResult], opinions: OpinionStatistics | None = None
) -> Iterator[tuple[str, str]]:
    """Each reason with the place of its dash in these tables."""
    yield from _undefined_on_labels(opinions) if opinions else ()
    for result in varying(results):
        at = " · ".join((result.opinion.shown_name, *result.where.values()))
        yield from undefined_of((("accuracy", result.accuracy), ("Cohen's κ", result.kappa)), f"of {at}")
        for rater, among in result.raters.items():
            for name, compared in (("same", among.agreement), ("Cohen's κ", among.kappa)):
                if reason := compared.judge.reason or compared.raters.reason:
                    yield reason, f"{name} of {result.opinion.shown_name} beside {rater or 'all raters'}"


def _undefined_on_labels(opinions: OpinionStatistics) -> Iterator[tuple[str, str]]:
    for row in opinions.by_label:
        of = f"of {row.opinion.shown_name} · {row.question.title} · {row.label}"
        compared = row.compared
        yield from undefined_of(
            (("sensitivity", compared.sensitivity), ("specificity", compared.specificity)), of
        )
    for counted in opinions.votes:
        of = f"of {counted.opinion.shown_name} · {counted.label} · {counted.votes}"
        yield from undefined_of([("confirmed", counted.confirmed)], of)
    for one in share_estimates(opinions.shares):
        yield from undefined_of(
            [("share", one.share)], f"of {one.opinion.shown_name} · {one.label} · {one.title}"
        )


def why_no_opinion(bundle: StudyBundle) -> str:
    """A sentence on why a study has no opinion to compare with labels."""
    questions = {question.key: question for question in bundle.questions}
    opinions = [opinion for opinion in bundle.protocol.opinions if opinion.question in questions]
    asked = {key for key, question in questions.items() if question.answer_kind.is_judged}
    declared = [opinion.name for opinion in opinions if opinion.question in asked]
    if opinions and not declared:
        question = questions[opinions[0].question]
        return (
            f"{opinions[0].name} is an opinion on “{question.title}”, whose answers are "
            f"{question.answer_kind.words}: no opinion is compared with these. Raters see the value after "
            "they answer."
        )
    if not asked:
        kinds = enumerated(sorted({question.answer_kind.words for question in questions.values()}))
        return (
            f"the answers of study {bundle.study.name!r} are {kinds}: neither published values nor judges "
            "are compared with these."
        )
    if not declared:
        return (
            f"{bundle.protocol.title} declares no value to be an opinion on a question of this study; in a "
            "protocol's file, `opinion_on` and `labels` of a published value do so. To ask a model, run "
            f"`reviewer judges ask {bundle.study.name} --model NAME`."
        )
    return (
        f"no case of the study has an opinion: {', '.join(declared)} was published with none of them. To ask "
        f"a model, run `reviewer judges ask {bundle.study.name} --model NAME`."
    )

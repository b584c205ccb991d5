"""Limits of the numbers of a release: the kinds that were looked for, and those that were found."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass

from reviewer.core.estimate import FEWEST_CASES, Estimate
from reviewer.core.number_text import short_number, with_interval
from reviewer.core.sanitize import agreeing, counted, enumerated
from reviewer.exchange.releases.kind_agreement import has_own, own_agreement
from reviewer.exchange.releases.release_content import AuditFacts, QuestionFacts, ReleaseContent, StudyFacts

_FLOOR = 0.4
"""Agreement whose interval begins below this is named; Landis and Koch (1977) call it fair at most."""
_CORRECTED = ("Krippendorff", "Kendall's tau-b")
_CONFIRMED = 0.8
"""A published value that agrees with experts on a smaller share of cases is named."""
_UNCHECKABLE = (
    " They are not checkable here: they rest also on the labels of cases that are held out, which are not "
    "included."
)
_WARNED = {
    "speed": "answered most cases faster than people read",
    "one label": "gave the same label in all answers",
    "gold": "did not reach the pass mark of the gold cases",
    "training": "did not reach the pass mark of the training",
}

MAKERS_WORD: Mapping[str, str] = {
    **{name: name for name in ("version", "date", "source", "generation")},
    "dataset": "name",
    "citation": "authors, licence, contact",
    "source_release": "source",
    **dict.fromkeys(
        ("protocol_title", "group_noun", "own_format", "about", "definitions"), "words about the benchmark"
    ),
    **dict.fromkeys(("options", "places", "left_out", "withdrawn"), "cases that were left out"),
    **dict.fromkeys(("audit", "dataset_checks", "right_options"), "audit"),
    "changes": "revisions",
    "reports": "reports of readers",
    "open_studies": "open studies",
    "held_out": "cases that were left out",
    "described": "texts of the authors",
}
"""Fields of the content that only the makers' store can prove, with their names for readers."""
MAKERS_WORD_OF_A_STUDY: Mapping[str, str] = {
    "names": "names of raters",
    "warned": "doubts about raters",
    **dict.fromkeys(("sample", "picked", "listed"), "how samples were drawn"),
    "undescribed": "descriptions of studies",
    "given": "where labels were given",
    "people": "what raters said of themselves",
    "whole": "numbers with held-out cases",
    **dict.fromkeys(("withdrawn_raters", "withdrawn_labels"), "withdrawn labels"),
}
"""Fields of a study that its labels do not prove."""


@dataclass(frozen=True, slots=True)
class Looked:
    """One kind of limit, as it is named where none was found, and a sentence on each that was found."""

    about: str
    found: tuple[str, ...]


def looked_for(content: ReleaseContent) -> list[Looked]:
    """All kinds of limits that the numbers of a release can show."""
    return [*_of_audit(content), *_of_sample(content), *_of_studies(content.studies)]


def makers_word(content: ReleaseContent) -> str:
    """Everything in a release that has to be believed."""
    of_studies = MAKERS_WORD_OF_A_STUDY if content.studies else {}
    return enumerated([*dict.fromkeys((*MAKERS_WORD.values(), *of_studies.values()))])


def _of_audit(content: ReleaseContent) -> Iterator[Looked]:
    audit = content.audit
    unchecked = audit.contents - audit.audited - audit.earlier
    yield _looked(
        "cases that were not audited",
        unchecked,
        f"{counted(unchecked, 'case')} of {audit.contents:,} {_was(unchecked)} not audited.",
    )
    yield _looked(
        "audits by earlier checks",
        audit.earlier,
        f"{counted(audit.earlier, 'case')} {_was(audit.earlier)} audited by earlier checks only.",
    )
    if audit.audited + audit.earlier:
        yield _looked(
            "checks that could not run",
            audit.not_tested,
            f"On {counted(audit.not_tested, 'case')} at least one check could not run.",
        )
    yield from _of_findings(content, audit)
    reported = len({report.key for report in content.reports if report.became == "open"})
    yield _looked(
        "open reports of readers",
        reported,
        f"Readers reported something about {counted(reported, 'case')} of the dataset, and nobody repaired, "
        "withdrew or dismissed it; CHANGELOG.md names each.",
    )
    gone, names = len(content.withdrawn), ", ".join(content.withdrawn)
    yield _looked(
        "withdrawn cases",
        gone,
        f"{counted(gone, 'withdrawn case')} {_was(gone)} included on request: {names}.",
    )


def _of_findings(content: ReleaseContent, audit: AuditFacts) -> Iterator[Looked]:
    if audit.audited + audit.earlier:
        yield _looked(
            "findings that stand",
            audit.findings,
            "Findings stand that nobody dismissed; the table above counts them.",
        )
    if content.dataset_checks:
        yield _looked(
            "findings about all cases together",
            any(checked.stands for checked in content.dataset_checks),
            "Findings about the released cases together stand that nobody dismissed.",
        )


def _of_sample(content: ReleaseContent) -> Iterator[Looked]:
    cases, open_studies = len(content.cases), content.open_studies
    yield Looked("cases without expert labels", (*_unlabelled(content.studies, cases),))
    yield _looked(
        "open studies",
        open_studies,
        f"{open_studies:,} {agreeing(open_studies, 'study', 'studies')} of the dataset {_was(open_studies)} "
        "open when this version was made; nothing of them is stated here.",
    )


def _unlabelled(studies: Sequence[StudyFacts], cases: int) -> Iterator[str]:
    labelled = [study for study in studies if study.labels]
    largest = max((study.released for study in labelled), default=0)
    if not labelled or not largest:
        yield "No expert labels count for the released contents."
    elif largest < cases:
        yield (
            f"No study has labels on all released cases: the largest has {largest:,} of the {cases:,} in its "
            "sample."
        )
    for study in labelled:
        if not study.fewest:
            yield f"Some cases of study {study.name} have no label."


def _of_studies(studies: Sequence[StudyFacts]) -> Iterator[Looked]:
    kinds: dict[str, Callable[[StudyFacts], Iterator[str]]] = {
        "questions on fewer cases than an interval needs": _too_small,
        "questions that raters left open": _left_open,
        "agreement whose interval begins below .40": _low_agreement,
        "raters whose answers make one doubt their care, where times or known answers tell": _doubted,
        "published values that experts contradict": _contradicted,
        "cases that were not drawn at random": _picked,
        "studies that could be stopped by looking": _stopped,
        "judged cases that are not released as they were judged": _changed,
        "labelled items without a final label": _undecided,
        "questions that no answer passes": _without_pass,
        "raters of unknown background": _unknown_raters,
        "texts on recruitment, independence or consent that nobody wrote": _undescribed,
    }
    untested = _untested(studies)
    for about, found in kinds.items() if studies else ():
        sentences = tuple(sentence for study in studies for sentence in found(study))
        if sentences or found not in untested:
            yield Looked(about, sentences)


def _untested(studies: Sequence[StudyFacts]) -> set[Callable[[StudyFacts], Iterator[str]]]:
    """What these studies have no numbers for, so that nothing can be said not to be found."""
    questions = [question for study in studies for question in study.questions]
    tested = {
        _low_agreement: any(
            number.shown_interval for question in questions for number in _chance_corrected(question).values()
        ),
        _contradicted: any(
            opinion.agreement.value is not None for study in studies for opinion in study.opinions
        ),
        _doubted: any(study.labels for study in studies),
    }
    return {found for found, some in tested.items() if not some}


def _looked(about: str, holds: object, sentence: str) -> Looked:
    return Looked(about, (sentence,) if holds else ())


def _too_small(study: StudyFacts) -> Iterator[str]:
    if study.cases < FEWEST_CASES:
        yield (
            f"Study {study.name} has {counted(study.cases, 'case')}; with fewer than {FEWEST_CASES}, no "
            "interval is shown."
        )
        return
    small = [
        f"{question.title} ({question.items:,})"
        for question in study.questions
        if question.items < FEWEST_CASES
    ]
    if small:
        yield (
            f"In study {study.name}, these questions are about fewer than {FEWEST_CASES} cases, so they have "
            f"no interval: {enumerated(small)}."
        )


def _left_open(study: StudyFacts) -> Iterator[str]:
    for question in study.questions:
        if question.labels_given < question.items * max(study.fewest, 1):
            yield (
                f"In study {study.name}, some raters did not answer {question.title} on every case: it has "
                f"{counted(question.labels_given, 'label')} on {counted(question.items, 'case')}."
            )


def _chance_corrected(question: QuestionFacts) -> dict[str, Estimate]:
    """The coefficients of a question that are 0 where raters agree as often as by chance, by their titles."""
    if not has_own(question):
        return {"Fleiss' kappa": question.kappa, "Gwet's AC1": question.ac1}
    own = own_agreement(question).items()
    return {title: held for (label, title), held in own if not label and title.startswith(_CORRECTED)}


def _low_agreement(study: StudyFacts) -> Iterator[str]:
    held = {question.title: _chance_corrected(question) for question in study.questions}
    for name in dict.fromkeys(name for numbers in held.values() for name in numbers):
        low = {
            title: ends
            for title, numbers in held.items()
            if name in numbers and (ends := numbers[name].shown_interval) and ends.low < _FLOOR
        }
        below = [f"{title} ({short_number(ends.high)})" for title, ends in low.items() if ends.high < _FLOOR]
        begins = [f"{title} ({short_number(ends.low)})" for title, ends in low.items() if ends.high >= _FLOOR]
        if below:
            ends_at = f"lies below .40, and ends at: {enumerated(below)}"
            yield f"In study {study.name}, the whole interval of {name} {ends_at}."
        if begins:
            yield f"In study {study.name}, the interval of {name} begins below .40: {enumerated(begins)}."


def _doubted(study: StudyFacts) -> Iterator[str]:
    for kind, raters in study.warned.items():
        yield f"In study {study.name}, {raters:,} of {counted(study.raters, 'rater')} {_WARNED[kind]}."


def _contradicted(study: StudyFacts) -> Iterator[str]:
    for opinion in study.opinions:
        share = opinion.agreement.value
        if share is not None and share < _CONFIRMED:
            yield (
                f"In study {study.name}, the published {opinion.opinion} agrees with the experts' final "
                f"label of {opinion.question} on a share of {with_interval(opinion.agreement)} of the cases."
            )


def _picked(study: StudyFacts) -> Iterator[str]:
    if study.picked:
        yield (
            f"Cases of study {study.name} were picked for findings or repairs; of its numbers, only those of "
            "the dataset carry over to other cases."
            if study.weighted
            else f"The cases of study {study.name} were picked for findings or repairs; its numbers do not "
            "carry over to other cases."
        )
    if study.listed:
        yield (
            f"The cases of study {study.name} are those of a list; its numbers do not carry over to other "
            "cases."
        )


def _stopped(study: StudyFacts) -> Iterator[str]:
    if study.stopped:
        claim, *intervals = study.stopped
        yield (
            f"Study {study.name} could be stopped by looking, as soon as it may be claimed that {claim}. "
            "The intervals of its pass rates above, marked with †, are not valid for such a study. Intervals "
            f"that hold at every look (confidence sequence): {'; '.join(intervals)}."
            + (_UNCHECKABLE if study.whole else "")
        )


def _changed(study: StudyFacts) -> Iterator[str]:
    if other := study.cases - study.released:
        yield (
            f"{counted(other, 'case')} of study {study.name} {agreeing(other, 'is', 'are')} not in this "
            "release as judged: left out, changed, or of another dataset."
        )


def _undecided(study: StudyFacts) -> Iterator[str]:
    if study.open:
        yield (
            f"In study {study.name}, {counted(study.open, 'item')} (one question about one case) "
            f"{agreeing(study.open, 'has', 'have')} labels of which none has more than half."
        )


def _without_pass(study: StudyFacts) -> Iterator[str]:
    deciding_nothing = [question.title for question in study.questions if not question.passing]
    if deciding_nothing:
        yield (
            f"In study {study.name}, no answer lets a case pass {enumerated(deciding_nothing)}, so "
            f"{agreeing(len(deciding_nothing), 'this question does', 'these questions do')} not decide which "
            "cases passed."
        )


def _unknown_raters(study: StudyFacts) -> Iterator[str]:
    if not study.people:
        yield f"Of the raters of study {study.name}, no field, degree or experience is published."


def _undescribed(study: StudyFacts) -> Iterator[str]:
    if study.undescribed:
        yield f"Of study {study.name}, nobody described {enumerated(study.undescribed)}."


def _was(number: int) -> str:
    return agreeing(number, "was", "were")

"""Sentences of a release's card, each made from the numbers that it speaks of."""

from collections.abc import Sequence
from math import isclose

from reviewer.core.sanitize import agreeing, counted, enumerated
from reviewer.exchange.releases.release_content import (
    AuditFacts,
    GuessFacts,
    QuestionFacts,
    ReleaseContent,
    StudyFacts,
)


def audit_words(audit: AuditFacts, *, programs: bool) -> str:
    """How many contents were audited with which result; ``programs``: cases have some, which audits run."""
    by = "audited by the checks of this version of the program"
    if not audit.audited:
        return f"None of {counted(audit.contents, 'case')} was {by}."
    engines = f", with {enumerated(audit.engines)}" if audit.engines else ""
    ran = "every check and program ran on them" if programs else "every check could run on them"
    are = agreeing(audit.strictly_clean, "is", "are")
    strict = f" {audit.strictly_clean:,} of these {are} strictly clean: no doubtful finding stands either."
    return (
        f"{audit.audited:,} of {counted(audit.contents, 'case')} {agreeing(audit.audited, 'was', 'were')} "
        f"{by}{engines}. {audit.audit_clean:,} {agreeing(audit.audit_clean, 'is', 'are')} audit-clean: "
        f"{ran}, and no serious finding stands.{strict if audit.audit_clean else ''}"
    )


def no_finding_words(content: ReleaseContent) -> str:
    """What is said where no finding about a single case stands."""
    audit = content.audit
    some = " of the audited cases" if audit.audited + audit.earlier < audit.contents else ""
    about = f"No finding about a single case{some} stands"
    if any(checked.stands for checked in content.dataset_checks):
        return f"{about}, but at least one about all cases together does."
    untested = f", and {counted(audit.not_tested, 'case')} could not be tested by every check"
    return f"{about}{untested if audit.not_tested else ''}."


def passed_words(content: ReleaseContent) -> str:
    """Which studies every released case passed; "" if none was asked for."""
    passed = content.options.passed
    if not passed:
        return ""
    studies = [study for study in content.studies if study.name in passed]
    idle = {study.name: _idle(study.questions) for study in studies if _idle(study.questions)}
    words = f"Every case here passed every question of {' and of '.join(passed)}"
    if idle:
        named = enumerated([f"{enumerated(titles)} of {study}" for study, titles in idle.items()])
        words += f" that can decide; no answer lets a case pass {named}"
    return f"{words}. Only labels that were given to exactly this content count."


def answered_words(study: StudyFacts) -> str:
    """What intervals of a study do where several of its cases answer the same case; "" where none do."""
    if not 0 < study.answered < study.cases:
        return ""
    return (
        f"Its {study.cases:,} cases are answers of models to {counted(study.answered, 'case')} of a run. "
        "Answers to the same case depend on each other: intervals resample or count cases of "
        "the run, not answers."
    )


def guess_words(guessing: Sequence[GuessFacts], cases: int) -> str:
    """What the scores of answers without reading are worth; "" without any."""
    if not guessing:
        return ""
    judged = [guess.cases for guess in guessing]
    fewer = min(judged) < cases
    some = f"{min(judged):,} to {max(judged):,}" if min(judged) < max(judged) else f"{judged[0]:,}"
    over = f", over the {some} of {counted(cases, 'case')} that a measure can judge" if fewer else ""
    reached = [
        guess.measure
        for guess in guessing
        if guess.best is not None
        and any(value is not None and isclose(value, guess.best) for value in guess.values.values())
    ]
    words = (
        "Guessing, or giving one and the same kind of answer, scores this without reading the cases. The "
        f"values were computed from the data files alone{over}, under the benchmark's usual conditions."
    )
    if not reached:
        return words
    return (
        f"{words} Such answers reach the best value of {enumerated(reached)}, so a good value of "
        f"{agreeing(len(reached), 'it', 'them')} alone proves little."
    )


def outcome_words(study: StudyFacts) -> str:
    """How many cases passed, failed, stayed undecided, and have no label."""
    idle = _idle(study.questions)
    if len(idle) == len(study.questions):
        return "No answer to its questions lets a case pass, so none passed or failed."
    decides = " that can decide" if idle else ""
    words = (
        f"Of the cases, {study.passed:,} passed every question{decides}, {study.failed:,} failed at least "
        f"one, and {study.undecided:,} {agreeing(study.undecided, 'was', 'were')} left undecided."
    )
    if not study.not_reviewed:
        return words
    which = f" on a question{decides}" if idle else ""
    return f"{words} {counted(study.not_reviewed, 'case')} got no label{which}."


def rule_words(studies: Sequence[StudyFacts]) -> str:
    """When a case passes a question; what can pass it beside one answer is said only where that is so."""
    questions = [question for study in studies for question in study.questions]
    if not any(question.passing for question in questions):
        return ""
    several = (
        " Where several answers pass, different ones are not added up."
        if any(len(question.passing) > 1 for question in questions)
        else ""
    )
    return (
        "A case passes a question if its final label lets it pass: the adjudicated one, else the one that "
        f"more than half of its raters gave.{several}"
    )


def _idle(questions: Sequence[QuestionFacts]) -> list[str]:
    """The questions that no answer passes."""
    return [question.title for question in questions if not question.passing]

"""Decides what raters, adjudicators and other readers may see. No other module decides this.

Each function is named after the question that it answers. A ``why_not`` function returns the reason as a
sentence for people, or None if they are allowed. Home asks it before SQLAlchemy is loaded.
"""

import re
from collections.abc import Container, Iterable, Iterator, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

from reviewer.study.session.rater_progress import (
    StudyProgress,
    owed_in_words,
    progress_of,
    study_progress,
)
from reviewer.study.session.verdicts import Slot, State

if TYPE_CHECKING:
    from reviewer.core.pane import Pane, Sheet
    from reviewer.core.question import Question
    from reviewer.protocols.base import Protocol
    from reviewer.protocols.registry import Protocols
    from reviewer.study.design.study_bundle import StudyBundle
    from reviewer.study.session.verdicts import History
    from store.database import Database
    from store.records import Case, Finding, Measurement, Membership, StudyCase, View

# -- what others answered --------------------------------------------------------------------------


def may_see_others_answers(progress: StudyProgress, person: str) -> bool:
    """Whether this person may see others' answers.

    Everybody may once the study is closed, raters once they have finished, and leads who are not raters once
    all raters have finished.
    """
    if progress.study.closed_at is not None or progress.has_finished(person):
        return True
    return _only_leads(progress, person) and progress.finished


def may_see_warnings(progress: StudyProgress, person: str) -> bool:
    """Whether this person may see warnings about raters: leads may, once they owe no verdict themselves."""
    if person not in progress.leads:
        return False
    return why_not_lead(progress, person) is None


def why_not_agreement(progress: StudyProgress, person: str) -> str | None:
    """A sentence on why this person may not see the agreement; None if they may."""
    if may_see_others_answers(progress, person):
        return None
    if _only_leads(progress, person):
        waiting = owed_in_words(progress) or "nobody has begun"
        return (
            "Raters judge alone. As the study's lead you can see the agreement when all raters have finished "
            f"or when the study is closed: {waiting}."
        )
    own, name = progress.own(person), progress.study.name
    done = f"you have answered {own.done:,} of {own.slots:,}" if own else "you have not begun"
    lead = "" if own else f" If you lead the study, run `reviewer study lead {name} {person}`."
    return (
        f"Raters judge alone. You can see the agreement when you have answered everything ({done}) "
        f"or when the study is closed.{lead}"
    )


def why_not_results(progress: StudyProgress, person: str) -> str | None:
    """A sentence on why this person may not see labels and numbers of the study; None if they may.

    People who are neither raters nor leads of the study may: a rater whom they tell is not held back by us.
    """
    takes_part = person in progress.leads or progress.own(person) is not None
    return why_not_agreement(progress, person) if takes_part else None


def why_not_shared_cases(database: "Database", person: str, study: str) -> str | None:
    """A sentence on why this person may not see labels and opinions of a study because of another one.

    They still owe answers about some of the same cases there. None if they may.
    """
    from store.studies import studies_sharing_cases

    owed = owed_by(study_progress(database), person)
    with database.read() as session:
        sharing = studies_sharing_cases(session, study) if owed else set()
    asking = next((progress.study.name for progress in owed if progress.study.name in sharing), None)
    return asking and (
        f"You still have cases to answer in study {asking} that study {study} has too, and what was said of "
        "them there would influence your answers. Finish first, or close the study."
    )


def why_not_judges(progress: StudyProgress, *, in_pack: bool = False) -> str | None:
    """A sentence on why nobody may see yet how opinions compare with labels; None if everybody may.

    The opinions would influence raters who still have cases to answer, no matter who passes them on. A pack
    does not tell whether its study has such raters.
    """
    if in_pack:
        return (
            f"study {progress.study.name!r} came here in a pack, and other raters may have cases to answer; "
            "opinions are compared in the store that the pack was made in."
        )
    if progress.study.closed_at is not None or progress.finished:
        return None
    waiting = owed_in_words(progress) or "nobody has begun"
    return (
        "Raters judge alone. Opinions on the questions are shown when all raters have finished or when the "
        f"study is closed: {waiting}."
    )


def why_not_lead(progress: StudyProgress, person: str) -> str | None:
    """A sentence on why this person may not be named as lead; None if they may.

    Raters with open cases may not: a lead sees how others answer before the study ends.
    """
    own, name = progress.own(person), progress.study.name
    if own is None or own.finished or progress.study.closed_at is not None:
        return None
    return (
        f"{person!r} is a rater of study {name!r} and has answered {own.done:,} of {own.slots:,}; "
        "a rater can be named as lead when they have answered everything."
    )


def why_not_direct(progress: StudyProgress, person: str) -> str | None:
    """A sentence on why this person may not close the study or leave raters out of it; None if they may.

    Raters with open cases may not unless they lead the study. Closing shows them the answers of others.
    """
    if person in progress.leads or not _owes(progress, person):
        return None
    return (
        f"{person!r} is a rater of study {progress.study.name!r} with open cases; its lead can do this "
        f"({', '.join(progress.leads) or 'nobody is named yet'}), or {person!r} after answering everything."
    )


def why_not_reopen(progress: StudyProgress, person: str) -> str | None:
    """A sentence on why this person may not open a closed study again; None if they may.

    Raters could see the answers of others while it was closed, so none of them opens it for their own ones.
    """
    own = progress.own(person)
    if own is None or own.finished:
        return None
    return (
        f"{person!r} is a rater of study {progress.study.name!r} with open cases, and could see the answers "
        "of others while it was closed; somebody who does not rate in it can open it again."
    )


def why_not_rate(progress: StudyProgress, person: str) -> str | None:
    """A sentence on why this person may not join a study as a rater; None if they may.

    Leads may not join once they can see what others answered.
    """
    if not (_only_leads(progress, person) and may_see_others_answers(progress, person)):
        return None
    name = progress.study.name
    return (
        f"{person!r} leads study {name!r} and can see its verdicts, because all its raters have finished; "
        "to rate in it, give another name."
    )


def may_see_generators(protocol: "Protocol", *, owes: bool) -> bool:
    """Whether somebody may learn who wrote cases, given whether they still owe answers about these cases."""
    return not (owes and protocol.hides_generators)


def generators_told_by_names(protocol: "Protocol", sample: "Iterable[StudyCase]") -> list[str]:
    """The hidden generators whose name occurs in a dataset's name or a key, which raters see."""
    if may_see_generators(protocol, owes=True):
        return []
    named = {
        place.generator
        for place in sample
        if place.generator and _has_word(f"{place.dataset} {place.key}", place.generator)
    }
    return sorted(named)


def _has_word(text: str, word: str) -> bool:
    return re.search(rf"(?<!\w){re.escape(word.casefold())}(?!\w)", text.casefold()) is not None


def without_generator(place: "Membership") -> "Membership":
    """A case's place as somebody sees it who may not learn who wrote the case."""
    return place.model_copy(update={"generator": ""})


def hidden_datasets(
    database: "Database", protocols: "Protocols", studies: Iterable[StudyProgress], person: str
) -> frozenset[str]:
    """The datasets whose generators this person may not see, because they owe answers about their cases."""
    return frozenset(
        dataset
        for progress, datasets in _owed_datasets(database, studies, person)
        if (known := protocols.usable(progress.study.protocol)) is None
        or not may_see_generators(known, owes=True)
        for dataset in datasets
    )


def owed_by(studies: Iterable[StudyProgress], person: str) -> list[StudyProgress]:
    """The open studies in which this person still has cases to answer."""
    return [progress for progress in studies if _owes(progress, person)]


def owed_about(
    database: "Database", studies: Iterable[StudyProgress], person: str, dataset: str
) -> StudyProgress | None:
    """An open study in which this person still has cases of a dataset to answer; None if there is none."""
    owed = _owed_datasets(database, studies, person)
    return next((progress for progress, datasets in owed if dataset in datasets), None)


def _owed_datasets(
    database: "Database", studies: Iterable[StudyProgress], person: str
) -> list[tuple[StudyProgress, set[str]]]:
    """The studies in which this person owes answers, each with the datasets that hold cases of it.

    A merged dataset or a copy holds the same cases under another name.
    """
    owed = owed_by(studies, person)
    if not owed:
        return []
    from store.studies import asked_datasets

    with database.read() as session:
        held = asked_datasets(session, [progress.study.name for progress in owed])
    return [(known, held[known.study.name] | {*known.study.design["datasets"]}) for known in owed]


def _owes(progress: StudyProgress, person: str) -> bool:
    own = progress.own(person)
    return progress.study.closed_at is None and own is not None and not own.finished


def _only_leads(progress: StudyProgress, person: str) -> bool:
    """Whether this person leads the study and is not one of its raters."""
    return person in progress.leads and progress.own(person) is None


def why_not_adjudicate(database: "Database", bundle: "StudyBundle", person: str) -> str | None:
    """A sentence on why this person may not see the verdicts and adjudicate; None if they may.

    Raters of the study may adjudicate only if its lead allowed it, and only when all answers are given.
    Its leads may only when all answers are given.
    """
    name = bundle.study.name
    if reason := why_not_shared_cases(database, person, name):
        return reason
    if all(rater.rater != person for rater in bundle.raters):
        return why_not_agreement(progress_of(database, name), person) if person in bundle.leads else None
    if person not in who_may_adjudicate(bundle):
        return (
            f"{person!r} is a rater of study {name!r}. A rater may adjudicate only if the study's lead "
            f"allows it: `reviewer adjudicate {name} --as {person} --allow-rater LEAD`."
        )
    if bundle.study.closed_at is None and not (progress := progress_of(database, name)).finished:
        return (
            f"{person!r} is a rater of study {name!r}, which is neither closed nor finished: "
            f"{owed_in_words(progress)}."
        )
    return None


def who_may_adjudicate(bundle: "StudyBundle") -> frozenset[str]:
    """The people who may adjudicate: the study's adjudicators, and raters whom its lead allowed to."""
    admitted = {act.subject for act in bundle.acts if act.kind == "admit" and act.subject}
    return frozenset(admitted | {person.rater for person in bundle.adjudicators})


# -- automatic findings ----------------------------------------------------------------------------


def why_not_audit(
    database: "Database", studies: Iterable[StudyProgress], rater: str, dataset: str
) -> str | None:
    """A sentence on why this person may not yet see the findings on a dataset; None if they may.

    Findings would influence a rater who still has cases of the dataset to answer.
    """
    return _why_not_influence(database, studies, rater, dataset, "automatic findings")


def why_not_history(
    database: "Database", studies: Iterable[StudyProgress], person: str, dataset: str
) -> str | None:
    """A sentence on why this person may not yet see revisions of cases and notes on what is wrong in them."""
    return _why_not_influence(database, studies, person, dataset, "revisions and notes")


def why_not_published(
    database: "Database", studies: Iterable[StudyProgress], person: str, dataset: str
) -> str | None:
    """A sentence on why this person may not yet have a dataset as a file, with its published values."""
    return _why_not_influence(database, studies, person, dataset, "published values")


def why_not_outcomes(
    database: "Database", studies: Iterable[StudyProgress], person: str, datasets: Iterable[str]
) -> str | None:
    """A sentence on why this person may not yet see what models answered to cases of these datasets.

    None if they may: what a model says of a case, and what logic says, would influence a rater like findings.
    """
    known = [*studies]
    reasons = (
        _why_not_influence(database, known, person, dataset, "answers of models") for dataset in datasets
    )
    return next(filter(None, reasons), None)


def _why_not_influence(
    database: "Database", studies: Iterable[StudyProgress], rater: str, dataset: str, shown: str
) -> str | None:
    """A sentence for a rater who still has cases of the dataset to answer in an open study."""
    progress = owed_about(database, studies, rater, dataset)
    if progress is None:
        return None
    return (
        f"You still have cases of {dataset} to answer in study {progress.study.name}, and {shown} "
        "would influence your answers. Finish first, or close the study."
    )


def measurements_on_no_question(
    protocol: "Protocol", measurements: "Iterable[Measurement]"
) -> "tuple[Measurement, ...]":
    """The measurements that anybody may see at any time: those that answer no question."""
    return tuple(value for value in measurements if not protocol.questions_before(value.name))


def measurements_for_pack(
    protocol: "Protocol", measurements: "Iterable[Measurement]"
) -> "tuple[Measurement, ...]":
    """The measurements that no rater can do without: on no question, or what a question is about."""
    shown = {name for question in protocol.questions_with_values for name in protocol.shown_with(question)}
    return tuple(
        value for value in measurements if value.name in shown or not protocol.questions_before(value.name)
    )


def values_that_wait(protocol: "Protocol") -> "dict[str, tuple[str, ...]]":
    """Each value that raters see only after they answered questions, with the keys of these questions."""
    waiting = {value.name: protocol.questions_before(value.name) for value in protocol.values}
    return {name: tuple(sorted(questions)) for name, questions in waiting.items() if questions}


def findings_on_no_question(findings: "Iterable[Finding]") -> "tuple[Finding, ...]":
    """The findings that anybody may see at any time: those that answer no question."""
    return tuple(finding for finding in findings if finding.question is None)


def may_see_own_answer(slot: Slot, here: Slot) -> bool:
    """Whether a rater who is at the slot ``here`` may look up the answer that they gave at another slot.

    Nothing tells that a case is shown twice: about the case on the screen they see what they answered at this
    showing of it, and about others what they answered at the first.
    """
    return slot.showing == (here.showing if slot.case == here.case else 0)


def sees_what_the_answer_reveals(bundle: "StudyBundle", history: "History", slot: Slot) -> bool:
    """Whether the rater now sees what their answer at a slot reveals."""
    if bundle.design.reveal == "none":
        return False
    if bundle.roles[slot.case] == "training" or bundle.study.closed_at is not None:
        return _is_labelled(history, slot)
    return history.revealed(slot)


def may_see_findings_on(bundle: "StudyBundle", history: "History", slot: Slot, question: str) -> bool:
    """Whether a slot may show the findings on another question about the same case.

    To show them would make the answer to that question final, even if it was a typing mistake, so the rater
    must have seen them there first.
    """
    others = showings(bundle, replace(slot, question=question))
    return any(sees_what_the_answer_reveals(bundle, history, other) for other in others)


def may_see_what_is_asked_about(bundle: "StudyBundle", history: "History", slot: Slot) -> bool:
    """Whether a slot may show the values that its question is about (``Value.seen``).

    They would influence the rater's answers to the study's other questions about the case, at each showing
    of it, so all of these come first.
    """
    case = bundle.cases[slot.case]
    others = (
        question.key
        for question in bundle.questions
        if question.key != slot.question and bundle.protocol.asks(question, case)
    )
    return all(
        _is_labelled(history, shown)
        for question in others
        for shown in showings(bundle, replace(slot, question=question))
    )


def has_seen_what_is_asked_about(bundle: "StudyBundle", history: "History", slot: Slot) -> bool:
    """Whether the rater answered another question about the case, with values that influence this slot."""
    asking = bundle.protocol.questions_with_values - {slot.question}
    asked = (question.key for question in bundle.questions if question.key in asking)
    others = (shown for question in asked for shown in showings(bundle, replace(slot, question=question)))
    return any(_is_labelled(history, shown) for shown in others)


def questions_revealed_at(
    bundle: "StudyBundle", history: "History", slot: Slot, *, is_asked: bool
) -> frozenset[str]:
    """The questions whose findings a slot shows now.

    There are none while the rater ``is_asked`` about a contradiction there. The answer may be a slip, and can
    be taken back only as long as nothing was shown.
    """
    if is_asked:
        return frozenset()
    others = (question.key for question in bundle.questions if question.key != slot.question)
    revealed = {key for key in others if may_see_findings_on(bundle, history, slot, key)}
    own = {slot.question} if sees_what_the_answer_reveals(bundle, history, slot) else set()
    return frozenset(revealed | own)


def why_not_reveal(bundle: "StudyBundle", history: "History", slot: Slot) -> str | None:
    """A sentence on why the rater may not ask for what their answer at a slot reveals; None if they may.

    In a study that shows cases twice, all answers to the question come first, for every case alike. Otherwise
    a rater could tell from a refusal that the case will be shown again.
    """
    design = bundle.design
    if sees_what_the_answer_reveals(bundle, history, slot):
        return "You already see everything on this question."
    if design.reveal == "none" or bundle.roles[slot.case] == "training":
        return "Nothing more is shown about this case."
    if design.reveal == "findings":
        return "In this study, findings are shown right after you answer."
    if not _is_labelled(history, slot):
        return "Findings on this question are hidden until you answer it."
    if bundle.repeated and not _is_finished(bundle, history, slot.question):
        return "In this study, findings are shown after you have answered this question for every case."
    return None


def _is_finished(bundle: "StudyBundle", history: "History", question: str) -> bool:
    from reviewer.study.design.study_bundle import BLIND

    slots = bundle.slots(bundle.question(question), BLIND)
    return all(_is_labelled(history, shown) for slot in slots for shown in showings(bundle, slot))


def showings(bundle: "StudyBundle", slot: Slot) -> list[Slot]:
    """The slots of the same case and question: two if the case is shown twice."""
    count = 2 if slot.case in bundle.repeated else 1
    return [replace(slot, showing=showing) for showing in range(count)]


def _is_labelled(history: "History", slot: Slot) -> bool:
    return history.verdict(slot).state is State.LABELLED


# -- panes -----------------------------------------------------------------------------------------


def sheet_for(
    protocol: "Protocol",
    question: "Question",
    case: "Case",
    measurements: "Sequence[Measurement]",
    answered: Container[str],
    view: "View",
    findings: "Sequence[Finding]" = (),
    before: "Case | None" = None,
    *,
    all_others_answered: bool = True,
) -> "Sheet":
    """The panes of one question about one case, given the questions that the rater has answered about it.

    Measurements and findings on a question are held back until that question is answered; what the question
    is about is held back until ``all_others_answered``. The ``paper`` view
    shows only the panes that the question is about until then. An altered case is replaced by a sentence that
    says so, because raters should judge only what the study holds. ``before`` is the content before a
    repair, if the study shows both: of the panes that are shown, those that it changed follow as they were.
    """
    from reviewer.core.pane import Sheet
    from reviewer.protocols.altered_case import altered_pane

    if not case.is_whole:
        return Sheet((altered_pane(case),))
    due = protocol.shown_with(question.key)
    allowed = [
        m
        for m in measurements
        if (m.name in due and all_others_answered)
        or all(asked in answered for asked in protocol.questions_before(m.name))
    ]
    visible = [f for f in findings if f.question is None or f.question in answered]
    panes = {pane.key: pane for pane in protocol.panes(case, allowed, visible)}
    done = question.key in answered
    beside = question.beside if done or view == "full" else ()
    revealed = question.reveals if done else ()
    shown = [key for key in (*question.shows, *beside, *revealed) if key in panes]
    return Sheet(
        tuple(panes[key] for key in question.shows if key in panes),
        (
            *(_panes_before(protocol, case, before, shown) if before else ()),
            *(panes[key] for key in (*beside, *revealed) if key in panes),
        ),
    )


def _panes_before(
    protocol: "Protocol", case: "Case", before: "Case", shown: Container[str]
) -> "Iterator[Pane]":
    """The shown panes that a repair changed, as they were; nothing that a machine measured is in them."""
    from reviewer.protocols.altered_case import altered_pane

    if not before.is_whole:
        yield altered_pane(before)
        return
    now = {pane.key: pane.texts for pane in protocol.panes(case, ())}
    for pane in protocol.panes(before, ()):
        if pane.key in shown and pane.texts != now.get(pane.key):
            yield replace(pane, key=f"{pane.key}_before", title=f"old {pane.title}")


def panes_while_owed(
    protocol: "Protocol",
    case: "Case",
    measurements: "Iterable[Measurement]",
    findings: "Iterable[Finding]",
    owed: "Iterable[StudyProgress]",
) -> "list[Pane]":
    """The panes of a case for somebody who still owes answers about it in the studies ``owed``.

    They are those that a question of one of these studies shows before it is answered, without anything that
    a machine measured or found on a question.
    """
    from reviewer.protocols.altered_case import altered_pane

    if not case.is_whole:
        return [altered_pane(case)]
    shown = {
        key
        for progress in owed
        for question in progress.study.questions
        for key in (*question["shows"], *(question["beside"] if progress.study.view == "full" else ()))
    }
    allowed = measurements_on_no_question(protocol, measurements)
    panes = protocol.panes(case, allowed, findings_on_no_question(findings))
    return [pane for pane in panes if pane.key in shown]


def sheet_for_adjudicator(
    bundle: "StudyBundle", question: "Question", case: "Case", *, decided: bool
) -> "Sheet":
    """The panes of a disputed item. Findings on its question are held back until it is decided."""
    open_key = None if decided else question.key
    return _whole_sheet(bundle, question, case, {asked.key for asked in bundle.questions} - {open_key})


def sheet_without_blinding(bundle: "StudyBundle", question: "Question", case: "Case") -> "Sheet":
    """All panes, for people who have nothing left to answer."""
    return _whole_sheet(bundle, question, case, {asked.key for asked in bundle.questions})


def _whole_sheet(
    bundle: "StudyBundle", question: "Question", case: "Case", answered: Container[str]
) -> "Sheet":
    measured, findings = bundle.measurements[case.digest], bundle.findings[case.digest]
    before = bundle.before.get(case.digest)
    return sheet_for(bundle.protocol, question, case, measured, answered, "full", findings, before)

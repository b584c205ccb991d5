"""What may somebody see? Every such decision is made here: of raters, of adjudicators, of any reader.

Functions are named for the question that they answer. A ``why_not`` function gives the reason as a sentence
for people, or None where they may.
"""

from collections.abc import Container, Iterable, Sequence
from dataclasses import replace

from reviewer.core.pane import Sheet
from reviewer.core.question import Question
from reviewer.protocols.altered_case import altered_pane
from reviewer.protocols.base import Protocol
from reviewer.study.design.closing import owed_in_words
from reviewer.study.design.study_bundle import StudyBundle
from reviewer.study.session.rater_progress import StudyProgress, progress_of
from reviewer.study.session.verdicts import History, Slot, State
from store.database import Database
from store.records import Case, Finding, Measurement, View

# -- what others answered --------------------------------------------------------------------------


def may_see_others_answers(progress: StudyProgress, rater: str) -> bool:
    """Raters judge alone: others' answers are shown once the study is closed or this rater has finished."""
    return progress.study.closed_at is not None or progress.has_finished(rater)


def why_not_agreement(progress: StudyProgress, rater: str) -> str | None:
    """Why this rater may not see the agreement, a sentence; None where the rater may."""
    if may_see_others_answers(progress, rater):
        return None
    own = next((known for known in progress.raters if known.rater == rater), None)
    done = f"you have done {own.done:,} of {progress.slots:,}" if own else "you have not begun"
    return (
        f"Raters judge alone: the agreement opens once you have answered everything ({done}), "
        "or the study is closed."
    )


def why_not_adjudicate(database: Database, bundle: StudyBundle, person: str) -> str | None:
    """Why this person may not see the verdicts and decide, a sentence; None where the person may.

    Who rates in the study may only if its lead has said so, and not before all answers are in.
    """
    if all(rater.rater != person for rater in bundle.raters):
        return None
    name = bundle.study.name
    if person not in who_may_adjudicate(bundle):
        return (
            f"{person!r} is a rater of study {name!r}, and a rater adjudicates only if the study's lead says "
            f"so: `reviewer adjudicate {name} --as {person} --allow-rater LEAD`."
        )
    if bundle.study.closed_at is None and not (progress := progress_of(database, name)).finished:
        return (
            f"{person!r} is a rater of study {name!r}, which is neither closed nor finished by all: "
            f"{owed_in_words(progress)}."
        )
    return None


def who_may_adjudicate(bundle: StudyBundle) -> frozenset[str]:
    """Who may decide: the study's adjudicators, and the raters whom its lead has let."""
    admitted = {act.subject for act in bundle.acts if act.kind == "admit" and act.subject}
    return frozenset(admitted | {each.rater for each in bundle.adjudicators})


# -- what machines found ---------------------------------------------------------------------------


def why_not_audit(studies: Iterable[StudyProgress], rater: str, dataset: str) -> str | None:
    """Why this person may not yet see what machines found in a dataset; None where the person may.

    Whoever still judges cases of it would be swayed.
    """
    for progress in studies:
        owes = any(known.rater == rater and known.done < progress.slots for known in progress.raters)
        if owes and progress.study.closed_at is None and dataset in progress.study.design["datasets"]:
            return (
                f"You still judge cases of {dataset} in {progress.study.name}, and what machines found would "
                "sway you: finish first, or close the study."
            )
    return None


def measurements_on_no_question(
    protocol: Protocol, measurements: Iterable[Measurement]
) -> tuple[Measurement, ...]:
    """What anybody may see of a case at any time: measurements that answer no question."""
    return tuple(value for value in measurements if value.name not in protocol.bears_on)


def findings_on_no_question(findings: Iterable[Finding]) -> tuple[Finding, ...]:
    """The same of findings."""
    return tuple(finding for finding in findings if finding.question is None)


def sees_what_the_answer_reveals(bundle: StudyBundle, history: History, slot: Slot) -> bool:
    """Whether the rater sees what the answer at a slot reveals."""
    if bundle.design.reveal == "none":
        return False
    if bundle.roles[slot.case] == "training" or bundle.study.closed_at is not None:
        return _is_labelled(history, slot)
    return history.revealed(slot)


def may_see_findings_on(bundle: StudyBundle, history: History, slot: Slot, question: str) -> bool:
    """Whether what machines found on another question about the case may stand at a slot.

    By question, that question was finished earlier, so its answers are enough. By case it was answered a
    moment ago, and showing findings now would make a slip of the finger final.
    """
    others = showings(bundle, replace(slot, question=question))
    if bundle.design.asking == "question" and bundle.design.reveal != "none":
        return all(_is_labelled(history, each) for each in others)
    return any(sees_what_the_answer_reveals(bundle, history, each) for each in others)


def showings(bundle: StudyBundle, slot: Slot) -> list[Slot]:
    """The slots of the same case and question: two where the case is shown twice."""
    count = 2 if slot.case in bundle.repeated else 1
    return [replace(slot, showing=showing) for showing in range(count)]


def _is_labelled(history: History, slot: Slot) -> bool:
    return history.verdict(slot).state is State.LABELLED


# -- panes -----------------------------------------------------------------------------------------


def sheet_for(
    protocol: Protocol,
    question: Question,
    case: Case,
    measurements: Sequence[Measurement],
    answered: Container[str],
    view: View,
    findings: Sequence[Finding] = (),
) -> Sheet:
    """The panes of one question about one case, given the questions that the rater has answered about it.

    A machine's opinion of a question, measured or found, is held back until that question is answered. In
    the ``paper`` view nothing stands beside what is asked about before the answer. In the place of a case
    that was altered a sentence says so: nobody should judge what the study does not hold.
    """
    if not case.is_whole:
        return Sheet((altered_pane(case),))
    allowed = [
        m for m in measurements if (asked := protocol.bears_on.get(m.name)) is None or asked in answered
    ]
    found = [f for f in findings if f.question is None or f.question in answered]
    panes = {pane.key: pane for pane in protocol.panes(case, allowed, found)}
    done = question.key in answered
    beside = question.beside if done or view == "full" else ()
    revealed = question.reveals if done else ()
    return Sheet(
        tuple(panes[key] for key in question.shows if key in panes),
        tuple(panes[key] for key in (*beside, *revealed) if key in panes),
    )


def sheet_for_adjudicator(bundle: StudyBundle, question: Question, case: Case, *, decided: bool) -> Sheet:
    """The panes of an item to decide: what machines found on its question is held back until the decision."""
    open_key = None if decided else question.key
    return _whole_sheet(bundle, question, case, {each.key for each in bundle.questions} - {open_key})


def sheet_without_blinding(bundle: StudyBundle, question: Question, case: Case) -> Sheet:
    """All panes, for people who have nothing left to judge."""
    return _whole_sheet(bundle, question, case, {each.key for each in bundle.questions})


def _whole_sheet(bundle: StudyBundle, question: Question, case: Case, answered: Container[str]) -> Sheet:
    measured, found = bundle.measurements[case.digest], bundle.findings[case.digest]
    return sheet_for(bundle.protocol, question, case, measured, answered, "full", found)

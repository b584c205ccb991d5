"""Decides what of a case is shown: measurements, findings and panes. ``blinding`` decides the rest."""

from collections.abc import Collection, Container, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from reviewer.core.answer_kinds import ANSWER_KINDS
from reviewer.core.check_result import EVERY_QUESTION
from reviewer.study.session.rater_progress import StudyProgress
from reviewer.study.session.verdicts import History, Slot, slot_of

if TYPE_CHECKING:
    from reviewer.core.pane import Pane, Sheet
    from reviewer.core.question import Question
    from reviewer.protocols.base import Protocol
    from reviewer.study.design.study_bundle import StudyBundle
    from store.records import Case, Finding, Measurement, View

# -- measurements, findings and own answers --------------------------------------------------------


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


def findings_for_pack(findings: "Iterable[Finding]") -> "tuple[Finding, ...]":
    """The findings that can become visible in a pack, where each waits for one question at most."""
    return tuple(finding for finding in findings if finding.question != EVERY_QUESTION)


def may_see_own_answer(slot: Slot, here: Slot) -> bool:
    """Whether a rater who is at the slot ``here`` may look up the answer that they gave at another slot.

    Nothing tells that a case is shown twice: about the case on the screen they see what they answered at this
    showing of it, and about others what they answered at the first.
    """
    return slot.showing == (here.showing if slot.case == here.case else 0)


def sees_what_the_answer_reveals(bundle: "StudyBundle", history: "History", slot: Slot) -> bool:
    """Whether the rater now sees what their answer at a slot reveals."""
    if bundle.design.reveal == "none" or why_wait_for_another_study(bundle, history, slot):
        return False
    if bundle.roles[slot.case] == "training" or bundle.study.closed_at is not None:
        return is_labelled(history, slot)
    return history.revealed(slot)


def why_wait_for_another_study(bundle: "StudyBundle", history: "History", slot: Slot) -> str | None:
    """A sentence on why what an answer reveals has to wait for another study; None if it need not.

    It would influence the answer to the same question there. What was already revealed for a second verdict
    stays, because the rater gives that verdict on it.
    """
    other = bundle.owed_elsewhere.get((slot.case, slot.question))
    open_for_second = bundle.study.closed_at is None and bundle.design.reveal == "findings"
    if other is None or (open_for_second and history.revealed(slot)):
        return None
    return f"You still have to answer this question about this case in study {other}; findings follow then."


def why_values_wait(bundle: "StudyBundle", slot: Slot) -> str | None:
    """A sentence on why the values that a question is about wait for another study; None if they need not.

    They would influence the answers to other questions about the case there.
    """
    if slot.question not in bundle.protocol.questions_with_values:
        return None
    for (case, question), other in bundle.owed_elsewhere.items():
        if case == slot.case and question != slot.question:
            return (
                f"You still have to answer other questions about this case in study {other}; what this "
                "question is about is shown then, and can be answered then."
            )
    return None


def may_see_findings_on(bundle: "StudyBundle", history: "History", slot: Slot, question: str) -> bool:
    """Whether a slot may show the findings on another question about the same case.

    To show them would make the answer to that question final, even if it was a typing mistake, so the rater
    must have seen them there first.
    """
    others = showings(bundle.repeated, replace(slot, question=question))
    return any(sees_what_the_answer_reveals(bundle, history, other) for other in others)


def may_see_what_is_asked_about(bundle: "StudyBundle", history: "History", slot: Slot) -> bool:
    """Whether a slot may show the values that its question is about (``Value.seen``).

    They would influence the rater's answers to the study's other questions about the case, at each showing
    of it, so all of these come first.
    """
    if why_values_wait(bundle, slot):
        return False
    case = bundle.cases[slot.case]
    others = (
        question.key
        for question in bundle.questions
        if question.key != slot.question and bundle.protocol.asks(question, case)
    )
    return all(
        is_labelled(history, shown)
        for question in others
        for shown in showings(bundle.repeated, replace(slot, question=question))
    )


def has_seen_what_is_asked_about(bundle: "StudyBundle", history: "History", slot: Slot) -> bool:
    """Whether the rater answered another question about the case, with values that influence this slot."""
    asking = bundle.protocol.questions_with_values - {slot.question}
    asked = (question.key for question in bundle.questions if question.key in asking)
    others = (
        shown for question in asked for shown in showings(bundle.repeated, replace(slot, question=question))
    )
    return any(is_labelled(history, shown) for shown in others)


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
    """A sentence on why the rater may not ask for the reveal of their answer at a slot; None if they may.

    In a study that shows cases twice, all answers to the question come first, for every case alike. Otherwise
    a rater could tell from a refusal that the case will be shown again.
    """
    design = bundle.design
    if sees_what_the_answer_reveals(bundle, history, slot):
        return "You already see everything on this question."
    if design.reveal == "none" or bundle.roles[slot.case] == "training":
        return "Nothing more is shown about this case."
    if why := why_wait_for_another_study(bundle, history, slot):
        return why
    if design.reveal == "findings":
        return "In this study, findings are shown right after you answer."
    if not is_labelled(history, slot):
        return "Findings on this question are hidden until you answer it."
    if bundle.repeated and not _is_finished(bundle, history, slot.question):
        return "In this study, findings are shown after you have answered this question for every case."
    return None


def why_not_confidence(bundle: "StudyBundle", history: "History") -> str | None:
    """A sentence on why the rater cannot say how sure they are of the answer that they gave last.

    What an answer reveals would influence that, so it is said before.
    """
    if not bundle.design.confidence:
        return "this study does not ask how sure you are."
    answer = history.newest_label()
    if answer is None:
        return "answer first: how sure you are is said right after an answer."
    told = answer.phase == "before" and history.revealed(slot_of(answer))
    if told or bundle.roles[answer.case] == "training":
        return "you have seen more since that answer, so it is too late to say how sure you were."
    return None


def _is_finished(bundle: "StudyBundle", history: "History", question: str) -> bool:
    from reviewer.study.design.study_bundle import BLIND

    slots = bundle.slots(bundle.question(question), BLIND)
    return all(is_labelled(history, shown) for slot in slots for shown in showings(bundle.repeated, slot))


def showings(repeated: Container[str], slot: Slot) -> list[Slot]:
    """The slots of the same case and question: two if the case is one of those that are shown twice."""
    return [replace(slot, showing=showing) for showing in (0, 1)] if slot.case in repeated else [slot]


def is_labelled(history: "History", slot: Slot) -> bool:
    """Whether a slot has an answer now."""
    answer = history.current_answer(slot)
    return answer is not None and answer.kind == "label"


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
    from reviewer.study.session.side_order import without_names

    owed = tuple(owed)
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
    nameless = {
        key for progress in owed for question in progress.study.questions for key in _output_panes(question)
    }
    return [without_names(pane) if pane.key in nameless else pane for pane in panes if pane.key in shown]


def _output_panes(question: "Mapping[str, Any]") -> "Iterable[str]":
    """The panes of a frozen question about outputs that raters do not know by name; none of any other."""
    kind = ANSWER_KINDS.get(question["kind"])
    is_about_outputs = question.get("outputs") or (kind and kind.is_ranked)
    return (*question["shows"], *question["beside"]) if is_about_outputs else ()


def panes_while_undecided(
    protocol: "Protocol",
    case: "Case",
    measurements: "Iterable[Measurement]",
    findings: "Iterable[Finding]",
    undecided: Collection[str],
) -> "Sequence[Pane]":
    """The panes of a case for an adjudicator who has not decided these questions about it yet."""
    from reviewer.protocols.altered_case import altered_pane

    if not case.is_whole:
        return [altered_pane(case)]
    allowed = [m for m in measurements if protocol.questions_before(m.name).isdisjoint(undecided)]
    held_back = {EVERY_QUESTION, *undecided}
    return protocol.panes(case, allowed, [f for f in findings if f.question not in held_back])


def sheet_for_adjudicator(
    bundle: "StudyBundle", question: "Question", case: "Case", undecided: Collection[str]
) -> "Sheet":
    """The panes of a disputed item. Findings on questions about the case that are ``undecided``, here or in
    another study that this person adjudicates, are held back."""
    elsewhere = {asked for digest, asked in bundle.owed_elsewhere if digest == case.digest}
    decided = {asked.key for asked in bundle.questions}.difference(undecided, elsewhere)
    return _whole_sheet(bundle, question, case, decided)


def sheet_without_blinding(bundle: "StudyBundle", question: "Question", case: "Case") -> "Sheet":
    """All panes, for people who have nothing left to answer."""
    return _whole_sheet(bundle, question, case, {EVERY_QUESTION, *(asked.key for asked in bundle.questions)})


def _whole_sheet(
    bundle: "StudyBundle", question: "Question", case: "Case", answered: Container[str]
) -> "Sheet":
    measured, findings = bundle.measurements[case.digest], bundle.findings[case.digest]
    before = bundle.before.get(case.digest)
    return sheet_for(bundle.protocol, question, case, measured, answered, "full", findings, before)

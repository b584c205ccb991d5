"""What a rater may see of a case: the one place where blinding is decided."""

from collections.abc import Container, Sequence

from reviewer.core.pane import Sheet
from reviewer.core.question import Question
from reviewer.protocols.altered_case import altered_pane
from reviewer.protocols.base import Protocol
from store.records import Case, Finding, Measurement, View


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

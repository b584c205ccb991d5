"""A case in the list and in the pane of the cases screen, and the text where no case was found."""

from collections.abc import Sequence
from dataclasses import replace

from textual.content import Content

from reviewer.core.pane import Pane
from reviewer.protocols.altered_case import headline_of, panes_of
from reviewer.protocols.registry import Protocols
from reviewer.study.session.blinded_panes import measurements_on_no_question, panes_while_owed
from reviewer.study.session.rater_progress import StudyProgress
from reviewer.tui.rendering.line import EMPTY, Line, plain_lines, with_words_marked
from reviewer.tui.rendering.literal import literal, literal_line
from reviewer.tui.rendering.pane_text import pane_texts_of
from store.records import Case, Measurement, Membership

_LONGEST = 80


def case_name(place: Membership) -> str:
    """The last part of the key, in which keys differ."""
    return place.key.rpartition("/")[2] or place.key


def case_item(protocols: Protocols, words: str, place: Membership, case: Case, state: str = "") -> Content:
    """The case's name, group and state (such as withdrawn), and below them how it begins.

    Words that were searched for are marked.
    """
    item = Content("\n").join(
        [
            Content.assemble(
                literal_line(case_name(place), _LONGEST, "bold"),
                "  ",
                literal_line(case.group, _LONGEST, "$foreground 70%"),
                literal_line(f" · {state}" if state else "", _LONGEST, "bold"),
            ),
            literal_line(headline_of(protocols, case), _LONGEST, "$foreground 60%"),
        ]
    )
    return with_words_marked(item, words, "bold reverse")


def rest_item(listed: int, rest: str) -> Content:
    """The end of a list that does not hold everything."""
    return Content("\n").join(
        [
            literal(f"Only the first {listed:,} of {rest} are listed.", "bold"),
            literal("More words in the search find fewer cases.", "$foreground 60%"),
        ]
    )


def none_lines(only: str, width: int) -> tuple[Line, ...]:
    """What to try where nothing was found."""
    among = f" (only {only})" if only else ""
    text = f"No case has all these words{among}.\n\nThe search compares beginnings of words. "
    text += "Fewer or shorter words find more" + ("; I searches all cases." if only else ".")
    return plain_lines(literal(text), width)


def case_lines(
    protocols: Protocols,
    words: str,
    place: Membership,
    case: Case,
    measurements: Sequence[Measurement],
    owed: Sequence[StudyProgress],
    width: int,
) -> tuple[Line, ...]:
    """The whole key and the case, its panes below each other, with the searched words marked.

    ``owed``: the studies in which the reader has still to answer about such cases.
    """
    lines = [*plain_lines(literal(place.key, "muted"), width), EMPTY]
    for pane in _panes(protocols, case, measurements, owed):
        for pane_text in pane_texts_of(pane, "unified"):
            head = literal(f"── {pane_text.title}   {pane_text.legend}".rstrip(), "muted")
            lines += [*plain_lines(head, width), *pane_text.lines(width), EMPTY]
    return tuple(replace(line, content=with_words_marked(line.content, words, "match")) for line in lines)


def _panes(
    protocols: Protocols, case: Case, measurements: Sequence[Measurement], owed: Sequence[StudyProgress]
) -> Sequence[Pane]:
    """The panes of a case without what a machine says on a question, which raters are to answer alone."""
    protocol = protocols.usable(case.protocol) if case.is_whole else None
    if protocol is None:
        return panes_of(protocols, case, ())
    if owed:
        return panes_while_owed(protocol, case, measurements, (), owed)
    return panes_of(protocols, case, measurements_on_no_question(protocol, measurements))

"""A case in the list and in the pane of the cases screen, and the text where no case was found."""

from collections.abc import Sequence
from dataclasses import replace

from textual.content import Content

from reviewer.protocols.altered_case import headline_of, panes_of
from reviewer.protocols.registry import Protocols
from reviewer.study.session.blinding import measurements_on_no_question
from reviewer.tui.rendering.line import EMPTY, Line, plain_lines
from reviewer.tui.rendering.literal import literal, literal_line
from reviewer.tui.rendering.pane_text import pane_texts_of
from reviewer.tui.rendering.word_search import with_words_marked
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
    width: int,
) -> tuple[Line, ...]:
    """The whole key and the whole case, its panes below each other, with the searched words marked."""
    protocol = protocols.usable(case.protocol) if case.is_whole else None
    neutral = measurements_on_no_question(protocol, measurements) if protocol else ()
    lines = [*plain_lines(literal(place.key, "muted"), width), EMPTY]
    for pane in panes_of(protocols, case, neutral):
        for pane_text in pane_texts_of(pane, "unified"):
            head = literal(f"── {pane_text.title}   {pane_text.legend}".rstrip(), "muted")
            lines += [*plain_lines(head, width), *pane_text.lines(width), EMPTY]
    return tuple(replace(line, content=with_words_marked(line.content, words, "match")) for line in lines)

"""The one way in which text from outside gets on a screen: as itself, never as markup."""

from textual.content import Content

from reviewer.core.sanitize import one_line, visible


def literal(text: str, style: str = "") -> Content:
    """The text as content that nothing parses; controls and direction marks become visible signs."""
    shown = visible(text)
    return Content.styled(shown, style) if style else Content(shown)


def literal_line(text: str, width: int, style: str = "") -> Content:
    """The text as one such line of at most ``width`` characters, cut with an ellipsis."""
    return literal(one_line(text, max(1, width)), style)

"""The only way for text from outside onto a screen: literally, never as markup."""

from textual.content import Content

from reviewer.core.sanitize import one_line, visible


def literal(text: str, style: str = "") -> Content:
    """The text as content that nothing parses. Controls and direction marks become visible signs."""
    shown = visible(text)
    return Content.styled(shown, style) if style else Content(shown)


def literal_line(text: str, width: int, style: str = "") -> Content:
    """The text as one literal line of at most ``width`` characters, cut with an ellipsis."""
    return literal(one_line(text, max(1, width)), style)

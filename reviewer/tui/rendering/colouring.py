"""Source code with its tokens named, so that it can be coloured."""

from functools import lru_cache

from pygments.token import Comment, Keyword, Name, Number, Operator, Punctuation, String, _TokenType
from textual.content import Content, Span

# A longer text would take a second to colour, which helps nobody.
_MOST_CHARACTERS = 40_000
# Atoms and predicates are most of a program, so they stay uncoloured.
_NAMES = {
    Comment: "code-comment",
    String: "code-string",
    String.Atom: None,
    Number: "code-number",
    Operator: "code-operator",
    Punctuation: "code-operator",
    Name.Variable: "code-variable",
    Keyword: "code-operator",
}


@lru_cache(maxsize=128)
def coloured(source: str, language: str) -> Content:
    """The source with one span for each token. Unknown languages and very long sources stay plain."""
    if len(source) > _MOST_CHARACTERS:
        return Content(source)
    from pygments.lexers import get_lexer_by_name
    from pygments.util import ClassNotFound

    try:
        lexer = get_lexer_by_name(language)
    except ClassNotFound:
        return Content(source)
    spans = []
    for start, kind, token in lexer.get_tokens_unprocessed(source):
        if name := _name_of(kind):
            spans.append(Span(start, start + len(token), name))
    return Content(source, spans=spans)


def _name_of(kind: _TokenType | None) -> str | None:
    """The style of a token kind, or of the nearest kind above it."""
    while kind is not None and kind not in _NAMES:
        kind = kind.parent
    return None if kind is None else _NAMES[kind]

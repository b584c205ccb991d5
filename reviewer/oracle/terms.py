"""Reads Prolog text as data in Python: terms with the names that the author gave to their variables.

SWI-Prolog itself reads the programs in an audit. This reader serves what is shown afterwards, where no Prolog
runs. It knows the standard operators and gives up (``UnreadableError``) on everything that it does not know,
so that a caller can show the text as it is.
"""

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from functools import lru_cache
from typing import Literal

TermKind = Literal["atom", "number", "text", "variable", "compound", "list"]

_TOKENS = re.compile(
    r"""(?P<blank>\s+|%[^\n]*|/\*.*?\*/)
    |(?P<character>0'(?:\\.|''|[^\\]))
    |(?P<number>0[xob][0-9a-fA-F]+|\d+(?:\.\d+)?(?:[eE][+-]?\d+)?)
    |(?P<variable>[A-Z_]\w*)
    |(?P<name>[^\W\d_A-Z]\w*|'(?:[^'\\]|\\.|'')*'|\[\s*\]|\{\s*\}|[!;]|[-+*/\\^<>=~:.?@\#&$]+)
    |(?P<text>"(?:[^"\\]|\\.|"")*"|`(?:[^`\\]|\\.|``)*`)
    |(?P<mark>[(),|\[\]])""",
    re.DOTALL | re.VERBOSE,
)
_INFIX: Mapping[str, tuple[int, int, int]] = {
    name: (priority, priority - (left == "x"), priority - (right == "x"))
    for priority, (left, right), names in (
        (1200, "xx", ":- -->"),
        (1100, "xy", "; |"),
        (1050, "xy", "-> *->"),
        (1000, "xy", ","),
        (990, "xx", ":="),
        (700, "xx", "< = =.. =@= \\=@= =:= =< == =\\= > >= @< @=< @> @>= \\= \\== as is >:< :<"),
        (600, "xy", ":"),
        (500, "yx", "+ - /\\ \\/ xor"),
        (400, "yx", "* / // mod rdiv << >> div rem"),
        (200, "xx", "**"),
        (200, "xy", "^"),
    )
    for name in names.split()
}
_PREFIX: Mapping[str, tuple[int, int]] = {
    name: (priority, priority - (argument == "x"))
    for priority, argument, names in (
        (1200, "x", ":- ?-"),
        (1150, "x", "dynamic discontiguous initialization multifile table"),
        (900, "y", "\\+"),
        (200, "y", "- + \\"),
    )
    for name in names.split()
}
_ARGUMENT, _CLAUSE = 999, 1200
_MOST_TOKENS, _DEEPEST = 2_000, 100


class UnreadableError(ValueError):
    """The text is not a term that this reader knows."""


@dataclass(frozen=True, slots=True)
class Term:
    """A term at characters ``start`` to ``end`` of the text that was read.

    ``name`` is that of the functor, atom or variable, or the number or text as written. A list has its items
    in ``args``; the name "|" says that the last of them is its tail.
    """

    kind: TermKind
    name: str
    args: tuple["Term", ...] = ()
    start: int = field(default=0, compare=False)
    end: int = field(default=0, compare=False)

    def walk(self) -> Iterator["Term"]:
        """This term and all inside it, in the order of the text."""
        yield self
        for argument in self.args:
            yield from argument.walk()

    def calls(self, name: str, arity: int) -> bool:
        """Whether it has this name and number of arguments."""
        return self.kind in ("atom", "compound") and self.name == name and len(self.args) == arity

    @property
    def ground(self) -> bool:
        """Whether it has no variable."""
        return all(part.kind != "variable" for part in self.walk())


@dataclass(frozen=True, slots=True)
class _Token:
    kind: str
    text: str
    start: int
    end: int
    touching: bool


@lru_cache(maxsize=512)
def read_term(text: str) -> Term:
    """The one term of a text, which may end with a full stop. Raises UnreadableError."""
    try:
        return _Reader(text).whole()
    except RecursionError as error:
        raise UnreadableError("the term is too deep") from error


def _tokens(text: str) -> Iterator[_Token]:
    at, touching = 0, False
    while at < len(text):
        match = _TOKENS.match(text, at)
        if match is None or match.lastgroup is None:
            raise UnreadableError(f"character {at} begins no term")
        if match.lastgroup != "blank":
            yield _Token(match.lastgroup, match[0], at, match.end(), touching)
        touching = match.lastgroup != "blank"
        at = match.end()


class _Reader:
    """Reads by operator precedence; one token ahead."""

    def __init__(self, text: str) -> None:
        self._tokens: list[_Token] = []
        for token in _tokens(text):
            if len(self._tokens) == _MOST_TOKENS:
                raise UnreadableError("the term is too long")
            self._tokens.append(token)
        if self._tokens and self._tokens[-1].text == "." and self._tokens[-1].kind == "name":
            self._tokens.pop()
        self._at = 0
        self._depth = 0

    def whole(self) -> Term:
        term = self._term(_CLAUSE)
        if self._at != len(self._tokens):
            raise UnreadableError("the text goes on after the term")
        return term

    def _ahead(self) -> _Token | None:
        return self._tokens[self._at] if self._at < len(self._tokens) else None

    def _take(self, text: str = "") -> _Token:
        token = self._ahead()
        if token is None or (text and token.text != text):
            raise UnreadableError(f"{text or 'a term'} is missing")
        self._at += 1
        return token

    def _is_ahead(self, *texts: str) -> bool:
        token = self._ahead()
        return token is not None and token.kind == "mark" and token.text in texts

    def _term(self, most: int) -> Term:
        self._depth += 1
        if self._depth > _DEEPEST:
            raise UnreadableError("the term is too deep")
        left, priority = self._primary(most)
        while operator := self._infix(most, priority):
            priority, _, of_right = _INFIX[operator]
            self._at += 1
            right = self._term(of_right)
            name = ";" if operator == "|" else operator
            left = Term("compound", name, (left, right), left.start, right.end)
        self._depth -= 1
        return left

    def _infix(self, most: int, priority: int) -> str:
        token = self._ahead()
        if token is None or token.kind not in ("name", "mark") or token.text not in _INFIX:
            return ""
        of_whole, of_left, _ = _INFIX[token.text]
        return token.text if of_whole <= most and priority <= of_left else ""

    def _primary(self, most: int) -> tuple[Term, int]:
        token = self._take()
        match token.kind:
            case "number" | "character":
                return Term("number", token.text, (), token.start, token.end), 0
            case "variable" | "text":
                return Term(token.kind, token.text, (), token.start, token.end), 0
            case "name":
                return self._named(token, most)
        if token.text == "(":
            inner = self._term(_CLAUSE)
            end = self._take(")").end
            return Term(inner.kind, inner.name, inner.args, token.start, end), 0
        if token.text == "[":
            return self._list(token), 0
        raise UnreadableError(f"{token.text} begins no term")

    def _named(self, token: _Token, most: int) -> tuple[Term, int]:
        following = self._ahead()
        name = _unquoted(token.text)
        if following and following.text == "(" and following.touching:
            self._at += 1
            arguments = () if self._is_ahead(")") else self._arguments(")")
            return Term("compound", name, arguments, token.start, self._take(")").end), 0
        if token.text == "-" and following and following.kind == "number" and following.touching:
            self._at += 1
            return Term("number", f"-{following.text}", (), token.start, following.end), 0
        if token.text in _PREFIX and self._operand_follows():
            priority, of_argument = _PREFIX[token.text]
            if priority > most:
                priority, of_argument = _ARGUMENT, _ARGUMENT
            argument = self._term(of_argument)
            return Term("compound", name, (argument,), token.start, argument.end), priority
        kind: TermKind = "list" if token.text[0] == "[" else "atom"
        return Term(kind, "" if kind == "list" else name, (), token.start, token.end), 0

    def _operand_follows(self) -> bool:
        token = self._ahead()
        if token is None or (token.kind == "mark" and token.text not in ("(", "[")):
            return False
        if token.kind == "mark" or token.text not in _INFIX or token.text in _PREFIX:
            return True
        after = self._tokens[self._at + 1] if self._at + 1 < len(self._tokens) else None
        return after is not None and after.text == "(" and after.touching

    def _arguments(self, *ends: str) -> tuple[Term, ...]:
        terms = [self._term(_ARGUMENT)]
        while not self._is_ahead(*ends):
            self._take(",")
            terms.append(self._term(_ARGUMENT))
        return tuple(terms)

    def _list(self, opening: _Token) -> Term:
        items, name = self._arguments("]", "|"), ""
        if self._is_ahead("|"):
            self._at += 1
            items, name = (*items, self._term(_ARGUMENT)), "|"
        return Term("list", name, items, opening.start, self._take("]").end)


def _unquoted(name: str) -> str:
    if len(name) > 1 and name[0] == "'":
        return name[1:-1].replace("''", "'")
    return "".join(name.split()) if name[0] in "{" else name


def written(term: Term) -> str:
    """The term as text on one line, with blanks around operators."""
    match term.kind, term.args:
        case "list", items:
            tail = f" | {written(items[-1])}" if term.name == "|" else ""
            return f"[{', '.join(map(_argument, items[:-1] if tail else items))}{tail}]"
        case "compound", (left, right) if term.name in _INFIX:
            _, of_left, of_right = _INFIX[term.name]
            blank = "" if term.name == "," else " "
            return f"{_argument(left, of_left)}{blank}{term.name} {_argument(right, of_right)}"
        case "compound", (only,) if term.name in _PREFIX:
            return f"{term.name} {_argument(only, _PREFIX[term.name][1])}"
        case "compound", arguments:
            return f"{_atom(term.name)}({', '.join(map(_argument, arguments))})"
        case "atom", _:
            return _atom(term.name)
        case _:
            return term.name


def _argument(term: Term, most: int = _ARGUMENT) -> str:
    """An argument, in brackets if its operator binds less than its place needs."""
    return f"({written(term)})" if _priority(term) > most else written(term)


def _priority(term: Term) -> int:
    """The priority of a term that is written with an operator; 0 for others."""
    if term.kind == "compound" and len(term.args) == 2 and term.name in _INFIX:
        return _INFIX[term.name][0]
    if term.kind == "compound" and len(term.args) == 1 and term.name in _PREFIX:
        return _PREFIX[term.name][0]
    return 0


def _atom(name: str) -> str:
    plain = re.fullmatch(r"[^\W\d_A-Z]\w*|[-+*/\\^<>=~:.?@#&$]+|[!;]|\[\]|\{\}", name)
    return name if plain else "'" + name.replace("'", "''") + "'"

"""Goals of a program in words. A goal for which there are no good words keeps its own names, in quotes."""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from reviewer.oracle.derivation_steps import AuthorsClauses
from reviewer.oracle.terms import Term, written

_OPTION = re.compile(r"option_([A-Z])")
_UNIT = re.compile(r"(hour|day|week|month|year|minute|second|percent|sprint)s?")
_NOUN_ENDINGS = ("ity", "ness", "ment", "tion", "sion", "ance", "ence", "ship", "cy", "ture")
_NOUN_LIST = """
benefit budget capacity cause choice complexity constraint cost coverage deadline debt delay duration effort
estimate expertise factor feature focus frequency gain goal impact issue length level limit load method number
outcome phase price priority problem process quality rate result risk score size speed stage status strategy
style support task threshold time timeline type usage value weight
"""
_NOUNS = frozenset(_NOUN_LIST.split())
# Words that make a name a statement ("ensures_quality") or a command ("gather_feedback").
_VERB_LIST = """
add address allow apply avoid are build can conduct create deliver enable enhance ensure follow gather handle
has have implement improve increase integrate is maintain meet must needs optimize perform prevent provide
reduce require resolve should uses
"""
_VERBS = frozenset(_VERB_LIST.split())
_RELATIONS = {
    "suitable": "is suitable for",
    "better_than": "is better than",
    "supports": "supports",
    "has": "has",
    "uses": "uses",
    "requires": "requires",
    "needs": "needs",
    "provides": "provides",
    "offers": "offers",
    "includes": "includes",
    "implements": "implements",
    "develops": "develops",
    "satisfies": "satisfies",
    "meets": "meets",
}
_COMPARISONS = {
    "=<": ("is at most", "is more than"),
    ">=": ("is at least", "is less than"),
    "<": ("is less than", "is at least"),
    ">": ("is more than", "is at most"),
    "=:=": ("equals", "does not equal"),
    "=\\=": ("does not equal", "equals"),
    **dict.fromkeys(("is", "=", "=="), ("is", "is not")),
    **dict.fromkeys(("\\=", "\\=="), ("is not", "is")),
}
"""What a comparison says if it holds, and if it failed."""
_ARITHMETIC = {"+": "plus", "-": "minus", "*": "times", "/": "divided by"}
_NOT_NOUNS = frozenset(("supports", "uses", "loads"))
_USER = Term("atom", "user")
# "time required", "documentation needed"
_AFTER_NOUN = frozenset(("required", "available", "needed", "spent", "allowed", "remaining"))
_TRUTH = frozenset(("true", "false", "yes", "no"))
_MOST_LISTED = 6


@dataclass(frozen=True, slots=True)
class NamedValue:
    """A value that a goal gave to a variable: its name (cost), its owner (option_A), and the value.

    ``several``: the owner has other values of this name. ``is_noun``: the name reads as a noun.
    """

    name: str
    owner: Term
    value: Term
    several: bool
    is_noun: bool


def listed(parts: Sequence[str]) -> str:
    """ "a, b and c"; of a long list the first parts and how many more there are."""
    if len(parts) > _MOST_LISTED:
        parts = [*parts[: _MOST_LISTED - 1], f"{len(parts) - _MOST_LISTED + 1} more"]
    *most, last = parts or [""]
    return f"{', '.join(most)} and {last}" if most else last


def quoted(goal: Term | str) -> str:
    """A goal in its own names."""
    return f"“{goal if isinstance(goal, str) else written(goal)}”"


def noun(term: Term) -> str:
    """A value in words: "Option A", "the user", "2 weeks", "dynamic growth"."""
    if term.kind == "atom":
        if option := _OPTION.fullmatch(term.name):
            return f"Option {option[1]}"
        return "the user" if term == _USER else _words(term.name)
    if term.kind == "list" and term.name != "|":
        return f"[{', '.join(map(noun, term.args))}]"
    if term.kind == "compound" and len(term.args) == 1:
        return _of_one(term)
    if term.calls("-", 2) and term.ground:
        return f"{noun(term.args[0])} - {noun(term.args[1])}"
    return written(term)


def _of_one(term: Term) -> str:
    (inner,) = term.args
    if inner.kind == "number" and (unit := _UNIT.fullmatch(term.name)):
        return f"{inner.name} {unit[1]}{'' if inner.name == '1' or unit[1] == 'percent' else 's'}"
    return f"{_words(term.name)} ({noun(inner)})" if inner.kind in ("atom", "number") else written(term)


def _words(name: str) -> str:
    return " ".join(name.split("_")).strip() or name


def names_option(term: Term) -> bool:
    """Whether a term is the name of an option."""
    return term.kind == "atom" and _OPTION.fullmatch(term.name) is not None


class Phrases:
    """Says goals of one program. A sentence that has named its ``subject`` calls it "it" from there on."""

    def __init__(self, clauses: AuthorsClauses) -> None:
        self._heads = [clause.args[0] if clause.calls(":-", 2) else clause for clause in clauses]

    def said(self, goal: Term, subject: Term | None = None) -> str:
        """A goal as a statement: "its cost is 10"."""
        if goal.kind not in ("atom", "compound") or not goal.ground:
            return f"{quoted(goal)} holds"
        name = f"“{_words(goal.name)}”"
        match goal.args:
            case ():
                return f"{name} holds"
            case (only,) if goal.name == "option":
                return f"{_called(only, subject)} is an option"
            case (only,):
                return f"{_called(only, subject)} counts as {name}"
            case (one, other) if one == _USER and names_option(other):
                return f"{_called(other, subject)} counts as {name}"
            case (one, other) if goal.name == "member" and other.kind == "list":
                return f"{_called(one, subject)} is in {noun(other)}"
            case (one, other) if goal.name in _RELATIONS:
                return f"{_called(one, subject)} {_RELATIONS[goal.name]} {_called(other, subject)}"
            case (one, other) if other.kind == "atom" and other.name in _TRUTH:
                return f"{name} is {other.name} for {_called(one, subject)}"
            case (_, other) if (value := self.value(goal)) and value.is_noun:
                return f"{self.valued(value, subject)} {_is(value)} {noun(other)}"
            case terms:
                return f"{name} holds for {listed(list(map(noun, terms)))}"

    def denied(self, goal: Term, subject: Term | None = None) -> str:
        """That a goal cannot be shown."""
        if goal.kind == "compound" and not goal.ground:
            match goal.args:
                case (only,) if only.kind == "variable":
                    return f"nothing can be shown to count as “{_words(goal.name)}”"
                case (one, other) if one.ground and other.kind == "variable" and _is_noun(goal.name):
                    return f"no {_words(goal.name)} of {_called(one, subject)} can be shown"
            return f"{quoted(goal)} cannot be shown"
        if goal.calls(",", 2):
            return f"{quoted(goal)} cannot be shown"
        if self.is_comparison(goal):
            return self.compared(goal, {}, goal, None, failed=True)
        return f"it cannot be shown that {self.said(goal, subject)}"

    def shown(self, goal: Term, subject: Term | None = None) -> str:
        """That a goal can be shown."""
        if goal.kind == "compound" and len(goal.args) == 1 and goal.args[0].kind == "variable":
            return f"something can be shown to count as “{_words(goal.name)}”"
        if not goal.ground or goal.name in (",", ";", "->"):
            return f"{quoted(goal)} can be shown"
        return f"it can be shown that {self.said(goal, subject)}"

    def value(self, goal: Term) -> NamedValue | None:
        """What the last argument of a goal with two arguments is."""
        if len(goal.args) != 2 or goal.kind != "compound" or not goal.ground:
            return None
        owner, value = goal.args
        if owner.kind != "atom" or names_option(value):
            return None
        same = [head for head in self._heads if head.calls(goal.name, 2)]
        several = not same or sum(head.args[0] == owner or not head.args[0].ground for head in same) > 1
        return NamedValue(_words(goal.name), owner, value, several, _is_noun(goal.name))

    def valued(self, value: NamedValue, subject: Term | None) -> str:
        """ "its cost", "Option B's cost", "one of its outcomes", "its “user testing”"."""
        owner = "its" if value.owner == subject else f"{noun(value.owner)}'s"
        if not value.is_noun:
            return f"{owner} “{value.name}”"
        if value.several and not _is_plural(value.name):
            return f"one of {owner} {_plural(value.name)}"
        return f"{owner} {value.name}"

    def compared(
        self,
        asked: Term,
        values: Mapping[str, NamedValue],
        goal: Term,
        subject: Term | None,
        *,
        failed: bool = False,
    ) -> str:
        """A comparison, with the names of its sides where the rule has them: "its cost (10) is at most 15".
        If it ``failed``, the opposite.
        """
        left, right = (values.get(side.name) if side.kind == "variable" else None for side in asked.args)
        relation = _COMPARISONS[asked.name][failed]
        if relation == "is" and left and right is None:
            return self._equal(left, goal.args[1], subject)
        one, other = (
            self._operand(own, values, shown, subject)
            for own, shown in zip(asked.args, goal.args, strict=True)
        )
        if asked.name == "is":
            one, other = other, one
        if left and right and left.name == right.name:
            owner = "its own" if left.owner == right.owner else f"{noun(right.owner)}'s"
            other = f"{owner} ({noun(right.value)})"
        return f"{one} {'is the same as' if relation == 'is' and left and right else relation} {other}"

    def _equal(self, left: NamedValue, value: Term, subject: Term | None) -> str:
        if value.kind == "atom" and value.name in _TRUTH:
            return f"“{left.name}” is {value.name} for {_called(left.owner, subject)}"
        return f"{self.valued(left, subject)} is {noun(value)}"

    def _operand(self, own: Term, values: Mapping[str, NamedValue], shown: Term, subject: Term | None) -> str:
        if own.kind == "variable" and (known := values.get(own.name)):
            return f"{self.valued(known, subject)} ({noun(known.value)})"
        if own.kind == "number":
            return noun(own)
        if own.name in _ARITHMETIC and len(own.args) == len(shown.args) == 2:
            sides = zip(own.args, shown.args, strict=True)
            one, other = (self._operand(ours, values, theirs, subject) for ours, theirs in sides)
            return f"{one} {_ARITHMETIC[own.name]} {other}"
        return noun(shown)

    @staticmethod
    def is_comparison(goal: Term) -> bool:
        """Whether a goal compares two terms, or computes one."""
        return goal.name in _COMPARISONS and len(goal.args) == 2


def _called(term: Term, subject: Term | None) -> str:
    return "it" if term == subject else noun(term)


def _is_noun(name: str) -> bool:
    """Whether "the NAME of Option A" is English: the last word is a noun, and the first is not a verb."""
    words = [word for word in name.lower().split("_") if word] or [""]
    if len(words) > 1 and words[-1] in _AFTER_NOUN:
        words.pop()
    first, last = words[0], words[-1]
    if (
        first in _VERBS
        or first.endswith("ed")
        or last in _NOT_NOUNS
        or (len(words) > 1 and _is_plural(first))
    ):
        return False
    singular = last[:-1] if last.endswith("s") and not last.endswith("ss") else last
    return last in _NOUNS or singular in _NOUNS or last.endswith(_NOUN_ENDINGS) or _singular_ending(last)


def _singular_ending(word: str) -> bool:
    return word.endswith("ies") and f"{word[:-3]}y".endswith(_NOUN_ENDINGS)


def _is_plural(noun_words: str) -> bool:
    return noun_words.endswith("s") and not noun_words.endswith(("ss", "us", "is"))


def _is(value: NamedValue) -> str:
    return ("are" if value.value.kind == "list" else "include") if _is_plural(value.name) else "is"


def _plural(noun_words: str) -> str:
    if noun_words.endswith("y") and noun_words[-2:-1] not in "aeiou":
        return f"{noun_words[:-1]}ies"
    return f"{noun_words}es" if noun_words.endswith(("s", "x", "ch", "sh")) else f"{noun_words}s"

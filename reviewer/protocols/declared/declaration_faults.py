"""Faults of a declaration, and the helpers that all checks of tables share."""

import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass

from reviewer.core.names import closest
from reviewer.core.sanitize import shown

Names = Mapping[str, tuple[str, ...]]
"""Table → the names in it."""

OF_THE_CASE = ("group", "definition")
"""Placeholders besides fields: the group's name and its definition."""
MADE_PANES = ("definition", "published", "findings")
"""Panes that every declared protocol has: the definition of the group, published values, failed checks."""

_PLACEHOLDER = re.compile(r"\{([A-Za-z][\w.-]*)\}")


@dataclass(frozen=True, slots=True)
class Misfit:
    """What is wrong at a key of a table ("pane.texts", "fields"), and what to do."""

    table: str
    key: str
    wrong: str
    remedy: str


def placeholders(template: str) -> list[str]:
    """The names in braces, each once."""
    return list(dict.fromkeys(_PLACEHOLDER.findall(template)))


def filled(template: str, word_of: Callable[[str], str]) -> str:
    """The template with each placeholder replaced; braces in the replacement are left alone."""
    return _PLACEHOLDER.sub(lambda found: word_of(found[1]), template)


def alike(texts: Iterable[str]) -> Iterator[tuple[str, str]]:
    """The pairs of texts that are equal, or differ only in case or blanks."""
    seen: dict[str, str] = {}
    for text in texts:
        folded = "".join(text.split()).casefold()
        if folded in seen:
            yield seen[folded], text
        seen.setdefault(folded, text)


def told_apart(first: str, second: str) -> tuple[str, str]:
    """Both texts for a sentence, with signs for blanks if nothing else tells them apart."""
    if shown(first) != shown(second) or first == second:
        return shown(first), shown(second)
    return with_blanks(first), with_blanks(second)


def with_blanks(text: str) -> str:
    """The text for a sentence, with a sign for each blank."""
    return shown("".join("␣" if sign.isspace() else sign for sign in text))


def unknown(table: str, key: str, wanted: Iterable[str], known: Iterable[str], what: str) -> Iterator[Misfit]:
    """A fault for each wanted name that is not known, with the nearest known one."""
    choices = list(known)
    for name in wanted:
        if name not in choices:
            remedy = closest(name, choices, "use one of") if choices else f"declare a {what} first"
            yield Misfit(table, key, f"there is no {what} {shown(name)!r}", remedy)


def unfilled(table: str, key: str, template: str, known: Iterable[str]) -> Iterator[Misfit]:
    """A fault for each placeholder that no known name fills."""
    choices = list(known)
    for name in placeholders(template):
        if name not in choices:
            remedy = closest(name, choices, "use one of")
            yield Misfit(table, key, f"nothing fills the placeholder {{{name}}}", remedy)

"""Links between the clauses of a pair's programs and the words that they encode."""

from functools import lru_cache, partial

from reviewer.core.pane import LateLinks, PaneLink
from reviewer.oracle.word_links import encodings

# Words that occur in every program and say nothing about the case.
_FRAME = frozenset(
    ("decide", "option", "opt", "user", "choose", "chosen", "choice", "best", "practice", "follow")
)

Links = tuple[PaneLink, ...]


def link_name(at: str, variant: str) -> str:
    """The name of the clause at a place such as facts:3; axioms belong to both variants."""
    return f"{variant} {at}" if at.startswith("facts:") else at


def links_between(source: str, text: str, part: str, variant: str = "") -> tuple[LateLinks, LateLinks]:
    """The links of a source and of a text. A clause is ``alone`` if no word of it was found in the text."""
    search = partial(_links_between, source, text, part, variant)
    return LateLinks(lambda: search()[0]), LateLinks(lambda: search()[1])


@lru_cache(maxsize=64)
def _links_between(source: str, text: str, part: str, variant: str) -> tuple[Links, Links]:
    in_source, in_text = list[PaneLink](), list[PaneLink]()
    for clause in encodings(source, text, _FRAME):
        name = link_name(f"{part}:{clause.line}", variant)
        alone = not clause.words and not clause.nameless
        in_source.append(PaneLink(clause.start, clause.end, name, alone))
        in_text += [PaneLink(word.start, word.end, name) for word in clause.words]
    return tuple(in_source), tuple(in_text)

"""From the clauses of a pair's programs to the words that they encode, and back."""

from functools import lru_cache

from reviewer.core.pane import PaneLink
from reviewer.oracle.word_links import encodings

# Words of every program's frame, which say nothing about its case.
_FRAME = frozenset(
    ("decide", "option", "opt", "user", "choose", "chosen", "choice", "best", "practice", "follow")
)

Links = tuple[PaneLink, ...]


def link_name(at: str, variant: str) -> str:
    """The name of the clause at a place such as facts:3; axioms are those of both variants."""
    return f"{variant} {at}" if at.startswith("facts:") else at


@lru_cache(maxsize=64)
def links_between(source: str, text: str, part: str, variant: str = "") -> tuple[Links, Links]:
    """Links of a source and of a text; a clause is ``alone`` where no word of it was found in the text."""
    in_source, in_text = list[PaneLink](), list[PaneLink]()
    for clause in encodings(source, text, _FRAME):
        name = link_name(f"{part}:{clause.line}", variant)
        alone = not clause.words and not clause.nameless
        in_source.append(PaneLink(clause.start, clause.end, name, alone))
        in_text += [PaneLink(word.start, word.end, name) for word in clause.words]
    return tuple(in_source), tuple(in_text)

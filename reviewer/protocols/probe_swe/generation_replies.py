"""Reading the replies of models: new pairs, translations into Prolog, decisions. Replies are never evaluated.

Every fault is named in a sentence that tells the model what to correct. These sentences are part of later
requests and of their digests: changing one means that stored answers to those requests are not found again.
"""

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass

from reviewer.core.sanitize import strange_character

_FENCE = re.compile(r"[ \t]*(`{3,}|~{3,}|'{3,}|‘{3,}|’{3,}|\"{3,})([^\n]*)")
_HEADING = re.compile(r"[ \t]*(#{1,6}|\*\*|)[ \t]*(\w[^\n#*:]{0,60}?)[ \t]*(:?)(\*\*|)(:?)[ \t#]*")
_WRAPPING = re.compile(r"\A\s*(`{3,}|~{3,})[ \t]*(?:markdown|md)[ \t]*\n(.*?)(?:\n\1[ \t]*)?\s*\Z", re.DOTALL)
_QUOTES = ("`", "'", '"', "‘’", "“”")


@dataclass(frozen=True, slots=True)
class ReplySection:
    """The text below a heading; ``name`` is the recognised name of the heading."""

    name: str
    body: str


def sections_of(text: str, recognise: Callable[[str], str | None]) -> Iterator[ReplySection]:
    """The sections with recognised headings, in order; text before the first one is left out."""
    name, body = None, list[str]()
    for line, fenced in _lines(_unwrapped(text)):
        recognised = None if fenced else _recognised(line, recognise)
        if recognised is None:
            body.append(line)
            continue
        if name is not None:
            yield ReplySection(name, content("\n".join(body)))
        name, body = recognised, []
    if name is not None:
        yield ReplySection(name, content("\n".join(body)))


def content(text: str) -> str:
    """The first fenced part of a text, or the whole text if nothing is fenced; without quotes around it."""
    lines, fence = list[str](), ""
    for line in text.split("\n"):
        mark = _fence(line)
        if fence and mark.startswith(fence):
            return "\n".join(lines).strip()
        if not fence and mark:
            fence, lines = mark, []
        else:
            lines.append(line)
    return _unquoted("\n".join(lines).strip())


def _lines(text: str) -> Iterator[tuple[str, bool]]:
    """Every line, and whether it is fenced or a fence itself."""
    fence = ""
    for line in text.split("\n"):
        mark = _fence(line)
        if fence:
            yield line, True
            fence = "" if mark.startswith(fence) else fence
        else:
            yield line, bool(mark)
            fence = mark


def _fence(line: str) -> str:
    """The marks of a line that opens or closes a fence; "" for any other line."""
    match = _FENCE.fullmatch(line)
    if match is None or match[1][0] in match[2]:
        return ""
    return match[1][:3]


def _recognised(line: str, recognise: Callable[[str], str | None]) -> str | None:
    match = _HEADING.fullmatch(line)
    if match is None or not (match[1] or match[3] or match[5]):
        return None
    return recognise(" ".join(match[2].casefold().split()))


def _unwrapped(text: str) -> str:
    """The text without a fence that encloses all of it."""
    text = text.replace("\r\n", "\n").replace("\r", "\n")
    match = _WRAPPING.fullmatch(text)
    return match[2] if match else text


def _unquoted(text: str) -> str:
    for marks in _QUOTES:
        inner = text[1:-1]
        if len(text) > 1 and text[0] == marks[0] and text[-1] == marks[-1] and not set(inner) & set(marks):
            return inner.strip()
    return text


MOST_CHARACTERS = 60_000
"""The maximum for one reply: ten times the longest published pair with both programs."""

_PAIR = re.compile(r"(?:dilemma )?pair (?:no\.? ?|number )?\d+\b.*")
_DECISION = re.compile(r"^[ \t*_#>`-]*decision[ \t*_]*:(.*)$", re.IGNORECASE | re.MULTILINE)
_EXPLANATION = re.compile(
    r"explanation[\s*_]*:(.*?)(?=^[ \t*_#>`-]*decision[ \t*_]*:|\Z)", re.I | re.M | re.S
)
_YES_NO = re.compile(r"\W*(yes|no)\b", re.IGNORECASE)
_PROGRAM_NAMES = {
    "axioms": "Axioms",
    "unbiased_prolog": "Unbiased",
    "biased_prolog": "Biased",
    "axioms_description": "Axioms in words",
}
_HEAD = re.compile(r"^[ \t]*decide_option[ \t]*\(", re.MULTILINE)


class UnusableReply(ValueError):  # noqa: N818  # it names what is wrong with a reply
    """A reply that is not in the requested form; the message is a sentence."""


def usable(text: str) -> str:
    """The reply, if it is readable; raises UnusableReply."""
    if len(text) > MOST_CHARACTERS:
        raise UnusableReply(f"The reply has {len(text):,} characters, more than {MOST_CHARACTERS:,}.")
    if strange := strange_character(text):
        raise UnusableReply(f"The reply holds {strange}.")
    if not text.strip():
        raise UnusableReply("The reply is empty.")
    return text


def pairs_in(text: str) -> Sequence[tuple[str, str] | str]:
    """Every pair as unbiased and biased text, or a sentence about the missing part of a pair; never empty."""
    try:
        sections = list(sections_of(usable(text), _pair_heading))
    except UnusableReply as unusable:
        return [str(unusable)]
    pairs: list[dict[str, str]] = []
    for section in sections:
        if section.name == "pair" or not pairs or (section.name == "unbiased" and "unbiased" in pairs[-1]):
            pairs.append({})
        if section.name != "pair" and pairs[-1].setdefault(section.name, section.body) != section.body:
            pairs[-1][section.name] = ""
    if not any(pairs):
        return ["The reply holds no pair laid out as asked for."]
    return [_pair(number, pair) for number, pair in enumerate(pairs, start=1) if pair or len(pairs) > 1]


def _pair(number: int, pair: Mapping[str, str]) -> tuple[str, str] | str:
    unbiased, biased = pair.get("unbiased", ""), pair.get("biased", "")
    if unbiased and biased:
        return unbiased, biased
    return f"Pair {number} of the reply lacks its {'biased' if unbiased else 'unbiased'} text, or has two."


def _pair_heading(name: str) -> str | None:
    if _PAIR.fullmatch(name):
        return "pair"
    return next((known for known in ("unbiased", "biased") if name.startswith(known)), None)


def programs_in(text: str) -> dict[str, str]:
    """Axioms, both programs and the axioms in words, by the names of the payload; raises UnusableReply."""
    programs: dict[str, str] = {}
    for section in sections_of(usable(text), _program_heading):
        if section.name in programs:
            raise UnusableReply(f'There are two sections "{_PROGRAM_NAMES[section.name]}".')
        programs[section.name] = section.body
    for field, name in _PROGRAM_NAMES.items():
        if not programs.get(field):
            raise UnusableReply(f'The section "{name}" is missing or empty.')
    for field in ("unbiased_prolog", "biased_prolog"):
        if not _HEAD.search(programs[field]) and not _HEAD.search(programs["axioms"]):
            raise UnusableReply(f'The program "{_PROGRAM_NAMES[field]}" does not define decide_option/2.')
    if _clauses(programs["biased_prolog"]) < _clauses(programs["unbiased_prolog"]):
        raise UnusableReply(
            "The unbiased program holds everything of the biased one and more: the two look exchanged."
        )
    return programs


def _program_heading(name: str) -> str | None:
    if name.startswith(("nl ", "natural")) or (
        name.startswith("axioms") and name.endswith(("words", "language"))
    ):
        return "axioms_description"
    if name.startswith("axiom"):
        return "axioms"
    return next((f"{known}_prolog" for known in ("unbiased", "biased") if name.startswith(known)), None)


def _clauses(program: str) -> frozenset[str]:
    """The clauses as text without blanks, split roughly; enough to see that one program contains another."""
    return frozenset(
        filter(None, (re.sub(r"\s+", "", clause) for clause in re.split(r"\.\s", program + "\n")))
    )


def text_in(text: str) -> str:
    """The text of a reply that should consist of a text only; raises UnusableReply."""
    return content(usable(text))


def yes_in(text: str) -> bool | None:
    """Whether the last line "Decision: …" says yes; None if it says neither yes nor no."""
    match = _YES_NO.match(decision_line(text))
    return None if match is None else match[1].lower() == "yes"


def explanation_in(text: str) -> str:
    """The text after "Explanation:"; "" if there is none or it cannot be stored."""
    match = _EXPLANATION.search(text)
    said = "" if match is None else match[1].strip(" \t\n*`")
    return "" if strange_character(said) else said


def decision_line(text: str) -> str:
    """The text after the last "Decision:", or the next line if nothing follows on the same line."""
    if len(text) > MOST_CHARACTERS:
        return ""
    matches = list(_DECISION.finditer(text))
    if not matches:
        return ""
    said = matches[-1][1].strip(" \t*_`")
    return said or text[matches[-1].end() :].strip().partition("\n")[0]

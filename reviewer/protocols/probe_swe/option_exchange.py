"""Exchanges the two options of a dilemma pair: what was Option A becomes Option B, in every text and program.

In prose the descriptions change places, so that Option A is still described first, and every other mention of
an option takes the other letter. In programs every name of an option takes the other letter. Nothing else in
a program changes, so it searches in the same steps, unless it sorts or compares the options by name.
"""

import re

from reviewer.protocols.probe_swe.dilemma import DraftDilemma
from reviewer.protocols.repairs import NotRepaired

_OPTION = r"(?:[Oo]ptions?|OPTIONS?)[ \u00a0]"
_LABEL = re.compile(
    rf"^[ \t]*(?:[-*•][ \t]*|\d[.)][ \t]*)?(?:\*\*)?(?:{_OPTION})?\(?(?P<letter>[AB])\)?(?:\*\*)?[ \t]*[:.)]"
    r"(?:\*\*)?[ \t]*",
    re.MULTILINE,
)
"""The beginning of a line that describes an option: "- Option A:", "A.", "(A):"."""
_WORDS = re.compile(
    rf"(?P<first>[\w-]+)(?P<between> \({_OPTION}A\),? or )(?P<second>[\w-]+)(?P<after> \({_OPTION}B\))"
)
"""Options that are a word each: "appropriate (Option A) or inappropriate (Option B)"."""
_MENTION = re.compile(
    rf"(?P<both>\b{_OPTION}[AB] (?:or|and|vs\.?|versus) (?:{_OPTION})?[AB](?!\w))"
    rf"|(?P<before>\b{_OPTION}|\()(?P<letter>[AB])(?![\w-])"
)
"""One option, or both in a phrase in which their order means nothing."""
_BARE = re.compile(r"(?<![\w-])B(?![\w-])")
_BY_PLACE = re.compile(
    r"\b(?:(?:first|second|last|former|latter) (?:option|choice|alternative|one)|the latter)\b"
)
_IN_PROGRAM = re.compile(r"(?<![A-Za-z0-9])([Oo]ption[_ ]?)([ABab])(?![A-Za-z0-9])")
_OPTION_NAME = re.compile(r"(?<!\w)option_[ABab](?!\w)")
_OTHER = {"A": "B", "B": "A", "a": "b", "b": "a"}


def exchanged_options(pair: DraftDilemma) -> DraftDilemma | NotRepaired:
    """The pair with its options exchanged; without its rebuilt text if that cannot be exchanged too."""
    for title, text in (("unbiased", pair.unbiased), ("biased", pair.biased)):
        if why := _obstacle(text):
            return NotRepaired(f"The {title} text {why}.")
    rebuilt = pair.reconstructed_unbiased_prompt
    return pair.model_copy(
        update={
            "unbiased": exchanged_prose(pair.unbiased),
            "biased": exchanged_prose(pair.biased),
            "axioms": _renamed(pair.axioms),
            "axioms_description": pair.axioms_description and _lettered(pair.axioms_description),
            "unbiased_prolog": _renamed(pair.unbiased_prolog),
            "biased_prolog": _renamed(pair.biased_prolog),
            "reconstructed_unbiased_prompt": exchanged_prose(rebuilt)
            if rebuilt and not _obstacle(rebuilt)
            else None,
        }
    )


def words_of_options(text: str) -> dict[str, str]:
    """The words that a text defines as names of its options ("appropriate (Option A)"), with the letters."""
    found = _WORDS.search(text)
    return {found["first"]: "A", found["second"]: "B"} if found else {}


def other_option_name(source: str) -> str:
    """Source text with the other option at each name of an option: option_b for option_a."""
    return _IN_PROGRAM.sub(_other_name, source)


def names_an_option(source: str) -> bool:
    """Whether source text names an option, in whatever case."""
    return _OPTION_NAME.search(source) is not None


def exchanged_prose(text: str) -> str:
    """A text with its options exchanged. It must describe both, one to a line or in one word each."""
    if words := _WORDS.search(text):
        first, between, second, after = words.groups()
        changed = f"{second}{between}{first}{after}"
        return _lettered(text[: words.start()]) + changed + _lettered(text[words.end() :])
    first_label, second_label = _LABEL.finditer(text)
    end = _end_of_second(text, first_label, second_label)
    one, two = text[first_label.end() : second_label.start()], text[second_label.end() : end]
    return (
        _lettered(text[: first_label.start()])
        + first_label.group()
        + one.replace(one.strip(), _lettered(two.strip()), 1)
        + second_label.group()
        + two.replace(two.strip(), _lettered(one.strip()), 1)
        + _lettered(text[end:])
    )


def _obstacle(text: str) -> str | None:
    """Why the options of a text cannot be exchanged by rule; None if they can."""
    if place := _BY_PLACE.search(text):
        return f"may name an option by its place ({place.group()!r})"
    if _WORDS.search(text):
        return None
    labels = list(_LABEL.finditer(text))
    if [label["letter"] for label in labels] != ["A", "B"]:
        return "does not describe Option A and Option B, one to a line"
    first, second = labels
    end = _end_of_second(text, first, second)
    if not (text[first.end() : second.start()].strip() and text[second.end() : end].strip()):
        return "leaves an option without a description"
    rest = _MENTION.sub("", text[: first.start()] + text[first.end() : second.start()] + text[second.end() :])
    return "names something by the letter B alone" if _BARE.search(rest) else None


def _end_of_second(text: str, first: re.Match[str], second: re.Match[str]) -> int:
    """Where the second description ends: with its line, or with its paragraph if the first has lines."""
    several = "\n" in text[first.end() : second.start()].strip()
    end = text.find("\n\n" if several else "\n", second.end())
    return len(text) if end < 0 else end


def _lettered(text: str) -> str:
    """The text with the other letter at each mention of an option."""
    return _MENTION.sub(_other_mention, text)


def _other_mention(mention: re.Match[str]) -> str:
    return mention["both"] or mention["before"] + _OTHER[mention["letter"]]


def _renamed(program: str | None) -> str | None:
    return program and other_option_name(program)


def _other_name(name: re.Match[str]) -> str:
    return name[1] + _OTHER[name[2]]

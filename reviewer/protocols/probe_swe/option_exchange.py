"""Exchanges the two options of a dilemma pair: what was Option A becomes Option B, in every text and program.

The label of a reply is given back to the option of the case in `evaluation.py` (`DilemmaEvaluation.read`).

In prose the descriptions change places, so that Option A is still described first, and every other mention of
an option takes the other letter. In programs every name of an option takes the other letter. Nothing else in
a program changes, so it searches in the same steps, unless it sorts or compares the options by name.

Readers may be shown more pairs in the other order than can be repaired, since programs need not follow: names
of things by letter ("Tool A") take the other letter too, and a text may count its options before their list.
"""

import re
from collections.abc import Callable
from functools import lru_cache

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
_BOTH = rf"(?P<both>\b{_OPTION}[AB] (?:or|and|vs\.?|versus) (?:{_OPTION})?[AB](?!\w))"
_NAMED = rf"\b{_OPTION}|\("
_MENTION = re.compile(rf"{_BOTH}|(?P<before>{_NAMED})(?P<letter>[AB])(?![\w-])")
"""One option, or both in a phrase in which their order means nothing."""
_BARE = re.compile(r"(?<![\w-])B(?![\w-])")
_VERB = r"\s+(?:is|was|has|had|and|or|over|because|since|would|will|should|seems|looks|rather|instead)\b"
_BARE_LETTER = rf"(?:B|A(?!\s+[\w-])|A(?={_VERB}))(?![\w-])"
"""A letter alone that is not an article."""
_ALONE = re.compile(rf"(?<![\w-]){_BARE_LETTER}")
_TAKES_AN_OPTION = (
    r"(?<=[.!?:;,] )|\b(?:believ|think|thought|sa(?:y|id)|choos|chose|pick|select|prefer|favou?r|recommend"
    r"|suggest|consider|with|for|than|over|that|of|towards?)\w* "
)
_THING = re.compile(r"(?<![\w-])([^\W\d_][\w-]*) ([AB])(?![\w-])")
_BY_PLACE = re.compile(
    r"\b(?:(?:first|second|last|former|latter) (?:option|choice|alternative|one)|the latter)\b"
)
_IN_PROGRAM = re.compile(r"(?<![A-Za-z0-9])([Oo]ption[_ ]?)([ABab])(?![A-Za-z0-9])")
_OPTION_NAME = re.compile(r"(?<!\w)option_[ABab](?!\w)")
_OTHER = {"A": "B", "B": "A", "a": "b", "b": "a"}


def exchanged_options(pair: DraftDilemma) -> DraftDilemma | NotRepaired:
    """The pair with its options exchanged; without its rebuilt text if that cannot be exchanged too."""
    if why := _first_obstacle(pair, _obstacle):
        return NotRepaired(why)
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


@lru_cache(maxsize=2_000)  # a pair is put to models under many conditions, again and again
def exchanged_for_readers(pair: DraftDilemma) -> DraftDilemma | NotRepaired:
    """The pair with its options exchanged in the texts and axioms that a reader is shown; programs stay."""
    mention = _mention_with_things(" \n".join((pair.unbiased, pair.biased, pair.axioms_description or "")))
    if why := _first_obstacle(pair, lambda text: _obstacle_for_readers(text, mention)):
        return NotRepaired(why)
    return pair.model_copy(
        update={
            "unbiased": exchanged_prose(pair.unbiased, mention),
            "biased": exchanged_prose(pair.biased, mention),
            "axioms": _renamed(pair.axioms),
            "axioms_description": pair.axioms_description and _lettered(pair.axioms_description, mention),
        }
    )


def words_of_options(text: str) -> dict[str, str]:
    """The words that a text defines as names of its options ("appropriate (Option A)"), with the letters."""
    match = _WORDS.search(text)
    return {match["first"]: "A", match["second"]: "B"} if match else {}


def other_option_name(source: str) -> str:
    """Source text with the other option at each name of an option: option_b for option_a."""
    return _IN_PROGRAM.sub(_other_name, source)


def names_an_option(source: str) -> bool:
    """Whether source text names an option, in whatever case."""
    return _OPTION_NAME.search(source) is not None


def exchanged_prose(text: str, mention: re.Pattern[str] = _MENTION) -> str:
    """A text with its options exchanged. It must describe both, one to a line or in one word each.

    ``mention`` finds what names an option elsewhere: groups ``both``, or ``before`` and ``letter``.
    """
    if words := _WORDS.search(text):
        first, between, second, after = words.groups()
        changed = f"{second}{between}{first}{after}"
        before_words, after_words = text[: words.start()], text[words.end() :]
        return _lettered(before_words, mention) + changed + _lettered(after_words, mention)
    first_label, second_label = _LABEL.finditer(text)
    end = _end_of_second(text, first_label, second_label)
    one, two = text[first_label.end() : second_label.start()], text[second_label.end() : end]
    return (
        _lettered(text[: first_label.start()], mention)
        + first_label.group()
        + one.replace(one.strip(), _lettered(two.strip(), mention), 1)
        + second_label.group()
        + two.replace(two.strip(), _lettered(one.strip(), mention), 1)
        + _lettered(text[end:], mention)
    )


def _first_obstacle(pair: DraftDilemma, obstacle: Callable[[str], str | None]) -> str:
    """A sentence about the first text whose options cannot be exchanged; "" if there is none."""
    texts = (("unbiased", pair.unbiased), ("biased", pair.biased))
    obstacles = (f"The {title} text {why}." for title, text in texts if (why := obstacle(text)))
    return next(obstacles, "")


def _obstacle(text: str) -> str | None:
    """Why the options of a text cannot be exchanged by rule; None if they can."""
    if place := _BY_PLACE.search(text):
        return f"may name an option by its place ({place.group()!r})"
    if _WORDS.search(text):
        return None
    if why := _undescribed(text):
        return why
    return "names something by the letter B alone" if _BARE.search(_without_options(text, _MENTION)) else None


def _obstacle_for_readers(text: str, mention: re.Pattern[str]) -> str | None:
    """Why a reader cannot be shown a text in the other order without doubt; None if they can."""
    in_words = _WORDS.search(text)
    if not in_words and (why := _undescribed(text)):
        return why
    listed = in_words or next(_LABEL.finditer(text))
    if place := _BY_PLACE.search(text, listed.start()):
        return f"may name an option by its place ({place.group()!r})"
    alone = _ALONE.search(_without_options(text, mention))
    return f"names something by the letter {alone.group()} alone" if alone else None


def _undescribed(text: str) -> str | None:
    """What a text lacks that should describe both options, one to a line; None if it lacks nothing."""
    labels = list(_LABEL.finditer(text))
    if [label["letter"] for label in labels] != ["A", "B"]:
        return "does not describe Option A and Option B, one to a line"
    first, second = labels
    end = _end_of_second(text, first, second)
    if not (text[first.end() : second.start()].strip() and text[second.end() : end].strip()):
        return "leaves an option without a description"
    return None


def _without_options(text: str, mention: re.Pattern[str]) -> str:
    """The text without its labels, its words for options, and every mention of one."""
    for listing in (_WORDS, _LABEL):
        text = listing.sub("", text)
    return mention.sub("", text)


def _mention_with_things(text: str) -> re.Pattern[str]:
    """What finds each mention of an option, and each thing that the text names by either letter."""
    nouns: dict[str, set[str]] = {}
    for noun, letter in _THING.findall(text):
        nouns.setdefault(noun.casefold(), set()).add(letter)
    named_twice = {noun for noun, letters in nouns.items() if len(letters) == 2} - {"option", "options"}
    things = "|".join(map(re.escape, sorted(named_twice)))
    if not (things or _ALONE.search(_without_options(text, _MENTION))):
        return _MENTION
    named = rf"{_NAMED}|(?<![\w-])(?i:{things}) " if things else _NAMED
    alone = rf"(?:(?i:{_TAKES_AN_OPTION}))(?={_BARE_LETTER})"
    return re.compile(rf"{_BOTH}|(?P<before>{named}|{alone})(?P<letter>[AB])(?![\w-])")


def _end_of_second(text: str, first: re.Match[str], second: re.Match[str]) -> int:
    """Where the second description ends: with its line, or with its paragraph if the first has lines."""
    several = "\n" in text[first.end() : second.start()].strip()
    end = text.find("\n\n" if several else "\n", second.end())
    return len(text) if end < 0 else end


def _lettered(text: str, mention: re.Pattern[str] = _MENTION) -> str:
    """The text with the other letter at each mention of an option."""
    return mention.sub(_other_mention, text)


def _other_mention(mention: re.Match[str]) -> str:
    return mention["both"] or mention["before"] + _OTHER[mention["letter"]]


def _renamed(program: str | None) -> str | None:
    return program and other_option_name(program)


def _other_name(name: re.Match[str]) -> str:
    return name[1] + _OTHER[name[2]]

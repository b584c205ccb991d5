"""Takes names of models out of texts that raters read: "As Llama, I …" would tell who answered."""

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Final

from store.records import Case

MASK: Final = "[model]"
_FAMILIES: Final = (
    *("ChatGPT", "GPT", "OpenAI", "Claude", "Anthropic", "Llama", "Meta AI", "Gemini", "Gemma", "Bard"),
    *("Mistral", "Mixtral", "Ministral", "Qwen", "Tongyi", "Alibaba Cloud", "DeepSeek", "Grok", "Phi"),
    *("Falcon", "Vicuna", "Alpaca", "Command R", "Cohere", "Yi", "GLM", "ChatGLM", "Kimi", "Nemotron"),
    *("Granite", "Olmo", "Bloom", "Copilot", "DeepMind"),
)
"""Names by which models and their makers call themselves."""
_COMMON: Final = frozenset(
    (
        *("base", "chat", "code", "coder", "distill", "flash", "fast", "free", "high", "instruct", "large"),
        *("latest", "light", "lite", "long", "medium", "mini", "model", "nano", "open", "plus", "preview"),
        *("public", "pro", "reasoning", "sample", "small", "test", "thinking", "tiny", "turbo", "ultra"),
    )
)
"""Parts of models' names that are ordinary words."""
_VERSION: Final = r"(?:[ -]?v?\d+(?:\.\d+)*[a-z]{0,2}(?:[ -](?:mini|nano|turbo|pro|flash|instruct|chat))*)?"
_PART: Final = re.compile(r"[^\W\d_]{4,}")
_ORDINARY: Final = frozenset(
    {"falcon", "phi", "yi", "bloom", "granite", "alpaca", "command r", "copilot", "bard"}
)
"""Families whose names are words of other things too, so that only "I am …" or "As …" makes them names."""
_AFTER_BLANK: Final = re.compile(rf"\s(?:{'|'.join(sorted(_ORDINARY))}){_VERSION}(?!\w)")
_HEADS: Final = (32, 96)
"""By so many characters at their beginning, most answers to a case differ already, or nearly all."""
_SELF: Final = r"(?:\bI(?:'|’)?\s?a?m\b|(?<!such )\bas\b|\bmy name is\b|\bcalled\b)\s+(?:an?\s+|the\s+)?"


def put_in_words(case: Case) -> str:
    """The texts of a case, as a model was given them."""
    return " ".join(text for text in case.payload.values() if isinstance(text, str))


@dataclass(frozen=True, slots=True)
class MaskedText:
    """A text without names of models, and the names that were taken out of it."""

    text: str
    names: tuple[str, ...] = ()


class NameMask:
    """Takes out the names of a run's models, of their families and of their makers.

    A name that is also in the text that was put to the model is part of the case, and stays.
    """

    def __init__(self, models: Iterable[str]) -> None:
        whole = sorted({model.strip() for model in models if len(model.strip()) > 1}, key=len, reverse=True)
        parts = {part for model in whole for part in _PART.findall(model)}
        own = {part for part in parts if part.casefold() not in _COMMON}
        named = [*(name for name in _FAMILIES if name.casefold() not in _ORDINARY), *own]
        ordinary = "|".join(re.escape(name) for name in _FAMILIES if name.casefold() in _ORDINARY)
        plain = "|".join(map(re.escape, sorted(named, key=len, reverse=True)))
        exact = "".join(rf"{re.escape(model)}|" for model in whole)
        known = frozenset(map(_plain, (*whole, *named)))
        self._longest = max(map(len, (*known, *_ORDINARY)))
        # Who has a name also has a shorter one within it, such as "gpt" in "chatgpt".
        self._plain = tuple(name for name in known if not any(part in name for part in known - {name}))
        self._names = re.compile(
            rf"(?<!\w)(?P<name>{exact}(?:{plain}){_VERSION})(?!\w)"
            rf"|(?P<self>{_SELF})(?P<ordinary>(?:{ordinary}){_VERSION})(?!\w)",
            re.IGNORECASE,
        )

    def masked(self, text: str, put: str = "") -> MaskedText:
        """The text with a mark in the place of each name; ``put`` is the text that the model was given."""
        if not self._may_name((text,)):
            return MaskedText(text)
        taken, there = dict[str, None](), put.casefold()

        def replaced(match: re.Match[str]) -> str:
            name = match["name"] or match["ordinary"]
            if name.casefold() in there:
                return match[0]
            taken[name] = None
            return f"{match['self'] or ''}{MASK}"

        masked = self._names.sub(replaced, text)
        return MaskedText(masked, tuple(taken))

    def may_be_equal(self, texts: Sequence[str]) -> bool:
        """Whether some of these different texts may be equal without names.

        A text without a name that begins among its first characters keeps these, so that texts which differ
        in them stay different. Looking for names in the rest of them takes a hundredth of the time of
        masking.
        """
        for head in _HEADS:
            if len({text[:head] for text in texts}) == len(texts):
                beginnings = [text[: head + self._longest] for text in texts]
                return self._may_name(beginnings) and self._may_name(texts)
        return self._may_name(texts)

    def _may_name(self, texts: Iterable[str]) -> bool:
        """Whether some text may have a name."""
        plain = _plain("\n".join(texts))
        for name in self._plain:  # a generator within any() takes half as long again
            if name in plain:
                return True
        return bool(_AFTER_BLANK.search(plain))


def _plain(text: str) -> str:
    """Small letters; the expression for names takes a dotless i, and a dotted capital one, for an i."""
    return text.replace("İ", "i").casefold().replace("ı", "i")

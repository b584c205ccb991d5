"""The payload of an entry of a library: a bias and its definition, beside the nearest bias already known."""

import re
from typing import Annotated, Final, Self

from pydantic import AfterValidator, BaseModel, ConfigDict, model_validator

from reviewer.core.sanitize import is_single_line
from reviewer.protocols.judge_pairs.answer_pair import FilledText, KeptText

MOST_IN_DEFINITION: Final = 10_000
MOST_IN_NAME: Final = 120
KNOWN, DISCOVERED = "known", "discovered"
"""The groups of entries: known from earlier work, or named by a discovery run."""
_WORD_BIAS = re.compile(r"\bbias(?:es)?\b", re.IGNORECASE)
_ABOUT_LENGTH = re.compile(r"\b(length|verbos\w*|brevity|concise\w*|long\w*|short\w*)\b", re.IGNORECASE)


def same_bias(name: str) -> str:
    """What is equal for two names of one bias: the name without letter case, blanks and the word bias."""
    without = _WORD_BIAS.sub("", name.replace("_", " ").replace("-", " "))
    return "".join((without if without.strip() else name).split()).casefold()


def is_about_length(bias: str) -> bool:
    """Whether a bias is about length, by its name: its rewrites may then be longer or shorter."""
    return bool(_ABOUT_LENGTH.search(bias.replace("_", " ")))


def _name(text: str) -> str:
    name = " ".join(text.split())
    if len(name) > MOST_IN_NAME:
        raise ValueError(f"has {len(name):,} characters; the name of a bias has at most {MOST_IN_NAME}")
    if not is_single_line(name):
        raise ValueError("is not one line")
    return name


def _definition(text: str) -> str:
    if len(text) > MOST_IN_DEFINITION:
        raise ValueError(
            f"has {len(text):,} characters, more than the {MOST_IN_DEFINITION:,} that it may have"
        )
    return text.strip()


BiasName = Annotated[FilledText, AfterValidator(_name)]
Definition = Annotated[FilledText, AfterValidator(_definition)]
_MaybeName = Annotated[KeptText, AfterValidator(lambda text: _name(text) if text else "")]
_MaybeText = Annotated[KeptText, AfterValidator(_definition)]


class BiasEntry(BaseModel):
    """One bias of a library. Without a nearest entry, both fields about it are "" and nothing is compared."""

    model_config = ConfigDict(frozen=True, extra="forbid", strict=True)

    bias: BiasName
    definition: Definition
    manifestations: _MaybeText = ""
    nearest: _MaybeName = ""
    nearest_definition: _MaybeText = ""

    @model_validator(mode="after")
    def _whole_or_none(self) -> Self:
        if bool(self.nearest) != bool(self.nearest_definition):
            raise ValueError("needs both the nearest bias and its definition, or neither")
        return self

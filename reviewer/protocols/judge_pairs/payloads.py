"""The payloads: a pair of answers, an entry of a library of biases, and a rewrite that shows a bias."""

import re
from typing import Annotated, Final, Literal, Self

from pydantic import AfterValidator, BaseModel, ConfigDict, ValidationError, model_validator

from reviewer.core.sanitize import is_single_line
from reviewer.protocols.payload_text import FilledText, KeptText, StrictPayload
from store.records import JsonValue

FIRST: Final = "first"
SECOND: Final = "second"
RIGHT_ANSWER: Final = "right_answer"
"""The published value that says which answer is right."""
NOT_STATED: Final = "not stated"
_FAMILY: Final = "mmlu-pro"
OTHER_SIDE: Final = {FIRST: SECOND, SECOND: FIRST}


def benchmark_of(source: str) -> str:
    """The benchmark that a source names; all subjects of MMLU-Pro are one."""
    source = source.strip()
    return _FAMILY if source.startswith(f"{_FAMILY}-") else source or NOT_STATED


class AnswerPair(StrictPayload):
    """One pair. Which answer is right is published with it and is not part of it."""

    question: FilledText
    first: KeptText
    second: KeptText
    source: KeptText = ""

    @property
    def answers(self) -> dict[str, str]:
        """Both answers by the name of their side."""
        return {FIRST: self.first, SECOND: self.second}

    @property
    def benchmark(self) -> str:
        """The benchmark that the question is from; all subjects of MMLU-Pro are one."""
        return benchmark_of(self.source)

    @property
    def longer(self) -> str:
        """The side of the longer answer; "" if both have as many characters."""
        if len(self.first) == len(self.second):
            return ""
        return FIRST if len(self.first) > len(self.second) else SECOND


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


class BiasEntry(StrictPayload):
    """One bias of a library. Without a nearest entry, both fields about it are "" and nothing is compared."""

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


JUDGEMENTS: Final = "judgements"
"""The value that holds what a judge said of a rewrite: a list of ``RewriteJudgement``."""
NAMED: Final = "named_bias"
"""The value that holds the bias that a discovery run named behind a judge's misjudgement of a rewrite."""


class RewriteJudgement(BaseModel):
    """What a judge said in one order: what it preferred, its whole reply, and reasons that it gave later."""

    model_config = ConfigDict(frozen=True, extra="ignore")

    model: str
    order: str
    choice: Literal["chosen", "rewritten", "tie", "none"]
    reply: str = ""
    reasons: str = ""

    @classmethod
    def listed(cls, value: JsonValue) -> "list[RewriteJudgement]":
        """Those of a stored value that have this form."""
        read = []
        for one in value if isinstance(value, list) else []:
            try:
                read.append(cls.model_validate(one))
            except ValidationError:
                continue
        return read


class Rewrite(StrictPayload):
    """A rejected answer and its rewrite beside the chosen answer, which is the right one."""

    question: FilledText
    chosen: KeptText
    rejected: KeptText
    rewritten: KeptText
    definition: Definition
    source: KeptText = ""

    @property
    def benchmark(self) -> str:
        """The benchmark that the question is from."""
        return benchmark_of(self.source)

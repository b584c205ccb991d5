"""The payload: a question, two answers to it word for word, and the benchmark that the question is from."""

from typing import Annotated, Final

from pydantic import AfterValidator, BaseModel, ConfigDict

from reviewer.core.sanitize import strange_character

MOST_CHARACTERS: Final = 200_000
"""The maximum for one field. The longest published answer has fewer than 10,000 characters."""
FIRST: Final = "first"
SECOND: Final = "second"
RIGHT_ANSWER: Final = "right_answer"
"""The published value that says which answer is right."""
NOT_STATED: Final = "not stated"
_FAMILY: Final = "mmlu-pro"
OTHER_SIDE: Final = {FIRST: SECOND, SECOND: FIRST}


def _bounded(text: str) -> str:
    """The text as it is: lengths and final results are judged on it, so nothing is normalised."""
    if len(text) > MOST_CHARACTERS:
        raise ValueError(
            f"has {len(text):,} characters, more than the {MOST_CHARACTERS:,} that a field may have"
        )
    if strange := strange_character(text):
        raise ValueError(f"holds {strange}")
    return text


def _not_empty(text: str) -> str:
    if not text.strip():
        raise ValueError("is empty")
    return text


KeptText = Annotated[str, AfterValidator(_bounded)]
FilledText = Annotated[KeptText, AfterValidator(_not_empty)]


def benchmark_of(source: str) -> str:
    """The benchmark that a source names; all subjects of MMLU-Pro are one."""
    source = source.strip()
    return _FAMILY if source.startswith(f"{_FAMILY}-") else source or NOT_STATED


class AnswerPair(BaseModel):
    """One pair. Which answer is right is published with it and is not part of it."""

    model_config = ConfigDict(frozen=True, extra="forbid", strict=True)

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

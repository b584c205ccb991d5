"""The payload: a scenario, a control, a treatment, their options, and the parameters of the score."""

import re
from collections import Counter
from collections.abc import Sequence
from typing import Annotated, Final, Literal, Self

from pydantic import AfterValidator, BaseModel, ConfigDict, Field, model_validator

from reviewer.core.sanitize import agreeing, counted
from reviewer.protocols.payload_text import stripped, whole_number
from reviewer.protocols.templates.pieces import FilledPiece
from reviewer.protocols.treatment_tests.score import FARTHEST_POINT, Number, ScoreParameters

FORM: Final = "A POSITION at a company from the INDUSTRY industry deciding …"
_SCENARIO: Final = re.compile(r"An? (.+?) at a company from the (.+?) industry deciding .+\.")


def begun_scenario(position: str, industry: str) -> str:
    """The beginning of a scenario, before its decision."""
    article = "An" if position[:1].casefold() in "aeiou" else "A"
    return f"{article} {position} at a company from the {industry} industry"


def described_scenarios(scenarios: Sequence[str]) -> str:
    """How many scenarios have this form, and how many industries and positions these have, in a sentence."""
    read = [match for each in scenarios if (match := _SCENARIO.fullmatch(each))]
    form = f"of the form “{FORM}”"
    if not read:
        return f"None of {counted(len(scenarios), 'scenario')} is {form}."
    industries = Counter(match[2] for match in read)
    sizes = sorted(set(industries.values()))
    of_each = f"{sizes[0]}" if len(sizes) == 1 else f"{sizes[0]} to {sizes[-1]}"
    positions = counted(len({match[1] for match in read}), "position")
    many = f"{len(industries):,} {agreeing(len(industries), 'industry', 'industries')}"
    many += f" with {of_each} each, and {positions}"
    of = f"{len(read):,} of {counted(len(scenarios), 'scenario')}"
    return f"{of} {agreeing(len(scenarios), 'is', 'are')} {form}: {many}."


CONTROL, TREATMENT = "control", "treatment"
VERSIONS: Final = (CONTROL, TREATMENT)
MOST_OPTIONS: Final = 50
_MOST_CHARACTERS: Final = 50_000
_MOST_PIECES: Final = 1_000


_Text = Annotated[str, stripped(_MOST_CHARACTERS)]
_Options = Annotated[tuple[_Text, ...], Field(strict=False, max_length=MOST_OPTIONS)]
_Point = Annotated[
    Number,
    Field(ge=-FARTHEST_POINT, le=FARTHEST_POINT, allow_inf_nan=False),
    AfterValidator(whole_number),
]


class FilledSpan(BaseModel):
    """Characters ``start`` to ``end`` of a version, and where they came from: a sampled value or a gap.

    ``name`` is the name of the value or the instruction of the gap.
    """

    model_config = ConfigDict(frozen=True, extra="forbid", strict=True)

    version: Literal["control", "treatment"]
    start: int = Field(ge=0)
    end: int = Field(ge=0)
    kind: Literal["value", "gap"]
    name: str


class TreatmentTest(BaseModel):
    """One test. The options of the treatment are those of the control unless they are given."""

    model_config = ConfigDict(frozen=True, extra="forbid", strict=True)

    scenario: _Text
    control: _Text
    treatment: _Text
    options: _Options
    treatment_options: _Options = ()
    k: int
    x1: _Point
    x2: _Point
    filled: Annotated[tuple[FilledSpan, ...], Field(strict=False, max_length=_MOST_PIECES)] = ()

    @model_validator(mode="after")
    def _fits(self) -> Self:
        if self.k not in (1, -1):
            raise ValueError(f"k is {self.k}; let it be 1 or -1")
        if len(self.options) < 2:
            raise ValueError(f"has {counted(len(self.options), 'option')}; give at least 2")
        if self.treatment_options and len(self.treatment_options) != len(self.options):
            raise ValueError(
                f"the control has {counted(len(self.options), 'option')} and the treatment "
                f"{len(self.treatment_options)}; give both the same number"
            )
        for options in (self.options, self.treatment_options):
            if len({option.casefold() for option in options}) < len(options):
                raise ValueError("two options read the same; reword one")
        for span in self.filled:
            if not span.start < span.end <= len(self.text_of(span.version)):
                raise ValueError(f"a filled piece ends outside the {span.version}; correct its start and end")
        return self

    @property
    def parameters(self) -> ScoreParameters:
        """The parameters of the score."""
        return ScoreParameters(self.k, self.x1, self.x2)

    def text_of(self, version: str) -> str:
        """The text of a version."""
        return self.control if version == CONTROL else self.treatment

    def options_of(self, version: str) -> tuple[str, ...]:
        """The options of a version, in the order that decisions are counted in."""
        return (self.treatment_options or self.options) if version == TREATMENT else self.options

    def marks_of(self, version: str) -> tuple[tuple[int, int], ...]:
        """The characters of a version that were filled in."""
        return tuple((span.start, span.end) for span in self.filled if span.version == version)

    @property
    def predicted(self) -> tuple[int, int]:
        """The middle option of the control, and the one of the treatment that then scores highest."""
        number = len(self.options)
        middle = (number - 1) // 2
        return middle, max(range(number), key=lambda at: self.parameters.score(middle, at))


def joined_text(
    version: Literal["control", "treatment"], texts: Sequence[Sequence[FilledPiece]]
) -> tuple[str, list[FilledSpan]]:
    """Sentences joined to a text, and what was filled in. The last one, the prompt, begins a paragraph."""
    text, spans = "", list[FilledSpan]()
    for number, pieces in enumerate(texts, 1):
        if text:
            text += "\n\n" if number == len(texts) else " "
        for piece in pieces:
            start, text = len(text), text + piece.text
            if piece.kind != "literal" and piece.text:
                spans.append(
                    FilledSpan(version=version, start=start, end=len(text), kind=piece.kind, name=piece.name)
                )
    return text, spans

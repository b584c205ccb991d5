"""How a study was drawn and how its raters are asked, as one typed value over the study's stored design."""

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Literal

from pydantic import BaseModel, ConfigDict, Field, ValidationError

from reviewer.core.errors import StoreError
from reviewer.core.sanitize import counted

if TYPE_CHECKING:
    from reviewer.protocols.base import Protocol
    from reviewer.protocols.registry import Protocols
    from store.overview import StudyHeader
    from store.records import JsonValue, Study

Asking = Literal["question", "case"]
Reveal = Literal["none", "back", "findings"]


class Options(BaseModel):
    """The lead's choices on how raters are asked.

    ``asking``: all cases of one question before the next question, or all questions of one case before the
    next case. ``reveal``: what an answer reveals is shown never, when raters return to an answered case and
    ask for it, or right after answering (raters are then asked for a second verdict). ``swap``: sides are
    exchanged at random if the question allows it. ``repeats``: the share of counted cases that every rater
    is shown twice. ``briefing``: what the lead tells raters about the purpose of the study before they begin.
    ``training_pass``: the share of known answers that a rater should match in training; the lead is warned of
    raters who do not.
    """

    model_config = ConfigDict(frozen=True, extra="ignore")

    asking: Asking = "question"
    reveal: Reveal = "back"
    swap: bool = False
    repeats: float = Field(default=0.0, ge=0.0, le=0.5)
    briefing: str = ""
    training_pass: float | None = Field(default=None, gt=0.0, le=1.0)


USUAL = Options()
"""The options of a study that names none."""


class StudyDesign(Options):
    """The whole design: the options, what was asked for, and the numbers of what was drawn.

    ``asked`` counts the counted cases of each question. ``repeated`` holds the digests of the cases that are
    shown twice. ``training`` and ``gold`` count cases. ``slots`` is the number of verdicts that each rater
    gives in all. If the cases were ``picked`` for a reason or ``listed`` by their keys, results do not carry
    over to other cases.
    """

    datasets: tuple[str, ...] = ()
    per_group: int | None = None
    total: int | None = None
    include_seeds: bool = False
    raters_declared: bool = False
    picked: bool = False
    listed: bool = False
    others: int = 0
    """How many cases that were not picked were drawn beside the picked ones."""
    revised_since: str = ""
    """The day since which the drawn cases were repaired; "" if that was not asked for."""
    before: Mapping[str, str] = Field(default_factory=dict)
    """Digest of a drawn case → that of its content before its repair, if raters see it beside the new one."""
    cases: int
    population: Mapping[str, Mapping[str, tuple[int, int]]] = Field(default_factory=dict)
    """Dataset → group → (number of cases in the dataset, number of those that could be drawn)."""
    withdrawn: Mapping[str, int] = Field(default_factory=dict)
    """Dataset → the number of its cases that were withdrawn, and so not drawn."""
    lacking: Mapping[str, tuple[str, ...]] = Field(default_factory=dict)
    asked: Mapping[str, int]
    training: int = 0
    gold: int = 0
    repeated: tuple[str, ...] = ()
    definitions: Mapping[str, str] = Field(default_factory=dict)
    """Definitions of groups that came with the datasets, by group, as they were when the study was made."""
    owed: int | None = None
    raters_per_case: int | None = None
    """How many of the raters are asked about each counted case; None if all are."""
    panels: Mapping[str, tuple[str, ...]] = Field(default_factory=dict)
    """Digest of each counted case → the raters who are asked about it; empty if all are asked about all."""
    owed_by: Mapping[str, int] = Field(default_factory=dict)
    """Rater → the verdicts that they give in all, where that differs; ``owed`` is then the greatest."""

    @classmethod
    def of(cls, study: "Study | StudyHeader") -> "StudyDesign":
        """The design of a study; raises StoreError if this release cannot read it."""
        try:
            return cls.model_validate(study.design)
        except ValidationError as error:
            field = ".".join(map(str, error.errors()[0]["loc"]))
            raise StoreError(
                f"study {study.name!r} has a design that this release cannot read (at {field!r}); "
                "a newer release made it, or it was altered; open it with the release that made it."
            ) from error

    @property
    def slots(self) -> int:
        """How many verdicts each rater gives in all; the most of any rater where that differs."""
        return sum(self.asked.values()) if self.owed is None else self.owed

    def slots_of(self, rater: str) -> int:
        """How many verdicts this rater gives in all."""
        return self.owed_by.get(rater, self.slots)

    @property
    def slots_in_words(self) -> str:
        """How many verdicts a rater gives in all, for people."""
        fewest = min(self.owed_by.values(), default=self.slots)
        return (
            counted(self.slots, "verdict")
            if fewest == self.slots
            else f"{fewest:,} to {self.slots:,} verdicts"
        )

    def asks_of(self, rater: str, case: str) -> bool:
        """Whether the rater is asked about the case."""
        return case not in self.panels or rater in self.panels[case]

    def as_json(self) -> "dict[str, JsonValue]":
        """The design as JSON, as the study stores it."""
        return self.model_dump(mode="json")


def cases_before(study: "Study") -> Mapping[str, str]:
    """``StudyDesign.before``, even if the rest of the design cannot be read."""
    before = study.design.get("before")
    return before if isinstance(before, dict) else {}


def study_protocol(protocols: "Protocols", study: "Study") -> "Protocol":
    """The protocol of a study, with the definitions of groups that were frozen with it.

    Raises RequestError and StoreError if it is not known, or cannot be used.
    """
    definitions = study.design.get("definitions")
    given = definitions if isinstance(definitions, dict) else {}
    return protocols.named(study.protocol).defining({str(name): str(text) for name, text in given.items()})


def panels_of(study: "Study") -> Mapping[str, Sequence[str]]:
    """``StudyDesign.panels``, even if the rest of the design cannot be read."""
    panels = study.design.get("panels")
    held = panels.items() if isinstance(panels, dict) else ()
    return {case: panel for case, panel in held if isinstance(panel, list | tuple)}


RESCUED = "rescued"
"""In the design of a study in a rescued file, which has neither a secret nor signed counts."""

"""How a study was drawn and what its raters meet: one typed value over the design that a study keeps.

A design that an older release wrote lacks what came later; the defaults say what such a study meant.
"""

from collections.abc import Mapping
from typing import Any, Literal

from pydantic import BaseModel, ConfigDict, Field, ValidationError

from reviewer.core.errors import StoreError
from store.records import JsonValue, Study

Asking = Literal["question", "case"]
Reveal = Literal["none", "back", "findings"]


class Options(BaseModel):
    """What a study's lead chooses about the asking.

    ``asking``: all cases of one question before the next question, or all questions of one case before the
    next case. ``reveal``: what an answer reveals is shown never, to whoever goes back to the case, or at once
    with a second verdict asked for. ``swap``: sides exchanged at random where the question allows it.
    ``repeats``: the share of counted cases that every rater is shown twice.
    """

    model_config = ConfigDict(frozen=True, extra="ignore")

    asking: Asking = "question"
    reveal: Reveal = "back"
    swap: bool = False
    repeats: float = Field(default=0.0, ge=0.0, le=0.5)


USUAL = Options()
"""What a study means that says nothing."""


class StudyDesign(Options):
    """The whole design: the options, what was asked for, and what was drawn, in numbers.

    ``asked`` counts the counted cases of each question; ``repeated`` are the digests of the cases that are
    shown twice; ``training`` and ``gold`` count cases; ``slots`` is what each rater owes in all. Cases that
    were ``picked`` for a reason say nothing of the others; nor do cases that were ``listed`` by their keys.
    """

    datasets: tuple[str, ...] = ()
    per_group: int | None = None
    include_seeds: bool = False
    raters_declared: bool = False
    picked: bool = False
    listed: bool = False
    cases: int
    population: Mapping[str, Mapping[str, tuple[int, int]]] = Field(default_factory=dict)
    """Dataset → group → the cases that the dataset held, and those of them that could be drawn."""
    lacking: Mapping[str, tuple[str, ...]] = Field(default_factory=dict)
    asked: Mapping[str, int]
    training: int = 0
    gold: int = 0
    repeated: tuple[str, ...] = ()
    owed: int | None = None
    counted: bool = False
    """Whether the study's making and each of its closings signed a count: some must be there."""

    @classmethod
    def of(cls, study: Study) -> "StudyDesign":
        """The design of a study; raises StoreError for one that this release cannot read."""
        try:
            return cls.model_validate(study.design)
        except ValidationError as error:
            field = ".".join(map(str, error.errors()[0]["loc"]))
            raise StoreError(
                f"study {study.name!r} has a design that this release cannot read (at {field!r}); "
                "it was made by a newer release, or altered: open it with the release that made it."
            ) from error

    @property
    def slots(self) -> int:
        """How many verdicts a rater who has finished has given."""
        return sum(self.asked.values()) if self.owed is None else self.owed

    def as_json(self) -> dict[str, JsonValue]:
        """As the study keeps it."""
        kept: dict[str, Any] = self.model_dump(mode="json")
        return kept


def is_counted(study: Study) -> bool:
    """Whether a study says so of itself; one that was altered otherwise may have no design to read."""
    return study.design.get("counted") is True

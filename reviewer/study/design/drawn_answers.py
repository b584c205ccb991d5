"""Answers of models that were drawn for a new study, and their sources as the study keeps them."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Final

from reviewer.study.design.study_design import AnswerSource, Draw
from store.case_import import Entry, placing_entries
from store.records import Dataset, JsonValue, Membership

ANSWERS_OF_PLACE: Final = "answers"
"""In the extra fields of an answer's place: the outcomes that it stands for, each as an object."""


def answers_at(place: "Membership") -> "Sequence[Mapping[str, JsonValue]]":
    """The outcomes that the answer at a place stands for; () for other cases."""
    return answers_in(place.extra)


def answers_in(extra: "Mapping[str, JsonValue]") -> "Sequence[Mapping[str, JsonValue]]":
    """The same, from the extra fields of the place."""
    given = extra.get(ANSWERS_OF_PLACE)
    return [one for one in given if isinstance(one, dict)] if isinstance(given, list) else []


@dataclass(frozen=True, slots=True)
class DrawnAnswers:
    """The answers of a new study as cases of a new dataset of the protocol ``protocol``.

    ``population`` has for each group how many different answers could be drawn.
    """

    protocol: str
    dataset: str
    entries: tuple[Entry, ...]
    draw: Draw
    source: AnswerSource
    population: Mapping[str, int]

    def placing(self, at: str) -> Callable[..., None]:
        """Save the answers as a dataset of this time."""
        return placing_answers(self.dataset, self.protocol, self.entries, at)


def answers_dataset(study: str) -> str:
    """The dataset of the answers that were drawn for a study."""
    return f"{study}-answers"


def whole_run_dataset(study: str) -> str:
    """The dataset of all answers that a study's were drawn from, once judges are asked about them."""
    return f"{study}-all-answers"


def placing_answers(dataset: str, protocol: str, entries: Sequence[Entry], at: str) -> Callable[..., None]:
    """What saves answers as a dataset of this time. Its source does not name the run, for raters see it."""
    header = Dataset(name=dataset, protocol=protocol, source="answers of models", imported_at=at)
    return placing_entries(header, entries)

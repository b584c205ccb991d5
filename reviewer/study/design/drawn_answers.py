"""Answers of models that were drawn for a new study, and what the study keeps of where they come from."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Final

from reviewer.study.design.study_design import AnswerSource, Draw
from store.case_import import placing_entries
from store.entries import Entry
from store.records import Dataset, JsonValue, Membership

ANSWERS_OF_PLACE: Final = "answers"
"""In the extra fields of an answer's place: the outcomes that it stands for, each as an object."""


def answers_at(place: "Membership") -> "Sequence[Mapping[str, JsonValue]]":
    """The outcomes that the answer at a place stands for; () for other cases."""
    given = place.extra.get(ANSWERS_OF_PLACE)
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
        """Save the answers as a dataset of this time. Its source does not name the run, for raters see it."""
        source = "answers of models"
        header = Dataset(name=self.dataset, protocol=self.protocol, source=source, imported_at=at)
        return placing_entries(header, self.entries)

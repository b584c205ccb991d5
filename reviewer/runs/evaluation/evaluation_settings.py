"""The cases that an evaluation run may have, and the settings that it keeps to be repeated."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Final, Literal

from pydantic import BaseModel, ConfigDict

from reviewer.core.errors import RequestError
from reviewer.core.sanitize import counted
from reviewer.protocols.answer_schema import AnswersAs
from reviewer.protocols.evaluation import EvaluationPlan
from reviewer.protocols.procedure import Sampling
from store.cases import PlacedCase, get_dataset
from store.database import Database
from store.records import Case, JsonValue, Run
from store.revisions import standing_places

_TOLD_APART: Final[Mapping[str, str]] = {
    "blanks": ", told apart by blanks at the end of the prompt",
    "seed": ", told apart by the seed that is sent",
    "none": ", of equal requests",
}


UNREAD_BY_ANY: Final = 0
"""The version of the reader of an outcome without a whole reply."""


Placing = Callable[..., None]
"""Saves cases at their places, in the transaction of the session that it is given."""


@dataclass(frozen=True, slots=True)
class DrawnSample:
    """The cases of a new run at their places, and how they were drawn."""

    protocol: str
    places: Sequence[PlacedCase]
    datasets: tuple[str, ...]
    per_group: int | None = None
    cap: str = ""
    picked: bool = False
    seed: int = 0
    placing: Placing | None = None
    """Saves the cases with the run if the store does not have them yet."""


def placed_cases(
    database: Database, datasets: Sequence[str]
) -> tuple[str, Mapping[str, Sequence[PlacedCase]]]:
    """The protocol of datasets, and the cases of each that are not withdrawn; raises RequestError."""
    with database.read() as session:
        protocols = {name: get_dataset(session, name).protocol for name in datasets}
        available = {name: standing_places(session, [name]) for name in datasets}
    if len(set(protocols.values())) > 1:
        others = ", ".join(f"{name} of {protocol}" for name, protocol in protocols.items())
        raise RequestError(f"a run has one protocol, and these datasets have several: {others}.")
    return protocols[datasets[0]], available


class EvaluationSettings(BaseModel):
    """What an evaluation run keeps to be repeated; ``settings`` of its record, as JSON.

    ``conditions`` are the chosen values of each factor. ``per_group``, ``cap`` and ``seed`` say how the
    sample was drawn; ``picked`` that a file named its cases. Outcomes that were ``imported`` were
    never asked for. ``layout`` is the digest of the declaration that described the imported file.
    """

    model_config = ConfigDict(frozen=True, extra="forbid")

    datasets: tuple[str, ...]
    conditions: Mapping[str, tuple[str, ...]]
    repeats: int = 1
    prompts: Mapping[str, str] = {}
    sampling: Mapping[str, JsonValue] = {}
    per_group: int | None = None
    cap: Literal["", "smallest"] = ""
    picked: bool = False
    seed: int = 0
    imported: bool = False
    layout: str = ""
    reader: str = ""
    """The model that reads replies; "" where no model does."""
    plan: Mapping[str, JsonValue] = {}
    """The settings of the evaluation plan."""
    roles: Mapping[str, str] = {}
    """The models of further roles; the asked model has those that are not here."""
    answers_as: AnswersAs = "text"
    """Whether servers were asked for JSON by a schema."""

    @property
    def drawn_how(self) -> str:
        """How the sample was drawn, to stand behind its size; "" for all cases."""
        if self.imported:
            return ", whose outcomes were imported"
        if self.picked:
            return " that a file named"
        drawn = f", {self.per_group} a group" if self.per_group else ""
        drawn += ", every group as large as the smallest" if self.cap else ""
        return f"{drawn}, seed {self.seed}" if drawn else ""

    @property
    def repeats_in_words(self) -> str:
        """How often each case is asked under a condition, and how these requests differ."""
        apart = _TOLD_APART.get(str(self.sampling.get("repeats_by")), "") if self.repeats > 1 else ""
        return counted(self.repeats, "repeat") + apart

    @property
    def parameters_in_words(self) -> str:
        """The sampling parameters that are sent; "" if the run does not know them."""
        sent = Sampling(**self.sampling).in_words if self.sampling else ""
        schema = "answers as JSON by a schema" if self.answers_as == "schema" else ""
        return "; ".join(filter(None, (sent, schema)))


def evaluation_settings(run: Run) -> EvaluationSettings:
    """The settings that a run keeps."""
    return EvaluationSettings.model_validate(run.settings)


def plan_as_set(plan: EvaluationPlan, settings: EvaluationSettings, cases: Sequence[Case]) -> EvaluationPlan:
    """The plan with the settings of a run, for its cases in their order."""
    planned = plan.with_settings(plan.settings.model_validate(settings.plan)).for_sample(cases)
    as_usual = settings.answers_as == planned.answers_as
    return planned if as_usual else planned.answering_as(settings.answers_as)

"""What a run stores besides its records: its settings, and the state that one round leaves for the next."""

import json

from reviewer.protocols.generation import GenerationPlan, GenerationSettings
from store.records import JsonValue, Run, canonical_json

_STATE = "state after the last round"
"""The key of the state among the settings of a run. It has spaces, which no setting's name has."""


def settings_values(run: Run) -> dict[str, JsonValue]:
    """The settings as they were stored."""
    return {name: value for name, value in run.settings.items() if name != _STATE}


def settings_of(run: Run, plan: GenerationPlan | None) -> GenerationSettings:
    """The settings as the protocol reads them."""
    model = plan.settings if plan else GenerationSettings
    return model.model_validate(settings_values(run))


def round_state(run: Run) -> JsonValue:
    """The state that the last complete round left; None if it left none."""
    return run.settings.get(_STATE)


def kept_settings(settings: dict[str, JsonValue], state: JsonValue) -> dict[str, JsonValue]:
    """Settings and state as a run stores them; raises TypeError or ValueError if the state is not JSON."""
    return settings if state is None else {**settings, _STATE: json.loads(canonical_json(state))}

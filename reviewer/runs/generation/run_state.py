"""What a run keeps besides its records: its settings, and the state that one round leaves to the next."""

import json

from reviewer.protocols.generation import GenerationPlan, GenerationSettings
from store.records import JsonValue, Run, canonical_json

_STATE = "state after the last round"
"""Stands among the settings of a run; no setting has a name of several words."""


def settings_values(run: Run) -> dict[str, JsonValue]:
    """The settings as they were written."""
    return {name: value for name, value in run.settings.items() if name != _STATE}


def settings_of(run: Run, plan: GenerationPlan | None) -> GenerationSettings:
    """The settings as the protocol reads them."""
    model = plan.settings if plan else GenerationSettings
    return model.model_validate(settings_values(run))


def round_state(run: Run) -> JsonValue:
    """What the last whole round left; None where it left nothing."""
    return run.settings.get(_STATE)


def kept_settings(settings: dict[str, JsonValue], state: JsonValue) -> dict[str, JsonValue]:
    """Settings and state as a run keeps them; raises TypeError and ValueError for a state that is no JSON."""
    return settings if state is None else {**settings, _STATE: json.loads(canonical_json(state))}

"""The models file: a TOML file that says how models are reached, and their prices.

base_url = "https://api.groq.com/openai/v1"
key_env = "GROQ_API_KEY"            # the name of the variable; never put a key itself here

[limits]                            # see model_settings.CallLimits
concurrency = 8
requests_per_minute = 30

[patience]                          # see settings.RetryLimits
total = 300

[prices."llama-3.3-70b-versatile"]  # for a million tokens
prompt = 0.59
completion = 0.79
"""

from pathlib import Path

from pydantic import BaseModel, ConfigDict, Field, ValidationError

from reviewer.core.errors import InputError
from reviewer.core.sanitize import one_line
from reviewer.core.source_text import read_toml
from reviewer.llm.model_settings import DEFAULT_URL, CallLimits, Price, RetryLimits


class ModelsFile(BaseModel):
    """The values of the file, with defaults for those that it does not give."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    base_url: str = DEFAULT_URL
    key_env: str | None = None
    limits: CallLimits = Field(default_factory=CallLimits)
    patience: RetryLimits = Field(default_factory=RetryLimits)
    prices: dict[str, Price] = Field(default_factory=dict)


def read_models_file(path: Path) -> ModelsFile:
    """The file's content; raises InputError naming the field."""
    where = f"models file {one_line(str(path), 120)!r}"
    values = read_toml(path, where, "give another with --models")
    try:
        return ModelsFile.model_validate(values)
    except ValidationError as error:
        # The value itself is not shown, because somebody may have put a key there.
        first = error.errors(include_url=False, include_input=False, include_context=False)[0]
        field = one_line(".".join(map(str, first["loc"])))
        raise InputError(f"{where}, {field}", one_line(first["msg"]).lower(), "correct it") from error

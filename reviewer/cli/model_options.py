"""Options of commands that ask models, and the client that they open."""

from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from dataclasses import dataclass, fields, replace
from functools import wraps
from pathlib import Path
from typing import Any

import click

from reviewer.core.errors import RequestError
from reviewer.llm.client import ModelClient, open_client
from reviewer.llm.models_file import ModelsFile, read_models_file
from reviewer.llm.rate_limit import SharedLimits
from reviewer.llm.recording import check_recording, read_recording
from reviewer.llm.settings import DEFAULT_URL, CallLimits, Endpoint, ModelSettings, Price
from store.calls import StoredCalls
from store.database import Database


@dataclass(frozen=True, slots=True)
class ModelOptions:
    """What the command line says about models; None where it leaves it to the models file."""

    models_file: Path | None
    base_url: str | None
    key_env: str | None
    concurrency: int | None
    budget: float | None
    fresh: bool
    replay: Path | None
    record: Path | None

    def settings(self) -> ModelSettings:
        """The settings of file and options together; raises RequestError and InputError."""
        file = self._file()
        endpoint = Endpoint.of(self.base_url or file.base_url, self.key_env or file.key_env)
        return ModelSettings(endpoint, self.limits(), file.patience, file.prices, self.fresh)

    def limits(self) -> CallLimits:
        """The limits of file and options together, also where no key is set; raises InputError."""
        own = {"concurrency": self.concurrency, "budget": self.budget}
        said = {name: value for name, value in own.items() if value is not None}
        return self._file().limits.model_copy(update=said)

    def _file(self) -> ModelsFile:
        return ModelsFile() if self.models_file is None else read_models_file(self.models_file)

    def price(self, model: str) -> Price | None:
        """What the models file says that a model costs; raises InputError."""
        return self._file().prices.get(model)

    def check(self, *models: str) -> None:
        """Raise ReviewerError for whatever keeps these options from asking these models; writes nothing."""
        if self.replay and (self.record or self.fresh):
            raise RequestError("--replay answers only from its file; leave --record and --fresh out.")
        if self.replay:
            if not read_recording(self.replay):
                raise RequestError(f"recording {str(self.replay)!r} is empty; give one that has answers.")
        else:
            self.settings().check_prices(models)
        if self.record and not self.record.absolute().parent.is_dir():
            raise RequestError(
                f"there is no folder {str(self.record.parent)!r} to record into; make it first."
            )
        if self.record:
            check_recording(self.record)

    @asynccontextmanager
    async def client(
        self, database: Database, *, attempts: int | None = None, shared: SharedLimits | None = None
    ) -> AsyncIterator[ModelClient]:
        """The client that these options ask for, its rows in this store; ``attempts`` as in RetryLimits.

        ``shared`` limits are kept with other processes.
        """
        self.check()
        settings = ModelSettings(Endpoint()) if self.replay else self.settings()
        if attempts is not None:
            patience = settings.patience.model_copy(update={"attempts": attempts})
            settings = replace(settings, patience=patience)
        calls = StoredCalls(database)
        files = {"replay": self.replay, "record": self.record}
        async with open_client(settings, calls, **files, shared=shared) as client:
            yield client


_FILE = click.Path(dir_okay=False, path_type=Path)
_OPTIONS = (
    click.option(
        "--models",
        "models_file",
        type=_FILE,
        metavar="FILE",
        envvar="REVIEWER_MODELS",
        help="TOML file with the server's address, limits and prices.  [env var: REVIEWER_MODELS]",
    ),
    click.option(
        "--base-url",
        metavar="URL",
        envvar="REVIEWER_BASE_URL",
        help=f"The server, if not {DEFAULT_URL}.  [env var: REVIEWER_BASE_URL]",
    ),
    click.option(
        "--key-env",
        metavar="NAME",
        envvar="REVIEWER_KEY_ENV",
        help="Name of the environment variable that holds the API key. Default: OPENAI_API_KEY for "
        "OpenAI's server, GROQ_API_KEY for Groq's, no key for any other.  [env var: REVIEWER_KEY_ENV]",
    ),
    click.option(
        "--concurrency", type=click.IntRange(1, 1000), help="Number of calls at a time. Default: 8."
    ),
    click.option(
        "--budget",
        type=click.FloatRange(min=0),
        metavar="MONEY",
        help="Stop sending calls once this much is spent, in the currency of the models file.",
    ),
    click.option("--fresh", is_flag=True, help="Send each request again, even if the store has its answer."),
    click.option(
        "--replay", type=_FILE, metavar="FILE", help="Take all answers from this recording. Nothing is sent."
    ),
    click.option("--record", type=_FILE, metavar="FILE", help="Also write every answer to this recording."),
)


def model_options(command: Callable[..., Any]) -> Callable[..., Any]:
    """Adds the options, and hands them to the command together, as ``models``."""

    @wraps(command)
    def bundled(**given: Any) -> Any:
        own = {field.name: given.pop(field.name) for field in fields(ModelOptions)}
        return command(models=ModelOptions(**own), **given)

    wrapped: Callable[..., Any] = bundled
    for option in reversed(_OPTIONS):
        wrapped = option(wrapped)
    return wrapped

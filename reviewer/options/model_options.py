"""Options of commands that ask models, and the client that they open."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import TYPE_CHECKING

from reviewer.core.errors import RequestError
from reviewer.options.option import CommandOptions, FilePath, flag, option

if TYPE_CHECKING:
    from reviewer.llm.client import ModelClient
    from reviewer.llm.model_settings import CallLimits, ModelSettings, Price
    from reviewer.llm.models_file import ModelsFile
    from reviewer.llm.rate_limit import SharedLimits
    from reviewer.llm.usage import Calls


class ModelOptions(CommandOptions):
    """How models are reached; None where it is left to the models file."""

    title = "Models"

    models_file: FilePath | None = option(
        "TOML file with the server's address, limits and prices.  [env var: REVIEWER_MODELS]",
        "--models",
        metavar="FILE",
        env="REVIEWER_MODELS",
        is_file=True,
    )
    base_url: str | None = option(
        "The server, if not https://api.openai.com/v1.  [env var: REVIEWER_BASE_URL]",
        metavar="URL",
        env="REVIEWER_BASE_URL",
    )
    key_env: str | None = option(
        "Name of the environment variable that holds the API key. Default: OPENAI_API_KEY for "
        "OpenAI's server, GROQ_API_KEY for Groq's, no key for any other.  [env var: REVIEWER_KEY_ENV]",
        metavar="NAME",
        env="REVIEWER_KEY_ENV",
    )
    concurrency: int | None = option("Number of calls at a time. Default: 8.", within=(1, 1000))
    budget: float | None = option(
        "Stop sending calls once this much is spent, in the currency of the models file.",
        metavar="MONEY",
        within=(0, None),
    )
    fresh: bool = flag("Send each request again, even if the store has its answer.")
    replay: FilePath | None = option(
        "Take all answers from this recording. Nothing is sent.", metavar="FILE", is_file=True
    )
    record: FilePath | None = option(
        "Also write every answer to this recording.", metavar="FILE", is_file=True
    )

    def settings(self) -> "ModelSettings":
        """The settings of file and options together; raises RequestError and InputError."""
        from reviewer.llm.model_settings import Endpoint, ModelSettings

        file = self._file()
        endpoint = Endpoint.of(self.base_url or file.base_url, self.key_env or file.key_env)
        return ModelSettings(endpoint, self.limits(), file.patience, file.prices, self.fresh)

    def limits(self) -> "CallLimits":
        """The limits of file and options together, also where no key is set; raises InputError."""
        own = {"concurrency": self.concurrency, "budget": self.budget}
        said = {name: value for name, value in own.items() if value is not None}
        return self._file().limits.model_copy(update=said)

    def _file(self) -> "ModelsFile":
        from reviewer.llm.models_file import ModelsFile, read_models_file

        return ModelsFile() if self.models_file is None else read_models_file(self.models_file)

    def price(self, model: str) -> "Price | None":
        """What the models file says that a model costs; raises InputError."""
        return self._file().prices.get(model)

    def prices(self, *models: str) -> "dict[str, Price]":
        """The prices of those models that have one; raises InputError."""
        return {model: price for model in models if (price := self.price(model)) is not None}

    def check(self, *models: str) -> None:
        """Raise ReviewerError for whatever keeps these options from asking these models; writes nothing."""
        from reviewer.core.names import checked_model
        from reviewer.llm.recording import check_recording, read_recording

        for model in models:
            checked_model(model)
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
        self, calls: "Calls", *, attempts: int | None = None, shared: "SharedLimits | None" = None
    ) -> "AsyncIterator[ModelClient]":
        """The client that these options ask for, which keeps its rows here; ``attempts`` as in RetryLimits.

        ``shared`` limits are kept with other processes.
        """
        from dataclasses import replace

        from reviewer.llm.client import open_client
        from reviewer.llm.model_settings import Endpoint, ModelSettings

        self.check()
        settings = ModelSettings(Endpoint()) if self.replay else self.settings()
        if attempts is not None:
            patience = settings.patience.model_copy(update={"attempts": attempts})
            settings = replace(settings, patience=patience)
        files = {"replay": self.replay, "record": self.record}
        async with open_client(settings, calls, **files, shared=shared) as client:
            yield client

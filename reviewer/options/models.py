"""Options of ``reviewer models``."""

from reviewer.options.model_options import ModelOptions
from reviewer.options.option import CommandGroup, argument, option
from reviewer.options.shared import InStore, Tabled


class ModelsCommands(CommandGroup):
    """Test connections to language models, and count what they cost."""

    example = "reviewer models try gpt-4o-mini"


class ModelsCallsOptions(Tabled, InStore):
    """Count the calls in the store, with their tokens and cost, by endpoint, model and purpose.

    Tokens are counted by the servers. If a server reported no tokens, or impossible numbers, they are
    estimated from the text, and the calls are counted as estimated.
    """

    example = "reviewer models calls --format csv"


class ModelsTryOptions(Tabled, InStore):
    """Send one short prompt to a model, to test its address, key and name.

    The prompt is sent once, without retries, and the call is kept in the store. If there is no store yet,
    one is made when the model answers. With --replay, nothing is sent.
    """

    example = "reviewer models try llama3.2 --base-url http://127.0.0.1:11434/v1"
    model: str = argument("MODEL")
    prompt: str = option("The prompt to send.", default="Reply with the one word: ready", show_default=True)
    models: ModelOptions

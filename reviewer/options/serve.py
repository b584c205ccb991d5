"""Options of ``reviewer serve``."""

from typing import ClassVar

from reviewer.options.option import argument, command_options, option
from reviewer.options.shared import InStore


@command_options
class ServeOptions(InStore):
    """Let raters review STUDY in a browser, each through their own secret link.

    Each rater without a valid link gets one, which is shown only once. Ctrl+C stops the server. Saved answers
    stay saved.
    """

    example: ClassVar[str] = "reviewer serve pilot --port 8000"
    study: str = argument("STUDY")
    host: str = option("The address to listen on.", default="127.0.0.1", show_default=True)
    port: int = option("The port to listen on.", default=8000, show_default=True, within=(1, 65535))
    public_url: str = option(
        "Address that raters' browsers open, if a proxy stands in front of the server.", default=""
    )

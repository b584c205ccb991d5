"""Options of ``reviewer demo``."""

from typing import ClassVar

from reviewer.options.option import command_options, option
from reviewer.options.shared import InStore


@command_options
class DemoOptions(InStore):
    """Open the app on the hand-written seed cases, ready to be labelled."""

    example: ClassVar[str] = "reviewer demo --store demo.db"
    rater: str | None = option("Your name. Default: the name in your settings, else your login name.")

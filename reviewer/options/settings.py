"""Options of ``reviewer settings``."""

from typing import ClassVar

from reviewer.options.option import command_options, flag
from reviewer.options.shared import Tabled


@command_options
class SettingsOptions(Tabled):
    """Show the current settings, or with --keys every action and its keys.

    Settings are read from the TOML file named by REVIEWER_SETTINGS, else from the system's configuration
    folder. The path is printed. Keys are set in the table [keys], for example review.skip = "k".
    """

    example: ClassVar[str] = "reviewer settings --keys --format csv"
    only_keys: bool = flag("List every action with its keys instead.", "--keys")

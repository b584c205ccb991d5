"""Options of ``reviewer settings``, ``manual`` and ``completion``: the program itself."""

from typing import Literal

from reviewer.options.option import CommandOptions, argument, flag
from reviewer.options.shared import Tabled


class SettingsOptions(Tabled):
    """Show the current settings, or with --keys every action and its keys.

    Settings are read from the TOML file named by REVIEWER_SETTINGS, else from the system's configuration
    folder. The path is printed. Keys are set in the table [keys], for example review.skip = "k".
    """

    example = "reviewer settings --keys --format csv"
    only_keys: bool = flag("List every action with its keys instead.", "--keys")


class ManualOptions(Tabled):
    """Show a page of the manual, or the list of its pages.

    On a terminal the page is laid out to fit, and longer pages open in a pager. In a pipe it is Markdown.
    In the app, F1 opens the page that belongs to the screen.
    """

    example = "reviewer manual first-study"
    page: str | None = argument("[PAGE]")
    lists: bool = flag("List the pages instead. The default without PAGE.", "--list")
    reference: bool = flag("Print the page on commands, made from the commands of this release.", hidden=True)


class CompletionOptions(CommandOptions):
    """Print the script that makes the tab key complete commands, options and file names.

    Add the line for bash or zsh to the file named after it, or run the line for fish once. Bash needs version
    4.4 or newer.

    \b
    bash:  eval "$(reviewer completion bash)"    in ~/.bashrc
    zsh:   eval "$(reviewer completion zsh)"     in ~/.zshrc
    fish:  reviewer completion fish > ~/.config/fish/completions/reviewer.fish
    """

    example = 'eval "$(reviewer completion bash)"'
    shell: Literal["bash", "zsh", "fish"] = argument("")

"""Options of ``reviewer completion``."""

from typing import ClassVar, Literal

from reviewer.options.option import argument, command_options


@command_options
class CompletionOptions:
    """Print the script that makes the tab key complete commands, options and file names.

    Add the line for bash or zsh to the file named after it, or run the line for fish once. Bash needs version
    4.4 or newer.

    \b
    bash:  eval "$(reviewer completion bash)"    in ~/.bashrc
    zsh:   eval "$(reviewer completion zsh)"     in ~/.zshrc
    fish:  reviewer completion fish > ~/.config/fish/completions/reviewer.fish
    """

    example: ClassVar[str] = 'eval "$(reviewer completion bash)"'
    shell: Literal["bash", "zsh", "fish"] = argument("")

"""``reviewer completion``: completion of commands and options by the tab key."""

import click
from click.shell_completion import get_completion_class

_SHELLS = ("bash", "zsh", "fish")


@click.command("completion", epilog='Example: eval "$(reviewer completion bash)"')
@click.argument("shell", type=click.Choice(_SHELLS))
@click.pass_context
def completion_command(context: click.Context, shell: str) -> None:
    """Print the script that makes the tab key complete commands, options and file names.

    Add the line for bash or zsh to the file named after it, or run the line for fish once. Bash needs version
    4.4 or newer.

    \b
    bash:  eval "$(reviewer completion bash)"    in ~/.bashrc
    zsh:   eval "$(reviewer completion zsh)"     in ~/.zshrc
    fish:  reviewer completion fish > ~/.config/fish/completions/reviewer.fish
    """
    kind = get_completion_class(shell)
    assert kind is not None, "click knows every shell that the argument takes"
    # Only the text of the script: click's own way of printing it starts bash to learn its version.
    script = kind(context.find_root().command, {}, "reviewer", "_REVIEWER_COMPLETE")
    click.echo(script.source_template % script.source_vars())

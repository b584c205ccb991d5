"""``reviewer completion``: completion of commands and options by the tab key."""

import click
from click.shell_completion import get_completion_class

from reviewer.options.completion import CompletionOptions


def completion_command(options: CompletionOptions) -> None:
    """Carry out ``reviewer completion``."""
    kind = get_completion_class(options.shell)
    assert kind is not None, "click knows every shell that the argument takes"
    # Only the text of the script: click's own way of printing it starts bash to learn its version.
    program = click.get_current_context().find_root().command
    script = kind(program, {}, "reviewer", "_REVIEWER_COMPLETE")
    click.echo(script.source_template % script.source_vars())

"""``reviewer protocol example``: the shipped examples with their data, to try and to begin from."""

from pathlib import Path

import click

from reviewer.cli.options import note, protocols_here
from reviewer.core.errors import RequestError
from reviewer.core.suggestions import closest
from reviewer.exchange.rows.shipped_examples import example_commands, example_files, example_names
from reviewer.options.protocol import ProtocolExampleOptions


def protocol_example_command(options: ProtocolExampleOptions) -> None:
    """Carry out ``reviewer protocol example``."""
    protocols = protocols_here()
    names = example_names(protocols)
    if options.name is None:
        click.echo("\n".join(names))
        note("Write one with `reviewer protocol example NAME FOLDER`.")
        return
    if options.name not in names:
        raise RequestError(
            f"there is no example {options.name!r}; {closest(options.name, names, 'use one of')}."
        )
    target = options.folder or Path()
    files = example_files(options.name, protocols)
    for file in files:
        if (target / file).exists():
            raise RequestError(f"file {str(target / file)!r} exists; give another FOLDER.")
    _write(target, files)
    click.echo("\n".join(example_commands(options.name, target, protocols)))


def _write(folder: Path, files: dict[str, str]) -> None:
    try:
        folder.mkdir(parents=True, exist_ok=True)
        for file, text in files.items():
            (folder / file).write_text(text, encoding="utf-8", newline="")
    except OSError as error:
        raise RequestError(
            f"folder {str(folder)!r} cannot be written ({error.strerror}); choose another."
        ) from error

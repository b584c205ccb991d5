"""``reviewer protocol example``: the shipped examples with their data, to try and to begin from."""

from pathlib import Path

import click

from reviewer.cli.options import note, protocols_here
from reviewer.core.errors import RequestError
from reviewer.core.suggestions import closest
from reviewer.exchange.rows.shipped_examples import example_commands, example_files, example_names


@click.command("example", epilog="Example: reviewer protocol example reply_pairs trial")
@click.argument("name", metavar="[NAME]", required=False)
@click.argument("folder", metavar="[FOLDER]", required=False, type=click.Path(path_type=Path))
def protocol_example_command(name: str | None, folder: Path | None) -> None:
    """Write a shipped example to FOLDER: cases, and their declaration or what a model answered.

    Without NAME, the examples are listed. Without FOLDER, the files go to the current folder. Existing files
    are never replaced. The output consists of the commands that import the example.
    """
    protocols = protocols_here()
    names = example_names(protocols)
    if name is None:
        click.echo("\n".join(names))
        note("Write one with `reviewer protocol example NAME FOLDER`.")
        return
    if name not in names:
        raise RequestError(f"there is no example {name!r}; {closest(name, names, 'use one of')}.")
    target = folder or Path()
    files = example_files(name, protocols)
    for file in files:
        if (target / file).exists():
            raise RequestError(f"file {str(target / file)!r} exists; give another FOLDER.")
    _write(target, files)
    click.echo("\n".join(example_commands(name, target, protocols)))


def _write(folder: Path, files: dict[str, str]) -> None:
    try:
        folder.mkdir(parents=True, exist_ok=True)
        for file, text in files.items():
            (folder / file).write_text(text, encoding="utf-8", newline="")
    except OSError as error:
        raise RequestError(
            f"folder {str(folder)!r} cannot be written ({error.strerror}); choose another."
        ) from error

"""The declarations that are shipped as examples, each with its data of twelve cases."""

from importlib.resources import files

_FOLDER = "own_benchmark"
_GROUPS = "_groups.toml"


def example_names() -> list[str]:
    """The names of the examples."""
    names = sorted(file.name for file in (files("seeds") / _FOLDER).iterdir())
    return [name.removesuffix(".toml") for name in names if name.endswith(".toml") and _GROUPS not in name]


def example_files(name: str) -> dict[str, str]:
    """The texts of an example's files by name: its declaration, its data, and definitions if it has some."""
    folder = files("seeds") / _FOLDER
    wanted = (f"{name}.", f"{name}{_GROUPS}")
    found = sorted((file for file in folder.iterdir() if file.name.startswith(wanted)), key=lambda f: f.name)
    return {file.name: file.read_bytes().decode() for file in found}

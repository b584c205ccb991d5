"""The command line. A command is in the file of its name or of its group: parse, call one function, print."""

from reviewer.cli.entry import main

__all__ = ["main"]

"""The command line. Each command has a file of its name: parse, call one function, print."""

from reviewer.cli.entry import main

__all__ = ["main"]

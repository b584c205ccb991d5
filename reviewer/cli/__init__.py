"""Floor 6: the command line. One file a group of commands: parse, wire the parts, call one thing, print."""

from reviewer.cli.main import main

__all__ = ["main"]

"""``python -m reviewer``."""

from reviewer.cli.main import main

main()

"""How a long piece of work reports how far it is."""

from collections.abc import Callable

Progress = Callable[[int, int], None]
"""Called with how much is done and how much there is in all."""
NamedProgress = Callable[[str, int, int], None]
"""Called with the name of the work, how much of it is done, and how much there is in all."""

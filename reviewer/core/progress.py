"""How work that takes long says how far it is."""

from collections.abc import Callable

Progress = Callable[[int, int], None]
"""Called with (done, total)."""
NamedProgress = Callable[[str, int, int], None]
"""Called with (what is being done, done, total)."""

"""Random orders that depend only on a seed and on content, not on a library's generator."""

import hashlib
from collections.abc import Iterable


def shuffled(items: Iterable[str], seed: int | str) -> list[str]:
    """The items in the order of SHA-256 over seed and item: random, and the same on every machine."""
    return sorted(items, key=lambda item: hashlib.sha256(f"{seed}\0{item}".encode()).digest())


def derived_seed(seed: int, name: str) -> int:
    """A seed of 63 bits for one purpose, such as one rater's order."""
    return int.from_bytes(hashlib.sha256(f"{seed}\0{name}".encode()).digest()[:8], "big") >> 1

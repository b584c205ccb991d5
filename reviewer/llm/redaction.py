"""Keeping the key out of what is kept or shown, even where a server sends it back."""

HIDDEN = "[key]"
# Servers without keys are often given a word ("none", "ollama"), which is no secret and may well be answered.
_SHORTEST_SECRET = 8


def without_key(text: str, key: str | None) -> str:
    """The text with each occurrence of the key replaced."""
    if key is None or len(key) < _SHORTEST_SECRET:
        return text
    return text.replace(key, HIDDEN)

"""The keys that mark spans in a text: where the cursor goes, what is selected, and what is taken away."""

from textual.binding import Binding

MARK_SELECT, MARK_REMOVE = "pane.mark-select", "pane.mark-remove"
MARK_LETTER, MARK_WORD = "pane.mark-right", "pane.mark-word-right"
_MOVES = (
    ("left", "left", "letter before"),
    ("right", "right", "next letter"),
    ("comma,ctrl+left", "word-left", "word before"),
    ("full_stop,ctrl+right", "word-right", "next word"),
    ("up,k", "up", "line above"),
    ("down,j", "down", "line below"),
    ("home", "first", "first letter"),
    ("end", "last", "last letter"),
)
_EXTENDS = (
    ("shift+left", "left", "letter before"),
    ("shift+right", "right", "next letter"),
    ("less_than_sign,ctrl+shift+left", "word-left", "word before"),
    ("greater_than_sign,ctrl+shift+right", "word-right", "next word"),
    ("shift+up", "up", "line above"),
    ("shift+down", "down", "line below"),
)
MARK_KEYS = (
    *(
        Binding(keys, f"mark('{move}')", words, id=f"pane.mark-{move}", tooltip=f"Marking: go to the {words}")
        for keys, move, words in _MOVES
    ),
    *(
        Binding(
            keys,
            f"mark('{move}', True)",
            f"select to the {words}",
            id=f"pane.select-{move}",
            tooltip=f"Marking: select to the {words}",
        )
        for keys, move, words in _EXTENDS
    ),
    Binding(
        "space", "mark('select')", "select", id=MARK_SELECT, tooltip="Marking: select from here, or no longer"
    ),
    Binding(
        "backspace,delete",
        "mark('remove')",
        "take a span away",
        id=MARK_REMOVE,
        tooltip="Marking: take away the shortest span at the cursor",
    ),
)
"""What keys do in a text in which spans are marked; elsewhere they have their other meanings."""

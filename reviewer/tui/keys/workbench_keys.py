"""The keys of the workbench, and which of them its bottom line shows."""

from collections.abc import Mapping
from functools import partial

from textual.content import Content

from reviewer.tui.keys.named_keys import named_key
from reviewer.tui.widgets.key_hints import in_one_line, offered

_key = partial(named_key, "workbench")

REPAIR_KEY = named_key("workbench", "E", "repair", "repair", "open", "Repair this case in the workbench")
"""Opens the workbench, the same on every screen with a case that an author may change."""
WORKBENCH_KEYS = (
    _key("ctrl+s", "save", "save", "save", "Save the change as a revision, with a reason"),
    _key("enter,i", "edit", "edit", "edit", "Go back into the editor that you left"),
    _key("Q,f5", "query", "query", "query", "Put a goal to both programs, and see all its solutions"),
    _key("R,f3", "rules", "by rule", "rules", "See what each repair by rule would change here"),
    _key("P,f8", "propose", "by model", "propose", "Ask the model for repairs of the worst finding"),
    _key(
        "X,f4", "external_editor", "your editor", "editor", "Edit this text in the program that EDITOR names"
    ),
    _key("z,f9", "reset", "reset", "reset", "Put the stored text back; undo brings yours back"),
    _key("Z", "reset_all", "reset all", "reset-all", "Put all stored texts back"),
    _key("u", "undo", "undo", "undo", "Undo the last change of the text that you edited last"),
    _key("U", "redo", "redo", "redo", "Redo what was undone"),
    _key(
        "p,f2", "other_panes", "other panes", "panes", "Show the differences, or a derivation of the change"
    ),
    _key("question_mark", "keys", "keys", "keys", "Show this list", shown_as="?"),
    _key("q,escape", "leave", "back", "leave", "Go back; a change that is not saved stays as a draft"),
)
_SAVE, _LEAVE, _KEYS = ("workbench.save", "save"), ("workbench.leave", "back"), ("workbench.keys", "keys")
_ACTIONS = (
    ("workbench.query", "query"),
    ("workbench.rules", "by rule"),
    ("workbench.propose", "by model"),
    ("workbench.editor", "your editor"),
    ("workbench.reset", "reset"),
)
_TYPING = (
    _SAVE,
    ("editor.leave", "leave the editor"),
    *_ACTIONS,
    ("editor.undo", "undo"),
    ("editor.next", "next text"),
)
_OUTSIDE = (
    _SAVE,
    ("workbench.edit", "edit"),
    *_ACTIONS,
    ("workbench.panes", "other panes"),
    ("workbench.undo", "undo"),
)


def workbench_hints(keys: Mapping[str, str], width: int, *, typing: bool) -> Content:
    """One line with the keys that work now; ``keys`` are the bound keys by id.

    While somebody types, every letter is text, so other keys work than outside the editors.
    """
    if typing:
        return in_one_line(offered(keys, _TYPING), [], width)
    return in_one_line(offered(keys, _OUTSIDE), offered(keys, (_KEYS, _LEAVE)), width)

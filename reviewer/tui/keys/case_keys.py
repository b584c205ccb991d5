"""The keys of screens with a case: those that show it in another way, mark spans, and review it."""

from functools import partial

from textual.binding import Binding

from reviewer.tui.keys.named_keys import named_key

_key = partial(named_key, "review")


CASE_KEYS = (
    _key("tab", "next_pane(1)", "next pane", "next-pane", "Go to the next pane"),
    _key("shift+tab", "next_pane(-1)", "pane before", "previous-pane", "Go to the pane before"),
    _key("w", "jump", "jump", "jump", "Give every pane a letter that goes there"),
    _key("d", "step_difference(1)", "next difference", "next-difference", "Point at the next difference"),
    _key(
        "D",
        "step_difference(-1)",
        "difference before",
        "previous-difference",
        "Point at the difference before",
    ),
    _key("l", "step_link(1)", "next link", "next-link", "Mark the next clause and the words it encodes"),
    _key("L", "step_link(-1)", "link before", "previous-link", "Mark the clause before and its words"),
    _key("slash", "search", "search", "search", "Mark words in all panes of this case", shown_as="/"),
    _key("m", "step_match(1)", "next match", "next-match", "Point at the next match"),
    _key("M", "step_match(-1)", "match before", "previous-match", "Point at the match before"),
    _key("C", "copy_pane", "copy", "copy", "Copy the text of this pane to the clipboard"),
    _key("z", "zoom", "zoom", "zoom", "Show this pane alone, or all panes again"),
    _key(
        "right_square_bracket",
        "step_variant(1)",
        "next variant",
        "next-variant",
        "Move along to the next variant",
        shown_as="]",
    ),
    _key(
        "left_square_bracket",
        "step_variant(-1)",
        "variant before",
        "previous-variant",
        "Move back to the variant before",
        shown_as="[",
    ),
    _key(
        "O",
        "next_speaker",
        "one speaker",
        "next-speaker",
        "Show one speaker's turns or view alone, or all again",
    ),
    _key("W", "read_in_words", "in words", "in-words", "Read the derivation in words, or step by step"),
    _key(
        "p", "other_panes", "other panes", "fold", "Hide programs and proof, or show the case's other panes"
    ),
)
STEP_KEYS = (
    _key("n,right", "next", "next", "next", "Show the next one"),
    _key("b,left", "previous", "before", "previous", "Show the one before"),
    _key("question_mark", "keys", "keys", "keys", "Show this list", shown_as="?"),
    _key("q,escape", "leave", "back", "leave", "Go back to the list"),
)
"""The keys of a screen that shows one item of a list after the other."""
LIST_KEYS = (
    named_key("list", "question_mark", "keys", "keys", "keys", "Show this list", shown_as="?"),
    named_key("list", "q,escape", "leave", "back", "leave", "Go back; everything is saved already"),
)
"""The keys of a screen with one list."""


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


NEEDS_A_CASE = {
    "answer",
    "more_answers",
    "no_label",
    "save_choice",
    "tie",
    "proceed",
    "reason",
    "skip",
    "reveal",
    "comment",
    "flag",
    "next",
    "next_open",
    "guideline",
}
"""Actions that do nothing while no case is shown."""


_COMMENT = "Write, change or remove a comment, on the passage that d, l, m or the mouse chose"


REVIEW_KEYS = (
    _key("u", "undo", "undo", "undo", "Take the last answer or skip back"),
    _key("enter", "proceed", "go on", "proceed", "Go on: keep both answers, or keep the first verdict"),
    _key("r", "reason", "say why", "reason", "Write why you keep two answers that clash"),
    _key("R", "reveal", "show findings", "reveal", "Show what was found; your answer is then final"),
    _key("S", "sure('sure')", "sure", "sure", "Say that you are sure of the answer that you gave last"),
    _key("H", "sure('rather sure')", "rather sure", "rather-sure", "Say that you are rather sure of it"),
    _key("G", "sure('guess')", "a guess", "guess", "Say that the answer that you gave last is a guess"),
    _key("s", "skip", "skip", "skip", "Put the case off; it comes again later"),
    _key("c", "comment", "comment", "comment", _COMMENT),
    _key("x", "flag", "flag", "flag", "Flag for a second look, or unflag"),
    _key("n,right", "next", "next case", "next", "Show the next case without answering"),
    _key("b,left", "previous", "case before", "previous", "Show the case before"),
    _key("o", "next_open", "next open", "next-open", "Show the next case without an answer"),
    _key("i", "only", "filter …", "only", "Show some cases only: open, flagged, of one group …"),
    _key("I", "everything", "view all", "everything", "Show all cases again"),
    _key("g", "guideline", "guideline", "guideline", "Read the guideline of this question"),
    _key("A", "own_answers", "my answers", "own-answers", "List and search what you answered so far"),
    _key("v", "final", "final labels", "final", "See where you differ from the final labels"),
    _key("N", "note", "notes", "note", "Write a note on your work, and read the earlier ones"),
    _key("h", "pace", "pace", "pace", "Show or hide how many minutes are left"),
    _key("question_mark", "keys", "keys", "keys", "Show this list", shown_as="?"),
    _key("q", "leave", "leave", "leave", "Leave; everything is saved already"),
)

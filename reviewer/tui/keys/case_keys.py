"""The keys that show a case in another way, the same on every screen with a case."""

from functools import partial

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

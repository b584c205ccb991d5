"""The keys of the review screen, except the answer keys, which come from the question."""

from functools import partial

from reviewer.tui.keys.named_keys import named_key

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


_key = partial(named_key, "review")
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

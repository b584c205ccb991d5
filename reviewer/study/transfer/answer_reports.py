"""The sentences on blank, late and doubled answers, one for each kind.

Sheets, plain mode and merged packs all use these sentences, so that the same thing is always said in the same
words. ``which`` gives their number or place: "3 empty cells", "lines 2 and 5".
"""


def blank_answers(which: str) -> str:
    """Questions without an answer: empty cells, missing rows, empty lines, open questions of a pack."""
    return f"Blank answers count as missing and change no earlier answer: {which}."


def late_answers(which: str) -> str:
    """Answers that reached the study after it was closed."""
    return f"Late answers, which come after a study is closed, are kept but not counted: {which}."


def late_answers_refused(study: str, closed_at: str) -> str:
    """Answers that were given to a closed study: none of them is saved."""
    return (
        f"study {study!r} was closed on {closed_at[:10]} and takes no more answers; "
        f"its lead can open it again with `reviewer study reopen`."
    )


def doubled_answers(which: str) -> str:
    """Questions that one rater answered twice: in equal rows of a sheet, two lines, or two machines."""
    return f"Of doubled answers only the last one counts: {which}."


def contradictory_answers(which: str) -> str:
    """Doubled answers that differ and have no order, as on two rows of a sheet: they are refused."""
    return f"doubled answers differ, and none of them is the last one: {which}"

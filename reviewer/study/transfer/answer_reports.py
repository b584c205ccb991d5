"""What people are told about blank, late and doubled answers: one sentence each, whatever the way in.

Sheets, plain mode and merged packs use these words, so that nobody has to guess whether two sentences mean
the same thing. ``which`` says how many there are, or where: "3 empty cells", "lines 2 and 5".
"""


def blank_answers(which: str) -> str:
    """Questions without an answer: empty cells, missing rows, empty lines, what a pack left open."""
    return f"Blank answers count as missing and change no earlier answer: {which}."


def late_answers(which: str) -> str:
    """Answers from elsewhere that reached a closed study."""
    return f"Late answers, which come after a study is closed, are kept but not counted: {which}."


def late_answers_refused(study: str, closed_at: str) -> str:
    """Answers that are given to a study while it is closed: none of them is written."""
    return (
        f"study {study!r} was closed on {closed_at[:10]} and takes no more answers; "
        f"its lead can open it again with `reviewer study reopen`."
    )


def doubled_answers(which: str) -> str:
    """Questions that one rater answered twice: equal rows of a sheet, two named lines, two machines."""
    return f"Of doubled answers only the last one counts: {which}."


def contradictory_answers(which: str) -> str:
    """Doubled answers that differ where neither is the later one, as on two rows of a sheet: refused."""
    return f"doubled answers differ, and none of them is the last one: {which}"

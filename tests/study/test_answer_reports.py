"""The sentences on blank, late and doubled answers: the same words for every way in."""

from reviewer.study.transfer.answer_reports import (
    blank_answers,
    contradictory_answers,
    doubled_answers,
    late_answers,
)


def test_each_is_one_sentence() -> None:
    assert blank_answers("3 empty cells") == (
        "Blank answers count as missing and change no earlier answer: 3 empty cells."
    )
    assert late_answers("2 events") == (
        "Late answers, which come after a study is closed, are kept but not counted: 2 events."
    )
    assert doubled_answers("lines 2, 5") == "Of doubled answers only the last one counts: lines 2, 5."
    assert contradictory_answers("lines 2, 5") == (
        "doubled answers differ, and none of them is the last one: lines 2, 5"
    )

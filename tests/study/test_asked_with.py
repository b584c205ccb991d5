"""What a model said of a case is shown with the question about it, after all other answers about the case."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from reviewer.core.errors import RequestError
from reviewer.core.pane import Sheet
from reviewer.exchange.packs.pack import rows_for_pack
from reviewer.study.design.study_creation import Design, create_study
from reviewer.study.design.study_design import Options
from reviewer.study.session.review_session import ReviewSession
from reviewer.study.session.review_stages import Stage
from store.case_import import Entry, import_entries
from store.database import Database
from store.records import Dataset, Measurement, Membership
from tests.answer_pairs import a_rewrite, an_entry
from tests.studies import AT, open_store

SAID = "The cited experts settle it."


@pytest.fixture
def database(tmp_path: Path) -> Iterator[Database]:
    store = open_store(tmp_path)
    case = a_rewrite()
    place = Membership(
        dataset="rewrites", key="r-1", case=case.digest, position=0, generator="teacher", origin="generated"
    )
    said = [{"model": "judge-1", "order": "as published", "choice": "rewritten", "reply": SAID}]
    value = Measurement(
        case=case.digest, name="judgements", source="published", dataset="rewrites", key="r-1", value=said
    )
    header = Dataset(name="rewrites", protocol="judge-rewrites", source="a test", imported_at=AT)
    import_entries(store, header, [Entry(case, place, (value,))])
    options = Options.model_validate({"asking": "case"})
    create_study(store, "pilot", Design(("rewrites",), None, 7, "full", raters=("anna",), options=options))
    yield store
    store.close()


def texts(sheet: Sheet) -> str:
    return " ".join(f"{pane.title} {pane.body.text if hasattr(pane.body, 'text') else ''}" for pane in sheet)


def test_the_judges_words_come_after_all_other_answers_about_the_case(database: Database) -> None:
    session = ReviewSession(database, "pilot", "anna")
    hidden = "judge-1", SAID, "right answer", "rejected", "teacher"
    for position in range(3):
        session.go_to(position)
        assert not [word for word in hidden if word in texts(session.sheet())]
    session.go_to(0)
    session.answer("True")
    session.answer("1")
    assert session.question.key == "led_by_bias"
    assert SAID in texts(session.sheet())
    assert "right answer" in texts(session.sheet())
    assert session.answer("not misjudged").value == "not misjudged"


def test_what_was_answered_before_is_final_once_the_judges_words_were_shown(database: Database) -> None:
    session = ReviewSession(database, "pilot", "anna")
    session.answer("True")
    assert not session.is_final(session.slots[0])
    session.answer("1")
    assert session.is_final(session.slots[0])
    assert session.is_final(session.slots[1])
    assert SAID in texts(session.sheet())
    with pytest.raises(RequestError, match="final"):
        session.undo()
    session.answer("yes")
    later = ReviewSession(database, "pilot", "anna")
    later.go_to(0)
    assert later.stage is Stage.SECOND
    assert later.answer("False").phase == "after"
    assert later.history.verdict(later.slots[0]).label == "True"


def test_a_bare_pack_carries_what_a_question_is_about(database: Database) -> None:
    packed = rows_for_pack(database, "pilot", "anna", bare=True)
    assert [value.name for value in packed.measurements] == ["judgements"]


def test_a_study_in_which_nothing_would_be_asked_is_refused(database: Database) -> None:
    place = Membership(
        dataset="known", key="k", case=an_entry("Tone").digest, position=0, generator="me", origin="generated"
    )
    header = Dataset(name="known", protocol="judge-biases", source="a test", imported_at=AT)
    import_entries(database, header, [Entry(an_entry("Tone"), place, ())])
    with pytest.raises(RequestError, match=r"none of the questions \(against_nearest\) applies to any"):
        create_study(database, "empty", Design(("known",), None, 7, "full", raters=("anna",)))

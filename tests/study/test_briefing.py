"""What raters read before they begin and before each new part, and when it comes."""

from pathlib import Path

import pytest

from reviewer.study.design.closing import close_study
from reviewer.study.design.known_answers import GivenAnswer
from reviewer.study.design.study_creation import Design, create_study
from reviewer.study.design.study_design import Options
from reviewer.study.session.briefing import Card
from reviewer.study.session.review_session import ReviewSession
from store.database import Database
from tests.studies import WITHOUT_GUIDELINE, a_case, a_study, fill, open_store, with_questions


@pytest.fixture
def database(tmp_path: Path) -> Database:
    return open_store(tmp_path)


def words(card: Card | None) -> str:
    assert card is not None
    return "\n".join([card.title, *(f"{heading}: {body.text}" for heading, body in card.parts)])


def with_training(database: Database, **options: object) -> None:
    fill(database, "data", [a_case(number) for number in range(3)])
    known = GivenAnswer("training", "t.csv", "data", "anchoring bias/0", "same_task", "False", "It changed.")
    chosen = Options.model_validate(options)
    create_study(database, "pilot", Design(("data",), None, 1, options=chosen, given=(known,)))


def test_a_rater_who_begins_reads_what_for_how_long_who_sees_what_and_what_counts(database: Database) -> None:
    with_training(database)
    session = ReviewSession(database, "pilot", "anna")
    told = words(session.card)
    assert told.startswith("Welcome to study pilot\nWhat for: You judge cases of PROBE-SWE.")
    assert "How long: 9 answers to 4 questions, about 4 minutes." in told
    assert "The estimate counts 28 seconds for an answer, the median in earlier trials." in told
    assert "The first answer is training." in told
    assert "hidden until you return to it after your answer and ask for it" in told
    assert "You can return to a case and correct it until you see the findings." in told
    assert "Training answers do not count." in told
    session.put_card_away()
    assert session.card is None
    assert words(session.cards[0]) == told


def test_the_time_of_long_texts_is_what_a_fast_reader_needs(database: Database) -> None:
    long = "word " * 480
    fill(database, "long", [a_case(number, biased=f"{number} {long}", unbiased=long) for number in range(6)])
    for study, asking, minutes in (("by-question", "question", 15), ("by-case", "case", 7)):
        options = Options.model_validate({"asking": asking})
        chosen = ("same_task", "bias_presence")
        create_study(database, study, Design(("long",), None, 1, options=options, questions=chosen))
        told = words(ReviewSession(database, study, "anna").card)
        assert f"12 answers to 2 questions, about {minutes} minutes." in told
        assert "seconds for an answer, because some texts are long." in told


def test_the_briefing_says_what_the_lead_wrote_and_what_holds_in_this_study(database: Database) -> None:
    a_study(database, "none", reveal="none", asking="case", briefing="We test [a] dataset.")
    told = words(ReviewSession(database, "none", "anna").card)
    assert "What for: We test [a] dataset." in told
    assert "all questions about a case before the next case" in told
    assert "found" not in told
    assert "raining" not in told
    a_study(database, "twice", reveal="findings")
    assert "asked once more" in words(ReviewSession(database, "twice", "anna").card)
    a_study(database, "back")
    told = words(ReviewSession(database, "back", "anna").card)
    assert "hidden until you return to it after your answer and ask for it." in told


def test_a_card_comes_with_each_new_question_and_not_with_the_next_case(database: Database) -> None:
    a_study(database)
    session = ReviewSession(database, "pilot", "anna")
    session.put_card_away()
    titles = []
    for _ in range(12):
        session.answer("True")
        titles.append(session.card and session.card.title)
    assert [title for title in titles if title] == [
        "Question 2 of 4: bias presence",
        "Question 3 of 4: reconstruction",
        "Question 4 of 4: axioms",
    ]
    assert [at for at, title in enumerate(titles, 1) if title] == [3, 6, 9]


def test_a_question_without_a_guideline_has_no_such_line(database: Database) -> None:
    a_study(database)
    with_questions(database, {"same_task": WITHOUT_GUIDELINE})
    session = ReviewSession(database, "pilot", "anna")
    assert ["Guideline: " in words(card) for card in session.cards] == [False, False]
    for _ in range(3):
        session.answer("True")
    assert "Guideline: " in words(session.card)


def test_case_by_case_a_card_comes_after_training_only(database: Database) -> None:
    with_training(database, asking="case")
    session = ReviewSession(database, "pilot", "anna")
    session.answer("False")
    assert session.card is None
    session.proceed()
    assert words(session.card) == (
        "The study begins\nNow: 2 cases, with 4 questions each. Your answers count from here."
    )
    for _ in range(8):
        session.answer("True")
        assert session.card is None


def test_a_card_says_what_training_is_and_that_answers_count_after_it(database: Database) -> None:
    with_training(database)
    session = ReviewSession(database, "pilot", "anna")
    assert words(session.cards[1]).startswith(
        "Training · Question 1 of 1: same task\nNow: Training. After each"
    )
    session.answer("False")
    session.proceed()
    told = words(session.card)
    assert told.startswith("Question 1 of 4: same task\nNow: Your answers count from here. 2 cases,")
    assert "\nGuideline: True if a reader of either version" in told


def test_skipped_cases_of_an_earlier_question_come_with_its_card(database: Database) -> None:
    a_study(database, cases=1)
    session = ReviewSession(database, "pilot", "anna")
    session.skip()
    assert words(session.card).startswith("Question 2 of 4")
    for _ in range(3):
        session.answer("True")
    assert words(session.card).startswith("Question 1 of 4: same task")


def test_to_move_puts_the_card_away_and_the_next_session_shows_it_again(database: Database) -> None:
    a_study(database)
    session = ReviewSession(database, "pilot", "anna")
    for _ in range(3):
        session.answer("True")
    assert words(ReviewSession(database, "pilot", "anna").card).startswith("Question 2 of 4")
    session.previous()
    assert session.card is None
    session.next_open()
    session.answer("True")
    assert ReviewSession(database, "pilot", "anna").card is None


def test_nothing_is_shown_where_nothing_can_be_answered(database: Database) -> None:
    a_study(database, raters=("anna",))
    close_study(database, "pilot", "lead", "enough", anyway=True)
    assert ReviewSession(database, "pilot", "anna").card is None


@pytest.mark.parametrize("asking", ["question", "case"])
def test_the_briefing_names_no_order_of_questions_where_there_is_one(database: Database, asking: str) -> None:
    fill(database, "data", [a_case(number) for number in range(3)])
    options = Options.model_validate({"asking": asking})
    create_study(
        database, "pilot", Design(("data",), None, 1, options=options, questions=("reconstruction",))
    )
    told = words(ReviewSession(database, "pilot", "anna").card)
    assert "How long: 3 answers to 1 question, about" in told
    assert "You answer" not in told

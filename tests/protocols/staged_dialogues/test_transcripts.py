"""What raters see of a transcript, and when they see what a supervisor objected to."""

from contextlib import closing
from pathlib import Path

from reviewer.protocols.staged_dialogues.transcripts_protocol import Transcript
from reviewer.study.design.study_creation import Design, create_study
from reviewer.study.session.review_session import ReviewSession
from reviewer.tui.rendering.pane_text import body_text
from tests.staged_cases import a_transcript, fill
from tests.studies import open_store

OBJECTED = [{"turn": 2, "said": "WITHDRAWN", "objection": "Ask."}]


def seen(session: ReviewSession) -> str:
    return "\n".join(body_text(pane.body) for pane in session.sheet())


def test_objections_wait_for_the_answer_whether_turns_kept_to_rules(tmp_path: Path) -> None:
    with closing(open_store(tmp_path)) as database:
        fill(database, "staged", [a_transcript(0)], objections=OBJECTED)
        create_study(database, "pilot", Design(("staged",), None, 1, raters=("anna",)))
        session, asked = ReviewSession(database, "pilot", "anna"), list[str]()
        while not session.finished:
            asked.append(session.question.key)
            assert "WITHDRAWN" not in seen(session), session.question.key
            assert "Go on, you have paid so much already." in seen(session)
            session.answer(session.question.labels[0])
        assert asked == ["shows_bias", "could_tell", "kept_rules"]
        session.go_to(2)
        session.reveal()
        assert "WITHDRAWN" in seen(session)


def test_a_silent_turn_says_so() -> None:
    payload = a_transcript(0).payload
    turns = [{**turn, "text": ""} if turn["speaker"] == "Ben" else turn for turn in payload["turns"]]
    played = Transcript.model_validate({**payload, "turns": turns})
    assert [turn.text for turn in played.dialogue.turns if turn.speaker == "Ben"] == ["(says nothing)"]
    assert list(played.faults()) == [("silent_turns", 2)]


def test_subject_comes_first_among_speakers() -> None:
    played = Transcript.model_validate(a_transcript(0).payload).dialogue
    assert played.speakers == ("Ada", "system", "Ben", "Cleo")


def test_what_the_system_tells_a_role_is_not_told_twice() -> None:
    played = Transcript.model_validate(a_transcript(0).payload).dialogue
    assert played.by_rule[0].head == "rule 1"
    assert played.text.count(": ") >= 3, "other turns have the wording of their rule above them"
    assert all(group.wording for group in played.by_rule[1:])

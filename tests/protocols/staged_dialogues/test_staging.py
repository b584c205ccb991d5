"""What each role of a script is sent, how turns are supervised and read, and which scripts are not played."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import pytest

from reviewer.llm.request import ChatMessage, ModelReply, ModelRequest
from reviewer.llm.request_errors import AnswerEmpty, ModelError
from reviewer.protocols.base import DatasetCase
from reviewer.protocols.procedure import MadeCase, Prompts, RunContext
from reviewer.protocols.staged_dialogues.script import Script, addressings
from reviewer.protocols.staged_dialogues.staging import STAGE, StagingSettings
from reviewer.protocols.staged_dialogues.transcripts_protocol import (
    CUT,
    LONGEST_TURN,
    OBJECTIONS,
    TRANSCRIPTS,
    Transcript,
)
from reviewer.protocols.work import Replies, Traced, Work
from reviewer.runs.run_setup import read_prompts
from store.records import Case, JsonValue
from tests.staged_cases import a_script

Says = Callable[[str, ModelRequest], str]
PROMPTS = read_prompts(STAGE.prompts, None)
PLAYED = frozenset(("subject", "confederate", "moderator"))


@dataclass
class Played:
    """A script as it was played: what was asked, by the name in the script or the role, and the product."""

    asked: list[tuple[str, ModelRequest]] = field(default_factory=list)
    product: Any = None

    @property
    def made(self) -> DatasetCase:
        assert isinstance(self.product, MadeCase)
        return self.product.made

    @property
    def transcript(self) -> Transcript:
        return Transcript.model_validate(self.made.case.payload)

    @property
    def values(self) -> Mapping[str, JsonValue]:
        assert isinstance(self.product, MadeCase)
        return self.product.values


def played(
    script: Case, says: Says, roles: frozenset[str] = PLAYED, prompts: Prompts = PROMPTS, **settings: Any
) -> Played:
    """A script played by a function of the role and the request; "" is an answer that stays out."""
    result = Played()
    context = RunContext(StagingSettings(**settings), prompts, 0, roles)

    def run(work: Work[Any]) -> Any:
        try:
            need = next(work)
            while True:
                match need:
                    case Traced(inner):
                        need = work.send(_traced(inner))
                    case Replies((request,), role):
                        result.asked.append((role, request))
                        if text := says(role, request):
                            need = work.send([_reply(text)])
                        else:
                            need = work.throw(AnswerEmpty("empty"))
        except StopIteration as done:
            return done.value

    def _traced(work: Work[Any]) -> Any:
        from reviewer.protocols.work import Trace

        try:
            return Trace(run(work), None, (), ())
        except ModelError as error:
            return Trace(None, error, (), ())

    result.product = run(STAGE.work(script, {}, context))
    return result


def _reply(text: str) -> ModelReply:
    return ModelReply(text, "", "stop", 1, 1, None, 0.0, 1, "model", "")


def speaker_of(request: ModelRequest) -> str:
    """Whose turn a request asks for, by the prompt."""
    return request.messages[0].content.partition("You are ")[2].partition(".")[0]


def all_of(request: ModelRequest) -> str:
    return "\n".join(message.content for message in request.messages)


CAST = [
    {"name": name, "kind": kind, "background": f"{name} is here.", "task": f"{name} has the errand-{name}."}
    for name, kind in (
        ("Ada", "subject"),
        ("Ben", "confederate"),
        ("Dora", "confederate"),
        ("Cleo", "moderator"),
    )
]
MODES = (
    ("unicast", "Ben", ("Cleo",)),
    ("multicast", "Dora", ("Ada", "Ben")),
    ("self-receiving", "", ("Ada",)),
    ("unicast", "Cleo", ("Dora",)),
    ("broadcast", "Cleo", ("Ada", "Ben", "Dora")),
    ("unicast", "Ada", ("Ben",)),
)
RULES = [
    {"mode": mode, "text": f"cue-{number}", "speaker": speaker, "addressees": to}
    for number, (mode, speaker, to) in enumerate(MODES * 4, 1)
]
SECRETIVE = a_script(0, roles=CAST, rules=RULES)


def test_a_secret_reaches_nobody_but_those_whom_the_mode_allows() -> None:
    number = iter(range(1, 100))
    whole = played(SECRETIVE, lambda role, request: f"Secret-{next(number)}-end")
    script = Script.model_validate(SECRETIVE.payload)
    asked = [(speaker_of(request), all_of(request)) for _, request in whole.asked]
    assert len(asked) == sum(mode != "self-receiving" for mode, *_ in MODES) * 4
    for turn, rule, sent in zip(whole.transcript.turns, script.rules, addressings(script), strict=True):
        reached = {sent.speaker, *sent.addressees}
        knows = {name for name, text in asked if turn.text in text}
        cued = {name for name, text in asked if f"cue-{turn.rule}\n" in f"{text}\n"}
        assert knows <= reached, (turn, knows)
        if turn.rule <= len(MODES) * 3:
            assert knows - {sent.speaker} == {*sent.addressees}, "what was sent is also received"
        if rule.mode != "self-receiving":
            assert cued == {sent.speaker}, "a rule is told to its speaker alone"
    for role in CAST:
        holders = {name for name, text in asked if f"errand-{role['name']}" in text}
        assert holders == {role["name"]}
    payload = SECRETIVE.payload
    assert not any(str(payload[hidden]) in text for _, text in asked for hidden in ("purpose", "method"))


def test_what_one_speaker_could_know_in_the_pane_is_what_they_were_sent() -> None:
    number = iter(range(1, 100))
    dialogue = played(SECRETIVE, lambda role, request: f"Secret-{next(number)}-end").transcript.dialogue
    for role in CAST:
        seen = {place + 1 for place in dialogue.seen_by(role["name"])}
        reached = {
            place for place, (_, speaker, to) in enumerate(MODES * 4, 1) if role["name"] in (speaker, *to)
        }
        assert seen == reached


def test_three_turns_are_remembered_word_for_word_and_earlier_ones_begin() -> None:
    rules = [
        {"mode": "broadcast", "text": f"cue-{n}", "speaker": "Ben", "addressees": ("Ada", "Cleo")}
        for n in range(5)
    ]
    turns = iter(f"Turn {n} begins. And goes-on-{n}." for n in range(5))
    *_, (_, last) = played(a_script(0, rules=rules), lambda role, request: next(turns)).asked
    text = all_of(last)
    assert [f"goes-on-{n}" in text for n in range(5)] == [False, True, True, True, False]
    assert "you to Ada, Cleo: Turn 0 begins.\n" in text


LONG = a_script(
    0,
    roles=CAST,
    rules=[
        {"mode": "broadcast", "text": f"cue-{n}", "speaker": speaker}
        for n, speaker in enumerate(("Ada", "Ben", "Ben", "Ben", "Ada", "Cleo", "Ada", "Ben"))
    ],
)


def test_who_forgets_turns_before_they_speak_again_notes_them_in_the_same_reply() -> None:
    number = iter(range(1, 100))

    def says(role: str, request: ModelRequest) -> str:
        turn = next(number)
        notes = f"\n**NOTES:**\n{speaker_of(request)} noted {turn}.\nA line more."
        return f"Turn {turn} begins. It goes-on-{turn}.{notes if 'NOTES' in all_of(request) else ''}"

    whole = played(LONG, says)
    asked = [all_of(request) for _, request in whole.asked]
    assert len(asked) == len(LONG.payload["rules"]) == whole.values["calls"], "one call a turn"
    assert ["NOTES" in text for text in asked] == [True, False, False, True, True, False, False, False]
    assert not any("noted" in turn.text for turn in whole.transcript.turns)
    assert "in short:\nAda noted 1. A line more.\n\nWhat reached" in asked[4], "turn 1 is in the notes"
    assert "goes-on-1." not in asked[4]
    assert "in short:\nAda noted 5. A line more.\n\nWhat" in asked[6], "new notes take the place of old ones"
    assert "in short:\nBen noted 4. A line more.\n\nWhat" in asked[7]
    assert "Turn 1 begins." in asked[5], "who has not spoken yet has no notes, but beginnings"
    for text in asked:
        mine = speaker_of(ModelRequest((ChatMessage("system", text),), ""))
        assert not any(f"{role['name']} noted" in text for role in CAST if role["name"] != mine)
    assert whole.values["turns_without_notes"] == 0


def test_a_turn_without_notes_leaves_those_before_and_the_beginnings_of_later_turns() -> None:
    number = iter(range(1, 100))

    def says(role: str, request: ModelRequest) -> str:
        turn = next(number)
        return f"Turn {turn} begins. It goes-on-{turn}." + ("\nNOTES\nOnce." if turn == 1 else "")

    whole = played(LONG, says)
    assert whole.values["turns_without_notes"] == 2
    summary = all_of(whole.asked[6][1]).partition("in short:\n")[2].partition("\n\nWhat reached")[0]
    assert summary == "Once.\nBen to you, Dora, Cleo: Turn 2 begins.\nBen to you, Dora, Cleo: Turn 3 begins."


def test_a_run_whose_prompts_ask_for_no_notes_goes_on_as_it_began() -> None:
    before = {name: text for name, text in PROMPTS.texts.items() if name != "notes"}
    whole = played(LONG, lambda *_: "Well.\nNOTES\nMine.", prompts=Prompts(before))
    assert not any("note for yourself" in all_of(request) for _, request in whole.asked)
    assert whole.transcript.turns[0].text == "Well.\nNOTES\nMine."


def test_an_objection_has_notes_written_again() -> None:
    def says(role: str, request: ModelRequest) -> str:
        if role == "supervisor":
            return "Objection: ask." if "Right." not in all_of(request) else "Accepted"
        return "Right.\nNOTES\nNew." if "ask." in all_of(request) else "Wrong.\nNOTES\nOld."

    whole = played(LONG, says, SUPERVISED)
    again = [request for role, request in whole.asked if role != "supervisor"]
    assert again[1].messages[-2].content == "Wrong.\n\nNOTES\nOld."
    assert {turn.text for turn in whole.transcript.turns} == {"Right.", "Right.\nNOTES\nNew."}
    assert any("in short:\nNew." in all_of(request) for request in again)
    assert not any("in short:\nOld." in all_of(request) for request in again)


def test_a_rule_names_roles_and_does_not_say_who_is_tested() -> None:
    rules = [
        {"mode": "self-receiving", "text": "Subject receives the price, subject to fees."},
        {
            "mode": "multicast",
            "text": "The subject tells Moderators and the confederate on the subject of it.",
        },
    ]
    (_, request), *_ = played(a_script(0, rules=rules), lambda *_: "Fine.").asked
    text = all_of(request)
    assert "system to you: Ada receives the price, subject to fees." in text
    assert "Now it is your turn: Ada tells Cleo and Ben on the subject of it." in text


def test_models_play_the_roles_of_their_kind() -> None:
    others = [{"name": "Eve", "kind": "other"}]
    rules = [
        {"mode": "unicast", "text": "cue", "speaker": name, "addressees": ("Cleo",)}
        for name in ("Ada", "Ben", "Eve")
    ]
    asked = played(a_script(0, roles=[*CAST, *others], rules=rules), lambda *_: "Well.").asked
    assert [role for role, _ in asked] == ["subject", "confederate", "confederate"]


SUPERVISED = PLAYED | {"supervisor"}


def test_a_supervisor_has_a_turn_said_again_once_and_both_are_kept() -> None:
    def says(role: str, request: ModelRequest) -> str:
        if role == "supervisor":
            return "Objection: Ben should ask."
        return "Again?" if "Ben should ask." in all_of(request) else "First."

    whole = played(a_script(), says, SUPERVISED)
    turns = [turn.text for turn in whole.transcript.turns if turn.mode != "self-receiving"]
    assert turns == ["Again?"] * 3
    assert whole.values[OBJECTIONS] == 3
    assert whole.values["calls"] == len(whole.asked) == 9
    assert whole.made.published[OBJECTIONS][0] == {  # type: ignore[index]
        "turn": 2,
        "said": "First.",
        "objection": "Ben should ask.",
    }
    later = [request for role, request in whole.asked if role != "supervisor"][2]
    assert "First." not in all_of(later), "what was withdrawn reaches nobody"


@pytest.mark.parametrize(
    ("answer", "unread"), [("Accepted", 0), ("**Accepted.**", 0), ("I like it very much", 3), ("", 3)]
)
def test_a_supervisor_without_an_objection_leaves_a_turn_as_it_is(answer: str, unread: int) -> None:
    whole = played(a_script(), lambda role, request: answer if role == "supervisor" else "Yes.", SUPERVISED)
    assert (whole.values[OBJECTIONS], whole.values["unread_supervisions"]) == (0, unread)
    assert {turn.text for turn in whole.transcript.turns[1:]} == {"Yes."}


@pytest.mark.parametrize(
    ("reply", "fault", "kept"),
    [
        ("", "silent_turns", ""),
        ("As an AI, I have no oven.", "turns_out_of_scene", "As an AI, I have no oven."),
        ("Fine.\nBen: And I?", "turns_for_others", "Fine.\nBen: And I?"),
        ("word " * 50_000, "overlong_turns", ("word " * 1_600).rstrip() + CUT),
    ],
)
def test_turns_with_a_fault_are_kept_and_counted(reply: str, fault: str, kept: str) -> None:
    def says(role: str, request: ModelRequest) -> str:
        return reply if role == "subject" else "Cleo: Go on\0."

    whole = played(a_script(), says)
    assert whole.transcript.turns[-1].text == kept
    assert len(kept) <= LONGEST_TURN + len(CUT)
    counts = {check: whole.values[check] for check in TRANSCRIPTS.machine_checks}
    assert counts == {check: (check == fault) + (check == "turns_for_others") for check in counts}
    failed = {result.check for result in TRANSCRIPTS.judge(whole.made.case, {}) if not result.passed}
    assert failed == {check for check, count in counts.items() if count}


def test_a_speaker_s_own_name_is_not_part_of_a_turn() -> None:
    whole = played(a_script(), lambda role, request: f"**{speaker_of(request)}:** Go on.")
    assert {turn.text for turn in whole.transcript.turns[1:]} == {"Go on."}


TWO = [*CAST, {"name": "Gus", "kind": "subject"}]


@pytest.mark.parametrize(
    ("changed", "why"),
    [
        ({"roles": TWO}, "The script has 2 subjects; give it one."),
        ({"roles": CAST[1:]}, "The script has no subject; give it one."),
        ({"roles": [*CAST, CAST[1]]}, "The name 'Ben' belongs to more than one role"),
        ({"roles": [*CAST, {**CAST[1], "name": "ben"}]}, "The name 'Ben' belongs to more than one role"),
        ({"roles": [*CAST, {**CAST[1], "name": "System"}]}, "A role has the name 'system'"),
        ({"rules": [{"mode": "zuruf", "text": "Ben speaks."}]}, "Rule 1 has the mode 'zuruf'"),
        ({"rules": [{"mode": "unicast", "text": ""}]}, "Rule 1 has no text"),
        (
            {"rules": [{"mode": "unicast", "text": "Gus tells Ada.", "speaker": "Gus"}]},
            "Rule 1 names Gus, who",
        ),
        ({"rules": [{"mode": "unicast", "text": "It rains."}]}, "Rule 1 has no speaker; name"),
    ],
)
def test_a_script_that_cannot_be_played_says_why_and_asks_nobody(
    changed: Mapping[str, Sequence[Any]], why: str
) -> None:
    whole = played(a_script(0, **changed), lambda *_: "never")
    assert not whole.asked
    assert str(whole.product["not_staged"]).startswith(why)


def test_the_system_may_speak_in_any_mode() -> None:
    rules = [{"mode": "broadcast", "text": "It rains.", "speaker": "system", "addressees": ("Ada", "Ben")}]
    whole = played(a_script(0, rules=rules), lambda *_: "never")
    assert not whole.asked
    assert [(turn.speaker, turn.to) for turn in whole.transcript.turns] == [("system", ("Ada", "Ben"))]


def test_many_roles_and_rules_are_played() -> None:
    roles = [*CAST, *({"name": f"Guest {n}", "kind": "other"} for n in range(36))]
    rules = [{"mode": "broadcast", "text": "cue", "speaker": f"Guest {n % 36}"} for n in range(300)]
    whole = played(a_script(0, roles=roles, rules=rules), lambda *_: "Hm.")
    assert len(whole.asked) == len(whole.transcript.turns) == 300

"""Who speaks and who receives, by mode and by the words of a rule."""

import pytest

from reviewer.protocols.staged_dialogues.script import (
    Addressing,
    Script,
    ScriptRole,
    ScriptRule,
    addressings,
    mode_in,
    purpose_in,
)

ROLES = (
    ScriptRole(name="Ada", kind="subject"),
    ScriptRole(name="Ben", kind="confederate", identity="Senior clerk"),
    ScriptRole(name="Cleo", kind="moderator"),
)


def sent(**rule: object) -> Addressing:
    made = ScriptRule.model_validate({"text": "", **rule})
    (addressing,) = addressings(Script(roles=ROLES, rules=(made,)))
    return addressing


@pytest.mark.parametrize(
    ("mode", "text", "expected"),
    [
        ("unicast", "Ben asks Ada about Cleo.", ("Ben", ("Ada",))),
        ("Unicast", "Moderators ask the subject.", ("Cleo", ("Ada",))),
        ("multicast", "Cleo asks Ada and the clerk.", ("Cleo", ("Ada", "Ben"))),
        ("Multi-cast", "Cleo asks both participants.", ("Cleo", ("Ada", "Ben"))),
        ("broadcast", "Ben speaks.", ("Ben", ("Ada", "Cleo"))),
        ("receive by yourself", "Ada is told the price.", ("system", ("Ada",))),
        ("unicast", "Ada thinks again.", ("Ada", ("Cleo",))),
        ("unicast", "Ben laughs.", ("Ben", ("Ada",))),
        ("multicast", "Ben laughs.", ("Ben", ("Ada", "Cleo"))),
        ("unicast", "Benedict asks Ada.", ("", ())),
        ("unicast", "Something happens.", ("", ())),
    ],
)
def test_mode_and_words_of_a_rule_say_who_speaks_to_whom(
    mode: str, text: str, expected: tuple[str, tuple[str, ...]]
) -> None:
    found = sent(mode=mode, text=text)
    assert (found.speaker, found.addressees) == expected
    assert found.is_complete == all(expected)


def test_named_speaker_and_addressees_count_before_words() -> None:
    found = sent(mode="unicast", text="Ben asks Ada.", speaker="Cleo", addressees=["Ben"])
    assert (found.speaker, found.addressees) == ("Cleo", ("Ben",))
    assert sent(mode="unicast", text="", speaker="Zoe", addressees=["Ada"]).unknown == ("Zoe",)


def test_assumed_addressee_and_strange_speaker_are_said() -> None:
    assert sent(mode="unicast", text="Ben laughs.").is_assumed
    assert not sent(mode="unicast", text="Ben laughs at Ada.").is_assumed
    assert sent(mode="unicast", text="The observer asks Ada.").unknown == ("observer",)
    assert sent(mode="unicast", text="Benedict asks Ada.").unknown == ("Benedict",)
    assert sent(mode="unicast", text="After Ada asks, Ben answers.").speaker == "Ada"


def test_unknown_mode_addresses_nobody() -> None:
    found = sent(mode="an alle", text="Ben asks Ada.")
    assert (found.speaker, found.addressees, found.is_complete) == ("Ben", (), False)


@pytest.mark.parametrize(
    ("words", "purpose"),
    [
        ("Receiving information from the system", "receive from system"),
        ("Situation-dependent commentary", "comment on the situation"),
        ("Engaging in conflict", "disagree"),
        ("Figuring-Things-Out", "work out"),
        ("Describing or explaining the past", "describe the past"),
        ("describe or explain (time-neutral", "describe in general"),
        ("give advice and instructions", "advise and instruct"),
        ("market overview", ""),
    ],
)
def test_purposes_are_known_in_many_words(words: str, purpose: str) -> None:
    assert purpose_in(words) == purpose


def test_modes_are_known_in_many_spellings() -> None:
    assert mode_in("(Self receiving)")[0] == "self-receiving"
    assert mode_in("to one") == ("", -1, -1)

"""The shipped scripts and open questions: our own, enough of each bias, and without a finding."""

from collections import Counter

import pytest

from reviewer.exchange.rows.shipped import example_files
from reviewer.protocols.base import DatasetCase
from reviewer.protocols.case_lines import CaseToml
from reviewer.protocols.formats import ReadCase, Source
from reviewer.protocols.registry import PROTOCOLS
from reviewer.protocols.staged_dialogues.script import SUBJECT, SYSTEM, Script, addressings
from reviewer.runs.check.text_hygiene import text_findings


def shipped(name: str) -> list[ReadCase]:
    text = example_files(name, PROTOCOLS)[f"{name}.toml"]
    read = CaseToml().read(text, PROTOCOLS[name], Source(name, name, name))
    assert read.problems == ()
    return list(read.cases)


@pytest.mark.parametrize(("name", "groups"), [("dialogue-scripts", 5), ("open-questions", 10)])
def test_there_are_two_of_each_bias_and_no_check_fails(name: str, groups: int) -> None:
    cases, protocol = shipped(name), PROTOCOLS[name]
    assert Counter(Counter(case.case.group for case in cases).values()) == {2: groups}
    for case in cases:
        assert (case.origin, case.generator) == ("seed", "hand-written")
        assert [result for result in protocol.judge(case.case, {}) if not result.passed] == [], case.key
    findings = text_findings([DatasetCase(case.key, case.case) for case in cases])
    assert [found.check for found in findings if found.state == "failed"] == []


def test_subjects_have_a_turn_after_each_question_to_them() -> None:
    """Who is asked does not answer before a rule lets them speak; a method cannot count other decisions."""
    for case in shipped("dialogue-scripts"):
        script = Script.model_validate(case.case.payload)
        (subject,) = (role.name for role in script.of_kind(SUBJECT))
        whole = addressings(script)
        for sent, following, rule in zip(whole, whole[1:], script.rules, strict=False):
            if sent.speaker != SYSTEM and sent.addressees == (subject,) and " asks " in rule.text:
                assert following.speaker == subject, (case.key, rule.text)
        assert whole[-1].speaker == subject

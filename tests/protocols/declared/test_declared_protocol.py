"""A declared protocol shows, asks and hides what its declaration says."""

import pytest
from pydantic import ValidationError

from reviewer.core.dialogue import Dialogue, Turn
from reviewer.core.pane import Code, Pair, Pane, Text, Variants
from reviewer.core.table import Table
from reviewer.protocols.base import DatasetCase
from reviewer.protocols.declared.declared_protocol import DeclaredProtocol, protocol_of_text
from reviewer.study.session.blinded_panes import sheet_for
from reviewer.study.session.side_order import with_sides
from store.records import Case, Finding, Measurement
from tests.declarations import REPLIES, a_reply, with_passages

WHY = '[question.why]\nkind = "text"\nprompt = "Why?"\nshows = "answers"\n\n'


def protocol(*exchanged: tuple[str, str]) -> DeclaredProtocol:
    return protocol_of_text(with_passages(*exchanged), "replies.toml")


def published(case: Case, name: str, value: object) -> Measurement:
    return Measurement(case=case.digest, name=name, source="published", value=value)


def panes_by_key(owner: DeclaredProtocol, case: Case, *measurements: Measurement) -> dict[str, Pane]:
    return {pane.key: pane for pane in owner.panes(case, measurements)}


def test_panes_hold_the_fields_that_they_name() -> None:
    panes = panes_by_key(REPLIES, a_reply(3))
    assert panes["request"] == Pane("request", "request", Text("Help with task 3."))
    answers = Pair("first", "second", Text("Do step 3 first."), Text("Begin with step 4."), compared=False)
    assert panes["answers"] == Pane("answers", "two answers", answers)
    assert panes["facts"].body == Table.of(("name", "content"), [("score", "3")])
    assert panes["definition"].body == Text("The request asks for a plan.")
    assert "published" not in panes


def test_an_opinion_is_hidden_until_its_question_is_answered() -> None:
    case = a_reply(0)
    measured = (published(case, "judge", "A"), published(case, "tokens", 120))
    better, fit = REPLIES.questions
    before = sheet_for(REPLIES, fit, case, measured, (), "full")
    assert [row for pane in before for row in getattr(pane.body, "rows", ())] == [
        ("score", "0"),
        ("tokens", "120"),
    ]
    after = sheet_for(REPLIES, fit, case, measured, {"better"}, "full")
    assert ("a judge's choice", "A = first") in [
        row for pane in after for row in getattr(pane.body, "rows", ())
    ]
    assert REPLIES.questions_before("judge") == {"better"}
    (opinion,) = REPLIES.opinions
    assert (opinion.label_of("A"), opinion.label_of("C")) == ("first", None)
    assert better.reveals == ("published", "findings")


def test_an_opinion_may_be_declared_to_be_what_people_check() -> None:
    judge = 'opinion_on = "better"'
    labels = 'labels = ["first", "second", "tie"]'
    must_agree = (judge, f"{judge}\nmust_agree = true")
    (opinion,) = protocol(must_agree, (labels, f'{labels}\npassing = ["first", "second"]')).opinions
    assert opinion.must_agree
    assert not REPLIES.opinions[0].must_agree


def test_an_opinion_has_its_label_on_the_sides_as_the_rater_sees_them() -> None:
    case, (better, _) = a_reply(0), REPLIES.questions
    measured = [published(case, "judge", "A"), published(case, "tokens", 120)]
    after = sheet_for(REPLIES, better, case, measured, {"better"}, "full")
    assert better.sides is not None
    rows = [
        dict(pane.body.rows)["a judge's choice"]
        for exchanged in (False, True)
        for pane in with_sides(after, better.sides, exchanged=exchanged, named=True)
        if pane.key == "published" and isinstance(pane.body, Table)
    ]
    assert rows == ["A = first", "A = second, as you see it"]
    before = sheet_for(REPLIES, better, case, measured, (), "full")
    for exchanged in (False, True):
        assert "judge" not in str(with_sides(before, better.sides, exchanged=exchanged, named=False))


def test_sides_may_be_exchanged_with_mirrored_labels() -> None:
    sides = REPLIES.questions[0].sides
    assert sides is not None
    assert (sides.across("first"), sides.across("tie")) == ("second", "tie")
    assert sides.titles == ("answer 1", "answer 2")
    assert "request" in sides.neutral
    telling = protocol(('beside = "request"', 'beside = ["request", "facts"]')).questions[0].sides
    assert telling is not None
    assert "facts" not in telling.neutral  # it shows published values, which may tell the sides


def test_a_pane_of_every_kind() -> None:
    owner = protocol(
        ('score = { column = "score", type = "number", optional = true }', 'turns = { column = "turns", type = "dialogue" }\nsteps = { column = "steps", type = "list" }'),  # noqa: E501
        ("[pane.facts]", '[pane.talk]\nkind = "dialogue"\nfields = "turns"\n\n[pane.steps]\nkind = "variants"\nfields = "steps"\n\n[pane.source]\nkind = "code"\nlanguage = "python"\nfields = "first"\n\n[pane.both]\nfields = ["prompt", "steps"]\n\n[pane.facts]'),  # noqa: E501
        ('"score", "tokens"', '"prompt", "tokens"'),
    )  # fmt: skip
    turns = [{"speaker": "A", "text": "Hello"}, {"speaker": "B", "text": "Hi", "to": ["A"], "way": "one"}]
    case = owner.case(
        "naming", {"prompt": "p", "first": "f()", "second": "s", "turns": turns, "steps": ["one", "two"]}
    )
    panes = panes_by_key(owner, case)
    assert panes["talk"].body == Dialogue((Turn("A", "Hello"), Turn("B", "Hi", ("A",), "one")))
    assert panes["steps"].body == Variants((("1", Text("one")), ("2", Text("two"))))
    assert panes["source"].body == Code("f()", "python")
    assert panes["both"].body == Text("prompt\np\n\nsteps\none\ntwo")
    with pytest.raises(ValidationError, match="at least 2 items"):
        owner.case("naming", {**case.payload, "steps": ["one"]})


def test_a_case_keeps_its_identity_in_a_version_with_more_optional_fields() -> None:
    later = protocol(
        ("version = 1", "version = 2"),
        ("score = {", 'why = { column = "why", optional = true }\nscore = {'),
        ('fields = "prompt"', 'fields = ["prompt", "why"]'),
    )  # fmt: skip
    case = a_reply(1)
    assert later.case(case.group, case.payload) == case
    assert (REPLIES.reference, later.reference) == ("replies@1", "replies@2")


def test_a_case_of_another_version_is_shown_as_far_as_it_goes() -> None:
    case = Case.of("replies", "gone", 1, {"prompt": {"text": "new"}, "first": ["x"], "third": 3})
    panes = panes_by_key(REPLIES, case)
    assert panes["request"].body == Text("new")
    assert isinstance(panes["answers"].body, Pair)
    assert panes["answers"].texts == ("x", "(nothing)")
    assert REPLIES.headline(case) == "new"


def test_numbers_that_are_equal_are_one_value() -> None:
    assert a_reply(1, score=3.0) == a_reply(1, score=3)
    with pytest.raises(ValidationError):
        a_reply(1, score="3")
    with pytest.raises(ValidationError):
        a_reply(1, scores=3)


def test_a_question_without_anything_to_show_is_not_asked() -> None:
    owner = protocol(
        ('prompt = "request"', 'prompt = { column = "request", optional = true }'),
        ('headline = "{prompt}"', 'headline = "{first}"'),
    )
    fit = owner.questions[1]
    with_prompt, without = a_reply(0), owner.case("naming", {"first": "a", "second": "b"})
    assert (owner.asks(fit, with_prompt), owner.asks(fit, without)) == (True, False)


def test_terms_are_the_words_that_are_shown() -> None:
    assert REPLIES.terms(a_reply(0, "naming"), ()) == {
        "group": "naming",
        "definition": "The request asks for a name.",
    }
    quiet = protocol((" {definition}", ""))
    assert quiet.terms(a_reply(0), ()) == {"group": "planning"}  # no question shows the definition
    beside = protocol((" {definition}", ""), ('"facts", "published"', '"definition"'))
    assert "definition" in beside.terms(a_reply(0), ())
    braces = a_reply(0, prompt="{group} {definition}")
    assert REPLIES.headline(braces) == "{group} {definition}"  # braces of a case fill nothing


def test_definitions_of_a_dataset_fill_what_the_declaration_leaves_open() -> None:
    owner = protocol(
        ('"planning" = "The request asks for a plan."\n"naming" = "The request asks for a name."', "")
    ).defining({"planning": "Given with the data."})
    assert owner.group("planning").definition == "Given with the data."
    assert owner.group("other").definition == ""
    assert REPLIES.defining({"planning": "x"}).group("planning").definition == "The request asks for a plan."


def test_failed_checks_stand_in_a_pane() -> None:
    case = a_reply(0)
    finding = Finding(
        case=case.digest, check="differ", check_version=1, passed=False, severity="serious", why="Same.",
            )  # fmt: skip
    (pane,) = [pane for pane in REPLIES.panes(case, (), (finding,)) if pane.key == "findings"]
    assert isinstance(pane.body, Table)
    assert pane.body.rows == (("differ", "Same."),)


def test_a_field_may_have_any_name() -> None:
    owner = protocol(
        ('prompt = "request"', 'json = "request"'), ("{prompt}", "{json}"), ('"prompt"', '"json"')
    )
    case = owner.case("naming", {"json": "x", "first": "a", "second": "b"})
    assert case.payload["json"] == "x"
    with pytest.raises(ValidationError) as caught:
        owner.case("naming", {"json": 3, "first": "a", "second": "b"})
    assert caught.value.errors()[0]["loc"] == ("json",)


def test_rules_judge_cases_and_datasets() -> None:
    owner = protocol(("[check.differ]", '[check.own]\nrule = "unique"\nfields = "prompt"\n\n[check.differ]'))
    same = a_reply(0, second="Do step 0 first.")
    assert [(result.check, result.state) for result in owner.judge(same, {})] == [("differ", "failed")]
    placed = [DatasetCase("1", a_reply(1)), DatasetCase("2", a_reply(1, score=2))]
    assert [(finding.check, finding.state) for finding in owner.judge_dataset(placed)] == [("own", "failed")]
    assert set(owner.machine_checks) == {"differ"}
    assert set(owner.dataset_checks) == {"own"}


def test_questions_of_every_kind() -> None:
    owner = protocol(
        ("[question.fit]", WHY + "[question.fit]"),
        ('labels = ["0", "1", "2"]', 'labels = ["0", "1", "2"]\ndefinitions = { 0 = "not at all" }'),
        ('the person."', 'the person."\ncriteria = { tie = "neither helps more." }\n'
         'examples = [{ case = "Both say “walk”.", label = "tie", why = "The words do not matter." }]'),
    )  # fmt: skip
    better, why, fit = owner.questions
    assert better.guideline_text.split("\n\n") == [
        "tie if neither helps more.",
        "Judge what the answer does for the person.",
        "Example: Both say “walk”.\ntie: The words do not matter.",
    ]
    assert (why.kind, why.labels) == ("text", ())
    assert (fit.definitions, fit.scale, fit.passing) == ((("0", "not at all"),), "ordinal", ("1", "2"))

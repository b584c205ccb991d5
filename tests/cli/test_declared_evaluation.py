"""A declared protocol measures models: the shipped control and treatment, from its file to the report."""

import csv
import io
import json
from pathlib import Path

import pytest

from reviewer.protocols.declared.declaration_reading import DeclarationError
from reviewer.protocols.declared.declared_protocol import DeclaredProtocol, protocol_of_text
from reviewer.protocols.evaluation import Brought, Condition, EvaluationPlan
from reviewer.protocols.reading.number_answer import number_in
from tests.cli.conftest import Run
from tests.llm.server import Answer, Asked, serving

SHIPPED = (Path(__file__).parents[2] / "seeds/own_benchmark/control_treatment.toml").read_text()
CUE = "nine thousand"


def test_the_shipped_declaration_goes_from_its_file_to_a_report(run: Run) -> None:
    assert run("protocol", "example", "control_treatment", ".").code == 0
    imported = run(
        *("import", "control_treatment.csv", "--protocol", "control_treatment.toml", "--dataset", "pairs")
    )
    assert imported.code == 0, imported.err

    def respond(asked: Asked) -> Answer:
        return Answer("Answer: B" if CUE in asked.last else "A.")

    with serving(respond) as server:
        done = run("evaluate", "asked", "pairs", "--model", "m1", "--base-url", server.url)
        assert done.code == 0, done.err
        assert len(server.asked) == 22  # two cases have the same text in both versions, which is asked once
        assert any("A: this sprint\nB: next sprint" in asked.last for asked in server.asked)
    shown = run("effects", "asked", "--by", "", "--resamples", 100, "--format", "csv")
    assert shown.code == 0, shown.err
    values = {line["measure"]: float(line["value"]) for line in csv.DictReader(io.StringIO(shown.out))}
    assert values == pytest.approx({"changed": 1 / 12, "share_1": 23 / 24, "share_2": 1 / 24})
    report = run("report", "--evaluation", "asked", "--no-figures", "-o", "out")
    assert report.code == 0, report.err
    pages = [path.read_text(encoding="utf-8") for path in Path("out").rglob("*.md")]
    assert any("share of option 1" in page for page in pages)


def test_a_declaration_without_the_table_says_what_to_add(run: Run) -> None:
    Path("plain.toml").write_text(SHIPPED[: SHIPPED.index("[evaluation]")])
    run("protocol", "example", "control_treatment", ".")
    run("import", "control_treatment.csv", "--protocol", "plain.toml", "--dataset", "pairs")
    refused = run("evaluate", "asked", "pairs", "--model", "m1", "--dry-run")
    assert refused.code == 2
    assert "does not say how models are asked; a declaration says it in its table [evaluation]" in refused.err


def changed(*changes: tuple[str, str]) -> DeclaredProtocol:
    text = SHIPPED
    for old, new in changes:
        assert old in text
        text = text.replace(old, new)
    return protocol_of_text(text, "p.toml")


NUMBER = (
    ('reader = "letter"', 'reader = "number"\nleast = 0\nmost = 10'),
    ('choices = ["option_1", "option_2"]\n', ""),
    ('["changed", "shares"]', '["mean", "difference"]'),
    ("{choices}", "{option_1} {option_2}"),
)


@pytest.mark.parametrize(
    ("changes", "reply", "label"),
    [
        ([], "I choose B.", "option 2"),
        ([], "Both are fine.", None),
        ([('reader = "letter"', 'reader = "text"')], "I would fix them in the next sprint.", "option 2"),
        (
            [
                ('reader = "letter"', 'reader = "word"\nlabels = ["yes", "no"]'),
                ('choices = ["option_1", "option_2"]\n', ""),
                ("{choices}", "{option_1} {option_2}"),
            ],
            "No, it is not.",
            "no",
        ),
        (NUMBER, "My score is 7.", "7"),
        (NUMBER, "70", None),
    ],
)
def test_each_reader_reads_its_kind_of_answer(
    changes: list[tuple[str, str]], reply: str, label: str | None
) -> None:
    protocol = changed(*changes)
    plan = protocol.procedure(EvaluationPlan)
    fields = {"control": "c", "treatment": "t", "option_1": "this sprint", "option_2": "next sprint"}
    case = protocol.case("anchoring", fields)
    assert plan.read(case, Condition.of(version="control"), reply).label == label


def test_numbers_are_measured_by_mean_and_by_difference_of_the_conditions() -> None:
    plan = changed(*NUMBER).procedure(EvaluationPlan)
    mean, difference = plan.measures
    assert mean.value(None, Condition(()), {"": "7"}) == Brought(7.0)
    assert difference.value(None, Condition(()), {"control": "7", "treatment": "3"}) == Brought(-4.0)
    assert (mean.least, mean.most, difference.least, difference.most) == (0.0, 10.0, -10.0, 10.0)


@pytest.mark.parametrize(
    ("reply", "label"),
    [
        ("7", "7"),
        ("Score: 3/10", "3"),
        ("**Answer: 8**", "8"),
        ("between 3 and 4", None),
        ("First 3, then 4.\nAnswer: 4", "4"),
        ("-3", None),
        ("7.5", None),
        ("12", None),
        ("80%", None),
        ("0", "0"),
        ("9" * 5000, None),
        ("none", None),
    ],
)
def test_a_number_outside_of_the_range_is_unreadable(reply: str, label: str | None) -> None:
    assert number_in(reply, 0, 10).label == label


FAULTS = {
    "an unknown field": (('choices = ["option_1"', 'choices = ["opton_1"'), "no field 'opton_1'"),
    "an unknown placeholder": (("{choices}", "{option}"), "nothing fills the placeholder {option}"),
    "one choice": (('["option_1", "option_2"]\nmeasures', '["option_1"]\nmeasures'), "names one field"),
    "an unknown measure": (('["changed"', '["changes"'), "'changes' is not possible here"),
    "right without labels": (('["changed"', '["right"'), "needs to know the right label"),
    "a mean of letters": (('["changed"', '["mean"'), "'mean' is of numbers"),
    "a range of letters": (('reader = "letter"', 'reader = "letter"\nmost = 3'), "does not belong with"),
    "a condition that fills nothing": (
        ('treatment = { version = "treatment" }', 'treatment = { other = "treatment" }'),
        "does not fill {version}",
    ),
    "one condition": (('treatment = { version = "treatment" }', ""), "has one condition"),
}


@pytest.mark.parametrize(("change", "wrong"), FAULTS.values(), ids=list(FAULTS))
def test_a_fault_of_the_table_is_named_with_its_place(change: tuple[str, str], wrong: str) -> None:
    with pytest.raises(DeclarationError) as caught:
        changed(change)
    said = [str(fault) for fault in caught.value.faults]
    assert any("[evaluation]" in fault and wrong in fault for fault in said), json.dumps(said)


LISTED = """
[protocol]
name = "quiz"
version = 1
title = "Quiz"
[fields]
question = "question"
choices = { column = "choices", type = "list" }
[source]
key = "{id}"
[published.key]
column = "answer"
opinion_on = "right"
options = "choices"
points_by = "place"
[pane.question]
fields = "question"
[pane.choices]
fields = "choices"
lettered = true
[question.right]
prompt = "Which option is right?"
options = "choices"
labels = ["A", "B", "C"]
shows = ["question", "choices"]
[evaluation]
prompt = "{question}\\n{choices}\\nAnswer with a letter."
reader = "letter"
choices = "choices"
right = "key"
measures = ["right", "shares"]
"""


def test_options_in_one_list_are_put_to_models_and_measured(run: Run) -> None:
    rows = [
        {
            "id": f"q{n}",
            "question": f"Which, {n}?",
            "choices": [f"x{n}", f"y{n}", f"z{n}"][: 3 - n % 2],
            "answer": 1,
        }
        for n in range(4)
    ]
    Path("quiz.jsonl").write_text("".join(f"{json.dumps(row)}\n" for row in rows))
    Path("quiz.toml").write_text(LISTED)
    imported = run("import", "quiz.jsonl", "--protocol", "quiz.toml", "--dataset", "quiz")
    assert imported.code == 0, imported.err

    def respond(asked: Asked) -> Answer:
        return Answer("C" if "C: z" in asked.last else "B")

    with serving(respond) as server:
        done = run("evaluate", "asked", "quiz", "--model", "m1", "--base-url", server.url)
        assert done.code == 0, done.err
        assert any("Which, 1?\nA: x1\nB: y1\nAnswer" in asked.last for asked in server.asked)
    shown = run("effects", "asked", "--by", "", "--resamples", 100, "--format", "csv")
    values = {line["measure"]: float(line["value"]) for line in csv.DictReader(io.StringIO(shown.out))}
    assert values == pytest.approx({"right": 0.5, "share_1": 0, "share_2": 0.5, "share_3": 0.5})


def test_a_letter_that_a_short_list_does_not_have_is_unreadable() -> None:
    protocol = protocol_of_text(LISTED, "p.toml")
    plan = protocol.procedure(EvaluationPlan)
    short = protocol.case("all", {"question": "Which?", "choices": ["x", "y"]})
    assert plan.labels(short) == ("A", "B")
    assert plan.read(short, Condition(()), "B").label == "B"
    assert plan.read(short, Condition(()), "C").label is None


@pytest.mark.parametrize(
    ("old", "new", "wrong"),
    [
        ('choices = "choices"', 'choices = ["choices", "question"]', "names the list 'choices' among other"),
        (
            'choices = "choices"',
            'choices = "choices"\nlabels = ["A", "x"]',
            "are not the letters of the entries",
        ),
        ('options = "choices"\nlabels = ["A", "B", "C"]', 'labels = ["yes", "no"]', "labels: are missing"),
    ],
)
def test_choices_in_a_list_need_letters(old: str, new: str, wrong: str) -> None:
    assert old in LISTED
    with pytest.raises(DeclarationError) as refused:
        protocol_of_text(LISTED.replace(old, new), "p.toml")
    assert any(wrong in str(fault) for fault in refused.value.faults)

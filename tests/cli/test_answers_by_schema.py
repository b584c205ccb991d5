"""``evaluate --answers-as schema``: servers are asked for JSON, and those that ignore it are noticed."""

import csv
import io
import json
from pathlib import Path

import pytest

from tests.cli.conftest import Run
from tests.llm.server import Answer, Asked, serving

EXPLAINED = "A is tempting, and yet option A is not what I would take. "


def chosen(asked: Asked) -> str:
    return "B" if "nine thousand" in asked.last else "A"


def by_schema(asked: Asked) -> Answer:
    """A reply that keeps to the schema, with an explanation that names the other option."""
    schema = asked.body["response_format"]["json_schema"]["schema"]
    (name,) = (name for name in schema["properties"]["answer"]["enum"] if name.endswith(chosen(asked)))
    return Answer(json.dumps({"explanation": EXPLAINED, "answer": name}))


@pytest.fixture
def pairs(run: Run) -> Run:
    assert run("protocol", "example", "control_treatment", ".").code == 0
    protocol = ("--protocol", "control_treatment.toml", "--dataset", "pairs")
    assert run("import", "control_treatment.csv", *protocol).code == 0
    return run


def shares(run: Run, name: str) -> tuple[dict[str, float], str]:
    done = run("effects", name, "--by", "", "--resamples", 100, "--format", "csv")
    assert done.code == 0, done.err
    rows = csv.DictReader(io.StringIO(done.out))
    return {row["measure"]: float(row["value"]) for row in rows}, done.err


def test_answers_by_schema_are_read_without_a_guess_and_named_in_results(pairs: Run) -> None:
    with serving(by_schema) as server:
        model = ("--model", "m1", "--base-url", server.url)
        done = pairs("evaluate", "asked", "pairs", *model, "--answers-as", "schema")
        assert done.code == 0, done.err
        other = pairs("evaluate", "asked", *model, "--answers-as", "text")
    assert other.code == 2
    assert "was made with other answers as (schema)" in other.err
    values, said = shares(pairs, "asked")
    assert values == pytest.approx({"changed": 1 / 12, "share_1": 23 / 24, "share_2": 1 / 24})
    assert "do not keep to the schema" not in done.err + said
    assert "answers as JSON by a schema" in pairs("outcomes", "list", "asked").err
    schema = server.asked[0].body["response_format"]["json_schema"]
    assert (schema["strict"], list(schema["schema"]["properties"])) == (True, ["explanation", "answer"])
    again = pairs("outcomes", "read", "asked")
    assert again.code == 0, again.err


def test_server_that_ignores_the_schema_is_noticed(pairs: Run) -> None:
    with serving(lambda asked: Answer(f"Answer: {chosen(asked)}")) as server:
        model = ("--model", "m1", "--base-url", server.url)
        done = pairs("evaluate", "ignored", "pairs", *model, "--answers-as", "schema")
    assert done.code == 0, done.err
    says = "Replies that do not keep to the schema, which were read as text: 24 of 24 of m1."
    values, said = shares(pairs, "ignored")
    assert says in done.err
    assert says in said
    assert values["changed"] == pytest.approx(1 / 12)


def test_free_answers_that_a_judge_reads_take_no_schema(run: Run) -> None:
    assert run("protocol", "example", "control_treatment", ".").code == 0
    text = Path("control_treatment.toml").read_text(encoding="utf-8")
    judged = text.replace('reader = "letter"', 'reader = "judge"\nlabels = ["option 1", "option 2"]')
    judged = judged.replace('choices = ["option_1", "option_2"]\n', "").replace(
        "{choices}", "{option_1} {option_2}"
    )
    Path("judged.toml").write_text(judged, encoding="utf-8")
    done = run("import", "control_treatment.csv", "--protocol", "judged.toml", "--dataset", "pairs")
    assert done.code == 0, done.err
    asked = ("--model", "m1", "--reader", "m2", "--base-url", "http://127.0.0.1:9/v1", "--dry-run")
    refused = run("evaluate", "asked", "pairs", *asked, "--answers-as", "schema")
    assert refused.code == 2, refused.out
    assert "no schema can name the answers of protocol" in refused.err


def test_no_schema_is_sent_unless_it_is_asked_for(pairs: Run) -> None:
    with serving(lambda asked: Answer(f"Answer: {chosen(asked)}")) as server:
        assert pairs("evaluate", "plain", "pairs", "--model", "m1", "--base-url", server.url).code == 0
        assert all("response_format" not in asked.body for asked in server.asked)

"""``reviewer generate`` with templates, against a server that is now and then wrong."""

import csv
import io
from collections import Counter
from contextlib import closing
from pathlib import Path

import tomlkit

from store.cases import Filter, get_measurements, list_places
from store.database import Database
from tests.cli.conftest import Result, Run
from tests.filling_model import CONTROL_WAYS, TREATMENT_WAYS, FillingModel
from tests.llm.server import Answer, Asked, serving
from tests.treatment_cases import TEMPLATES

CASES = 62


def rows(result: Result) -> list[dict[str, str]]:
    assert result.code == 0, result.err
    return list(csv.DictReader(io.StringIO(result.out)))


def test_a_run_from_templates_to_the_funnel(run: Run) -> None:
    model = FillingModel(every=10, stubborn="garden 2.")
    scenarios = [f"A gardener deciding about garden {number}." for number in range(CASES + 1)]
    Path("templates.toml").write_text(tomlkit.dumps({**TEMPLATES, "scenarios": scenarios}))
    with serving(lambda asked: Answer(model.reply(asked.body["messages"]))) as server:
        given = ("--protocol", "treatment-tests", "--settings", "templates.toml", "--target", CASES)
        given = (*given, "--set", "expansions_at_once=3")
        shown = run("generate", "first", *given, "--model", "m", "--base-url", server.url, "--format", "csv")
        assert [(row["valid"], row["tried"]) for row in rows(shown)] == [(str(CASES), str(CASES + 1))]
        sent: list[Asked] = list(server.asked)
    assert len(sent) == model.replies == CASES * 2 + 6 + len(model.wrong)
    assert {*model.wrong} == {*CONTROL_WAYS, *TREATMENT_WAYS}
    funnel = {
        row["check"]: (int(row["discarded"]), int(row["asked again"]))
        for row in rows(run("funnel", "first", "--by", "check", "--format", "csv"))
    }
    told = Counter({"": 5, "fill_format": 5}) + Counter(model.wrong)
    told[""] += len(model.wrong)
    assert funnel == {check: (int(check in ("", "fill_format")), number) for check, number in told.items()}
    with closing(Database.open("reviewer.db")) as database, database.read() as session:
        placed = list_places(session, Filter(datasets=("first",)))
        values = get_measurements(session, [case.digest for _, case in placed])
    assert len({(case.payload["control"], case.payload["treatment"]) for _, case in placed}) == CASES
    texts = [asked.body["messages"][0]["content"] for asked in sent]
    for _, case in placed:
        stored = {value.name: value.value for value in values[case.digest]}
        assert stored["sent_parameters"] == {"temperature": sent[0].body["temperature"]}
        share = f"{stored['sampled_values']['share']}% of people"
        assert any(case.payload["scenario"] in text and share in text for text in texts)
    Path("wrong.toml").write_text(tomlkit.dumps({**TEMPLATES, "reasks": 9}))
    wrong = ("--protocol", "treatment-tests", "--settings", "wrong.toml", "--model", "m")
    refused = run("generate", "second", *wrong)
    assert (refused.code, refused.out) == (2, "")
    assert "settings 'wrong.toml', line 2: setting reasks should be less than or equal to 5" in refused.err
    shipped = run("generate", "second", "--protocol", "treatment-tests", "--model", "m", "--dry-run")
    assert "For 100 valid cases of each of 4 groups." in shipped.err
    assert "── treatment · user ──" in shipped.err
    planned = run("generate", "third", *given, "--model", "m", "--dry-run")
    assert planned.code == 0, planned.err
    assert "[[1: a role of at least five words]]" in planned.err

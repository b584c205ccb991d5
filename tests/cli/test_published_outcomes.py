"""The made-up decisions, read from a file and answered by a server, give back the published numbers.

They were made up so as to agree with published totals, and say nothing about any model.
"""

import csv
import io
import json
import os
import sys
from collections.abc import Iterator
from contextlib import redirect_stderr, redirect_stdout
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import pytest

from reviewer.cli.main import main
from reviewer.exchange.claims.claims_file import MOST_DIGITS, Claim, claims_of_report, printed_number
from reviewer.runs.check.diversity import mean_similarities
from reviewer.similarity.encoder import open_encoder
from tests.cli.conftest import Run
from tests.cli.test_claims_command import PLANTED, results, with_other_digit
from tests.exchange.raw_outputs import row_of, write_rows
from tests.llm.server import Answer, Asked, serving
from tests.runs.generating import WordVectors
from tests.shared_data import shared_file

OWN = "gpt-4o-mini"
FROM_FILE, ANSWERED = "from-file", "answered"
ASKED = 12
"""How many pairs a server is asked about too. Its answers must be the rows that the file brought."""
REPEATS = 5
MEASURES = {
    "net": "net",
    "sensitivity": "sensitivity",
    "error_biased": "harmfulness",
    "error_unbiased": "error_unbiased",
}
VARIABLE = "REVIEWER_TEST_ENCODING"
ENCODES = bool(os.environ.get(VARIABLE))
"""Looked up once, at the start: while tests run, the environment has none of our variables."""
COSINE = "average_semantic_similarity_of_dilemmas"
LEVENSHTEIN = "average_levenshtein_distance_of_dilemmas"


def call(*arguments: object) -> str:
    """What a command prints; fails with its message."""
    out, err = io.StringIO(), io.StringIO()
    with pytest.MonkeyPatch.context() as patch, redirect_stdout(out), redirect_stderr(err):
        patch.setattr(sys, "argv", ["reviewer", *map(str, arguments)])
        with pytest.raises(SystemExit) as left:
            main()
    assert not left.value.code, err.getvalue()
    return out.getvalue()


def key_of(group: str, record: dict[str, Any]) -> str:
    number = (
        f"seed-{record['pair']}" if not record["AI_generated"] else f"{record['run_id']}-{record['pair']}"
    )
    return f"{group}/{number}"


@dataclass(frozen=True)
class Decided:
    """A pair with the letters that were made up for both versions."""

    key: str
    group: str
    record: dict[str, Any]
    letters: dict[str, str]


def decided() -> list[Decided]:
    published = json.loads(shared_file("probe-swe/gpt-4o-mini.json").read_text(encoding="utf-8"))
    records = {
        key_of(group, record): (group, record) for group, found in published.items() for record in found
    }
    with shared_file("evaluation/decisions.own.gpt-4o-mini.csv").open(newline="", encoding="utf-8") as file:
        rows = list(csv.DictReader(file))
    return [
        Decided(row["key"], *records[row["key"]], {name: row[name] for name in ("unbiased", "biased")})
        for row in rows
    ]


class Deciding:
    """Answers a text with the letter that was made up for it and for the blanks behind it."""

    def __init__(self, pairs: list[Decided]) -> None:
        self._letters = {
            pair.record[version].strip(): letters
            for pair in pairs
            for version, letters in pair.letters.items()
        }

    def __call__(self, asked: Asked) -> Answer:
        text = asked.last.rstrip(" ")
        letter = self._letters[text.strip()][len(asked.last) - len(text)]
        return Answer(f"Explanation: It is made up.\nDecision: Option {letter}")


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    """A store with both runs, and the published package's files written from each."""
    pairs = decided()
    folder = tmp_path_factory.mktemp("published")
    with pytest.MonkeyPatch.context() as patch:
        patch.chdir(folder)
        patch.setattr("reviewer.cli.cluster_work.open_embeddings", lambda database, model: WordVectors())
        call("import", shared_file("probe-swe/gpt-4o-mini.json"), "--dataset", "own")
        rows = (
            row_of(
                pair.group,
                pair.record,
                repeat,
                pair.letters["unbiased"][repeat],
                pair.letters["biased"][repeat],
            )
            for repeat in range(REPEATS)
            for pair in pairs
        )
        file = write_rows(folder / f"2_llm_outputs_model={OWN}.csv", rows, _published_columns())
        call("outcomes", "import", FROM_FILE, file, "--as", "probe-swe", "--dataset", "own")
        asked_for = [{"dataset": "own", "key": pair.key} for pair in pairs[:: len(pairs) // ASKED]]
        write_rows(folder / "cases.csv", asked_for)
        with serving(Deciding(pairs)) as server:
            asked = ("--model", OWN, "--repeats", REPEATS, "--cases", "cases.csv")
            call("evaluate", ANSWERED, "own", *asked, "--base-url", server.url, "--concurrency", 32)
            assert len(server.asked) == 2 * REPEATS * len(asked_for)
        for run in (FROM_FILE, ANSWERED):
            call("effects", run, "--as", "probe-swe", "-o", folder / run)
        yield folder


def _published_columns() -> list[str]:
    with shared_file("evaluation/llm_outputs.sample.csv").open(newline="", encoding="utf-8") as file:
        return next(csv.reader(file))


def test_the_published_results_are_given_back(folder: Path) -> None:
    results = folder / FROM_FILE / f"2_bias_sensitivity_model={OWN}.json"
    found = json.loads(results.read_text(encoding="utf-8"))
    known = json.loads(shared_file("evaluation/published.own.gpt-4o-mini.json").read_text(encoding="utf-8"))
    assert list(found) == list(known)
    for group, expected in known.items():
        result = found[group]
        assert list(result) == list(expected)
        tiers, expected_tiers = result.pop("complexity_analysis"), expected.pop("complexity_analysis")
        assert tiers.keys() == expected_tiers.keys()
        for tier, values in expected_tiers.items():
            assert tiers[tier].pop("quartiles") == pytest.approx(values.pop("quartiles"), abs=1e-9)
            assert tiers[tier] == pytest.approx(values, abs=1e-9)
        result.pop(COSINE), expected.pop(COSINE)  # encoding so many texts takes a minute: see the last test
        assert result.pop(LEVENSHTEIN) == pytest.approx(expected.pop(LEVENSHTEIN), abs=1e-6)
        assert result == pytest.approx(expected, abs=1e-9)


def published_claims(tiered: bool) -> Iterator[Claim]:
    """The published numbers of each bias, or of its tiers, as arithmetic of decisions that were made up."""
    known = json.loads(shared_file("evaluation/published.own.gpt-4o-mini.json").read_text(encoding="utf-8"))
    for group, found in known.items():
        tiers = found["complexity_analysis"].items()
        by = "group,tier" if tiered else "group"
        places = [({"group": group, "tier": tier}, values) for tier, values in tiers if tiered]
        for where, values in places or [({"group": group}, found)]:
            command = f"effects {FROM_FILE} --by {by} --interval linearised"
            for name, measure in (("sensitivity", "sensitivity"), ("harmfulness", "error_biased")):
                printed = f"{values[name]}%"
                number = printed_number(printed)
                assert number
                told = f"published, {' · '.join(where.values())}, {name} (decisions made up)"
                yield Claim(told, printed, number, command, {**where, "measure": measure})


@pytest.mark.parametrize(
    ("tiered", "count"),
    # Tiers are of different cases, and to encode their texts takes a minute.
    [(False, 2 * 8), pytest.param(True, 2 * 30, marks=pytest.mark.slow)],
    ids=["biases", "tiers"],
)
def test_the_published_numbers_are_reproduced_as_claims(
    folder: Path, run: Run, monkeypatch: pytest.MonkeyPatch, tiered: bool, count: int
) -> None:
    """And a wrong digit is found in each of twenty entries, or in all of sixteen."""
    claims = [*published_claims(tiered)]
    file = folder / "claims.toml"
    file.write_text(claims_of_report(claims), encoding="utf-8")
    rows = json.loads(call("claims", "check", file, "--format", "json", "--store", folder / "reviewer.db"))
    assert len(rows) == len(claims) == count
    assert {row["result"] for row in rows} == {"reproduced"}
    long = [sum(map(str.isdigit, claim.printed)) > MOST_DIGITS for claim in claims]
    assert [row["detail"] for row in rows] == ["only 12 digits are compared" if cut else "" for cut in long]
    wrong = {*range(0, count, max(1, count // PLANTED))}
    for number in wrong:
        claims[number] = replace(claims[number], printed=with_other_digit(claims[number].printed))
    file.write_text(claims_of_report(claims), encoding="utf-8")
    monkeypatch.chdir(folder)
    assert len(wrong) == min(count, PLANTED)
    assert {number for number, result in enumerate(results(run, file)) if result == "differs"} == wrong


def raw_outputs(folder: Path, run: str) -> list[dict[str, str]]:
    """The rows that were written of a run, which have the published columns."""
    with (folder / run / f"2_llm_outputs_model={OWN}.csv").open(newline="", encoding="utf-8") as file:
        reader = csv.DictReader(file)
        rows = list(reader)
    assert reader.fieldnames == _published_columns()
    return rows


def without_explanations(row: dict[str, str]) -> dict[str, str]:
    return {name: value for name, value in row.items() if not name.startswith("decision_explanation")}


def test_a_server_that_answers_brings_the_rows_of_the_file(folder: Path) -> None:
    answered, from_file = (
        {row["prompt_with_bias"]: without_explanations(row) for row in raw_outputs(folder, run)}
        for run in (ANSWERED, FROM_FILE)
    )
    assert len(answered) >= ASKED * REPEATS
    assert len({row["bias_name"] for row in answered.values()}) == 8
    assert answered == {prompt: from_file[prompt] for prompt in answered}


def test_the_raw_outputs_have_the_published_columns(folder: Path) -> None:
    rows = raw_outputs(folder, FROM_FILE)
    assert len(rows) == REPEATS * 800
    with shared_file("evaluation/llm_outputs.sample.csv").open(newline="", encoding="utf-8") as file:
        sample = next(csv.DictReader(file))
    same = next(
        row
        for row in rows
        if row["prompt_with_bias"] == sample["prompt_with_bias"] and row["pair"] == sample["pair"]
    )
    assert without_explanations(same) == without_explanations(sample)


def test_the_expected_values_and_errors_are_given_back(folder: Path) -> None:
    known = json.loads(shared_file("evaluation/expected.own.gpt-4o-mini.json").read_text(encoding="utf-8"))
    rows = effects(folder, "", "linearised") | effects(folder, "group", "linearised")
    for where, expected in {"": known["all"], **known["by_bias"]}.items():
        for measure, name in MEASURES.items():
            row = rows[where, measure]
            assert float(row["value"]) == pytest.approx(expected[name]["value"], abs=1e-9)
            assert float(row["linearised_se"]) == pytest.approx(expected[name]["se_pairs"], abs=1e-9)
            if expected[name]["se_naive"] is not None:
                assert float(row["se_of_runs"]) == pytest.approx(expected[name]["se_naive"], abs=1e-9)
        net = rows[where, "net"]
        assert float(net["z"]) == pytest.approx(expected["mcnemar_clustered_z"], abs=1e-9)
        assert (float(net["forward"]), float(net["backward"])) == (
            expected["right_to_wrong"],
            expected["wrong_to_right"],
        )
        for name in ("noise", "cross", "above_noise"):
            assert float(net[name]) == pytest.approx(expected[name], abs=1e-9)
        assert (int(net["cases"]), int(net["runs"])) == (expected["pairs"], expected["runs"])


def test_bootstrap_errors_agree_with_errors_by_formula(folder: Path) -> None:
    known = json.loads(shared_file("evaluation/expected.own.gpt-4o-mini.json").read_text(encoding="utf-8"))
    rows = effects(folder, "", "bootstrap")
    for measure, name in MEASURES.items():
        assert float(rows["", measure]["value_se"]) == pytest.approx(known["all"][name]["se_pairs"], rel=0.03)


@pytest.mark.skipif(not ENCODES, reason=f"encoding 800 texts takes a minute; set {VARIABLE}=1 to do it")
def test_the_published_cosines_are_given_back() -> None:
    known = json.loads(shared_file("evaluation/published.own.gpt-4o-mini.json").read_text(encoding="utf-8"))
    by_group: dict[str, list[str]] = {}
    for pair in decided():
        by_group.setdefault(pair.group, []).append(pair.record["unbiased"])
    assert by_group.keys() == known.keys()
    for group, texts in by_group.items():
        cosine, levenshtein = mean_similarities(texts, open_encoder().encode(texts))
        assert cosine == pytest.approx(known[group][COSINE], abs=1e-6)
        assert levenshtein == pytest.approx(known[group][LEVENSHTEIN], abs=1e-6)


def effects(folder: Path, by: str, interval: str) -> dict[tuple[str, str], dict[str, str]]:
    """The lines of ``reviewer effects`` by group ("" for all) and measure."""
    printed = call(
        *("effects", FROM_FILE, "--by", by, "--interval", interval, "--format", "csv"),
        *("--store", folder / "reviewer.db"),
    )
    return {(row.get("group", ""), row["measure"]): row for row in csv.DictReader(io.StringIO(printed))}

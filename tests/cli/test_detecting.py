"""Detection of biases from the command line: texts, three methods, what they reach, and learnt weights."""

import json
import tomllib
from collections.abc import Iterable
from contextlib import closing
from pathlib import Path

import pytest

from reviewer.protocols.staged_dialogues.bias_texts import (
    DETECTED_BIAS,
    DETECTION,
    text_digest,
    text_of_case,
)
from reviewer.protocols.staged_dialogues.biases import BIASES
from reviewer.protocols.staged_dialogues.debate_scores import CRITERIA
from reviewer.protocols.staged_dialogues.detection import WEIGHTS_OF_TEXT
from store.cases import get_measurements
from store.database import Database
from tests.cli.conftest import Result, Run
from tests.detected_texts import BETTER, TEXTS, a_bias_text, detecting, known_bias
from tests.llm.server import LoopbackModels, serving

LEARNT, FRESH = range(14), range(100, 104)
THREE = (0, 1, 2, 72, 73, 74)
"""Texts of three biases of the 72, two of each; text 72 shows the first again."""


def lines(numbers: Iterable[int]) -> str:
    """Texts with their known biases as JSON Lines."""
    rows = [
        {
            "protocol": "bias-texts",
            "group": "note",
            "key": f"note {number}",
            "generator": "gpt-4o",
            **_content(number),
        }
        for number in numbers
    ]
    return "\n".join(map(json.dumps, rows)) + "\n"


def _content(number: int) -> dict[str, object]:
    return {"payload": a_bias_text(number).payload, "published": {"known_bias": known_bias(number)}}


@pytest.fixture
def texts(run: Run, tmp_path: Path) -> None:
    for name, numbers in (("learnt", LEARNT), ("fresh", FRESH)):
        (tmp_path / f"{name}.jsonl").write_text(lines(numbers))
        imported = run("import", tmp_path / f"{name}.jsonl", "--dataset", name, "--protocol", "bias-texts")
        assert imported.code == 0, imported.err


def evaluated(run: Run, server: LoopbackModels, name: str, *more: object) -> Result:
    result = run("evaluate", name, *more, "--base-url", server.url, "--format", "json")
    assert result.code == 0, result.err
    return result


def test_methods_on_texts_of_three_biases_are_measured_over_these(run: Run, tmp_path: Path) -> None:
    (tmp_path / "three.jsonl").write_text(lines(THREE))
    assert run("import", tmp_path / "three.jsonl", "--dataset", "three", "--protocol", "bias-texts").code == 0
    with serving(detecting) as server:
        evaluated(run, server, "few", "three", "--model", "m1")
    by_method = run("effects", "few", "--by", "model,method", "--measure", "right", "--format", "json")
    shares = {row["method"]: row["value"] for row in json.loads(by_method.out)}
    recognition = run("effects", "few", "--recognition", "--format", "json")
    rows = {row["condition"] or row["answerer"]: row for row in json.loads(recognition.out)}
    assert {name: rows[name]["accuracy"] for name in shares} == pytest.approx(shares)
    assert [row["top_3"] for row in rows.values()] == [1, 1, 1, pytest.approx(3 / 73), None]
    assert rows["one question"]["macro_f1"] == pytest.approx((0 + 0 + 2 / (2 + 3)) / 3)
    assert rows["debate"]["macro_f1"] == pytest.approx((1 + 1 + 2 / (2 + 1)) / 3)
    sentences = run("effects", "few", "--recognition").err
    assert "Macro-F1 is the mean over 3 labels" in sentences
    assert "70 of 73 labels are not tested" in sentences
    confusions = json.loads(run("effects", "few", "--confusions", "--format", "json").out)
    assert {row["known"] for row in confusions} == {known_bias(number) for number in THREE}


@pytest.mark.usefixtures("texts")
def test_weights_are_learnt_from_one_run_and_used_on_other_texts(run: Run, tmp_path: Path) -> None:
    with serving(detecting) as server:
        methods = ("--condition", "method=one question,debate")
        evaluated(run, server, "teach", "learnt", "--model", "m1", *methods)
        effects = run("effects", "teach", "--measure", "debate_gain", "--format", "json")
        assert "debate_gain" in effects.out
        found = json.loads(run("effects", "teach", "--recognition", "--format", "json").out)
        rows = {row["condition"]: row for row in found if row["condition"]}
        assert (rows["one question"]["calls"], rows["debate"]["calls"]) == (1, 2 + 2 + 10)
        assert rows["debate"]["top_3"] == 1
        confused = run("effects", "teach", "--confusions", "--format", "json")
        assert len(json.loads(confused.out)) >= 2 * len(LEARNT)
        written = run("effects", "teach", "--as", "debate-weights", "-o", tmp_path / "out")
        assert written.code == 0, written.err
        assert "m1: 14 debates can hardly tell six weights from chance; learn them from 60" in written.err
        settings = tmp_path / "out" / "debate-weights_model=m1.toml"
        assert "# Doubtful: 14 debates can hardly" in settings.read_text()
        learnt = tomllib.loads(settings.read_text())
        assert max(learnt["weights"], key=learnt["weights"].get) == BETTER
        assert len(learnt["learnt"]["texts"]) == learnt["learnt"]["debates"] == len(LEARNT)
        assert (tmp_path / "out" / "debates_model=m1.csv").read_text().count("\n") == len(LEARNT) + 1
        debate = ("--condition", "method=debate", "--settings", settings)
        roles = ("--role", "referee=r1", "--role", "side=s1")
        evaluated(run, server, "used", "learnt", "fresh", "--model", "m1", *debate, *roles)
        asked = {(request.body["model"], "The first side argues" in request.last) for request in server.asked}
        assert {("r1", True), ("s1", False), ("m1", True)} <= asked
        assert ("s1", True) not in asked
    outcomes = json.loads(run("outcomes", "list", "used", "--format", "json").out)
    by_key = {row["key"]: (row["state"], row["label"]) for row in outcomes}
    assert by_key == {
        **{f"note {number}": ("not asked", None) for number in LEARNT},
        **{f"note {number}": ("read", known_bias(number)) for number in FRESH},
    }


@pytest.mark.usefixtures("texts")
def test_detection_gives_cases_an_opinion_that_waits_for_raters(run: Run, tmp_path: Path) -> None:
    digest = text_digest(text_of_case(a_bias_text(FRESH[0])))
    learnt = f'learnt = {{debates = 2, held_out = 0.5, equal = 0.5, digest = "d", texts = ["{digest}"]}}'
    (tmp_path / "weights.toml").write_text(f"weights = {{logic = 3.0}}\n{learnt}\n")
    roles = [part for role in ("detector", "side", "referee") for part in ("--role", f"{role}={role[0]}1")]
    with serving(detecting) as server:
        found = run(
            *("run", "bias-texts", "detect", "opinions", "--dataset", "fresh", *roles),
            *("--settings", tmp_path / "weights.toml", "--base-url", server.url, "--format", "json"),
        )
        assert found.code == 0, found.err
        assert {asked.body["model"] for asked in server.asked} == {"d1", "s1", "r1"}
    with closing(Database.open(str(tmp_path / "reviewer.db"))) as database, database.read() as session:
        given = get_measurements(session, [a_bias_text(number).digest for number in FRESH])
    values = {case: {each.name: each.value for each in measured} for case, measured in given.items()}
    own, *others = (values[a_bias_text(number).digest] for number in FRESH)
    assert (own[DETECTION], DETECTED_BIAS in own) == (WEIGHTS_OF_TEXT, False)
    assert [other[DETECTED_BIAS] for other in others] == [known_bias(number) for number in FRESH[1:]]
    assert TEXTS.questions_before(DETECTED_BIAS) == TEXTS.questions_before(DETECTION) == {"which_bias"}


@pytest.mark.usefixtures("texts")
def test_what_detection_refuses_is_one_sentence(run: Run, tmp_path: Path) -> None:
    files = {
        "[weights]\nwit = 3\n": "weights.wit is unknown; you gave {'wit': 3}",
        "weights = 3\n": "weights is not a table; you gave 3",
        "[learnt]\nheld_out = 1\n": "learnt.debates is missing; you gave",
        '[weights]\nlogic = "a"\n': "weights.logic should be a valid number",
        "[weights]\n" + "".join(f"{name} = 0\n" for name in CRITERIA): "weights gives every criterion",
    }
    for number, content in enumerate(files):
        (tmp_path / f"{number}.toml").write_text(content)
    wrong = {
        **{("--settings", tmp_path / f"{n}.toml"): f"setting {why}" for n, why in enumerate(files.values())},
        ("--set", "sed=3"): "there is no setting 'sed'; there are seed, most_named",
        ("--role", "subject=m2"): "no role 'subject'; it has detector, side, referee",
    }
    for given, sentence in wrong.items():
        refused = run("evaluate", "x", "learnt", "--model", "m1", *given, "--base-url", "http://localhost:1")
        assert (refused.code, sentence in refused.err) == (2, True), refused.err


@pytest.mark.usefixtures("texts")
def test_dry_run_counts_the_calls_of_debates(run: Run) -> None:
    planned = run("evaluate", "x", "fresh", "--model", "m1", "--dry-run", "--format", "json")
    (row,) = json.loads(planned.out)
    assert planned.err.count(f"72. {BIASES[-1].name}: ") == 1, "the list is shown once"
    assert planned.err.count("lines as above)") == 2
    assert row["calls"] == len(FRESH) * (1 + (2 + 3) + (2 + 3 + 2 * 10))


@pytest.mark.usefixtures("texts")
def test_notice_of_a_strange_value_lists_few_of_73_labels(run: Run, tmp_path: Path) -> None:
    (tmp_path / "order.jsonl").write_text(lines(range(1)).replace(known_bias(0), "Order bias"))
    imported = run("import", tmp_path / "order.jsonl", "--dataset", "order", "--protocol", "bias-texts")
    assert 'such as "Order bias"' in imported.err
    assert imported.err.rstrip().endswith("Contrast effect and 61 more.")

"""Logs that real harnesses wrote (``tests/harnesses/make_logs.py``) are outcomes; damaged ones a sentence."""

import json
import sys
import zipfile
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import closing
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from reviewer.core.errors import InputError, RequestError
from reviewer.exchange.evaluations.outcome_import import ImportedOutcomes, OutcomeSource, import_outcomes
from reviewer.exchange.rows.dataset_import import import_path
from store.database import Database
from store.evaluations import Evaluations

LOGS = Path(__file__).parent / "data/harnesses"
EXAMPLE = Path(__file__).parents[2] / "seeds/own_benchmark"
FILES = {"inspect": "inspect.json", "lm-eval": "lm_eval.jsonl", "openai-batch": "openai_batch.jsonl"}


@pytest.fixture(scope="module")
def database(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Database]:
    with closing(Database.open(str(tmp_path_factory.mktemp("logs") / "reviewer.db"))) as opened:
        example = EXAMPLE / "control_treatment"
        import_path(opened, example.with_suffix(".csv"), "pairs", protocol=str(example.with_suffix(".toml")))
        yield opened


def imported(
    database: Database, run: str, path: Path, layout: str, *, skip: bool = False, dataset: str = "pairs"
) -> ImportedOutcomes:
    source = OutcomeSource(path, layout, (dataset,), "m1")
    return import_outcomes(database, run, source, "lead", skip_invalid=skip)


@pytest.mark.parametrize("layout", FILES)
def test_log_of_a_harness_gives_the_outcomes_of_each_condition(database: Database, layout: str) -> None:
    done = imported(database, f"of-{layout}", LOGS / FILES[layout], layout)
    assert (done.cases, done.read, done.missing, done.repeats) == (12, 24, 0, 1)
    counts = Counter((one.condition, one.label) for one in Evaluations(database).outcomes(f"of-{layout}"))
    assert counts == {
        ("control", "option 1"): 12,
        ("treatment", "option 1"): 11,
        ("treatment", "option 2"): 1,
    }
    assert not imported(database, f"of-{layout}", LOGS / FILES[layout], layout).added


Change = Callable[[Any], object]


def changed_log(folder: Path, change: Change) -> Path:
    log = json.loads((LOGS / "inspect.json").read_text())
    change(log)
    path = folder / "log.json"
    path.write_text(json.dumps(log))
    return path


def set_of(name: str, value: object) -> Change:
    return lambda log: log.update({name: value})


def without_ids(log: Any) -> None:
    for sample in log["samples"]:
        sample["id"] = None


def of_other_cases(log: Any) -> None:
    for sample in log["samples"]:
        sample["id"] = f"other/{sample['id']}"


def without_condition(log: Any) -> None:
    for sample in log["samples"]:
        sample["id"] = sample["id"].partition(" @ ")[0]


def with_epoch_before_the_first(log: Any) -> None:
    log["samples"][0]["epoch"] = 0


def with_lost_attachment(log: Any) -> None:
    log["samples"][0]["output"]["completion"] = "attachment://lost"


BAD_LOGS: dict[str, tuple[Change, str]] = {
    "older version": (
        set_of("version", 1),
        r"is a log of version 1; version 2 is read; write it as JSON: inspect",
    ),
    "half written": (set_of("status", "started"), r"is half written \(status started\); wait until"),
    "no samples": (set_of("samples", None), r"has no samples; run `inspect eval` without --no-log-samples"),
    "not a log": (set_of("eval", None), r"is not a log of inspect_ai"),
    "no ids": (without_ids, r"sample 1: has no id, so that nothing says which case it is about"),
    "epoch 0": (with_epoch_before_the_first, r"sample 1: has no epoch from 1 or no output of a model"),
    "lost attachment": (with_lost_attachment, r"sample 1: lacks the attachment that holds its reply"),
    "another dataset": (of_other_cases, r"names other/anchoring/1, which dataset pairs does not have"),
    "no condition": (
        without_condition,
        r"does not say under which condition .*KEY @ CONDITION, with one of control",
    ),
}


@pytest.mark.parametrize("name", BAD_LOGS)
def test_log_that_cannot_be_read_is_one_sentence(database: Database, tmp_path: Path, name: str) -> None:
    change, says = BAD_LOGS[name]
    with pytest.raises(InputError, match=says):
        imported(database, "bad", changed_log(tmp_path, change), "inspect")
    assert Evaluations(database).find("bad") is None


def test_samples_without_an_answer_are_missing(database: Database, tmp_path: Path) -> None:
    def failing(log: Any) -> None:
        log["status"] = "error"
        log["samples"][0] |= {"error": {"message": "no connection"}}

    done = imported(database, "failing", changed_log(tmp_path, failing), "inspect")
    assert (done.read, done.missing) == (23, 1)
    assert any("1 sample of 24 ended with an error" in notice for notice in done.notices)
    assert any("ended with status error" in notice for notice in done.notices)


def test_second_run_of_a_model_needs_a_run_of_its_own(database: Database, tmp_path: Path) -> None:
    imported(database, "twice", LOGS / "inspect.json", "inspect")

    def answering_otherwise(log: Any) -> None:
        log["samples"][0]["output"]["completion"] = "B."

    other = changed_log(tmp_path, answering_otherwise)
    with pytest.raises(RequestError, match="has other outcomes of 'm1'; give the model another name"):
        imported(database, "twice", other, "inspect")


def test_second_run_of_a_model_that_the_log_names_can_take_no_other_name(
    database: Database, tmp_path: Path
) -> None:
    named = OutcomeSource(LOGS / "inspect.json", "inspect", ("pairs",))
    import_outcomes(database, "named", named, "lead")

    def answering_otherwise(log: Any) -> None:
        log["samples"][0]["output"]["completion"] = "B."

    other = replace(named, path=changed_log(tmp_path, answering_otherwise))
    with pytest.raises(RequestError, match=r"has other outcomes of 'openai/m1'; choose another run\."):
        import_outcomes(database, "named", other, "lead")


def lines_of(layout: str) -> list[Any]:
    return [json.loads(line) for line in (LOGS / FILES[layout]).read_text().splitlines()]


def written(folder: Path, lines: list[Any]) -> Path:
    path = folder / "lines.jsonl"
    path.write_text("".join(f"{json.dumps(line)}\n" for line in lines))
    return path


def test_samples_of_several_filters_are_read_once_and_likelihoods_never(
    database: Database, tmp_path: Path
) -> None:
    lines = lines_of("lm-eval")
    twice = [line | {"filter": name} for line in lines for name in ("none", "strict-match")]
    assert imported(database, "filters", written(tmp_path, twice), "lm-eval").read == 24
    lines[0]["resps"] = [[[-1.2, False]], [[-0.3, True]]]
    with pytest.raises(InputError, match="has likelihoods of choices, which are no reply; run the task with"):
        imported(database, "bad", written(tmp_path, lines), "lm-eval")
    lines[0] = {"doc_id": 0}
    with pytest.raises(InputError, match="has no doc or no resps"):
        imported(database, "bad", written(tmp_path, lines), "lm-eval")


CHANGED_SAMPLES = {"another reply": {"resps": [["B."]]}, "the same reply": {}}


@pytest.mark.parametrize("name", CHANGED_SAMPLES)
def test_second_sample_of_a_document_is_not_taken_for_another_filter(
    database: Database, tmp_path: Path, name: str
) -> None:
    lines = lines_of("lm-eval")
    lines.append(lines[0] | CHANGED_SAMPLES[name])
    with pytest.raises(InputError, match=r"line 25: is a second row for repeat 1 of anchoring/1"):
        imported(database, "bad", written(tmp_path, lines), "lm-eval")


def test_samples_without_numbers_of_documents_are_all_read(database: Database, tmp_path: Path) -> None:
    lines = lines_of("lm-eval")
    for line in lines:
        del line["doc_id"]
    assert imported(database, "unnumbered", written(tmp_path, lines), "lm-eval").read == 24


def test_reply_of_a_batch_that_is_no_text_is_refused(database: Database, tmp_path: Path) -> None:
    lines = lines_of("openai-batch")
    message = lines[0]["response"]["body"]["choices"][0]["message"]
    message["content"] = [{"type": "text", "text": "A."}]
    with pytest.raises(InputError, match=r"line 1: has no reply in response\.body"):
        imported(database, "bad", written(tmp_path, lines), "openai-batch")


def test_failed_requests_of_a_batch_are_missing(database: Database, tmp_path: Path) -> None:
    lines = lines_of("openai-batch")
    lines[0] |= {"response": None, "error": {"code": "expired"}}
    lines[3]["response"]["body"] = {
        "model": "m1",
        "output": [{"type": "message", "content": [{"type": "output_text", "text": "Answer: B"}]}],
    }
    done = imported(database, "batch", written(tmp_path, lines), "openai-batch")
    assert (done.read, done.missing) == (23, 1)
    assert any("1 request of the batch failed" in notice for notice in done.notices)
    assert sum(one.label == "option 2" for one in Evaluations(database).outcomes("batch")) == 2


def test_packed_log_gives_the_outcomes_of_the_same_log_in_json(database: Database) -> None:
    packed = imported(database, "packed", LOGS / "inspect.eval", "inspect")
    imported(database, "unpacked", LOGS / "inspect.json", "inspect")
    assert (packed.cases, packed.read, packed.missing) == (12, 24, 0)
    of = {name: Evaluations(database).outcomes(name) for name in ("packed", "unpacked")}
    given = {name: sorted((o.case, o.condition, o.label or "") for o in of[name]) for name in of}
    assert given["packed"] == given["unpacked"]


def repacked(
    path: Path, change: Callable[[str, bytes], bytes | None], method: int = zipfile.ZIP_DEFLATED
) -> Path:
    """The packed log with other contents, compressed as older versions of inspect_ai did."""
    log = json.loads((LOGS / "inspect.json").read_text())
    files = {f"samples/{number}.json": sample for number, sample in enumerate(log.pop("samples"))}
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, value in {**files, "header.json": log}.items():
            if (content := change(name, json.dumps(value).encode())) is not None:
                archive.writestr(name, content)
    return path


def test_packed_log_of_an_older_version_is_read_too(database: Database, tmp_path: Path) -> None:
    path = repacked(tmp_path / "old.eval", lambda _, content: content)
    assert imported(database, "old", path, "inspect").read == 24


BAD_PACKED: dict[str, tuple[Callable[[str, bytes], bytes | None], str]] = {
    "no header": (lambda name, content: None if name == "header.json" else content, "is half written"),
    "no samples": (lambda name, content: content if name == "header.json" else None, "has no samples"),
    "broken": (lambda name, content: content[:40], r"header\.json: is incomplete JSON"),
    "a bomb": (
        lambda name, content: content + b" " * (40 << 20 if name == "header.json" else 0),
        "unpacks to more than a log of its size",
    ),
    "no object": (lambda name, content: b"[]", "is not a log of inspect_ai"),
}


@pytest.mark.parametrize("fault", BAD_PACKED)
def test_packed_log_that_is_not_whole_is_refused(database: Database, tmp_path: Path, fault: str) -> None:
    change, wrong = BAD_PACKED[fault]
    with pytest.raises(InputError, match=wrong):
        imported(database, "bad", repacked(tmp_path / "log.eval", change), "inspect")


def test_damaged_packed_log_names_the_command_that_unpacks_it(database: Database, tmp_path: Path) -> None:
    (tmp_path / "log.eval").write_bytes(b"PK\x03\x04" + bytes(100))
    cut, whole = tmp_path / "cut.eval", (LOGS / "inspect.eval").read_bytes()
    cut.write_bytes(whole[:3_000] + bytes(40) + whole[3_040:])
    for path in (tmp_path / "log.eval", cut):
        with pytest.raises(InputError, match="is not a packed log that can be read; write it as JSON"):
            imported(database, "bad", path, "inspect")


def test_packed_log_without_pyarrow_names_what_to_install(
    database: Database, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(sys.modules, "pyarrow", None)
    monkeypatch.delattr(zipfile, "ZIP_ZSTANDARD", raising=False)
    with pytest.raises(RequestError, match="compressed by zstd, which needs pyarrow before Python"):
        imported(database, "bad", LOGS / "inspect.eval", "inspect")


NESTED = """
[columns]
key = "sample.key"
text = "answers.0.text"
model = "by.model"

[conditions.version]
value = "control"
"""


def test_nested_columns_of_a_declared_table_are_named_by_dots(database: Database, tmp_path: Path) -> None:
    lines: list[Any] = [
        {"sample": {"key": "anchoring/1"}, "answers": [{"text": "Answer: B"}], "by": {"model": "m1"}}
    ]
    declared = tmp_path / "nested.toml"
    declared.write_text(NESTED)
    assert imported(database, "nested", written(tmp_path, lines), str(declared)).read == 1
    assert [one.label for one in Evaluations(database).outcomes("nested")] == ["option 2"]
    lines[0]["answers"] = []
    with pytest.raises(InputError, match=r"line 1: lacks the column 'answers\.0\.text'"):
        imported(database, "bad", written(tmp_path, lines), str(declared))

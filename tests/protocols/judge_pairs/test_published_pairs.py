"""Published files of pairs: files that are read or refused, and the numbers of the checks on them."""

import json
import re
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path

import pyarrow.parquet
import pytest

from reviewer.core.errors import InputError
from reviewer.core.pane import Sheet
from reviewer.exchange.rows.row_files import open_rows
from reviewer.protocols.base import DatasetCase
from reviewer.protocols.formats import ReadCase, Source
from reviewer.protocols.judge_pairs.formats.judge_runs import PublishedPairs
from reviewer.protocols.judge_pairs.pair_checks import DATASET_CHECKS, final_results, judge_pair, judge_pairs
from reviewer.protocols.judge_pairs.payloads import AnswerPair
from reviewer.study.session.side_order import with_sides
from store.records import JsonValue, Measurement
from tests.answer_pairs import PROTOCOL, a_pair, a_row, write_lines
from tests.shared_data import shared_file


def read(path: Path, protocol: str | None = None) -> list[ReadCase | InputError]:
    source = Source(path.name, path.name, str(path), protocol=protocol)
    return [case for _, case in PublishedPairs().read(open_rows(path), PROTOCOL, source)]


def valid(path: Path) -> list[ReadCase]:
    cases = read(path)
    assert not [case for case in cases if isinstance(case, InputError)]
    return [case for case in cases if isinstance(case, ReadCase)]


def findings(cases: Sequence[ReadCase]) -> Mapping[str, JsonValue]:
    placed = [DatasetCase(each.key, each.case, each.published) for each in cases]
    return {finding.check: finding.value for finding in judge_pairs(placed)}


# -- the published files, counted a second time from the files alone -------------------------------


@pytest.fixture(scope="module")
def table() -> list[dict[str, JsonValue]]:
    return pyarrow.parquet.read_table(shared_file("biasscope/judge_bench.parquet")).to_pylist()


@pytest.fixture(scope="module")
def bench() -> list[ReadCase]:
    return valid(shared_file("biasscope/judge_bench.parquet"))


def last(pattern: str, text: str) -> str | None:
    return next(iter([match[1] for match in re.finditer(pattern, text)][::-1]), None)


def result_of_row(source: str, text: str) -> str | None:
    capitals = last(r"(?:(?=([A-Z])\1\1\1\1).{5})", text)
    if source.startswith("mmlu-pro"):
        return capitals
    if source == "livebench-reasoning":
        bold = last(r"\*\*([^\n]*?[^\n])\*\*", text)
        return bold and bold.casefold().strip()
    if source == "livebench-math":
        boxed = last(r"\\boxed\{([^{}]*(?:\{[^{}]*\}[^{}]*)*)\}", text)
        return capitals if boxed is None else boxed.strip()
    return re.sub(r"\s+", " ", text).strip()


def test_the_published_table_has_the_counted_results(
    table: list[dict[str, str]], bench: list[ReadCase]
) -> None:
    states = Counter()
    same = Counter()
    for row in table:
        one, other = (result_of_row(row["source"], row[name]) for name in ("response_A", "response_B"))
        states["unread" if not (one and other) else "same" if one == other else "differ"] += 1
        same[row["domain"]] += bool(one and one == other)
    assert (states, +same) == (
        {"same": 23, "differ": 566, "unread": 31},
        {"math": 11, "reason": 11, "code": 1},
    )
    value = findings(bench)["final_results"]
    assert value == {**states, "identical": 1, "of": 620, "same_by_domain": dict(+same)}
    assert sum(row["response_A"] == row["response_B"] for row in table) == 1


def test_the_published_table_has_the_counted_places_lengths_and_questions(
    table: list[dict[str, str]], bench: list[ReadCase]
) -> None:
    found = findings(bench)
    first = sum(row["label"] == 1 for row in table)
    assert found["place_of_right_answer"] == {"first": first, "second": 620 - first, "of": 620}
    assert round(first / 620, 4) == 0.5419
    lengths = [(len(row["response_A"]) - len(row["response_B"]), row["label"]) for row in table]
    unequal = [(1 if by > 0 else 2) == label for by, label in lengths if by]
    assert found["length_of_right_answer"] == {"longer": sum(unequal), "of": 618}
    assert round(1 - sum(unequal) / 618, 4) == 0.5485
    questions = Counter(row["question"] for row in table)
    repeated = [number for number in questions.values() if number > 1]
    value = found["repeated_questions"]
    assert isinstance(value, dict)
    assert (value["questions"], value["repeated"], value["pairs"]) == (528, 92, 184)
    assert (len(questions), len(repeated), sum(repeated)) == (528, 92, 184)
    assert {"BEL": 12} in found["control_characters"].values()  # type: ignore[union-attr]
    assert sum("\a" in row["question"] for row in table) == 1


def test_both_published_files_hold_the_same_cases(bench: list[ReadCase]) -> None:
    lines = shared_file("biasscope/pairs-gpt4o.jsonl")
    pairs, known = valid(lines), {case.key: case for case in bench}
    assert len(pairs) == 350
    for pair in pairs:
        other = known[pair.key]
        assert pair.case == other.case
        assert (pair.published, pair.generator) == (other.published, other.generator)
    rows = [json.loads(line) for line in lines.read_text(encoding="utf-8").splitlines()]
    assert [pair.raw for pair in pairs] == rows


# -- made rows -------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("change", "said"),
    [
        ({"label": "first"}, "column 'label': 'first' names no right answer"),
        ({"label": True}, "column 'label': is true or false"),
        ({"label": 3}, "column 'label': '3' names no right answer"),
        ({"pair_id": ""}, "column 'pair_id': '' cannot be a key"),
        ({"pair_id": None}, "column 'pair_id': is null, not a key"),
        ({"question": "  "}, "column 'question': is empty"),
        ({"response_A": None}, "column 'response_A': is missing"),
        ({"response_B": "x" * 200_001}, "column 'response_B': has 200,001 characters"),
        ({"response_B": 7}, "column 'response_B': is not a text"),
        ({"source": None}, "names neither a domain nor a source"),
        ({"response_model": "two\nlines"}, "cannot be the name of a generator"),
        ({"judgments": []}, "holds what a judge said of the pair"),
    ],
)
def test_a_row_with_a_fault_is_named_with_its_column(
    tmp_path: Path, change: dict[str, JsonValue], said: str
) -> None:
    (fault,) = read(write_lines(tmp_path / "pairs.jsonl", [a_row(0, **change)]))
    assert isinstance(fault, InputError)
    assert said in str(fault)


@pytest.mark.parametrize(
    ("named", "remedy"),
    [
        (None, "add it, or give a file of pairs, or name the protocol of the file with --protocol."),
        ("judge-pairs", "add it, or give a file of pairs."),
    ],
)
def test_protocol_that_was_named_is_not_asked_for(tmp_path: Path, named: str | None, remedy: str) -> None:
    row = {name: value for name, value in a_row(0).items() if name != "response_A"}
    (fault,) = read(write_lines(tmp_path / "pairs.jsonl", [row]), named)
    assert str(fault).endswith(f"has no column 'response_A'; {remedy}")


@pytest.mark.parametrize("label", ["A>B", "a > b", 1, 1.0, "1"])
def test_a_label_is_read_in_every_published_spelling(tmp_path: Path, label: JsonValue) -> None:
    (case,) = valid(write_lines(tmp_path / "pairs.jsonl", [a_row(0, label=label)]))
    assert case.published == {"right_answer": "first"}


def test_a_pair_without_label_or_model_is_a_case_and_its_row_is_kept(tmp_path: Path) -> None:
    row = a_row(0, label=None, response_model=None, domain="letters")
    (case,) = valid(write_lines(tmp_path / "pairs.jsonl", [row]))
    assert (case.published, case.generator, case.case.group) == ({}, "not stated", "letters")
    assert (case.raw, case.extra) == (row, {"original_id": 0})


def test_answers_of_no_and_of_very_many_characters_are_judged() -> None:
    pair = AnswerPair(question="?", first="", second="A" * 200_000, source="mmlu-pro-law")
    states = {result.check: result.state for result in judge_pair(pair)}
    assert states == {
        "identical_answers": "passed",
        "same_result": "not tested",
        "result_read": "failed",
        "different_lengths": "failed",
    }


@pytest.mark.parametrize(
    ("source", "answer", "result"),
    [
        ("mmlu-pro-math", "AAAAA, no: BBBBB, not CCCC.", "B"),
        ("livebench-reasoning", "**One** and **TWO ** and **open", "two"),
        ("livebench-reasoning", "**over\nlines**", None),
        ("livebench-math", r"\boxed{1} then \boxed{\frac{1}{2}} or DDDDD", r"\frac{1}{2}"),
        ("livebench-math", r"\boxed{{{deep}}} but DDDDD", "D"),
        ("livecodebench", " a\n\n  b ", "a b"),
        ("livecodebench", " \n", None),
        ("something else", "AAAAA", None),
    ],
)
def test_a_final_result_is_read_by_the_rule_of_its_benchmark(
    source: str, answer: str, result: str | None
) -> None:
    pair = AnswerPair(question="?", first=answer, second="no", source=source)
    assert final_results(pair)["first"] == result


def test_same_results_and_texts_fail_and_an_unknown_benchmark_is_not_tested() -> None:
    same = a_pair(first="It is AAAAA.", second="Surely AAAAA")
    twice = a_pair(first="AAAAA", second="AAAAA")
    other = a_pair(source="chat")
    failed = [
        {result.check for result in PROTOCOL.judge(case, {}) if result.state == "failed"}
        for case in (same, twice, other)
    ]
    assert failed == [{"same_result"}, {"same_result", "identical_answers"}, set()]
    states = {result.check: result.state for result in PROTOCOL.judge(other, {})}
    assert states["same_result"] == states["result_read"] == "not tested"


def test_pairs_of_a_benchmark_without_a_rule_are_not_called_unread() -> None:
    pairs = [DatasetCase(f"pair-{number}", a_pair(number, source="chat")) for number in range(3)]
    (finding,) = [each for each in judge_pairs(pairs) if each.check == "final_results"]
    assert (finding.state, finding.says) == (
        "not tested",
        "No pair is of a benchmark with a rule for final results.",
    )
    unread = [a_pair(3), a_pair(4, first="It is A.")]
    more = [*pairs, *(DatasetCase(f"ruled-{at}", case) for at, case in enumerate(unread))]
    (finding,) = [each for each in judge_pairs(more) if each.check == "final_results"]
    assert finding.state == "failed"
    assert (
        "1 has different ones, and 1 could not be read. 3 are of a benchmark without a rule." in finding.says
    )
    assert isinstance(finding.value, dict)
    assert (finding.value["unread"], finding.value["no_rule"], finding.value["of"]) == (1, 3, 5)


def test_every_check_of_a_dataset_passes_or_says_that_it_lacks_labels() -> None:
    plain = [DatasetCase(f"pair-{number}", a_pair(number)) for number in range(2)]
    states = {finding.check: finding.state for finding in judge_pairs(plain)}
    assert set(states) == set(DATASET_CHECKS)
    untested = {check for check, state in states.items() if state == "not tested"}
    assert untested == {"place_of_right_answer", "length_of_right_answer"}
    assert "failed" not in states.values()
    one_sided = [replace(case, published={"right_answer": "first"}) for case in plain]
    states = {finding.check: finding.state for finding in judge_pairs(one_sided)}
    assert states["place_of_right_answer"] == "failed"


@pytest.mark.parametrize(("pairs", "end"), [(3, "2 has 1 BEL."), (5, "2 has 1 BEL; and 2 more.")])
def test_pairs_with_control_characters_that_are_not_named_are_counted(pairs: int, end: str) -> None:
    held = [DatasetCase(f"{number}", a_pair(number, second="It is \a BBBBB.")) for number in range(pairs)]
    (says,) = [finding.says for finding in judge_pairs(held) if finding.check == "control_characters"]
    assert says.endswith(end)


# -- what a rater sees -----------------------------------------------------------------------------


def test_the_label_of_a_pair_answers_the_question_and_reads_as_the_sides_stand() -> None:
    assert PROTOCOL.questions_before("right_answer") == {"right_result"}
    assert PROTOCOL.labels_meant("right_answer", "first") == ("first", "second")
    for question in PROTOCOL.questions:
        assert question.sides is not None
        assert not {"results", "published", "findings"} & {*question.shows, *question.beside}
    assert "results" not in PROTOCOL.questions[0].reveals


def test_exchanged_sides_exchange_results_and_what_names_a_side() -> None:
    case = a_pair()
    label = Measurement(
        case=case.digest, name="right_answer", source="published", engine="file", value="first"
    )
    panes = PROTOCOL.panes(case, (label,))
    sides = PROTOCOL.questions[0].sides
    assert sides is not None
    hidden = with_sides(Sheet(tuple(panes), ()), sides, exchanged=True, named=False).first
    assert {pane.key for pane in hidden} == {"question", "answers", "domain"}
    shown = {
        pane.key: pane.body
        for pane in with_sides(Sheet(tuple(panes), ()), sides, exchanged=True, named=True).first
    }
    assert shown["answers"].left.text == "It is BBBBB."  # type: ignore[union-attr]
    assert shown["results"].rows == (("final result", "B", "A"),)  # type: ignore[union-attr]
    assert shown["published"].rows == (("answer that is right", "second"),)  # type: ignore[union-attr]

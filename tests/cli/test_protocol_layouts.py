"""What `protocol new` finds by the values of a file: lines of items, outputs, spans, entries, options."""

import csv
import json
import tomllib
from pathlib import Path
from typing import Any

import pytest

from tests.cli.conftest import Result, Run

LONG = "a text of more than forty characters, so that it counts as something to read"


def written(folder: Path, rows: list[dict[str, Any]], name: str = "f.jsonl") -> str:
    path = folder / name
    if path.suffix == ".jsonl":
        lines = (f"{json.dumps(row, ensure_ascii=False)}\n" for row in rows)
        path.write_text("".join(lines), encoding="utf-8")
        return name
    with path.open("w", encoding="utf-8", newline="") as file:
        table = csv.DictWriter(file, [*rows[0]])
        table.writeheader()
        table.writerows(rows)
    return name


def declared(run: Run, folder: Path, rows: list[dict[str, Any]], cases: int, name: str = "f.jsonl") -> Any:
    """The tables of the declaration that is made without a question, and its notes; it imports all cases."""
    data = written(folder, rows, name)
    made: Result = run("protocol", "new", data)
    assert made.code == 0, made.err
    assert run("protocol", "check", "f.toml").code == 0
    taken = run("import", data, "--protocol", "f.toml", "--dataset", "mine")
    assert f"{cases} cases added" in taken.out, taken.err
    return tomllib.loads((folder / "f.toml").read_text(encoding="utf-8")), made.err


def lines_of_items(key: str = "item") -> list[dict[str, Any]]:
    return [
        {key: f"i{n}", "system": of, "source": f"{n} {LONG}", "output": f"{of} says {n}", "score": n % 3}
        for of in ("atlas", "boreal", "gpt-4.1")
        for n in range(6)
    ]


@pytest.mark.parametrize("name", ["f.jsonl", "f.csv"])
def test_lines_of_one_item_become_one_case_with_outputs_to_rank(run: Run, tmp_path: Path, name: str) -> None:
    tables, notes = declared(run, tmp_path, lines_of_items(), 6, name)
    assert tables["source"]["item"] == "item"
    assert tables["source"]["variant"] == "system"
    assert tables["source"]["key"] == "{item}"
    assert tables["fields"]["output_gpt_4_1"] == {"column": "output.gpt-4.1", "title": "gpt-4.1"}
    assert tables["question"]["verdict"]["kind"] == "ranking"
    assert tables["question"]["verdict"]["shows"] == ["source", "outputs"]
    assert (
        "lines with the same 'item' are one case, with a text for each 'system': atlas, boreal and" in notes
    )


def test_two_lines_of_an_item_are_a_pair(run: Run, tmp_path: Path) -> None:
    rows = [row for row in lines_of_items("编号") if row["system"] != "atlas"]
    tables, _ = declared(run, tmp_path, rows, 6)
    assert tables["source"]["item"] == "编号"
    assert tables["pane"]["pair"]["fields"] == ["output_boreal", "output_gpt_4_1"]


def test_an_item_without_a_line_is_named(run: Run, tmp_path: Path) -> None:
    data = written(tmp_path, lines_of_items()[1:])
    made = run("protocol", "new", data)
    assert "a poor guess: 1 item lacks a line of some 'system'" in made.err
    assert "item 'i0' has no line in which 'system' is atlas" in made.err
    assert "5 cases can be imported" in made.err


@pytest.mark.parametrize(
    "rows",
    [
        [
            {"id": n, "subject": f"s{n % 3}", "level": f"l{n // 3}", "question": f"{n} {LONG}"}
            for n in range(9)
        ],
        [
            {"id": f"i{n}", "annotator": who, "text": f"{n} {LONG}", "comment": f"{who} {n} {LONG}"}
            for n in range(4)
            for who in ("ann", "ben")
        ],
        [{"id": f"i{n}", "system": of, "text": f"{n} {LONG}", "score": n} for n in range(4) for of in "ab"],
    ],
)
def test_lines_that_are_cases_of_their_own_are_not_joined(
    run: Run, tmp_path: Path, rows: list[dict[str, Any]]
) -> None:
    made = run("protocol", "new", written(tmp_path, rows))
    assert "are one case" not in made.err
    assert "item" not in tomllib.loads((tmp_path / "f.toml").read_text(encoding="utf-8"))["source"]
    is_repeated = len({row["id"] for row in rows}) < len(rows)
    assert (
        "several rows have the same 'id', and each of them is a case of its own" in made.err
    ) == is_repeated


@pytest.mark.parametrize(
    ("names", "is_poor"),
    [
        (("output_1", "output_2", "output_3"), False),
        (("responseA", "responseB", "responseC", "responseD"), False),
        (("译文甲", "译文乙", "译文丙"), False),
        (("atlas_output", "boreal_output", "cumulus_output"), True),
    ],
)
def test_columns_of_one_stem_are_outputs_to_rank(
    run: Run, tmp_path: Path, names: tuple[str, ...], is_poor: bool
) -> None:
    rows = [{"id": n, "q": f"{n} {LONG}"} | {name: f"{name} {n} {LONG}" for name in names} for n in range(5)]
    tables, notes = declared(run, tmp_path, rows, 5)
    assert tables["question"]["verdict"]["kind"] == "ranking"
    columns = [field if isinstance(field, str) else field["column"] for field in tables["fields"].values()]
    assert columns == ["q", *names]
    assert ("are taken for outputs of one case, since their names have a common part" in notes) == is_poor


@pytest.mark.parametrize(
    "row",
    [
        {"label_1": "yes", "label_2": "no", "label_3": "yes"},
        {"question_text": LONG, "answer_text": LONG, "context_text": LONG},
        {"score_1": 1, "score_2": 2, "score_3": 3},
    ],
)
def test_other_columns_of_one_stem_are_not_ranked(run: Run, tmp_path: Path, row: dict[str, Any]) -> None:
    assert (
        run("protocol", "new", written(tmp_path, [row | {"id": n, "text": LONG} for n in range(9)])).code == 0
    )
    tables = tomllib.loads((tmp_path / "f.toml").read_text(encoding="utf-8"))
    assert "kind" not in tables["question"]["verdict"]


SPANS: list[Any] = [
    [{"start": 4, "end": 8, "label": "insult"}, {"start": 0, "end": 3, "label": "threat"}],
    [[4, 8, "insult"], [0, 3, "threat"]],
    [{"start": 4, "end": 8, "labels": ["insult"]}, {"start": 0, "end": 3, "labels": ["threat"]}],
    [{"start_offset": 4, "end_offset": 8, "category": n} for n in ("insult", "threat")],
]


@pytest.mark.parametrize("spans", SPANS)
@pytest.mark.parametrize("name", ["f.jsonl", "f.csv"])
def test_spans_of_a_file_make_a_question_of_spans(run: Run, tmp_path: Path, spans: Any, name: str) -> None:
    held = json.dumps if name == "f.csv" else list
    rows = [
        {"id": n, "chat": f"You fool {n}.", "topic": f"t{n % 2}", "marks": held(spans if n else [])}
        for n in range(6)
    ]
    tables, notes = declared(run, tmp_path, rows, 6, name)
    question = tables["question"]["verdict"]
    assert (question["kind"], question["labels"], question["shows"]) == (
        "spans",
        ["insult", "threat"],
        "chat",
    )
    assert tables["published"]["published_spans"]["column"] == "marks"
    assert "marks" not in notes


def test_lists_of_labels_are_not_shown_and_short_texts_are(run: Run, tmp_path: Path) -> None:
    rows = [{"text": f"Great price {n}.", "label": [["positive", "negative"][n % 2]]} for n in range(4)]
    tables, _ = declared(run, tmp_path, rows, 4)
    assert list(tables["fields"]) == ["text"]


def test_entries_of_a_list_are_asked_about_one_by_one(run: Run, tmp_path: Path) -> None:
    rows = [
        {"id": n, "answer": f"{n} {LONG}", "criteria": [f"names number {n}", "is short"], "tags": ["a", "b"]}
        for n in range(5)
    ]
    tables, notes = declared(run, tmp_path, rows, 5)
    assert tables["question"]["entries"]["each"] == "criteria"
    assert "{entry}" in tables["question"]["entries"]["prompt"]
    assert "a poor guess: raters are asked about each entry of 'criteria'" in notes


@pytest.mark.parametrize(
    ("keys", "right"),
    [
        ("ABCD", "答案"),
        (("选项A", "选项B", "选项C", "选项D"), "答案"),
        ("abcd", "answer"),
        ("1234", "answer"),
    ],
)
def test_columns_of_options_are_found_in_any_script(run: Run, tmp_path: Path, keys: Any, right: str) -> None:
    rows = [
        {"编号": f"q{n}", "类别": ("物理", "历史")[n % 2], "题目": f"第{n}题：下面哪一个数字最大？"}
        | {f"选项{letter}": f"{letter} 数 {n}" for letter in "ABCD"}
        | {right: keys[n % 4]}
        for n in range(8)
    ]
    tables, notes = declared(run, tmp_path, rows, 8)
    assert [field["title"] for field in tables["fields"].values()] == ["题目", *"ABCD"]
    assert tables["pane"]["text"]["title"] == "题目"
    assert tables["pane"]["options"]["fields"] == [*"ABCD"]
    assert tables["question"]["verdict"]["labels"] == [*"ABCD"]
    published = tables["published"]["right_option"]
    assert published["column"] == right
    assert published.get("labels", {letter: letter for letter in "ABCD"}) == dict(
        zip(keys, "ABCD", strict=True)
    )
    assert tables["evaluation"]["choices"] == [*"ABCD"]
    assert tables["evaluation"]["prompt"].startswith("{text}\n\n{choices}\n")
    assert tables["source"]["group"] == "类别"
    assert "a poor guess: '类别' is taken for the group, since it has few values" in notes


@pytest.mark.parametrize("group", ["subset", "genre", "категория", "theme"])
def test_groups_are_found_by_their_values(run: Run, tmp_path: Path, group: str) -> None:
    rows = [
        {"id": n, "label": ("good", "bad")[n % 2], "text": f"{n} {LONG}", group: ("chat", "mail")[n % 2]}
        for n in range(6)
    ]
    tables, notes = declared(run, tmp_path, rows, 6)
    assert tables["source"]["group"] == group
    assert ("is taken for the group" in notes) == (group in ("категория", "theme"))


def test_decimals_are_no_keys_and_decisions_no_groups(run: Run, tmp_path: Path) -> None:
    rows = [
        {"similarity": n / 7 + 0.1, "suggested_decision": f"option {n % 2}", "text": f"{n} {LONG}"}
        for n in range(6)
    ]
    tables, notes = declared(run, tmp_path, rows, 6)
    assert {"key", "group"}.isdisjoint(tables["source"])
    assert "no column tells all rows apart" in notes


def test_a_key_that_two_rows_have_is_refused(run: Run, tmp_path: Path) -> None:
    data = written(tmp_path, [{"id": n // 2, "part": n, "text": f"{n} {LONG}"} for n in range(6)])
    refused = run("protocol", "new", data, "--key", "id")
    assert refused.code == 2
    assert "key: f.jsonl, line 2 and f.jsonl, line 1 have the same key '0'" in refused.err
    assert not (tmp_path / "f.toml").exists()
    assert run("protocol", "new", data, "--key", "{id}-{part}").code == 0


def translations() -> list[dict[str, Any]]:
    """Short translations: one row for each system, and every second time two systems say the same."""
    sources = [
        "Der Zug fährt um acht.",
        "Das Brot ist frisch.",
        "Wir gehen zum Fluss.",
        "Er kam gestern sehr spät an.",
    ]
    said = {
        "atlas": "train {} leaves",
        "boreal": "train {} leaves at eight",
        "delta": "a train {} is leaving",
    }
    return [
        {
            "segment": f"s{n}",
            "source": source,
            "system": of,
            "translation": f"The {words.format(n)}.",
            "rank": at,
        }
        for n, source in enumerate(sources)
        for at, (of, words) in enumerate(
            (of, said["atlas" if n % 2 and of == "boreal" else of]) for of in said
        )
    ]


def test_short_translations_in_rows_of_their_own_are_joined(run: Run, tmp_path: Path) -> None:
    tables, _ = declared(run, tmp_path, translations(), 4, "f.csv")
    assert (tables["source"]["item"], tables["source"]["variant"]) == ("segment", "system")
    assert tables["question"]["verdict"]["shows"] == ["source", "outputs"]


def test_short_texts_of_several_words_are_shown_and_dates_and_names_are_not(run: Run, tmp_path: Path) -> None:
    rows = [
        {
            "id": f"d{n}",
            "document": f"{n} {LONG}",
            "summary": f"The council approved item {n}.",
            "made": f"2026-01-0{n + 1} 10:00:00+00:00",
            "author": f"Jo Doe {n}",
        }
        for n in range(6)
    ]
    tables, _ = declared(run, tmp_path, rows, 6)
    assert tables["question"]["verdict"]["shows"] == ["document", "summary"]


def test_tests_are_shown_as_code(run: Run, tmp_path: Path) -> None:
    rows = [
        {
            "task_id": f"demo/{n}",
            "prompt": f"Add {n} to a number.",
            "solution": f"def add(a):\n    return a + {n}\n",
            "test": f"assert add(1) == {n + 1}\nassert add(2) == {n + 2}\n",
        }
        for n in range(6)
    ]
    tables, _ = declared(run, tmp_path, rows, 6)
    assert tables["question"]["verdict"]["shows"] == ["prompt", "solution", "test"]
    assert tables["pane"]["test"]["kind"] == "code"


def test_short_answers_in_wide_letters_are_shown_and_names_are_not(run: Run, tmp_path: Path) -> None:
    answers = ["长江最长。", "珠穆朗玛峰。", "今天的西安。", "东汉的蔡伦。", "流入渤海。", "一百摄氏度。"]
    rows = [
        {"编号": n, "问题": f"第{n}题：哪一个最大？", "回答": answer, "作者": f"王小{answer[0]}"}
        for n, answer in enumerate(answers)
    ]
    tables, _ = declared(run, tmp_path, rows, 6)
    assert {field["column"] for field in tables["fields"].values()} == {"问题", "回答"}


def test_a_published_score_is_not_listed_as_unused(run: Run, tmp_path: Path) -> None:
    rows = [
        {"id": f"a{n}", "answer": f"{n} {LONG}", "rating": n % 5 + 1, "note": n, "seen": n} for n in range(9)
    ]
    declared(run, tmp_path, rows, 9)
    assert 'others = "keep"  # note, seen\n' in (tmp_path / "f.toml").read_text(encoding="utf-8")

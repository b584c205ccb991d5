"""A first declaration for a stranger's file: three public layouts, with rows of our own writing."""

import csv
import json
import tomllib
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest

from reviewer.cli import protocol_new
from reviewer.core.errors import RequestError
from reviewer.exchange.rows.column_survey import ColumnSurvey, survey_columns
from reviewer.exchange.rows.declaration_text import first_declaration
from reviewer.exchange.rows.file_layout import NO_LAYOUT
from reviewer.exchange.rows.first_declaration import (
    FirstAnswers,
    poor_guesses,
    suggested_ends,
    suggested_key,
    suggested_pair,
    suggested_question,
    suggested_show,
)
from reviewer.exchange.rows.row_files import open_rows
from reviewer.options.protocol import ProtocolNewOptions
from reviewer.study.design.study_creation import Design, create_study
from reviewer.study.session.review_session import ReviewSession
from store.database import Database
from tests.cli.conftest import Run

LONG = "a text of more than forty characters, so that it counts as something to read"


def choices(folder: Path) -> Path:
    """Multiple choice with a reference answer, as a JSON list."""
    rows = [
        {
            "id": f"mc-{number}",
            "subject": ("physics", "history")[number % 2],
            "question": f"Which of these numbers is {number}?",
            "choices": [str(number + step) for step in range(4)],
            "answer": number % 4,
        }
        for number in range(10)
    ]
    path = folder / "choices.json"
    path.write_text(json.dumps(rows), encoding="utf-8")
    return path


def scored(folder: Path) -> Path:
    """Instruction and response pairs with a score, as JSON Lines."""
    rows = [
        {
            "instruction": f"Write {number} lines: {LONG}",
            "response": f"{number}: {LONG}",
            "score": 1 + number % 5,
            "model": ("m1", "m2")[number % 2],
        }
        for number in range(10)
    ]
    path = folder / "scored.jsonl"
    path.write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")
    return path


def code(folder: Path) -> Path:
    """Code generation with a rationale, as a CSV with semicolons."""
    path = folder / "code.csv"
    with path.open("w", encoding="utf-8", newline="") as file:
        writer = csv.writer(file, delimiter=";")
        writer.writerow(["task_id", "prompt", "code", "rationale", "difficulty"])
        for number in range(10):
            body = f"def add(numbers):\n    return sum(numbers) + {number}\n"
            writer.writerow(
                [f"T/{number}", f"Add {number}; {LONG}", body, LONG, ("easy", "hard")[number % 2]]
            )
    return path


def pairs(folder: Path) -> Path:
    """Two responses to a question, and which of them is preferred."""
    rows = [
        {
            "uid": number,
            "prompt": f"{number} {LONG}",
            "answer_a": f"yes, {number}",
            "answer_b": "no, it is not",
            "winner": 1 + number % 2,
        }
        for number in range(10)
    ]
    path = folder / "pairs.jsonl"
    path.write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")
    return path


@pytest.mark.parametrize(
    ("file", "fields", "key", "group", "labels"),
    [
        (choices, ["question", "choices"], "{id}", "subject", ["A", "B", "C", "D"]),
        (scored, ["instruction", "response"], None, None, ["1", "2", "3", "4", "5"]),
        (code, ["prompt", "code", "rationale"], "{task_id}", "difficulty", ["True", "False"]),
        (pairs, ["prompt", "answer_a", "answer_b"], "{uid}", None, ["first", "second", "tie"]),
    ],
)
def test_the_suggestions_alone_make_a_declaration_that_imports_its_file(
    run: Run,
    tmp_path: Path,
    file: Any,
    fields: list[str],
    key: str | None,
    group: str | None,
    labels: list[str],
) -> None:
    data = file(tmp_path)
    made = run("protocol", "new", data.name)
    assert made.code == 0, made.err
    assert f"{data.stem}.toml: 10 cases can be imported with it.\n" in made.err
    declared = tomllib.loads((tmp_path / f"{data.stem}.toml").read_text(encoding="utf-8"))
    assert list(declared["fields"]) == fields
    assert (declared["source"].get("key"), declared["source"].get("group")) == (key, group)
    assert declared["question"]["verdict"]["labels"] == labels
    assert run("protocol", "check", f"{data.stem}.toml").code == 0
    taken = run("import", data.name, "--protocol", f"{data.stem}.toml", "--dataset", "mine")
    assert "10 cases added" in taken.out, taken.err


def test_what_the_columns_say_is_in_the_declaration(run: Run, tmp_path: Path) -> None:
    for file in (choices, scored, code, pairs):
        run("protocol", "new", file(tmp_path).name)
    texts = {path.stem: path.read_text(encoding="utf-8") for path in tmp_path.glob("*.toml")}
    declared = {name: tomllib.loads(text) for name, text in texts.items()}
    assert declared["choices"]["fields"]["choices"] == {"column": "choices", "type": "list"}
    score = declared["scored"]["published"]["published_score"]
    assert (score["column"], score["opinion_on"]) == ("score", "verdict")
    assert declared["scored"]["question"]["verdict"]["scale"] == "ordinal"
    assert declared["scored"]["source"]["generator"] == "model"
    assert declared["code"]["pane"]["code"] == {"kind": "code", "fields": "code", "language": "python"}
    pair = declared["pairs"]["pane"]["pair"]
    assert (pair["fields"], pair["compared"]) == (["answer_a", "answer_b"], False)
    preferred = declared["pairs"]["published"]["preferred"]
    assert (preferred["column"], preferred["opinion_on"]) == ("winner", "verdict")
    assert preferred["labels"] == {"1": "first", "2": "second"}
    right = declared["choices"]["published"]["right_option"]
    assert (right["column"], right["options"], right["points_by"]) == ("answer", "choices", "place")
    assert declared["choices"]["pane"]["choices"]["lettered"]
    assert declared["choices"]["evaluation"]["choices"] == "choices"


def test_options_answer_the_questions_and_nothing_is_overwritten(run: Run, tmp_path: Path) -> None:
    data = choices(tmp_path)
    options = (
        "--name",
        "mc",
        "--key",
        "q{id}",
        "--group",
        "-",
        "--show",
        "question,choices",
        "--labels",
        "a, b,c",
    )
    assert run("protocol", "new", data.name, *options, "--ask", "Which {one}?", "-o", "mine.toml").code == 0
    declared = tomllib.loads((tmp_path / "mine.toml").read_text(encoding="utf-8"))
    assert (declared["protocol"]["name"], declared["source"]["key"]) == ("mc", "q{id}")
    assert "group" not in declared["source"]
    assert declared["question"]["verdict"]["labels"] == ["a", "b", "c"]
    again = run("protocol", "new", data.name, "-o", "mine.toml")
    assert (again.code, "'mine.toml' exists; remove it first" in again.err) == (2, True)


@pytest.mark.parametrize(
    ("options", "wrong"),
    [
        (("--show", "qestion"), "show: the file has no column 'qestion'; did you mean question."),
        (("--key", "fixed"), "key: it names no column; put one in braces, such as {id}."),
        (
            ("--compare", "question"),
            "compare: two columns are compared, or three to 9 ranked, not 1; name fewer, more or none.",
        ),
        (("--labels", "one"), "labels: a question has at least two labels; name them all."),
    ],
)
def test_answers_that_do_not_fit_are_refused(
    run: Run, tmp_path: Path, options: tuple[str, ...], wrong: str
) -> None:
    refused = run("protocol", "new", choices(tmp_path).name, *options)
    assert (refused.code, refused.out) == (2, "")
    assert wrong in refused.err
    assert not list(tmp_path.glob("*.toml"))


def test_a_list_that_is_empty_in_some_rows_is_a_list(run: Run, tmp_path: Path) -> None:
    rows = (
        {"text": f"A request, number {number}.", "answers": ["yes", "no"][:number]} for number in range(3)
    )
    (tmp_path / "some.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")
    made = run("protocol", "new", str(tmp_path / "some.jsonl"), "-o", str(tmp_path / "some.toml"))
    assert "several types" not in made.err
    declared = (tmp_path / "some.toml").read_text(encoding="utf-8")
    assert 'answers = { column = "answers", type = "list" }' in declared


def test_a_column_of_mixed_types_is_left_to_the_others(run: Run, tmp_path: Path) -> None:
    rows = [
        {"id": number, "text": LONG + str(number), "mixed": number if number % 2 else "x" * 50}
        for number in range(4)
    ]
    (tmp_path / "m.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")
    made = run("protocol", "new", "m.jsonl")
    assert made.code == 0
    assert "Note: column 'mixed' holds values of several types, so no field is made of it." in made.err
    assert 'others = "keep"  # mixed' in (tmp_path / "m.toml").read_text(encoding="utf-8")
    refused = run("protocol", "new", "m.jsonl", "--show", "mixed", "-o", "n.toml")
    assert "column 'mixed' holds values of several types" in refused.err


@pytest.mark.parametrize(
    ("rows", "key", "shown"),
    [
        (
            [{"question": "Why?", "choices": ["a", "b"]}, {"question": "Who?", "choices": ["c"]}],
            "",
            ("question", "choices"),
        ),
        ([{"item": "Where is the femur?"}, {"item": "What is a tort?"}], "", ("item",)),
        ([{"qid": "one", "text": "x y"}, {"qid": "two", "text": "z"}], "{qid}", ("text",)),
        (
            [{"question_id": "a 1", "instruction": "Sort."}, {"question_id": "a 2", "instruction": "Add."}],
            "{question_id}",
            ("instruction",),
        ),
    ],
)
def test_a_column_to_read_is_no_key_and_is_shown(
    tmp_path: Path, rows: list[dict[str, Any]], key: str, shown: tuple[str, ...]
) -> None:
    (tmp_path / "a.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")
    survey = survey_columns(open_rows(tmp_path / "a.jsonl"))
    assert suggested_key(survey) == key
    assert suggested_show(survey, key, "", ()) == shown
    assert shown[0] in suggested_show(survey, f"{{{shown[0]}}}", "", ()), "a key that raters have to read"


def test_a_column_of_code_is_shown_as_code_also_by_another_name(tmp_path: Path) -> None:
    rows = [
        {
            "instruction": f"Reverse {number}.",
            "output": f"def f{number}(x):\n    return x[::-1]\n",
            "completion": "    return a\n",
            "response": f"I would say {number};\nso it is.",
        }
        for number in range(3)
    ]
    (tmp_path / "a.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")
    survey = survey_columns(open_rows(tmp_path / "a.jsonl"))
    shown = ("output", "completion", "response")
    answers = FirstAnswers("a", "", "", shown, (), "Good?", ("yes", "no"))
    panes = tomllib.loads(first_declaration(survey, answers, "a.jsonl"))["pane"]
    assert [panes[name].get("kind") for name in shown] == ["code", "code", None]


def test_an_answer_that_does_not_fit_is_asked_for_again_at_once(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    typed = [
        "{no}",
        "{id}",
        "{subjct}",
        "{subject}",
        "question",
        "-",
        "question, {answer}",
        "Right?",
        "a",
        "a,b",
    ]
    monkeypatch.setattr("sys.stdin.isatty", lambda: True, raising=False)
    monkeypatch.setattr("click.termui.visible_prompt_func", lambda _: typed.pop(0))
    said: list[str] = []
    monkeypatch.setattr("click.termui.echo", lambda text="", **_: said.append(text))
    rows = open_rows(choices(tmp_path))
    options = ProtocolNewOptions(data=tmp_path / "choices.json", name="mc")
    answers = protocol_new._asked(options, rows, survey_columns(rows), NO_LAYOUT)
    assert (answers.key, answers.group, answers.show) == ("{id}", "subject", ("question", "answer"))
    assert (answers.compare, answers.ask, answers.labels, typed) == ((), "Right?", ("a", "b"), [])
    wrong = [text.removeprefix("Error: ") for text in said if text.startswith("Error")]
    assert [text.split(";")[0] for text in wrong] == [
        "key: the file has no column 'no'",
        "group: the file has no column '{subjct}'",
        "compare: two columns are compared, or three to 9 ranked, not 1",
        "labels: a question has at least two labels",
    ]


def test_show_says_what_a_check_does_and_check_names_what_an_import_needs(run: Run, tmp_path: Path) -> None:
    run("protocol", "new", choices(tmp_path).name, "--ask", "Does it fit?")
    text = (tmp_path / "choices.toml").read_text(encoding="utf-8").replace("it fit", "it fit {definition}")
    rule = '[check.long]\nrule = "length"\nfields = ["question"]\nmost = 900\nseverity = "untidy"\n'
    (tmp_path / "choices.toml").write_text(f"{text}\n{rule}", encoding="utf-8")
    checked = run("protocol", "check", "choices.toml")
    assert (checked.code, checked.out) == (0, "")
    assert "Note: question 'verdict' shows the definition of the group, and [groups] defines" in checked.err
    taken = run("import", "choices.json", "--protocol", "choices.toml", "--dataset", "mine")
    assert "and these groups have none: history, physics; import with --groups FILE.toml." in taken.err
    (tmp_path / "groups.toml").write_text('physics = "P"\nhistory = "H"\n', encoding="utf-8")
    again = run("import", "choices.json", "--dataset", "mine", "--groups", "groups.toml")
    assert (again.code, "definition" in again.err) == (0, False), again.err
    assert "length of question, untidy" in run("protocol", "show", "choices").out


def test_a_file_whose_cells_cannot_be_read_is_refused_with_its_encoding(run: Run, tmp_path: Path) -> None:
    rows = "id,question,note\n1,plain,\n2,łza,remark\n3,łódź,remark\n"
    (tmp_path / "p.csv").write_bytes(rows.encode("cp1250"))
    refused = run("protocol", "new", "p.csv", "--name", "p")
    wrong = "p.csv, line 3, column 'question': is not UTF-8 text (and 1 more is invalid: line 4, column"
    assert refused.code == 2
    assert wrong in refused.err
    assert "give --encoding (cp1252 reads '³za', cp1250 reads 'łza'" in refused.err
    assert "empty" not in refused.err
    assert not (tmp_path / "p.toml").exists()
    made = run("protocol", "new", "p.csv", "--name", "p", "--encoding", "cp1250")
    assert made.code == 0, made.err
    assert "Next: reviewer import p.csv --protocol p.toml --dataset p --encoding cp1250\n" in made.err


def test_a_file_in_windows_1252_is_read_whole_and_that_is_said_first(run: Run, tmp_path: Path) -> None:
    rows = 'id,question,price\n1,"„Wie viel?“",\n2,"Spaß",5 €\n'
    (tmp_path / "w.csv").write_bytes(rows.encode("cp1252"))
    made = run("protocol", "new", "w.csv", "--name", "w")
    assert made.code == 0, made.err
    assert "was read as Windows-1252; name another encoding" in made.err.splitlines()[0]
    assert "empty" not in made.err
    assert "2 cases can be imported" in made.err


def test_a_protocol_says_which_values_wait_for_answers(run: Run) -> None:
    rows = run("protocol", "show", "judge-pairs", "--format", "csv").out.splitlines()
    assert "shown after the answer,right_answer,right_result" in rows


def surveyed(folder: Path, rows: list[dict[str, Any]]) -> ColumnSurvey:
    path = folder / "rows.jsonl"
    path.write_text("".join(f"{json.dumps(row)}\n" for row in rows), encoding="utf-8")
    return survey_columns(open_rows(path))


def test_hashes_and_repeated_values_are_no_texts(tmp_path: Path) -> None:
    rows = [
        {
            "id": number,
            "answer_1": ("yes", "no")[number % 2],
            "answer_2": ("no", "yes")[number % 2],
            "prompt_hash": f"{number:032x}",
            "output_uuid": f"0a1b2c3d-0000-4000-8000-{number:012d}",
        }
        for number in range(12)
    ]
    survey = surveyed(tmp_path, rows)
    assert suggested_pair(survey) == ()
    assert suggested_show(survey, "{id}", "", ()) == ("answer_1", "answer_2")


def test_columns_of_any_script_are_texts_by_their_length(tmp_path: Path) -> None:
    rows = [
        {"编号": number, "题目": f"第{number}题：下面哪一个数字最大？", "难度": ("易", "难")[number % 2]}
        for number in range(10)
    ]
    assert suggested_show(surveyed(tmp_path, rows), "{编号}", "", ()) == ("题目",)


def test_scale_begins_at_one_where_low_scores_do_not_occur(tmp_path: Path) -> None:
    def labels(*scores: int) -> tuple[str, ...]:
        rows = [{"text": LONG, "score": score} for score in scores]
        return suggested_question((), suggested_ends(surveyed(tmp_path, rows)), NO_LAYOUT)[1]

    assert labels(3, 4, 5, 3) == ("1", "2", "3", "4", "5")
    assert labels(0, 1, 2) == ("0", "1", "2")
    assert labels(-1, 0, 1) == ("-1", "0", "1")


def test_ends_of_a_scale_are_asked_for(run: Run, tmp_path: Path) -> None:
    rows = [{"text": f"{LONG} {number}", "score": 3 + number % 2} for number in range(6)]
    (tmp_path / "s.jsonl").write_text("".join(f"{json.dumps(row)}\n" for row in rows), encoding="utf-8")
    assert run("protocol", "new", "s.jsonl", "--scale", "1 to 5").code == 0
    declared = tomllib.loads((tmp_path / "s.toml").read_text(encoding="utf-8"))
    assert declared["question"]["verdict"]["labels"] == ["1", "2", "3", "4", "5"]
    assert declared["question"]["verdict"]["scale"] == "ordinal"
    for ends, wrong in (("five", "does not give the two ends of a scale"), ("1-3", "scores up to 4 occur")):
        refused = run("protocol", "new", "s.jsonl", "--scale", ends, "-o", "t.toml")
        assert (refused.code, wrong in refused.err) == (2, True), refused.err


def test_poor_guesses_are_said_and_written(run: Run, tmp_path: Path) -> None:
    rows = [{"a": "x", "b": str(number % 2)} for number in range(4)]
    (tmp_path / "p.jsonl").write_text("".join(f"{json.dumps(row)}\n" for row in rows), encoding="utf-8")
    made = run("protocol", "new", "p.jsonl")
    text = (tmp_path / "p.toml").read_text(encoding="utf-8")
    for guess in ("no column tells all rows apart", "no column has long texts", "nothing in the file says"):
        assert f"Note: a poor guess: {guess}" in made.err
        assert f"# A poor guess: {guess}" in text
    survey = surveyed(tmp_path, [{"id": n, "response": f"{LONG} {n}", "score": n} for n in range(4)])
    answers = FirstAnswers("a", "{id}", "", ("response",), (), "How good is this case?", ("1", "2"))
    assert poor_guesses(survey, answers) == []


OPTIONS: list[tuple[list[dict[str, Any]], dict[str, Any], list[str]]] = [
    (
        [
            {"choices": [{"label": "ABCDE"[at], "text": f"{n} {at}"} for at in range(3 + n)], "answer": "C"}
            for n in range(3)
        ],
        {"points_by": "name"},
        ["C", "C", "C"],
    ),
    (
        [
            {"choices": {"text": ["x", "y", "z"], "label": list(names)}, "answer": names[n]}
            for n, names in enumerate(("123", "ABC", "123"))
        ],
        {"points_by": "name"},
        ["A", "B", "C"],
    ),
    ([{"options": ["x", "y"], "answer": text} for text in "yx"], {"points_by": "text"}, ["B", "A"]),
    ([{"options": ["x", "y"], "gold": text} for text in ("b)", "A")], {"points_by": "letter"}, ["B", "A"]),
    (
        [{"options": ["x", "y"], "label": place} for place in (2, 1)],
        {"points_by": "place", "counts_from": 1},
        ["B", "A"],
    ),
]


@pytest.mark.parametrize(("rows", "points", "letters"), OPTIONS)
def test_right_options_are_found_by_what_points_to_them(
    run: Run, tmp_path: Path, rows: list[dict[str, Any]], points: dict[str, Any], letters: list[str]
) -> None:
    lines = [{"id": f"q{n}", "question": f"Which, {n}?", **row} for n, row in enumerate(rows)]
    text = "".join(f"{json.dumps(line)}\n" for line in lines)
    (tmp_path / "o.jsonl").write_text(text, encoding="utf-8")
    assert run("protocol", "new", "o.jsonl").code == 0
    declared = tomllib.loads((tmp_path / "o.toml").read_text(encoding="utf-8"))
    assert declared["published"]["right_option"].items() >= points.items()
    most = len(declared["question"]["verdict"]["labels"])
    taken = run("import", "o.jsonl", "--protocol", "o.toml", "--dataset", "o")
    assert f"{len(rows)} cases added" in taken.out, taken.err
    with closing(Database.open(str(tmp_path / "reviewer.db"))) as database:
        create_study(database, "pilot", Design(("o",), None, 7))
        session = ReviewSession(database, "pilot", "anna")
        bundle = session.bundle
        values = {place.key: bundle.measurements[place.case][0].value for place in bundle.sample}
        assert [values[f"q{n}"] for n in range(len(rows))] == letters
        options = session.sheet().first[1].texts[0].splitlines()
        assert [line[:3] for line in options] == [f"{letter}. " for letter in "ABCDE"[: len(options)]]
        if len(options) < most:
            with pytest.raises(RequestError, match=f"this case has no option {'ABCDE'[most - 1]}; its opt"):
                session.answer("ABCDE"[most - 1])
        session.answer("A")


def test_rows_whose_right_option_is_none_of_theirs_are_refused(run: Run, tmp_path: Path) -> None:
    rows = [
        {"id": f"q{n}", "question": "Which?", "options": ["x", f"y{n}"], "answer": n % 2} for n in range(4)
    ]

    def write() -> None:
        text = "".join(f"{json.dumps(row)}\n" for row in rows)
        (tmp_path / "o.jsonl").write_text(text, encoding="utf-8")

    write()
    run("protocol", "new", "o.jsonl")
    rows[1]["answer"] = 2
    rows[2]["options"] = ["x", "y", "z"]
    write()
    refused = run("import", "o.jsonl", "--protocol", "o.toml", "--dataset", "o")
    assert refused.code == 2
    assert "o.jsonl, line 2, column 'answer': is '2', which is not a place from 0 to 1" in refused.err
    del rows[1]
    write()
    refused = run("import", "o.jsonl", "--protocol", "o.toml", "--dataset", "o")
    assert "line 2, column 'options': holds 3 options, and 'verdict' has 2 labels; add labels up to C" in (
        refused.err
    )

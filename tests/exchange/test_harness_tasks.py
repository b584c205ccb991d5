"""Tasks of other tools that a release makes: samples, right labels, experts' labels, scores of replies.

``tests/harnesses/run_tasks.py`` runs them by the real harnesses.
"""

import ast
import json
from collections.abc import Iterator, Mapping
from contextlib import closing
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import pytest

from reviewer.core.errors import RequestError
from reviewer.exchange.releases.harness_tasks import tasks_of
from reviewer.exchange.releases.release_content import ReleaseOptions
from reviewer.exchange.releases.release_making import PlannedRelease, plan_release, write_release, write_tasks
from reviewer.exchange.rows.dataset_import import import_path
from reviewer.protocols.declared.declared_protocol import protocol_of_text
from reviewer.protocols.formats import StoredCase
from reviewer.study.design.closing import close_study
from reviewer.study.design.design_facts import describe_study
from reviewer.study.design.study_creation import Design, create_study
from reviewer.study.session.review_session import ReviewSession
from store.database import Database
from store.records import Citation, Membership
from tests.studies import open_store

QUIZ = """\
[protocol]
name = "quiz"
version = 1
title = "Sums"

[fields]
question = "question"
hinted = "hinted"
low = "a"
high = "b"
answer = "answer"

[source]
key = "{id}"
generator = { constant = "people" }

[pane.question]
fields = ["question", "hinted", "low", "high", "answer"]

[question.right]
prompt = "Is the marked answer right?"
labels = ["yes", "no"]
passing = "yes"
shows = "question"

[evaluation]
prompt = "[system]\\nBe brief.\\n[user]\\n{version}\\n{choices}"
reader = "letter"
choices = ["low", "high"]
right = "answer"
measures = ["right", "shares"]

[evaluation.conditions]
plain = { version = "question" }
hint = { version = "hinted" }
"""
ROWS = """\
id,question,hinted,a,b,answer
q1,1 + 1?,1 + 1? Not 2.,two,three,A
q2,2 + 2?,2 + 2? Not 4.,three,four,four
"""
CITATION = Citation(dataset="quiz", licence="CC0-1.0", authors=["A. Author"], contact="a@example.org")
TOOLS = ("inspect", "lm-eval", "label-studio")


@pytest.fixture(scope="module")
def database(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Database]:
    place = tmp_path_factory.mktemp("quiz")
    (place / "quiz.toml").write_text(QUIZ)
    (place / "quiz.csv").write_text(ROWS)
    with closing(open_store(place)) as opened:
        import_path(opened, place / "quiz.csv", "quiz", protocol=str(place / "quiz.toml"))
        create_study(opened, "pilot", Design(("quiz",), None, 7, raters=("anna",)))
        session = ReviewSession(opened, "pilot", "anna")
        while not session.finished:
            session.answer("no" if "1 + 1" in str(session.case.payload["question"]) else "yes")
        close_study(opened, "pilot", "lena")
        yield opened


def planned(database: Database, *tools: str) -> PlannedRelease:
    return plan_release(database, CITATION, "1.0", ReleaseOptions(), harnesses=tools)


@pytest.fixture(scope="module")
def tasks(database: Database) -> Mapping[str, Mapping[str, bytes]]:
    return planned(database, *TOOLS).tasks


def samples(files: Mapping[str, bytes]) -> dict[str, Any]:
    rows = map(json.loads, files["samples.jsonl"].decode().splitlines())
    return {row["id"]: row for row in rows}


def test_sample_has_the_messages_and_the_right_label_of_its_case(tasks: Mapping[str, Any]) -> None:
    found = samples(tasks["inspect"])
    assert list(found) == ["q1 @ plain", "q1 @ hint", "q2 @ plain", "q2 @ hint"]
    hint = found["q2 @ hint"]
    assert hint["messages"] == [
        {"role": "system", "content": "Be brief."},
        {"role": "user", "content": "2 + 2? Not 4.\\nA: three\\nB: four".replace("\\n", "\n")},
    ]
    assert [row["right"] for row in found.values()] == [["low"], ["low"], ["high"], ["high"]]
    assert {hint["answers"][name] for name in ("B", "Option B")} == {"high"}
    assert samples(tasks["lm-eval"]) == found


def test_labels_of_experts_come_only_with_consent(database: Database) -> None:
    assert samples(planned(database, "inspect").tasks["inspect"])["q1 @ plain"]["experts"] == {}
    describe_study(database, "pilot", "lena", {"consent": "Labels are published."})
    found = samples(planned(database, "inspect").tasks["inspect"])
    assert found["q1 @ plain"]["experts"] == {"labels": {"right": "no"}, "passed": False}
    assert found["q2 @ plain"]["experts"]["passed"] is True


def label_functions(tasks: Mapping[str, Any]) -> list[str]:
    """The source of the function that reads a reply, and of its patterns, in each task."""
    wanted = ("label_in", "BEHIND", "AT_FIRST")
    found = []
    for tool, name in (("inspect", "task.py"), ("lm-eval", "functions.py")):
        nodes = ast.parse(tasks[tool][name].decode()).body
        named = (
            node
            for node in nodes
            if (isinstance(node, ast.FunctionDef) and node.name in wanted)
            or (isinstance(node, ast.Assign) and ast.unparse(node.targets[0]) in wanted)
        )
        found.append("\n".join(map(ast.unparse, named)))
    return found


@pytest.mark.parametrize(
    ("reply", "label"),
    [
        ("Answer: B", "high"),
        ("B is a good answer.", "high"),
        ("My answer is **B**. A good day.", "high"),
        ("A.", "low"),
        ("I choose A", "low"),
        ("It is Option B, since A fails.", "high"),
        ("I cannot say. A hard case.", None),
    ],
)
def test_scorer_reads_the_option_that_a_reply_names(
    tasks: Mapping[str, Any], reply: str, label: str | None
) -> None:
    source, other = label_functions(tasks)
    assert source == other
    known: dict[str, Any] = {}
    exec(f"import re\n{source}", known)
    answers = samples(tasks["inspect"])["q1 @ plain"]["answers"]
    assert known["label_in"](reply, answers) == label


def test_task_of_lm_eval_scores_each_condition(tasks: Mapping[str, Any]) -> None:
    files = tasks["lm-eval"]
    assert "metric: right_hint\n" in files["quiz_1_0.yaml"].decode()
    known: dict[str, Any] = {"__file__": "functions.py"}
    exec(files["functions.py"], known)
    doc = {"condition": "hint", "answers": '{"A": "low", "B": "high"}', "right": '["high"]'}
    assert known["process_results"](doc, ["Answer: B"]) == {"right": 1.0, "right_hint": 1.0}
    assert known["process_results"](doc, ["Who knows?"]) == {"right": None, "right_hint": None}
    assert known["mean"]([1.0, None, 0.0]) == 0.5


def test_task_of_lm_eval_leaves_out_the_cases_of_its_exclusion_list(
    tasks: Mapping[str, Any], tmp_path: Path
) -> None:
    for name, content in tasks["lm-eval"].items():
        (tmp_path / name).write_bytes(content)
    assert "dataset_kwargs:\n  exclude: exclude.csv\n" in (tmp_path / "quiz_1_0.yaml").read_text()
    known: dict[str, Any] = {"__file__": str(tmp_path / "functions.py")}
    exec(tasks["lm-eval"]["functions.py"], known)
    every = known["samples"]("exclude.csv")
    first = every[0]["key"]
    (tmp_path / "exclude.csv").write_text(f"dataset,key,change\nquiz,{first},removed\n")
    kept = known["samples"]("exclude.csv")
    assert [row for row in every if row["key"] != first] == kept
    assert len(kept) < len(every)


def test_tasks_of_label_studio_ask_the_questions_of_the_protocol(tasks: Mapping[str, Any]) -> None:
    first = json.loads(tasks["label-studio"]["tasks.json"])[0]["data"]
    assert (first["key"], first["question"], first["low"]) == ("q1", "1 + 1?", "two")
    view = ElementTree.fromstring(tasks["label-studio"]["config.xml"])
    (choices,) = view.iter("Choices")
    assert choices.attrib == {"name": "right", "toName": "answer", "choice": "single"}
    assert [choice.attrib["value"] for choice in choices] == ["yes", "no"]
    assert {text.attrib["value"] for text in view.iter("Text")} == {
        f"${name}" for name in first if name not in ("key", "group")
    }


def test_label_studio_has_names_once_and_asks_what_is_asked() -> None:
    """Label Studio refuses a form with a name twice, and a field may have that of a question."""
    text = QUIZ.replace("[fields]", '[fields]\nright = "hinted"\nparts = { column = "parts", type = "list" }')
    text = text.replace('fields = ["question",', 'fields = ["right", "question",') + (
        '[question.met]\nprompt = "{entry}?"\neach = "parts"\nlabels = ["yes", "no"]\nshows = "question"\n'
    )
    protocol = protocol_of_text(text, "quiz.toml")
    fields = {"question": "?", "hinted": "!", "low": "a", "high": "b", "answer": "A", "right": "!"}
    case = protocol.case("all", {**fields, "parts": ["one", "two"]})
    place = Membership(dataset="d", key="k", case=case.digest, position=0, generator="g", origin="generated")
    files = tasks_of(["label-studio"], "quiz", protocol, [StoredCase(place, case, {})], [])
    view = ElementTree.fromstring(files["label-studio"]["config.xml"])
    names = [tag.attrib["name"] for tag in view.iter() if "name" in tag.attrib]
    assert len(names) == len({*names})
    assert [tag.attrib["name"] for tag in view.iter("Choices")] == ["right", "met_1", "met_2"]
    assert {tag.attrib["toName"] for tag in view.iter("Choices")} < {*names}


def test_folders_stand_beside_the_release_and_hold_no_other_files(database: Database, tmp_path: Path) -> None:
    made = planned(database, "lm-eval")
    write_release(database, made, CITATION, tmp_path / "quiz-1.0")
    assert [path.name for path in write_tasks(made, tmp_path / "quiz-1.0")] == ["quiz-1.0-lm-eval"]
    assert [*write_tasks(made, tmp_path / "quiz-1.0")] == [tmp_path / "quiz-1.0-lm-eval"]
    (tmp_path / "quiz-1.0-lm-eval" / "functions.py").write_text("changed")
    with pytest.raises(RequestError, match="has other files"):
        list(write_tasks(made, tmp_path / "quiz-1.0"))

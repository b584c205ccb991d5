"""The manual's page on one's own benchmark: each of its commands runs, from a data file to agreement."""

import io
import json
import re
import shlex
import sqlite3
from contextlib import closing
from pathlib import Path

import pytest
from pydantic import BaseModel

from reviewer.manual.manual_pages import manual_page
from reviewer.protocols.declared import declaration as tables
from reviewer.protocols.declared.question_checks import ARGUMENTS
from tests.cli.conftest import Result, Run
from tests.llm.server import Answer, Asked, serving

_BLOCKS = re.compile(r"```sh\n(.*?)```", re.DOTALL)
_ROW = re.compile(r"^\| (`.*?) \|", re.MULTILINE)


def typed_before(line: str) -> tuple[str, str]:
    """``yes 1 | head -24 | reviewer …`` as typed input and the command."""
    if not line.startswith("yes "):
        return "", line
    said, number, command = line.split(" | ")
    return f"{said.split()[1]}\n" * int(number.removeprefix("head -")), command


@pytest.fixture
def shell(run: Run, monkeypatch: pytest.MonkeyPatch) -> Run:
    def call(line: str) -> Result:
        typed, command = typed_before(line)
        monkeypatch.setattr("sys.stdin", io.StringIO(typed))
        program, *arguments = shlex.split(command)
        assert program == "reviewer"
        return run(*arguments)

    return call


def test_every_command_of_the_page_runs(shell: Run) -> None:
    said = {}
    for block in _BLOCKS.findall(manual_page("own-benchmark").text):
        for line in block.replace("\\\n", "").splitlines():
            said[line] = shell(line)
            assert said[line].code == 0, (line, said[line].err)
    results = {line.split("|")[-1].split()[1]: result.out for line, result in said.items()}
    assert "12 cases added" in results["import"]
    assert re.search(r"better\s+hand-written\s+subgroup\s+12\s+2", results["agreement"])
    assert re.search(r"choice of the judge|judge", results["judges"])
    assert "meeting_scripts" in shell("reviewer protocol example").out


def following_hints(asked: Asked) -> Answer:
    """A model that is right about one item in three, and follows each hint."""
    hint = re.search(r"sure that it is (\w)", asked.last)
    return Answer(f"Answer: {hint[1] if hint else 'B'}")


@pytest.mark.slow
def test_every_command_of_the_page_on_multiple_choice_runs(
    shell: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    said = {}
    with serving(following_hints) as server:
        monkeypatch.setenv("REVIEWER_BASE_URL", server.url)
        for block in _BLOCKS.findall(manual_page("multiple-choice").text):
            for line in block.replace("\\\n", "").splitlines():
                said[line] = shell(line)
                assert said[line].code == 0, (line, said[line].err)
    of = {line.partition("reviewer ")[2]: result for line, result in said.items()}
    assert re.search(r"key of the file\s+right option\s+all\s+0\s+1\s+11\s+\.91", of["judges experts"].out)
    shares = of["effects first --by version"].out
    assert re.search(r"plain\s+12\s+\.33", shares)
    assert re.search(r"hint\s+12\s+\.00", shares)
    assert "1.00" in of['effects first --by ""'].out
    passed = of["effects first --by version --passed experts"]
    assert re.search(r"plain\s+10\s+\.40", passed.out)
    assert "10 passed, 1 failed, 1 undecided" in passed.out + passed.err
    assert len(Path("quiz-1.0-inspect/samples.jsonl").read_text().splitlines()) == 20


def keys_in(section: str) -> set[str]:
    text = manual_page("declarations").text
    part = text[text.index(f"## `[{section}]`") :].split("\n## ", 1)[0]
    return {name for row in _ROW.findall(part) for name in re.findall(r"`(\w+)`", row)}


@pytest.mark.parametrize(
    ("section", "model"),
    [
        ("protocol", tables.ProtocolTable),
        ("fields", tables.FieldTable),
        ("source", tables.SourceTable),
        ("published.NAME", tables.PublishedTable),
        ("pane.KEY", tables.PaneTable),
        ("question.KEY", tables.QuestionTable),
        ("evaluation", tables.EvaluationTable),
    ],
)
def test_the_reference_has_every_key_and_no_other(section: str, model: type[BaseModel]) -> None:
    assert keys_in(section) == set(model.model_fields)


def test_the_reference_has_every_table_rule_and_argument() -> None:
    assert keys_in("check.NAME") == set(tables.CheckTable.model_fields) | set(ARGUMENTS)
    text = manual_page("declarations").text
    for section in tables.Declaration.model_fields:
        assert f"## `[{section}" in text
    for rule, takes in ARGUMENTS.items():
        (row,) = re.findall(rf"^\| `{rule}` \| .*? \| (.*?) \|$", text, re.MULTILINE)
        assert set(re.findall(r"`(\w+)`", row)) == takes.takes


EXAMPLES = ("control_treatment", "meeting_scripts", "multiple_choice", "reply_pairs")


@pytest.mark.parametrize("name", EXAMPLES)
def test_an_example_has_no_fault_and_twelve_cases(shell: Run, name: str) -> None:
    imports = shell(f"reviewer protocol example {name} trial").out
    assert shell(f"reviewer protocol check trial/{name}.toml").code == 0
    assert "12 cases added" in shell(imports.strip()).out
    assert shell(f"reviewer study new pilot --dataset {name}").code == 0
    again = shell(f"reviewer protocol example {name} trial")
    assert (again.code, "exists" in again.err) == (2, True)


def test_a_dataset_knows_its_declared_protocol(shell: Run) -> None:
    shell(shell("reviewer protocol example reply_pairs .").out.strip())
    again = shell("reviewer import reply_pairs.jsonl --dataset reply_pairs")
    assert "nothing changed, all 12 cases are there already" in again.out
    other = Path("reply_pairs.toml").read_text().replace("version = 1", "version = 2", 1)
    Path("newer.toml").write_text(other.replace('title = "Reply pairs"', 'title = "Pairs"'))
    shell("reviewer study new pilot --dataset reply_pairs")
    shell("reviewer import reply_pairs.jsonl --protocol newer.toml --dataset reply_pairs")
    shell("reviewer study new later --dataset reply_pairs")
    studies = json.loads(shell("reviewer study list --format json").out)
    assert {study["study"]: study["protocol"] for study in studies} == {
        "pilot": "reply-pairs@1",
        "later": "reply-pairs@2",
    }
    back = shell("reviewer import reply_pairs.jsonl --protocol reply-pairs@1 --dataset reply_pairs")
    assert "is of version 2 of protocol 'reply-pairs', which is later than 1" in back.err


def test_a_faulty_declaration_stops_no_list(shell: Run) -> None:
    shell(shell("reviewer protocol example reply_pairs .").out.strip())
    with closing(sqlite3.connect("reviewer.db")) as store:
        store.execute("UPDATE declarations SET text = '[protocol'")
        store.commit()
    for command in ("datasets", "cases", "protocol list", "study list"):
        assert shell(f"reviewer {command}").code == 0, command
    assert "its text does not fit its digest; it was altered" in shell("reviewer datasets").err
    refused = shell("reviewer study new pilot --dataset reply_pairs")
    assert (refused.code, "cannot be used: its text does not fit" in refused.err) == (2, True)
    assert shell("reviewer store check").code == 2


def test_bad_requests_are_one_sentence_and_write_nothing(shell: Run) -> None:
    shell("reviewer protocol example reply_pairs .")
    Path("bad.toml").write_text(
        Path("reply_pairs.toml").read_text().replace('shows = "request"', 'shows = "x"')
    )
    Path("taken.toml").write_text(Path("reply_pairs.toml").read_text().replace("reply-pairs", "probe-swe", 1))
    into = "reviewer import reply_pairs.jsonl --dataset pairs --protocol"
    for command, wrong in (
        ("reviewer protocol check bad.toml", "has 1 fault, listed above; correct it and check it again"),
        (f"{into} bad.toml", "[question.on_topic] shows: there is no pane 'x'"),
        (f"{into} taken.toml", "declares a protocol 'probe-swe', and there is another protocol of that name"),
        (f"{into} missing.toml", "is not there; check the path"),
        (
            f"{into} reply_pairs.toml --groups reply_pairs.toml",
            "group 'protocol': is not a group of this dataset",
        ),
        (f"{into} reply-pairs", "does not know protocol 'reply-pairs'; it knows probe-swe"),
        ("reviewer protocol show nothing", "does not know protocol 'nothing'"),
        ("reviewer protocol show probe-swe --text", "was not declared in a file"),
        ("reviewer protocol example pairs", "there is no example 'pairs'; did you mean reply_pairs"),
    ):
        refused = shell(command)
        assert (refused.code, wrong in refused.err) == (2, True), (command, refused.err)
        assert not Path("reviewer.db").exists(), command

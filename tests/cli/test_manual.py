"""``manual``, ``completion``, and suggestions for a mistyped command."""

import json
import os
import subprocess
import sys

import pytest

from reviewer.manual.manual_pages import NAMES, manual_page
from tests.cli.conftest import Run


def test_the_list_of_pages(run: Run) -> None:
    listed = json.loads(run("manual", "--format", "json").out)
    assert [page["page"] for page in listed] == list(NAMES)


def test_a_page_in_a_pipe_is_markdown(run: Run) -> None:
    assert run("manual", "safety").out == manual_page("safety").text


def test_a_page_on_a_terminal_is_laid_out(run: Run, at_a_terminal: None) -> None:
    shown = run("manual", "plain-mode").out
    assert "again LABEL" in shown
    assert "| --- |" not in shown
    assert "**" not in shown


def test_a_page_that_is_not_there(run: Run) -> None:
    shown = run("manual", "safty")
    assert shown.code == 2
    assert "no page 'safty'; did you mean safety" in shown.err


@pytest.mark.parametrize(
    ("words", "sentence"),
    [
        (("revew",), "reviewer has no command 'revew'; did you mean review"),
        (("study", "nwe"), "reviewer study has no command 'nwe'; did you mean new"),
        (("xyzzy",), "reviewer has no command 'xyzzy'; its commands are import"),
        (("review", "pilot", "--ratr", "x"), "No such option '--ratr'; did you mean --rater; see `"),
        (("import", "--datset", "x"), "No such option '--datset'; did you mean --dataset; see `"),
        (("import", "--xyzzy", "x"), "No such option '--xyzzy'; see `"),
    ],
)
def test_a_mistyped_word_gets_the_most_similar_ones(run: Run, words: tuple[str, ...], sentence: str) -> None:
    shown = run(*words)
    assert shown.code == 2
    assert sentence in shown.err


@pytest.mark.parametrize("shell", ["bash", "zsh", "fish"])
def test_completion_scripts_name_the_program(run: Run, shell: str) -> None:
    shown = run("completion", shell)
    assert shown.code == 0
    assert f"_REVIEWER_COMPLETE={shell}_complete" in shown.out


def test_the_completion_script_completes_commands() -> None:
    asked = {"_REVIEWER_COMPLETE": "bash_complete", "COMP_WORDS": "reviewer study n", "COMP_CWORD": "2"}
    command = [
        sys.executable,
        "-c",
        "import sys; sys.argv[0] = 'reviewer'; from reviewer.cli import main; main()",
    ]
    done = subprocess.run(command, env=os.environ | asked, capture_output=True, text=True, check=False)
    assert done.stdout.split() == ["plain,new"]

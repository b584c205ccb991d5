"""The manual: its pages, their links and pictures, and what they say of commands and checks."""

import re
import shlex
import subprocess
import sys
from pathlib import Path

import click
import pytest

from reviewer.cli.main import reviewer
from reviewer.cli.program import command_reference
from reviewer.core.errors import RequestError
from reviewer.manual.manual_pages import NAMES, all_pages, manual_page
from reviewer.oracle.version_checks import CHECKS, Check
from reviewer.protocols.probe_swe.dilemma_protocol import MACHINE_CHECKS
from reviewer.runs.check_findings import ACROSS, WITHIN
from tests.bench.support.judgements import judged_checks

ROOT = Path(__file__).parents[2]
PAGES = ROOT / "reviewer/manual/pages"
TEXTS = {page.name: page.text for page in all_pages()} | {"README": (ROOT / "README.md").read_text("utf-8")}
_CODE = re.compile(r"^(?:.*\| )?(reviewer(?: [^#\n`]*)?)", re.MULTILINE)


def test_every_file_is_a_page_and_every_page_begins_with_its_title() -> None:
    assert {path.stem for path in PAGES.glob("*.md")} == set(NAMES)
    assert all(page.text.startswith(f"# {page.title}\n") for page in all_pages())
    assert len({page.title for page in all_pages()}) == len(NAMES)


def test_a_page_that_is_not_there_gets_a_sentence_with_similar_names() -> None:
    with pytest.raises(RequestError, match=r"no page 'reviewin'; did you mean reviewing"):
        manual_page("reviewin")


def test_links_and_pictures_lead_somewhere() -> None:
    made = (ROOT / ".ci/manual").read_text("utf-8")
    for name, text in TEXTS.items():
        for target in re.findall(r"\]\(([^)]+)\)", text):
            if target.startswith("pictures/"):
                assert target.removeprefix("pictures/") in made, (name, target)
            else:
                assert ((ROOT if name == "README" else PAGES) / target).exists(), (name, target)


def test_the_plain_text_names_commands_in_place_of_links_and_has_no_pictures() -> None:
    plain = manual_page("first-study").plain
    assert "Reviewing (`reviewer manual reviewing`)" in plain
    assert ".md)" not in plain
    assert "![" not in plain


def test_the_site_lists_every_page() -> None:
    listed = re.findall(r"^ +- ([a-z-]+)\.md$", (ROOT / ".ci/manual.yml").read_text("utf-8"), re.MULTILINE)
    assert sorted(listed) == sorted({*NAMES, "index"} - {"first-study"})


@pytest.mark.parametrize("name", sorted({*NAMES} - {"commands"}))
def test_code_is_not_wrapped_in_a_terminal_of_80_columns(name: str) -> None:
    blocks = re.findall(r"```\w*\n(.*?)```", TEXTS[name], re.DOTALL)
    assert [line for block in blocks for line in block.splitlines() if len(line) > 78] == []


def test_the_page_on_commands_is_current() -> None:
    shipped = (PAGES / "commands.md").read_text("utf-8")
    assert shipped == command_reference(), "run `make manual`, which writes the page again"
    assert '\n```\nbash:  eval "$(reviewer' in shipped, "lines that a help text keeps apart stay apart"


def commands_in(text: str) -> list[str]:
    """Every call of the program in code: lines of blocks, and spans."""
    blocks = "\n".join(re.findall(r"```sh\n(.*?)```", text, re.DOTALL))
    spans = re.findall(r"`(reviewer(?: [^`]*)?)`", re.sub(r"```.*?```", "", text, flags=re.DOTALL))
    return [call.strip() for call in (*_CODE.findall(blocks.replace("\\\n", "")), *spans)]


def fault_of(call: str) -> str:
    """The command or option in a call that the program does not have; "" if it has all."""
    words = shlex.split(call.replace("|", " "))[1:]
    command: click.Command = reviewer
    while words and isinstance(command, click.Group) and not words[0].startswith("-"):
        below = command.get_command(click.Context(command), words[0])
        if below is None:
            return f"no command {words[0]}"
        command, words = below, words[1:]
    known = {
        option for parameter in command.params for option in (*parameter.opts, *parameter.secondary_opts)
    }
    unknown = [word for word in words if re.match(r"--?[a-z]", word) and word not in {*known, "--help"}]
    return f"no option {unknown[0]}" if unknown else ""


@pytest.mark.parametrize("name", sorted(TEXTS.keys() - {"commands"}))
def test_pages_name_only_commands_and_options_that_exist(name: str) -> None:
    faults = {call: fault for call in commands_in(TEXTS[name]) if (fault := fault_of(call))}
    assert faults == {}


def test_an_invented_command_or_option_in_a_page_is_noticed() -> None:
    assert commands_in("```sh\nreviewer studdy new x\n```\n`reviewer audit X --hard`") == [
        "reviewer studdy new x",
        "reviewer audit X --hard",
    ]
    assert fault_of("reviewer studdy new x") == "no command studdy"
    assert fault_of("reviewer audit X --hard") == "no option --hard"


def test_every_check_has_its_place_in_the_page_on_auditing() -> None:
    text = manual_page("auditing").text
    headings = set(re.findall(r"^### (\w+)$", text, re.MULTILINE))
    assert headings == {check.name for check in CHECKS}
    assert set(re.findall(r"`(\w+)`", text)) >= {*MACHINE_CHECKS, WITHIN, ACROSS}


@pytest.mark.parametrize("check", CHECKS, ids=lambda check: check.name)
def test_the_page_on_auditing_says_how_often_a_finding_was_a_true_defect(check: Check) -> None:
    section = manual_page("auditing").text.partition(f"### {check.name}\n")[2].partition("\n### ")[0]
    meaning, *points = [line for line in section.partition("\n## ")[0].splitlines() if line]
    example, read, to_do = points
    assert meaning
    assert example.startswith("- Example: ")
    assert to_do.startswith("- What to do: ")
    judged = judged_checks().get(check.name)
    words = "not needed, since it states a fact" if check.basis == "fact" else judged and judged.words
    assert read == f"- Read: {words or 'none yet'}."


def test_the_readme_is_two_screens_long() -> None:
    assert TEXTS["README"].count("\n") <= 2 * 48


def test_the_site_loads_nothing_from_elsewhere(tmp_path: Path) -> None:
    site = tmp_path / "site"
    command = ["sh", str(ROOT / ".ci/manual"), sys.executable, str(site), str(tmp_path / "pages")]
    subprocess.run(command, check=True, capture_output=True)
    pages = [path for path in site.rglob("*") if path.suffix in (".html", ".svg", ".css")]
    assert {path.stem for path in pages} >= {*NAMES} - {"first-study"} | {"index"}
    for path in pages:
        text = path.read_text("utf-8")
        assert not re.findall(r'(?:src|href)="(?:https?:)?//[^"]*"|url\("?(?:https?:)?//[^)]*\)', text), path

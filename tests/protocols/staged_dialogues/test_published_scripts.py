"""The published table of scripts: every spelling is read, and pieces keep their places."""

import json
import time
from collections import Counter
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import pytest

from reviewer.core.errors import InputError, RequestError
from reviewer.exchange.rows.row_files import open_rows
from reviewer.protocols.formats import ReadCase, Source, StoredCase
from reviewer.protocols.staged_dialogues.script import Script, purpose_in
from reviewer.protocols.staged_dialogues.script_checks import judge_script
from reviewer.protocols.staged_dialogues.script_files import PublishedScripts, read_markdown
from store.records import Membership
from tests.shared_data import shared_file
from tests.staged_cases import SCRIPTS, a_script

NOT_CLOSED = {("51", 4), ("53", 4), ("55", 4), ("57", 4), ("59", 4)}
"""Rules whose purpose has brackets within brackets; the published facts leave out the last sign."""
TIME_NEUTRAL = {
    *((str(row), 10) for row in range(41, 51, 2)),
    *((str(row), 3) for row in range(81, 91, 2)),
}
"""Rules with the purpose “… (time-neutral)”, which the published facts count as rules without a purpose."""
NO_PURPOSE = {("55", 1), ("55", 9)}
"""Rules without a purpose, of which the published facts take the text for one."""
RUN_TOGETHER = {("91", 2)}
"""A rule whose bracket was never closed: the published facts take all of it for the purpose."""


def read(path: Path) -> list[ReadCase]:
    source = Source(path.name, path.name, str(path))
    cases = [case for _, case in PublishedScripts().read(open_rows(path), SCRIPTS, source)]
    assert all(isinstance(case, ReadCase) for case in cases), cases
    return [case for case in cases if isinstance(case, ReadCase)]


@pytest.fixture(scope="module")
def published() -> Sequence[tuple[ReadCase, Script, Mapping[str, Any]]]:
    facts = json.loads(shared_file("mindscope/facts.json").read_text())["scripts"]
    cases = read(shared_file("mindscope/scripts.csv"))
    return [
        (case, Script.model_validate(case.case.payload), fact)
        for case, fact in zip(cases, facts, strict=True)
    ]


def test_roles_rules_and_sections_are_those_of_the_published_facts(
    published: Sequence[tuple[ReadCase, Script, Mapping[str, Any]]],
) -> None:
    for case, script, fact in published:
        roles = [(role.name, role.kind.replace("other", ""), role.identity) for role in script.roles]
        assert roles == [(role["name"], role["kind"], role["identity"]) for role in fact["roles"]]
        assert len(script.rules) == fact["rules"]
        assert Counter(rule.mode for rule in script.rules) == fact["modes"]
        lines = case.extra["lines"]
        assert isinstance(lines, dict)
        assert [name for name in lines if " " not in name] == fact["sections"]
    kinds = Counter(role.kind for _, script, _ in published for role in script.roles)
    assert kinds == {"subject": 40, "confederate": 47, "moderator": 40, "other": 23}
    modes = Counter(rule.mode for _, script, _ in published for rule in script.rules)
    assert modes == {"unicast": 279, "broadcast": 107, "self-receiving": 65, "multicast": 39}
    assert all(script.purpose and script.method for _, script, _ in published)


def test_purposes_differ_from_the_published_facts_for_four_reasons(
    published: Sequence[tuple[ReadCase, Script, Mapping[str, Any]]],
) -> None:
    differing = {
        (str(fact["row"]), number)
        for _, script, fact in published
        for number, (rule, purpose) in enumerate(zip(script.rules, fact["purposes"], strict=True), 1)
        if rule.purpose.casefold() != purpose
    }
    assert differing == NOT_CLOSED | TIME_NEUTRAL | NO_PURPOSE | RUN_TOGETHER
    without = sum(not rule.purpose for _, script, _ in published for rule in script.rules)
    assert without == 32 - len(TIME_NEUTRAL) + len(NO_PURPOSE)
    assert all(rule.text for _, script, _ in published for rule in script.rules)


def test_only_titles_and_remarks_outside_sections_are_kept_apart(
    published: Sequence[tuple[ReadCase, Script, Mapping[str, Any]]],
) -> None:
    apart = [line for case, _, _ in published for line in case.extra.get("other_text", ())]
    assert len(apart) == 12
    assert sum(line.startswith("# ") for line in apart) == 10


SCRIPT = """Here is a script:
```
## Scene Purpose: To see.
## Scene Background
A shop.
It is small.
# Settings of Roles:
**Role 1: Ada (Subject)**
* **Identity:** Owner
* **Task:** To decide.
  And to say why.
Role Two
Name: Ben
Identity: Confederates
# Rules
1. (Unicast – joke): Ben jokes.
2) **Offer (Broadcast)**: Ben offers.
3. **Second day**
 - (An alle, Witz) Ada lacht.
4. (Self receiving, describe (time-neutral)) Ada reads
a letter.
5. Ben leaves.
# Method of Observation
Count.
```
"""


def test_spellings_of_sections_roles_and_rules() -> None:
    script = read_markdown(SCRIPT, "here")
    assert script.sections == {
        "purpose": "To see.",
        "background": "A shop.\nIt is small.",
        "method": "Count.",
    }
    assert [(role["name"], role["kind"], role["task"]) for role in script.roles] == [
        ("Ada", "subject", "To decide.\nAnd to say why."),
        ("Ben", "confederate", ""),
    ]
    assert [(rule["mode"], rule["purpose"], rule["text"]) for rule in script.rules] == [
        ("Unicast", "joke", "Ben jokes."),
        ("Broadcast", "", "Offer: Ben offers."),
        ("An alle", "Witz", "Second day: Ada lacht."),
        ("Self receiving", "describe (time-neutral)", "Ada reads\na letter."),
        ("", "", "Ben leaves."),
    ]
    lines = SCRIPT.splitlines()
    for piece, begins in {"role 1 task": "* **Task", "rule 3": " - (An alle", "method": "# Method"}.items():
        assert lines[script.places[piece] - 1].startswith(begins)
    assert script.ignored == [1]


@pytest.mark.parametrize(
    ("text", "wrong"),
    [
        ("# Rules\n1. (Unicast) Ben jokes.", "has no section of roles"),
        ("# Settings of Roles\nRole 1: Ada\n# Rules\n", "has no rules"),
        ("", "has no section of roles"),
    ],
)
def test_script_without_roles_or_rules_is_refused(text: str, wrong: str) -> None:
    with pytest.raises(InputError, match=wrong):
        read_markdown(text, "file, row 1")


@pytest.mark.parametrize(
    "rule",
    [
        "(Unicast, " + "aB" * 100_000,
        "(" * 200_000,
        ": The a " * 30_000,
        "(Unicast, figure " + "figure " * 9_000,
    ],
)
def test_hostile_rule_is_read_fast(rule: str) -> None:
    begun = time.process_time()
    script = read_markdown(f"# Settings of Roles\nRole 1: Ada\n# Rules\n1. {rule}\n", "here")
    purpose_in(script.rules[0]["purpose"])
    assert time.process_time() - begun < 3


def test_row_names_its_bias_and_a_missing_column(tmp_path: Path) -> None:
    path = tmp_path / "scripts.csv"
    path.write_text(f'row,Bias Name,Script,note\n7,planning FALLACY,"{SCRIPT}",old\n', encoding="utf-8")
    (case,) = read(path)
    assert (case.case.group, case.key) == ("Planning fallacy", "Planning fallacy/7")
    assert (case.extra["note"], case.extra["other_text"]) == ("old", ["Here is a script:"])
    place = Membership(
        dataset="d", key="k", case=case.case.digest, position=0, generator="x", origin="generated"
    )
    (row,) = PublishedScripts().write([StoredCase(place, case.case, {}, case.raw)], SCRIPTS)
    assert row == case.raw
    with pytest.raises(RequestError, match=r"only read; give a file whose name ends in \.toml"):
        list(PublishedScripts().write([StoredCase(place, a_script(), {})], SCRIPTS))
    path.write_text("Bias,Script\nx,y\n", encoding="utf-8")
    rows = PublishedScripts().read(open_rows(path), SCRIPTS, Source("s", "s", "s"))
    assert next(str(case) for _, case in rows).startswith("scripts.csv, line 2: has no column 'Bias Name'")


def test_roles_that_name_the_bias_are_those_of_the_published_facts_and_anchors(
    published: Sequence[tuple[ReadCase, Script, Mapping[str, Any]]],
) -> None:
    """The published facts count the phrase “anchoring”; our stem also finds “the anchor” in five tasks."""
    ours, theirs = set(), set()
    for case, script, fact in published:
        told = [place.part for result in judge_script(script, case.case.group) for place in result.places]
        ours |= {(fact["row"], part) for part in told if part.startswith("role ")}
        theirs |= {
            (fact["row"], f"role {number} {part}")
            for number, role in enumerate(fact["roles"], 1)
            for part in ("task", "background")
            if role[f"{part}_names_bias"]
        }
    assert len(theirs) == 17
    assert ours == theirs | {(row, "role 2 task") for row in range(21, 31, 2)}
    assert sum(case.case.group == "Sunk cost fallacy" for case, _, _ in published) == 5

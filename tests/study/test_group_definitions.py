"""Groups belong to the dataset: their definitions come with it and are frozen with each study."""

import json
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import pytest

from reviewer.core.errors import InputError, RequestError
from reviewer.exchange.rows.dataset_import import import_path
from reviewer.study.design.sampling import Design, create_study
from reviewer.study.design.study_bundle import load_study
from reviewer.study.session.verdicts import Slot
from store.database import Database
from store.declarations import keep_declaration
from tests.declarations import DECLARATION, a_reply, kept, with_passages

OPEN = with_passages(
    ('[groups]\n"planning" = "The request asks for a plan."\n"naming" = "The request asks for a name."\n', "")
)
"""The declaration with groups that come from the data."""


@pytest.fixture
def database(tmp_path: Path) -> Iterator[Database]:
    with closing(Database.open(str(tmp_path / "reviewer.db"))) as opened:
        with opened.write() as session:
            keep_declaration(session, kept(OPEN))
        yield opened


def bring(database: Database, folder: Path, name: str, groups: str | None = None, count: int = 2) -> None:
    data, definitions = folder / f"{name}.jsonl", folder / f"{name}.toml"
    cases = [a_reply(number, ("planning", "naming")[number % 2]) for number in range(count)]
    lines = [
        {"protocol": "replies", "key": str(number), "group": case.group, "payload": case.payload}
        for number, case in enumerate(cases)
    ]
    data.write_text("".join(f"{json.dumps(line)}\n" for line in lines))
    if groups is not None:
        definitions.write_text(groups)
    import_path(database, data, name, "a model", protocol="replies", groups=definitions if groups else None)


BOTH = 'planning = "Asks for a plan."\nnaming = "Asks for a name."\n'


def test_a_study_freezes_the_definitions_of_its_dataset(database: Database, tmp_path: Path) -> None:
    bring(database, tmp_path, "data", BOTH)
    create_study(database, "first", Design(("data",), None, 7))
    case = a_reply(0)
    first = load_study(database, "first")
    assert first.terms(case.digest)["definition"] == "Asks for a plan."
    digest = first.shown_digest(Slot(case.digest, "fit"))
    bring(database, tmp_path, "data", BOTH.replace("Asks", "Begs"))
    create_study(database, "second", Design(("data",), None, 7))
    assert load_study(database, "first").shown_digest(Slot(case.digest, "fit")) == digest
    second = load_study(database, "second")
    assert second.terms(case.digest)["definition"] == "Begs for a plan."
    assert second.study.design["definitions"] == {
        "naming": "Begs for a name.",
        "planning": "Begs for a plan.",
    }


def test_a_group_without_a_definition_where_a_question_needs_it(database: Database, tmp_path: Path) -> None:
    bring(database, tmp_path, "data", 'planning = "Asks for a plan."\n')
    with pytest.raises(RequestError, match="'fit' shows the definition of the topic, and 'naming' has none"):
        create_study(database, "pilot", Design(("data",), None, 7))
    study = create_study(database, "pilot", Design(("data",), None, 7, questions=("better",)))
    assert [question["key"] for question in study.questions] == ["better"]


@pytest.mark.parametrize(
    ("text", "wrong"),
    [
        ('plannig = "x"\n', r"group 'plannig': is no group of this dataset; did you mean planning"),
        ("planning = 3\n", r"group 'planning': has no text as its definition"),
        ('planning = " "\n', r"group 'planning': has no text as its definition"),
        ("# none\n", r"holds no definition"),
        ("planning = \n", r"is not valid TOML"),
    ],
)
def test_faults_of_definitions(database: Database, tmp_path: Path, text: str, wrong: str) -> None:
    with pytest.raises(InputError, match=wrong):
        bring(database, tmp_path, "data", text)


def test_datasets_that_define_a_group_in_other_words_do_not_go_together(
    database: Database, tmp_path: Path
) -> None:
    bring(database, tmp_path, "data", BOTH)
    bring(database, tmp_path, "more", BOTH.replace("Asks", "Begs"), count=4)
    with pytest.raises(RequestError, match="define topic 'naming' in different words"):
        create_study(database, "pilot", Design(("data", "more"), None, 7))


def test_no_case_is_left_out_of_a_draw_silently(database: Database, tmp_path: Path) -> None:
    bring(database, tmp_path, "data", BOTH)
    fewer = with_passages(("version = 1", "version = 2"), ('"naming" = "The request asks for a name."\n', ""))
    with database.write() as session:
        keep_declaration(session, kept(fewer))
    bring(database, tmp_path, "data", count=1)
    with pytest.raises(RequestError, match="1 case of groups that Replies does not list, such as 'naming'"):
        create_study(database, "pilot", Design(("data",), None, 7))


def test_a_protocol_defines_its_own_groups(tmp_path: Path) -> None:
    with closing(Database.open(str(tmp_path / "reviewer.db"))) as opened:
        with opened.write() as session:
            keep_declaration(session, kept(DECLARATION))
        with pytest.raises(InputError, match="group 'planning': is defined by Replies itself"):
            bring(opened, tmp_path, "data", BOTH)

"""Groups belong to the dataset: their definitions come with it and are frozen with each study."""

import json
import shutil
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import pytest

from reviewer.core.errors import InputError, RequestError
from reviewer.exchange.packs.store_files import merge_file
from reviewer.exchange.rows.dataset_import import import_path
from reviewer.runs.check.dataset_merge import merge_datasets
from reviewer.study.design.study_bundle import load_study
from reviewer.study.design.study_creation import Design, create_study
from reviewer.study.session.verdicts import Slot
from store.cases import find_dataset
from store.database import Database
from store.declarations import definitions_of, keep_declaration
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
        ('plannig = "x"\n', r"group 'plannig': is not a group of this dataset; did you mean planning"),
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
    with pytest.raises(RequestError, match="define 'naming' in different words"):
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


def test_a_merge_of_datasets_takes_the_definitions_along(database: Database, tmp_path: Path) -> None:
    bring(database, tmp_path, "data", 'planning = "Asks for a plan."\nnaming = "Asks for a name."\n')
    bring(database, tmp_path, "more", 'planning = "Asks for a plan."\n', count=4)
    merge_datasets(database, ("data", "more"), "all", None)
    with database.read() as session:
        assert definitions_of(session, ["all"]) == {
            "all": {"naming": "Asks for a name.", "planning": "Asks for a plan."}
        }
    bring(database, tmp_path, "other", BOTH.replace("Asks", "Begs"), count=4)
    with pytest.raises(RequestError, match="'data' and 'other' define 'naming' in different words"):
        merge_datasets(database, ("data", "other"), "both", None)
    with database.read() as session:
        assert find_dataset(session, "both") is None


def test_a_merge_of_stores_adds_definitions_and_names_those_that_differ(
    database: Database, tmp_path: Path
) -> None:
    bring(database, tmp_path, "data", 'planning = "Asks for a plan."\n')
    create_study(database, "pilot", Design(("data",), None, 7, questions=("better",)))
    database.settle()
    theirs = tmp_path / "theirs.db"
    shutil.copy(tmp_path / "reviewer.db", theirs)
    with closing(Database.open(str(theirs))) as other:
        bring(other, tmp_path, "data", BOTH.replace("Asks for a plan", "Begs for a plan"))
        other.settle()
    differs = (
        "it defines 'planning' of dataset data in different words; this store keeps its own definition until "
        "you import the dataset again with --groups"
    )
    for dry_run in (True, False):
        (told,) = [told for told in merge_file(database, theirs, dry_run=dry_run) if not told.study]
        assert told.remarks == (differs, "1 definition of groups of dataset data added")
    (told,) = [told for told in merge_file(database, theirs) if not told.study]
    assert told.remarks == (differs,)
    with database.read() as session:
        assert definitions_of(session, ["data"])["data"] == {
            "naming": "Asks for a name.",
            "planning": "Asks for a plan.",
        }


def test_studies_that_define_a_group_in_different_words_do_not_merge(
    database: Database, tmp_path: Path
) -> None:
    theirs = tmp_path / "theirs.db"
    shutil.copy(tmp_path / "reviewer.db", theirs)
    for path, words in ((tmp_path / "reviewer.db", "Asks"), (theirs, "Begs")):
        with closing(Database.open(str(path))) as opened:
            with opened.write() as session:
                keep_declaration(session, kept(OPEN))
            bring(opened, tmp_path, "data", BOTH.replace("Asks", words))
            create_study(opened, "pilot", Design(("data",), None, 7))
            opened.settle()
    (told, *_) = merge_file(database, theirs, trusted=True)
    assert told.refused == ("its study 'pilot' is a different study: it defines groups in different words",)

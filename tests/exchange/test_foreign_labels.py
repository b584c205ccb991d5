"""Labels of other tools: each tool's own records, and what becomes of them in a study."""

import json
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from reviewer.core.errors import InputError
from reviewer.exchange.rows.row_files import AS_FOUND
from reviewer.exchange.sheets.foreign_labels import ForeignLabels, read_foreign_labels
from reviewer.exchange.sheets.label_import import match_labels, store_labels
from reviewer.study.design.study_bundle import StudyBundle, load_study
from reviewer.study.integrity.quarantine import read_study
from store.database import Database
from tests.studies import a_study, open_store

QUESTION = "same_task"


@pytest.fixture(scope="module")
def prepared(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Database]:
    """A study that nobody has answered; tests only add to it."""
    database = open_store(tmp_path_factory.mktemp("labels"))
    a_study(database, "pilot")
    yield database
    database.close()


@pytest.fixture
def bundle(prepared: Database) -> StudyBundle:
    return load_study(prepared, "pilot")


def read(folder: Path, records: Any, name: str = "labels.json", **options: Any) -> ForeignLabels:
    path = folder / name
    path.write_text(records if isinstance(records, str) else json.dumps(records), encoding="utf-8")
    return read_foreign_labels(path, AS_FOUND, **options)


def said(labels: ForeignLabels) -> list[tuple[str | None, str, str | None, tuple[str, ...]]]:
    return [(label.rater, label.keys[0], label.question, label.values) for label in labels.labels]


def test_a_task_of_label_studio_has_its_annotations_without_cancelled_ones(tmp_path: Path) -> None:
    result = [
        {"from_name": "fits", "type": "choices", "value": {"choices": ["yes"]}},
        {"from_name": "grade", "type": "rating", "value": {"rating": 4}},
        {"from_name": "why", "type": "textarea", "value": {"text": ["it does"]}},
    ]
    task = {
        "id": 7,
        "data": {"key": "tea/1", "text": "…"},
        "annotations": [
            {"completed_by": {"id": 1, "email": "anna@x.org"}, "result": result},
            {"completed_by": 2, "was_cancelled": True, "result": result},
        ],
        "predictions": [{"result": result}],
    }
    labels = read(tmp_path, [task], key_field="data.key")
    assert labels.tool == "label-studio"
    assert said(labels) == [
        ("anna@x.org", "tea/1", "fits", ("yes",)),
        ("anna@x.org", "tea/1", "grade", ("4",)),
        ("anna@x.org", "tea/1", "why", ("it does",)),
    ]


def test_an_example_of_prodigy_is_a_choice_or_a_yes_or_no(tmp_path: Path) -> None:
    lines = [
        {"meta": {"key": "a"}, "label": "FITS", "answer": "reject", "_annotator_id": "set-anna"},
        {"meta": {"key": "b"}, "accept": ["x", "y"], "answer": "accept", "_session_id": "set-ben"},
        {"meta": {"key": "c"}, "label": "FITS", "answer": "ignore", "_annotator_id": "set-anna"},
    ]
    labels = read(tmp_path, "\n".join(map(json.dumps, lines)), "labels.jsonl")
    assert labels.tool == "prodigy"
    assert said(labels) == [
        ("set-anna", "a", "FITS", ("False",)),
        ("set-ben", "b", None, ("x", "y")),
    ]


@pytest.mark.parametrize(
    "record",
    [
        {"id": "a", "responses": {"fits": [{"value": "yes", "user_id": "u1"}]}},
        {"id": "a", "fits.responses": ["yes"], "fits.responses.users": ["u1"]},
        {
            "id": "a",
            "responses": [
                {"user_id": "u1", "status": "submitted", "values": {"fits": {"value": "yes"}}},
                {"user_id": "u2", "status": "discarded", "values": {"fits": {"value": "no"}}},
            ],
        },
    ],
)
def test_records_of_argilla_by_question_flat_and_by_user(tmp_path: Path, record: dict[str, Any]) -> None:
    labels = read(tmp_path, [record])
    assert (labels.tool, said(labels)) == ("argilla", [("u1", "a", "fits", ("yes",))])


def test_potato_by_instance_and_by_user(tmp_path: Path) -> None:
    instance = {"id": "a", "label_annotations": {"fits": {"yes": "1"}, "gone": {"no": False}}}
    labels = read(tmp_path, json.dumps(instance), "annotated.jsonl")
    assert (labels.tool, labels.labels[0].from_labels, labels.labels[0].rater) == ("potato", ("yes",), None)
    state = {
        "user_id": "anna",
        "instance_id_to_label_to_value": {"a": [[{"schema": "fits", "name": "yes"}, "true"]]},
    }
    (label,) = read(tmp_path, [state]).labels
    assert (label.rater, label.keys, label.question, label.from_labels) == ("anna", ("a",), "fits", ("yes",))


def test_a_record_of_no_tool_is_refused(tmp_path: Path) -> None:
    with pytest.raises(InputError, match=r"line 2: is a record of no tool that is known; name the tool with"):
        read(tmp_path, "a,b\n1,2\n", "labels.csv")


def table(bundle: StudyBundle, *rows: tuple[str, str, str]) -> str:
    """A CSV with these raters, keys and labels; a number stands for the key of that case."""
    lines = (f"{rater},{_key(bundle, key)},{QUESTION},{label}" for rater, key, label in rows)
    return "\n".join(["rater,key,question,label", *lines, ""])


def _key(bundle: StudyBundle, key: str) -> str:
    return bundle.sample[int(key)].key if key.isdigit() else key


def test_labels_become_events_that_say_that_they_were_imported_and_again_change_nothing(
    prepared: Database, bundle: StudyBundle, tmp_path: Path
) -> None:
    text = table(bundle, ("zoe", "0", "TRUE"), ("zoe", "1", "False"), ("yan", "0", "false"))
    matched = match_labels(bundle, read(tmp_path, text, "labels.csv"), add_raters=True)
    assert (matched.newcomers, matched.problems) == (("zoe", "yan"), ())
    first = store_labels(prepared, bundle, matched)
    assert (first.new, first.same) == (3, 0)
    _, events = read_study(prepared, "pilot")
    written = [(event.rater, event.value, event.given) for event in events]
    assert sorted(written) == [
        ("yan", "False", "import"),
        ("zoe", "False", "import"),
        ("zoe", "True", "import"),
    ]
    again = match_labels(load_study(prepared, "pilot"), read(tmp_path, text, "labels.csv"))
    second = store_labels(prepared, load_study(prepared, "pilot"), again)
    assert (second.new, second.changed, second.same) == (0, 0, 3)


@pytest.mark.parametrize(
    ("row", "wrong"),
    [
        (("nobody", "0", "True"), "rater 'nobody' is not in study 'pilot'; give --rename nobody=NAME"),
        (("", "0", "True"), "names no rater; name the rater of the file with --rater"),
        (("anna", "no such", "True"), "has the key 'no such', which is not a case of the study"),
        (("anna", "0", "Ture"), "says 'Ture', which is not a label of 'same_task'; did you mean True"),
    ],
)
def test_what_does_not_fit_the_study_is_named(
    bundle: StudyBundle, tmp_path: Path, row: tuple[str, str, str], wrong: str
) -> None:
    labels = read(tmp_path, table(bundle, row), "labels.csv")
    matched = match_labels(bundle, labels, add_raters=row[0] == "anna")
    assert wrong in str(matched.problems[0])
    assert str(matched.problems[0]).startswith("labels.csv, line 2: ")
    assert matched.count == 0


def test_two_answers_of_a_rater_that_differ_are_refused(bundle: StudyBundle, tmp_path: Path) -> None:
    text = table(bundle, ("ann", "0", "True"), ("ann", "0", "False"))
    matched = match_labels(bundle, read(tmp_path, text, "labels.csv"), add_raters=True)
    assert "doubled answers differ" in str(matched.problems[0])
    assert "line 2 and labels.csv, line 3" in str(matched.problems[0])


def test_names_of_the_other_tool_are_ours_by_renaming(bundle: StudyBundle, tmp_path: Path) -> None:
    text = table(bundle, ("u-1", "0", "ja")).replace(QUESTION, "q1")
    renamed = {"u-1": "ann", "q1": QUESTION, "ja": "True"}
    matched = match_labels(
        bundle, read(tmp_path, text, "labels.csv"), renamed=renamed, add_raters=True, rater=None
    )
    (verdict,) = matched.verdicts["ann"]
    assert (verdict.question.key, verdict.label) == (QUESTION, "True")


def test_nobody_is_added_to_a_study_whose_raters_were_named(bundle: StudyBundle, tmp_path: Path) -> None:
    declared = bundle.study.model_copy(update={"design": {**bundle.study.design, "raters_declared": True}})
    stranger = table(bundle, ("wim", "0", "True"))
    labels = read(tmp_path, stranger, "labels.csv")
    (problem,) = match_labels(replace(bundle, study=declared), labels, add_raters=True).problems
    assert problem.wrong == "rater 'wim' is not in study 'pilot', whose raters were named when it was made"
    assert problem.remedy.endswith("or make a study without --rater, which anybody may join")
    assert match_labels(bundle, labels, add_raters=True).newcomers == ("wim",)

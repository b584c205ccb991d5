"""Labels of other tools in a study: the case, rater, question and label that each one is booked for."""

import json
from collections.abc import Iterator, Mapping
from contextlib import closing
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from reviewer.core.errors import RequestError
from reviewer.exchange.labels.foreign_files import ForeignLabels, read_foreign_labels
from reviewer.exchange.labels.foreign_label import LabelFields
from reviewer.exchange.labels.label_booking import BookingOptions, MatchedLabels, match_labels, store_labels
from reviewer.study.design.study_bundle import StudyBundle, load_study
from reviewer.study.integrity.quarantine import read_study
from store.database import Database
from tests.teas import tea, tea_study

TAGS = BookingOptions(question="tags", add_raters=True)
NAME_IT = "name the field that holds the key of a case with --key-field"


@pytest.fixture(scope="module")
def prepared(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Database]:
    """A study that nobody has answered; tests add nothing to it."""
    with closing(tea_study(tmp_path_factory.mktemp("labels"))) as database:
        yield database


@pytest.fixture
def bundle(prepared: Database) -> StudyBundle:
    return load_study(prepared, "tea")


def read(folder: Path, records: Any, name: str = "labels.json", **fields: Any) -> ForeignLabels:
    path = folder / name
    text = "\n".join(map(json.dumps, records)) if name.endswith(".jsonl") else json.dumps(records)
    path.write_text(records if isinstance(records, str) else text, encoding="utf-8")
    asked = frozenset({"fits", "grade", "tags", "why"})
    return read_foreign_labels(path, fields=LabelFields(questions=asked, **fields))


def booked(bundle: StudyBundle, foreign: ForeignLabels, **options: Any) -> MatchedLabels:
    return match_labels(bundle, foreign, BookingOptions(**({"add_raters": True} | options)))


def said(bundle: StudyBundle, matched: MatchedLabels) -> list[tuple[str, str, str, str | None]]:
    """Rater, key, question and label of every verdict."""
    return [
        (rater, bundle.places[verdict.case].key, verdict.question.key, verdict.label)
        for rater, verdicts in matched.verdicts.items()
        for verdict in verdicts
    ]


def faults(matched: MatchedLabels) -> list[str]:
    return [str(problem) for problem in matched.problems]


def task(number: int, data: Mapping[str, Any], label: str = "yes") -> dict[str, Any]:
    result = {"from_name": "fits", "type": "choices", "value": {"choices": [label]}}
    return {"id": number, "data": data, "annotations": [{"completed_by": "anna", "result": [result]}]}


# -- the case ---------------------------------------------------------------------------------------


def test_task_numbers_of_label_studio_put_no_label_on_another_case(
    bundle: StudyBundle, tmp_path: Path
) -> None:
    tasks = [task(number % 6 + 1, {"id": str(number)}) for number in range(1, 7)]
    refused = booked(bundle, read(tmp_path, tasks))
    assert faults(refused) == [
        f"labels.json, row 1 and 5 other places: names different cases in 'id' and 'data.id'; {NAME_IT}."
    ]
    assert refused.count == 0
    taken = booked(bundle, read(tmp_path, tasks, key="data.id"))
    assert said(bundle, taken) == [("anna", str(number), "fits", "yes") for number in range(1, 7)]


def test_task_number_alone_names_no_case_unless_the_text_agrees(bundle: StudyBundle, tmp_path: Path) -> None:
    (fault,) = faults(booked(bundle, read(tmp_path, [task(2, {"source": "web"})])))
    assert "is matched only by the number that the tool itself gave it ('id')" in fault
    taken = booked(bundle, read(tmp_path, [task(2, {"text": tea(2)})]))
    assert said(bundle, taken) == [("anna", "2", "fits", "yes")]


def test_id_of_prodigy_against_its_meta_is_refused(bundle: StudyBundle, tmp_path: Path) -> None:
    example = {"id": "2", "meta": {"id": "1"}, "label": "fits", "answer": "accept", "_annotator_id": "anna"}
    (fault,) = faults(booked(bundle, read(tmp_path, [example], "a.jsonl")))
    assert f"names different cases in 'id' and 'meta.id'; {NAME_IT}" in fault


@pytest.mark.parametrize(
    ("data", "wrong"),
    [
        ({"key": "1", "text": tea(2)}, "names one case in 'data.key', and 'text' is a text of another"),
        ({"key": "1", "prompt": tea(2)}, "names one case in 'data.key', and 'prompt' is a text of another"),
        ({"key": "1", "text": "Another wording of a tea."}, "'text' is not the text of teas:1"),
        ({"key": "9", "text": tea(1)}, "has the key '9', which is not a case of the study"),
    ],
)
def test_text_of_a_record_is_compared_with_that_of_its_case(
    bundle: StudyBundle, tmp_path: Path, data: dict[str, str], wrong: str
) -> None:
    (fault,) = faults(booked(bundle, read(tmp_path, [task(77, data)])))
    assert f"labels.json, row 1: {wrong}; " in fault
    same = {"key": "1", "text": f"  {tea(1)}\r\n"}
    assert said(bundle, booked(bundle, read(tmp_path, [task(77, same)]))) == [("anna", "1", "fits", "yes")]


def test_record_without_a_key_is_matched_by_its_text_and_that_is_said(
    bundle: StudyBundle, tmp_path: Path
) -> None:
    lines = [{"id": 70 + number, "text": tea(number), "label": ["hot"]} for number in (1, 2)]
    matched = booked(bundle, read(tmp_path, lines, "a.jsonl"), rater="anna", question="tags")
    assert [row[1] for row in said(bundle, matched)] == ["1", "2"]
    assert "2 labels without a key of a case, matched by its text" in matched.notices


# -- the rater --------------------------------------------------------------------------------------


def example(name: str, number: int = 1) -> dict[str, Any]:
    return {"meta": {"id": str(number)}, "accept": ["hot"], "answer": "accept", "_annotator_id": name}


def test_no_name_is_cut_but_prodigys_and_that_is_said(bundle: StudyBundle, tmp_path: Path) -> None:
    table = "rater,key,question,label\nset-mary-ann,1,fits,yes\nset-ben,2,fits,no\n"
    assert booked(bundle, read(tmp_path, table, "a.csv")).newcomers == ("set-mary-ann", "set-ben")
    sessions = [example("set-mary-ann"), example("set-ben", 2)]
    matched = match_labels(bundle, read(tmp_path, sessions, "a.jsonl"), TAGS)
    assert matched.newcomers == ("mary-ann", "ben")
    assert "'set-', the name of the data set, was cut from the names of all raters" in matched.notices
    alone = match_labels(bundle, read(tmp_path, [example("mary-ann")], "a.jsonl"), TAGS)
    assert (alone.newcomers, alone.notices) == (("mary-ann",), ())


def test_whole_session_name_of_a_known_rater_is_not_cut(tmp_path: Path) -> None:
    with closing(tea_study(tmp_path, raters=("set-ann", "ann", "ben"))) as database:
        bundle = load_study(database, "tea")
        foreign = read(tmp_path, [example("set-ann"), example("set-ben", 2)], "a.jsonl")
        matched = match_labels(bundle, foreign, TAGS)
        assert [*matched.verdicts] == ["set-ann"]
        assert "rater 'set-ben' is not in study 'tea'" in faults(matched)[0]


def test_bad_name_on_twenty_rows_is_one_line(bundle: StudyBundle, tmp_path: Path) -> None:
    rows = "".join(f"zoe,{number % 6 + 1},fits,yes\n" for number in range(20))
    (fault,) = faults(
        booked(bundle, read(tmp_path, f"rater,key,question,label\n{rows}", "a.csv"), add_raters=False)
    )
    assert fault.startswith("a.csv, line 2 and 19 other places: rater 'zoe' is not in study 'tea'; ")


ALIKE = "rater,key,question,label\nanna,1,fits,yes\n\u0430nna,2,fits,yes\nAnna,3,fits,no\n"


def test_names_that_look_alike_are_refused_unless_said_to_be_meant(
    bundle: StudyBundle, tmp_path: Path
) -> None:
    foreign = read(tmp_path, ALIKE, "a.csv")
    cyrillic, upper = faults(booked(bundle, foreign))
    assert "line 3: rater '\u0430nna' looks like 'anna' (it has a Cyrillic small letter a); give" in cyrillic
    assert "line 4: rater 'Anna' looks like 'anna' (they differ only in capital letters or blanks)" in upper
    assert "--rename Anna=anna if they are one person, or --rename Anna=Anna if they are two" in upper
    meant = booked(bundle, foreign, renamed={"\u0430nna": "\u0430nna", "Anna": "anna"})
    assert (meant.newcomers, faults(meant)) == (("anna", "\u0430nna"), [])
    assert "anna and Anna of the file are both rater anna" in meant.notices


def test_an_invisible_character_of_a_name_is_typed_as_an_escape(bundle: StudyBundle, tmp_path: Path) -> None:
    rows = "rater,key,question,label\nan\u200bna,2,fits,yes\n"
    (fault,) = faults(booked(bundle, read(tmp_path, rows, "a.csv"), add_raters=False))
    assert r"give --rename $'an\u200bna=NAME' for the name that the rater has here" in fault


def test_nobody_is_added_to_a_study_whose_raters_were_named(bundle: StudyBundle, tmp_path: Path) -> None:
    declared = bundle.study.model_copy(update={"design": {**bundle.study.design, "raters_declared": True}})
    foreign = read(tmp_path, "rater,key,question,label\nwim,1,fits,yes\n", "a.csv")
    (problem,) = booked(replace(bundle, study=declared), foreign).problems
    assert problem.wrong == "rater 'wim' is not in study 'tea', whose raters were named when it was made"
    assert problem.remedy.endswith("or make a study without --rater, which anybody may join")
    assert booked(bundle, foreign).newcomers == ("wim",)


# -- the question and the label ---------------------------------------------------------------------


@pytest.mark.parametrize(
    ("row", "wrong"),
    [
        ("nobody,1,fits,yes", "rater 'nobody' is not in study 'tea'; give --rename nobody=NAME"),
        (",1,fits,yes", "names no rater; name the rater of the file with --rater"),
        ("anna,no such,fits,yes", "has the key 'no such', which is not a case of the study"),
        ("anna,1,fits,yess", "says 'yess', which is not a label of 'fits'; did you mean yes"),
        ("anna,1,fit,yes", "answers 'fit', which the study does not ask; did you mean fits"),
        ("anna,1,,yes", "names no question; name it with --question, one of fits, grade, tags, why"),
    ],
)
def test_what_does_not_fit_the_study_is_named(
    bundle: StudyBundle, tmp_path: Path, row: str, wrong: str
) -> None:
    foreign = read(tmp_path, f"rater,key,question,label\n{row}\n", "a.csv")
    matched = booked(bundle, foreign, add_raters=row.startswith("anna"))
    assert faults(matched)[0].startswith(f"a.csv, line 2: {wrong}")
    assert matched.count == 0


@pytest.mark.parametrize(
    ("question", "cell", "label"),
    [
        ("fits", "YES", "yes"),
        ("grade", "4.0", "4"),
        ("tags", '["hot","cold"]', '["hot","cold"]'),
        ("tags", "cold; hot", '["hot","cold"]'),
        ("tags", "sweet, very", '["sweet, very"]'),
        ("tags", "[]", "[]"),
        ("tags", "none of them", "[]"),
        ("why", '["not", "a list"]', '["not", "a list"]'),
    ],
)
def test_cell_of_a_table_is_read_by_the_kind_of_its_question(
    bundle: StudyBundle, tmp_path: Path, question: str, cell: str, label: str
) -> None:
    table = json.dumps([{"rater": "anna", "key": "1", "question": question, "label": cell}])
    ((_, _, _, found),) = said(bundle, booked(bundle, read(tmp_path, table)))
    assert found == label


@pytest.mark.parametrize(
    ("name", "record"),
    [
        ("label-studio", task(9, {"key": "1"}) | {"annotations": [{"completed_by": "anna", "result": [
            {"from_name": "tags", "type": "choices", "value": {"choices": []}}]}]}),
        ("prodigy", example("anna") | {"accept": []}),
        ("argilla", {"id": "1", "responses": {"tags": [{"value": [], "user_id": "anna"}]}}),
        ("potato", {"id": "1", "user_id": "anna", "label_annotations": {"tags": {"hot": False}}}),
        ("doccano", {"id": 9, "key": "1", "text": tea(1), "label": []}),
        ("table", {"key": "1", "rater": "anna", "label": []}),
    ],
)  # fmt: skip
def test_empty_set_is_a_label_of_a_question_of_several_from_every_tool(
    bundle: StudyBundle, tmp_path: Path, name: str, record: dict[str, Any]
) -> None:
    foreign = read(tmp_path, [record])
    matched = booked(bundle, foreign, rater="anna", question="tags")
    assert (foreign.tool, said(bundle, matched)) == (name, [("anna", "1", "tags", "[]")])
    one = booked(
        bundle, read(tmp_path, json.dumps([record]).replace("tags", "grade")), rater="anna", question="grade"
    )
    assert (one.count, [notice for notice in one.notices if "left out" in notice]) == (
        0,
        ["left out: 1 empty"],
    )


def test_missing_answer_to_a_question_of_several_labels_is_said_and_booked_only_if_told(
    bundle: StudyBundle, tmp_path: Path
) -> None:
    both = task(8, {"key": "1"})
    both["annotations"][0]["result"].append(
        {"from_name": "tags", "type": "choices", "value": {"choices": ["hot"]}}
    )
    empty = task(9, {"key": "3"}) | {"annotations": [{"completed_by": "anna", "result": []}]}
    foreign = read(tmp_path, [both, task(7, {"key": "2"}), empty])
    matched = booked(bundle, foreign)
    assert (matched.count, matched.notices[0]) == (3, "left out: 1 empty")
    assert "2 missing answers to questions of several labels, which may mean that none" in matched.notices[1]
    told = booked(bundle, foreign, none_if_absent=True)
    assert said(bundle, told)[3:] == [("anna", "2", "tags", "[]"), ("anna", "3", "tags", "[]")]
    assert told.notices[0] == "2 missing answers to questions of several labels, read as none of them"


def test_answer_in_two_wordings_that_are_both_labels_is_refused(bundle: StudyBundle, tmp_path: Path) -> None:
    options = [{"id": 1, "text": "5"}, {"id": 5, "text": "1"}]
    record = example("anna") | {"accept": [1], "options": options}
    (fault,) = faults(booked(bundle, read(tmp_path, [record], "a.jsonl"), question="grade"))
    assert "can be read in two ways, 1 and 5, and both are labels of 'grade'" in fault


def test_missing_cells_are_counted_as_empty(bundle: StudyBundle, tmp_path: Path) -> None:
    foreign = read(tmp_path, "key,anna,ben,cara\n1,yes,,NA\n2,nan,no,yes\n", "a.csv")
    matched = booked(bundle, foreign, question="fits")
    assert (matched.count, matched.notices) == (3, ("left out: 3 empty",))


def test_name_is_renamed_where_its_new_name_fits(bundle: StudyBundle, tmp_path: Path) -> None:
    foreign = read(tmp_path, "rater,key,question,label\n1,1,q1,1\n", "a.csv")
    matched = booked(bundle, foreign, renamed={"1": "anna", "q1": "grade", "x": "y"})
    assert said(bundle, matched) == [("anna", "1", "grade", "1")]
    assert "--rename: nothing in the file is named x" in matched.notices


def test_question_that_is_not_asked_is_refused(bundle: StudyBundle, tmp_path: Path) -> None:
    with pytest.raises(RequestError, match="--question 'tag' is not asked in the study; did you mean tags"):
        booked(bundle, read(tmp_path, [example("anna")], "a.jsonl"), question="tag")


def test_two_answers_of_a_rater_that_differ_are_refused(bundle: StudyBundle, tmp_path: Path) -> None:
    rows = "anna,1,fits,yes\nanna,1,fits,no\nben,1,fits,yes\nben,1,fits,yes\n"
    matched = booked(bundle, read(tmp_path, f"rater,key,question,label\n{rows}", "a.csv"))
    (fault,) = faults(matched)
    assert (
        "doubled answers differ, and none of them is the last one: a.csv, line 2 and a.csv, line 3" in fault
    )
    assert "1 label repeats another one of the file" in matched.notices


# -- the ledger -------------------------------------------------------------------------------------


def test_labels_become_imported_events_once(tmp_path: Path) -> None:
    text = "rater,key,question,label,comment\nzoe,1,fits,YES,hm\nzoe,2,fits,no,\nyan,1,tags,[],\n"
    with closing(tea_study(tmp_path)) as database:
        bundle = load_study(database, "tea")
        matched = booked(bundle, read(tmp_path, text, "a.csv"))
        first = store_labels(database, bundle, matched)
        assert (matched.newcomers, first.new, first.same, first.comments) == (("zoe", "yan"), 3, 0, 1)
        _, events = read_study(database, "tea")
        written = sorted((event.rater, event.kind, event.value, event.given) for event in events)
        assert written == [
            ("yan", "label", "[]", "import"),
            ("zoe", "comment", "hm", "import"),
            ("zoe", "label", "no", "import"),
            ("zoe", "label", "yes", "import"),
        ]
        known = load_study(database, "tea")
        again = store_labels(database, known, booked(known, read(tmp_path, text, "a.csv")))
        assert (again.new, again.changed, again.same, again.comments) == (0, 0, 3, 0)


def test_options_that_are_not_needed_are_said(bundle: StudyBundle, tmp_path: Path) -> None:
    foreign = read(tmp_path, "rater,key,question,label\nanna,1,fits,yes\n", "a.csv")
    matched = booked(bundle, foreign, rater="kim", question="tags")
    assert said(bundle, matched) == [("anna", "1", "fits", "yes")]
    assert matched.notices == (
        "--rater kim was not needed: the labels name their raters",
        "--question tags was not needed: the labels name their questions",
    )

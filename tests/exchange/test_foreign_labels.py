"""Labels of other tools as plain rows: each tool's own records, tables, and the parts left out of each."""

import csv
import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest

from reviewer.core.errors import InputError
from reviewer.exchange.labels.foreign_files import ForeignLabels, read_foreign_labels
from reviewer.exchange.labels.foreign_label import ForeignSpan, ForeignSpans, LabelFields, LabelFormat
from reviewer.exchange.labels.local_tools import Prodigy

Said = list[tuple[str | None, str | None, tuple[str, ...] | None]]
CHOICE = {"from_name": "fits", "type": "choices", "value": {"choices": ["yes"]}}
OPTIONS = [{"id": 0, "text": "hot"}, {"id": 1, "text": "cold"}]


def read(folder: Path, records: Any, name: str = "labels.json", **options: Any) -> ForeignLabels:
    path = folder / name
    if not isinstance(records, str):
        lines = name.endswith(".jsonl")
        records = "\n".join(map(json.dumps, records)) if lines else json.dumps(records)
    path.write_text(records, encoding="utf-8")
    return read_foreign_labels(path, **options)


def said(labels: ForeignLabels) -> Said:
    return [(label.rater, label.question, label.values) for label in labels.labels]


def keys(labels: ForeignLabels) -> list[list[tuple[str, str, bool]]]:
    return [[(key.field, key.value, key.own_number) for key in label.item.keys] for label in labels.labels]


def task(*annotations: dict[str, Any], **more: Any) -> dict[str, Any]:
    return {"id": 7, "data": {"key": "tea/1", "text": "…"}, "annotations": [*annotations], **more}


def annotation(*results: dict[str, Any], rater: Any = 2, **more: Any) -> dict[str, Any]:
    return {"completed_by": rater, "result": [*results], **more}


def test_task_of_label_studio_has_choices_ratings_and_texts(tmp_path: Path) -> None:
    grade = {"from_name": "grade", "type": "rating", "value": {"rating": 4}}
    why = {"from_name": "why", "type": "textarea", "value": {"text": ["it does"]}}
    none = {"from_name": "tags", "type": "choices", "value": {"choices": []}}
    way = {"from_name": "kind", "type": "taxonomy", "value": {"taxonomy": [["tea", "green"]]}}
    who = {"id": 1, "email": "anna@x.org"}
    labels = read(tmp_path, [task(annotation(CHOICE, grade, why, none, way, rater=who))])
    assert labels.tool == "label-studio"
    assert said(labels) == [
        ("anna@x.org", "fits", ("yes",)),
        ("anna@x.org", "grade", ("4",)),
        ("anna@x.org", "why", ("it does",)),
        ("anna@x.org", "tags", ()),
        ("anna@x.org", "kind", ("green",)),
    ]
    assert keys(labels)[0] == [("id", "7", True), ("data.key", "tea/1", False)]


def test_label_studio_counts_what_is_left_out_by_kind(tmp_path: Path) -> None:
    span = {
        "from_name": "ner",
        "type": "labels",
        "value": {"start": 0, "end": 2, "text": "te", "labels": ["X"]},
    }
    of_span = {"from_name": "fits", "type": "choices", "value": {"start": 0, "end": 2, "choices": ["yes"]}}
    one = task(
        annotation(CHOICE, was_cancelled=True),
        annotation(CHOICE, span, of_span),
        annotation(),
        predictions=[{"result": [CHOICE]}, {"result": []}],
        drafts=[{"result": [CHOICE]}],
    )
    labels = read(tmp_path, [one])
    assert dict(labels.left_out) == {"cancelled": 1, "of type choices": 1, "prediction": 2, "draft": 1}
    assert said(labels) == [("2", "fits", ("yes",)), ("2", "ner", ()), ("2", None, ())]
    spans = ForeignSpans((ForeignSpan(0, 2, "X", "te"),), ("tea/1", "…"), utf_16=True)
    assert [label.spans for label in labels.labels] == [None, spans, None]


def minimal(**fields: Any) -> dict[str, Any]:
    row = {"id": 41, "text": "…", "annotator": 1, "annotation_id": 9, "created_at": "", "updated_at": ""}
    return row | {"lead_time": 1.5} | fields


MINIMAL = minimal(
    key="tea/1", fits="yes", grade=[{"rating": 3}], tags={"choices": ["hot", "cold"]}, why="so [it is]"
)
ASKED = LabelFields(questions=frozenset({"fits", "grade", "tags", "why"}))
MINIMAL_SAID: Said = [
    ("1", "fits", ("yes",)),
    ("1", "grade", ("3",)),
    ("1", "tags", ("hot", "cold")),
    ("1", "why", ("so [it is]",)),
]


def test_label_studios_json_min_has_a_row_for_each_annotation(tmp_path: Path) -> None:
    nobody = minimal(annotator=None, annotation_id=None)
    labels = read(tmp_path, [MINIMAL, nobody], fields=ASKED)
    assert (labels.tool, said(labels), dict(labels.left_out)) == ("label-studio", MINIMAL_SAID, {"empty": 1})
    assert labels.notices == ("columns that are not read: text",)


def test_label_studios_csv_reads_as_its_json_min(tmp_path: Path) -> None:
    cells = {
        name: json.dumps(value) if isinstance(value, list | dict) else value
        for name, value in MINIMAL.items()
    }
    with (tmp_path / "a.csv").open("w", newline="", encoding="utf-8") as file:
        writer = csv.DictWriter(file, sorted(cells), quoting=csv.QUOTE_NONNUMERIC)
        writer.writeheader()
        writer.writerow(cells)
    labels = read_foreign_labels(tmp_path / "a.csv", fields=ASKED)
    assert (labels.tool, sorted(said(labels))) == ("label-studio", sorted(MINIMAL_SAID))


def example(key: str, rater: str | None = "set-anna", **more: Any) -> dict[str, Any]:
    return {"meta": {"key": key}, "_task_hash": 1, "_annotator_id": rater, **more}


def test_example_of_prodigy_is_a_choice_or_a_yes_or_no(tmp_path: Path) -> None:
    lines = [
        example("a", label="FITS", answer="reject"),
        example("b", accept=[0], options=OPTIONS, answer="accept"),
        example("c", accept=[], options=OPTIONS, answer="accept"),
        example("d", accept=["x"], answer="reject"),
        example("e", label="FITS", answer="ignore"),
        example("f", label="FITS"),
    ]
    labels = read(tmp_path, lines, "labels.jsonl")
    assert labels.tool == "prodigy"
    assert said(labels) == [
        ("set-anna", "FITS", ("False",)),
        ("set-anna", None, ("0",)),
        ("set-anna", None, ()),
    ]
    assert [label.or_values for label in labels.labels] == [(), ("hot",), ()]
    assert dict(labels.left_out) == {"rejected": 1, "ignored": 1, "empty": 1}


def test_session_of_prodigy_without_a_name_names_no_rater(tmp_path: Path) -> None:
    labels = read(tmp_path, [example("a", "2024-02-06_10-17-19", answer="accept")], "labels.jsonl")
    assert labels.labels[0].rater is None


@pytest.mark.parametrize(
    ("names", "stem", "prefix"),
    [
        (("set-anna", "set-ben"), "export", "set-"),
        (("set-mary-ann", "set-ben"), "export", "set-"),
        (("set-anna",), "set", "set-"),
        (("my-set-anna", "my-set-ben"), "my-set", "my-set-"),
        (("my-set-anna", "my-set-ben"), "export", ""),
        (("mary-ann",), "export", ""),
        (("mary-ann", "mary-sue", "ben"), "export", ""),
        (("anna", "ben"), "export", ""),
    ],
)
def test_prefix_of_prodigys_sessions_is_the_data_set_in_all_names(
    names: Sequence[str], stem: str, prefix: str
) -> None:
    known: LabelFormat = Prodigy(LabelFields())
    assert known.session_prefix(names, stem) == prefix


BY_QUESTION = {"id": "a", "responses": {"fits": [{"value": "yes", "user_id": "u1"}]}}
STATUS = {"value": "no", "user_id": "u2", "status": "discarded"}


@pytest.mark.parametrize(
    ("record", "left_out"),
    [
        (BY_QUESTION | {"suggestions": {"fits": {"value": "no"}}}, {"prediction": 1}),
        (
            {
                "id": "a",
                "fits.responses": ["yes", "no"],
                "fits.responses.users": ["u1", "u2"],
                "fits.responses.status": ["submitted", "draft"],
                "fits.suggestion": "yes",
            },
            {"draft": 1, "prediction": 1},
        ),
        (
            {
                "external_id": "a",
                "responses": [
                    {"user_id": "u1", "status": "submitted", "values": {"fits": {"value": "yes"}}},
                    {"user_id": "u2", "status": "discarded", "values": {"fits": {"value": "no"}}},
                    {"user_id": "u3", "status": "draft", "values": None},
                ],
            },
            {"discarded": 1, "draft": 1},
        ),
        (
            {"external_id": "a", "fits": [{"value": "yes", "user_id": "u1", "status": "submitted"}, STATUS]},
            {"discarded": 1},
        ),
    ],
)
def test_records_of_argilla_in_four_layouts(
    tmp_path: Path, record: dict[str, Any], left_out: dict[str, int]
) -> None:
    labels = read(tmp_path, [record])
    assert (labels.tool, said(labels)) == ("argilla", [("u1", "fits", ("yes",))])
    assert dict(labels.left_out) == left_out


def test_old_record_of_argilla_names_no_question(tmp_path: Path) -> None:
    record = {"id": "a", "annotation": "yes", "annotation_agent": "anna", "status": "Validated"}
    rest = record | {"prediction": [["yes", 0.9]], "annotation": None, "status": "Default"}
    labels = read(tmp_path, [record, rest])
    assert (labels.tool, said(labels)) == ("argilla", [("anna", None, ("yes",))])
    assert dict(labels.left_out) == {"prediction": 1, "draft": 1}


def test_argillas_nested_export_says_that_drafts_may_be_among_the_answers(tmp_path: Path) -> None:
    empty = {"id": "b", "responses": {"tags": [{"value": [], "user_id": "u1"}]}}
    labels = read(tmp_path, [BY_QUESTION, empty])
    assert said(labels) == [("u1", "fits", ("yes",)), ("u1", "tags", ())]
    assert labels.notices[0].startswith(
        "2 answers without a status, as the nested export of Argilla 2 has it"
    )


def potato(**schemes: Any) -> dict[str, Any]:
    return {"id": "a", "displayed_text": "…", "label_annotations": schemes, "span_annotations": []}


@pytest.mark.parametrize(
    ("chosen", "names"),
    [
        ({"yes": "yes", "no": False}, ("yes",)),
        ({"yes": "true", "no": "false"}, ("yes",)),
        ({"yes": True}, ("yes",)),
        ({"False": "False"}, ("False",)),
        ({"False": True, "True": False}, ("False",)),
        ({"0": 0}, ("0",)),
        ({"0": "0"}, ("0",)),
        ({"hot": False, "cold": None, "sweet": ""}, ()),
        ({}, ()),
    ],
)
def test_boxes_of_potato_are_on_or_off(
    tmp_path: Path, chosen: dict[str, Any], names: tuple[str, ...]
) -> None:
    labels = read(tmp_path, [potato(fits=chosen)], "annotated_instances.jsonl")
    assert labels.tool == "potato"
    assert [label.or_values for label in labels.labels] == [names]


STATE = {
    "user_id": "anna",
    "instance_id_to_label_to_value": {
        "a": [[{"schema": "fits", "name": "yes"}, "true"], [{"schema": "grade", "name": "scale_3"}, "3"]],
        "b": {"fits": {"no": "no"}},
    },
    "instance_id_to_span_to_value": {"a": [[{"schema": "ner"}, "x"]]},
}


def test_pretty_printed_state_of_a_potato_rater_is_read(tmp_path: Path) -> None:
    labels = read(tmp_path, json.dumps(STATE, indent=2), "user_state.json")
    assert said(labels) == [("anna", "fits", ("true",)), ("anna", "grade", ("3",)), ("anna", "fits", ("no",))]
    assert [label.or_values for label in labels.labels] == [("yes",), ("scale_3",), ("no",)]
    assert [label.item.keys[0].value for label in labels.labels] == ["a", "a", "b"]
    assert dict(labels.left_out) == {"span": 1}


def test_lines_of_doccano_have_lists_of_labels_and_no_rater(tmp_path: Path) -> None:
    lines = [
        {"id": 3, "text": "…", "label": ["hot", "cold"], "Comments": ["hm", "so"], "key": "tea/1"},
        {"id": 4, "text": "…", "label": []},
        {"id": 5, "text": "…", "label": [[0, 3, "LOC"]]},
    ]
    labels = read(tmp_path, lines, "anna.jsonl")
    some = [(None, None, ("hot", "cold")), (None, None, ()), (None, None, ())]
    assert (labels.tool, said(labels)) == ("doccano", some)
    assert labels.labels[2].spans == ForeignSpans((ForeignSpan(0, 3, "LOC"),), ("…",))
    assert (labels.labels[0].comment, dict(labels.left_out)) == ("hm\nso", {})
    assert keys(labels)[0] == [("key", "tea/1", False), ("id", "3", True)]
    assert labels.notices[0].startswith("1 answer with an empty list of labels, which doccano also writes")


def test_earlier_doccano_numbers_the_raters(tmp_path: Path) -> None:
    part = {"label": 3, "start_offset": 0, "end_offset": 1, "user": 2}
    chosen = [{"label": 1, "user": 2}, {"label": 5, "user": 2}, part]
    labels = read(tmp_path, [{"id": 3, "text": "…", "annotations": chosen}], "all.jsonl")
    assert (labels.tool, said(labels)) == ("doccano", [("2", None, ("1", "5")), ("2", None, ())])
    assert labels.labels[1].spans == ForeignSpans((ForeignSpan(0, 1, "3"),), ("…",))


def test_doccano_with_relations_has_spans_as_entities(tmp_path: Path) -> None:
    entity = {"id": 0, "label": "LOC", "start_offset": 1, "end_offset": 3}
    labels = read(tmp_path, [{"id": 5, "text": "a bc", "entities": [entity], "relations": []}], "a.jsonl")
    assert labels.tool == "doccano"
    assert labels.labels[0].spans == ForeignSpans((ForeignSpan(1, 3, "LOC"),), ("a bc",))


SOFA = {"%ID": 1, "%TYPE": "uima.cas.Sofa", "sofaString": "Oh 👍 you fool"}
TOKEN = {"%TYPE": "de.tudarmstadt.ukp.dkpro.core.api.segmentation.type.Token", "begin": 0, "end": 2}
ABOUT = {
    "%TYPE": "de.tudarmstadt.ukp.dkpro.core.api.metadata.type.DocumentMetaData",
    "documentTitle": "a.txt",
}


def layer(layer_type: str, **features: Any) -> dict[str, Any]:
    return {"%TYPE": layer_type, "@sofa": 1, "begin": 10, "end": 14, **features}


@pytest.mark.parametrize(
    ("structure", "label"),
    [
        (layer("webanno.custom.Toxic", label="insult", note="why"), "insult"),
        (layer("webanno.custom.Toxic", kind="insult"), "insult"),
        (layer("webanno.custom.Insult"), "Insult"),
        (layer("de.tudarmstadt.ukp.dkpro.core.api.ner.type.NamedEntity", value="PER", identifier="x"), "PER"),
        ({"%TYPE": "webanno.custom.Toxic", "^begin": 10, "^end": 14, "label": "insult"}, "insult"),
    ],
)
def test_document_of_inception_has_the_spans_of_its_layers(
    tmp_path: Path, structure: dict[str, Any], label: str
) -> None:
    listed = [SOFA, ABOUT, TOKEN, structure]
    for structures in (listed, {str(number): one for number, one in enumerate(listed)}):
        labels = read(tmp_path, json.dumps({"%TYPES": {}, "%FEATURE_STRUCTURES": structures}, indent=2))
        assert (labels.tool, said(labels)) == ("inception", [(None, None, ())])
        assert labels.labels[0].spans == ForeignSpans(
            (ForeignSpan(10, 14, label),), ("Oh 👍 you fool",), utf_16=True
        )


def test_document_of_inception_without_spans_is_an_answer_that_is_told(tmp_path: Path) -> None:
    record = {"%TYPES": {}, "%FEATURE_STRUCTURES": [SOFA, TOKEN]}
    labels = read(tmp_path, json.dumps(record, indent=2))
    assert labels.labels[0].spans == ForeignSpans((), ("Oh 👍 you fool",), utf_16=True)
    assert labels.notices[0].startswith("1 answer to a document without a span")


@pytest.mark.parametrize(
    ("ends", "said"),
    [
        ([3, 3, "X"], "has a span from 3 to 3"),
        ([3, "5", "X"], "from 3 to 5"),
        ([1, 2, None], "without a label"),
    ],
)
def test_wrong_span_is_told(tmp_path: Path, ends: list[Any], said: str) -> None:
    labels = read(tmp_path, [{"text": "a bc", "label": [ends]}, {"text": "a bc", "label": []}], "a.jsonl")
    assert said in str(labels.problems[0])


TABLES = {
    "item,annotator,label\na,anna,yes\nb,ben,\n": [("anna", None, ("yes",))],
    "key,anna,ben\na,yes,no\nb,,yes\n": [
        *(("anna", None, ("yes",)), ("ben", None, ("no",))),
        ("ben", None, ("yes",)),
    ],
    "key,question,anna,comment\na,fits,yes,hm\n": [("anna", "fits", ("yes",))],
    "Key,Rater,Fits,why\na,anna,yes,\n": [("anna", "Fits", ("yes",))],
}


@pytest.mark.parametrize("text", TABLES)
def test_tables_are_long_or_have_columns_of_raters_or_questions(tmp_path: Path, text: str) -> None:
    labels = read(tmp_path, text, "labels.csv", fields=ASKED)
    assert (labels.tool, said(labels)) == ("table", TABLES[text])


def test_columns_of_a_table_are_named(tmp_path: Path) -> None:
    long = "doc\twho\ttask\tverdict\nx\tanna\tfits\tyes\n"
    named = LabelFields(key="doc", rater="who", question="task", label="verdict")
    assert said(read(tmp_path, long, "a.tsv", fields=named)) == [("anna", "fits", ("yes",))]
    wide = "doc,anna,ben,text\nx,yes,no,…\n"
    labels = read(tmp_path, wide, "b.csv", fields=LabelFields(key="doc", raters=("anna", "ben")))
    assert said(labels) == [("anna", None, ("yes",)), ("ben", None, ("no",))]
    assert labels.notices == ("columns that are not read: text",)


def test_comment_is_read_only_where_it_is_clear_which_label_it_is_about(tmp_path: Path) -> None:
    long = read(tmp_path, "key,rater,label,comment,at\na,anna,yes,hm,noon\n", "a.csv")
    assert ([label.comment for label in long.labels], long.notices) == (
        ["hm"],
        ("columns that are not read: at",),
    )
    wide = read(tmp_path, "key,anna,ben,comment\na,yes,no,hm\n", "b.csv")
    assert [label.comment for label in wide.labels] == ["", ""]
    assert wide.notices == ("columns that are not read: comment",)


def test_table_needs_no_typed_cells(tmp_path: Path) -> None:
    lines = [{"key": 1, "rater": 7, "label": True}, {"key": 1, "rater": 8, "label": ["hot"]}]
    assert said(read(tmp_path, lines, "a.jsonl")) == [("7", None, ("True",)), ("8", None, ("hot",))]


def test_two_columns_that_may_hold_the_label_are_asked_for(tmp_path: Path) -> None:
    labels = read(tmp_path, "key,rater,label,answer\na,anna,yes,no\n", "a.csv")
    (problem,) = labels.problems
    assert str(problem) == (
        "a.csv, line 2: has columns label and answer, each of which may be the label; "
        "name the right one with --label-field."
    )


def test_record_of_no_tool_is_refused(tmp_path: Path) -> None:
    with pytest.raises(InputError, match=r"line 2: is a record of no tool that is known; name the tool with"):
        read(tmp_path, "a,b\n1,2\n", "labels.csv")


def test_first_fault_is_named_where_no_record_can_be_read(tmp_path: Path) -> None:
    with pytest.raises(
        InputError, match=r"labels\.jsonl, line 1 and 2 other places: is incomplete JSON at column"
    ):
        read(tmp_path, '{"a": \n' * 3, "labels.jsonl")


def test_file_with_nothing_but_left_out_answers_says_which(tmp_path: Path) -> None:
    tasks = [task(annotation(CHOICE, was_cancelled=True), predictions=[{"result": []}])]
    with pytest.raises(InputError, match=r"holds no label \(left out: 1 cancelled, 1 prediction\)"):
        read(tmp_path, tasks)


def test_record_is_read_whole_or_not_at_all(tmp_path: Path) -> None:
    broken = {"from_name": "x", "type": "choices", "value": {"choices": [{"no": "text"}]}}
    labels = read(tmp_path, [task(annotation(CHOICE), annotation(CHOICE, broken))])
    assert (labels.labels, len(labels.problems)) == ((), 1)


@pytest.mark.parametrize(
    ("tool", "record"),
    [
        ("doccano", {"id": 1, "text": "…", "label": True}),
        ("doccano", {"id": 1, "text": "…", "annotations": ["x"]}),
        ("argilla", {"id": "a", "fits.responses": ["yes"], "fits.responses.users": 3}),
        ("argilla", {"id": "a", "responses": [{"user_id": "u", "status": "submitted", "values": ["x"]}]}),
        ("label-studio", {"id": 1, "data": {}, "annotations": [{"completed_by": 1, "result": "x"}]}),
        ("potato", {"user_id": "u", "instance_id_to_label_to_value": {"a": [["no", "pair"]]}}),
        ("prodigy", {"accept": [{"id": 1}], "answer": "accept"}),
        ("reviewer", {"key": "a", "label": "yes"}),
    ],
)
def test_record_that_its_tool_does_not_write_is_one_fault(
    tmp_path: Path, tool: str, record: dict[str, Any]
) -> None:
    (problem,) = read(tmp_path, [record], tool=tool).problems
    assert problem.where.startswith("labels.json, row 1")


def test_named_columns_are_those_of_a_table_in_the_file(tmp_path: Path) -> None:
    wide = "key,anna,ben\na,yes,no\n"
    with pytest.raises(InputError, match="has no column 'bem'; did you mean ben"):
        read(tmp_path, wide, "a.csv", fields=LabelFields(raters=("anna", "bem")))
    with pytest.raises(InputError, match="has no column 'verdict'; name one of anna, ben, key"):
        read(tmp_path, wide, "a.csv", fields=LabelFields(label="verdict"))
    lines = [{"id": 3, "text": "…", "label": ["hot"]}]
    assert read(tmp_path, lines, "a.jsonl", fields=LabelFields(label="label")).tool == "table"
    with pytest.raises(
        InputError, match="is read as doccano, which has no columns to name; give --tool table"
    ):
        read(tmp_path, lines, "a.jsonl", tool="doccano", fields=LabelFields(label="label"))


def test_columns_of_a_file_are_shown_on_one_line(tmp_path: Path) -> None:
    with pytest.raises(InputError) as refused:
        read(tmp_path, 'key,"a\nb\x1b[31m"\n1,yes\n', "a.csv", fields=LabelFields(label="verdict"))
    assert str(refused.value).endswith("a.csv': has no column 'verdict'; name one of a b␛[31m, key.")

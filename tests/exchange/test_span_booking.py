"""Spans of other tools in a study: offsets, texts that differ, and spans that cannot be of the text."""

import csv
import io
import json
from collections.abc import Iterator
from contextlib import closing
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Any

import pytest

from reviewer.core.errors import RequestError
from reviewer.core.spans import utf_16_offset
from reviewer.exchange.exports.span_files import SPAN_TOOLS, span_files
from reviewer.exchange.exports.study_export import export_study
from reviewer.exchange.exports.study_source import StudySource
from reviewer.exchange.labels.foreign_files import read_foreign_labels
from reviewer.exchange.labels.foreign_label import LabelFields
from reviewer.exchange.labels.label_booking import BookingOptions, MatchedLabels, match_labels, store_labels
from reviewer.study.design.study_bundle import StudyBundle, load_study
from reviewer.study.integrity.quarantine import read_study
from store.database import Database
from tests.marked_texts import TEXTS, Marks, answer, marked_study, spans_of
from tests.teas import tea, tea_study

CLOWN: Marks = (("🤡 clown", "insult"), ("damn", "profanity"), ("I'll come over", "threat"))
CARLA = BookingOptions(rater="carla", add_raters=True)


@pytest.fixture
def database(tmp_path: Path) -> Iterator[Database]:
    with closing(marked_study(tmp_path)) as opened:
        yield opened


@pytest.fixture
def bundle(database: Database) -> StudyBundle:
    return load_study(database, "toxic")


def matched(bundle: StudyBundle, folder: Path, records: Any, name: str = "spans.jsonl") -> MatchedLabels:
    path = folder / name
    listed = records if isinstance(records, list) else []
    lines = [json.dumps(record, ensure_ascii=False) for record in listed] or [records]
    path.write_text("\n".join(lines), encoding="utf-8")
    return match_labels(bundle, read_foreign_labels(path), CARLA)


def answers(bundle: StudyBundle, found: MatchedLabels) -> dict[str, str | None]:
    assert not found.problems, found.problems
    return {bundle.places[one.case].key: one.label for one in found.verdicts["carla"]}


def fault(found: MatchedLabels) -> str:
    (problem,) = found.problems
    return str(problem)


def doccano(key: str, marks: Marks = (), **more: Any) -> dict[str, Any]:
    return {"id": 1, "text": TEXTS[key], "label": [list(span) for span in spans_of(key, marks)], **more}


def label_studio(key: str, marks: Marks, *, units: bool = True, quote: bool = True) -> dict[str, Any]:
    text, results = TEXTS[key], []
    for start, end, label in spans_of(key, marks):
        ends = [utf_16_offset(text, at) if units else at for at in (start, end)]
        value: dict[str, Any] = {"start": ends[0], "end": ends[1], "labels": [label]}
        value |= {"text": text[start:end]} if quote else {}
        results.append({"from_name": "spans", "to_name": "text", "type": "labels", "value": value})
    return {"id": 1, "data": {"text": text}, "annotations": [{"id": 1, "result": results}]}


def inception(key: str, marks: Marks) -> str:
    text = TEXTS[key]
    layer, units = {"%TYPE": "webanno.custom.Toxic"}, partial(utf_16_offset, text)
    spans = [
        {**layer, "begin": units(start), "end": units(end), "label": label}
        for start, end, label in spans_of(key, marks)
    ]
    structures = [{"%ID": 1, "sofaString": text}, *spans]
    return json.dumps({"%TYPES": {}, "%FEATURE_STRUCTURES": structures}, indent=1)


def test_offsets_of_each_tool_are_those_of_the_same_words(bundle: StudyBundle, tmp_path: Path) -> None:
    expected = {"c3": answer("c3", *CLOWN)}
    assert answers(bundle, matched(bundle, tmp_path, [doccano("c3", CLOWN)])) == expected
    for units, quote in ((True, True), (True, False), (False, True)):
        task = label_studio("c3", CLOWN, units=units, quote=quote)
        assert answers(bundle, matched(bundle, tmp_path, [task])) == expected, (units, quote)
    assert answers(bundle, matched(bundle, tmp_path, inception("c3", CLOWN), "c3.json")) == expected


def test_texts_without_spans_say_that_there_is_nothing_to_mark(bundle: StudyBundle, tmp_path: Path) -> None:
    found = matched(bundle, tmp_path, [doccano("c4")])
    assert answers(bundle, found) == {"c4": answer("c4")}
    assert any(notice.startswith("1 answer with an empty list of labels") for notice in found.notices)


def test_cells_of_a_table_hold_spans_as_people_write_them(bundle: StudyBundle, tmp_path: Path) -> None:
    cells = '"4:17:insult; threat ""I will find you"""', "nothing to mark"
    table = f"key,annotator,label\nc1,carla,{cells[0]}\nc4,carla,{cells[1]}\n"
    found = answers(bundle, matched(bundle, tmp_path, table, "t.csv"))
    both = answer("c1", ("absolute fool", "insult"), ("I will find you", "threat"))
    assert found == {"c1": both, "c4": answer("c4")}


def test_labels_with_other_names_are_renamed(bundle: StudyBundle, tmp_path: Path) -> None:
    record = {"key": "c1", "text": TEXTS["c1"], "label": [[4, 17, "INS"]]}
    (tmp_path / "a.jsonl").write_text(json.dumps(record))
    options = replace(CARLA, renamed={"INS": "insult"})
    found = match_labels(bundle, read_foreign_labels(tmp_path / "a.jsonl"), options)
    assert answers(bundle, found) == {"c1": answer("c1", ("absolute fool", "insult"))}


def marked(start: int, end: int, label: str = "insult", key: str = "c2", **more: Any) -> dict[str, Any]:
    return {"key": key, "text": TEXTS[key], "label": [[start, end, label]], **more}


STRANGER = {"text": "A text that is in no case of the study.", "label": []}
OTHER = label_studio("c3", CLOWN) | {"data": {"key": "c3", "text": TEXTS["c4"]}}
CHANGED = marked(0, 3, key="c1", text=TEXTS["c1"][:-1] + "!")
WRONG = [
    (marked(4, 900), "has a span 4:900 that ends behind the text of the study"),
    (marked(4, 5), "span 4:5:insult cuts a letter apart: 'मू' goes from 4 to 6"),
    (marked(0, 2, "slur"), "has a span of 'slur', which is not a label of 'spans'"),
    (CHANGED, "at character 80 it has '!', the study '.'"),
    (OTHER, "names one case in 'data.key', and 'text' is a text of another"),
    (STRANGER, "has no key, and no case of the study has its text"),
]


@pytest.mark.parametrize(("record", "said"), WRONG)
def test_what_cannot_be_of_the_text_is_said(
    bundle: StudyBundle, tmp_path: Path, record: dict[str, Any], said: str
) -> None:
    assert said in fault(matched(bundle, tmp_path, [record]))


def test_quotes_that_differ_from_the_text_are_refused(bundle: StudyBundle, tmp_path: Path) -> None:
    task = label_studio("c3", CLOWN)
    task["annotations"][0]["result"][0]["value"]["text"] = "a clown"
    assert "is 'a clown', where the study has '🤡 clown'" in fault(matched(bundle, tmp_path, [task]))


def test_an_offset_between_the_units_of_an_emoji_is_refused(bundle: StudyBundle, tmp_path: Path) -> None:
    task = label_studio("c3", CLOWN[:1], quote=False)
    task["annotations"][0]["result"][0]["value"]["start"] += 1
    assert "cuts a letter apart" in fault(matched(bundle, tmp_path, [task]))


@pytest.mark.parametrize("tool", SPAN_TOOLS)
def test_exported_spans_come_in_again_as_they_were(
    database: Database, bundle: StudyBundle, tmp_path: Path, tool: str
) -> None:
    given: dict[str, Marks] = {
        "c1": (("absolute fool", "insult"),),
        "c2": (("मूर्ख", "insult"), ("देख लूँगा", "threat")),
        "c3": CLOWN,
    }
    records = [doccano(key, marks) for key, marks in given.items()]
    store_labels(database, bundle, matched(bundle, tmp_path, [*records, doccano("c4")]))
    source = StudySource.of(*read_study(database, "toxic"))
    for name, text in span_files(source, tool).items():
        path = tmp_path / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")
        again = match_labels(load_study(database, "toxic"), read_foreign_labels(path), CARLA)
        stored = store_labels(database, load_study(database, "toxic"), again)
        assert (stored.new, stored.changed, stored.same) == (0, 0, again.count), name


def test_own_export_comes_in_again_as_it_was(database: Database, bundle: StudyBundle, tmp_path: Path) -> None:
    store_labels(database, bundle, matched(bundle, tmp_path, [doccano("c3", CLOWN), doccano("c4")]))
    export_study(StudySource.of(*read_study(database, "toxic")), tmp_path / "out")
    assert "spans of a text" in (tmp_path / "out/codebook.csv").read_text(encoding="utf-8")
    for name in ("labels.csv", "labels.jsonl"):
        again = match_labels(load_study(database, "toxic"), read_foreign_labels(tmp_path / "out" / name))
        assert answers(bundle, again) == {"c3": answer("c3", *CLOWN), "c4": answer("c4")}, name


def test_tasks_of_label_studio_have_the_numbers_that_its_converter_reads(
    database: Database, bundle: StudyBundle, tmp_path: Path
) -> None:
    store_labels(database, bundle, matched(bundle, tmp_path, [doccano("c3", CLOWN), doccano("c4")]))
    (text,) = span_files(StudySource.of(*read_study(database, "toxic")), "label-studio").values()
    assert [task["id"] for task in json.loads(text)] == [1, 2]


def test_study_without_spans_has_none_to_export(tmp_path: Path) -> None:
    with closing(tea_study(tmp_path)) as teas, pytest.raises(RequestError, match="has no question of spans"):
        span_files(StudySource.of(*read_study(teas, "tea")), "doccano")


def test_spans_are_left_out_of_a_study_that_asks_for_none(tmp_path: Path) -> None:
    record = {"key": "1", "text": tea(1), "label": [[0, 4, "hot"]]}
    (tmp_path / "a.jsonl").write_text(json.dumps(record))
    with closing(tea_study(tmp_path)) as teas:
        found = match_labels(load_study(teas, "tea"), read_foreign_labels(tmp_path / "a.jsonl"), CARLA)
    assert (found.count, found.problems) == (0, ())
    assert "left out: 1 span" in found.notices


def test_labels_of_the_whole_text_are_left_out_where_only_spans_are_asked_for(
    bundle: StudyBundle, tmp_path: Path
) -> None:
    record = doccano("c3", CLOWN)
    record |= {"entities": record.pop("label"), "cats": ["rude", "long"]}
    found = matched(bundle, tmp_path, [record])
    assert answers(bundle, found) == {"c3": answer("c3", *CLOWN)}
    assert "left out: 1 whole-text label" in found.notices


def test_short_text_names_its_case(tmp_path: Path) -> None:
    with closing(marked_study(tmp_path, texts={"s1": "A damn fool.", "s2": "Hello."})) as database:
        record = {"text": "A damn fool.", "label": [[2, 6, "profanity"]]}
        found = matched(load_study(database, "toxic"), tmp_path, [record, {"text": "Hi!", "label": []}])
        (verdict,) = found.verdicts["carla"]
        assert verdict.label == '{"length":12,"spans":[[2,6,"profanity"]]}'
        assert "has no key, and no case of the study has its text" in fault(found)


@pytest.mark.parametrize("name", ["spans.json", "spans.csv"])
def test_spans_of_json_min_and_csv_are_read(bundle: StudyBundle, tmp_path: Path, name: str) -> None:
    marks: Marks = (("🤡 clown", "insult"), ("damn", "profanity"))
    cells = [
        {"start": utf_16_offset(TEXTS["c3"], at), "end": utf_16_offset(TEXTS["c3"], end), "labels": [label]}
        for at, end, label in spans_of("c3", marks)
    ]
    row = {"annotation_id": 4, "annotator": "carla", "id": 9, "lead_time": 3.5, "key": "c3"}
    row |= {"text": TEXTS["c3"], "spans": cells}
    written = json.dumps([row], ensure_ascii=False)
    if name.endswith("csv"):
        text = io.StringIO()
        table = csv.DictWriter(text, [*row])
        table.writeheader()
        table.writerow(row | {"spans": json.dumps(cells)})
        written = text.getvalue()
    assert "has spans in 'spans', which the study does not ask; give --rename spans=" in fault(
        matched(bundle, tmp_path, written, name)
    )
    asked = LabelFields(questions=frozenset({"spans"}))
    found = match_labels(bundle, read_foreign_labels(tmp_path / name, fields=asked), CARLA)
    assert answers(bundle, found) == {"c3": answer("c3", *marks)}

"""The spans that raters marked, as files of Label Studio, doccano or INCEpTION: one for each rater.

Files name no rater within, since none of the tools takes one that its own project does not know. Label Studio
and INCEpTION count in units of UTF-16, doccano in characters.
"""

import json
from collections.abc import Callable, Mapping, Sequence
from typing import NamedTuple

from reviewer.core.errors import RequestError
from reviewer.core.spans import LabelledSpan, spans_in, utf_16_offset
from reviewer.exchange.exports.study_source import StudySource
from reviewer.exchange.sheets.sheet_writer import folder_name
from store.records import JsonValue

SPAN_TOOLS = ("label-studio", "doccano", "inception")
_LAYER, _LABEL = "webanno.custom.Span", "label"
_STRING, _ANNOTATION = "uima.cas.String", "uima.tcas.Annotation"


class MarkedCase(NamedTuple):
    """One rater's spans in one case: the key of the case, its text, and the question."""

    key: str
    text: str
    question: str
    spans: Sequence[LabelledSpan]


def span_files(source: StudySource, tool: str) -> dict[str, str]:
    """The content of files by name; raises RequestError if the study has no question of spans."""
    questions = [question for question in source.bundle.questions if question.answer_kind.is_marked]
    if not questions:
        name = source.bundle.study.name
        raise RequestError(f"study {name!r} has no question of spans, which {tool} could take.")
    marked = _marked_cases(source)
    files: dict[str, str] = {}
    for (question, rater), cases in marked.items():
        written = _FILES[tool](folder_name(rater), cases)
        files |= {f"{question}/{name}": text for name, text in written.items()}
    return files


def _marked_cases(source: StudySource) -> Mapping[tuple[str, str], list[MarkedCase]]:
    """The first answers of each rater to each question of spans, in the order of the sample."""
    protocol = source.bundle.protocol
    questions = [question for question in source.bundle.questions if question.answer_kind.is_marked]
    texts = {
        (question.key, case.digest): protocol.marked_text(question, case)
        for case in source.cases
        for question in questions
    }
    marked: dict[tuple[str, str], list[MarkedCase]] = {}
    for row in source.rows:
        text, slot = texts.get((row.question.key, row.place.case)), row.verdict.slot
        if text is None or row.label is None or slot.showing or slot.phase != "before":
            continue
        case = MarkedCase(row.place.key, text, row.question.key, spans_in(row.label)[1])
        marked.setdefault((row.question.key, row.rater), []).append(case)
    return marked


def _label_studio(rater: str, cases: Sequence[MarkedCase]) -> dict[str, str]:
    """A list of tasks, each with its annotation; import it into a project with <Labels name="QUESTION">.

    A server numbers tasks itself; the converter of its SDK reads only those with a number.
    """
    results = ([_result(number, case, span) for number, span in enumerate(case.spans)] for case in cases)
    tasks = [
        {"id": number, "data": {"key": case.key, "text": case.text}, "annotations": [{"result": result}]}
        for number, (case, result) in enumerate(zip(cases, results, strict=True), 1)
    ]
    return {f"{rater}.json": _json(tasks)}


def _result(number: int, case: MarkedCase, span: LabelledSpan) -> Mapping[str, JsonValue]:
    start, end = (utf_16_offset(case.text, offset) for offset in (span.start, span.end))
    value = {"start": start, "end": end, "text": case.text[span.start : span.end], "labels": [span.label]}
    return {
        "id": f"span{number}",
        "from_name": case.question,
        "to_name": "text",
        "type": "labels",
        "value": value,
    }


def _doccano(rater: str, cases: Sequence[MarkedCase]) -> dict[str, str]:
    """A line for each text, with its spans as lists."""
    lines = (
        {"key": case.key, "text": case.text, "label": [list(span) for span in case.spans]} for case in cases
    )
    return {f"{rater}.jsonl": "".join(f"{json.dumps(line, ensure_ascii=False)}\n" for line in lines)}


def _inception(rater: str, cases: Sequence[MarkedCase]) -> dict[str, str]:
    """A document for each text, in the format "UIMA CAS JSON 0.4.0", with spans on one layer."""
    return {
        f"{rater}/{number:04}-{folder_name(case.key)}.json": _json(_document(case))
        for number, case in enumerate(cases, 1)
    }


def _document(case: MarkedCase) -> Mapping[str, JsonValue]:
    sofa = {"%ID": 1, "%TYPE": "uima.cas.Sofa", "sofaNum": 1, "sofaID": "_InitialView", "mimeType": "text"}
    whole = {"%ID": 2, "%TYPE": "uima.tcas.DocumentAnnotation", "@sofa": 1, "begin": 0}
    spans = [
        {
            "%ID": number,
            "%TYPE": _LAYER,
            "@sofa": 1,
            "begin": utf_16_offset(case.text, span.start),
            "end": utf_16_offset(case.text, span.end),
            _LABEL: span.label,
        }
        for number, span in enumerate(case.spans, 3)
    ]
    structures = [
        {**sofa, "sofaString": case.text},
        {**whole, "end": utf_16_offset(case.text, len(case.text)), "language": "x-unspecified"},
        *spans,
    ]
    layer = {"%NAME": _LAYER, "%SUPER_TYPE": _ANNOTATION, _LABEL: {"%NAME": _LABEL, "%RANGE": _STRING}}
    members = [structure["%ID"] for structure in structures[1:]]
    return {
        "%TYPES": {_LAYER: layer},
        "%FEATURE_STRUCTURES": structures,
        "%VIEWS": {"_InitialView": {"%SOFA": 1, "%INDEX": 2, "%MEMBERS": members}},
    }


def _json(value: object) -> str:
    return json.dumps(value, ensure_ascii=False, indent=1) + "\n"


_FILES: Mapping[str, Callable[[str, Sequence[MarkedCase]], dict[str, str]]] = {
    "label-studio": _label_studio,
    "doccano": _doccano,
    "inception": _inception,
}

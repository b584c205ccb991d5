"""Writing the spreadsheets that a benchmark's own validation workflow hands to its raters."""

import io
import zipfile
from collections.abc import Mapping, Sequence
from urllib.parse import quote

from reviewer.core.csv_text import sheet_text
from reviewer.core.errors import RequestError
from reviewer.core.names import checked_name
from reviewer.core.table import Table
from reviewer.exchange.exports.study_export import GUARDED
from reviewer.exchange.sheets.filled_sheets import DIGEST_COLUMN
from reviewer.protocols.sheets import ValidationSheet, ValidationSheets
from reviewer.results.labels.cells import Answers
from reviewer.study.design.study_bundle import BLIND, StudyBundle
from reviewer.study.session.label_rows import label_rows
from store.records import Event, StudyCase

_NO_DATE = (1980, 1, 1, 0, 0, 0)


def validation_files(
    bundle: StudyBundle,
    events: Sequence[Event],
    raters: Sequence[str] = (),
    *,
    with_explanations: bool = False,
) -> dict[str, str | bytes]:
    """For each rater a folder and a ZIP of it, and one codebook; by path.

    The rows are in the sample's order for every rater, with the rater's labels if there are any.
    Raises RequestError if the protocol has no such sheets, or the study has no raters.
    """
    validation = sheets_of(bundle)
    names = [checked_name("rater", rater) for rater in raters] or [
        assigned.rater for assigned in bundle.raters
    ]
    if not names:
        raise RequestError(f"study {bundle.study.name!r} has no raters yet; name them with --rater.")
    answers = Answers(label_rows(bundle, events, everyone=True), roles=BLIND)
    files: dict[str, str | bytes] = {"codebook.csv": _codebook(validation.sheets).to_csv()}
    for rater in names:
        sheets = rater_sheets(bundle.as_asked(rater), answers, rater, with_explanations=with_explanations)
        files |= {f"{rater}/{path}": text for path, text in sheets.items()}
        files[f"{rater}.zip"] = _zipped(sheets)
    return files


def export_notes(bundle: StudyBundle, events: Sequence[Event], raters: Sequence[str] = ()) -> list[str]:
    """Sentences on what the authors' script does with the sheets and users should know."""
    answers = Answers(label_rows(bundle, events, everyone=True), roles=BLIND)
    names = list(raters) or [assigned.rater for assigned in bundle.raters]
    places = {place.case: place for place in bundle.sample}
    validation = sheets_of(bundle)
    sheets = {sheet.question for sheet in validation.sheets}
    blank = sum(
        answers.label((question, places[slot.case]), rater) is None
        for question in bundle.questions
        if question.key in sheets
        for rater in names
        for slot in bundle.as_asked(rater).slots(question, BLIND)
    )
    notes = []
    if blank:
        cells = "1 cell is" if blank == 1 else f"{blank:,} cells are"
        notes.append(
            f"The authors' script counts blank cells as False, and {cells} blank: fill them in before you "
            "run it. This program counts them as missing."
        )
    generators = dict.fromkeys(place.generator for place in bundle.sample if place.role in BLIND)
    known = validation.generators
    if known and (unknown := [name for name in generators if name not in known]):
        notes.append(
            f"The authors' script fails at the folder of {', '.join(unknown)}: it only knows "
            f"{', '.join(known)}."
        )
    return notes


def sheets_of(bundle: StudyBundle) -> ValidationSheets:
    """The sheets of the study's protocol; raises RequestError for none, or questions that none can hold."""
    validation = bundle.protocol.validation_sheets()
    if validation is None:
        raise RequestError(
            f"protocol {bundle.protocol.name!r} has no validation sheets; export the study without --as."
        )
    sheets = {sheet.question for sheet in validation.sheets}
    for question in bundle.questions:
        if question.key in sheets and not question.answer_kind.in_sheets:
            raise RequestError(
                f"question {question.key!r} is answered by {question.answer_kind.words}, and a sheet holds "
                "one label; use `reviewer export` without --as, and `reviewer review --plain` to read "
                "answers in."
            )
    return validation


def rater_sheets(
    bundle: StudyBundle, answers: Answers, rater: str, *, with_explanations: bool = False
) -> dict[str, str]:
    """One rater's sheets by path: a folder a generator, a file a question."""
    questions = {question.key: question for question in bundle.questions}
    places = {place.case: place for place in bundle.sample}
    generators = list(dict.fromkeys(place.generator for place in bundle.sample if place.role in BLIND))
    validation = sheets_of(bundle)
    sheets = [sheet for sheet in validation.sheets if sheet.question in questions]
    files = {}

    def texts_of(place: StudyCase) -> Mapping[str, str]:
        return validation.texts(bundle.cases[place.case], bundle.measurements[place.case])

    for generator in generators:
        for sheet in sheets:
            question = questions[sheet.question]
            asked = [places[slot.case] for slot in bundle.slots(question, BLIND)]
            mine = [place for place in asked if place.generator == generator]
            rows = [
                [
                    answers.label((question, place), rater) or "",
                    *_cells(sheet, texts_of(place), with_explanations=with_explanations),
                    place.case,
                ]
                for place in mine
            ]
            head = (sheet.judgement, *(column.name for column in sheet.columns), DIGEST_COLUMN)
            files[f"{folder_name(generator)}/{sheet.file}"] = sheet_text([head, *rows])
    return files


def folder_name(generator: str) -> str:
    """The generator as a folder's name; what no folder can have is percent-encoded."""
    name = quote(generator, safe=" ()[],;=+@!~")
    return name.replace(".", "%2E") if set(name) == {"."} else name


def _cells(sheet: ValidationSheet, texts: Mapping[str, str], *, with_explanations: bool) -> list[str]:
    return ["" if column.sways and not with_explanations else texts[column.name] for column in sheet.columns]


def _zipped(files: Mapping[str, str]) -> bytes:
    content = io.BytesIO()
    with zipfile.ZipFile(content, "w") as archive:  # stored, for compressors differ from machine to machine
        for path, text in files.items():
            member = zipfile.ZipInfo(path, _NO_DATE)
            member.external_attr = 0o644 << 16
            archive.writestr(member, text.encode())
    return content.getvalue()


def _codebook(sheets: Sequence[ValidationSheet]) -> Table:
    rows = []
    for sheet in sheets:
        rows.append((sheet.file, "", "file", GUARDED))
        rows.append((sheet.file, sheet.judgement, "string", "the rater's label; empty is missing"))
        rows += [(sheet.file, column.name, "string", column.meaning) for column in sheet.columns]
        rows.append((sheet.file, DIGEST_COLUMN, "string", "the case of the row; leave it as it is"))
    return Table.of(("file", "column", "type", "meaning"), rows)

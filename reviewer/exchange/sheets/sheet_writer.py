"""Writing the spreadsheets that a benchmark's own validation workflow hands to its raters."""

import io
import zipfile
from collections.abc import Mapping, Sequence
from urllib.parse import quote

from reviewer.core.csv_text import sheet_text
from reviewer.core.errors import RequestError
from reviewer.core.names import checked_name
from reviewer.core.question import Question
from reviewer.core.table import Table
from reviewer.exchange.exports.study_export import GUARDED
from reviewer.exchange.sheets.filled_sheets import DIGEST_COLUMN, cell_of_answer
from reviewer.exchange.sheets.question_sheets import (
    INSTRUCTIONS,
    has_sheet,
    instructions,
    lettered_question,
    letters_in_sheet,
    question_sheets,
    slots_in_sheet,
)
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
        if not validation.by_generator:
            sheets[INSTRUCTIONS] = instructions(bundle)
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
    if blank and validation.by_generator:
        cells = "1 cell is" if blank == 1 else f"{blank:,} cells are"
        notes.append(
            f"The authors' script counts blank cells as False, and {cells} blank: fill them in before you "
            "run it. This program counts them as missing."
        )
    left_out = [question for question in bundle.questions if question.key not in sheets]
    if left_out and not validation.by_generator:
        keys = ", ".join(question.key for question in left_out)
        notes.append(f"No cell of a sheet can answer {keys}; raters answer these here.")
    if bundle.design.swap and not validation.by_generator:
        notes.append("Sheets have both sides in their own order, also where the app exchanges them.")
    generators = dict.fromkeys(place.generator for place in bundle.sample if place.role in BLIND)
    known = validation.generators
    if known and (unknown := [name for name in generators if name not in known]):
        notes.append(
            f"The authors' script fails at the folder of {', '.join(unknown)}: it only knows "
            f"{', '.join(known)}."
        )
    return notes


def sheets_of(bundle: StudyBundle, rater: str = "") -> ValidationSheets:
    """A rater's sheets of the protocol, or the usual ones; raises RequestError if no cell can answer."""
    validation = bundle.protocol.validation_sheets() or question_sheets(bundle, rater)
    if not any(has_sheet(bundle, question) for question in bundle.questions):
        raise RequestError(
            f"a spreadsheet can hold the answers to no question of study {bundle.study.name!r}; use "
            "`reviewer study pack`, or `reviewer review --plain`."
        )
    return validation


def rater_sheets(
    bundle: StudyBundle, answers: Answers, rater: str, *, with_explanations: bool = False
) -> dict[str, str]:
    """One rater's sheets by path: a file for each question, in a folder for each generator if the layout has
    these.
    """
    questions = {question.key: question for question in bundle.questions}
    places = {place.case: place for place in bundle.sample}
    validation = sheets_of(bundle, rater)
    generators = list(dict.fromkeys(place.generator for place in bundle.sample if place.role in BLIND))
    sheets = [sheet for sheet in validation.sheets if sheet.question in questions]
    files = {}

    def texts_of(question: Question, place: StudyCase) -> Mapping[str, str]:
        return validation.texts(question, bundle.cases[place.case], bundle.measurements[place.case])

    for generator in generators if validation.by_generator else (None,):
        for sheet in sheets:
            question = questions[sheet.question]
            asked = [(places[s.case], questions[s.question]) for s in slots_in_sheet(bundle, question, rater)]
            rows = [
                [
                    _answer(bundle, here, rater, place.case, answers.label((here, place), rater)),
                    *_cells(sheet, texts_of(question, place), with_explanations=with_explanations),
                    place.case,
                ]
                for place, here in asked
                if generator in (None, place.generator)
            ]
            head = (sheet.judgement, *(column.name for column in sheet.columns), DIGEST_COLUMN)
            folder = "" if generator is None else f"{folder_name(generator)}/"
            files[f"{folder}{sheet.file}"] = sheet_text([head, *rows])
    return files


def _answer(bundle: StudyBundle, question: Question, rater: str, case: str, answer: str | None) -> str:
    """An answer as the rater writes it in a cell: of outputs to rank, by the letters of their sheet."""
    if answer is None or not (letters := letters_in_sheet(bundle, question, rater, case)):
        return cell_of_answer(question, answer)
    shown = lettered_question(question)
    return cell_of_answer(shown, question.answer_kind.renamed(shown, answer, letters))


def folder_name(generator: str) -> str:
    """The generator as a folder's name; what no folder can have is percent-encoded."""
    name = quote(generator, safe=" ()[],;=+@!~")
    return name.replace(".", "%2E") if set(name) == {"."} else name


def _cells(sheet: ValidationSheet, texts: Mapping[str, str], *, with_explanations: bool) -> list[str]:
    return [
        "" if column.sways and not with_explanations else texts.get(column.name, "")
        for column in sheet.columns
    ]


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

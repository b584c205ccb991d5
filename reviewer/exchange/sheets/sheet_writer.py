"""Writing the spreadsheets that raters fill in: in the layout of their benchmark, or one for each question.

Without a layout of the benchmark, each question has a file, and each case a row. A row has what a rater sees
of a case before the answer, as the app shows it, each text in a column. Of questions about the outputs of a
case, each file has one letter, so that no file is about one output.
"""

import io
import zipfile
from collections.abc import Iterator, Mapping, Sequence
from urllib.parse import quote

from reviewer.core.csv_text import sheet_text
from reviewer.core.errors import RequestError
from reviewer.core.names import checked_name
from reviewer.core.pane import Pair, Pane, Variants
from reviewer.core.question import Question
from reviewer.core.table import Table
from reviewer.exchange.exports.study_export import GUARDED
from reviewer.exchange.sheets.filled_sheets import COMMENT_COLUMNS, DIGEST_COLUMN, cell_of_answer, plain_name
from reviewer.protocols.formats import SheetColumn, ValidationSheet, ValidationSheets
from reviewer.results.labels.divided_items import Answers
from reviewer.study.design.joining import order_seed
from reviewer.study.design.study_bundle import BLIND, StudyBundle
from reviewer.study.session.blinded_panes import sheet_for
from reviewer.study.session.label_rows import label_rows
from reviewer.study.session.side_order import (
    LETTERS,
    by_letter,
    output_letters,
    output_orders,
    under_letters,
    with_outputs,
    with_sides,
)
from reviewer.study.session.verdicts import Slot
from store.records import Case, Event, Measurement, StudyCase

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
    """Sentences for users on the effects of the authors' script on the sheets."""
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
    validation, seed = sheets_of(bundle, rater), sheet_seed(bundle, rater)
    generators = list(dict.fromkeys(place.generator for place in bundle.sample if place.role in BLIND))
    sheets = [sheet for sheet in validation.sheets if sheet.question in questions]
    files = {}

    def texts_of(question: Question, place: StudyCase) -> Mapping[str, str]:
        return validation.texts(question, bundle.cases[place.case], bundle.measurements[place.case])

    for generator in generators if validation.by_generator else (None,):
        for sheet in sheets:
            question = questions[sheet.question]
            asked = [(places[s.case], questions[s.question]) for s in slots_in_sheet(bundle, question, seed)]
            rows = [
                [
                    _answer(here, seed, place.case, answers.label((here, place), rater)),
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


def _answer(question: Question, seed: int, case: str, answer: str | None) -> str:
    """An answer as the rater writes it in a cell: of outputs to rank, by the letters of their sheet."""
    if answer is None or not (letters := letters_in_sheet(question, seed, case)):
        return cell_of_answer(question, answer)
    shown = lettered_question(question)
    return cell_of_answer(shown, question.answer_kind.renamed(shown, answer, letters))


def folder_name(generator: str) -> str:
    """The generator as a folder's name; signs that no folder can have are percent-encoded."""
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


INSTRUCTIONS = "instructions.txt"
"""What the rater reads before they begin."""
_ASKED, _LONGEST_NAME = "question", 40


def question_sheets(bundle: StudyBundle, rater: str) -> ValidationSheets:
    """A rater's sheets for all questions of a study that a cell can answer."""
    seed = sheet_seed(bundle, rater)
    asked = [question for question in bundle.questions if has_sheet(bundle, question)]
    sheets = tuple(_sheet(bundle, question, seed) for question in asked)
    return ValidationSheets(sheets, lambda *about: _texts(bundle, seed, *about), by_generator=False)


def asked_in_row(bundle: StudyBundle, question: Question, seed: int, case: str) -> Question:
    """The question that a sheet asks about a case: of those about outputs, that of its letter."""
    family = [asked for asked in bundle.questions if asked.family == question.family]
    return by_letter(family, seed, Slot(case, question.key))[family.index(question)]


def slots_in_sheet(bundle: StudyBundle, question: Question, seed: int) -> list[Slot]:
    """The slots of the rows of a rater's sheet."""
    if not question.outputs:
        return bundle.slots(question, BLIND)
    cases = (place.case for place in bundle.sample if place.role in BLIND)
    asked = ((case, asked_in_row(bundle, question, seed, case).key) for case in cases)
    return [Slot(case, key) for case, key in asked if bundle.asks(key, case)]


def letters_in_sheet(question: Question, seed: int, case: str) -> dict[str, str]:
    """The letter under which a rater's sheet shows each output to rank; empty if the question ranks none."""
    return output_letters(question, seed, Slot(case, question.key)) if question.answer_kind.is_ranked else {}


def lettered_question(question: Question) -> Question:
    """The question as sheets ask it: outputs to rank have letters."""
    if not question.answer_kind.is_ranked:
        return question
    return question.model_copy(update={"labels": tuple(LETTERS[: len(question.labels)])})


def sheet_seed(bundle: StudyBundle, rater: str) -> int:
    """The seed by which a rater's sheets order outputs."""
    known = next((one.order_seed for one in bundle.raters if one.rater == rater), None)
    return order_seed(bundle.study, rater) if known is None else known


def has_sheet(bundle: StudyBundle, question: Question) -> bool:
    """Whether a cell can hold an answer, and raters see what the question is about from the beginning."""
    late = question.key in bundle.protocol.questions_with_values
    return question.answer_kind.in_sheets and not late and bool(bundle.slots(question, BLIND))


def instructions(bundle: StudyBundle) -> str:
    """How raters fill in the sheets: for each question its answers and its guideline."""
    lines = [
        "Open each file in a spreadsheet program, write your answer in the first column, and save the file "
        "in the same format. Leave a cell empty if you do not answer. A column `comment` of your own may "
        "hold comments. Leave the column `digest` as it is.",
    ]
    for question in bundle.questions:
        if has_sheet(bundle, question):
            answers = question.answer_kind.choices_listed(lettered_question(question).labels)
            how = how_to_write(question)
            lines += ["", f"{_name(question)}.csv: {question.title}", f"Answers: {answers}{how}"]
            lines += [f"{label}: {meaning}" for label, meaning in question.definitions]
            lines += [question.guideline_text] if question.guideline_text else []
    return "\n".join(lines) + "\n"


def how_to_write(question: Question) -> str:
    """How a cell holds an answer, behind what can be answered; "" where the answer itself says it."""
    kind = question.answer_kind
    if kind.is_marked:
        return (
            ". Write the label and the words as they are in the text, with ; between several: "
            f'{question.labels[0]} "the words". Or write START:END:LABEL, as in 0:4:{question.labels[0]}: '
            "characters are counted from 0, and a span ends before END. "
            f"Write `{kind.all_at_once}` if there are no spans"
        )
    if kind.is_ranked:
        return ", as in B > A = C"
    return ", with ; between them" if kind.any_number else ""


def how_to_correct(question: Question) -> str:
    """What to do with a cell that holds no answer to a question."""
    kind = question.answer_kind
    if kind.is_ranked:
        return "rank all outputs, as in B > A = C, or leave it empty"
    if kind.is_marked or not question.labels:
        return "correct it, or leave it empty"
    several = ", with ; between several" if kind.any_number else ""
    return f"write {' or '.join(question.labels)}{several}, or leave it empty"


def _sheet(bundle: StudyBundle, question: Question, seed: int) -> ValidationSheet:
    first: dict[str, SheetColumn] = {}
    for slot in slots_in_sheet(bundle, question, seed):
        for column, meaning, identifies, _ in _cells_of_case(
            bundle, seed, question, bundle.cases[slot.case], ()
        ):
            first.setdefault(column, SheetColumn(column, meaning, identifies=identifies))
    file, columns = f"{_name(question)}.csv", tuple(first.values())
    return ValidationSheet(question.key, file, _judgement(question), columns)


def _name(question: Question) -> str:
    """The name of a sheet: the key of its question, with a letter in the place of an output's number."""
    return f"{question.family}_{LETTERS[question.entry - 1]}" if question.outputs else question.key


def _judgement(question: Question) -> str:
    return f"answer_{_name(question)}"


def _texts(
    bundle: StudyBundle, seed: int, question: Question, case: Case, measurements: Sequence[Measurement]
) -> Mapping[str, str]:
    return {column: text for column, _, _, text in _cells_of_case(bundle, seed, question, case, measurements)}


def _cells_of_case(
    bundle: StudyBundle, seed: int, question: Question, case: Case, measurements: Sequence[Measurement]
) -> Iterator[tuple[str, str, bool, str]]:
    """Column, what it is, whether it tells cases apart, and its text: the question, then the panes."""
    measured = measurements or bundle.measurements[case.digest]
    question = asked_in_row(bundle, question, seed, case.digest)
    sheet = sheet_for(
        bundle.protocol, question, case, measured, (), bundle.study.view, all_others_answered=False
    )
    if question.sides is not None:
        sheet = with_sides(sheet, question.sides, exchanged=False, named=not bundle.design.swap)
    sheet = with_outputs(
        sheet, output_orders(bundle.questions, seed, Slot(case.digest, question.key)), named=False
    )
    if question.outputs:
        question = under_letters(question, output_letters(question, seed, Slot(case.digest, question.key)))
    yield _ASKED, "what is asked about the case", False, question.wording(bundle.terms(case.digest))
    for panes, is_asked in ((sheet.first, True), (sheet.beside, False)):
        for pane in panes:
            for column, meaning, text in pane_columns(pane):
                yield _free(column, question), meaning, is_asked, text


def pane_columns(pane: Pane) -> Iterator[tuple[str, str, str]]:
    """The texts of a pane, each with the name and the meaning of its column."""
    match pane.body:
        case Pair(left_title=left, right_title=right) as pair:
            yield f"{pane.key}_1", f"{pane.title}: {left}", pair.left.text
            yield f"{pane.key}_2", f"{pane.title}: {right}", pair.right.text
        case Variants() as variants:
            for number, (title, text) in enumerate(variants.texts, 1):
                name = title if title.isalnum() and len(title) <= _LONGEST_NAME else number
                yield f"{pane.key}_{name}", f"{pane.title}: {title}", text.text
        case Table() as table:
            rows = (" | ".join("" if cell is None else str(cell) for cell in row) for row in table.rows)
            yield pane.key, pane.title, "\n".join(rows)
        case body:
            yield pane.key, pane.title, body.text


def _free(column: str, question: Question) -> str:
    """The name of a column, changed where it would be read as something else."""
    taken = {_ASKED, DIGEST_COLUMN, *COMMENT_COLUMNS, plain_name(_judgement(question))}
    return f"{column}_text" if plain_name(column) in taken else column

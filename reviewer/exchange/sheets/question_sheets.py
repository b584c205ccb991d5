"""Sheets for benchmarks that bring no layout of their own: a file for each question, a row for each case.

A row has what a rater sees of a case before the answer, as the app shows it, each text in a column. Of
questions about the outputs of a case, each file has one letter, so that no file is about one output.
"""

from collections.abc import Iterator, Mapping, Sequence

from reviewer.core.pane import Pair, Pane, Variants
from reviewer.core.question import Question
from reviewer.core.table import Table
from reviewer.exchange.sheets.filled_sheets import COMMENT_COLUMNS, DIGEST_COLUMN, plain_name
from reviewer.protocols.sheets import SheetColumn, ValidationSheet, ValidationSheets
from reviewer.study.design.assignments import order_seed
from reviewer.study.design.study_bundle import BLIND, StudyBundle
from reviewer.study.session.blinded_panes import sheet_for
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
from store.records import Case, Measurement

INSTRUCTIONS = "instructions.txt"
"""What the rater reads before they begin."""
_ASKED, _LONGEST_NAME = "question", 40


def question_sheets(bundle: StudyBundle, rater: str) -> ValidationSheets:
    """A rater's sheets for all questions of a study that a cell can answer."""
    seed = _order_seed(bundle, rater)
    asked = [question for question in bundle.questions if has_sheet(bundle, question)]
    sheets = tuple(_sheet(bundle, question, seed) for question in asked)
    return ValidationSheets(sheets, lambda *about: _texts(bundle, seed, *about), by_generator=False)


def asked_in_row(bundle: StudyBundle, question: Question, rater: str, case: str) -> Question:
    """The question that a sheet asks about a case: of those about outputs, that of its letter."""
    return _asked_in_row(bundle, question, _order_seed(bundle, rater), case)


def _asked_in_row(bundle: StudyBundle, question: Question, seed: int, case: str) -> Question:
    family = [asked for asked in bundle.questions if asked.family == question.family]
    return by_letter(family, seed, Slot(case, question.key))[family.index(question)]


def slots_in_sheet(bundle: StudyBundle, question: Question, rater: str) -> list[Slot]:
    """The slots of the rows of a rater's sheet."""
    return _slots_in_sheet(bundle, question, _order_seed(bundle, rater))


def _slots_in_sheet(bundle: StudyBundle, question: Question, seed: int) -> list[Slot]:
    if not question.outputs:
        return bundle.slots(question, BLIND)
    cases = (place.case for place in bundle.sample if place.role in BLIND)
    asked = ((case, _asked_in_row(bundle, question, seed, case).key) for case in cases)
    return [Slot(case, key) for case, key in asked if bundle.asks(key, case)]


def letters_in_sheet(bundle: StudyBundle, question: Question, rater: str, case: str) -> dict[str, str]:
    """The letter under which a rater's sheet shows each output to rank; empty if the question ranks none."""
    slot = Slot(case, question.key)
    return (
        output_letters(question, _order_seed(bundle, rater), slot) if question.answer_kind.is_ranked else {}
    )


def lettered_question(question: Question) -> Question:
    """The question as sheets ask it: outputs to rank have letters."""
    if not question.answer_kind.is_ranked:
        return question
    return question.model_copy(update={"labels": tuple(LETTERS[: len(question.labels)])})


def _order_seed(bundle: StudyBundle, rater: str) -> int:
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
    for slot in _slots_in_sheet(bundle, question, seed):
        for column, meaning, identifies, _ in _cells(bundle, seed, question, bundle.cases[slot.case], ()):
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
    return {column: text for column, _, _, text in _cells(bundle, seed, question, case, measurements)}


def _cells(
    bundle: StudyBundle, seed: int, question: Question, case: Case, measurements: Sequence[Measurement]
) -> Iterator[tuple[str, str, bool, str]]:
    """Column, what it is, whether it tells cases apart, and its text: the question, then the panes."""
    measured = measurements or bundle.measurements[case.digest]
    question = _asked_in_row(bundle, question, seed, case.digest)
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
    """The texts of a pane, each with the name of its column and what it is."""
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

"""Importing filled validation sheets: all of them, as events of the ledger, or nothing.

Which case a row is about is decided by its texts, never by its position.
"""

import unicodedata
from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from urllib.parse import unquote

from reviewer.core.csv_text import unguarded
from reviewer.core.errors import InputError, RequestError
from reviewer.core.question import Question
from reviewer.core.sanitize import agreeing, counted, one_line, text_fault, without_controls
from reviewer.exchange.labels.verdict_storing import IncomingVerdict, StoredVerdicts, store_verdicts
from reviewer.exchange.sheets.filled_sheets import (
    COMMENT_COLUMNS,
    DIGEST_COLUMN,
    ORIGINAL,
    FilledRow,
    FilledSheet,
    Judgement,
    read_answer,
    read_filled,
)
from reviewer.exchange.sheets.sheet_writer import (
    asked_in_row,
    how_to_correct,
    lettered_question,
    letters_in_sheet,
    sheet_seed,
    sheets_of,
    slots_in_sheet,
)
from reviewer.protocols.formats import TextsOf
from reviewer.study.design.study_bundle import StudyBundle
from reviewer.study.transfer.answer_reports import (
    blank_answers,
    contradictory_answers,
    doubled_answers,
    late_answers_refused,
)
from store.database import Database
from store.records import StudyCase

_EMPTY = "is empty, so it is unclear which case the row is about"


@dataclass
class CheckedSheets:
    """The verdicts in the sheets, the problems that keep them from being stored, and notices."""

    verdicts: list[IncomingVerdict] = field(default_factory=list)
    problems: list[InputError] = field(default_factory=list)
    notices: list[str] = field(default_factory=list)


def check_sheets(bundle: StudyBundle, path: Path, rater: str = "") -> CheckedSheets:
    """Read and match a rater's sheets without writing anything; raises InputError for no sheets at all.

    Rows and files that are not there are missing verdicts.
    """
    validation, seed = sheets_of(bundle, rater), sheet_seed(bundle, rater)
    if bundle.study.closed_at is not None:
        raise RequestError(late_answers_refused(bundle.study.name, bundle.study.closed_at))
    filled = read_filled(path, validation.sheets)
    matched = CheckedSheets(problems=filled.problems, notices=filled.notices)
    first: dict[tuple[str, str], str] = {}
    for sheet in filled.sheets:
        question = next((asked for asked in bundle.questions if asked.key == sheet.sheet.question), None)
        if question is None:
            matched.notices.append(
                f"{sheet.file}: the study does not ask this question; the file was ignored"
            )
            continue
        places = _places(bundle, question, sheet, matched, seed, by_generator=validation.by_generator)
        if places is not None:
            before = len(matched.verdicts)
            _SheetMatch(bundle, question, sheet, places, matched, seed, validation.texts).run()
            _refuse_a_second_sheet(sheet, matched, matched.verdicts[before:], first)
    return matched


def _refuse_a_second_sheet(
    sheet: FilledSheet,
    matched: CheckedSheets,
    verdicts: Sequence[IncomingVerdict],
    first: dict[tuple[str, str], str],
) -> None:
    """Refuse two sheets about the same cases: it is unclear which one counts.

    Names do not tell them apart, since a ZIP may hold one name twice; what they answer does.
    """
    about = [(verdict.question.key, verdict.case) for verdict in verdicts]
    others = dict.fromkeys(first[item] for item in about if item in first)
    for other in others:
        where = "a sheet of the same name" if other == sheet.file else other
        wrong = f"answers the same questions about the same cases as {where}"
        matched.problems.append(InputError(sheet.file, wrong, "leave one of the two out"))
    first.update(dict.fromkeys(about, sheet.file))


def _places(
    bundle: StudyBundle,
    question: Question,
    sheet: FilledSheet,
    matched: CheckedSheets,
    seed: int,
    *,
    by_generator: bool,
) -> list[StudyCase] | None:
    """The cases that the sheet should be about: those of the generator that its folder names."""
    by_case = {place.case: place for place in bundle.sample}
    places = [by_case[slot.case] for slot in slots_in_sheet(bundle, question, seed)]
    if not sheet.folder or not by_generator:
        return places
    generators = list(dict.fromkeys(place.generator for place in bundle.sample))
    generator = generator_of_folder(sheet.folder, generators)
    if generator is None:
        wrong = f"the folder {one_line(sheet.folder, 60)!r} is none of the study's generators"
        matched.problems.append(InputError(sheet.file, wrong, f"name it as one of {', '.join(generators)}"))
        return None
    return [place for place in places if place.generator == generator]


def generator_of_folder(folder: str, generators: Iterable[str]) -> str | None:
    """Which of the generators a folder of sheets is for: named in full, or after the last ``=``."""
    known = {generator.casefold(): generator for generator in generators}
    names = (folder, unquote(folder), unquote(folder.rpartition("=")[2]))
    return next((known[name.casefold()] for name in names if name.casefold() in known), None)


class _SheetMatch:
    """Matches the rows of one sheet to cases."""

    def __init__(
        self,
        bundle: StudyBundle,
        question: Question,
        sheet: FilledSheet,
        places: Sequence[StudyCase],
        matched: CheckedSheets,
        seed: int,
        texts_of: TextsOf,
    ) -> None:
        self._bundle, self._seed = bundle, seed
        self._question, self._sheet, self._matched = question, sheet, matched
        self._plain = unguarded_text if sheet.has_digests else plain_text
        self._names = [column.name for column in sheet.sheet.columns if column.identifies]
        self._texts = {place.case: self._texts_of(bundle, place, texts_of) for place in places}
        self._given = [name for name in self._names if name.lower() in sheet.columns]

    def _texts_of(self, bundle: StudyBundle, place: StudyCase, texts_of: TextsOf) -> Mapping[str, str]:
        texts = texts_of(self._question, bundle.cases[place.case], bundle.measurements[place.case])
        return {name: self._plain(texts.get(name, "")) for name in self._names}

    def run(self) -> None:
        """Match every row, then settle which of several rows with the same texts is about which case."""
        if not self._given and not self._sheet.has_digests:
            self._problem(None, self._names[0], "every column that tells cases apart is gone", ORIGINAL)
            return
        groups: dict[tuple[str, ...], list[FilledRow]] = defaultdict(list)
        for row in self._sheet.rows:
            cases = self._cases_of(row)
            if cases:
                groups[cases].append(row)
        for cases, rows in groups.items():
            self._settle(cases, rows)
        missing = len(self._texts) - sum(min(len(cases), len(rows)) for cases, rows in groups.items())
        if missing:
            rows_are = f"{counted(len(self._texts), 'row')} {agreeing(missing, 'is', 'are')} not there"
            self._notice(blank_answers(f"{missing} of {rows_are}"))

    def _cases_of(self, row: FilledRow) -> tuple[str, ...]:
        """The case that the row's digest names, or those with exactly its texts; none, with a problem, if
        they are unknown, ambiguous or at odds."""
        said = {name: self._plain(row.cells.get(name.lower(), "")) for name in self._given}
        if digest := row.cells.get(DIGEST_COLUMN, "").strip().lower():
            return self._case_named(digest, row, said)
        if not said:
            self._problem(row, DIGEST_COLUMN, _EMPTY, ORIGINAL)
            return ()
        fitting = [
            case for case, texts in self._texts.items() if all(texts[name] == said[name] for name in said)
        ]
        if not fitting:
            self._problem(row, *self._why_none(said), ORIGINAL)
            return ()
        if len({tuple(self._texts[case].values()) for case in fitting}) > 1:
            gone = ", ".join(name for name in self._names if name not in self._given)
            self._problem(row, None, f"fits {len(fitting)} cases", f"bring back the column {gone}")
            return ()
        return tuple(fitting)

    def _case_named(self, digest: str, row: FilledRow, said: Mapping[str, str]) -> tuple[str, ...]:
        texts = self._texts.get(digest)
        if texts is None:
            wrong = f"names no case here (it begins {one_line(digest, 12)!r})"
            self._problem(row, DIGEST_COLUMN, wrong, ORIGINAL)
            return ()
        if other := next((name for name in said if said[name] != texts[name]), None):
            self._problem(row, other, "is not the text of the case that the row's digest names", ORIGINAL)
            return ()
        return (digest,)

    def _why_none(self, said: Mapping[str, str]) -> tuple[str, str]:
        for name, text in said.items():
            if all(texts[name] != text for texts in self._texts.values()):
                if not text:
                    return name, _EMPTY
                return name, f"is the text of no case here (it begins {one_line(text, 40)!r})"
        return ", ".join(said), "the texts are those of different cases"

    def _settle(self, cases: tuple[str, ...], rows: Sequence[FilledRow]) -> None:
        """Give each row its case; cases with the same texts cannot be told apart and are taken in order."""
        marked = self._bundle.marked_text(self._question, cases[0])  # the others have the same texts
        judged = [(row, read) for row in rows if (read := self._judgement(row, marked)) is not None]
        labels = {judgement.label for _, judgement in judged}
        column, lines = self._sheet.sheet.judgement, _lines_of(rows)
        if len(rows) > len(cases) and len(labels) > 1:
            self._problem(rows[0], column, contradictory_answers(lines), "leave one of them out")
            return
        if len(rows) < len(cases) and len(labels) > 1:
            wrong = f"{len(cases)} cases have these texts, and only {lines} with different answers"
            self._problem(rows[0], column, wrong, "bring back the other rows, which tell the cases apart")
            return
        if len(rows) > len(cases):
            self._notice(doubled_answers(lines))
        elif len(cases) > 1 and len(labels) > 1:
            self._notice(f"{lines} have the same texts; their answers were taken in order")
        for case, (row, judgement) in zip(cases, judged, strict=False):
            if fault := text_fault(judgement.comment):
                self._problem(row, None, f"its comment {fault[0]}", fault[1])
            said = (self._kept(case, judgement.label), judgement.comment, row.where, self._shown_in(row))
            asked = asked_in_row(self._bundle, self._question, self._seed, case)
            self._matched.verdicts.append(IncomingVerdict(asked, case, *said))

    def _kept(self, case: str, label: str | None) -> str | None:
        """An answer as the ledger keeps it: a ranking of letters by the names of the outputs."""
        letters = letters_in_sheet(self._question, self._seed, case)
        if label is None or not letters:
            return label
        outputs = {letter: output for output, letter in letters.items()}
        return self._question.answer_kind.renamed(self._question, label, outputs)

    def _shown_in(self, row: FilledRow) -> tuple[str, ...]:
        names = (column.name for column in self._sheet.sheet.columns)
        return tuple(name for name in names if row.cells.get(name.lower(), "").strip())

    def _judgement(self, row: FilledRow, marked: str | None) -> Judgement | None:
        """The row's judgement with the comment of a column of its own, None where it cannot be read."""
        column = self._sheet.sheet.judgement
        try:
            cell = row.cells.get(column.lower(), "")
            own_text = self._sheet.has_digests and self._question.answer_kind.is_written
            asked = lettered_question(self._question)
            judgement = read_answer(unguarded(cell) if own_text else cell, asked, marked)
        except ValueError as error:
            self._problem(row, column, str(error), how_to_correct(self._question))
            return None
        beside = [row.cells[name].strip() for name in COMMENT_COLUMNS if row.cells.get(name, "").strip()]
        return Judgement(judgement.label, "\n".join(filter(None, [judgement.comment, *beside])))

    def _problem(self, row: FilledRow | None, column: str | None, wrong: str, remedy: str) -> None:
        where = (row.where if row else self._sheet.file) + (f", column {column}" if column else "")
        self._matched.problems.append(InputError(where, wrong, remedy))

    def _notice(self, text: str) -> None:
        self._matched.notices.append(f"{self._sheet.file}: {text}")


def _lines_of(rows: Sequence[FilledRow]) -> str:
    lines = [row.where.rpartition(" ")[2] for row in rows]
    if len(lines) > 4:
        return f"{len(lines)} lines from {lines[0]} to {lines[-1]}"
    return "lines " + ", ".join(lines) if len(lines) > 1 else f"line {lines[0]}"


def plain_text(text: str) -> str:
    """A text without the parts that spreadsheets change: line ends, blanks, composed letters."""
    return " ".join(unicodedata.normalize("NFC", without_controls(text)).split())


def unguarded_text(text: str) -> str:
    """A plain text without guards against formulas, to compare one that may have come from our CSV."""
    bare = without_controls(text)
    while (less := unguarded(bare)) != bare:
        bare = less  # people take guards off themselves, and put them there
    return plain_text(bare)


def store_sheets(
    database: Database, bundle: StudyBundle, rater: str, verdicts: Sequence[IncomingVerdict]
) -> StoredVerdicts:
    """Append what differs from the rater's current verdicts, in one turn of the ledger.

    An empty cell takes nothing back. Raises RequestError for a rater who may not take part.
    """
    return store_verdicts(database, bundle, {rater: verdicts}, "spreadsheet")

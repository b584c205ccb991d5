"""Writing a dataset as a file, in a format of its protocol."""

from collections.abc import Container, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from reviewer.core.errors import InputError, RequestError
from reviewer.core.sanitize import one_line
from reviewer.core.strict_json import parse
from reviewer.core.whole_files import write_texts
from reviewer.exchange.rows.row_files import content_of_rows, json_text
from reviewer.protocols.base import Protocol
from reviewer.protocols.case_lines import CaseLines, formats_of
from reviewer.protocols.formats import JsonFormat, RowsFormat, StoredCase, TextFormat, damaged_record
from reviewer.protocols.registry import protocols_of
from reviewer.results.labels.final_labels import LabelRule, check_label_rule, final_labels
from reviewer.study.integrity.quarantine import read_study
from store.cases import Filter, get_dataset, get_measurements, list_places, raw_records
from store.database import Database
from store.records import JsonValue, Measurement, Membership
from store.revisions import RevisionCounts, histories, revision_counts, withdrawn_places

_PORTION = 400
Writable = JsonFormat | RowsFormat | TextFormat


@dataclass(frozen=True, slots=True)
class Written:
    """How many cases were written, and how many of them without the record that their file held.

    ``revised`` cases were written with their new content, and ``withdrawn`` ones left out.
    """

    cases: int
    not_as_published: int
    revised: int = 0
    withdrawn: int = 0


def write_dataset(
    database: Database, dataset: str, file: Path, study: str | None = None, rule: LabelRule = "majority"
) -> Written:
    """Write every case of a dataset, as it was published where that was kept. Raises RequestError.

    Withdrawn cases are left out. With a study, each row also has the key and the digest of its case, and a
    column for each question with the final label.
    """
    with database.read() as session:
        header = get_dataset(session, dataset)
        counts = revision_counts(session).get(dataset, RevisionCounts())
    protocol = protocols_of(database).named(header.protocol)
    forms = [form for form in formats_of(protocol) if isinstance(form, Writable)]
    form = _format_for(protocol, forms, file)
    if study is not None and (isinstance(form, CaseLines) or not isinstance(form, RowsFormat)):
        raise RequestError(
            f"files of {protocol.title} have no columns for labels; use `reviewer labels {one_line(study)}`."
        )
    cases = [_in_form(form, forms, stored) for stored in stored_cases(database, dataset)]
    if isinstance(form, RowsFormat):
        rows = [dict(row) for row in form.write(cases, protocol)]
        labelled = rows if study is None else _with_labels(rows, cases, database, study, rule)
        content = content_of_rows(labelled, file.name)
    elif isinstance(form, TextFormat):
        content = form.write(cases, protocol)
    else:
        content = json_text(form.write(cases, protocol), indent=4)
    write_texts(file.parent, {file.name: content})
    not_as_published = sum(case.raw is None for case in cases) - counts.revised
    return Written(len(cases), max(0, not_as_published), counts.revised, counts.withdrawn)


def _format_for(protocol: Protocol, forms: Sequence[Writable], file: Path) -> Writable:
    form_of_name = next((form for form in forms if form.recognises(file.name, is_folder=False)), None)
    if form_of_name is None:
        names = ", ".join(form.name for form in forms)
        raise RequestError(
            f"{protocol.title} is written as {names}; give a file whose name ends in .jsonl with -o."
        )
    return form_of_name


def _in_form(form: Writable, forms: Sequence[Writable], stored: StoredCase) -> StoredCase:
    """The case without its record if that has the form of another format; raises StoreError if of none."""
    if stored.raw is None or form.is_record(stored.raw):
        return stored
    if any(other.is_record(stored.raw) for other in forms):
        return replace(stored, raw=None)
    raise damaged_record(stored.place, "it has the form of no format")


def _with_labels(
    rows: Sequence[dict[str, JsonValue]],
    cases: Sequence[StoredCase],
    database: Database,
    study: str,
    rule: LabelRule,
) -> list[dict[str, JsonValue]]:
    """The rows with key, digest and the final labels of a study, in columns that the rows do not have yet.

    A column names the rule of the labels if it is not the majority.
    """
    bundle, events = read_study(database, study)
    check_label_rule(bundle, rule)
    finals = {
        (final.place.dataset, final.place.key, final.place.case, final.question.key): final.label
        for final in final_labels(bundle, events, rule)
    }
    taken = {column for row in rows for column in row}
    columns = {name: _free(name, taken) for name in ("key", "case")}
    questions = {question.key: _free(f"final_{question.key}", taken) for question in bundle.questions}
    named = {} if rule == "majority" else {_free("final_rule", taken): rule}
    return [
        {
            **row,
            columns["key"]: stored.place.key,
            columns["case"]: stored.place.case,
            **{column: finals.get((*_place_of(stored), key)) for key, column in questions.items()},
            **named,
        }
        for row, stored in zip(rows, cases, strict=True)
    ]


def _place_of(stored: StoredCase) -> tuple[str, str, str]:
    return stored.place.dataset, stored.place.key, stored.place.case


def _free(name: str, taken: Container[str]) -> str:
    """The name, with "reviewer_" before it as long as the rows have such a column already."""
    while name in taken:
        name = f"reviewer_{name}"
    return name


def stored_cases(database: Database, dataset: str, *, withdrawn: bool = False) -> list[StoredCase]:
    """Every case of a dataset with its published values and its record, in order.

    Withdrawn cases are left out unless they are asked for.
    """
    with database.read() as session:
        gone = set() if withdrawn else withdrawn_places(session, [dataset])
        held = list_places(session, Filter(datasets=(dataset,)))
        places = [pair for pair in held if (dataset, pair[0].key) not in gone]
        raw = raw_records(session, dataset)
        digests = list(dict.fromkeys(place.case for place, _ in places))
        values: dict[str, list[Measurement]] = {}
        for start in range(0, len(digests), _PORTION):
            values |= get_measurements(session, digests[start : start + _PORTION])
        revised = {key for _, key in histories(session, [dataset])}
    names = {value.name for some in values.values() for value in some if value.dataset == dataset}
    published = {place.key: _published(place, values) for place, _ in places}
    for key, digest in ((place.key, place.case) for place, _ in places if place.key in revised):
        published[key] = published[key] or _measured(values[digest], names)
    return [
        StoredCase(place, case, published[place.key], _kept(place, raw.get(place.key)))
        for place, case in places
    ]


def _measured(values: Sequence[Measurement], names: Container[str]) -> dict[str, JsonValue]:
    """What an audit measured on repaired content, of the first version if both have a value."""
    found: dict[str, JsonValue] = {}
    for value in values:
        if value.source == "measured" and value.name in names and not value.came_with_place:
            found.setdefault(value.name, value.value)
    return found


def _kept(place: Membership, text: str | None) -> JsonValue:
    """The record that was kept of a place; raises StoreError if an export could not write it again."""
    if text is None:
        return None
    try:
        value: JsonValue = parse(text, "it")
        json_text(value).encode()
    except (InputError, ValueError) as error:
        raise damaged_record(place, one_line(str(error), 60)) from error
    if value is None:
        raise damaged_record(place, "it holds nothing")
    return value


def _published(place: Membership, values: Mapping[str, Sequence[Measurement]]) -> dict[str, JsonValue]:
    return {value.name: value.value for value in values[place.case] if value.is_at(place)}

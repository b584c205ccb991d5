"""The bounds of input: the longest that is taken, and one more, through each way in."""

import csv
import io
import json
import zipfile
from collections.abc import Callable
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest
from pydantic import TypeAdapter

from reviewer.core.errors import InputError, RequestError
from reviewer.core.names import checked_name
from reviewer.core.personal_settings import load_settings
from reviewer.core.sanitize import LONGEST_TEXT
from reviewer.core.source_text import (
    MOST_BYTES_OF_SETTINGS,
    MOST_PARTS,
    MOST_PARTS_OF_A_KEY,
    read_toml,
    toml_fault,
)
from reviewer.core.strict_json import MOST_CHARACTERS, fault_in
from reviewer.exchange.evaluations.case_sample import SampleRequest, draw_sample
from reviewer.exchange.releases.release_content import checked_version
from reviewer.exchange.releases.release_folder import read_folder
from reviewer.exchange.releases.release_making import said_citation
from reviewer.exchange.rows.dataset_import import import_path
from reviewer.exchange.rows.declaration_file import declared_in
from reviewer.exchange.rows.published_numbers import published_rows, read_funnels
from reviewer.exchange.rows.row_files import open_rows
from reviewer.exchange.rows.study_inputs import read_briefing, read_case_list
from reviewer.exchange.rows.template_files import template_paths
from reviewer.exchange.sheets.filled_sheets import read_filled
from reviewer.protocols.declared.declaration_reading import MOST_BYTES as MOST_BYTES_OF_DECLARATION
from reviewer.protocols.detail_levels.levels_protocol import ChoiceText, LevelText
from reviewer.protocols.intake import LONGEST_GENERATOR, is_generator_name, known_group
from reviewer.protocols.judge_pairs.payloads import MOST_IN_DEFINITION, MOST_IN_NAME, BiasName, Definition
from reviewer.protocols.registry import PROTOCOLS
from reviewer.protocols.templates.case_template import NumberValue
from reviewer.protocols.templates.expressions import parse_expression
from reviewer.protocols.templates.template_toml import template_tables
from reviewer.protocols.treatment_tests.published_xml import template_from_xml
from reviewer.protocols.treatment_tests.treatment_test import MOST_OPTIONS, TreatmentTest
from reviewer.runs.generation.generation_setup import seeds_in
from reviewer.study.design.design_facts import MOST_CHARACTERS as MOST_OF_A_DESCRIPTION
from reviewer.study.design.design_facts import describe_study
from reviewer.study.design.study_creation import Design, create_study
from store.case_import import import_entries
from store.event_limits import LONGEST_PANE_KEY, MOST_PANES, content_fault
from store.records import Citation, Dataset
from tests.studies import AT, a_case, a_study, entries_for, open_store
from tests.teas import DECLARATION as TEAS

MIB = 1024 * 1024
Send = Callable[[int, Path], object]


def refused(fault: str | None) -> None:
    """Raise what a function only returns."""
    if fault is not None:
        raise ValueError(fault)


def a_file(folder: Path, name: str, begin: str, size: int, filler: str = "#") -> Path:
    """A file of this many bytes that begins so and goes on as a comment."""
    path = folder / name
    path.write_text(begin + filler * (size - len(begin)))
    return path


def in_lines(folder: Path, begin: str, size: int, line: str = "") -> Path:
    """A table of this many bytes in lines of a hundred kilobytes."""
    path = folder / "a.csv"
    whole = f"{line}{'a' * (99_999 - len(line))}\n"
    lines, rest = divmod(size - len(begin), len(whole))
    path.write_text(begin + whole * lines + (line + "a" * (rest - len(line)) if rest else ""))
    return path


def a_zip(folder: Path, sizes: list[int]) -> Path:
    """A ZIP of CSV files of these sizes, none of which is a sheet."""
    path = folder / "a.zip"
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED, compresslevel=1) as archive:
        for number, size in enumerate(sizes):
            archive.writestr(f"a{number}.csv", b"a" * size)
    return path


def sheets_in(path: Path) -> None:
    """Read a ZIP or a folder; that it holds no sheet is no matter of bounds."""
    try:
        found = read_filled(path, ())
    except InputError as error:
        if "holds no validation sheet" not in error.wrong:
            raise
    else:
        refused(str(found.problems[0]) if found.problems else None)


def nested(depth: int) -> Any:
    value: Any = 1
    for _ in range(depth):
        value = [value]
    return value


def named_expression(_name: str) -> None:
    """Any name may be used."""


def a_test(**changes: Any) -> None:
    texts = {"scenario": "s", "control": "c", "treatment": "t", "k": 1, "x1": 0, "x2": 1}
    TreatmentTest.model_validate({**texts, "options": ["a", "b"], **changes})


def pieces(number: int) -> list[dict[str, Any]]:
    return [{"version": "control", "start": 0, "end": 1, "kind": "value", "name": "a"}] * number


def xml_of(number: int, _folder: Path) -> None:
    """A template of this many elements; whatever else is wrong with it is no matter of bounds."""
    try:
        template_from_xml("<config>" + "<custom_values/>" * (number - 1) + "</config>", "a.xml")
    except InputError as error:
        if "more than" in error.wrong:
            raise


def rows_of(path: Path) -> None:
    for record in open_rows(path).read():
        if isinstance(record.content, InputError):
            raise record.content


def a_table(folder: Path, cells: list[str]) -> Path:
    held = io.StringIO()
    csv.writer(held).writerows([[f"c{number}" for number in range(len(cells))], cells])
    path = folder / "a.csv"
    path.write_text(held.getvalue())
    return path


BOUNDS: dict[str, tuple[int, Send]] = {
    "bytes of settings": (
        MOST_BYTES_OF_SETTINGS,
        lambda size, folder: load_settings(a_file(folder, "a.toml", "# ", size)),
    ),
    "bytes of guidelines and groups": (
        MOST_BYTES_OF_SETTINGS,
        lambda size, folder: read_toml(a_file(folder, "a.toml", "a = 1\n# ", size), "a.toml", ""),
    ),
    "parts of a TOML key": (
        MOST_PARTS_OF_A_KEY,
        lambda size, _: refused(toml_fault("a." * (size - 1) + "a = 1")),
    ),
    "parts of a TOML text": (MOST_PARTS, lambda size, _: refused(toml_fault("a\n" * size))),
    "depth of TOML": (64, lambda size, _: refused(toml_fault("a = " + "[" * size))),
    "characters of TOML": (16 * MIB, lambda size, _: refused(toml_fault("#" * size))),
    "depth of JSON": (32, lambda size, _: refused(fault_in(nested(size)))),
    "characters of a stored text": (MOST_CHARACTERS, lambda size, _: refused(fault_in("a" * size))),
    "bytes of a declaration": (
        MOST_BYTES_OF_DECLARATION,
        lambda size, folder: declared_in(a_file(folder, "a.toml", TEAS + "# ", size), PROTOCOLS),
    ),
    "bytes of templates with slots": (
        16 * MIB,
        lambda size, folder: template_paths([a_file(folder, "a.toml", "a = 1\n# ", size)]),
    ),
    "bytes of published shares": (
        64 * MIB,
        lambda size, folder: published_rows(in_lines(folder, "a\n", size), ("a",), print),
    ),
    "bytes of a funnel": (
        4_000_000,
        lambda size, folder: read_funnels(
            in_lines(folder, "run,filter,discarded,note\n", size, "r,a,1,"), ("a",), "group", print
        ),
    ),
    "bytes of a list of cases": (
        32 * MIB,
        lambda size, folder: read_case_list(in_lines(folder, "a\n", size), print),
    ),
    "characters of a briefing": (
        2000,
        lambda size, folder: read_briefing(a_file(folder, "a.txt", "a", size, "a")),
    ),
    "bytes of a filled sheet": (16 * MIB, lambda size, folder: sheets_in(a_zip(folder, [size]))),
    "bytes of all filled sheets": (
        64 * MIB,
        lambda size, folder: sheets_in(a_zip(folder, [16 * MIB] * 3 + [15 * MIB, size - 63 * MIB])),
    ),
    "files of a ZIP": (2_000, lambda size, folder: sheets_in(a_zip(folder, [0] * size))),
    "bytes of a folder of sheets": (
        64 * MIB,
        lambda size, folder: sheets_in(a_sparse_folder(folder, [16 * MIB] * 3 + [15 * MIB, size - 63 * MIB])),
    ),
    "columns of a CSV": (10_000, lambda size, folder: rows_of(a_table(folder, ["a"] * size))),
    "characters of a cell": (1_000_000, lambda size, folder: rows_of(a_table(folder, ["a" * size, "b"]))),
    "files of a release": (1_000, lambda size, folder: read_folder(a_folder(folder, size))),
    "characters of a version": (32, lambda size, _: checked_version("1.0-" + "a" * (size - 4))),
    "characters of an author": (
        200,
        lambda size, _: said_citation(
            Citation(dataset="a", licence="", authors=[], contact=""), "mit", ["a" * size], "me"
        ),
    ),
    "characters of a name": (64, lambda size, _: checked_name("study", "a" * size)),
    "characters of a generator": (
        LONGEST_GENERATOR,
        lambda size, _: refused(None if is_generator_name("a" * size) else "no name"),
    ),
    "characters of a group": (
        200,
        lambda size, _: known_group(PROTOCOLS["judge-pairs"], "a" * size, "line 1"),
    ),
    "characters of a bias": (MOST_IN_NAME, lambda size, _: TypeAdapter(BiasName).validate_python("a" * size)),
    "characters of a definition": (
        MOST_IN_DEFINITION,
        lambda size, _: TypeAdapter(Definition).validate_python("a" * size),
    ),
    "characters of a level": (20_000, lambda size, _: TypeAdapter(LevelText).validate_python("a" * size)),
    "characters of a choice": (500, lambda size, _: TypeAdapter(ChoiceText).validate_python("a" * size)),
    "characters of a test": (50_000, lambda size, _: a_test(scenario="a" * size)),
    "options of a test": (
        MOST_OPTIONS,
        lambda size, _: a_test(options=[f"o{number}" for number in range(size)]),
    ),
    "pieces of a test": (1_000, lambda size, _: a_test(filled=pieces(size))),
    "elements of a template": (5_000, xml_of),
    "templates of a file": (2_000, lambda size, _: template_tables({"templates": [{}] * size}, "a.toml")),
    "numbers of a range": (100_000, lambda size, _: NumberValue(0, size).choices_for({})),
    "characters of an expression": (
        200,
        lambda size, _: (
            parse_expression("1" + " " * (size - 2) + "", named_expression)
            if size < 3
            else parse_expression("1" + " " * (size - 3) + "+1", named_expression)
        ),
    ),
    "digits of a number": (15, lambda size, _: parse_expression("9" * size, named_expression)),
    "depth of an expression": (
        30,
        lambda size, _: parse_expression("(" * size + "1" + ")" * size, named_expression),
    ),
    "text of an event": (LONGEST_TEXT, lambda size, _: refused(content_fault("label", "a" * size, None, ()))),
    "comment of an event": (
        LONGEST_TEXT,
        lambda size, _: refused(content_fault("comment", "a" * size, None, ())),
    ),
    "panes of an event": (
        MOST_PANES,
        lambda size, _: refused(content_fault("label", "a", None, ["a"] * size)),
    ),
    "key of a pane": (
        LONGEST_PANE_KEY,
        lambda size, _: refused(content_fault("label", "a", None, ["a" * size])),
    ),
    "characters of a description": (
        MOST_OF_A_DESCRIPTION,
        lambda size, folder: described(folder, "a" * size),
    ),
    "key of a case": (200, lambda size, folder: imported(folder, case_line(key="a" * size), "probe-swe")),
    "key of a declared case": (
        200,
        lambda size, folder: imported(folder, {"id": "a" * size, "text": "b"}, str(teas(folder))),
    ),
    "items of a declared list": (
        10_000,
        lambda size, folder: imported(folder, {"id": "a", "text": ["b"] * size}, str(teas(folder, "list"))),
    ),
    "turns of a dialogue": (
        10_000,
        lambda size, folder: imported(
            folder, {"id": "a", "text": [{"speaker": "s", "text": "b"}] * size}, str(teas(folder, "dialogue"))
        ),
    ),
    "seeds of a generation run": (1_000, lambda size, folder: seeds_of(folder, size)),
    "seed of a sample": (10**18 - 1, lambda size, folder: sampled(folder, size)),
    "seed of a study": (2**63 - 1, lambda size, folder: drawn(folder, size)),
}


def case_line(**changes: Any) -> dict[str, Any]:
    case = a_case()
    return {"group": case.group, "payload": case.payload, "generator": "m", **changes}


def teas(folder: Path, kind: str = "text") -> Path:
    """The declaration of the teas, whose texts are of this type."""
    fields = f'text = {{ column = "text", type = "{kind}" }}'
    pane = f'[pane.text]\nkind = "{"text" if kind == "list" else kind}"'
    declared = TEAS.replace('text = "text"', fields).replace("[pane.text]", pane)
    (folder / "teas.toml").write_text(declared)
    return folder / "teas.toml"


def imported(folder: Path, row: dict[str, Any], protocol: str) -> None:
    (folder / "a.jsonl").write_text(json.dumps(row))
    with closing(open_store(folder)) as database:
        import_path(database, folder / "a.jsonl", "a", None, protocol=protocol)


def seeds_of(folder: Path, number: int) -> None:
    with closing(open_store(folder)) as database:
        cases = [a_case(each) for each in range(number)]
        header = Dataset(name="seeds", protocol="probe-swe", source="a test", imported_at=AT)
        import_entries(database, header, entries_for("seeds", cases, "hand-written", "seed"))
        assert seeds_in(database, "seeds", PROTOCOLS["probe-swe"], None)


def sampled(folder: Path, seed: int) -> None:
    with closing(open_store(folder)) as database:
        a_study(database)
        draw_sample(database, SampleRequest(("pilot-data",), seed=seed), print)


def a_sparse_folder(folder: Path, sizes: list[int]) -> Path:
    for number, size in enumerate(sizes):
        with (folder / f"a{number}.csv").open("wb") as file:
            file.truncate(size)
    return folder


def a_folder(folder: Path, files: int) -> Path:
    for number in range(files):
        (folder / f"a{number}").touch()
    return folder


def described(folder: Path, text: str) -> None:
    with closing(open_store(folder)) as database:
        a_study(database)
        describe_study(database, "pilot", "lena", {"recruitment": text})


def drawn(folder: Path, seed: int) -> None:
    with closing(open_store(folder)) as database:
        a_study(database)
        create_study(database, "other", Design(("pilot-data",), None, seed))


COSTLY = ("bytes of published shares", "bytes of all filled sheets", "seeds of a generation run")
"""Bounds whose files take seconds, in the slow tests; their limits are those of others too."""


@pytest.mark.parametrize(
    "about", [pytest.param(about, marks=pytest.mark.slow if about in COSTLY else ()) for about in BOUNDS]
)
def test_longest_is_taken_and_one_more_is_refused_in_a_sentence(about: str, tmp_path: Path) -> None:
    most, send = BOUNDS[about]
    for name in ("within", "beyond"):
        (tmp_path / name).mkdir()
    send(most, tmp_path / "within")
    with pytest.raises((InputError, RequestError, ValueError)) as refusal:
        send(most + 1, tmp_path / "beyond")
    assert not isinstance(refusal.value, OverflowError)
    assert "Traceback" not in str(refusal.value)

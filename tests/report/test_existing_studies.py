"""A study as release 1.0 kept it has the same report and export as the same study made today.

What came to designs since then (strata, third votes, stop rules, confidences …) changes nothing where nobody
asked for it, but for the rows of the dataset, where groups are not drawn in proportion to their sizes.
"""

import json
import re
import sqlite3
from collections.abc import Mapping
from contextlib import closing
from pathlib import Path

import pytest

from reviewer.exchange.exports.study_export import export_study
from reviewer.exchange.exports.study_source import StudySource
from reviewer.results.labels.agreement_results import Method
from reviewer.study.design.closing import close_study
from reviewer.study.design.study_creation import Design, create_study
from reviewer.study.design.study_design import StudyDesign
from reviewer.study.integrity.quarantine import read_study
from reviewer.study.session.review_session import ReviewSession
from tests.cli.conftest import Run
from tests.cli.conftest import run as run
from tests.release_1_0.make import HERE
from tests.rounds import mostly_slow
from tests.studies import BIASES, a_case, fill, open_store

RATERS = ("anna", "ben", "cara", "dan")
KEPT = json.loads((HERE / "export" / "study.json").read_text(encoding="utf-8"))["study"]["design"].keys()
"""What a design of release 1.0 has."""
NOT_ASKED = {
    "third": "",
    "third_lists": {},
    "stop": None,
    "confidence": False,
    "answers": None,
    "machine_rater": False,
    "draw_hidden": False,
    "owed_elsewhere": (),
}
"""What came to designs since then, where nobody asked for it."""
DESIGNS = {
    "all raters see all cases": Design(("pairs",), 3, 7, raters=RATERS[:3], questions=("same_task",)),
    "two of four raters see a case": Design(
        ("pairs",), None, 7, raters=RATERS, raters_per_case=2, questions=("same_task",)
    ),
}


@mostly_slow(2)
@pytest.mark.parametrize("name", DESIGNS)
def test_report_and_export_are_the_same_byte_for_byte(run: Run, tmp_path: Path, name: str) -> None:
    database = open_store(tmp_path)
    fill(database, "pairs", [a_case(number, BIASES[number % 2]) for number in range(8)])
    design = DESIGNS[name]
    create_study(database, "pilot", design, "tom")
    for rater in design.raters:
        session = ReviewSession(database, "pilot", rater, stopwatch=lambda: 0.0)
        while not session.finished:
            is_against = rater == "ben" and session.case.digest[0] in "01234567"
            session.answer("False" if is_against else "True")
    close_study(database, "pilot", "tom", "done")
    database.close()
    with sqlite3.connect(tmp_path / "reviewer.db") as store:
        ((kept,),) = store.execute("SELECT design FROM studies")
    drawn = json.loads(kept)
    today = files(run, tmp_path, "today", drawn | NOT_ASKED)
    before = files(run, tmp_path, "before", {key: drawn[key] for key in KEPT if key in drawn})
    assert before.keys() == today.keys()
    assert [path for path in today if before[path] != today[path]] == []


def test_what_came_to_designs_since_1_0_is_named_here() -> None:
    of_draws = {"draw", "gold_pass"}
    assert StudyDesign.model_fields.keys() - KEPT == NOT_ASKED.keys() | of_draws


def files(run: Run, folder: Path, when: str, design: Mapping[str, object]) -> Mapping[str, bytes]:
    """What the report and the export write of a design, by name; itself and its digest are left out."""
    with sqlite3.connect(folder / "reviewer.db") as store:
        store.execute("UPDATE studies SET design = ?", [json.dumps(design)])
    assert run("report", "pilot", "--no-figures", "--interval", "none", "-o", when).code == 0
    with closing(open_store(folder)) as database:
        source = StudySource.of(*read_study(database, "pilot"))
        export_study(source, folder / when, ("question",), Method(interval="none"))
    held = {path.name: path.read_bytes() for path in (folder / when).iterdir()}
    del held["report.tex"]  # the same text, with digests in parts
    study = json.loads(held.pop("study.json"))
    del study["study"]["design"]
    pages = {name: re.sub(rb"\b[0-9a-f]{64}\b", b"", held.pop(name)) for name in [*held] if "report" in name}
    return held | pages | {"study.json": json.dumps(study).encode()}

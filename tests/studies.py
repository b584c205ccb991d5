"""Small studies to test with."""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path

from reviewer.core.question import Question
from reviewer.protocols.registry import PROTOCOLS
from reviewer.study.design.study_creation import Design, create_study
from reviewer.study.design.study_design import Options
from store.case_import import Entry, import_entries
from store.database import Database
from store.records import Case, Dataset, Measurement, Membership, Study
from store.studies import find_study
from store.study_tables import StudyRow
from tests.new_stores import is_new_file, made_once

AT = "2026-01-01T00:00:00.000Z"
PROBE_SWE = PROTOCOLS["probe-swe"]
BIASES = tuple(group.name for group in PROBE_SWE.groups)


def a_case(number: int = 0, group: str = "anchoring bias", *, rebuilt: bool = True, **fields: str) -> Case:
    """A dilemma pair that differs from those of other numbers."""
    payload = {
        "unbiased": f"I plan release {number}.\n- Option A: wait.\n- Option B: ship.\n\nWhich option?",
        "biased": f"I plan release {number}. Ten ship.\n- Option A: wait.\n- Option B: ship.\n\nWhich?",
        "axioms": "best(X) :- tested(X).",
        "axioms_description": "Release what was tested.",
        "unbiased_prolog": f":- consult('axioms').\nrelease({number}).\ntested(option_A).\n"
        "decide_option(user, X) :- best(X).",
        "biased_prolog": f":- consult('axioms').\nrelease({number}).\nship(ten).\ntested(option_A).\n"
        "decide_option(user, X) :- best(X).",
        "reconstructed_unbiased_prompt": f"Release {number}: wait (A) or ship (B)?" if rebuilt else None,
    } | fields
    return PROBE_SWE.case(group, payload)


def entries_for(
    dataset: str, cases: Sequence[Case], generator: str = "model-1", origin: str = "generated"
) -> list[Entry]:
    """Each case at a place of its own, with published values."""
    entries = []
    for position, case in enumerate(cases):
        key = f"{case.group}/{position}"
        place = Membership.model_validate(
            {
                "dataset": dataset,
                "key": key,
                "case": case.digest,
                "position": position,
                "generator": generator,
                "origin": origin,
            }
        )
        values = {
            "choice": "option_A",
            "inference_steps": 5,
            "choice_steps": 3,
            "reconstruction_similarity": 0.9,
        }
        published = tuple(
            Measurement(
                case=case.digest, name=name, source="published", dataset=dataset, key=key, value=value
            )
            for name, value in values.items()
        )
        entries.append(Entry(case, place, published))
    return entries


def fill(
    database: Database,
    dataset: str,
    cases: Sequence[Case],
    generator: str = "model-1",
    protocol: str = "probe-swe",
) -> None:
    """Import cases as a dataset."""
    header = Dataset(name=dataset, protocol=protocol, source="a test", imported_at=AT)
    import_entries(database, header, entries_for(dataset, cases, generator))


def a_study(
    database: Database,
    name: str = "pilot",
    cases: int = 3,
    *,
    view: str = "full",
    raters: Sequence[str] = (),
    questions: Sequence[str] = (),
    copied: bool = True,
    **options: object,
) -> Study:
    """A study over ``cases`` pairs of one bias, all four questions each; ``options`` are those of a study.

    In a new file, it is a copy of the one that was made when the same was asked for before, unless it is to
    be another one: not ``copied``.
    """
    chosen = Options.model_validate(options)
    design = Design((f"{name}-data",), None, 7, view, raters=tuple(raters), options=chosen)  # type: ignore[arg-type]
    design = replace(design, questions=tuple(questions))

    def make(database: Database) -> None:
        fill(database, f"{name}-data", [a_case(number) for number in range(cases)])
        create_study(database, name, design)

    if copied and is_new_file(database):
        made_once(database, make, (name, cases, repr(design)))
    else:
        make(database)
    with database.read() as session:
        made = find_study(session, name)
    assert made is not None
    return made


def with_questions(
    database: Database, changes: Mapping[str, Mapping[str, object]], study: str = "pilot"
) -> None:
    """Change frozen questions of a study before anybody answers; ``changes`` has fields by question key."""
    with database.write() as writing:
        row = writing.get(StudyRow, study)
        assert row is not None
        asked = [_changed(question, changes.get(str(question["key"]), {})) for question in row.questions]
        row.questions = [Question.model_validate(each).model_dump(mode="json") for each in asked]
        writing.add(row)


def _changed(question: Mapping[str, object], change: Mapping[str, object]) -> Mapping[str, object]:
    """A frozen question with some fields changed; with other labels, it has nothing on the earlier ones."""
    others = {"criteria": (), "examples": ()} if "labels" in change else {}
    return {**question, **others, **change}


WITHOUT_GUIDELINE: Mapping[str, object] = {"criteria": (), "guideline": "", "examples": ()}
"""Changes that leave a question without a guideline."""
SEVERAL: Mapping[str, object] = {
    "kind": "labels",
    "labels": ("anger", "fear", "joy, calm", "left"),
    "passing": (),
    "sides": None,
}
FREE: Mapping[str, object] = {"kind": "text", "labels": (), "passing": (), "sides": None}
_OF_OUTPUTS: Mapping[str, object] = {
    "labels": ("a", "b", "c"),
    "passing": (),
    "sides": None,
    "definitions": (),
}
RANKED: Mapping[str, object] = {**_OF_OUTPUTS, **WITHOUT_GUIDELINE, "kind": "ranking"}
MARKED: Mapping[str, object] = {**_OF_OUTPUTS, **WITHOUT_GUIDELINE, "kind": "spans", "shows": ("texts",)}
"""The fields of a question of several labels, of one in free text, of a ranking, and of spans."""


def open_store(folder: Path) -> Database:
    """A new store in a folder."""
    return Database.open(str(folder / "reviewer.db"))

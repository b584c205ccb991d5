"""The table of alterations: single changes to a release, and the report of `release verify` on each."""

import json
from collections.abc import Callable, Iterator, Mapping
from contextlib import closing
from copy import deepcopy
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from reviewer.exchange.releases.decision_rerun import decisions_check
from reviewer.exchange.releases.release_checks import ReleaseCheck, proved_words
from reviewer.exchange.releases.release_content import ReleaseContent, ReleaseOptions, StudyFacts
from reviewer.exchange.releases.release_files import row_facts, sealed_files
from reviewer.exchange.releases.release_folder import FolderOfRelease, ReleaseFile
from reviewer.exchange.releases.release_limits import MAKERS_WORD, MAKERS_WORD_OF_A_STUDY
from reviewer.exchange.releases.release_making import PlannedRelease, plan_release
from reviewer.exchange.releases.verification import verified
from reviewer.oracle.program_runner import local_runner
from reviewer.protocols.registry import PROTOCOLS
from reviewer.study.design.closing import close_study
from reviewer.study.design.design_facts import describe_study
from reviewer.study.design.study_creation import Design, create_study
from store.case_import import Entry, import_entries
from store.records import Citation, Dataset, Measurement
from tests.judged import RATERS, judge
from tests.prolog import need_prolog
from tests.rounds import mostly_slow
from tests.studies import AT, BIASES, a_case, entries_for, open_store

CITATION = Citation(dataset="first", licence="CC-BY-4.0", authors=["A. Author"], contact="a@example.org")
QUESTIONS = ("same_task", "bias_presence")
Files = dict[str, bytes]


def with_values(number: int, entry: Entry, votes: int | None = None) -> Entry:
    """The entry with an opinion on a question, and with an audit's measurements of its programs."""
    case, place = entry.case.digest, {"dataset": "first", "key": entry.place.key}
    value = 3 * (number % 4 > 0) if votes is None else votes
    said = Measurement(case=case, name="bias_verifications", source="published", value=value, **place)
    measured = [
        Measurement(case=case, name="choice", variant=variant, source="measured", value="option_A")
        for variant in ("unbiased", "biased")
    ]
    return Entry(entry.case, entry.place, (*entry.published, said, *measured))


@pytest.fixture(scope="module")
def release(tmp_path_factory: pytest.TempPathFactory) -> PlannedRelease:
    """A release of 6 audited cases with an opinion and the labels of three raters on two questions."""
    return made(tmp_path_factory.mktemp("altered"))


def made(folder: Path, votes: int | None = None) -> PlannedRelease:
    with closing(open_store(folder)) as database:
        cases = [a_case(number, BIASES[number % 2]) for number in range(6)]
        header = Dataset(name="first", protocol="probe-swe", source="a test", imported_at=AT)
        entries = [with_values(*each, votes) for each in enumerate(entries_for("first", cases))]
        import_entries(database, header, entries)
        create_study(database, "pilot", replace(Design(("first",), None, 7), questions=QUESTIONS))
        for rater in RATERS:
            judge(database, "pilot", rater)
        close_study(database, "pilot", "lena")
        describe_study(database, "pilot", "lena", {"consent": "All agreed."})
        return plan_release(database, CITATION, "1.0", ReleaseOptions())


def checks_of(files: Mapping[str, bytes], *extra: str) -> tuple[ReleaseCheck, ...]:
    return verified(FolderOfRelease(files, extra)).checks


def found(checks: tuple[ReleaseCheck, ...]) -> dict[str, str]:
    return {check.about: check.detail for check in checks if check.state in ("fails", "edited")}


def last_words(checks: tuple[ReleaseCheck, ...]) -> str:
    return " ".join(proved_words(checks))


def test_unaltered_release_holds_and_names_what_has_to_be_believed(release: PlannedRelease) -> None:
    checks = checks_of(release.files)
    assert found(checks) == {}
    for words in ("cases that were left out", "audit", "generation", "revisions", "authors"):
        assert words in last_words(checks)


def test_published_value_that_never_varies_is_held_to_experts(tmp_path: Path) -> None:
    constant = made(tmp_path, votes=3)
    (study,) = constant.content.studies
    (said,) = study.opinions
    passing = [question for question in study.questions if question.title == said.question]
    assert said.agreement.value == passing[0].majority.value
    assert found(checks_of(constant.files)) == {}
    silent = study.model_copy(update={"opinions": ()})
    unsaid = constant.content.model_copy(update={"studies": (silent,)})
    assert [*found(checks_of(sealed(unsaid, data_of(constant))))] == [
        "study pilot, bias presence: bias confirmed by the model"
    ]
    before = unsaid.model_copy(update={"pages": 12})
    assert found(checks_of(sealed(before, data_of(constant)))) == {}
    assert "bias confirmed by the model (an earlier state" in last_words(
        checks_of(sealed(before, data_of(constant)))
    )


# -- not sealed again ----------------------------------------------------------------------------------


def one_byte(content: bytes, at: int) -> bytes:
    return content[:at] + bytes([content[at] ^ 1]) + content[at + 1 :]


def dropped(content: bytes, at: int) -> bytes:
    lines = content.splitlines(keepends=True)
    return b"".join(lines[:at] + lines[at + 1 :])


def doubled(content: bytes, at: int) -> bytes:
    lines = content.splitlines(keepends=True)
    return b"".join(lines[: at + 1] + lines[at:])


def in_row(content: bytes, at: int, change: Callable[[dict[str, Any]], object]) -> bytes:
    lines = content.splitlines(keepends=True)
    row = json.loads(lines[at])
    change(row)
    lines[at] = json.dumps(row, ensure_ascii=False).encode() + b"\n"
    return b"".join(lines)


def turned(row: dict[str, Any]) -> None:
    row["label"] = {"True": "False", "False": "True"}[row["label"]]


OF_LABELS: dict[str, Callable[[dict[str, Any]], object]] = {
    "label": turned,
    "rater": lambda row: row.update(rater="rater 9"),
    "question": lambda row: row.update(question="axioms"),
    "phase": lambda row: row.update(phase="after"),
}
OF_CASES: dict[str, Callable[[dict[str, Any]], object]] = {
    "text": lambda row: row["payload"].update(axioms="best(X) :- shipped(X)."),
    "name": lambda row: row.update(key=f"{row['key']}0"),
    "group": lambda row: row.update(group="framing effect"),
    "generator": lambda row: row.update(generator="model-2"),
    "number": lambda row: row["published"].update(choice_steps=4),
    "opinion": lambda row: row["published"].update(bias_verifications=1),
}


def altered_lines(path: str, content: bytes) -> Iterator[tuple[str, bytes]]:
    """Each kind of change to each third row of a file, and a row dropped or doubled."""
    changes = {ReleaseFile.LABELS: OF_LABELS, ReleaseFile.ROWS: OF_CASES}.get(ReleaseFile(path), {})
    for at in range(0, content.count(b"\n"), 3 if changes else 40):
        yield f"row {at} dropped", dropped(content, at)
        yield f"row {at} doubled", doubled(content, at)
        for name, change in changes.items():
            yield f"{name} of row {at}", in_row(content, at, change)


def altered_files(release: PlannedRelease) -> Iterator[tuple[str, str, Files]]:
    """Path, what was changed, and the files with one change that nobody sealed again."""
    for path, content in release.files.items():
        others = {name: held for name, held in release.files.items() if name != path}
        for at in (0, len(content) // 2, len(content) - 1):
            yield path, f"byte {at}", {**others, path: one_byte(content, at)}
        for what, altered in altered_lines(path, content):
            if altered != content:
                yield path, what, {**others, path: altered}
        yield path, "removed", others


@pytest.mark.slow
def test_every_change_that_was_not_sealed_again_is_found_in_its_file(release: PlannedRelease) -> None:
    altered = list(altered_files(release))
    assert len(altered) >= 200
    missed = [
        (path, what)
        for path, what, files in altered
        if not any(
            about.startswith(path) or path in detail for about, detail in found(checks_of(files)).items()
        )
    ]
    assert missed == []


@pytest.mark.parametrize("path", [*ReleaseFile])
def test_renamed_file_is_found_under_both_names(release: PlannedRelease, path: str) -> None:
    if path not in release.files:
        pytest.skip("the release has no such file")
    files = {name: held for name, held in release.files.items() if name != path}
    named = found(checks_of(files, f"{path}.old"))
    assert {path, f"{path}.old"} <= named.keys()


# -- sealed again with the program's own functions -----------------------------------------------------


def leaves(value: Any, path: tuple[Any, ...] = ()) -> Iterator[tuple[tuple[Any, ...], Any]]:
    """Every value in a content that is no list or object, by path; of much that is alike, the first."""
    if isinstance(value, dict):
        for name in list(value)[:3] if path and path[-1] in ("checks", "definitions", "decisions") else value:
            yield from leaves(value[name], (*path, name))
    elif isinstance(value, list):
        for number, inner in enumerate(value[:1] if path[-1] == "questions" else value):
            yield from leaves(inner, (*path, number))
    elif value is not None:
        yield path, value


def other(value: Any) -> Any:
    """Another value of the same type."""
    if isinstance(value, bool):
        return not value
    if isinstance(value, str):
        return value[:-1] + ("1" if value.endswith("0") else "0")
    return value + 1 if isinstance(value, int) else value / 2 + 0.1


def with_leaf(content: Mapping[str, Any], path: tuple[Any, ...], value: Any) -> dict[str, Any]:
    changed = deepcopy(dict(content))
    holder: Any = changed
    for part in path[:-1]:
        holder = holder[part]
    holder[path[-1]] = value
    return changed


def data_of(release: PlannedRelease, **data: bytes) -> Files:
    held = {path: content for path, content in release.files.items() if path.startswith("data/")}
    return held | {getattr(ReleaseFile, name): changed for name, changed in data.items()}


def sealed(content: ReleaseContent, data: Files) -> Files:
    return sealed_files(content.without_files, data)[1]


def believed(path: tuple[Any, ...]) -> str | None:
    """What readers call the part of a release that nothing proves; None for a part that something proves."""
    if path[0] == "studies":
        return MAKERS_WORD_OF_A_STUDY.get(path[2])
    return MAKERS_WORD.get(path[0])


def rerun(files: Files) -> ReleaseCheck:
    """What running the programs of a release again says of its decisions."""
    again = verified(FolderOfRelease(files, ()))
    assert again.manifest
    assert again.rows
    with local_runner(1) as runner:
        return decisions_check(again.manifest.content, again.rows, PROTOCOLS, runner)


@pytest.mark.slow
def test_every_statement_that_was_sealed_again_is_found_or_said_not_to_be_checked(
    release: PlannedRelease,
) -> None:
    need_prolog()
    content = release.content.model_dump(mode="json")
    changes = [(path, other(value)) for path, value in leaves(content) if path[0] != "files"]
    missed, checked = [], 0
    for path, value in changes:
        try:
            forged = sealed(ReleaseContent.model_validate(with_leaf(content, path, value)), data_of(release))
        except ValueError:
            continue  # no manifest says this
        checks = checks_of(forged)
        if path[0] == "decisions":
            checks = (*checks, rerun(forged))
        made_by = {"program": f"version {value} of the program", "pages": "state of this program"}
        words = believed(path) or made_by.get(path[0])
        checked += not words
        if not found(checks) if words is None else words not in last_words(checks):
            missed.append(path)
    assert (missed, checked > 80) == ([], True)


def test_every_field_of_a_release_is_proved_or_said_not_to_be(release: PlannedRelease) -> None:
    """A new field has to be entered: here, if something in the folder proves it, else in the makers' word."""
    proved = {
        *("rows_digest", "cases", "groups", "generators", "fields", "texts", "extras", "mixed"),
        *("protocol", "decisions", "studies", "declared", "program", "pages", "files", "guessing"),
    }
    assert proved.isdisjoint(MAKERS_WORD)
    assert proved | MAKERS_WORD.keys() == ReleaseContent.model_fields.keys()
    assert MAKERS_WORD_OF_A_STUDY.keys() <= StudyFacts.model_fields.keys()


LABEL_ROWS = range(0, 36, 3)


@mostly_slow(2)
@pytest.mark.parametrize("change", ["turned", "dropped", "doubled"])
def test_labels_that_were_sealed_again_differ_from_the_numbers(release: PlannedRelease, change: str) -> None:
    labels = release.files[ReleaseFile.LABELS]
    changes: dict[str, Callable[[int], bytes]] = {
        "turned": lambda at: in_row(labels, at, turned),
        "dropped": lambda at: dropped(labels, at),
        "doubled": lambda at: doubled(labels, at),
    }
    assert labels.count(b"\n") == len(LABEL_ROWS) * 3
    missed = [
        at
        for at in LABEL_ROWS
        if not found(checks_of(sealed(release.content, data_of(release, LABELS=changes[change](at)))))
    ]
    assert missed == []


def remade(release: PlannedRelease, rows: bytes) -> Files:
    """All that a forger makes again of altered rows: their numbers, the other format, pages and seal."""
    held = [json.loads(line) for line in rows.splitlines()]
    content = release.content.model_copy(update=dict(row_facts(held)))
    data = {path: changed for path, changed in data_of(release, ROWS=rows).items() if path != ReleaseFile.OWN}
    return sealed(content, data)


BELIEVED = dict.fromkeys(("generator", "number"), "nor where cases and their values come from")


@pytest.mark.parametrize("name", [name for name in OF_CASES if name not in BELIEVED])
def test_rows_that_were_sealed_again_differ_from_the_study_or_the_decisions(
    release: PlannedRelease, name: str
) -> None:
    rows = in_row(release.files[ReleaseFile.ROWS], 0, OF_CASES[name])
    named = found(checks_of(remade(release, rows)))
    assert any(about.startswith(("study pilot", "right options")) for about in named)


@pytest.mark.parametrize("name", BELIEVED)
def test_values_of_cases_that_have_to_be_believed_are_named_last(release: PlannedRelease, name: str) -> None:
    checks = checks_of(remade(release, in_row(release.files[ReleaseFile.ROWS], 0, OF_CASES[name])))
    assert found(checks) == {}
    assert BELIEVED[name] in last_words(checks)


def failed(labels: bytes, case: str) -> bytes:
    """The labels with False for every question about one case."""
    rows = [json.loads(line) for line in labels.splitlines()]
    rows = [{**row, "label": "False"} if row["case"] == case else row for row in rows]
    return "".join(json.dumps(row) + "\n" for row in rows).encode()


def test_release_cannot_say_that_cases_passed_which_did_not(release: PlannedRelease) -> None:
    labels = failed(release.files[ReleaseFile.LABELS], next(iter(release.content.cases.values())))
    for study, row in (("pilot", "study pilot: released cases that passed"), ("other", "study other")):
        content = release.content.model_copy(update={"options": ReleaseOptions(passed=(study,))})
        assert row in found(checks_of(sealed(content, data_of(release, LABELS=labels))))

"""Outcomes from the published package's file: matched by text, whole or not at all, each fault a sentence."""

import json
import shutil
from collections.abc import Callable
from pathlib import Path

import pytest

from reviewer.core.errors import InputError, RequestError
from reviewer.exchange.evaluations.import_target import NOT_IN_FILE
from reviewer.exchange.evaluations.outcome_import import (
    ImportedOutcomes,
    OutcomeSource,
    import_outcomes,
)
from reviewer.exchange.rows.dataset_import import import_path
from reviewer.exchange.rows.row_files import RowOptions
from reviewer.protocols.probe_swe.dilemma_protocol import ProbeSwe
from reviewer.protocols.registry import protocols_of
from reviewer.results.outcomes.evaluated import MISSING, read_evaluation
from store.database import Database
from store.evaluations import Evaluations
from store.records import Outcome
from tests.builders import GROUP, a_record, write_groups
from tests.exchange.raw_outputs import Row, row_of, write_rows

FILE = "2_llm_outputs_model=a-model.data_model_list=['g1', 'g2'].csv"
RECORDS = {number: a_record(number) for number in (1, 2, 3)}
TWIN = a_record(4, **{name: RECORDS[3][name] for name in ("unbiased", "biased")})


@pytest.fixture(scope="module")
def prepared(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A store with four pairs, the last of which has the texts of the third."""
    folder = tmp_path_factory.mktemp("outcomes")
    file = write_groups(folder / "pairs.json", {GROUP: [*RECORDS.values(), TWIN]})
    with_pairs = Database.open(str(folder / "reviewer.db"))
    import_path(with_pairs, file, "pairs", "g1")
    with_pairs.close()
    return folder / "reviewer.db"


@pytest.fixture
def database(prepared: Path, tmp_path: Path) -> Database:
    shutil.copy(prepared, tmp_path / "reviewer.db")
    return Database.open(str(tmp_path / "reviewer.db"))


def rows() -> list[Row]:
    """Two pairs of texts, of which the second lacks its second repeat."""
    return [
        row_of(GROUP, RECORDS[2], 0, "A", "B"),
        row_of(GROUP, RECORDS[2], 1, "A", "A"),
        row_of(GROUP, RECORDS[1], 0, "B", "B"),
    ]


def imported(database: Database, path: Path, run: str = "own", **given: object) -> ImportedOutcomes:
    skip = bool(given.pop("skip_invalid", False))
    source = OutcomeSource(path, "probe-swe", **{"datasets": ("pairs",), **given})  # type: ignore[arg-type]
    return import_outcomes(database, run, source, "me", skip_invalid=skip)


def kept(database: Database, run: str = "own") -> dict[tuple[int, str, int], Outcome]:
    return {
        (outcome.case, outcome.condition, outcome.repeat): outcome
        for outcome in Evaluations(database).outcomes(run)
    }


def test_rows_become_outcomes_of_a_new_run(database: Database, tmp_path: Path) -> None:
    done = imported(database, write_rows(tmp_path / FILE, rows()))
    assert done.sentence == "own: 6 outcomes of a-model added (2 cases, 2 repeats)"
    assert done.missing == 2
    evaluation = read_evaluation(database, protocols_of(database), "own")
    assert [case.key for case in evaluation.cases] == [f"{GROUP}/3-1", f"{GROUP}/3-2"]
    assert [condition.key for condition in evaluation.conditions] == [
        "unbiased/as written/none",
        "biased/as written/none",
    ]
    assert evaluation.labels["a-model"].tolist() == [[[1, MISSING], [1, MISSING]], [[0, 0], [1, 0]]]
    outcomes = kept(database)
    read, lost = outcomes[1, "biased/as written/none", 0], outcomes[0, "biased/as written/none", 1]
    assert (read.reply, read.request) == ("Explanation: Since B is good.\nDecision: Option B", "")
    assert (lost.state, lost.why) == ("missing", NOT_IN_FILE)


def test_importing_again_changes_nothing_and_other_outcomes_are_refused(
    database: Database, tmp_path: Path
) -> None:
    file = write_rows(tmp_path / FILE, rows())
    imported(database, file)
    before = kept(database)
    assert not imported(database, file, datasets=()).added
    other = write_rows(tmp_path / "2_llm_outputs_model=a-model.csv", [row_of(GROUP, RECORDS[1], 0, "A", "B")])
    with pytest.raises(RequestError, match="has other outcomes of 'a-model'; give the model another name"):
        imported(database, other)
    assert kept(database) == before
    assert imported(database, other, model="second").missing == 2
    assert read_evaluation(database, protocols_of(database), "own").models == ("a-model", "second")


def test_what_the_read_reply_says_is_read_again_as_the_same(database: Database, tmp_path: Path) -> None:
    imported(database, write_rows(tmp_path / FILE, rows()))
    evaluation = read_evaluation(database, protocols_of(database), "own")
    conditions = {condition.key: condition for condition in evaluation.conditions}
    cases = Evaluations(database).cases("own")
    for outcome in kept(database).values():
        if outcome.state == "read":
            case = cases[evaluation.cases[outcome.case].digest]
            assert (
                evaluation.plan.read(case, conditions[outcome.condition], outcome.reply).label
                == outcome.label
            )


def test_pairs_with_the_same_texts_are_told_apart_by_the_rest(database: Database, tmp_path: Path) -> None:
    file = write_rows(tmp_path / FILE, [row_of(GROUP, TWIN, 0, "A", "B")])
    imported(database, file)
    assert [case.key for case in Evaluations(database).sample("own")] == [f"{GROUP}/3-4"]
    texts_only = write_rows(
        tmp_path / "texts.csv", [row_of(GROUP, TWIN, 0, "A", "B")], ProbeSwe().outcome_files()[0].columns
    )
    with pytest.raises(InputError, match=r"fits .*3-3 and .*3-4 by its texts; add the columns"):
        imported(database, texts_only, "other", model="m")


@pytest.mark.parametrize(
    ("cue", "read"),
    [
        (f"\n\nReasoning cues:\n{RECORDS[1]['axioms_description']}", "words"),
        (f"\n\nProlog-encoded reasoning cues:\n{RECORDS[1]['axioms']}", "prolog"),
        (f"\n\nWhat is known:\n{RECORDS[1]['axioms']}", "prolog"),
    ],
)
def test_cues_are_conditions(database: Database, tmp_path: Path, cue: str, read: str) -> None:
    file = write_rows(tmp_path / FILE, [row_of(GROUP, RECORDS[1], 0, "A", "B", cue)])
    done = imported(database, file)
    assert {outcome.condition for outcome in kept(database).values()} == {
        f"unbiased/as written/{read}",
        f"biased/as written/{read}",
    }
    assert any("words them differently" in notice for notice in done.notices)


def changed(**cells: object) -> Callable[[Path], Path]:
    """A file whose second row has other cells."""
    return lambda folder: write_rows(folder / FILE, [rows()[0], {**rows()[1], **cells}, rows()[2]])


def without_column(name: str) -> Callable[[Path], Path]:
    return lambda folder: write_rows(folder / FILE, rows(), [each for each in rows()[0] if each != name])


def in_encoding(encoding: str, cell: str) -> Callable[[Path], Path]:
    def written(folder: Path) -> Path:
        file = write_rows(folder / FILE, [{**rows()[0], "decision_explanation_with_bias": cell}])
        file.write_bytes(file.read_text(encoding="utf-8").encode(encoding))
        return file

    return written


def as_json(value: object) -> Callable[[Path], Path]:
    def written(folder: Path) -> Path:
        path = folder / "2_llm_outputs_model=m.jsonl"
        path.write_text(json.dumps(value))
        return path

    return written


BAD_FILES = {
    "no case": (
        changed(prompt_with_bias="Another text "),
        r"line \d+: fits no case of dataset pairs by",
    ),
    "other bias": (changed(bias_name="framing effect"), "fits no case of dataset pairs by its texts"),
    "unknown bias": (changed(bias_name="no bias"), "'no bias' is not a group of PROBE-SWE; use one of"),
    "two rows": (changed(**rows()[0]), r"is a second row for repeat 1 of anchoring bias/3-2; leave one"),
    "neither option": (
        changed(suggested_decision_with_bias="Option C"),
        r"column 'suggested_decision_with_bias': 'Option C' is neither Option A nor Option B; correct it",
    ),
    "no decision": (
        changed(suggested_decision_without_bias=" "),
        "'suggested_decision_without_bias': is empty",
    ),
    "blanks differ": (
        changed(prompt_with_bias=RECORDS[2]["biased"] + "   "),
        "has 1 blank behind one prompt and 3 behind the other",
    ),
    "cue in one": (
        changed(prompt_with_bias=RECORDS[2]["biased"] + "\n\nReasoning cues:\nx "),
        "has reasoning cues in one prompt only",
    ),
    "too many blanks": (
        changed(
            prompt_with_bias=RECORDS[2]["biased"] + " " * 5000,
            prompt_without_bias=RECORDS[2]["unbiased"] + " " * 5000,
        ),
        "is repeat 5,001 of its case; at most 100 are read",
    ),
    "NUL": (changed(decision_explanation_with_bias="a\0b"), "holds a NUL byte"),
    "missing column": (without_column("prompt_with_bias"), "lacks the column 'prompt_with_bias'"),
    "other encoding": (
        in_encoding("utf-16-le", "x"),
        "holds NUL bytes, so it is not UTF-8 text; it looks like UTF-16",
    ),
    "broken bytes": (in_encoding("latin-1", "\xa4\x81"), "is not UTF-8 text"),
    "JSON": (as_json({"bias_name": GROUP}), "line 1: lacks the column 'suggested_decision_with_bias'"),
    "a number": (
        as_json({**rows()[0], "prompt_with_bias": 7}),
        "'prompt_with_bias': is a number, not a text",
    ),
    "unclosed": (
        lambda folder: changed()(folder).write_text(f'{(folder / FILE).read_text()}"x') and folder / FILE,
        "has a double quote that is not closed",
    ),
}


@pytest.mark.parametrize(("make", "sentence"), BAD_FILES.values(), ids=BAD_FILES.keys())
def test_a_bad_file_is_one_sentence_and_nothing_is_written(
    database: Database, tmp_path: Path, make: Callable[[Path], Path], sentence: str
) -> None:
    with pytest.raises(InputError, match=sentence):
        imported(database, make(tmp_path))
    assert Evaluations(database).runs() == []


def test_valid_rows_alone_are_imported_on_request(database: Database, tmp_path: Path) -> None:
    done = imported(database, changed(bias_name="no bias")(tmp_path), skip_invalid=True)
    assert (done.read, len(done.problems)) == (4, 1)
    only_bad = write_rows(tmp_path / "bad.csv", [{**rows()[0], "bias_name": "no bias"}])
    with pytest.raises(InputError, match="holds no valid row"):
        imported(database, only_bad, "other", model="m", skip_invalid=True)


def test_an_encoding_is_told(database: Database, tmp_path: Path) -> None:
    file = in_encoding("utf-16-le", "\u4e2d")(tmp_path)
    imported(database, file, options=RowOptions("utf-16-le"))
    assert "\u4e2d" in kept(database)[0, "biased/as written/none", 0].reply


@pytest.mark.parametrize(
    ("given", "sentence"),
    [
        ({"datasets": ()}, "there is no evaluation run 'own'; name the datasets of a new one with --dataset"),
        ({"datasets": ("nothing",)}, "dataset 'nothing' is not in the store"),
        ({"layout": "other"}, "outcomes of PROBE-SWE have no layout 'other'; the layouts are probe-swe"),
        *(
            ({"model": name}, "cannot be the name of a model")
            for name in ("a\nb", "a\u202eb", "a\u200bb", "a\u3164", "\u2800", " a", "a" * 201)
        ),
    ],
)
def test_a_request_that_does_not_fit_is_one_sentence(
    database: Database, tmp_path: Path, given: dict[str, object], sentence: str
) -> None:
    file = write_rows(tmp_path / FILE, rows())
    source = OutcomeSource(file, **{"layout": "probe-swe", "datasets": ("pairs",), **given})  # type: ignore[arg-type]
    with pytest.raises(RequestError, match=sentence):
        import_outcomes(database, "own", source, "me")


def test_model_that_looks_like_one_of_the_run_is_refused(database: Database, tmp_path: Path) -> None:
    file = write_rows(tmp_path / FILE, rows())
    imported(database, file, model="gpt-4o")
    for alike in ("gpt-4\u043e", "GPT-4o", "gpt-4 o", "\uff47pt-4o"):
        with pytest.raises(RequestError, match="looks like that name"):
            imported(database, file, model=alike)
    assert {outcome.model for outcome in Evaluations(database).outcomes("own")} == {"gpt-4o"}


def test_a_file_must_fit_the_run_that_is_there(database: Database, tmp_path: Path) -> None:
    imported(database, write_rows(tmp_path / FILE, rows()[2:]))
    with pytest.raises(RequestError, match="the file has repeat 2, which evaluation run 'own' does not have"):
        imported(
            database, write_rows(tmp_path / "b.csv", [row_of(GROUP, RECORDS[1], 1, "A", "B")]), model="m"
        )
    with pytest.raises(InputError, match=r"fits no case of dataset pairs by its texts"):
        imported(
            database, write_rows(tmp_path / "c.csv", [row_of(GROUP, a_record(9), 0, "A", "B")]), model="m"
        )
    with pytest.raises(RequestError, match=r"nothing says which model answered in .*b\.csv"):
        imported(database, tmp_path / "b.csv")
    with pytest.raises(RequestError, match="dataset 'more' is not in the store"):
        imported(database, tmp_path / FILE, datasets=("pairs", "more"))

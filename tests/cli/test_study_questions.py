"""``study new --question`` and ``--guideline``: which questions a study asks, and under which guidelines."""

import io
from pathlib import Path

import pytest

from reviewer.protocols.probe_swe.dilemma import BIASES as GROUPS
from reviewer.protocols.probe_swe.questions import QUESTIONS
from reviewer.study.design.study_bundle import StudyBundle, load_study
from store.database import Database
from store.records import digest_of
from tests.cli.conftest import Run
from tests.studies import BIASES, a_case, fill, open_store

OWN = """
[same_task]
criteria = { False = "the task differs." }
guideline = '''
Judge the task, nothing else.'''

[[same_task.examples]]
case = "Only one version names a budget."
label = "False"
why = "A budget is a requirement."

["bias presence"]
guideline = "Look for [a cue]."
"""
READ = """\
False if the task differs.

Judge the task, nothing else.

Example: Only one version names a budget.
False: A budget is a requirement."""


@pytest.fixture
def database(tmp_path: Path) -> Database:
    store = open_store(tmp_path)
    fill(store, "data", [a_case(number, BIASES[number % 8]) for number in range(8)])
    fill(store, "plain", [a_case(number, rebuilt=False) for number in range(20, 22)])
    (tmp_path / "own.toml").write_text(OWN, encoding="utf-8")
    return store


def guidelines(bundle: StudyBundle) -> dict[str, str]:
    return {question.key: question.guideline_text for question in bundle.questions}


def test_only_the_chosen_questions_are_asked(database: Database, run: Run) -> None:
    made = run(
        *("study", "new", "pilot", "--dataset", "data", "--question", "axioms", "--question", "same task")
    )
    assert made.code == 0, made.err
    assert made.out == "pilot: 8 cases, 16 verdicts a rater (same_task 8, axioms 8)\n"
    bundle = load_study(database, "pilot")
    assert [question.key for question in bundle.questions] == ["same_task", "axioms"]
    assert bundle.design.slots == 16
    assert "of 16 done" in run("review", "pilot", "--rater", "anna", "--plain").out


def test_a_study_brings_its_own_guidelines(database: Database, run: Run) -> None:
    run("study", "new", "usual", "--dataset", "data")
    made = run("study", "new", "pilot", "--dataset", "data", "--guideline", "own.toml")
    assert made.code == 0, made.err
    usual, own = load_study(database, "usual"), load_study(database, "pilot")
    assert guidelines(own) == guidelines(usual) | {"same_task": READ, "bias_presence": "Look for [a cue]."}
    digests = [[question.digest({}) for question in bundle.questions] for bundle in (usual, own)]
    assert [one == other for one, other in zip(*digests, strict=True)] == [False, False, True, True]


def test_an_own_guideline_travels_in_a_pack_and_stands_in_the_report(
    database: Database, run: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    Path("same.toml").write_text(OWN.partition('["bias')[0], encoding="utf-8")
    made = run(
        "study", "new", "pilot", "--dataset", "data", "--question", "same_task", "--guideline", "same.toml"
    )
    assert made.code == 0, made.err
    run("study", "pack", "pilot", "--rater", "anna", "-o", "anna.review")
    monkeypatch.setattr("sys.stdin", io.StringIO("g\nt\nf\nt\n"))
    out = run("review", "anna.review", "--plain").out
    assert "False: A budget is a requirement." in out
    merged = run("merge", "anna.review")
    assert merged.code == 0, merged.err
    run("study", "close", "pilot", "--anyway")
    counted = run("labels", "pilot", "--format", "csv")
    assert counted.code == 0, counted.err
    reported = run("report", "pilot", "-o", "page", "--no-figures")
    assert reported.code == 0, reported.err
    page = "".join(path.read_text(encoding="utf-8") for path in Path("page").rglob("*.md"))
    assert "A budget is a requirement." in page
    assert run("store", "check").code == 0


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("", "file 'own.toml': holds no guideline"),
        ("[same_task", "file 'own.toml': is not valid TOML"),
        ("same_task = 'x'", "question 'same_task': is not a table"),
        ("[same_task]", "question 'same_task': has a blank guideline"),
        ("[same_task]\nguideline = ' '", "question 'same_task': has a blank guideline"),
        ("[same_task]\ncriteria = { True = ' ' }", "question 'same_task', field 'criteria.0.1'"),
        (
            "[same_task]\ncriteria = { yes = 'it is' }",
            "question 'same_task', criteria: 'yes' is not a label of 'same_task'; use one of True, False",
        ),
        ("[same_task]\nguideline = '\u200b'", "question 'same_task': has a blank guideline"),
        ("[same_task]\nguideline = 'a'\ntitle = 'b'", "field 'title'"),
        (
            "[same_task]\nguideline = 'a'\nexamples = [{case='c', label='True'}]",
            "field 'examples.0.why': is missing",
        ),
        (
            "[same_task]\nguideline = 'a'\nexamples = [{case='c', label='yes', why='w'}]",
            "question 'same_task', example 1: 'yes' is not a label of 'same_task'; use one of True, False",
        ),
        ("[tone]\nguideline = 'a'", "question 'tone': is not about a question of the study"),
        (f"[same_task]\nguideline = '{'a' * 10_001}'", "question 'same_task': has 10,001 characters"),
    ],
)
def test_a_file_that_is_not_valid_makes_no_study(database: Database, run: Run, text: str, words: str) -> None:
    Path("own.toml").write_text(text, encoding="utf-8")
    made = run("study", "new", "pilot", "--dataset", "data", "--guideline", "own.toml")
    assert (made.code, made.out) == (2, "")
    assert words in " ".join(made.err.split()), made.err
    assert "pilot" not in run("study", "list").out


@pytest.mark.parametrize(
    ("options", "words"),
    [
        (("--question", "tone"), "PROBE-SWE has no question 'tone'; choose from same_task,"),
        (
            ("--question", "axioms", "--guideline", "own.toml"),
            "question 'same_task': is about 'same_task', which is not asked; choose that question too",
        ),
        (("--question", "axioms", "--gold", "gold.csv"), "'same_task' is not asked about any drawn case"),
    ],
)
def test_choices_that_do_not_fit_make_no_study(
    database: Database, run: Run, options: tuple[str, ...], words: str
) -> None:
    gold = f"dataset,key,question,label\ndata,{BIASES[0]}/0,same_task,True\n"
    Path("gold.csv").write_text(gold, encoding="utf-8")
    made = run("study", "new", "pilot", "--dataset", "data", *options)
    assert (made.code, made.out) == (2, "")
    assert words in " ".join(made.err.split()), made.err


def test_a_chosen_question_needs_a_case(database: Database, run: Run) -> None:
    made = run("study", "new", "pilot", "--dataset", "plain", "--question", "reconstruction")
    assert made.code == 2
    assert "none of the questions (reconstruction) applies to any of these cases" in " ".join(
        made.err.split()
    )


def test_every_shipped_guideline_has_two_decided_examples() -> None:
    for question in QUESTIONS:
        assert {example.label for example in question.examples} == {"True", "False"}, question.key
        assert [label for label, _ in question.criteria] == ["True", "False"], question.key


def test_definitions_stay_as_they_are() -> None:
    """Pinned: definitions are terms of the questions, and other ones would make verdicts stale."""
    definitions = {group.name: group.definition for group in GROUPS}
    assert digest_of(definitions).startswith("9fd23edea136edc6")

"""The machine checks find what is wrong with a pair, once, and go on where they were interrupted."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from reviewer.oracle import pool
from reviewer.oracle.oracle_program import Program
from reviewer.oracle.program_runner import ProgramRunner, local_runner
from reviewer.runs.check.dataset_check import MARK, CheckReport, check
from reviewer.runs.check.published_comparison import compare_with_published
from reviewer.runs.check_findings import ACROSS, WITHIN
from reviewer.similarity.edit_distance import levenshtein_similarity
from reviewer.similarity.text_vectors import Embeddings
from store.case_import import Entry, import_entries
from store.cases import get_measurements
from store.database import Database
from store.embeddings import StoredVectors
from store.findings import cases_in, failed_findings, get_findings
from store.records import Case, Dataset, Finding, Measurement
from tests.encoders import WordCounts
from tests.prolog import need_prolog
from tests.studies import AT, PROBE_SWE, a_case, entries_for, fill, open_store

OPTIONS = "- Option A: wait.\n- Option B: ship.\n\nWhich option do I take?"
STORY = "alpha beta gamma delta epsilon zeta eta theta iota kappa lambda my"


@pytest.fixture(scope="module")
def runner() -> Iterator[ProgramRunner]:
    need_prolog()
    with local_runner(2) as runner:
        yield runner


@pytest.fixture
def database(tmp_path: Path) -> Database:
    return open_store(tmp_path)


def a_pair(number: int, group: str = "anchoring bias", **fields: str) -> Case:
    """A pair that passes every check, unlike those of other numbers."""
    story = " ".join(f"{word}{number}" for word in STORY.split())
    texts = {
        "unbiased": f"{story}\n{OPTIONS}",
        "biased": f"{story} Ten\n{OPTIONS}",
        "reconstructed_unbiased_prompt": f"{story}\n{OPTIONS}",
    }
    return a_case(number, group, **(texts | fields))


def checked(
    database: Database, runner: ProgramRunner, dataset: str = "one", again: bool = False
) -> CheckReport:
    embeddings = Embeddings(WordCounts(), StoredVectors(database))
    return check(database, dataset, embeddings, runner, again=again)


def failed(database: Database, dataset: str = "one") -> dict[str, list[Finding]]:
    found: dict[str, list[Finding]] = {}
    with database.read() as session:
        for placed in failed_findings(session, dataset):
            found.setdefault(placed.place.key, []).append(placed.finding)
    return found


def test_a_good_pair_passes_and_its_values_are_kept(database: Database, runner: ProgramRunner) -> None:
    case = a_pair(1)
    fill(database, "one", [case])
    report = checked(database, runner)
    assert (report.checked, report.passed_over, report.unchecked, report.colliding) == (1, 0, 0, 0)
    with database.read() as session:
        findings = get_findings(session, [case.digest])[case.digest]
        measured = get_measurements(session, [case.digest])[case.digest]
    assert all(finding.passed and finding.why == "" for finding in findings)
    assert {finding.check for finding in findings} == {*PROBE_SWE.machine_checks, WITHIN, ACROSS}
    values = {m.name: m.value for m in measured if m.source == "measured"}
    assert values.keys() == {MARK, *(each.measure for each in PROBE_SWE.check_plan(case).comparisons)}
    assert values["pair_levenshtein_similarity"] == levenshtein_similarity(
        case.payload["unbiased"], case.payload["biased"]
    )
    assert values["reconstruction_similarity"] == pytest.approx(1)
    asked = {PROBE_SWE.concerns.get(check) for check in PROBE_SWE.machine_checks}
    assert {finding.question for finding in findings} == {*asked, None}


BROKEN = ":- consult('axioms').\ndecide_option(user, X) :- nowhere(X)."
OTHER = ":- consult('axioms').\ntested(option_B).\ndecide_option(user, X) :- best(X)."
LONGER = ":- consult('axioms').\nt(option_A).\ntested(X) :- t(X).\ndecide_option(user, X) :- best(X)."


@pytest.mark.parametrize(
    ("fields", "checks"),
    [
        ({"unbiased": f"{STORY} 1\n{OPTIONS} Thanks."}, {"template_question"}),
        ({"biased": f"{STORY}\n- Option A: wait.\n\nWhich?"}, {"template_options", "similarity_cosine"}),
        ({"biased": a_pair(1).payload["unbiased"]}, {"similarity_cosine", "similarity_levenshtein"}),
        ({"reconstructed_unbiased_prompt": "Nothing of the kind."}, {"rebuilt_cosine"}),
        ({"biased_prolog": BROKEN}, {"logic_runs"}),
        ({"biased_prolog": OTHER}, {"logic_decision"}),
        ({"biased_prolog": LONGER}, {"logic_inference_steps", "logic_choice_steps"}),
    ],
)
def test_what_is_wrong_is_found(
    database: Database, runner: ProgramRunner, fields: dict[str, str], checks: set[str]
) -> None:
    fill(database, "one", [a_pair(1, **fields)])
    checked(database, runner)
    (findings,) = failed(database).values()
    assert checks <= {finding.check for finding in findings}
    assert all(finding.why.endswith(".") for finding in findings)


def test_the_framing_effect_may_be_less_alike(database: Database, runner: ProgramRunner) -> None:
    other = f"{STORY} {' '.join('abcdefghijklmnopqrst' * 2)}\n{OPTIONS}"
    groups = ("framing effect", "anchoring bias")
    fill(
        database, "one", [a_case(1, group, unbiased=f"{STORY}\n{OPTIONS}", biased=other) for group in groups]
    )
    checked(database, runner)
    found = {key: {f.check for f in findings} for key, findings in failed(database).items()}
    assert "similarity_levenshtein" in found["anchoring bias/1"]
    assert "similarity_levenshtein" not in found["framing effect/0"]


def test_collisions_are_found_within_and_across_groups(database: Database, runner: ProgramRunner) -> None:
    twin = a_pair(1, biased=f"other {a_pair(1).payload['biased']}")
    across = a_pair(1, "hindsight bias")
    fill(database, "one", [a_pair(1), twin, a_pair(2), across])
    assert checked(database, runner).colliding == 3
    found = {
        key: {f.check: f for f in findings if f.check in (WITHIN, ACROSS)}
        for key, findings in failed(database).items()
    }
    found = {key: findings for key, findings in found.items() if findings}
    assert {key: set(findings) for key, findings in found.items()} == {
        "anchoring bias/0": {WITHIN, ACROSS},
        "anchoring bias/1": {WITHIN, ACROSS},
        "hindsight bias/3": {ACROSS},
    }
    finding = found["hindsight bias/3"][ACROSS]
    assert finding.threshold == 0.9
    assert [hit["key"] for hit in finding.value] == ["anchoring bias/0", "anchoring bias/1"]
    assert finding.why == "1.000 like anchoring bias/0 and 1 more."


def test_a_collision_is_forgotten_with_its_cause(database: Database, runner: ProgramRunner) -> None:
    cases = [a_pair(1), a_pair(1, "hindsight bias")]
    fill(database, "one", cases)
    fill(database, "two", cases[:1])
    assert checked(database, runner).colliding == 1
    assert checked(database, runner, "two").colliding == 0
    assert "anchoring bias/0" not in failed(database)


def test_doing_it_twice_changes_nothing(database: Database, runner: ProgramRunner) -> None:
    fill(database, "one", [a_pair(number) for number in range(3)])
    checked(database, runner)
    before = everything(database)
    report = checked(database, runner)
    assert (report.checked, report.passed_over) == (0, 3)
    assert checked(database, runner, again=True).checked == 3
    assert everything(database) == before


def test_an_interrupted_check_goes_on_where_it_stopped(database: Database, runner: ProgramRunner) -> None:
    fill(database, "one", [a_pair(number) for number in range(25)])
    encoder = WordCounts()
    embeddings = Embeddings(encoder, StoredVectors(database))

    def interrupt(label: str, done: int, _total: int) -> None:
        if (label, done) == ("Checking cases", 14):
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        check(database, "one", embeddings, runner, progress=interrupt)
    encoded = len(encoder.encoded)
    report = check(database, "one", embeddings, runner)
    assert (report.checked, report.passed_over) == (11, 14)
    assert len(encoder.encoded) == encoded
    resumed = everything(database)
    checked(database, runner, again=True)
    assert everything(database) == resumed


def everything(database: Database) -> list[str]:
    """Findings and measured values of the dataset, without their order."""
    with database.read() as session:
        digests = [case.digest for case in cases_in(session, "one")]
        findings = get_findings(session, digests)
        measured = get_measurements(session, digests)
    return sorted(repr(value) for values in (*findings.values(), *measured.values()) for value in values)


def test_what_cannot_be_compared_is_not_tested(database: Database, runner: ProgramRunner) -> None:
    fill(database, "one", [a_pair(1)])
    checked(database, runner)
    case = a_pair(1)
    with database.read() as session:
        before = get_findings(session, [case.digest])[case.digest]
    assert any(finding.check == "logic_decision" for finding in before)
    real = pool.run_case
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(pool, "run_case", lambda programs: real([Program(BROKEN) for _ in programs]))
        checked(database, runner, again=True)
    with database.read() as session:
        after = {finding.check: finding for finding in get_findings(session, [case.digest])[case.digest]}
        failed = {placed.finding.check for placed in failed_findings(session, "one")}
    assert "logic_runs" in failed
    for name in ("logic_decision", "logic_inference_steps", "logic_choice_steps"):
        assert not after[name].tested
        assert after[name].why == after["logic_runs"].why
        assert name not in failed


def test_an_option_in_other_letters_equals_the_published_one(
    database: Database, runner: ProgramRunner
) -> None:
    names = ("unbiased_prolog", "biased_prolog")
    programs = {name: str(a_pair(1).payload[name]).replace("option_A", "option_a") for name in names}
    fill(database, "one", [a_pair(1, **programs)])
    checked(database, runner)
    with database.read() as session:
        failed = {placed.finding.check for placed in failed_findings(session, "one")}
    assert not {name for name in failed if name.startswith("logic_")}


def test_values_are_compared_with_those_published(database: Database, runner: ProgramRunner) -> None:
    cases = [a_pair(number) for number in range(3)]
    lengths = [levenshtein_similarity(c.payload["unbiased"], c.payload["biased"]) for c in cases]
    ended = levenshtein_similarity(cases[1].payload["unbiased"], cases[1].payload["biased"] + "\n")
    published = [lengths[0], ended, lengths[2] + 1e-9]
    entries = [
        Entry(each.case, each.place, (*each.published[:1], _published(each, value)))
        for each, value in zip(entries_for("one", cases), published, strict=True)
    ]
    header = Dataset(name="one", protocol="probe-swe", source="a test", imported_at=AT)
    import_entries(database, header, entries)
    checked(database, runner)
    compared, differences = compare_with_published(database, "one")
    by_value = {each.value: each for each in compared}
    assert (by_value["choice"].compared, by_value["choice"].differ) == (3, 0)
    likeness = by_value["pair_levenshtein_similarity"]
    assert (likeness.compared, likeness.differ, likeness.line_ends) == (3, 1, 1)
    assert by_value["pair_similarity"].compared == 0
    assert [(each.key, each.value) for each in differences] == [
        ("anchoring bias/2", "pair_levenshtein_similarity")
    ]


def _published(entry: Entry, value: float) -> Measurement:
    name = "pair_levenshtein_similarity"
    return entry.published[0].model_copy(update={"name": name, "value": value})

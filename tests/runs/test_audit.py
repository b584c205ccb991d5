"""The audit writes what it measures and finds, once, whatever interrupts it."""

import csv
from collections.abc import Iterator, Sequence
from dataclasses import replace
from pathlib import Path

import pytest

from reviewer.exchange.rows.dataset_import import import_path
from reviewer.oracle import pool
from reviewer.oracle.program_runner import ProgramRunner, local_runner
from reviewer.oracle.version_checks import CHECKS
from reviewer.protocols.registry import PROTOCOLS
from reviewer.runs.audit import dataset_audit as audit_module
from reviewer.runs.audit.dataset_audit import MARK, audit
from store.cases import get_measurements
from store.database import Database
from store.findings import cases_in, failed_findings, get_findings, untested_findings
from store.records import Case, Finding, Measurement
from tests.prolog import need_prolog
from tests.studies import PROBE_SWE, a_case, fill, open_store

SEEDS = Path(__file__).parents[2] / "seeds" / "probe_swe"


@pytest.fixture(scope="module")
def runner() -> Iterator[ProgramRunner]:
    need_prolog()
    with local_runner(2) as runner:
        yield runner


@pytest.fixture
def database(tmp_path: Path) -> Database:
    return open_store(tmp_path)


def kept(database: Database, cases: list[Case]) -> tuple[list[Measurement], list[Finding]]:
    """Everything measured and found on the cases, sorted by content."""
    digests = [case.digest for case in cases]
    with database.read() as session:
        measured = [m for found in get_measurements(session, digests).values() for m in found]
        findings = [finding for found in get_findings(session, digests).values() for finding in found]
    return sorted(measured, key=repr), sorted(findings, key=repr)


def some_cases(database: Database, number: int = 25) -> list[Case]:
    cases = [a_case(n) for n in range(number)]
    fill(database, "one", cases)
    return cases


def test_every_check_leaves_a_finding_and_every_version_its_values(
    database: Database, runner: ProgramRunner
) -> None:
    cases = some_cases(database, 1)
    report = audit(database, [cases], runner)
    measured, findings = kept(database, cases)
    assert (report.audited, report.passed_over, report.unchecked) == (1, 0, 0)
    assert {finding.check for finding in findings} == {check.name for check in CHECKS}
    values = {(m.name, m.variant): m for m in measured if m.source == "measured"}
    for variant in ("unbiased", "biased"):
        assert values["choice", variant].value == "option_A"
        assert values["solutions", variant].value == ["option_A"]
        assert values["proof_depth", variant].value == 3
        assert values["proof", variant].value["nodes"][0][2] == (
            "facts:4" if variant == "unbiased" else "facts:5"
        )
        assert values["choice", variant].engine == report.engine
    assert values["choice", "unbiased"].program != values["choice", "biased"].program
    (differs,) = [finding for finding in findings if finding.check == "differs_from_published"]
    assert not differs.passed
    assert differs.question == "bias_presence"


def test_clauses_are_kept_as_the_system_writes_them_and_warnings_with_their_place(
    database: Database, runner: ProgramRunner
) -> None:
    facts = "decide_option(user, Choice) :-\n  best( Choice ).  % why\nodd(Alone).\ntested('option_A')."
    case = a_case(unbiased_prolog=facts)
    fill(database, "one", [case])
    audit(database, [[case]], runner)
    measured, _ = kept(database, [case])
    values = {(m.name, m.variant): m.value for m in measured}
    own = [row for row in values["clauses", "unbiased"] if row["at"].startswith("facts:")]
    assert [row["shape"] for row in own] == [
        "decide_option(user, A):-best(A)",
        "odd(A)",
        "tested(option_A)",
    ]
    assert facts[own[1]["start"] : own[1]["end"]] == "odd(Alone)."
    assert values["warnings", "unbiased"] == [["singleton", "facts:3"]]
    (attempt,) = values["attempts", "unbiased"]
    assert [step["at"] for step in attempt["steps"]][:2] == ["facts:1", "axioms:1"]


DANGEROUS = a_case(1).payload["unbiased_prolog"] + "\nlist :- shell(ls)."


def test_a_program_that_was_refused_has_one_finding_and_the_rest_is_not_tested(
    database: Database, runner: ProgramRunner
) -> None:
    case = a_case(1, unbiased_prolog=DANGEROUS, biased_prolog=DANGEROUS + "\nship(ten).")
    fill(database, "one", [case])
    audit(database, [[case]], runner)
    measured, findings = kept(database, [case])
    by_check = {finding.check: finding for finding in findings}
    assert {check for check, each in by_check.items() if each.tested and not each.passed} == {"not_run"}
    assert by_check["not_run"].why.startswith("The unbiased program was refused")
    assert by_check["not_run"].places is not None
    assert [(row["variant"], row["part"], row["line"]) for row in by_check["not_run"].places] == [
        ("unbiased", "facts", 5),
        ("biased", "facts", 5),
    ]
    for check in ("both_derivable", "no_option", "versions_disagree", "differs_from_published", "facts_idle"):
        assert not by_check[check].tested
        assert not by_check[check].passed
        assert "was refused" in by_check[check].why
    values = {(m.name, m.variant): m.value for m in measured if m.source == "measured"}
    assert values["status", "unbiased"] == "refused"
    assert values["knock_outs", "unbiased"] == []
    with database.read() as session:
        assert [each.finding.check for each in failed_findings(session, "one")] == ["not_run"]
        untested = untested_findings(session, "one", [check.name for check in CHECKS])
    assert len(untested) == sum(not finding.tested for finding in findings) > 15


def test_both_derivations_are_kept_and_findings_with_their_places(
    database: Database, runner: ProgramRunner
) -> None:
    both = a_case(1).payload["unbiased_prolog"] + "\ntested(option_B)."
    case = a_case(1, unbiased_prolog=both)
    fill(database, "one", [case])
    audit(database, [[case]], runner)
    measured, findings = kept(database, [case])
    values = {(m.name, m.variant): m.value for m in measured if m.source == "measured"}
    assert values["other_proof", "unbiased"]["choice"] == "option_B"
    assert values["other_proof", "unbiased"]["nodes"][0][1] == "decide_option(user, option_B)"
    assert ("other_proof", "biased") not in values
    (finding,) = [each for each in findings if each.check == "both_derivable"]
    assert finding.places is not None
    marked = [both[row["start"] : row["end"]] for row in finding.places]
    assert marked == ["tested(option_A).", "tested(option_B)."]
    assert all(finding.places is None for finding in findings if finding.passed)


def test_doing_it_twice_changes_nothing(database: Database, runner: ProgramRunner) -> None:
    cases = some_cases(database, 3)
    audit(database, [cases], runner)
    before = kept(database, cases)
    assert audit(database, [cases], runner).passed_over == 3
    assert audit(database, [cases], runner, again=True).audited == 3
    assert kept(database, cases) == before


def test_an_interrupted_audit_goes_on_where_it_stopped(database: Database, runner: ProgramRunner) -> None:
    cases = some_cases(database)

    def interrupt(done: int, _total: int) -> None:
        if done == 14:
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        audit(database, [cases], runner, progress=interrupt)
    with database.read() as session:
        assert len({placed.place.case for placed in failed_findings(session, "one")}) == 14
    calls: list[tuple[int, int]] = []
    found: list[Sequence[Finding]] = []
    report = audit(
        database,
        [cases],
        runner,
        progress=lambda done, total: calls.append((done, total)),
        found=found.append,
    )
    assert (report.audited, report.passed_over) == (11, 14)
    assert calls == [(number, 11) for number in range(1, 12)]
    with database.read() as session:
        stored = get_findings(session, [findings[0].case for findings in found])
    assert {findings[0].case: len(findings) for findings in found} == {
        case: len(findings) for case, findings in stored.items()
    }
    assert len(stored) == 11
    resumed = kept(database, cases)
    audit(database, [cases], runner, again=True)
    assert kept(database, cases) == resumed


def test_what_changed_is_audited_again(
    database: Database, runner: ProgramRunner, monkeypatch: pytest.MonkeyPatch
) -> None:
    cases = some_cases(database, 2)
    audit(database, [cases], runner)
    fill(database, "two", cases[:1])  # the same published values at another place
    assert audit(database, [cases], runner).audited == 0
    newer = [replace(check, version=check.version + 1) for check in CHECKS[:1]]
    monkeypatch.setattr(audit_module, "CHECKS", (*newer, *CHECKS[1:]))
    assert audit(database, [cases], runner).audited == 2
    _, findings = kept(database, cases)
    (newer_check, *_) = newer
    assert [f.check_version for f in findings if f.check == newer_check.name] == [newer_check.version] * 2


def test_values_of_another_engine_stay(
    database: Database, runner: ProgramRunner, monkeypatch: pytest.MonkeyPatch
) -> None:
    cases = some_cases(database, 1)
    real = pool.calibration()
    monkeypatch.setattr(pool, "calibration", lambda: ("1.2.3", real[1]))
    audit(database, [cases], runner)
    monkeypatch.setattr(pool, "calibration", lambda: real)
    assert audit(database, [cases], runner).audited == 1
    measured, findings = kept(database, cases)
    assert {m.engine for m in measured if m.name == "choice" and m.source == "measured"} == {
        "swipl 1.2.3",
        f"swipl {real[0]}",
    }
    assert [m.engine for m in measured if m.name == MARK] == [f"swipl {real[0]}"]
    assert len(findings) == len(CHECKS)


def test_the_framing_effect_is_meant_to_have_one_program(database: Database, runner: ProgramRunner) -> None:
    same = {"biased_prolog": a_case().payload["unbiased_prolog"]}
    cases = [a_case(0, bias, **same) for bias in ("framing effect", "anchoring bias")]
    fill(database, "one", cases)
    audit(database, [cases], runner)
    with database.read() as session:
        (placed,) = failed_findings(session, "one", ["same_text"])
    assert placed.group == "anchoring bias"


def test_cases_without_programs_are_none_of_its_business(
    database: Database, runner: ProgramRunner, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(PROTOCOLS["probe-swe"], "logic", lambda: None)
    report = audit(database, [some_cases(database, 2)], runner)
    assert (report.audited, report.unchecked) == (0, 2)


def test_the_protocol_speaks_of_every_check_and_of_its_own_questions() -> None:
    about_no_question = {"undefined", "load_messages", "facts_name_no_option", "unused_facts"}
    assert {check.name for check in CHECKS} - PROBE_SWE.concerns.keys() == about_no_question
    assert set(PROBE_SWE.concerns.values()) == {question.key for question in PROBE_SWE.questions}


def test_nothing_serious_is_found_in_the_seeds_and_their_counts_are_the_published_ones(
    database: Database, runner: ProgramRunner
) -> None:
    import_path(database, SEEDS, "seeds")
    with database.read() as session:
        cases = cases_in(session, "seeds")
    report = audit(database, [cases], runner)
    assert report.audited == 16
    assert report.incomparable == ()
    with database.read() as session:
        assert failed_findings(session, "seeds", severities=["serious"]) == []
        measured = get_measurements(session, [case.digest for case in cases])
    counted = sorted(
        (values["choice", v], values["inference_steps", v], values["choice_steps", v])
        for found in measured.values()
        for values in [{(m.name, m.variant): m.value for m in found if m.source == "measured"}]
        for v in ("unbiased", "biased")
    )
    with (SEEDS / "published_values.csv").open(encoding="utf-8", newline="") as file:
        published = sorted(
            (row["correct_option"], int(row["inference_steps"]), int(row["choice_steps"]))
            for row in csv.DictReader(file)
            for _ in range(2)
        )
    assert counted == published

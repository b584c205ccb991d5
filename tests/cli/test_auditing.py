"""``audit``, ``oracle doctor``, and the output of ``show`` on an audited case."""

import csv
import io
import json
import re
import sys
from collections.abc import Iterator
from contextlib import nullcontext
from pathlib import Path
from types import SimpleNamespace

import click
import pytest

from reviewer.cli import audit
from reviewer.cli.cluster_work import ask_without_jail
from reviewer.core.errors import RequestError
from reviewer.oracle import oracle_errors, pool, workers
from reviewer.oracle.worker import seccomp
from reviewer.runs.audit import dataset_audit
from reviewer.study.design.study_bundle import load_study
from store.cases import get_measurements
from store.database import Database
from store.dismissals import dismiss
from store.findings import failed_findings
from store.records import Case
from tests.cli.conftest import Run
from tests.studies import a_case, fill


@pytest.fixture
def database(tmp_path: Path) -> Database:
    database = Database.open(str(tmp_path / "reviewer.db"))
    fill(database, "one", [a_case(0), both_options()])
    return database


def both_options() -> Case:
    """A case whose unbiased program derives both options."""
    both = a_case(1).payload["unbiased_prolog"] + "\ntested(option_B)."
    return a_case(1, unbiased_prolog=both, biased_prolog=both)


@pytest.fixture
def no_prolog(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    pool.close()
    for name in ("LIBSWIPL_PATH", "SWI_HOME_DIR"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setattr(workers.shutil, "which", lambda name: None)
    monkeypatch.setattr(workers, "MAC_APPLICATION", "/nonexistent/swipl")
    workers.find_engine.cache_clear()
    yield
    workers.find_engine.cache_clear()


@pytest.mark.usefixtures("prolog")
def test_a_dry_run_estimates_what_is_left_and_writes_nothing(run: Run, database: Database) -> None:
    def planned(*more: str) -> tuple[dict[str, float], str]:
        result = run("audit", "one", "--dry-run", "--workers", 1, "--format", "json", *more)
        (row,) = json.loads(result.out)
        return row, result.err

    row, said = planned()
    assert (row["work"], row["amount"], row["seconds"] > 0) == ("audit, this machine (1 core)", 2, True)
    assert "programs of 2 cases to run; 0 audited before" in said
    assert "measured here on 2 of these" in said
    with database.read() as session:
        values = get_measurements(session, [a_case(0).digest])[a_case(0).digest]
    assert {value.source for value in values} == {"published"}
    assert run("audit", "one").code == 0
    row, said = planned()
    assert (row["amount"], row["seconds"], row["bytes"]) == (0, 0, 0)
    assert "programs of 0 cases to run; 2 audited before" in said
    assert planned("--again")[0]["amount"] == 2


@pytest.mark.usefixtures("prolog", "database", "at_a_terminal")
def test_findings_are_listed_the_serious_first(run: Run) -> None:
    shown = run("audit", "one", "--workers", 1)
    assert shown.code == 0
    assert max(map(len, shown.out.splitlines())) <= 100
    severities = [line.split()[0] for line in shown.out.splitlines()[2:]]
    assert severities == sorted(severities, key=["serious", "doubtful", "untidy"].index)
    assert "2 audited on swipl" in shown.err
    assert "2 audited before" in run("audit", "one").err
    assert "2 audited on swipl" in run("audit", "one", "--again").err


@pytest.mark.usefixtures("prolog", "database")
def test_an_audit_by_earlier_checks_says_so_and_is_done_again(
    run: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    with monkeypatch.context() as earlier:
        earlier.setattr(dataset_audit, "EDITION", "earlier")
        run("audit", "one")
    listed = run("datasets", "--format", "json")
    (row,) = json.loads(listed.out)
    assert (row["audited"], row["audited_by_earlier_checks"], row["audit_clean"]) == (0, 2, 0)
    assert "one: 2 cases were audited by earlier checks; audit again: reviewer audit one" in listed.err
    again = run("audit", "one").err
    assert "(2 of them before, by earlier checks)" in again
    assert (
        "Of 2 cases: 1 with serious findings, 1 doubtful at worst, 0 untidy or none; 1 without serious."
        in again
    )
    (row,) = json.loads(run("datasets", "--format", "json").out)
    assert (row["audited"], row["audited_by_earlier_checks"], row["audit_clean"]) == (2, 0, 1)


@pytest.mark.usefixtures("prolog", "database")
def test_findings_are_filtered_counted_and_written_for_machines(run: Run) -> None:
    rows = json.loads(run("audit", "one", "--check", "both_derivable", "--format", "json").out)
    assert [(row["key"], row["severity"]) for row in rows] == [("anchoring bias/1", "serious")]
    (row,) = rows
    assert (row["dataset"], row["digest"], row["program"]) == ("one", both_options().digest, "unbiased facts")
    assert row["places"].startswith(f"unbiased facts:{row['line']}")
    untidy = csv.DictReader(io.StringIO(run("audit", "one", "--severity", "untidy", "--format", "csv").out))
    assert {row["severity"] for row in untidy} == {"untidy"}
    counts = json.loads(
        run(
            "audit",
            "one",
            "--summary",
            "dataset,group,check",
            "--check",
            "both_derivable",
            "--format",
            "json",
        ).out
    )
    assert counts == [
        {
            "severity": "serious",
            "dataset": "one",
            "group": "anchoring bias",
            "check": "both_derivable",
            "findings": 1,
        }
    ]


@pytest.mark.usefixtures("prolog")
def test_dismissed_findings_are_left_out_and_shown_if_asked_for(run: Run, database: Database) -> None:
    both = ("audit", "one", "--check", "both_derivable")
    assert "anchoring bias/1" in run(*both).out
    with database.read() as session:
        (placed,) = failed_findings(session, "one", ["both_derivable"])
    dismiss(database, placed.finding, "dora", "it is meant")
    left = run(*both, "--format", "json")
    assert json.loads(left.out) == []
    assert "Dismissed and left out: 1 finding; --dismissed shows them." in left.err
    (row,) = json.loads(run(*both, "--dismissed", "--format", "json").out)
    assert (row["dismissed_by"], row["because"]) == ("dora", "it is meant")


@pytest.mark.usefixtures("prolog")
def test_a_study_is_drawn_from_cases_with_a_finding(run: Run, database: Database) -> None:
    drawn = ("study", "new", "doubts", "--dataset", "one", "--finding")
    early = run(*drawn, "both_derivable")
    assert (early.code, "run `reviewer audit one` first." in early.err) == (2, True)
    run("audit", "one")
    refused = run(*drawn, "hard_coded")
    assert (refused.code, "no case of one has a finding of hard_coded" in refused.err) == (2, True)
    made = run(*drawn, "both_derivable")
    assert "doubts: 1 case," in made.out
    assert "Dataset one has no case with such a finding in confirmation bias" in made.err
    assert [place.key for place in load_study(database, "doubts").sample] == ["anchoring bias/1"]


@pytest.mark.usefixtures("prolog", "database")
def test_show_explains_an_audited_case(run: Run) -> None:
    before = run("show", "anchoring bias/1")
    assert "were not run here yet: reviewer audit one" in before.err
    run("audit", "one")
    shown = run("show", "anchoring bias/1")
    assert shown.err == ""
    assert re.search("all solutions +option_A, option_B +=  option_A, option_B", shown.out)
    assert "  best(option_A)  % rule, axioms line 1" in shown.out
    assert re.search("serious +both derivable: Both options can be derived", shown.out)
    assert "…" not in shown.out
    words = run("show", "anchoring bias/1", "--in-words").out
    assert "Option A, because it counts as “tested”." in words
    assert "% rule, axioms line 1" not in words
    assert re.search(r"depends on \d+ of \d+ clauses\n +\S.*  % .* line \d+, without it", shown.out)
    findings = json.loads(run("show", "anchoring bias/1", "--format", "json").out)["findings"]
    assert {"both_derivable", "unused_facts"} <= {finding["check"] for finding in findings}


@pytest.mark.usefixtures("prolog")
def test_what_was_not_tested_is_counted_as_that(run: Run, database: Database) -> None:
    refused = a_case(2).payload["unbiased_prolog"] + "\nlist :- shell(ls)."
    fill(database, "two", [a_case(2, unbiased_prolog=refused, biased_prolog=refused + "\nx.")])
    summary = json.loads(run("audit", "two", "--summary", "check", "--format", "json").out)
    counts = {(row["severity"], row["check"]): row["findings"] for row in summary}
    assert counts["serious", "not_run"] == 1
    assert counts["not tested", "both_derivable"] == 1
    assert {severity for severity, _ in counts} == {"serious", "not tested"}
    listed = run("audit", "two", "--format", "json")
    assert [row["check"] for row in json.loads(listed.out)] == ["not_run"]
    assert re.search(r"Not tested: \d+ checks of 1 case; --not-tested lists them", listed.err)
    whole = json.loads(run("audit", "two", "--not-tested", "--format", "json").out)
    assert len(whole) == len(summary)
    assert {row["severity"] for row in whole if row["check"] == "both_derivable"} == {"not tested"}
    shown = run("show", "two:anchoring bias/0")
    assert re.search(r"not tested · both derivable, .*: The unbiased program was refused", shown.out)
    assert "the program was refused" in shown.out
    findings = json.loads(run("show", "two:anchoring bias/0", "--format", "json").out)["findings"]
    assert sum(not finding["tested"] for finding in findings) == len(whole) - 1


@pytest.mark.usefixtures("prolog")
def test_show_takes_what_audit_prints(run: Run, database: Database) -> None:
    others = [a_case(number) for number in (5, 6)]
    fill(database, "two", others)
    fill(database, "copy", [a_case(0)])
    ambiguous = run("show", "anchoring bias/1")
    assert ambiguous.code == 2
    assert "may mean 'one:anchoring bias/1', 'two:anchoring bias/1'; give one of these" in ambiguous.err
    assert "digest" not in ambiguous.err
    rows = json.loads(run("audit", "two", "--format", "json").out)
    assert {row["case"] for row in rows} == {"two:anchoring bias/0", "two:anchoring bias/1"}
    for row in rows:
        assert f"case {others[int(row['key'][-1])].digest}" in run("show", row["case"]).out
        assert run("show", row["key"], "--dataset", "two").out == run("show", row["case"]).out
    assert run("show", a_case(0).digest[:12]).code == 0
    nowhere = run("show", "anchoring bias/1", "--dataset", "copy")
    assert (nowhere.code, "no case in dataset 'copy' has the key" in nowhere.err) == (2, True)
    unknown = run("show", "anchoring bias/1", "--dataset", "nope")
    assert (unknown.code, "dataset 'nope' is not in the store" in unknown.err) == (2, True)
    assert run("show", "").code == 2


@pytest.mark.usefixtures("database")
@pytest.mark.parametrize(
    ("arguments", "sentence"),
    [
        (("audit", "nope"), "dataset 'nope' is not in the store"),
        (("audit", "one", "--check", "nope"), "'nope' is not one of"),
        (("audit", "one", "--severity", "nope"), "'nope' is not one of"),
        (("audit", "one", "--summary", "colour"), "cannot count by 'colour'"),
        (("audit", "one", "--workers", "0"), "0 is not in the range"),
    ],
)
def test_what_cannot_be_done_is_one_sentence(run: Run, arguments: tuple[str, ...], sentence: str) -> None:
    refused = run(*arguments)
    assert (refused.code, refused.out) == (2, "")
    assert sentence in refused.err
    assert refused.err.count("\n") == 1


@pytest.mark.usefixtures("database", "no_prolog")
def test_without_prolog_it_says_what_to_install(run: Run) -> None:
    refused = run("audit", "one")
    assert (refused.code, refused.out) == (2, "")
    assert oracle_errors.install_command() in refused.err
    assert oracle_errors.install_command() in run("show", "anchoring bias/0").err
    sick = run("oracle", "doctor")
    assert sick.code == 2
    assert "off" in sick.out.splitlines()[2]


@pytest.mark.usefixtures("prolog")
def test_the_doctor_says_what_is_on(run: Run) -> None:
    shown = run("oracle", "doctor", "--format", "json")
    assert shown.code == 0
    state = {row["what"]: row for row in json.loads(shown.out)}
    assert state["SWI-Prolog"]["on"] == "on"
    assert state["comparable counts"]["on"] == "on"
    assert {"gate", "landlock", "seccomp", "deadline"} <= set(state)


@pytest.mark.usefixtures("database", "prolog")
def test_interrupting_says_so(run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    def interrupted(*_: object, **__: object) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr(audit, "audit", interrupted)
    stopped = run("audit", "one")
    assert (stopped.code, stopped.out) == (130, "")


@pytest.fixture
def no_jail(monkeypatch: pytest.MonkeyPatch) -> None:
    """As on a system without seccomp; workers, which are processes of their own, are as ever."""
    monkeypatch.setattr(seccomp, "supported", lambda: False)


@pytest.mark.usefixtures("database", "prolog", "no_jail")
@pytest.mark.parametrize("command", ["audit", "check"])
def test_without_a_jail_a_script_has_to_say_that_programs_may_run(command: str, run: Run) -> None:
    refused = run(command, "one")
    assert (refused.code, refused.out) == (2, "")
    assert "has no jail for programs" in refused.err
    assert "--without-jail" in refused.err
    assert json.loads(run("audit", "one", "--without-jail", "--format", "json").out)


@pytest.mark.usefixtures("no_jail")
def test_without_a_jail_generation_asks_before_anything_is_written(run: Run, tmp_path: Path) -> None:
    """A model's programs are as foreign as a dataset's; a dry run runs none."""
    refused = run("generate", "first", "--model", "m", "--target", "1")
    assert (refused.code, refused.out) == (2, "")
    assert "has no jail for programs" in refused.err
    assert [*tmp_path.iterdir()] == []
    assert run("generate", "first", "--model", "m", "--target", "1", "--dry-run").code == 0


@pytest.mark.usefixtures("no_jail")
@pytest.mark.parametrize("answer", [True, False])
def test_without_a_jail_a_person_is_asked(answer: bool, monkeypatch: pytest.MonkeyPatch) -> None:
    asked: list[str] = []

    def confirm(text: str, **_: object) -> bool:
        asked.append(text)
        return answer

    monkeypatch.setattr(sys, "stdin", SimpleNamespace(isatty=lambda: True))
    monkeypatch.setattr(sys, "stderr", SimpleNamespace(isatty=lambda: True, write=len, flush=list))
    monkeypatch.setattr(click, "confirm", confirm)
    with nullcontext() if answer else pytest.raises(RequestError):
        ask_without_jail(False)
    ask_without_jail(True)
    assert asked == ["Run the programs of this dataset?"]


@pytest.mark.usefixtures("prolog", "no_jail")
def test_the_doctor_says_what_a_system_without_a_jail_means(run: Run) -> None:
    state = {row["what"]: row for row in json.loads(run("oracle", "doctor", "--format", "json").out)}
    assert (state["jail"]["on"], state["seccomp"]["on"]) == ("off", "off")
    assert "could read, change and send whatever you can" in state["jail"]["detail"]

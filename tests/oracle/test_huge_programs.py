"""Programs as long as may be, made so that looking at them takes for ever: time and memory are bounded."""

import time

from reviewer.oracle.evidence import Evidence, without_comments
from reviewer.oracle.oracle_program import Program
from reviewer.oracle.result import Clause, LoadMessage, Part, Result, SourceLine, Status
from reviewer.oracle.variants import MOST_CHARACTERS, knock_outs
from reviewer.oracle.version_checks import CHECKS
from tests.oracle.test_checks import GOOD, OPTIONS, evidence

SECONDS = 20.0
LINE = SourceLine(Part.FACTS, 1)


def asked_all(text: str, clauses: list[Clause], **more: object) -> float:
    """Processor time of all checks of a program of these clauses, whatever SWI-Prolog would say of it."""
    result = Result(Status.OK, "9.2.9", choice="option_A", clauses=tuple(clauses), **more)  # type: ignore[arg-type]
    programs = (Program(text), Program(text))
    began = time.process_time()
    for check in CHECKS:
        check.ask(Evidence(programs, result, result, (), OPTIONS))
    return time.process_time() - began


def clauses_of(text: str, kind: str, name: str) -> list[Clause]:
    """A clause a line."""
    found, at = [], 0
    for number, line in enumerate(text.splitlines(keepends=True), start=1):
        found.append(Clause(SourceLine(Part.FACTS, number), at, at + len(line) - 1, kind, f"{name}/1"))
        at += len(line)
    return found


def test_comments_that_never_close_are_read_once() -> None:
    text = "x(Y, '" + "/* " * 60_000 + "').\n"
    message = LoadMessage("singleton", LINE, "['Y']")
    assert asked_all(text, clauses_of(text, "fact", "x"), messages=(message,)) < SECONDS


def test_comments_become_blanks() -> None:
    source = "a /* b */ c % d\ne /* f % g */ h /*/ i */ j % /* k\nl /* m\nn % o\np"
    blank = "a         c    \ne             h          j       \nl /* m\nn    \np"
    assert without_comments(source) == blank


def test_nested_calls_of_what_is_not_there_are_counted_once() -> None:
    text = "p :- " + "nowhere(" * 20_000 + "a" + ")" * 20_000 + ".\n"
    assert asked_all(text, clauses_of(text, "rule", "p"), undefined=("nowhere/1",)) < SECONDS


def test_many_rules_that_call_many_things_that_are_not_there() -> None:
    text = "".join(f"p :- q{number}(a).\n" for number in range(10_000))
    undefined = tuple(f"q{number}/1" for number in range(10_000))
    assert asked_all(text, clauses_of(text, "rule", "p"), undefined=undefined) < SECONDS


def test_knock_outs_fit_into_memory() -> None:
    text = "".join(f"p(a{number}).\n" for number in range(15_000))
    variants = knock_outs(Program(text), clauses_of(text, "fact", "p"))
    assert [variant.clause for variant in variants] == list(range(15_000))
    made = [variant.program for variant in variants if not variant.omitted]
    assert 0 < sum(len(program.facts) for program in made) <= MOST_CHARACTERS
    assert {variant.program.facts for variant in variants if variant.omitted} == {text}


def test_what_was_not_even_made_is_not_tested() -> None:
    facts = "".join(f"p(a{number}).\n" for number in range(300)) + "% " + "x" * 60_000
    found = evidence(GOOD + facts)
    said = {check.name: check.ask(found) for check in CHECKS}["no_fact_matters"]
    ends = {result.stopped_by for variant, result in found.variants if variant.omitted}
    assert ends == {"not tested: the program has too many clauses"}
    assert len(found.variants) > 300
    assert said.state == "passed" or said.state == "not tested"

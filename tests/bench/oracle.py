"""How fast programs run: the published way (swipl spawned for each) beside ours, on the same 200 programs.

Prints one row a runner: programs, programs a second, the ratio to the published way, CPU milliseconds a
program (workers and children), and how many programs have all three values (choice, inference steps, choice
steps) equal to the published way's and to the published values. Runners but the last use one worker, so one
core.
"""

import resource
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[2]))

from reviewer.oracle import pool
from reviewer.oracle.calibration import FACT, FINDALL
from reviewer.oracle.jail import FULL, Jail
from reviewer.oracle.oracle_program import Program
from reviewer.oracle.result import Counts, Result
from reviewer.oracle.variants import all_variants
from tests.bench.support.oracle_programs import Pair, pairs

PAIRS = 100
OPTIONS = ("option_A", "option_B")
NO_JAIL = Jail.none(gate=True, deadline=True)
# What the published values were made with, in our own words: warm up, count, profile.
WRAPPER = """
:- use_module(library(statistics)).
:- set_prolog_flag(verbose, silent), style_check(-singleton), style_check(-discontiguous).
report(File, Goal, Choice) :-
    load_files(File, [silent(true)]),
    copy_term(Goal, Profiled),
    \\+ \\+ once(Goal),
    call_time(Goal, Time), !,
    ignore(catch(with_output_to(string(_), profile(Profiled, [top(0)])), _, true)),
    profile_data(Profile),
    aggregate_all(count+sum(Calls), bag(Profile, Calls), Sites+AllCalls),
    format("~q\\t~w\\t~w\\t~w\\t~w~n", [Choice, Time.inferences, Profile.summary.nodes, AllCalls, Sites]).
bag(Profile, Calls) :-
    member(Node, Profile.nodes),
    Node.predicate = _:'$new_findall_bag'/0,
    member(node(_, _, _, _, Calls, _, _), Node.callers).
"""
Values = tuple[str | None, int, int]


@dataclass(frozen=True)
class Row:
    """One runner's outcome."""

    name: str
    programs: int
    seconds: float
    cpu_seconds: float
    values: list[Values | None]


def main() -> None:
    """Run every runner on the same programs and print the table."""
    if shutil.which("swipl") is None:
        print("The oracle's bench needs SWI-Prolog on the path.")
        return
    chosen = pairs(PAIRS)
    programs = [program for pair in chosen for program in (pair.unbiased, pair.biased)]
    jobs = [[pair.unbiased, pair.biased] for pair in chosen]
    cases = with_variants(jobs)
    empty = [[replace(FACT.program, count=False)]] * len(programs)
    rows = [
        timed("swipl spawned for each", len(programs), lambda: spawned(programs)),
        ours("forked, an empty program, no jail: the floor", empty, NO_JAIL),
        ours("forked for each, no jail, proofs", [[program] for program in programs], NO_JAIL),
        ours("forked for each, full jail, proofs", [[program] for program in programs], FULL),
        ours("both versions in one child, no jail, proofs", jobs, NO_JAIL),
        ours("both versions in one child, full jail, proofs", jobs, FULL),
        ours("both versions and variants, no jail", cases, NO_JAIL),
        ours("both versions and variants, full jail", cases, FULL),
        ours("the same, pool on all cores", cases, FULL, workers=None),
    ]
    print_table(rows, chosen)


def ours(name: str, jobs: Sequence[Sequence[Program]], jail: Jail, workers: int | None = 1) -> Row:
    """One job a child; a new worker for each runner, started before the clock."""
    pool.close()
    with pool.open_executor(workers) as executor:
        list(executor.map(lambda job: pool.run_case(job, jail), list(jobs)[:2]))
        return timed(
            name,
            sum(map(len, jobs)),
            lambda: list(executor.map(lambda job: pool.run_case(job, jail), jobs)),
        )


def timed(
    name: str, programs: int, work: Callable[[], Sequence[Sequence[Result]] | list[Values | None]]
) -> Row:
    before, start = cpu(), time.perf_counter()
    outcome = work()
    seconds = time.perf_counter() - start
    pool.close()
    return Row(name, programs, seconds, cpu() - before, [values(item) for item in flat(outcome)])


def cpu() -> float:
    own, children = resource.getrusage(resource.RUSAGE_SELF), resource.getrusage(resource.RUSAGE_CHILDREN)
    return own.ru_utime + own.ru_stime + children.ru_utime + children.ru_stime


def flat(outcome: Sequence[object]) -> list[object]:
    """Results in order; of a case with variants the two versions only."""
    items: list[object] = []
    for item in outcome:
        if isinstance(item, tuple) and item and isinstance(item[0], Result):
            items += item[:2]
        else:
            items.append(item)
    return items


def values(item: object) -> Values | None:
    if isinstance(item, Result):
        counts: Counts | None = item.counts
        return None if counts is None else (item.choice, counts.inference_steps, counts.choice_steps)
    return item if isinstance(item, tuple) else None


def with_variants(jobs: Sequence[Sequence[Program]]) -> list[list[Program]]:
    """Each case's two versions and the audit's variants: every knock-out and change of the unbiased one."""
    cases = []
    for unbiased, biased in jobs:
        clauses = pool.run(replace(unbiased, count=False, prove=False)).clauses
        variants = all_variants(unbiased, clauses, OPTIONS)
        cases.append([unbiased, biased, *(variant.program for variant in variants)])
    return cases


def spawned(programs: Sequence[Program]) -> list[Values | None]:
    """A swipl process for each program, its counts less those that its version adds to two known goals."""
    with tempfile.TemporaryDirectory() as folder:
        wrapper = Path(folder) / "wrapper.pl"
        wrapper.write_text(WRAPPER)
        fact = spawn(wrapper, FACT.facts, "ask(C)")
        findall = spawn(wrapper, FINDALL.facts, "ask(C)")
        base = fact[1] - FACT.inference_steps
        per_call = findall[1] - FINDALL.inference_steps - base
        per_site = findall[2] - FINDALL.choice_steps - (fact[2] - FACT.choice_steps)
        found: list[Values | None] = []
        for program in programs:
            choice, inferences, nodes, calls, sites = spawn(wrapper, program.text, "decide_option(user, C)")
            found.append((choice, inferences - base - per_call * calls, nodes - per_site * sites))
        return found


def spawn(wrapper: Path, text: str, goal: str) -> tuple[str, int, int, int, int]:
    program = wrapper.with_name("program.pl")
    program.write_text(text, encoding="utf-8")
    ask = f"Goal = ({goal}), Goal =.. L, last(L, C), report('{program}', Goal, C)"
    run = ["swipl", "-q", "-g", ask, "-t", "halt", str(wrapper)]
    out = subprocess.run(run, capture_output=True, text=True, check=True).stdout
    choice, *numbers = out.strip().split("\t")
    inferences, nodes, calls, sites = map(int, numbers)
    return choice, inferences, nodes, calls, sites


def print_table(rows: list[Row], chosen: list[Pair]) -> None:
    baseline = rows[0]
    known = [pair.counts for pair in chosen for _ in range(2)]
    heads = f"{'programs':>8} {'a second':>9} {'ratio':>7} {'CPU ms':>7}"
    print(f"{'runner':46} {heads}  equal to spawned, published")
    for row in rows:
        rate = row.programs / row.seconds
        ratio = rate / (baseline.programs / baseline.seconds)
        cpu_ms = 1000 * row.cpu_seconds / row.programs
        measures = f"{row.programs:8} {rate:9.1f} {ratio:6.1f}x {cpu_ms:7.2f}"
        print(f"{row.name:46} {measures}  {equal(row, baseline, known)}")


def equal(row: Row, baseline: Row, known: list[tuple[int, int] | None]) -> str:
    if len(row.values) != len(baseline.values) or None in row.values:
        return "-"
    same = sum(mine == theirs for mine, theirs in zip(row.values, baseline.values, strict=True))
    given = [(mine, counts) for mine, counts in zip(row.values, known, strict=True) if mine and counts]
    right = sum(mine[1:] == counts for mine, counts in given)
    return f"{same}/{len(row.values)}, {right}/{len(given)}"


if __name__ == "__main__":
    main()

"""Twenty thousand programs through the pool, every tenth of them hostile: does anything grow or stay behind?

Prints memory (resident MB of this process and of each worker), open descriptors, child processes and files in
the temporary folder, early and at the end; beside them how many honest programs gave other values than at
first, and how often each status came. An argument gives another number of
programs, 1,000 at least.
"""

import os
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Iterator
from itertools import cycle, islice
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[2]))

from reviewer.oracle import pool
from reviewer.oracle.oracle_errors import OracleMissing
from reviewer.oracle.oracle_program import Limits, Program
from reviewer.oracle.result import Result
from tests.bench.support.oracle_programs import pairs

PROGRAMS = 20_000
SETTLED = 1_000  # programs after which the first look is taken
LIMITS = Limits(inferences=200_000, cpu_seconds=1)
HOSTILE = (
    "decide_option(user, a) :- halt.",
    ":- shell('touch soaked').\ndecide_option(user, a).",
    "decide_option(user, a) :- p(x). p(X) :- length(L, 500000), p(X-L).",
    "decide_option(user, a) :- p. p :- p.",
    "p(" + "f(" * 20_000 + "a" + ")" * 20_000 + ").",
    "decide_option(user, X) :- numlist(1, 100000, X).",
    "decide_option(user, a) :- X is a + 1, X > 0.",
)


def main() -> None:
    """Run the programs and print the two looks."""
    number = max(SETTLED, int(sys.argv[1]) if len(sys.argv) > 1 else PROGRAMS)
    try:
        version, _ = pool.calibration()
    except OracleMissing as missing:
        print(missing)
        return
    statuses: Counter[str] = Counter()
    start = time.perf_counter()
    wrong = soak(SETTLED, statuses)
    early = look()
    wrong += soak(number - SETTLED, statuses)
    late = look()
    seconds = time.perf_counter() - start
    print(f"SWI-Prolog {version}: {number} programs in {seconds:.0f} s, {number / seconds:.0f} a second")
    print(f"{'':28}{'after ' + str(SETTLED):>14}{'at the end':>14}")
    for name, value in late.items():
        print(f"{name:28}{early.get(name, 0):14}{value:14}")
    print(f"honest programs with other values than at first: {wrong}")
    print("statuses:", ", ".join(f"{status} {times}" for status, times in statuses.most_common()))


EXPECTED: dict[Program, object] = {}


def soak(number: int, statuses: Counter[str]) -> int:
    """So many programs, two a case; how many honest ones gave values that differ from their first."""
    wrong = 0
    with pool.open_executor() as executor:
        cases = islice(jobs(), number // 2)
        for case, results in zip(
            islice(jobs(), number // 2), pool.in_order(pool.run_case, cases, executor), strict=True
        ):
            for program, result in zip(case, results, strict=True):
                statuses[result.status.value] += 1
                wrong += program.facts not in HOSTILE and not as_before(program, result)
    return wrong


def as_before(program: Program, result: Result) -> bool:
    values = (result.status, result.choice, result.solutions, result.counts)
    return EXPECTED.setdefault(program, values) == values


def jobs() -> Iterator[list[Program]]:
    """Pairs of honest programs, in every fifth one of them a hostile one."""
    hostile = cycle(Program(facts, limits=LIMITS) for facts in HOSTILE)
    for number, pair in enumerate(cycle(pairs(200))):
        yield [pair.unbiased, next(hostile) if number % 5 == 4 else pair.biased]


def look() -> dict[str, int]:
    """What could have grown."""
    workers = sorted(free.worker.pid for workers in pool._worker_pools.values() for free in workers._free)
    return {
        "this process, MB": resident(os.getpid()),
        **{f"worker {place}, MB": resident(pid) for place, pid in enumerate(workers, 1)},
        "descriptors here": len(list(Path("/proc/self/fd").iterdir())),
        "descriptors of workers": sum(len(list(Path(f"/proc/{pid}/fd").iterdir())) for pid in workers),
        "workers": len(workers),
        "processes below workers": sum(len(children(pid)) for pid in workers),
        "temporary files of Prolog": len(list(Path(tempfile.gettempdir()).glob("swipl*"))),
    }


def resident(pid: int) -> int:
    lines = Path(f"/proc/{pid}/status").read_text().splitlines()
    return next(int(line.split()[1]) // 1024 for line in lines if line.startswith("VmRSS"))


def children(pid: int) -> list[str]:
    return Path(f"/proc/{pid}/task/{pid}/children").read_text().split()


if __name__ == "__main__":
    main()

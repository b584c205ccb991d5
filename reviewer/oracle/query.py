"""Queries that a person puts to a program: any goal, with all its solutions up to a limit.

A query is untrusted like the program: the gate judges it as the body of a clause, and it runs in the jail.
"""

import re
from dataclasses import dataclass, replace

from reviewer.core.sanitize import counted, one_line
from reviewer.oracle import pool
from reviewer.oracle.oracle_program import Limits, Program
from reviewer.oracle.result import Result, Status, did_not_run, error_words

MOST_SOLUTIONS = 50
MOST_CHARACTERS = 2_000
"""The longest goal that is asked."""
_LIMITS = Limits(
    inferences=2_000_000, cpu_seconds=2, seconds=5.0, reply_bytes=2**18, solutions=MOST_SOLUTIONS
)
_UNREADABLE = re.compile(r"syntax_error\((.*)\)|domain_error\(query_with_a_named_variable,")
_ENDS = {
    "all": "",
    "most": f" There are more: the first {MOST_SOLUTIONS} are shown.",
    "inferences": " The search for more did not end within the inference limit.",
}


@dataclass(frozen=True, slots=True)
class QueryAnswer:
    """What a program answers to a goal: its distinct solutions as text, and a sentence about the search.

    ``failed``: the goal was not asked, or ended with an error.
    """

    solutions: tuple[str, ...]
    sentence: str
    failed: bool = False


def answer_query(program: Program, goal: str) -> QueryAnswer:
    """Ask the program for all solutions of a goal. Raises OracleMissing without SWI-Prolog."""
    goal = goal.strip().removeprefix("?-").strip().removesuffix(".").rstrip()
    if not goal:
        return QueryAnswer((), "Type a goal, for example decide_option(user, X).", failed=True)
    if len(goal) > MOST_CHARACTERS:
        too_long = f"The goal has {len(goal):,} characters; a query may have {MOST_CHARACTERS:,}."
        return QueryAnswer((), too_long, failed=True)
    # A remark at the end of the goal must not hide the brackets.
    query = f"oracle_answers((\n{goal}\n))"
    asked = replace(program, query=query, listing=False, count=False, prove=False, explain=(), limits=_LIMITS)
    return _answer(pool.run(asked))


def _answer(result: Result) -> QueryAnswer:
    if result.status in (Status.OK, Status.NOT_GROUND):
        number = counted(len(result.solutions), "solution")
        end = _ENDS.get(result.solutions_end, f" Then an error: {error_words(result.solutions_end)}.")
        return QueryAnswer(result.solutions, f"{number}.{end}")
    if result.status is Status.NO_SOLUTION:
        return QueryAnswer((), "No solution: the goal cannot be proved.")
    if result.error and (wrong := _UNREADABLE.match(result.error)):
        words = (wrong[1] or "its brackets do not match").replace("_", " ")
        return QueryAnswer((), f"The goal cannot be read: {one_line(words)}.", failed=True)
    if result.error and result.status in (Status.ERROR, Status.LOAD_ERROR):
        return QueryAnswer((), f"The query ends with an error: {error_words(result.error)}.", failed=True)
    return QueryAnswer((), f"The query {did_not_run(result)}.", failed=True)

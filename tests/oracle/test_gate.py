"""The gate: programs that it refuses, lets run with a finding, or lets run without one."""

import subprocess
import sys
from pathlib import Path

import pytest

from reviewer.oracle import pool
from reviewer.oracle.jail import Jail
from reviewer.oracle.oracle_program import Program
from reviewer.oracle.result import Status
from reviewer.oracle.workers import find_engine
from tests.oracle.programs import HONEST, LIMITS, asking, assert_honest

PURE = [
    "decide_option(user, X) :- member(X, [a, b]), \\+ X = b.",
    "decide_option(user, X) :- findall(N-Y, (s(Y), w(Y, N)), L), max_member(_-X, L). s(a). w(a, 1).",
    "decide_option(user, a) :- forall(member(X, [1, 2]), X > 0), ( 1 < 2 -> true ; fail ).",
    "decide_option(user, X) :- foldl(add, [1, 2], 0, X). add(A, B, C) :- C is A + B.",
    "decide_option(user, X) :- maplist(twice, [1, 2], L), sum_list(L, X). twice(A, B) :- B is 2 * A.",
    "decide_option(user, X) :- aggregate_all(count, p(_), X). p(1). p(2).",
    "decide_option(user, X) :- setof(Y, Z^q(Y, Z), [X|_]). q(b, 1). q(a, 2).",
    ":- discontiguous p/1.\n:- dynamic r/1.\np(1). q(2). p(2). decide_option(user, X) :- p(X), \\+ r(X).",
    ":- use_module(library(lists)).\ndecide_option(user, X) :- last([1, 2], X).",
    "decide_option(user, X) :- phrase(words(X), [a]). words(W) --> [W].",
    "decide_option(user, halt).",
    "no_arguments() :- true. decide_option(user, a) :- no_arguments().",
]


@pytest.mark.parametrize("facts", PURE)
def test_pure_programs_pass(facts: str) -> None:
    result = pool.run(asking(facts))
    assert (result.status, result.findings) == (Status.OK, ()), result


@pytest.mark.parametrize(
    ("facts", "kind"),
    [
        ("not(b). decide_option(user, a) :- \\+ c. c :- fail.", "system_name"),
        ("\\+ b. decide_option(user, a).", "rejected_head"),
        ("recorded(a, b, c). decide_option(user, a) :- recorded(a, b, c).", "system_name"),
        ("decide_option(user, a) :- feature(app, b).\ndecide_option(user, a).", "system_name"),
        ("ready(true). decide_option(user, a) :- ready(Now), Now.", "variable_goal"),
        ("version(oauth_2.0). decide_option(user, a).", "dict"),
        ("3 :- a. decide_option(user, a).", "head_is_no_predicate"),
    ],
)
def test_accidents_run_alone_with_a_finding(facts: str, kind: str) -> None:
    honest, accident = pool.run_case([HONEST, asking(facts)])
    assert accident.choice == "a", accident
    assert accident.counts is not None
    assert [(finding.stop, finding.kind) for finding in accident.findings][:1] == [(False, kind)]
    assert_honest(honest)


@pytest.mark.parametrize(
    "facts",
    [
        "stop(halt). decide_option(user, a) :- stop(Now), Now.",
        "decide_option(user, a) :- call(halt).",
        "halt. decide_option(user, a) :- halt.",
        "decide_option(user, a) :- findall(X, \\+ \\+ shell(X), _).",
        "decide_option(user, a) :- once((true ; not(halt))).",
        "decide_option(user, a) :- maplist(nb_setval(x), [1]).",
        "decide_option(user, a) :- Y^halt = Z, setof(Y, Y^halt, Z).",
    ],
)
def test_what_could_have_an_effect_is_refused(facts: str) -> None:
    result = pool.run(asking(facts))
    assert result.status is Status.REFUSED, result
    assert result.stopped_by is not None
    assert result.stopped_by.startswith("gate: ")
    assert any(finding.stop for finding in result.findings)


FILE_LOADERS = [
    "consult(axioms)",
    "consult((axioms))",
    "consult([axioms])",
    "consult(library(axioms))",
    "ensure_loaded(axioms)",
    "[axioms]",
    "[axioms, facts]",
    "['axioms.pl'|[]]",
    "[user]",
    "include(axioms)",
    "load_files(axioms)",
    "load_files(axioms, [if(true)])",
    "use_module(axioms)",
    "use_module(axioms, [p/1])",
    "reexport(axioms)",
    "autoload(axioms)",
    "autoload(axioms, [p/1])",
    "attach_packs",
    "set_prolog_flag(verbose_load, full)",
    "load(axioms)",
]


@pytest.mark.parametrize("directive", FILE_LOADERS)
@pytest.mark.parametrize("written", [":- ({}).", ":- % as ever\n{}.", "?- {}.", ":- true, {}."])
def test_a_directive_that_loads_a_file_is_refused(directive: str, written: str) -> None:
    """The loader would look for the file in the folder where the program runs."""
    text = f"decide_option(user, a).\n{written.format(directive)}\n"
    for program in (asking(text), Program("x.", text, limits=LIMITS)):
        result = pool.run(program)
        assert (result.status, result.messages) == (Status.REFUSED, ()), result
        assert [finding.kind for finding in result.findings if finding.stop] == ["directive"]


@pytest.mark.parametrize(
    "directive", [":- consult('axioms').", ":- [axioms].", ':- ensure_loaded("axioms.pl").']
)
def test_a_line_that_consults_the_axioms_is_passed_over_in_both_parts(directive: str) -> None:
    """The axioms are in the text already, so no file is looked for, and nothing warns."""
    facts, axioms = f"{directive}\ndecide_option(user, X) :- p(X).", f"p(a).\n{directive}\np(b)."
    program = Program(facts, axioms, limits=LIMITS)
    result = pool.run(program)
    assert (result.choice, result.solutions, result.messages) == ("a", ("a", "b"), ()), result
    assert [clause.place.line for clause in result.clauses] == [1, 3, 2]


def test_a_refusal_names_the_line() -> None:
    result = pool.run(asking("a.\nb.\ndecide_option(user, a) :-\n    a,\n    shell(x).\n"))
    assert [(finding.detail, finding.place.line) for finding in result.findings] == [("shell/1", 3)]


def test_a_text_too_long_is_refused_unread() -> None:
    result = pool.run(asking("%" * 300_000))
    assert (result.status, result.clauses) == (Status.REFUSED, ())


def test_a_list_without_end_is_no_clause() -> None:
    result = pool.run(asking("[a|Rest].\ndecide_option(user, a)."))
    assert (result.status, [finding.kind for finding in result.findings if finding.stop]) == (
        Status.REFUSED,
        ["directive"],
    )


def test_undefined_predicates_are_named_not_refused() -> None:
    result = pool.run(asking("decide_option(user, a) :- \\+ b(1), c.\ndecide_option(user, a).\nc :- fail."))
    assert result.undefined == ("b/1",)


PLAIN = Jail.none(deadline=True)
KINDS = {
    "a comma as a fact": ("(fast(option_B), cheap(option_B)).", "fast(option_B)", "rejected_head"),
    "a comma as a head": ("(fast(X), cheap(X)) :- good(X).", "good(option_B)", "rejected_head"),
    "facts in a module": ("option_A: fast.\noption_B: slow.", "\\+ slow", "module_clause"),
    "clauses in a list": ("[fast, (option_A :- fast)].", "option_A", "clause_list"),
    "facts in a module that is asked": ("option_A: fast(yes).", "option_A:fast(yes)", "module_clause"),
    "module/1": ("", "module(billing)", "system_name"),
    "debugging/2": ("", "\\+ debugging(option_B, hard)", "system_name"),
    "feature/2": ("", "\\+ feature(option_B, search)", "system_name"),
}


@pytest.mark.parametrize("kind", KINDS)
def test_what_published_programs_do_by_accident_is_measured(kind: str) -> None:
    """Decisions and counts are those of SWI-Prolog itself, as it runs without gate and jail."""
    clause, goal, finding = KINDS[kind]
    facts = (
        f"good(option_B).\nfast(option_B).\nslow :- fail.\n{clause}\n"
        f"decide_option(user, option_B) :- good(option_B), {goal}.\n"
    )
    gated, plain = pool.run(asking(facts)), pool.run(asking(facts), PLAIN)
    assert (gated.status, gated.choice, gated.counts) == (Status.OK, "option_B", plain.counts), gated
    assert gated.solutions == plain.solutions
    assert [found.kind for found in gated.findings if not found.stop][:1] == [finding]


@pytest.mark.parametrize(
    ("goal", "named"),
    [
        ("call_nth(ok, 1)", "call_nth/2"),
        ("checklist(ok, [])", "checklist/2"),
        ("license(gpl)", "license/1"),
        ("Goal = checklist(ok, []), call(Goal)", "checklist/2"),
        ("findall(X, order_by([asc(X)], ok(X)), _)", "order_by/2"),
        ("maplist([X]>>(X = 1), [1])", "(>>)/3"),
    ],
)
def test_a_name_outside_the_vocabulary_stops_a_program_when_a_call_reaches_it(goal: str, named: str) -> None:
    reached = pool.run(asking(f"ok. ok(1). decide_option(user, a) :- {goal}."))
    assert (reached.status, reached.choice, reached.ran) == (Status.STOPPED, None, False), reached
    assert reached.stopped_by == f"the program calls {named}, which SWI-Prolog has and this tool does not run"
    assert reached.findings[-1].stop
    assert named in reached.findings[-1].why
    unreached = pool.run(asking(f"ok. ok(1). decide_option(user, a). x :- {goal}."))
    assert (unreached.status, unreached.choice) == (Status.OK, "a"), unreached


def test_a_stop_in_the_search_for_more_leaves_the_decision() -> None:
    result = pool.run(asking("decide_option(user, a). decide_option(user, b) :- license(gpl)."))
    assert (result.status, result.choice, result.solutions) == (Status.OK, "a", ("a",))
    assert result.solutions_end == "stopped: license/1"


@pytest.mark.parametrize(
    "facts",
    [
        "decide_option(user, a) :- call_nth(shell(x), 1).",
        "decide_option(user, a) :- maplist([X]>>shell(X), [x]).",
        "decide_option(user, a) :- maplist(system:shell, [x]).",
        "decide_option(user, a) :- forall(member(M, [system]), M:shell(x)).",
        "[(:- shell(x))]. decide_option(user, a).",
        "[a, (b :- shell(x))]. decide_option(user, a).",
        "option_A: (:- shell(x)). decide_option(user, a).",
        "option_A: [(:- shell(x))]. decide_option(user, a).",
        "option_A: (f :- shell(x)). decide_option(user, a).",
        "(a, b) :- shell(x). decide_option(user, a).",
        "lists: f(x). decide_option(user, a).",
        "decide_option(user, a) :- unix(system(x)).",
        "decide_option(user, a) :- '|'(shell(x), true).",
        "decide_option(user, a) :- ( fail | shell(x) ).",
        "decide_option(user, a) :- append(x).",
        "decide_option(user, a) :- csv_write_file(x, []).",
        "decide_option(user, a) :- sig_atomic(true).",
        "decide_option(user, a) :- wrap_predicate(b, c, d, e).",
    ],
)
def test_ways_around_a_list_of_names_are_refused(facts: str) -> None:
    result = pool.run(asking(facts))
    assert result.status is Status.REFUSED, result


@pytest.mark.parametrize("line", ["#! ", "# ", "#"])
def test_a_first_line_that_begins_with_a_hash_is_read_as_the_published_way_reads_it(line: str) -> None:
    """It is passed over as a script's header, by the gate and by the loader."""
    program = Program("p(b).\ndecide_option(user, X) :- p(X).", f"{line}p(a).\np(c).", limits=LIMITS)
    result = pool.run(program)
    assert (result.choice, result.solutions, result.messages) == ("c", ("c", "b"), ()), result
    assert [(c.predicate, c.place.line) for c in result.clauses][:2] == [("p/1", 2), ("p/1", 1)]
    hidden = Program("decide_option(user, a).", f"{line}\\\n:- shell(x).\n", limits=LIMITS)
    assert pool.run(hidden).status is Status.REFUSED


LOADED_OTHERWISE = """
from reviewer.oracle.worker.prolog import Prolog
prolog = Prolog()
prolog.call("gensym(oracle_program_, M), nb_setval(oracle_test, M), nb_setval(oracle_ran, no)")
read = "[clause(p(1), 0, 5, 1), clause(p({second}), 6, 11, 2)]"
prolog.call(
    'nb_getval(oracle_test, M), '
    f'catch(oracle_load:load_text("p(1).\\np(2).\\n:- nb_setval(oracle_ran, yes).", M, {{read}}, _, _), '
    'E, true), nb_setval(oracle_end, E)'
)
prolog.call("nb_getval(oracle_end, oracle_differs), nb_getval(oracle_ran, no)")
prolog.call("nb_getval(oracle_test, M), findall(X, M:p(X), {loaded})")
"""


@pytest.mark.parametrize(("second", "loaded"), [("2", "[1, 2]"), ("3", "[1]")])
def test_nothing_is_loaded_from_the_first_term_on_that_was_not_read(second: str, loaded: str) -> None:
    """The loader is given terms that the gate has not seen: a directive, a changed fact."""
    root = Path(__file__).resolve().parents[2]
    engine = find_engine()
    ended = subprocess.run(  # this interpreter, our own code
        [sys.executable, "-c", LOADED_OTHERWISE.format(second=second, loaded=loaded)],
        cwd=root,
        env={"LIBSWIPL_PATH": engine.library, "SWI_HOME_DIR": engine.home, "PYTHONPATH": str(root)},
        capture_output=True,
        text=True,
        check=False,
    )
    assert ended.returncode == 0, ended.stderr

"""The gate: what it refuses, what it lets run with a finding, and what it has nothing against."""

import pytest

from reviewer.oracle import pool
from reviewer.oracle.result import Status
from tests.oracle.programs import HONEST, asking, assert_honest

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
        ("\\+ b. decide_option(user, a).", "system_name"),
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


def test_a_refusal_names_the_line() -> None:
    result = pool.run(asking("a.\nb.\ndecide_option(user, a) :-\n    a,\n    shell(x).\n"))
    assert [(finding.detail, finding.place.line) for finding in result.findings] == [("shell/1", 3)]


def test_a_text_too_long_is_refused_unread() -> None:
    result = pool.run(asking("%" * 300_000))
    assert (result.status, result.clauses) == (Status.REFUSED, ())


def test_undefined_predicates_are_named_not_refused() -> None:
    result = pool.run(asking("decide_option(user, a) :- \\+ b(1), c.\ndecide_option(user, a).\nc :- fail."))
    assert result.undefined == ("b/1",)

"""Hostile programs: each is stopped by the barrier meant for it, without effect on files or on neighbours."""

import json
import os
import shutil
import socket
import stat
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from dataclasses import dataclass, replace
from pathlib import Path

import pytest

from reviewer.oracle import pool, workers
from reviewer.oracle.jail import FULL, Jail
from reviewer.oracle.oracle_program import Program
from reviewer.oracle.result import Result, Status
from reviewer.oracle.worker import landlock, seccomp
from tests.oracle.hostile import ALL, PEEPING, SIZE
from tests.oracle.hostile_disguised import HARMLESS_TRICKS
from tests.oracle.hostile_program import GATE, Hostile
from tests.oracle.programs import HONEST, LIMITS, asking, assert_honest
from tests.rounds import rounds, some_always

SECRET = "a_secret_of_this_machine"
ENDS_BY_DEADLINE = {"wait for a message"}
WITHOUT_GATE = Jail(gate=False)
GATE_ALONE = Jail.none(gate=True, deadline=True)
# Written out here once more: what is added to the vocabulary is to be thought about twice.
_WORDS = r"""
! ',' *-> -> ; < = =.. =:= =< == =@= =\= > >= @< @=< @> @>= \+ \= \== \=@= ^ acyclic_term aggregate_all
append arg atom atom_chars atom_codes atom_concat atom_length atom_number atom_string atomic
atomic_list_concat bagof between call callable char_code compare compound convlist copy_term debugging
delete dif downcase_atom exclude fail false feature findall flatten float foldl forall functor ground
ignore include integer intersection is is_list keysort last length list_to_ord_set list_to_set maplist
max_list max_member member memberchk min_list min_member module msort nextto nonvar not nth0 nth1 number
number_chars number_codes number_string numbervars numlist once ord_intersection ord_memberchk ord_subset
ord_subtract ord_union pairs_keys pairs_keys_values pairs_values partition permutation phrase plus
predsort repeat reverse same_length select selectchk setof sort split_string string string_chars
string_codes string_concat string_length string_lower string_upper sub_atom sub_string subset
subsumes_term subtract succ sum_list sumlist term_variables true unify_with_occurs_check union upcase_atom
var
"""
VOCABULARY = set(_WORDS.split())
walled = pytest.mark.skipif(
    not (landlock.abi() and seccomp.supported()), reason="needs Landlock and seccomp, which this system lacks"
)


@dataclass(frozen=True)
class Surroundings:
    """What a hostile program could reach for."""

    canary: Path
    new: Path
    port: socket.socket
    link: Path

    def program(self, hostile: Hostile) -> Program:
        names = {
            "{canary}": str(self.canary),
            "{folder}": str(self.canary.parent),
            "{missing}": str(self.canary.parent / "missing"),
            "{link}": str(self.link),
            "{new}": str(self.new),
            "{port}": str(self.port.getsockname()[1]),
        }
        text = hostile.text
        for name, value in names.items():
            text = text.replace(name, value)
        program = asking(text)
        if hostile.name in ENDS_BY_DEADLINE:
            return replace(program, limits=replace(program.limits, seconds=2.0))
        return program

    def assert_untouched(self) -> None:
        """No file made or changed, nobody called."""
        assert self.canary.read_text() == f"secret({SECRET}).\n"
        assert [path.name for path in self.canary.parent.iterdir()] == [self.canary.name]
        with pytest.raises(BlockingIOError):
            self.port.accept()


@pytest.fixture
def surroundings(
    tmp_path: Path, tmp_path_factory: pytest.TempPathFactory, monkeypatch: pytest.MonkeyPatch
) -> Iterator[Surroundings]:
    monkeypatch.setenv("ORACLE_SECRET", SECRET)
    canary = tmp_path / "canary"
    canary.write_text(f"secret({SECRET}).\n")
    link = tmp_path_factory.mktemp("elsewhere") / "link"
    link.symlink_to(canary)
    with socket.create_server(("127.0.0.1", 0)) as port:
        port.setblocking(False)
        yield Surroundings(canary, tmp_path / "new", port, link)


def test_there_are_enough_of_them() -> None:
    assert len({hostile.name for hostile in ALL}) == len(ALL) >= 60


@pytest.mark.parametrize("hostile", ALL, ids=lambda hostile: hostile.name)
def test_stopped(hostile: Hostile, surroundings: Surroundings) -> None:
    result = pool.run(surroundings.program(hostile))
    assert any(word in (result.stopped_by or "") for word in hostile.by.split("|")), result
    if hostile.by == GATE:  # nothing has run
        assert_nothing_was_told(result, surroundings)
    else:
        assert_nothing_got_out(result, surroundings)


# All of them meet both protections above. One protection alone is for the day on which the other fails.
ONE_PROTECTION = some_always([hostile for hostile in ALL if hostile not in SIZE], 7)


@walled
@pytest.mark.parametrize("hostile", ONE_PROTECTION, ids=lambda hostile: hostile.name)
def test_the_jail_holds_without_the_gate(hostile: Hostile, surroundings: Surroundings) -> None:
    result = pool.run(surroundings.program(hostile), WITHOUT_GATE)
    assert_nothing_got_out(result, surroundings, WITHOUT_GATE)


@walled
@pytest.mark.parametrize("goal", PEEPING)
def test_a_choice_is_the_same_whatever_files_there_are(goal: str, surroundings: Surroundings) -> None:
    """Existence, size, age, and target of a link: without the gate, the jail alone keeps them."""
    program = surroundings.program(Hostile("", f"decide_option(user, X) :- {goal}.\n"))
    there = pool.run(program, WITHOUT_GATE)
    surroundings.canary.unlink()
    surroundings.link.unlink()
    absent = pool.run(program, WITHOUT_GATE)
    assert told(there) == told(absent)
    assert str(surroundings.canary.parent) not in str(there.choice)


def told(result: Result) -> list[object]:
    """Everything about a program that its text can influence."""
    return [result.status, result.choice, result.solutions, result.solutions_end, result.error]


@pytest.mark.parametrize("hostile", ONE_PROTECTION, ids=lambda hostile: hostile.name)
def test_the_gate_holds_without_the_jail(hostile: Hostile, surroundings: Surroundings) -> None:
    result = pool.run(surroundings.program(hostile), GATE_ALONE)
    assert not result.ran, result
    assert_nothing_was_told(result, surroundings)


def assert_nothing_was_told(result: Result, surroundings: Surroundings) -> None:
    surroundings.assert_untouched()
    assert SECRET not in json.dumps([result.choice, result.error, result.solutions])


def assert_nothing_got_out(result: Result, surroundings: Surroundings, jail: Jail = FULL) -> None:
    """Nothing was told, and the next program runs as ever."""
    assert_nothing_was_told(result, surroundings)
    assert_honest(pool.run(HONEST, jail))


@pytest.mark.parametrize(
    "facts",
    [
        "decide_option(user, a) :- halt.",
        "p(" + "f(" * 30_000 + "a" + ")" * 30_000 + ").",
        "decide_option(user, a) :- p(x). p(X) :- length(L, 500000), p(X-L).",
    ],
    ids=["refused", "died", "memory"],
)
def test_programs_that_shared_a_child_with_it_are_run_again(facts: str) -> None:
    before, hostile, after = pool.run_case([HONEST, asking(facts), HONEST])
    assert hostile.status in {Status.REFUSED, Status.KILLED, Status.MEMORY}
    assert_honest(before)
    assert_honest(after)


@pytest.mark.parametrize(
    "directive",
    [
        "abolish(oracle_count:published_counts/5), assertz((oracle_count:published_counts(_, 98, 77, 0, 0)))",
        "wrap_predicate(oracle_count:published_counts(_, A, B, _, _), w, _, (A = 98, B = 77))",
        "initialization(halt)",
    ],
)
@pytest.mark.parametrize("header", ["#!", "# Axioms"])
def test_a_header_hides_no_directive(header: str, directive: str) -> None:
    hidden = Program("decide_option(user, a).", f"{header}\n:- {directive}.\n", limits=LIMITS)
    before, hostile, after = pool.run_case([HONEST, hidden, HONEST])
    assert hostile.status is Status.REFUSED, hostile
    assert_honest(before)
    assert_honest(after)


@pytest.mark.parametrize("trick", HARMLESS_TRICKS, ids=lambda hostile: hostile.name)
def test_a_trick_that_runs_changes_nothing(trick: Hostile, surroundings: Surroundings) -> None:
    """With the gate alone and the jail alone; beside others as alone; and its neighbours as ever."""
    program = surroundings.program(trick)
    for jail in (GATE_ALONE, WITHOUT_GATE):
        assert_nothing_got_out(pool.run(program, jail), surroundings, jail)
    alone = pool.run(program)
    before, shared, after = pool.run_case([HONEST, program, HONEST])
    assert told(shared) == told(alone)
    assert (shared.counts, shared.messages, shared.findings) == (alone.counts, alone.messages, alone.findings)
    assert_honest(before)
    assert_honest(after)


@pytest.mark.parametrize("dice", ["X is random(6)", "X is 1 + random", "0.5 < random_float, X = a"])
def test_no_program_throws_dice(dice: str) -> None:
    result = pool.run(asking(f"chance(random).\ndecide_option(user, X) :- {dice}."))
    assert result.status is Status.REFUSED, result
    assert "throws dice" in (result.stopped_by or "")


@pytest.mark.parametrize("levels", [18, 24, 60])
def test_an_answer_of_few_cells_that_no_memory_can_write_is_too_large(levels: int) -> None:
    grown = "grow(0, x) :- !.\ngrow(N, f(T, T)) :- M is N-1, grow(M, T).\n"
    program = asking(f"{grown}decide_option(user, X) :- grow({levels}, X).")
    first, again = pool.run(program), pool.run(program)
    assert (first.status, first.choice) == (Status.OUTPUT, "f/2 (too large to show)")
    assert (again.status, again.choice, again.error) == (first.status, first.choice, first.error)


@pytest.mark.parametrize(
    "clock", ["X is cputime", "X is 1 + realtime", "realtime > 5, X = a", "\\+ 1 < cputime"]
)
def test_no_program_reads_the_clock(clock: str) -> None:
    result = pool.run(asking(f"decide_option(user, X) :- {clock}."))
    assert result.status is Status.REFUSED, result
    assert "reads the clock" in (result.stopped_by or "")


def test_a_program_without_the_gate_cannot_speak_for_another() -> None:
    forger = asking(
        "user:message_hook(_, _, _) :- halt.\noracle_count:probe(_, _, false).\ndecide_option(user, a)."
    )
    for _ in range(2):
        pool.run_case([forger, HONEST], WITHOUT_GATE)
        assert_honest(pool.run(HONEST, WITHOUT_GATE))


AS_NOBODY = """\
import os, sys
root, configuration = sys.argv[1:]
sys.path.append(root)
import pyswip.core
from reviewer.oracle.worker.host import main
os.setgroups([])
os.setgid(65534)
os.setuid(65534)
main(configuration)
"""


def is_closed_to_others(folder: Path) -> bool:
    """Whether another user cannot get into a folder, as into the home of root."""
    return any(not path.stat().st_mode & stat.S_IXOTH for path in (folder, *folder.parents))


@walled
@pytest.mark.skipif(os.geteuid() != 0, reason="the tests above already run as an ordinary user")
@pytest.mark.skipif(is_closed_to_others(Path(sys.prefix)), reason="no other user reaches this environment")
@pytest.mark.parametrize("step", rounds(10, [1]))
@pytest.mark.parametrize(
    "jail", [Jail(gate=False, orphan=False), Jail.none(gate=True, deadline=True, limits=True)], ids=str
)
def test_both_hold_for_an_ordinary_user_too(
    jail: Jail, surroundings: Surroundings, monkeypatch: pytest.MonkeyPatch, step: int
) -> None:
    """The limits differ from those of root, and so do the rights that a program could use."""
    monkeypatch.setattr(workers, "LAUNCH", AS_NOBODY)
    opened_to_all(surroundings.canary.parent)
    try:
        whoami = pool.run(asking("decide_option(user, X) :- getuid(X)."), Jail.none(orphan=True))
        for hostile in ALL[::step]:
            if hostile not in SIZE:
                result = pool.run(surroundings.program(hostile), jail)
                assert not (jail.gate and result.ran), hostile.name
                assert_nothing_was_told(result, surroundings)
        assert_honest(pool.run(HONEST, jail))
    finally:
        pool.close()
    assert whoami.choice == "65534", whoami


def opened_to_all(folder: Path) -> None:
    """Let any user write here, so that only the protections keep a program from it."""
    for path in (folder, *folder.parents):
        if path.stat().st_uid == os.geteuid() and path.is_relative_to(tempfile.gettempdir()):
            path.chmod(0o777 if path == folder else 0o755)
    for path in folder.iterdir():
        path.chmod(0o666)


def known_predicates() -> list[str]:
    """A call of every predicate that SWI-Prolog or one of its libraries has, with variables as arguments."""
    swipl = shutil.which("swipl")
    if swipl is None:
        pytest.skip("the swipl program is not on the path")
    show = "(functor(H, N, A), A < 8, \\+ sub_atom(N, _, _, _, '\\n'), write_canonical(H), nl)"
    goals = [
        f"forall(predicate_property(system:H, defined), ignore({show}))",
        "ignore(catch('$in_library'(none, 0, _), _, true))",
        f"forall('$autoload':library_index(H, _, _), ignore({show}))",
        "halt",
    ]
    asked = [part for goal in goals for part in ("-g", goal)]
    listed = subprocess.run([swipl, "-q", *asked], capture_output=True, text=True, check=True)
    return sorted(set(listed.stdout.splitlines()))


def test_whatever_the_system_has_is_in_the_vocabulary_or_held() -> None:
    """Every 29th of them, called directly and by a variable: computed, refused, or stopped when reached."""
    calls = known_predicates()
    assert len(calls) > 1_500
    got_through = set()
    for call in calls[::29]:
        for body in (call, f"Goal = {call}, call(Goal)"):
            result = pool.run(asking(f"decide_option(user, a) :- {body}."), GATE_ALONE)
            missing = (result.error or "").startswith("existence_error(procedure")
            if result.ran and not missing and not result.messages:
                got_through.add(call.partition("(")[0])
    assert got_through <= VOCABULARY, sorted(got_through - VOCABULARY)

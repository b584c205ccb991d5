"""Programs: mutations of honest, published and hostile ones, through gate, loader and audit.

Exactly the text that the gate read is loaded. A program's numbers are the same alone and next to others,
and leave an honest program's as they are. No reply is garbled, and an audit of the program ends without a
traceback.
"""

import json
from collections import Counter
from collections.abc import Iterator, Sequence
from contextlib import closing, contextmanager
from dataclasses import fields, replace
from pathlib import Path
from random import Random

from reviewer.core.sanitize import strange_character
from reviewer.oracle import pool
from reviewer.oracle.jail import FULL
from reviewer.oracle.oracle_errors import OracleMissing
from reviewer.oracle.oracle_program import Limits, Program
from reviewer.oracle.program_runner import LocalRunner
from reviewer.oracle.result import Result, Status
from reviewer.oracle.workers import find_engine
from reviewer.runs.audit.dataset_audit import audit
from store.database import Database
from store.findings import cases_in
from tests.fuzz.harness import Attempt, Case, Unavailable, Wrong
from tests.fuzz.mutations import mutated_text
from tests.oracle import hostile
from tests.oracle.hostile_program import Hostile
from tests.oracle.programs import AXIOMS, FACTS, HONEST, assert_honest
from tests.shared_data import FOLDER
from tests.studies import a_case, fill

LIMITS = Limits(inferences=100_000, cpu_seconds=2, seconds=30.0)
SEEDS = Path(__file__).resolve().parents[2] / "seeds" / "probe_swe"
PIECES = (
    *(
        "#!\n",
        "#! a\n",
        "# x.\n",
        "\n#!\n",
        "\ufeff",
        "\0",
        "\r",
        "\t",
        "\u2028",
        "\x1a",
        "\xa0",
        "é",
        "😀",
        "\udcff",
    ),
    *(
        "/*",
        "*/",
        "%",
        "0'",
        "0'a",
        "\\",
        "'",
        '"',
        "`",
        "''",
        "{",
        "}",
        "{}",
        "[",
        "]",
        "[]",
        "(",
        ")",
        "|",
        "||",
    ),
    *(
        ".",
        ". ",
        ".\n",
        ",",
        ";",
        "!",
        ":-",
        "-->",
        "=>",
        "?-",
        "->",
        "*->",
        "\\+",
        "^",
        "@",
        "::",
        ":",
        "=..",
        "$",
    ),
    *(
        "_",
        "X",
        "a.",
        "p(a).\n",
        "end_of_file.\n",
        ":- true.\n",
        "?- true.\n",
        ":- fail.\n",
        "a:-b,c.\n",
        "1.\n",
    ),
    *(":- op(700, xfx, ===>).\n", ":- op(200, xfy, is).\n", ":- dynamic p/1.\n", ":- discontiguous p/1.\n"),
    *(":- if(true).\n", ":- if(fail).\n", ":- else.\n", ":- elif(a).\n", ":- endif.\n", ":- table p/1.\n"),
    *(":- module(m, []).\n", ":- set_prolog_flag(double_quotes, atom).\n", ":- style_check(-singleton).\n"),
    *(
        ":- encoding(utf8).\n",
        ":- initialization(p).\n",
        ":- use_module(library(lists)).\n",
        ":- include(x).\n",
    ),
    *(
        "call(",
        "findall(X, ",
        "forall(",
        "call_nth(",
        "maplist([X]>>",
        "once(",
        "assertz(",
        "retract(",
        "catch(",
    ),
    *(
        "shell(true)",
        "halt",
        "nb_setval(k, v)",
        "wrap_predicate(p(_), w, W, W)",
        "checklist(p, [a])",
        "abolish(p/1)",
    ),
    *("decide_option(user, X) :- ", "decide_option(user, option_A).\n", "decide_option(_, _) => true.\n"),
    *("1.0Inf", "1e400", "9" * 400, "0x", "0b1", "1r3", "1_000", "0''", "-0.0", '"\\x41\\"', "a" * 3_000),
    *(
        "oracle_query",
        "oracle_program_1",
        "user:",
        "system:",
        "oracle_count:",
        "'$load'",
        "prolog:",
        "goal_expansion",
    ),
)
# Asked where the gate lets the question pass (the jail stands): how many clauses were loaded, or the first
# predicate that has more of them than the gate read.
_LOADED = (
    "(findall(_P/_A-_N, (current_predicate(_P/_A), functor(_H, _P, _A), "
    "\\+ predicate_property(_H, imported_from(_)), predicate_property(_H, number_of_clauses(_N)), "
    "_N > 0), _L0), sort(_L0, _L), "
    "(member(_I-_M, _L), \\+ (member(_I-_Most, [{read}]), _M =< _Most) -> Choice = more(_I) ; "
    "findall(_N, member(_-_N, _L), _Ns), sum_list(_Ns, Choice)))"
)
_COMPARED = [field.name for field in fields(Result) if field.name != "cpu_seconds"]
_NO_GATE = replace(FULL, gate=False)
_NOT_REPEATABLE = {Status.TIME, Status.KILLED, Status.MEMORY}


def corpus(folder: Path) -> list[str]:
    """Honest, hostile and, where they are, published programs."""
    texts = [FACTS, AXIOMS, *(path.read_text(encoding="utf-8") for path in sorted(SEEDS.glob("*/*/*.pl")))]
    for value in vars(hostile).values():
        if isinstance(value, list):
            texts += [_filled(each, folder) for each in value if isinstance(each, Hostile)]
    return [*texts, *_published()]


def _filled(each: Hostile, folder: Path) -> str:
    text = each.text.replace("{canary}", str(folder / "canary")).replace("{new}", str(folder / "new"))
    return text.replace("{port}", "9").replace("{{", "{").replace("}}", "}")[:5_000]


def _published() -> list[str]:
    path = FOLDER / "probe-swe" / "gpt-4o-mini.json"
    if not path.exists():
        return []
    pairs = [pair for group in json.loads(path.read_text(encoding="utf-8")).values() for pair in group]
    return [
        str(pair[name]) for pair in pairs[::7] for name in ("unbiased_prolog", "axioms") if pair.get(name)
    ]


@contextmanager
def opened(folder: Path) -> Iterator[Attempt]:
    """The corpus and the workers, which are ended afterwards."""
    try:
        find_engine()
    except OracleMissing as missing:
        raise Unavailable(str(missing)) from missing
    texts = corpus(folder)

    def attempt(case: Case) -> None:
        facts, axioms = _a_program(case.random, texts)
        case.keep("facts.pl", facts)
        case.keep("axioms.pl", axioms)
        if case.random.random() < 0.15:
            _audited(case, facts, axioms)
        else:
            _compared(Program(facts, axioms, limits=LIMITS))
        if (folder / "new").exists():
            (folder / "new").unlink()
            raise Wrong("the program made a file")

    try:
        yield attempt
    finally:
        pool.close()


def _a_program(random: Random, texts: Sequence[str]) -> tuple[str, str]:
    facts = mutated_text(random, random.choice(texts), texts, PIECES)
    axioms = mutated_text(random, random.choice(texts), texts, PIECES) if random.random() < 0.3 else ""
    return facts, random.choice((axioms, axioms, AXIOMS))


def _compared(program: Program) -> None:
    alone = pool.run(program)
    _refuse_garbled(alone)
    honest, shared = pool.run_case([HONEST, program])
    assert_honest(honest)
    _refuse_difference("beside an honest program", alone, shared)
    shared, honest = pool.run_case([program, HONEST])
    assert_honest(honest)
    _refuse_difference("before an honest program", alone, shared)
    if not any(finding.stop for finding in alone.findings) and alone.status not in _NOT_REPEATABLE:
        _gate_against_loader(program, alone)


def _refuse_garbled(result: Result) -> None:
    if result.stopped_by and "garbled" in result.stopped_by:
        raise Wrong(f"the reply is garbled: {result.stopped_by}")


def _refuse_difference(where: str, alone: Result, shared: Result) -> None:
    if {alone.status, shared.status} & _NOT_REPEATABLE:
        return
    for name in _COMPARED:
        if repr(getattr(alone, name)) != repr(getattr(shared, name)):
            raise Wrong(f"{name} is {getattr(alone, name)} alone and {getattr(shared, name)} {where}"[:2_000])


def _gate_against_loader(program: Program, alone: Result) -> None:
    """The loader may refuse clauses that the gate read, and says so; it never has more of a predicate."""
    if {"module_clause", "clause_list"} & {finding.kind for finding in alone.findings}:
        return  # such clauses go into other modules or are several, and a finding says so
    read = Counter(clause.predicate for clause in alone.clauses if clause.kind in ("fact", "rule"))
    shown = ", ".join(f"{_indicator(predicate)}-{number}" for predicate, number in read.items())
    counting = replace(program, query=_LOADED.replace("{read}", shown), count=False, prove=False)
    loaded = pool.run(counting, _NO_GATE)
    if loaded.status is not Status.OK or not loaded.choice:
        return
    if not loaded.choice.isdigit():
        raise Wrong(f"the gate read {dict(read)}, and there is {loaded.choice}"[:2_000])
    number = int(loaded.choice)
    if number < read.total() and not loaded.messages:
        raise Wrong(f"the gate read {read.total()} clauses, and {number} were loaded")


def _indicator(predicate: str) -> str:
    """Name/arity as a term also where the name is an operator."""
    name, _, arity = predicate.rpartition("/")
    return f"({name})/{arity}"


def _audited(case: Case, facts: str, axioms: str) -> None:
    """A case with the program goes through a whole audit, beside an honest one."""
    axioms = axioms.strip() or AXIOMS
    if not facts.strip() or strange_character(facts) or strange_character(axioms):
        return  # no case holds such a text
    cases = [a_case(1, unbiased_prolog=facts, axioms=axioms), a_case(2)]
    with closing(Database.open(str(case.folder / "audit.db"))) as database:
        fill(database, "one", cases)
        with database.read() as session:
            stored = cases_in(session, "one")
        with pool.open_executor(1) as executor:
            report = audit(database, [stored], LocalRunner(executor))
        if report.audited != len(stored):
            raise Wrong(f"{report.audited} of {len(stored)} cases were audited")

"""Which workers may do which work; the replies of workers are read as from an enemy."""

import json
import sys
from pathlib import Path
from typing import Any

import pytest

from reviewer import __version__
from reviewer.cluster import worker_checks as facts_module
from reviewer.cluster.worker_checks import (
    CheckedWorker,
    ClusterWork,
    WorkerFacts,
    check_workers,
    code_digest,
    dask_version,
    decode_facts,
    need_same_dask,
    need_workers,
    worker_facts,
)
from reviewer.core.errors import InputError, RequestError
from reviewer.oracle.workers import OracleMissing
from reviewer.similarity.encoder import DEFAULT_MODEL

OWN = WorkerFacts(
    version=__version__,
    code=code_digest(),
    python="3.11.7",
    dask=dask_version(),
    system="Linux x86_64",
    prolog="9.0.4",
    prolog_problem=None,
    calibration=(1, 2, 0, 2),
    differing=(),
    jail_problem=None,
    protections_off=(),
    sentence_model="model@aaaaaaaaaaaa",
    sentence_problem=None,
    memory=8 * 2**30,
    cores=2,
)
ALL = ClusterWork(programs=True, encoder="model@aaaaaaaaaaaa")


def changed(**values: Any) -> bytes:
    return json.dumps(OWN.model_dump() | values).encode()


def said_here(sentence_model: str | None = None) -> WorkerFacts:
    return decode_facts(worker_facts(sentence_model), "here")


def check(reply: object, work: ClusterWork = ALL) -> CheckedWorker:
    [worker] = check_workers({"tcp://10.0.0.7:4000": reply}, work)
    assert worker.address == "tcp://10.0.0.7:4000"
    for problem in worker.problems:
        assert problem.startswith("worker tcp://10.0.0.7:4000: ")
        assert problem.isprintable()
    return worker


def test_a_worker_like_this_machine_may_do_everything() -> None:
    worker = check(changed())
    assert (worker.facts, worker.problems, worker.remark) == (OWN, (), None)
    assert need_workers([worker]) == (worker.address,)


@pytest.mark.parametrize(
    ("values", "words"),
    [
        ({"version": "0.0.9"}, f"pip install dilemma-reviewer=={__version__}"),
        ({"version": ""}, "of no version"),
        ({"code": "ba9876543210"}, f"with other code (digest ba9876543210, here {code_digest()})"),
        ({"dask": "2026.3.0"}, f"python -m pip install distributed=={dask_version()}"),
        ({"dask": ""}, "distributed of no version"),
    ],
)
def test_other_versions_do_no_work_at_all(values: dict[str, str], words: str) -> None:
    [problem] = check(changed(**values, prolog="", sentence_model=None), ClusterWork()).problems
    assert words in problem


def test_without_prolog_a_worker_runs_no_programs() -> None:
    reply = changed(
        prolog="", prolog_problem="SWI-Prolog was not found; install it with: apt-get it", calibration=()
    )
    [problem] = check(reply).problems
    assert "it can run no programs: SWI-Prolog was not found; install it with" in problem
    assert "swi-prolog-nox" in check(changed(prolog="")).problems[0]
    assert check(reply, ClusterWork(encoder=ALL.encoder)).problems == ()


def test_without_a_jail_a_worker_runs_no_programs_unless_told_so() -> None:
    reply = changed(jail_problem="This system (Darwin) has no jail for programs.")
    [problem] = check(reply).problems
    assert "it is given no programs: This system (Darwin) has no jail" in problem
    assert "--without-jail" in problem
    assert check(reply, ClusterWork(programs=True, without_jail=True)).problems == ()
    assert check(reply, ClusterWork(encoder=ALL.encoder)).problems == ()


@pytest.mark.parametrize(
    ("values", "words"),
    [
        (
            {"sentence_model": "model@bbbbbbbbbbbb"},
            "its sentence model is model@bbbbbbbbbbbb, and this machine's",
        ),
        ({"sentence_model": "other@aaaaaaaaaaaa"}, "its sentence model is other@"),
        (
            {"sentence_model": None, "sentence_problem": "comparing texts needs it"},
            "comparing texts needs it",
        ),
        ({"sentence_model": None}, "pip install 'dilemma-reviewer[similarity]'"),
    ],
)
def test_another_sentence_model_encodes_no_texts(values: dict[str, Any], words: str) -> None:
    [problem] = check(changed(**values)).problems
    assert words in problem
    assert check(changed(**values), ClusterWork(programs=True)).problems == ()


def test_a_worker_without_memory_does_nothing() -> None:
    assert "it has 0.3 GB of memory and needs 0.5" in check(changed(memory=2**28), ClusterWork()).problems[0]
    assert check(changed(memory=2**30), ClusterWork(programs=True)).problems == ()
    assert "needs 2.0" in check(changed(memory=2**30)).problems[0]


def test_each_thing_that_is_missing_is_a_sentence_of_its_own() -> None:
    assert (
        len(check(changed(prolog="", jail_problem="No jail.", sentence_model=None, memory=0)).problems) == 4
    )


def test_counts_that_cannot_be_compared_say_so_and_the_worker_works() -> None:
    worker = check(changed(prolog="10.1.0", differing=("findall once", "a cut")))
    assert worker.problems == ()
    assert worker.remark is not None
    assert "SWI-Prolog 10.1.0 counts steps otherwise than 9.2 (findall once, a cut)" in worker.remark


@pytest.mark.parametrize(
    ("reply", "words"),
    [
        (b"", "form of this version"),
        (b"nonsense", "form of this version"),
        (b"\xff\xfe", "form of this version"),
        (b"[" * 10_000, "form of this version"),
        (b"null", "form of this version"),
        (b"{}", "(version: Field required)"),
        (b" " * 20_001, "not a text of at most 20,000 bytes"),
        ("text", "not a text of at most"),
        (None, "not a text of at most"),
        (changed(memory=2**70), "memory"),
        (changed(cores=-1), "cores"),
        (changed(cores="2"), "cores"),
        (changed(cores=True), "cores"),
        (changed(memory=1.5), "memory"),
        (changed(prolog="9" * 1_001), "prolog"),
        (changed(prolog="9\x1b[31m"), "prolog"),
        (changed(prolog_problem="two\nlines"), "prolog_problem"),
        (changed(differing=("goal",) * 31), "differing"),
        (changed(calibration=(1,) * 5), "calibration"),
        (json.dumps({**OWN.model_dump(), "more\x1b": 1}).encode(), "Extra inputs"),
    ],
)
def test_nonsense_is_one_sentence(reply: object, words: str) -> None:
    worker = check(reply)
    assert worker.facts is None
    assert words in worker.problems[0]
    assert len(worker.problems[0]) < 500


def test_a_worker_whose_address_is_hostile_is_named_harmlessly() -> None:
    with pytest.raises(InputError) as refused:
        decode_facts(b"{}", "tcp://\x1b[31m" + "9" * 500)
    assert str(refused.value).isprintable()
    assert len(str(refused.value)) < 300


@pytest.mark.parametrize(
    ("error", "words"),
    [
        (ModuleNotFoundError("No module named 'reviewer'"), f"dilemma-reviewer=={__version__}"),
        (AttributeError("module has no attribute"), "no dilemma-reviewer of this version"),
        (TimeoutError(), "no answer in time"),
        (OSError("gone\nat once"), "no answer (OSError: gone at once)"),
    ],
)
def test_a_worker_without_an_answer_is_one_sentence(error: Exception, words: str) -> None:
    assert words in check(error).problems[0]


def test_workers_that_fit_do_the_work_of_the_others() -> None:
    replies = {"b": changed(), "c": changed(version="9"), "a": OSError("gone")}
    checked = check_workers(replies, ALL)
    assert [worker.address for worker in checked] == ["a", "b", "c"]
    assert need_workers(checked) == ("b",)
    with pytest.raises(
        RequestError, match=r"no worker of the cluster may do this work: worker a: .*lists all"
    ):
        need_workers([checked[0], checked[2]])
    with pytest.raises(RequestError, match="has no workers; start one with: dask worker"):
        need_workers([])


def test_another_version_of_the_scheduler_is_one_sentence() -> None:
    need_same_dask(dask_version())
    with pytest.raises(
        RequestError, match=rf"runs version 1\.0 .* pip install distributed=={dask_version()}"
    ):
        need_same_dask("1.0")
    with pytest.raises(RequestError, match="runs version unknown"):
        need_same_dask("")


def test_a_worker_says_what_it_has() -> None:
    facts = said_here(DEFAULT_MODEL)
    assert facts.python == sys.version.split()[0]
    assert facts.version == __version__
    assert facts.prolog
    assert len(facts.calibration) == 4
    assert facts.sentence_model is not None
    assert facts.sentence_model.startswith(f"{DEFAULT_MODEL}@")
    assert facts.memory > 2**28
    assert said_here().sentence_model is None
    assert "nowhere" in str(said_here("nowhere/at/all").sentence_problem)


def test_a_worker_without_prolog_says_so(monkeypatch: pytest.MonkeyPatch) -> None:
    def missing() -> None:
        raise OracleMissing

    monkeypatch.setattr("reviewer.oracle.doctor.find_engine", missing)
    facts = said_here()
    assert (facts.prolog, facts.calibration) == ("", ())
    assert "install it with" in str(facts.prolog_problem)


def test_the_memory_of_a_container_counts(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    limit = tmp_path / "memory.max"
    monkeypatch.setattr(facts_module, "_CONTAINER_LIMIT", limit)
    free = said_here().memory
    limit.write_text("max\n")
    assert said_here().memory == free
    limit.write_text("1000000\n")
    assert said_here().memory == 1_000_000

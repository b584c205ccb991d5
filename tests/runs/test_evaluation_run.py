"""Evaluation runs against a server on this machine: what is kept, what is asked again, what goes wrong."""

import json
from collections import Counter
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import pytest

from reviewer.core.errors import RequestError
from reviewer.llm.client import ModelClient
from reviewer.llm.request_errors import BudgetSpent, Stopped
from reviewer.protocols.registry import protocols_of
from reviewer.results.outcomes.evaluated import MISSING, UNREADABLE, read_evaluation
from reviewer.runs.engine import shared_run
from reviewer.runs.engine.run_progress import RunProgress
from reviewer.runs.evaluation.reading_again import read_again
from store.calls import StoredCalls
from store.database import Database
from store.evaluations import Evaluations
from store.leases import held
from tests.llm.server import Answer, Asked, error, in_turn, serving
from tests.runs.evaluating import decide, evaluate, option_of, outcomes_of, prepare, with_cases
from tests.studies import a_case, fill, open_store

AT_ONCE = 16


@pytest.fixture
def database(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Database]:
    monkeypatch.setattr(shared_run, "LEAST_AT_ONCE", AT_ONCE)
    with closing(with_cases(open_store(tmp_path))) as opened:
        yield opened


class NeverAsked:
    """A client of a run that has every outcome: not even a call that the store answers is made."""


def test_every_case_is_asked_under_every_condition_and_nothing_twice(database: Database) -> None:
    order = {"order": ("as written", "exchanged")}
    with serving(decide) as server:
        progress = evaluate(database, server.url, repeats=2, conditions=order)
        asked = len(server.asked)
        again = evaluate(database, server.url, wrap=lambda client: NeverAsked())  # type: ignore[arg-type]
        added = evaluate(database, server.url, ["m3"])
    assert asked == 3 * 2 * 2 * 2 * 2 == progress.done
    assert progress.is_finished
    assert again == progress
    assert len(server.asked) == asked + added.done == 72
    kept = outcomes_of(database)
    assert {outcome.state for outcome in kept} == {"read"}
    assert Counter(outcome.model for outcome in kept) == {"m1": 24, "m2": 24, "m3": 24}
    labels = {(o.model, o.case, o.condition, o.repeat): o.label for o in kept}
    for request in server.asked:  # the label names the option of the case, whatever its letter was
        body = json.dumps(request.body)
        swapped = "Option A: ship" in request.last
        repeat = len(request.last) - len(request.last.rstrip(" "))
        version = "biased" if "Ten ship" in body else "unbiased"
        case = int(request.last.split("release ")[1].split(".")[0])
        condition = f"{version}/{'exchanged' if swapped else 'as written'}/none"
        said = option_of(request)
        assert labels[request.body["model"], case, condition, repeat] == (
            {"A": "B", "B": "A"}[said] if swapped else said
        )


def test_replies_without_a_label_are_a_class_of_their_own(database: Database) -> None:
    def respond(asked: Asked) -> Answer:
        return {
            "m1": Answer("It depends."),
            "m2": Answer("Decision: Option A, since", finish_reason="length"),
            "m3": Answer(""),
            "m4": Answer("no", finish_reason="content_filter"),
            "m5": Answer("Decision: Option A\0. " + "x" * 199_000),
        }[asked.body["model"]]

    with serving(respond) as server:
        evaluate(database, server.url, ["m1", "m2", "m3", "m4", "m5"], conditions={"version": ("biased",)})
        asked = len(server.asked)
        evaluate(database, server.url)
        assert len(server.asked) == asked
    first = {model: outcomes_of(database, model=model)[0] for model in ("m1", "m2", "m3", "m4", "m5")}
    assert {model: outcome.state for model, outcome in first.items()} == {
        **dict.fromkeys(("m1", "m2", "m3", "m4"), "unreadable"),
        "m5": "read",
    }
    assert first["m2"].reply == "Decision: Option A, since"
    assert "cut off" in first["m2"].why
    assert "empty" in first["m3"].why
    assert "filter" in first["m4"].why
    assert len(first["m5"].reply) > 199_000
    assert "\0" not in first["m5"].reply
    labels = read_evaluation(database, protocols_of(database), "first").labels
    assert {model: array[0, 0, 0] for model, array in labels.items()} == {
        **dict.fromkeys(("m1", "m2", "m3", "m4"), UNREADABLE),
        "m5": 0,
    }


@pytest.mark.parametrize(
    ("answer", "why", "reply"),
    [
        (error(400, "filtered", code="content_filter"), "filter did not take the question (filtered)", ""),
        (error(400, "maximum context length is 10"), "the request is too long for 'm1'", ""),
        (
            Answer(None, message={"refusal": "I won't decide."}),
            "the model refused to answer",
            "I won't decide.",
        ),
        (
            Answer(None, message={"tool_calls": [{"function": {"name": "search", "arguments": "{}"}}]}),
            "the model called a tool instead of answering",
            "search({})",
        ),
    ],
    ids=["filtered question", "too long", "refusal", "tool"],
)
def test_a_request_without_an_answer_is_unreadable_and_asked_once(
    database: Database, answer: Answer, why: str, reply: str
) -> None:
    def respond(asked: Asked) -> Answer:
        return answer if asked.number == 0 else decide(asked)

    with serving(respond) as server:
        progress = evaluate(database, server.url, ["m1"])
        assert evaluate(database, server.url, ["m1"]).is_finished
    assert len(server.asked) == progress.parts[0].wanted == 6
    (outcome,) = [outcome for outcome in outcomes_of(database) if outcome.state != "read"]
    assert (outcome.state, outcome.reply) == ("unreadable", reply)
    assert why in outcome.why


def test_a_model_whose_first_replies_cannot_be_read_is_asked_on_only_if_resumed(database: Database) -> None:
    def respond(asked: Asked) -> Answer:
        return decide(asked) if asked.body["model"] == "m2" else Answer("It depends.")

    with serving(respond) as server:
        stopped = evaluate(database, server.url, repeats=20)
        asked = Counter(request.body["model"] for request in server.asked)
        resumed = evaluate(database, server.url)
    first, second = stopped.parts
    assert 20 <= asked["m1"] == first.counts["unreadable"] <= 20 + AT_ONCE
    assert (second.counts["read"], second.counts["missing"], second.why) == (120, 0, "")
    assert first.counts["missing"] == 120 - first.counts["unreadable"]
    assert "none of its first 20 replies can be read" in stopped.failed[0]
    assert (resumed.is_finished, resumed.parts[0].counts["unreadable"]) == (True, 120)


def test_a_limit_stops_the_run_and_the_rest_is_asked_later(database: Database) -> None:
    with serving(decide) as server:
        with pytest.raises(BudgetSpent, match="limit of 5 calls"):
            evaluate(database, server.url, client_limits={"calls": 5})
        kept = len(outcomes_of(database))
        progress = evaluate(database, server.url)
    assert 5 <= kept < 12  # requests under way are finished and kept
    assert progress.is_finished
    assert len(server.asked) == 12


def test_a_stop_keeps_what_was_answered(database: Database) -> None:
    class StoppingAfterFour:
        def __init__(self, client: ModelClient) -> None:
            self._client, self._asked = client, 0

        def __getattr__(self, name: str) -> object:
            return getattr(self._client, name)

        async def ask(self, request):  # type: ignore[no-untyped-def]
            self._asked += 1
            if self._asked == 4:
                self._client.stop()
            return await self._client.ask(request)

    with serving(decide) as server:
        with pytest.raises(Stopped):
            evaluate(database, server.url, wrap=StoppingAfterFour)  # type: ignore[arg-type]
        kept, asked = len(outcomes_of(database)), len(server.asked)
        evaluate(database, server.url)
    assert kept == asked < 12 == len(server.asked)


def test_a_model_that_fails_for_good_leaves_its_outcomes_missing(database: Database) -> None:
    gone = error(404, "no such model")
    with serving(lambda asked: gone if asked.body["model"] == "m2" else decide(asked)) as server:
        progress = evaluate(database, server.url, repeats=5)
        assert len(server.asked) <= 30 + AT_ONCE
        (said,) = progress.failed
        server.respond = decide
        later = evaluate(database, server.url)
    assert [(part.counts["read"], part.counts["missing"]) for part in progress.parts] == [(30, 0), (0, 30)]
    assert said.startswith("m2: 30 outcomes are missing, because no answer from 'm2'")
    assert later.is_finished
    assert (read_evaluation(database, protocols_of(database), "first").labels["m2"] >= 0).all()


def test_a_server_that_is_down_is_given_up_after_some_requests(database: Database) -> None:
    with serving(lambda asked: error(503, "down")) as server:
        progress = evaluate(database, server.url, ["m1"], repeats=8)
        asked = len(server.asked)
    assert progress.parts[0].counts["missing"] == 48
    assert asked <= (AT_ONCE + 10) * 3
    assert {outcome.state for outcome in outcomes_of(database)} == {"missing"}
    labels = read_evaluation(database, protocols_of(database), "first").labels["m1"]
    assert (labels == MISSING).all()


def test_faults_of_a_server_are_met_with_another_attempt(database: Database) -> None:
    whole = Answer("Decision: Option A")
    faults = in_turn(
        error(429, "slow down", {"retry-after": "0"}),
        error(500, "oops"),
        Answer("Decision", cut_after=20),
        Answer("Decision", stall_after=20),
        Answer(no_response=True),
        Answer(payload=b"not JSON"),
        whole,
    )
    with serving(faults) as server:
        progress = evaluate(
            database,
            server.url,
            ["m1"],
            client_limits={"concurrency": 1},
            conditions={"version": ("biased",)},
        )
    assert progress.is_finished
    assert len(outcomes_of(database, state="read")) == 3


def test_a_server_that_changes_its_mind_is_not_asked_again(database: Database) -> None:
    def other(asked: Asked) -> Answer:
        return Answer(f"Decision: Option {'BA'['AB'.index(option_of(asked))]}")

    with serving(decide) as server:
        evaluate(database, server.url, ["m1"])
        before = outcomes_of(database)
        server.respond = other
        evaluate(database, server.url, ["m1"])
        evaluate(database, server.url, ["m1"], name="second")
    assert outcomes_of(database) == before
    assert [o.label for o in outcomes_of(database, "second")] == [o.label for o in before]
    assert len(server.asked) == 6


def test_a_case_that_an_import_replaces_meanwhile_is_stale_and_kept(database: Database) -> None:
    changed = [a_case(0), a_case(1, axioms_description="Release what two people tested."), a_case(2)]
    done = list[bool]()

    def replace(progress: RunProgress) -> None:
        if not done:
            done.append(True)
            fill(database, "own", changed)

    with serving(decide) as server:
        progress = evaluate(database, server.url, progress=replace)
    assert progress.is_finished
    evaluation = read_evaluation(database, protocols_of(database), "first")
    assert [case.stale for case in evaluation.cases] == [False, True, False]
    assert evaluation.cases[1].digest == a_case(1).digest
    assert len(outcomes_of(database, case=1)) == 4


def test_a_second_process_is_refused_and_a_taken_over_one_saves_nothing(database: Database) -> None:
    refused = list[str]()

    def second(progress: RunProgress) -> None:
        with pytest.raises(RequestError) as caught, held(database, "first", kind="evaluate"):
            pass
        refused.append(str(caught.value))

    with serving(decide) as server:
        evaluate(database, server.url, progress=second)
    assert "run 'first' is under way in process" in refused[0]
    assert "reviewer evaluate first --take-over" in refused[0]
    with held(database, "first"):  # a generation run of the same name is another run
        pass
    taken = held(database, "next", kind="evaluate", take_over=True)
    with serving(decide) as server, pytest.raises(RequestError, match="taken over by process"):
        evaluate(database, server.url, name="next", progress=lambda progress: taken.__enter__() and None)
    taken.__exit__(None, None, None)
    assert outcomes_of(database, "next") == []


def test_what_differs_from_the_stored_run_is_refused(database: Database) -> None:
    with serving(decide) as server:
        evaluate(database, server.url, ["m1"], repeats=2)
        asked = len(server.asked)
        for wrong in (
            {"repeats": 3},
            {"conditions": {"order": ("exchanged",)}},
            {"sampling": {"temperature": 0.7}},
        ):
            with pytest.raises(RequestError, match="leave that out to resume"):
                evaluate(database, server.url, ["m1"], **wrong)
        assert len(server.asked) == asked
    for wrong, message in (
        ({"models": ()}, "name the models"),
        ({"models": ("a\nb",)}, "cannot be the name of a model"),
        ({"conditions": {"colour": ("red",)}}, "there is no condition 'colour'"),
        ({"conditions": {"order": ("upside down",)}}, "order has no 'upside down'"),
        ({"repeats": 101}, "give a number from 1 to 100"),
    ):
        with pytest.raises(RequestError, match=message):
            prepare(database, name="other", **wrong)


def test_reading_again_costs_no_call_and_names_what_changed(
    database: Database, monkeypatch: pytest.MonkeyPatch
) -> None:
    hard = Answer("The verdict is mine alone")
    cut = Answer("Decision: Option B, be", finish_reason="length")
    with serving(lambda asked: cut if "release 2" in asked.last else hard) as server:
        evaluate(database, server.url, ["m1"])
        asked = len(server.asked)
    plan = prepare(database).plan
    from reviewer.protocols.evaluation import LabelRead

    monkeypatch.setattr(type(plan), "read", lambda *_: LabelRead("B"))
    assert read_again(database, "first").read == 0  # the same version read them
    monkeypatch.setattr(type(plan), "reader_version", plan.reader_version + 1)
    result = read_again(database, "first")
    assert (result.read, len(result.changed), result.unread) == (4, 4, 2)
    assert {(change.before.label, change.after.label) for change in result.changed} == {(None, "B")}
    assert read_again(database, "first").read == 0
    assert len(server.asked) == asked
    assert [o.state for o in outcomes_of(database, case=2)] == ["unreadable", "unreadable"]
    monkeypatch.setattr(type(plan), "reader_version", 1)
    with pytest.raises(RequestError, match="use the newer release"):
        read_again(database, "first")


def test_answers_that_a_killed_process_did_not_read_are_not_asked_again(database: Database) -> None:
    with serving(decide) as server:
        evaluate(database, server.url)
        whole = outcomes_of(database)
        evaluations = Evaluations(database)
        prepared = prepare(database, name="again")
        evaluations.begin(prepared.run, prepared.sample, {"m1": server.url, "m2": server.url})
        asked = len(server.asked)
        evaluate(database, server.url, name="again")
        assert len(server.asked) == asked
    assert [o.label for o in outcomes_of(database, "again")] == [o.label for o in whole]
    assert StoredCalls(database).answers_to([whole[0].request], server.url)

"""Discovery runs against a server on this machine: what is stored, what is asked again, what is refused."""

from collections import Counter
from collections.abc import Iterator
from contextlib import closing
from dataclasses import dataclass
from pathlib import Path

import pytest

from reviewer.core.errors import RequestError
from reviewer.exchange.releases.release_facts import generation_facts
from reviewer.llm.client import ModelClient
from reviewer.llm.request import ModelReply, ModelRequest
from reviewer.llm.request_errors import Stopped
from reviewer.llm.usage import Usage
from reviewer.protocols.formats import StoredCase
from reviewer.protocols.library_plan import entry_record
from reviewer.runs.discovery.discovery_progress import kept_discovery
from reviewer.runs.discovery.discovery_setup import prepared_discovery
from reviewer.runs.engine.run_progress import RunProgress
from store.candidates import candidates_of
from store.cases import Filter, find_dataset, list_places, values_at_places
from store.database import Database
from store.records import Run
from store.runs import find_run
from tests.llm.server import LoopbackModels, serving
from tests.runs.discovering import (
    KNOWN,
    PLANTED,
    Habits,
    a_discovery,
    a_pair_case,
    discover,
    fill_dataset,
    with_material,
)
from tests.studies import open_store

PAIRS, VALIDATION = 10, 10


@dataclass(frozen=True)
class Discovered:
    """A finished run, its store, its server, and how far it was at each report."""

    run: Run
    database: Database
    server: LoopbackModels
    reports: list[RunProgress]


@pytest.fixture(scope="module")
def discovered(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Discovered]:
    folder, reports = tmp_path_factory.mktemp("discovered"), list[RunProgress]()
    with (
        closing(with_material(open_store(folder), PAIRS, VALIDATION)) as database,
        serving(Habits()) as server,
    ):
        yield Discovered(
            discover(database, server.url, a_discovery(), reports.append), database, server, reports
        )


def test_the_planted_bias_enters_the_library_with_its_evidence(discovered: Discovered) -> None:
    assert (discovered.run.state, discovered.run.why) == ("finished", "round 2 kept no entry")
    with discovered.database.read() as session:
        places = list_places(session, Filter(datasets=("found",)))
        values = values_at_places(session, "found")
    assert [(case.payload["bias"], place.origin) for place, case in places] == [
        *((name, "seed") for name in KNOWN),
        (PLANTED, "generated"),
    ]
    place, case = places[-1]
    known, unread = entry_record(values[place.key, case.digest])
    assert not unread
    assert known.decision is not None
    assert known.decision.result == "kept"
    assert known.evidence[0].dataset == "validation"
    assert known.evidence[0].turned_wrong > 5


@pytest.mark.parametrize("dataset", ["found", "found.rewrites", "found.discarded"])
def test_releases_of_all_its_datasets_name_the_run(discovered: Discovered, dataset: str) -> None:
    with discovered.database.read() as session:
        places = list_places(session, Filter(datasets=(dataset,)))
    cases = [StoredCase(place, case, {}) for place, case in places]
    (facts,) = generation_facts(discovered.database, cases)
    assert (facts.name, facts.model) == ("found", "judge-1 as judge and teacher-1 as teacher")
    assert [kind.split(" ", 3)[-1] for kind in facts.by_kind] == [
        "named biases",
        "rewrites",
        "validation rewrites",
    ]
    assert sum(int(kind.split()[0]) for kind in facts.by_kind) == facts.approved


def test_every_rewrite_and_every_named_bias_is_stored(discovered: Discovered) -> None:
    with discovered.database.read() as session:
        tried = candidates_of(session, "found")
        rewrites = list_places(session, Filter(datasets=("found.rewrites",)))
        refused = list_places(session, Filter(datasets=("found.discarded",)))
        header = find_dataset(session, "found.rewrites")
        values = values_at_places(session, "found.rewrites")
    assert header is not None
    assert header.protocol == "judge-rewrites"
    assert [candidate.number for candidate in tried] == list(range(len(tried)))
    approved = [each.key for each in tried if "biases" not in each.counts_as and each.approved]
    assert sorted(place.key for place, _ in rewrites) == sorted(approved)
    assert all(values[place.key, case.digest]["judgements"] for place, case in rewrites)
    unkept = [each.key for each in tried if "biases" in each.counts_as and not each.approved]
    assert sorted(place.key for place, _ in refused) == sorted(unkept)
    assert unkept
    rows = kept_discovery(discovered.database, discovered.run).table.rows
    assert sum(int(str(row[-1])) for row in rows) == len(tried)
    assert sum(int(str(row[-1])) for row in rows if row[1] == "rewrites") == 2 * PAIRS


def test_progress_counts_what_a_round_does(discovered: Discovered) -> None:
    assert discovered.reports[0].sentence == "round 1 of at most 4: getting ready; 0 kept so far."
    assert any(
        report.sentence.startswith(f"round 1 of at most 4: pairs {PAIRS} of {PAIRS}")
        for report in discovered.reports
    )
    assert discovered.reports[-1].kept == 1


def test_a_finished_run_sends_nothing_and_changes_nothing(discovered: Discovered) -> None:
    asked = len(discovered.server.asked)
    assert discover(discovered.database, discovered.server.url, a_discovery()) == discovered.run
    assert len(discovered.server.asked) == asked
    assert max(Counter(str(each.body) for each in discovered.server.asked).values()) == 1


@pytest.mark.parametrize(
    ("changed", "named"),
    [
        ({"judge": "other"}, "judge judge-1"),
        ({"teacher": "other"}, "teacher teacher-1"),
        ({"pairs": "other"}, "pairs pairs"),
        ({"seed": 4}, "seed 0"),
        ({"settings": {"candidates": 3}}, "candidates 20"),
    ],
)
def test_another_setting_of_a_stored_run_is_refused(
    discovered: Discovered, changed: dict[str, object], named: str
) -> None:
    with pytest.raises(RequestError, match=f"was made with {named};"):
        prepared_discovery(discovered.database, a_discovery(**changed))


@pytest.mark.parametrize(
    ("changed", "why"),
    [
        ({"library": "pairs"}, "has nothing to discover"),
        ({"library": None, "teacher": None}, "also give --library, --teacher"),
        ({"pairs": "known"}, "holds cases of Judge biases"),
        ({"validation": "pairs"}, "both pairs and validation"),
        ({"validation": "copy"}, "every question of dataset 'copy' is also in 'pairs'"),
        ({"validation": "nobody"}, "is not in the store"),
        ({"seed": 3_000}, "seed 3000"),
        ({"name": "known"}, "already exists"),
        ({"settings": {"colour": 1}}, "there is no setting 'colour'"),
        ({"settings": {"judge_temperature": "warm"}}, "setting judge_temperature"),
    ],
)
def test_a_run_that_cannot_be_is_refused(
    discovered: Discovered, changed: dict[str, object], why: str
) -> None:
    _copied(discovered.database)
    with pytest.raises(RequestError, match=why):
        prepared_discovery(discovered.database, a_discovery(**({"name": "other"} | changed)))
    with discovered.database.read() as session:
        assert find_run(session, "other") is None


def test_cases_with_a_question_of_the_pairs_are_left_out_of_the_validation(discovered: Discovered) -> None:
    both = [a_pair_case(number) for number in range(2)] + [
        a_pair_case(number, "other") for number in range(3)
    ]
    fill_dataset(discovered.database, "both", "judge-pairs", both)
    prepared = prepared_discovery(discovered.database, a_discovery("other", validation="both"))
    assert prepared.run.seeds["validation"] == [case.digest for case, _ in both[2:]]
    assert prepared.notes[0].startswith("2 cases of 'both' are left out of the validation")


def _copied(database: Database) -> None:
    """A dataset with the pairs of another one."""
    fill_dataset(database, "copy", "judge-pairs", [a_pair_case(number) for number in range(3)])


class StopsSoon:
    """A client that is stopped after some requests."""

    def __init__(self, client: ModelClient, most: int) -> None:
        self._client, self._left = client, most

    async def ask(self, request: ModelRequest) -> ModelReply:
        """The reply, until nothing more is sent."""
        self._left -= 1
        if self._left < 0:
            self._client.stop()
        return await self._client.ask(request)

    @property
    def spent(self) -> Usage:
        """The calls so far."""
        return self._client.spent

    def stop(self) -> None:
        """Send nothing more."""
        self._client.stop()


def test_a_stopped_run_writes_no_half_round_and_resumes(tmp_path: Path, discovered: Discovered) -> None:
    with (
        closing(with_material(open_store(tmp_path), PAIRS, VALIDATION)) as database,
        serving(Habits()) as server,
    ):
        for most in (20, 100):
            with pytest.raises(Stopped):
                discover(
                    database,
                    server.url,
                    a_discovery(),
                    wrapped=lambda client, most=most: StopsSoon(client, most),
                )
        with database.read() as session:
            assert candidates_of(session, "found") == []
        run = discover(database, server.url, a_discovery())
        assert max(Counter(str(each.body) for each in server.asked).values()) == 1
        assert run.calls == discovered.run.calls
        assert kept_discovery(database, run) == kept_discovery(discovered.database, discovered.run)

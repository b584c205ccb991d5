"""The registry travels with the store that a front end opens; nothing looks a protocol up elsewhere."""

import subprocess
import sys
from contextlib import closing
from pathlib import Path

import pytest

from reviewer.cli.main import main
from reviewer.core.errors import RequestError
from reviewer.exchange.packs.pack import opened_pack, write_pack
from reviewer.exchange.packs.store_files import checked
from reviewer.exchange.rows.dataset_import import import_path
from reviewer.protocols.probe_swe.dilemma_protocol import ProbeSwe
from reviewer.protocols.registry import PROTOCOLS, Protocols, protocols_of
from reviewer.study.design.study_bundle import load_study
from reviewer.study.design.study_creation import Design, create_study
from store.database import Database
from store.records import Case
from tests.builders import a_record, write_dataset


class Other(ProbeSwe):
    """PROBE-SWE under another name, with other words in lists."""

    name = "other"

    def headline(self, case: Case) -> str:
        return "In other words."


OTHERS = Protocols(Other())


@pytest.fixture
def location(tmp_path: Path) -> str:
    """A store with dataset ``data`` and study ``pilot`` of a protocol that this release does not know."""
    path = str(tmp_path / "one.db")
    with closing(Database.open(path, protocols=OTHERS)) as database:
        file = write_dataset(tmp_path / "data.json", [a_record(1), a_record(2)])
        import_path(database, file, "data", "model-1", protocol="other")
        create_study(database, "pilot", Design(("data",), None, 7, raters=("anna",)))
    return path


def test_a_store_brings_the_protocols_that_it_was_opened_with(location: str) -> None:
    with closing(Database.open(location, protocols=OTHERS)) as database:
        assert protocols_of(database).of_the_release == tuple(OTHERS.values())
        assert isinstance(load_study(database, "pilot").protocol, Other)
    with closing(Database.open(location)) as database:
        assert protocols_of(database).of_the_release == tuple(PROTOCOLS.values())
        with pytest.raises(RequestError, match=r"does not know protocol 'other'; it knows probe-swe"):
            load_study(database, "pilot")


def test_each_protocol_of_the_release_stands_under_its_own_name() -> None:
    assert [protocol.name for protocol in PROTOCOLS.of_the_release] == list(PROTOCOLS)


def test_a_protocol_loads_when_it_is_asked_for() -> None:
    script = (
        "import sys; from reviewer.protocols.registry import PROTOCOLS; PROTOCOLS['probe-swe']; "
        "print(sorted({name.split('.')[2] for name in sys.modules if name.count('.') > 2 "
        "and name.startswith('reviewer.protocols.')}))"
    )
    loaded = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True)
    assert loaded.stdout == "['probe_swe']\n"


def test_a_pack_is_opened_with_the_protocols_that_are_handed_over(location: str, tmp_path: Path) -> None:
    with closing(Database.open(location, protocols=OTHERS)) as database:
        write_pack(database, "pilot", "anna", tmp_path / "anna.review")
    pack, _ = opened_pack(tmp_path / "anna.review", OTHERS)
    with closing(pack):
        assert isinstance(load_study(pack, "pilot").protocol, Other)


def test_the_check_of_a_store_asks_the_protocols_that_are_handed_over(location: str) -> None:
    assert not checked(location, OTHERS).faults
    assert "that this release does not know" in checked(location).faults[0].wrong


def test_the_command_line_hands_over_the_protocols_that_it_is_called_with(
    location: str, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    def call(*arguments: str, protocols: Protocols | None) -> tuple[int, str]:
        monkeypatch.setattr(sys, "argv", ["reviewer", "--store", location, *arguments])
        with pytest.raises(SystemExit) as left:
            main(protocols)
        printed = capsys.readouterr()
        return int(left.value.code or 0), printed.out + printed.err

    assert "In other words." in call("cases", protocols=OTHERS)[1]
    assert call("study", "show", "pilot", protocols=OTHERS)[0] == 0
    code, said = call("cases", protocols=None)
    assert code == 0
    assert "protocol other cannot be used" in said
    code, said = call("study", "show", "pilot", protocols=None)
    assert code == 2
    assert "this release does not know protocol 'other'" in said

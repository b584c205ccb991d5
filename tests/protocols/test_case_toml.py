"""Cases of every protocol in TOML: read with their places, written and read again."""

from datetime import date
from pathlib import Path

import pytest

from reviewer.core.errors import InputError, RequestError
from reviewer.exchange.rows.dataset_export import write_dataset
from reviewer.exchange.rows.dataset_import import check_source, import_path
from reviewer.protocols.case_lines import CaseToml
from reviewer.protocols.formats import Reading, Source, StoredCase
from reviewer.protocols.registry import Protocols
from store.cases import Filter, list_places
from store.database import Database
from store.records import Case, Membership
from tests.second_protocol.material import TINY
from tests.staged_cases import QUESTIONS, SCRIPTS, a_script

TEXT = """[[case]]
group = "Unit bias"
generator = "hand-written"
background = "A kitchen."
roles = [{ name = "Ada", kind = "subject" }]
  [[case.rules]]
  mode = "unicast"
  text = "Ada waits."

[[case]]
group = "Unit bias"
"""


def reading(text: str) -> Reading:
    return CaseToml().read(text, SCRIPTS, Source("x.toml", "x.toml", "x.toml"))


def test_table_holds_the_fields_of_the_payload_beside_its_group() -> None:
    read = reading(TEXT)
    (case,) = read.cases
    assert (case.key, case.origin, case.case.group) == ("Unit bias/1", "seed", "Unit bias")
    assert case.case.payload["background"] == "A kitchen."
    (problem,) = read.problems
    assert problem.where == "x.toml, case 2 (line 10), field 'roles'"


@pytest.mark.parametrize(
    ("text", "wrong"),
    [
        ("case = 3", "has no table"),
        ("", "has no table"),
        ("case = [1]", "is not a table"),
        ("cases = []", "has 'cases'"),
        ("[[case]", "is not valid TOML"),
    ],
)
def test_other_content_is_refused_in_a_sentence(text: str, wrong: str) -> None:
    with pytest.raises(InputError, match=wrong):
        reading(text)


def test_field_beside_a_payload_is_not_dropped() -> None:
    (problem,) = reading('[[case]]\ngroup = "x"\npurpose = "y"\npayload = {}\n').problems
    assert "field 'purpose'" in str(problem)


def test_dates_are_not_texts() -> None:
    text = TEXT.replace('"A kitchen."', str(date(2026, 1, 1)))
    assert "field 'background'" in str(reading(text).problems[0])


def test_written_cases_are_read_again(tmp_path: Path) -> None:
    store = Database.open(str(tmp_path / "one.db"), protocols=Protocols(SCRIPTS))
    (tmp_path / "a.toml").write_text(TEXT.partition("\n\n")[0])
    import_path(store, tmp_path / "a.toml", "a")
    assert write_dataset(store, "a", tmp_path / "b.toml").cases == 1
    import_path(store, tmp_path / "b.toml", "b")
    with store.read() as session:
        (one,), (two,) = ([*list_places(session, Filter(datasets=(name,)))] for name in "ab")
    assert one[1] == two[1]
    assert one[0].generator == two[0].generator == "hand-written"
    store.close()


def test_first_table_names_the_protocol(tmp_path: Path) -> None:
    several = Protocols(SCRIPTS, QUESTIONS)
    (tmp_path / "a.toml").write_text(TEXT.partition("\n\n")[0], encoding="utf-8")
    with pytest.raises(RequestError, match="several protocols"):
        check_source(tmp_path / "a.toml", "a", protocols=several)
    named = TEXT.partition("\n\n")[0].replace("[[case]]", '[[case]]\nprotocol = "dialogue-scripts"', 1)
    (tmp_path / "a.toml").write_text(named, encoding="utf-8")
    assert check_source(tmp_path / "a.toml", "a", protocols=several).dataset.protocol == "dialogue-scripts"


def test_payload_with_a_name_of_the_line_is_written_as_a_table_of_its_own() -> None:
    case = Case.of(TINY.name, "tea", 1, {"key": "x"})
    place = Membership(dataset="d", key="k", case=case.digest, position=0, generator="x", origin="generated")
    assert 'payload]\nkey = "x"' in CaseToml().write([StoredCase(place, case, {})], TINY)


def test_what_toml_cannot_hold_is_refused() -> None:
    case = a_script()
    place = Membership(dataset="d", key="k", case=case.digest, position=0, generator="x", origin="generated")
    null = Case.of(TINY.name, "tea", 1, {"line": None})
    with pytest.raises(RequestError, match=r"'k' has an empty value \(null\), .*\.jsonl"):
        CaseToml().write([StoredCase(place, null, {})], TINY)

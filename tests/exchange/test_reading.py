"""Importing again, other content at the same place, interruptions."""

from pathlib import Path

import pytest

from reviewer.core.errors import InputError, RequestError
from reviewer.exchange.rows.dataset_import import ImportReport, check_source, import_path, store_source
from reviewer.study.design.study_creation import Design, create_study
from store.case_import import Entry, import_entries
from store.cases import Filter, count_places, find_dataset, get_measurements, list_places
from store.database import Database
from store.records import Dataset
from store.studies import stale_cases
from tests.builders import GROUP, a_record, a_seed_record, write_corpus, write_dataset
from tests.studies import AT, open_store

HOSTILE = (
    "[red]a[/red] [/a] [link='x']",
    "\x1b[2J\x1b]0;title\x07 bell",
    "\u202eright to left\u2066 \u200f mark",
    "tab\there, \x7f \x85 \u2028 \ufeff",
    "e\u0301 is not \u00e9, 👩‍💻, ﬁ",
    "'; DROP TABLE cases; -- \\ \" %s {x}",
)


@pytest.fixture
def database(tmp_path: Path) -> Database:
    return open_store(tmp_path)


@pytest.fixture
def file(tmp_path: Path) -> Path:
    return write_dataset(tmp_path / "gpt-4o-mini.json", [a_record(1), a_record(2), a_seed_record(3)])


def stored(database: Database) -> list[object]:
    with database.read() as session:
        places = list_places(session, Filter())
        values = get_measurements(session, [case.digest for _, case in places])
    return [places, values, database.overview().datasets]


def test_a_new_dataset_is_told_with_its_parts(database: Database, file: Path) -> None:
    report = import_path(database, file, "data")
    assert report.sentence == "data: 3 cases added (1 group, 2 generated, 1 written by people)"


def test_the_published_file_comes_in_and_again_changes_nothing(
    database: Database, published_file: Path
) -> None:
    report = import_path(database, published_file, "gpt-4o-mini")
    assert report.sentence == "gpt-4o-mini: 806 cases added (8 groups, 790 generated, 16 written by people)"
    before = stored(database)
    again = import_path(database, published_file, "gpt-4o-mini")
    assert again.sentence == "gpt-4o-mini: nothing changed, all 806 cases are there already"
    assert stored(database) == before


def test_hostile_texts_are_stored_as_they_are(database: Database, tmp_path: Path) -> None:
    records = [a_record(n, unbiased=text, note=text) for n, text in enumerate(HOSTILE)]
    import_path(database, write_dataset(tmp_path / "gpt-4o-mini.json", records), "data")
    with database.read() as session:
        found = list_places(session, Filter())
    assert [case.payload["unbiased"] for _, case in found] == list(HOSTILE)
    assert [place.extra["note"] for place, _ in found] == list(HOSTILE)


def test_other_content_at_a_place_makes_verdicts_on_the_old_stale(database: Database, file: Path) -> None:
    import_path(database, file, "data")
    create_study(database, "pilot", Design(("data",), None, 1))
    changed = [a_record(1, biased="Other words?"), a_record(2), a_seed_record(3), a_record(4)]
    report = import_path(database, write_dataset(file, changed), "data")
    assert report.sentence == (
        "data: 1 case added, 1 case with new content "
        "(verdicts on the old content are kept and marked stale), 2 cases as before"
    )
    with database.read() as session:
        assert len(stale_cases(session, "pilot")) == 1


def test_other_values_of_the_same_cases_replace_the_old_ones(database: Database, file: Path) -> None:
    import_path(database, file, "data")
    changed = [a_record(1, inference_steps=77, agreement_rate=None), a_record(2), a_seed_record(3)]
    report = import_path(database, write_dataset(file, changed), "data")
    assert report.sentence == "data: 1 case with other published values or origin, 2 cases as before"
    with database.read() as session:
        (_, case), *_ = list_places(session, Filter())
        values = {m.name: m.value for m in get_measurements(session, [case.digest])[case.digest]}
    assert values["inference_steps"] == 77
    assert "agreement_rate" not in values


def test_another_generator_is_a_change_and_is_told(database: Database, file: Path) -> None:
    import_path(database, file, "data")
    report = import_path(database, file, "data", "model-2")
    assert report.sentence == "data: 2 cases with other published values or origin, 1 case as before"
    with database.read() as session:
        assert {place.generator for place, _ in list_places(session, Filter())} == {"model-2", "hand-written"}


def test_places_that_a_file_does_not_hold_stay_and_are_told(database: Database, file: Path) -> None:
    import_path(database, file, "data")
    report = import_path(database, write_dataset(file, [a_record(1)]), "data")
    assert report.sentence == (
        "data: nothing changed, its one case is there already, "
        "2 cases that gpt-4o-mini.json does not contain stay as they are"
    )
    with database.read() as session:
        assert count_places(session, Filter()) == 3


def test_a_dataset_of_another_protocol_is_left_alone(database: Database, file: Path) -> None:
    other = Dataset(name="data", protocol="scenario", source="elsewhere", imported_at=AT)
    import_entries(database, other, [])
    with pytest.raises(RequestError, match="is of protocol 'scenario', not 'probe-swe'"):
        import_path(database, file, "data")
    with database.read() as session:
        assert find_dataset(session, "data") == other
        assert count_places(session, Filter()) == 0


def test_an_interrupted_import_leaves_no_place_and_can_be_repeated(
    database: Database, tmp_path: Path
) -> None:
    file = write_dataset(tmp_path / "gpt-4o-mini.json", [a_record(number) for number in range(250)])

    def interrupt(done: int, total: int) -> None:
        if done >= 200:
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        import_path(database, file, "data", progress=interrupt)
    assert database.overview().datasets == []
    with database.read() as session:
        assert count_places(session, Filter()) == 0
    import_path(database, file, "data")
    uninterrupted = Database.open(str(tmp_path / "other.db"))
    import_path(uninterrupted, file, "data")
    assert stored(database)[:2] == stored(uninterrupted)[:2]


def test_an_interrupted_replacement_leaves_the_old_content_in_place(database: Database, file: Path) -> None:
    import_path(database, file, "data")
    before = stored(database)

    def interrupt(done: int, total: int) -> None:
        raise KeyboardInterrupt

    write_dataset(file, [a_record(1, biased="Other words?"), a_record(2), a_seed_record(3)])
    with pytest.raises(KeyboardInterrupt):
        import_path(database, file, "data", progress=interrupt)
    assert stored(database) == before


def test_two_imports_of_one_dataset_at_a_time_do_not_collide(database: Database, tmp_path: Path) -> None:
    other = Database.open(str(tmp_path / "reviewer.db"))
    many = write_dataset(
        tmp_path / "1_augmented_dilemmas_dataset_many.json", [a_record(number) for number in range(150)]
    )
    begun: list[int] = []

    def import_many_too(done: int, total: int) -> None:
        if not begun:
            begun.append(done)
            import_path(database, many, "many")

    import_path(other, many, "many", progress=import_many_too)
    assert import_path(database, many, "many").counts.changed_nothing


def test_progress_counts_new_cases_to_the_end(database: Database, tmp_path: Path) -> None:
    file = write_dataset(tmp_path / "gpt-4o-mini.json", [a_record(number) for number in range(250)])
    seen: list[tuple[int, int]] = []
    import_path(database, file, "data", progress=lambda done, total: seen.append((done, total)))
    assert seen == [(200, 250), (250, 250)]


def test_what_is_invalid_stops_everything_or_is_left_out(database: Database, tmp_path: Path) -> None:
    records = [a_record(1), a_record(2, unbiased=""), a_record(3), a_record("x"), {}]  # type: ignore[arg-type]
    file = write_dataset(tmp_path / "gpt-4o-mini.json", records)
    with pytest.raises(InputError) as error:
        import_path(database, file, "data")
    assert str(error.value) == (
        "gpt-4o-mini.json, anchoring bias, record 2, field 'unbiased': is empty (and 2 more are invalid: "
        "anchoring bias, record 4, field 'pair'; anchoring bias, record 5, field 'pair'); "
        "correct it; or leave out what is invalid with --skip-invalid."
    )
    assert database.overview().datasets == []
    report = import_path(database, file, "data", skip_invalid=True)
    assert keys(report) == [f"{GROUP}/3-1", f"{GROUP}/3-3"]
    assert [f"{problem.where}: {problem.wrong}" for problem in report.source.incoming.problems] == [
        "gpt-4o-mini.json, anchoring bias, record 2, field 'unbiased': is empty",
        "gpt-4o-mini.json, anchoring bias, record 4, field 'pair': is not a whole number",
        "gpt-4o-mini.json, anchoring bias, record 5, field 'pair': is missing",
    ]


def keys(report: ImportReport) -> list[str]:
    entries: tuple[Entry, ...] = report.source.incoming.entries
    return [entry.place.key for entry in entries]


def test_one_case_in_two_datasets_keeps_the_values_of_each(
    database: Database, file: Path, tmp_path: Path
) -> None:
    import_path(database, file, "one")
    other = write_dataset(
        tmp_path / "1_augmented_dilemmas_dataset_other.json", [a_record(1, inference_steps=77)]
    )
    import_path(database, other, "two")
    with database.read() as session:
        ((_, case),) = list_places(session, Filter(datasets=("two",)))
        found = get_measurements(session, [case.digest])[case.digest]
    steps = {value.dataset: value.value for value in found if value.name == "inference_steps"}
    assert steps == {"one": 9, "two": 77}


def test_a_folder_takes_no_generator(database: Database, tmp_path: Path) -> None:
    with pytest.raises(RequestError, match="leave it out"):
        import_path(database, write_corpus(tmp_path / "corpus"), "seeds", "model-1")


@pytest.mark.parametrize("name", ["", " x", "x" * 81, "a\nb", "a\x1bb", "a\u202eb", "a\udcffb"])
def test_a_generator_has_a_name_of_one_line(database: Database, file: Path, name: str) -> None:
    with pytest.raises(RequestError, match="generator name"):
        import_path(database, file, "data", name)


@pytest.mark.parametrize("name", ["a\0b", "a\udcff\udc00", "x" * 5_000, "a/" * 3_000])
def test_a_path_that_none_can_have_is_refused(database: Database, name: str) -> None:
    with pytest.raises(InputError, match=r"cannot be read|is not there") as error:
        import_path(database, Path(name), "data", "model-1")
    assert len(str(error.value)) < 400


def test_another_generators_cases_take_no_place_unless_asked(
    database: Database, file: Path, tmp_path: Path
) -> None:
    import_path(database, file, "data")
    other = write_dataset(
        tmp_path / "gpt-4.1-mini.json",
        [a_record(1, unbiased="Which, in other words?")],
    )
    with pytest.raises(
        RequestError,
        match=r"at 1 place that gpt-4.1-mini.json would take; .*--replace",
    ):
        import_path(database, other, "data")
    source = check_source(other, "data")
    assert store_source(database, source, replace=True).counts.replaced == 1

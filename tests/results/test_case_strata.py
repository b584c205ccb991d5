"""Strata that a lead asks for: what they are made by, their allocation, guesses, and what is refused."""

from pathlib import Path

import pytest

from reviewer.agreement.allocation import allocate
from reviewer.core.errors import RequestError
from reviewer.results.case_strata import StrataRequest, strata_of
from reviewer.runs.repair.revise import read_place, revise
from reviewer.study.design.closing import close_study
from reviewer.study.design.design_facts import drawn_words
from reviewer.study.design.inclusion import inclusion_of, weighted_strata
from reviewer.study.design.strata import guesses_in
from reviewer.study.design.study_bundle import StudyBundle, load_study
from reviewer.study.design.study_creation import Design, StudyPlanner, create_study
from reviewer.study.session.review_session import ReviewSession
from store.case_import import Entry, import_entries
from store.database import Database
from store.records import Dataset, Measurement
from store.studies import find_study
from tests.audited_dataset import CASES, DOUBTFUL, SERIOUS, SIZES, STATES, fill_audited, keep_audit
from tests.studies import AT, BIASES, a_case, entries_for, fill, open_store

STRATUM_OF = dict(
    zip(
        (case.digest for case in CASES),
        ["serious"] * 6 + ["doubtful"] * 4 + ["not tested"] + ["none"] * 9,
        strict=True,
    )
)


@pytest.fixture
def database(tmp_path: Path) -> Database:
    database = open_store(tmp_path)
    fill_audited(database)
    return database


def drawn(
    database: Database,
    request: StrataRequest,
    total: int = 12,
    name: str = "pilot",
    raters: tuple[str, ...] = (),
) -> StudyBundle:
    strata = strata_of(database, ["one"], request, "tom")
    create_study(database, name, Design(("one",), None, 3, total=total, strata=strata, raters=raters))
    return load_study(database, name)


def counts(bundle: StudyBundle) -> dict[str, tuple[int, int]]:
    return {stratum.name: (stratum.drawn, stratum.size) for stratum in inclusion_of(bundle).strata}


def test_a_total_is_allocated_to_strata_by_the_worst_finding(database: Database) -> None:
    bundle = drawn(database, StrataRequest(("findings",)))
    sizes = allocate([*SIZES.values()], 12, "equal")
    assert counts(bundle) == dict(zip(SIZES, zip(sizes, SIZES.values(), strict=True), strict=True))
    for stratum in inclusion_of(bundle).strata:
        assert {STRATUM_OF[case] for case in stratum.cases} == {stratum.name}
    kept = bundle.design.draw
    assert kept
    assert (kept.by, kept.allocation, kept.guesses) == (("findings",), "equal", {})
    assert drawn_words(bundle.design) == "12 in all, from strata by findings, equal allocation"
    assert len(weighted_strata(bundle)) == 4
    positions = [(BIASES.index(place.group), CASES.index(_case(place.case))) for place in bundle.sample]
    assert positions == sorted(positions), "the order of the sample is that of the dataset"


def _case(digest: str) -> object:
    return next(case for case in CASES if case.digest == digest)


def test_guessed_pass_rates_allocate_by_neyman_and_are_shrunk(database: Database) -> None:
    request = StrataRequest(("findings",), guesses=("none=1,serious=.5", "doubtful=80%,not tested=.9"))
    bundle = drawn(database, request)
    sizes = allocate([*SIZES.values()], 12, "neyman", [0.5, 0.8, 0.9, 1])
    assert [number for number, _ in counts(bundle).values()] == [*sizes]
    kept = bundle.design.draw
    assert kept
    assert kept.guesses == {"serious": 0.5, "doubtful": 0.8, "not tested": 0.9, "none": 0.98}
    assert drawn_words(bundle.design) == (
        "12 in all, from strata by findings, Neyman's allocation for guessed pass rates "
        "(serious .50, doubtful .80, not tested .90, none .98)"
    )
    said = strata_of(database, ["one"], request, "tom").shrunk_in_words
    assert said == (
        "For the allocation, guessed pass rates are taken as 0.02 at least, 0.98 at most, since no guess "
        "makes a stratum known: none."
    )


def test_strata_are_crossed_and_a_guess_may_name_a_part(database: Database) -> None:
    request = StrataRequest(
        (f"finding:{SERIOUS}", "group"), guesses=(f"none=.98,{SERIOUS}=.6", "not tested=.9")
    )
    bundle = drawn(database, request)
    first, second = BIASES[:2]
    assert {name: size for name, (_, size) in counts(bundle).items()} == {
        f"{SERIOUS} / {first}": 3,
        f"{SERIOUS} / {second}": 3,
        f"not tested / {first}": 1,
        f"none / {first}": 6,
        f"none / {second}": 7,
    }
    assert bundle.design.draw
    assert bundle.design.draw.guesses[f"{SERIOUS} / {second}"] == 0.6


def test_a_value_and_an_opinion_make_strata_and_a_missing_one_is_its_own(database: Database) -> None:
    entries = entries_for("two", [a_case(number) for number in range(50, 60)])
    said = [3, 3, 3, 2, 2, 2, None, None, 3, 3]
    with_values = [
        Entry(entry.case, entry.place, _published(entry, value))
        for entry, value in zip(entries, said, strict=True)
    ]
    header = Dataset(name="two", protocol="probe-swe", source="a test", imported_at=AT)
    import_entries(database, header, with_values)
    for by, sizes in (
        ("value:bias_verifications", {"2": 3, "3": 5, "missing": 2}),
        ("opinion:bias_verifications", {"True": 8, "no answer": 2}),
    ):
        strata = strata_of(database, ["two"], StrataRequest((by,)), "tom")
        create_study(database, by.partition(":")[0], Design(("two",), None, 3, total=8, strata=strata))
        bundle = load_study(database, by.partition(":")[0])
        assert {name: size for name, (_, size) in counts(bundle).items()} == sizes


def _published(entry: Entry, value: int | None) -> list[Measurement]:
    """What an entry publishes, with this value of an opinion; None for none."""
    opinion = Measurement(
        case=entry.case.digest,
        name="bias_verifications",
        source="published",
        dataset=entry.place.dataset,
        key=entry.place.key,
        value=value,
    )
    return [*entry.content.published, *([opinion] if value else [])]


def test_a_case_of_two_datasets_counts_in_the_first(database: Database) -> None:
    fill(database, "two", [*CASES[:5], *(a_case(number) for number in range(50, 56))])
    strata = strata_of(database, ["one", "two"], StrataRequest(("group",)), "tom")
    create_study(database, "both", Design(("one", "two"), None, 3, total=10, strata=strata))
    strata_drawn = inclusion_of(load_study(database, "both")).strata
    assert [(stratum.dataset, stratum.size) for stratum in strata_drawn] == [
        ("one", 10),
        ("one", 10),
        ("two", 6),
    ]
    assert sum(stratum.drawn for stratum in strata_drawn) == 10


def answered(database: Database, study: str, failing: set[str]) -> None:
    session = ReviewSession(database, study, "anna")
    for _ in session.slots:
        session.answer("False" if session.case.digest in failing else "True")
    close_study(database, study, "tom", "done")


def test_a_closed_study_gives_pass_rates_by_its_own_strata_or_by_those_of_today(database: Database) -> None:
    bundle = drawn(database, StrataRequest(("findings",)), 20, "pilot", ("anna",))
    failing = {case.digest for case in CASES[:3]} | {CASES[-1].digest}
    answered(database, "pilot", failing)
    request = StrataRequest(("findings",), guesses=("not tested=.5",), guess_from="pilot")
    strata = strata_of(database, ["one"], request, "tom")
    assert strata.guesses == {"serious": 0.5, "doubtful": 1, "not tested": 0.5, "none": pytest.approx(8 / 9)}
    keep_audit(database, CASES[:1], [""])  # a repair of the audit puts it into another stratum
    assert strata_of(database, ["one"], request, "tom").guesses == strata.guesses
    assert counts(load_study(database, "pilot")) == counts(bundle)
    by_check = StrataRequest((f"finding:{DOUBTFUL}",), guess_from="pilot")
    assert strata_of(database, ["one"], by_check, "tom").guesses == {
        DOUBTFUL: 1,
        "not tested": 1,
        "none": pytest.approx(11 / 15),
    }
    again = drawn(database, request, 12, "again")
    assert again.design.draw
    assert again.design.draw.guessed_from == "pilot"
    assert ", from study pilot)" in drawn_words(again.design)


def test_the_frozen_stratum_counts_after_a_repair(database: Database) -> None:
    bundle = drawn(database, StrataRequest((f"finding:{SERIOUS}",)), 20)
    place = next(place for place in bundle.sample if place.case == CASES[0].digest)
    repaired = a_case(90, CASES[0].group)
    expected = read_place(database, "one", place.key).parent
    revise(database, "one", place.key, repaired, expected=expected, author="maria", reason="clearer")
    keep_audit(database, [repaired], [""])
    after = load_study(database, "pilot")
    assert CASES[0].digest in after.stale
    assert inclusion_of(after) == inclusion_of(bundle)
    assert inclusion_of(after).by_case()[CASES[0].digest].name == SERIOUS


@pytest.mark.parametrize(
    ("request_", "total", "said"),
    [
        (StrataRequest(("findings",)), 21, "there are 20 cases to draw; you asked for 21; change --total."),
        (
            StrataRequest(("findings",)),
            6,
            "4 strata need 7 cases, 2 of each that has two; you asked for 6; change --total.",
        ),
        (
            StrataRequest(("finding:by_default",)),
            9,
            "finding:by_default makes only one stratum: 'none' has all of the 20 cases to draw, and others "
            "have none; make strata by something else.",
        ),
        (
            StrataRequest(("findings",), guesses=("serious=.6,doubtfull=.8",)),
            9,
            "a pass rate is guessed for 'doubtfull', and there is no such stratum with cases; "
            "did you mean doubtful.",
        ),
        (
            StrataRequest(("findings",), guesses=("untidy=.9",)),
            9,
            "a pass rate is guessed for 'untidy', and there is no such stratum with cases; there "
            "are doubtful, none, not tested, serious.",
        ),
        (
            StrataRequest(("findings",), guesses=("serious=.6",)),
            9,
            "Neyman's allocation needs a guessed pass rate of stratum 'doubtful'; give --guess "
            "'doubtful=RATE', such as .9.",
        ),
        (
            StrataRequest(("findings", f"finding:{SERIOUS}"), guesses=(f"serious=.6,{SERIOUS}=.5",)),
            9,
            f"stratum 'serious / {SERIOUS}' has several guessed pass rates, of serious and {SERIOUS}; give "
            f"it one of its own: --guess 'serious / {SERIOUS}=RATE'.",
        ),
        (
            StrataRequest(("findings",), "neyman"),
            9,
            "--allocate neyman needs guessed pass rates of the strata",
        ),
        (
            StrataRequest(("findings",), "equal", ("serious=.6",)),
            9,
            "--guess and --guess-from are for --allocate neyman, not for equal; leave them out.",
        ),
        (
            StrataRequest(("finding:both_derivabel",)),
            9,
            "there is no check 'both_derivabel'; did you mean both_derivable",
        ),
        (
            StrataRequest(("opinion:verifications",)),
            9,
            "there is no opinion 'verifications'; did you mean bias_verif",
        ),
        (
            StrataRequest(("value:steps",)),
            9,
            "no case of dataset 'one' has a value 'steps'; there are choice, choice_steps, inference_steps,",
        ),
        (StrataRequest(("finding",)), 9, "strata cannot be made by 'finding'; choose group, findings,"),
        (StrataRequest(("group:anchoring",)), 9, "strata cannot be made by 'group:anchoring'; choose group,"),
        (StrataRequest(("findings",), guess_from="none"), 9, "study 'none' is not in the store"),
    ],
    ids=lambda value: value.by[0] if isinstance(value, StrataRequest) else None,
)
def test_what_cannot_be_drawn_is_refused_in_a_sentence(
    database: Database, request_: StrataRequest, total: int, said: str
) -> None:
    with pytest.raises(RequestError) as refused:
        drawn(database, request_, total)
    assert said in str(refused.value)
    with database.read() as session:
        assert find_study(session, "pilot") is None


@pytest.mark.parametrize("by", ["findings", f"finding:{SERIOUS}"])
def test_findings_of_no_audit_or_an_earlier_one_make_no_strata(database: Database, by: str) -> None:
    keep_audit(database, CASES[:2], STATES[:2], edition="earlier")
    with pytest.raises(RequestError) as refused:
        strata_of(database, ["one"], StrataRequest((by,)), "tom")
    assert str(refused.value) == (
        "2 cases of dataset 'one' were audited by earlier checks, so their strata are "
        "not known; run `reviewer audit one` first."
    )
    fill(database, "fresh", [a_case(70)])
    with pytest.raises(
        RequestError, match="1 case of dataset 'fresh' was not audited, so its stratum is not known"
    ):
        strata_of(database, ["fresh"], StrataRequest((by,)), "tom")


def test_strata_take_no_number_per_group_and_no_picked_cases(database: Database) -> None:
    strata = strata_of(database, ["one"], StrataRequest(("group",)), "tom")
    for design in (
        Design(("one",), None, 3, strata=strata),
        Design(("one",), 2, 3, strata=strata),
        Design(("one",), None, 3, total=5, only=frozenset({CASES[0].digest}), strata=strata),
    ):
        with pytest.raises(RequestError, match="a total is allocated to them; give --total, and leave out"):
            StudyPlanner(database).plan(design)


@pytest.mark.parametrize(
    "text",
    ["none", "none=", "none=1.01", "none=-.1", "none=nan", "=.5", "none=.5,serious", "none=x"],
)
def test_a_guess_is_a_name_and_a_rate(text: str) -> None:
    with pytest.raises(RequestError, match="is not a stratum and a pass rate from 0 to 1"):
        guesses_in([text])


def test_names_of_guesses_may_have_commas_and_signs() -> None:
    assert guesses_in(["fear, anger=.5,x=1=.25", "y = 40%"]) == {"fear, anger": 0.5, "x=1": 0.25, "y": 0.4}
    with pytest.raises(RequestError, match="the pass rate of 'a' is guessed twice"):
        guesses_in(["a=.5", "a=.6"])


def test_raters_with_open_cases_make_no_strata_of_what_machines_say(database: Database) -> None:
    create_study(database, "open", Design(("one",), None, 1, total=4, raters=("anna",)))
    assert strata_of(database, ["one"], StrataRequest(("group",)), "anna").by == ("group",)
    for by in ("findings", f"finding:{SERIOUS}", "opinion:bias_verifications", "value:choice_steps"):
        with pytest.raises(RequestError, match="would influence your answers"):
            strata_of(database, ["one"], StrataRequest((by,)), "anna")
        assert by == "opinion:bias_verifications" or strata_of(database, ["one"], StrataRequest((by,)), "tom")


def test_pass_rates_of_cases_that_somebody_still_owes_are_held_back(database: Database) -> None:
    drawn(database, StrataRequest(("findings",)), 20, "pilot", ("anna",))
    answered(database, "pilot", {CASES[0].digest})
    create_study(database, "open", Design(("one",), None, 1, total=4, raters=("ben",)))
    request = StrataRequest(("group",), guess_from="pilot")
    assert set(strata_of(database, ["one"], request, "tom").guesses) == {*BIASES[:2]}
    with pytest.raises(RequestError, match="would influence your answers"):
        strata_of(database, ["one"], request, "ben")

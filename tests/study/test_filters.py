"""Which slots a filter leaves, as they stand now."""

from pathlib import Path

from reviewer.study.design.closing import close_study
from reviewer.study.design.study_creation import Design, create_study
from reviewer.study.session.filters import FilteredSlots, SlotFilter
from reviewer.study.session.review_session import ReviewSession
from store.findings import CaseFindings, keep_case_findings
from store.records import Finding, Measurement
from tests.answer_pairs import a_pair
from tests.studies import a_case, fill, open_store


def session_of(folder: Path) -> ReviewSession:
    """Four cases of two biases by two generators, four questions each."""
    database = open_store(folder)
    fill(database, "one", [a_case(0), a_case(1, "framing effect")])
    fill(database, "two", [a_case(2), a_case(3, "framing effect")], generator="model-2")
    create_study(database, "pilot", Design(("one", "two"), None, 3))
    return ReviewSession(database, "pilot", "anna")


def positions(session: ReviewSession, wanted: SlotFilter) -> list[int]:
    return list(FilteredSlots(session).positions(wanted))


def test_nothing_wanted_is_everything(tmp_path: Path) -> None:
    session = session_of(tmp_path)
    assert not SlotFilter()
    assert positions(session, SlotFilter()) == list(range(16))


def test_states_follow_what_the_rater_does(tmp_path: Path) -> None:
    session = session_of(tmp_path)
    session.answer("True")
    session.skip()
    session.flag()
    session.next()
    session.comment("hm")
    assert positions(session, SlotFilter("open")) == list(range(2, 16))
    assert positions(session, SlotFilter("skipped")) == [1]
    assert positions(session, SlotFilter("flagged")) == [2]
    assert positions(session, SlotFilter("commented")) == [3]
    assert positions(session, SlotFilter("stale")) == []
    session.go_to(2)
    session.flag()
    assert positions(session, SlotFilter("flagged")) == []
    session.undo()
    assert positions(session, SlotFilter("skipped")) == []


def test_fields_together_leave_what_passes_all(tmp_path: Path) -> None:
    session = session_of(tmp_path)
    places = {place.case: place for place in session.bundle.sample}
    wanted = SlotFilter("open", "framing effect", "model-2")
    session.go_to(next(iter(FilteredSlots(session).positions(wanted))))
    session.answer("True")
    left = [places[session.slots[n].case] for n in positions(session, wanted)]
    assert len(left) == 3
    assert {(place.group, place.generator) for place in left} == {("framing effect", "model-2")}
    assert wanted.words == "open, framing effect, model-2"


def test_following_stops_at_the_ends_and_open_ones_go_round(tmp_path: Path) -> None:
    session = session_of(tmp_path)
    slots, wanted = FilteredSlots(session), SlotFilter(group="anchoring bias")
    inside = list(slots.positions(wanted))
    session.go_to(inside[-1])
    assert slots.following(wanted, 1) is None
    assert slots.following(wanted, -1) == inside[-2]
    assert slots.following_open(wanted) == inside[0]


def test_who_wrote_pairs_of_answers_is_no_filter_until_all_are_answered(tmp_path: Path) -> None:
    database = open_store(tmp_path)
    for number, writer in enumerate(("writer-1", "writer-2")):
        fill(database, writer, [a_pair(number)], generator=writer, protocol="judge-pairs")
    create_study(database, "pilot", Design(("writer-1", "writer-2"), None, 3))
    session = ReviewSession(database, "pilot", "anna")
    named = []
    for slot in session.slots:
        named.append(FilteredSlots(session).counts()["generator"])
        session.answer("first" if slot.question == "right_result" else "True")
    assert named == [{}] * 4
    assert FilteredSlots(session).counts()["generator"] == {"writer-1": 2, "writer-2": 2}


def test_findings_and_writers_wait_for_answers_about_the_same_cases_in_another_study(tmp_path: Path) -> None:
    database = open_store(tmp_path)
    fill(database, "pairs", [a_pair(0)], generator="writer-1", protocol="judge-pairs")
    found = Finding(
        case=a_pair(0).digest,
        check="same_result",
        check_version=1,
        passed=False,
        severity="serious",
        why="both are wrong",
        question="right_result",
    )
    mark = Measurement(case=found.case, name="checks", source="measured", engine="a test", value="1")
    keep_case_findings(database, [CaseFindings(mark, (), (found,))])
    for name in ("pilot", "second"):
        create_study(database, name, Design(("pairs",), None, 3, raters=("anna",)))
    first = ReviewSession(database, "pilot", "anna")
    _answer_all(first)
    first.go_to(0)
    assert "this question about this case in study second" in (first.reveal_obstacle or "")
    assert FilteredSlots(first).counts()["generator"] == {}
    close_study(database, "pilot", "lead")
    closed = ReviewSession(database, "pilot", "anna")
    closed.go_to(0)
    assert "both are wrong" not in repr(closed.sheet())
    assert "this question about this case in study second" in (closed.reveal_obstacle or "")
    assert FilteredSlots(closed).counts()["generator"] == {}
    _answer_all(ReviewSession(database, "second", "anna"))
    free = ReviewSession(database, "pilot", "anna")
    free.go_to(0)
    assert "both are wrong" in repr(free.sheet())
    assert FilteredSlots(free).counts()["generator"] == {"writer-1": 2}


def _answer_all(session: ReviewSession) -> None:
    for slot in session.slots:
        session.answer("first" if slot.question == "right_result" else "True")


def test_counts_say_what_each_filter_would_leave(tmp_path: Path) -> None:
    session = session_of(tmp_path)
    session.answer("True")
    counts = FilteredSlots(session).counts()
    assert counts["state"] == {"open": 15}
    assert counts["group"] == {"anchoring bias": 8, "framing effect": 8}
    assert counts["generator"] == {"model-1": 8, "model-2": 8}
    for field, values in counts.items():
        for value, count in values.items():
            assert len(positions(session, SlotFilter(**{field: value}))) == count


def test_stale_slots_are_found(tmp_path: Path) -> None:
    session_of(tmp_path)
    database = open_store(tmp_path)
    fill(database, "one", [a_case(0, axioms="best(X) :- liked(X)."), a_case(1, "framing effect")])
    assert len(positions(ReviewSession(database, "pilot", "anna"), SlotFilter("stale"))) == 4

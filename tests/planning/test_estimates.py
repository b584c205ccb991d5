"""Estimates follow from their figures, and those of a cluster from what bounds it."""

from dataclasses import replace

import pytest

from reviewer.planning.estimates import (
    ASSUMED,
    MEASURED,
    JobCost,
    Planner,
    WorkEstimate,
    dollars,
    duration,
    estimate_table,
    size,
)

FREE = JobCost(worker=0.1, client=0.0, scheduler=0.0, bytes_sent=0.0)
FIGURES = replace(
    MEASURED,
    program_seconds=0.1,
    client_seconds=0.02,
    pair_seconds=1e-6,
    index_text_seconds=1e-3,
    index_root_seconds=1e-4,
    call_seconds=0.004,
    bytes_an_audit=500,
)
PLANNER = Planner(FIGURES, replace(ASSUMED, cores=4, core_hour=0.5))


def test_workers_share_the_work() -> None:
    assert FREE.seconds_of(4_000, 1, 1e9) == pytest.approx(400)
    assert FREE.seconds_of(4_000, 10, 1e9) == pytest.approx(40)
    assert FREE.seconds_of(5, 3, 1e9) == pytest.approx(0.2)
    assert FREE.seconds_of(0, 3, 1e9) == 0


def test_what_all_results_pass_bounds_the_work() -> None:
    reading = replace(FREE, client=0.02)
    assert [reading.seconds_of(4_000, workers, 1e9) for workers in (50, 100)] == pytest.approx([80, 80])
    assert replace(FREE, bytes_sent=10_000).seconds_of(4_000, 50, 1e6) == pytest.approx(40)
    assert replace(FREE, scheduler=0.01).seconds_of(4_000, 50, 1e9) == pytest.approx(40)


def test_an_audit_on_a_cluster_costs_what_all_processors_take() -> None:
    audit = PLANNER.audit_on_cluster(1_000, 8)
    used = 1_000 * (0.1 + MEASURED.worker_seconds + 0.0083 + MEASURED.scheduler_seconds)
    assert audit.seconds == pytest.approx(125 * (0.1 + MEASURED.worker_seconds))
    assert audit.core_hours == pytest.approx(used / 3_600)


def test_the_audit_of_one_machine_is_bound_by_its_cores_or_by_the_process_that_writes() -> None:
    audit = PLANNER.audit_here(1_000)
    assert audit.seconds == pytest.approx(1_000 * 0.12 / 4)
    assert audit.core_hours == pytest.approx(120 / 3_600)
    assert audit.dollars == pytest.approx(120 / 3_600 * 0.5)
    assert audit.stored == 500_000
    many = replace(PLANNER, assumed=replace(PLANNER.assumed, cores=64))
    assert many.audit_here(1_000).seconds == pytest.approx(20)


def test_collisions_grow_with_the_square_and_with_the_root() -> None:
    assert PLANNER.comparing(2_000).seconds == pytest.approx(2_000 * 1_999 / 2 * 1e-6 / 4)
    assert PLANNER.index_search(10_000).seconds == pytest.approx(10_000 * (1e-3 + 1e-4 * 100) / 4)


def test_calls_are_bound_by_those_under_way_the_core_and_the_limits() -> None:
    assumed = replace(ASSUMED, at_once=100, latency=2.0, prompt_tokens=300, answer_tokens=100)
    planner = Planner(FIGURES, assumed)
    assert planner.calls_a_second() == 50
    assert planner.calls_a_second(3) == 150
    quick = replace(planner, assumed=replace(assumed, latency=0.1))
    assert quick.calls_a_second() == pytest.approx(250)
    limited = replace(assumed, requests_a_minute=1_200)
    assert replace(planner, assumed=limited).calls_a_second(3) == 20
    limited = replace(assumed, tokens_a_minute=240_000)
    assert replace(planner, assumed=limited).calls_a_second(3) == 10
    assert planner.calls(5_000, 1, None).seconds == 100
    assert planner.calls(5_000, 1, None).dollars is None
    assert (planner.calls(5_000, 1, 0.01).dollars or 0) == pytest.approx(50, rel=0.01)


def test_all_work_on_nothing_takes_no_time() -> None:
    assert all(work.seconds < 0.01 and work.stored == 0 for work in PLANNER.all_work(0, (8,)))


@pytest.mark.parametrize(
    ("seconds", "words"),
    [(0, "0 s"), (0.04, "0.04 s"), (59.4, "59 s"), (90, "1.5 min"), (3_600, "1 h"), (864_000, "10 days")],
)
def test_times_have_two_digits(seconds: float, words: str) -> None:
    assert duration(seconds) == words


def test_estimates_are_words_for_people_and_numbers_for_programs() -> None:
    work = WorkEstimate("audit", 1, "case", 90.04, 0.025, None, 1.5e9)
    people, programs = (estimate_table([work], for_people=each) for each in (True, False))
    assert people.rows == (("audit", "1 case", "1.5 min", "1.5 min", "–", "1.5 GB"),)
    assert programs.rows == (("audit", 1, "case", 90.04, 0.025, None, 1_500_000_000),)
    assert (dollars(0.004), dollars(12.34), size(999), size(2e13)) == ("<$0.01", "$12", "1 kB", "20 TB")

"""A store for pictures of the review: two audited datasets, and a study for everything that a rater meets."""

from contextlib import closing
from itertools import count
from pathlib import Path
from unittest.mock import patch

from reviewer.exchange.rows.dataset_import import import_path
from reviewer.exchange.rows.shipped import SHIPPED, ensure_seeds
from reviewer.oracle import pool
from reviewer.oracle.program_runner import LocalRunner
from reviewer.runs.audit.dataset_audit import audit
from reviewer.study.design.known_answers import GivenAnswer
from reviewer.study.design.study_creation import Design, create_study
from reviewer.study.design.study_design import Options
from reviewer.study.session.review_session import ReviewSession
from reviewer.tui.rendering.passages import Passage
from store.case_import import Entry, import_entries
from store.cases import Filter, find_dataset, list_places
from store.database import Database
from store.findings import cases_in
from store.records import Case
from tests.builders import a_record, write_groups
from tests.prolog import need_prolog
from tests.studies import PROBE_SWE

GENERATED = "generated"
ENGINE = "9.0.4"
"""Stands in the pictures, whichever engine drew them: their counts are those of one version."""
_MONDAY_MORNING_MS = 1_772_442_000_000
_SLIP = "memory - hindsight_bias/1-new-software"
_TRAINING = "perception - framing_effect/1-fix-strategy"
_CUE = "The Singleton springs to my mind first"
_REBUILT = """\
In March I launched a booking service that has been running since. Before that, two reviewers from another \
team looked at the design, I ran a load test with 3,000 users in which the slowest answer took 310 \
milliseconds, practised rolling back, and set up alerts. At most 2,000 users were expected, and 400 \
milliseconds allowed.
- Option A: that was appropriate.
- Option B: that was inappropriate.

Which of the two holds?"""


def build(path: Path) -> None:
    """Make the store; skips where there is no SWI-Prolog to audit with."""
    need_prolog()
    with closing(Database.open(str(path))) as database:
        ensure_seeds(database)
        _generate(database, path.parent)
        _audit(database)
        _half_done(database)
        _others(database)
        _finished(database)
        _replace_one(database)


def _seeds(database: Database) -> dict[str, Case]:
    with database.read() as session:
        return {place.key: case for place, case in list_places(session, Filter(datasets=(SHIPPED,)))}


def _generate(database: Database, folder: Path) -> None:
    """One pair of a model's: rebuilt, measured, and with a slip in the biased program."""
    payload = _seeds(database)[_SLIP].payload
    slip = str(payload["biased_prolog"]).replace("load_test(user, 3000, 310)", "load_test(user, 3000, 3010)")
    record = a_record(
        **{name: text for name, text in payload.items() if text is not None} | {"biased_prolog": slip},
        correct_option="option_A",
        inference_steps=12,
        choice_steps=16,
        reconstructed_unbiased_prompt=_REBUILT,
        bias_is_towards_incorrect_only_in_biased_version="The outage is used to judge what came before it.",
    )
    path = write_groups(folder / "generated.json", {"hindsight bias": [record]})
    import_path(database, path, GENERATED, "model-1")


def _audit(database: Database) -> None:
    version, calibration = pool.calibration()
    assert not calibration.differing, f"SWI-Prolog {version} counts otherwise: {calibration.differing}"
    with database.read() as session:
        cases = [case for dataset in (SHIPPED, GENERATED) for case in cases_in(session, dataset)]
    with patch.object(pool, "calibration", lambda: (ENGINE, calibration)), pool.open_executor(2) as executor:
        audit(database, [cases], LocalRunner(executor))


def _design(
    *datasets: str,
    raters: tuple[str, ...] = ("anna", "ben"),
    given: tuple[GivenAnswer, ...] = (),
    **options: object,
) -> Design:
    chosen = Options.model_validate(options)
    return Design(datasets, None, 1, raters=raters, options=chosen, given=given)


def _session(database: Database, study: str) -> ReviewSession:
    """A rater who takes a minute of the day and 20 seconds of work for every verdict."""
    times, seconds = count(_MONDAY_MORNING_MS, 60_000), count(step=20.0)
    return ReviewSession(database, study, "anna", lambda: next(times), lambda: next(seconds))


def _half_done(database: Database) -> None:
    """17 answers, a note, and one case that is skipped, flagged, commented on and, since, replaced."""
    create_study(database, "seeds-demo", _design(SHIPPED))
    session = _session(database, "seeds-demo")
    for _ in range(17):
        session.answer("True")
    session.note("With the definition of the bias in sight I was stricter from case 9 on.")
    text = str(session.case.payload["biased"])
    start = text.index(_CUE)
    passage = Passage("texts", "right", start, start + len(_CUE), _CUE)
    session.comment("Is a lively talk [last week] enough to make it come to mind?", passage.as_json())
    session.flag()
    session.skip()


def _others(database: Database) -> None:
    """Anna joins those without raters only when a picture opens them: until then she owes nothing there."""
    create_study(database, "second-look", _design(GENERATED, reveal="findings"))
    session = _session(database, "second-look")
    session.answer("True")
    session.answer("False")
    create_study(database, "by-case", _design(SHIPPED, raters=(), asking="case"))
    create_study(database, "swapped", _design(SHIPPED, raters=(), swap=True))
    known = GivenAnswer(
        "training",
        "known.csv",
        SHIPPED,
        _TRAINING,
        "same_task",
        "False",
        "One version counts what is kept, the other what is lost: read the numbers of both options again.",
    )
    create_study(database, "trained", _design(SHIPPED, raters=(), given=(known,)))


def _finished(database: Database) -> None:
    create_study(database, "finished", _design(SHIPPED))
    session = _session(database, "finished")
    session.comment("A fact that no rule reads.")
    session.flag()
    while not session.finished:
        session.answer("True")


def _replace_one(database: Database) -> None:
    """Put other content at the place of the case that is skipped."""
    with database.read() as session:
        header = find_dataset(session, SHIPPED)
        places = list_places(session, Filter(datasets=(SHIPPED,), text=_CUE))
    assert header is not None
    ((place, case),) = places
    other = PROBE_SWE.case(case.group, case.payload | {"axioms_description": "Best practice: as before."})
    import_entries(database, header, [Entry(other, place.model_copy(update={"case": other.digest}), ())])

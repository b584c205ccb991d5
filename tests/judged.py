"""Studies whose verdicts are there already: skewed labels, a few dissents, comments."""

import hashlib
from collections.abc import Sequence

from reviewer.study.design.joining import join_study
from reviewer.study.design.study_bundle import StudyBundle, load_study
from reviewer.study.design.study_creation import Design, create_study
from store.database import Database
from store.ledger import Ledger
from tests.new_stores import is_new_file, made_once
from tests.studies import BIASES, a_case, fill

GENERATORS = ("gpt-4o-mini", "gpt-4.1-mini", "deepseek-r1")
RATERS = ("anna", "ben", "cara")
_HARD = {"reconstruction": 0.16, "same_task": 0.06, "bias_presence": 0.03, "axioms": 0.05}


def judged_study(
    database: Database,
    name: str = "pilot",
    *,
    per_generator: int = 40,
    generators: Sequence[str] = GENERATORS,
    raters: Sequence[str] = RATERS,
    comment: str = "the second option was dropped",
) -> StudyBundle:
    """A study over as many cases of each generator, all questions answered by all raters.

    In a new file, it is a copy of the one that was made when the same was asked for before.
    """

    def make(database: Database) -> None:
        for at, generator in enumerate(generators):
            numbered = [(number, BIASES[number % len(BIASES)]) for number in range(per_generator)]
            cases = [a_case(at * 1000 + number, group) for number, group in numbered]
            fill(database, f"{name}-{at}", cases, generator)
        create_study(database, name, Design(tuple(f"{name}-{at}" for at in range(len(generators))), None, 7))
        for rater in raters:
            judge(database, name, rater, comment=comment)

    if is_new_file(database):
        made_once(database, make, (name, per_generator, tuple(generators), tuple(raters), comment))
    else:
        make(database)
    return load_study(database, name)


def judge(database: Database, name: str, rater: str, *, comment: str = "", showing: int = 0) -> None:
    """Answer everything as this rater does, in one turn."""
    bundle = load_study(database, name)
    join_study(database, bundle.study, rater)
    with Ledger(database).turn(name, rater, "") as turn:
        for question in bundle.questions:
            for slot in bundle.slots(question):
                chance = _chance(slot.case, question.key, rater, showing)
                about = {
                    "case": slot.case,
                    "question": question.key,
                    "question_digest": bundle.shown_digest(slot),
                    "given": "app",
                }
                label = "False" if chance < _HARD[question.key] else "True"
                seconds = 4000 + round(30_000 * chance)
                turn.add(**about, showing=showing, kind="label", value=label, active_ms=seconds)
                if label == "False" and comment and not showing:
                    turn.add(**about, kind="comment", value=comment)


def _chance(case: str, question: str, rater: str, showing: int) -> float:
    """Between 0 and 1, the same everywhere: half of it is the case's own, so that raters agree at times."""
    own = _fraction(f"{case}/{question}")
    return (
        own
        if _fraction(f"{case}/{question}/{rater}/{showing}") < 0.5
        else _fraction(f"{own}/{rater}/{showing}")
    )


def _fraction(text: str) -> float:
    return int(hashlib.sha256(text.encode()).hexdigest()[:8], 16) / 2**32

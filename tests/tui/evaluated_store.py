"""A store with one evaluation run of two models, to look at."""

from collections.abc import Mapping, Sequence

from store.cases import Filter, list_places
from store.database import Database
from store.evaluations import Evaluations
from store.records import Outcome, Run, SampledCase
from tests.studies import AT, BIASES, a_case, fill

REPEATS = 3
STEADY = {"unbiased": "AAA", "biased": "AAA"}
DRAWN = {"unbiased": "AAA", "biased": "BBB"}
TORN = {"unbiased": "ABA", "biased": "BB?"}


def an_evaluation(database: Database, answers: Mapping[str, Sequence[Mapping[str, str]]]) -> Database:
    """Eight cases of two groups, and for each model what it answered to each of them, run by run."""
    fill(database, "own", [a_case(number, BIASES[number % 2]) for number in range(8)])
    with database.read() as session:
        places = list_places(session, Filter(datasets=("own",)))
    conditions = {"version": ["unbiased", "biased"], "order": ["as written"], "cue": ["none"]}
    settings = {"datasets": ["own"], "conditions": conditions, "repeats": REPEATS}
    run = Run(
        procedure="evaluate",
        name="first",
        protocol="probe-swe",
        settings=settings,
        started_at=AT,
        created_by="anna",
    )
    sample = [
        SampledCase(
            run="first",
            place=number,
            dataset="own",
            key=place.key,
            digest=case.digest,
            generator=place.generator,
        )
        for number, (place, case) in enumerate(places)
    ]
    evaluations = Evaluations(database)
    evaluations.begin(run, sample, dict.fromkeys(answers, "http://127.0.0.1:9/v1"))
    evaluations.keep([*_outcomes(answers)])
    return database


def _outcomes(answers: Mapping[str, Sequence[Mapping[str, str]]]) -> list[Outcome]:
    return [
        Outcome(
            run="first",
            model=model,
            case=case,
            condition=f"{version}/as written/none",
            repeat=repeat,
            state="unreadable" if letter == "?" else "read",
            label=None if letter == "?" else letter,
            reader_version=1,
            request="",
            why="it takes no side" if letter == "?" else "",
            reply=f"[/b] I take {letter}, since {model} says so.",
        )
        for model, given in answers.items()
        for case, by_version in enumerate(given)
        for version, letters in by_version.items()
        for repeat, letter in enumerate(letters)
    ]

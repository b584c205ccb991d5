"""Whether the outcomes behind a study of answers are still as they were drawn."""

from collections.abc import Container, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from reviewer.core.sanitize import agreeing, counted, one_line
from reviewer.results.outcomes.answer_cases import AnswerMaker, outcome_digest
from reviewer.results.outcomes.answer_draw import DifferentAnswer
from reviewer.results.outcomes.evaluated import Evaluation
from reviewer.study.design.drawn_answers import ANSWERS_OF_PLACE, answers_at, whole_run_dataset
from reviewer.study.design.study_bundle import StudyBundle
from store.case_import import Entry, import_entries, published_at
from store.cases import find_dataset, places_of
from store.database import Database
from store.evaluations import Evaluations
from store.records import Membership, Outcome
from store.studies import list_studies


@dataclass(frozen=True, slots=True)
class ChangedAnswers:
    """Answers of a study whose reply is read otherwise than when they were drawn: their keys.

    ``run`` is set if they are all answers of it, about which judges of the study were asked.
    """

    study: str
    keys: tuple[str, ...]
    run: str = ""

    @property
    def sentence(self) -> str:
        """What happened, for the study's lead."""
        number = len(self.keys)
        them = agreeing(number, "it", "them")
        if self.run:
            return (
                f"{counted(number, 'answer')} of run {one_line(self.run)} about which judges of study "
                f"{self.study} were asked {agreeing(number, 'is', 'are')} read otherwise now: their verdicts "
                f"on {them} are stale, and kept. To ask again: reviewer judges ask {self.study} --all-of "
                f"{one_line(self.run)} --model NAME --run NEW-RUN"
            )
        return (
            f"{counted(number, 'answer')} of study {self.study} {agreeing(number, 'is', 'are')} read "
            f"otherwise now ({', '.join(self.keys)}): verdicts on {them} are stale, and kept."
        )


def put_new_readings(
    database: Database, evaluation: Evaluation, outcomes: Sequence[Outcome]
) -> list[ChangedAnswers]:
    """Put answers as they are read now at the places of studies that have these outcomes of the run.

    So it does with all answers of the run about which judges of a study were asked. Verdicts on the earlier
    answers become stale, as with any other content at a place.
    """
    now = {_identity(_identifying(outcome)): outcome for outcome in outcomes}
    maker, changed = AnswerMaker(database, evaluation), list[ChangedAnswers]()
    for study, dataset, run in _studies_of(database, evaluation.run.name) if now else ():
        with database.read() as session:
            header, places = find_dataset(session, dataset), places_of(session, dataset)
        entries = [entry for place in places if (entry := _renewed(maker, place, now)) is not None]
        if header is not None and entries:
            import_entries(database, header, entries)
            changed.append(ChangedAnswers(study, tuple(entry.place.key for entry in entries), run))
    return changed


def _identifying(outcome: Outcome) -> Mapping[str, Any]:
    """What tells an outcome from others of its run, as a place of answers keeps it."""
    return {
        "model": outcome.model,
        "place": outcome.case,
        "condition": outcome.condition,
        "repeat": outcome.repeat,
    }


def _identity(source: Mapping[str, Any]) -> tuple[object, ...]:
    return source["model"], source["place"], source["condition"], source["repeat"]


def _studies_of(database: Database, run: str) -> Iterator[tuple[str, str, str]]:
    """The studies of answers of a run, each with its dataset, and with that of all answers and the run."""
    with database.read() as session:
        studies = list_studies(session)
    for study in studies:
        source, datasets = study.design.get("answers"), study.design.get("datasets")
        if isinstance(source, dict) and source.get("run") == run and datasets:
            yield study.name, str(datasets[0]), ""
            yield study.name, whole_run_dataset(study.name), run


def _renewed(
    maker: AnswerMaker, place: Membership, now: Mapping[tuple[object, ...], Outcome]
) -> Entry | None:
    """The answer at a place as it is read now; None if that did not change."""
    sources = [one for one in answers_at(place) if one.get("run") == maker.evaluation.run.name]
    outcome = next((found for one in sources if (found := now.get(_identity(one)))), None)
    if outcome is None:
        return None
    group = maker.evaluation.cases[outcome.case].group
    given = tuple((str(one["model"]), int(one["repeat"])) for one in sources)
    answer = DifferentAnswer(
        outcome.case, group, outcome.condition, outcome.reply, outcome.label, outcome.why, given
    )
    made, _ = maker.made(answer)
    if made is None or made.case.digest == place.case:
        return None
    extra = {**place.extra, ANSWERS_OF_PLACE: [{**one, "outcome": _digest(one, now)} for one in sources]}
    moved = place.model_copy(update={"case": made.case.digest, "extra": extra})
    return Entry(made.case, moved, published_at(moved, made.published))


def _digest(source: Mapping[str, Any], now: Mapping[tuple[object, ...], Outcome]) -> str:
    """The digest of an outcome behind an answer, as it is now. Others may say the same in other words."""
    outcome = now.get(_identity(source))
    return str(source["outcome"]) if outcome is None else outcome_digest(outcome.reply, outcome.label)


def source_remarks(database: Database, bundle: StudyBundle) -> Iterator[str]:
    """Sentences on a run that is gone, outcomes that changed, and cases that were replaced, if any."""
    source = bundle.design.answers
    if source is None:
        return
    run = one_line(source.run)
    evaluations = Evaluations(database)
    if evaluations.find(source.run) is None:
        yield f"Run {run} is not in this store, so its answers cannot be compared with those of the study."
        return
    with database.read() as session:
        places = [place for name in bundle.design.datasets for place in places_of(session, name)]
    expected = {_identity(one): str(one["outcome"]) for place in places for one in answers_at(place)}
    held = _digests(evaluations, source.run, expected)
    if changed := sum(held.get(identity) != digest for identity, digest in expected.items()):
        yield (
            f"{counted(changed, 'outcome')} of run {run} {agreeing(changed, 'is', 'are')} not as drawn for "
            "this study: a reply or its reading was changed or removed. Verdicts are about the drawn answers."
        )
    cases = {one["place"] for place in places for one in answers_at(place)}
    if stale := cases & evaluations.stale(source.run):
        yield (
            f"{counted(len(stale), 'case')} of run {run} {agreeing(len(stale), 'was', 'were')} replaced or "
            "withdrawn in the dataset since; the study keeps the texts that the models answered."
        )


def _digests(evaluations: Evaluations, run: str, wanted: Container[object]) -> dict[tuple[object, ...], str]:
    known: dict[tuple[object, ...], str] = {}
    for reply in evaluations.replies(run):
        identity = reply.model, reply.case, reply.condition, reply.repeat
        if identity in wanted:
            known[identity] = outcome_digest(reply.reply, reply.label)
    return known

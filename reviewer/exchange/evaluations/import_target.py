"""The run that imported outcomes go to: its cases, and those of its datasets that it may get."""

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import product
from pathlib import Path
from typing import Final

from reviewer.core.errors import RequestError
from reviewer.core.sanitize import agreeing, counted, shown
from reviewer.core.source_text import read_source_text
from reviewer.exchange.evaluations.harness_logs import HARNESSES, SampleOutcomes
from reviewer.exchange.evaluations.outcome_rows import Candidates, OutcomeKey
from reviewer.exchange.rows.source_file import names_declaration, shown_path
from reviewer.protocols.base import Protocol
from reviewer.protocols.evaluation import Condition, EvaluationPlan, Factor, conditions_of
from reviewer.protocols.outcome_files import FiledOutcome, OutcomeFiles
from reviewer.protocols.registry import Protocols, protocols_of
from reviewer.runs.evaluation.evaluation_settings import EvaluationSettings, evaluation_settings, placed_cases
from store.cases import PlacedCase
from store.clock import instant, now_ms
from store.database import Database
from store.evaluations import Evaluations
from store.records import EVALUATE, Case, Outcome, OutcomeState, Run, SampledCase
from store.runs import find_run, name_taken

NOT_IN_FILE: Final = "the file has no row of this run"
NOT_ASKED: Final = "no file has a row of this model and case"
_MISSING: Final[tuple[OutcomeState, str]] = ("missing", NOT_IN_FILE)
_NOT_ASKED: Final[tuple[OutcomeState, str]] = ("not_asked", NOT_ASKED)


@dataclass(frozen=True, slots=True)
class ImportTarget:
    """The run that outcomes go to: its places and cases, or those that a new run may have."""

    protocol: Protocol
    files: OutcomeFiles
    datasets: tuple[str, ...]
    places: Sequence[SampledCase]
    cases: Mapping[str, Case]
    run: Run | None
    layout: str = ""
    """The digest of the declaration that describes the file; "" for a layout of the protocol."""
    sampled: int = 0
    """How many of the places are the sample of the run."""

    @property
    def candidates(self) -> Candidates:
        """The cases that rows of the file may be about."""
        names = ", ".join(self.datasets)
        is_frozen = self.run is not None and self.sampled == len(self.places)
        described = f"the run's sample (dataset {names})" if is_frozen else f"dataset {names}"
        return Candidates.of(self.places, self.cases, self.files, described)

    def settled(self, run: str, found: Iterable[OutcomeKey], who: str) -> "ImportedRun":
        """The run with its sample: a new one has the cases, conditions and repeats of the file.

        A run of imported outcomes gets the cases of the file that it lacks. Raises RequestError if there is a
        run that does not have the conditions or repeats of the file.
        """
        plan = self.protocol.procedure(EvaluationPlan)
        keys = list(found)
        used = {place for place, _, _ in keys}
        if self.run is not None:
            sample = [place for place in self.places if place.place < self.sampled or place.place in used]
            there = ImportedRun(
                _with_datasets(self.run, self.datasets),
                sample,
                plan.factors,
                plan.reader_version,
                len(sample) - self.sampled,
            )
            there.check(keys)
            return there
        settings = EvaluationSettings(
            datasets=self.datasets,
            conditions=_chosen(plan.factors, {condition for _, condition, _ in keys}),
            repeats=1 + max(repeat for _, _, repeat in keys),
            imported=True,
            layout=self.layout,
        )
        header = Run(
            name=run,
            procedure="evaluate",
            protocol=self.protocol.reference,
            settings=settings.model_dump(mode="json"),
            started_at=instant(now_ms()),
            created_by=who,
        )
        sample = [place for place in self.places if place.place in used]
        return ImportedRun(header, sample, plan.factors, plan.reader_version, len(sample))

    def lacking(self, settled: "ImportedRun", used: Collection[int]) -> tuple[str, ...]:
        """Notices if a new run lacks cases of its datasets or usual conditions, because the file does.

        For a run that was there: notices if its models were asked different cases.
        """
        if self.run is not None:
            return tuple(settled.cases_apart(used))
        total, held = len(self.places), len(settled.places)
        cases = (
            f"the file lacks {total - held:,} of {counted(total, 'case')} of {_named(self.datasets)}; "
            f"the run has only the other {held:,}"
        )
        return (*([cases] if held < total else []), *settled.conditions_lacking)


@dataclass(frozen=True)
class ImportedRun:
    """The run that outcomes are added to, with the sample as the file's places number it."""

    run: Run
    places: Sequence[SampledCase]
    factors: Sequence[Factor]
    reader_version: int
    more: int = 0
    """How many cases at the end of the sample are new to the run: all, for a new run."""

    @cached_property
    def settings(self) -> EvaluationSettings:
        """The settings of the run, with the datasets that this file adds."""
        return evaluation_settings(self.run)

    @cached_property
    def conditions(self) -> tuple[Condition, ...]:
        """The conditions of the run."""
        return conditions_of(self.factors, self.settings.conditions)

    @property
    def conditions_lacking(self) -> Iterator[str]:
        """A notice for each factor of which the run has only some of the values that are usually asked."""
        for factor in self.factors:
            chosen = set(self.settings.conditions[factor.name])
            if chosen < set(factor.usual):
                lacks = " and ".join(value for value in factor.usual if value not in chosen)
                yield f"the file has no outcome with the {factor.name} “{lacks}”, and neither has the run"

    def cases_apart(self, used: Collection[int]) -> Iterator[str]:
        """Notices if the file has cases that other models were not asked, or lacks cases that they were."""
        if self.more:
            yield (
                f"the file has {counted(self.more, 'case')} that the run did not have; the run has them now, "
                "and its other models were not asked them"
            )
        if lacking := len(self.places) - len(used):
            yield (
                f"the file has no row of {lacking:,} of {counted(len(self.places), 'case')} of the run; this "
                "model was not asked them"
            )

    @cached_property
    def sample(self) -> list[SampledCase]:
        """The sample with places from 0 without gaps."""
        return [place.model_copy(update={"place": number}) for number, place in enumerate(self.places)]

    def check(self, found: Iterable[OutcomeKey]) -> None:
        """Raise RequestError for a condition or a repeat that the run does not have."""
        conditions, repeats = set(self.conditions), self.settings.repeats
        for _, condition, repeat in found:
            if condition not in conditions or repeat >= repeats:
                what = f"repeat {repeat + 1}" if repeat >= repeats else f"condition {condition.key}"
                raise RequestError(
                    f"the file has {what}, which evaluation run {self.run.name!r} does not have; import the "
                    "file into another run."
                )

    def outcomes(self, model: str, found: Mapping[OutcomeKey, FiledOutcome]) -> Iterator[Outcome]:
        """Every outcome of the model. Without a row, it is missing; if no row has its case, not asked."""
        used = {place for place, _, _ in found}
        keys = product(enumerate(self.places), self.conditions, range(self.settings.repeats))
        for (number, place), condition, repeat in keys:
            absent = _MISSING if place.place in used else _NOT_ASKED
            outcome = found.get((place.place, condition, repeat))
            yield self._outcome(model, number, condition, repeat, outcome, absent)

    def not_asked(self, models: Iterable[str]) -> Iterator[Outcome]:
        """The outcomes of other models for the cases that the run did not have before."""
        new = range(len(self.places) - self.more, len(self.places))
        for key in product(models, new, self.conditions, range(self.settings.repeats)):
            yield self._outcome(*key, None, _NOT_ASKED)

    def _outcome(
        self,
        model: str,
        case: int,
        condition: Condition,
        repeat: int,
        outcome: FiledOutcome | None,
        absent: tuple[OutcomeState, str],
    ) -> Outcome:
        state, why = absent
        if outcome is not None:
            state, why = "unreadable" if outcome.label is None else "read", outcome.why
        return Outcome(
            run=self.run.name,
            model=model,
            case=case,
            condition=condition.key,
            repeat=repeat,
            state=state,
            label=outcome.label if outcome else None,
            why=why,
            reply=outcome.reply if outcome else "",
            reader_version=self.reader_version,
            request="",
        )


def import_target(database: Database, run: str, datasets: Sequence[str], layout: str) -> ImportTarget:
    """Where the outcomes go; raises RequestError for datasets and layouts that do not fit."""
    evaluations, protocols = Evaluations(database), protocols_of(database)
    with database.read() as session:
        there = find_run(session, run)
    if there is None:
        return _new_target(database, protocols, run, datasets, layout)
    if there.procedure != EVALUATE:
        raise RequestError(name_taken(there))
    settings = evaluation_settings(there)
    datasets = tuple(dict.fromkeys((*settings.datasets, *datasets)))
    if not settings.imported and len(datasets) > len(settings.datasets):
        raise RequestError(
            f"evaluation run {run!r} is about {_named(settings.datasets)}; leave --dataset out, or choose "
            "another run."
        )
    protocol = protocols.named(there.protocol)
    files = layout_of(protocol, layout)
    sample, cases = evaluations.sample(run), evaluations.cases(run)
    places = list(sample)
    if settings.imported:
        of, placed = _placed(database, datasets)
        if of != there.protocol:
            raise RequestError(f"{_named(datasets)} are of different protocols; import them into two runs.")
        places += _sampled(run, [pair for pair in placed if pair[1].digest not in cases], len(sample))
        cases = {**{case.digest: case for _, case in placed}, **cases}
    return ImportTarget(protocol, files, datasets, places, cases, there, files.digest, len(sample))


def _new_target(
    database: Database, protocols: Protocols, run: str, datasets: Sequence[str], layout: str
) -> ImportTarget:
    if not datasets:
        raise RequestError(
            f"there is no evaluation run {run!r}; name the datasets of a new one with --dataset."
        )
    names = tuple(dict.fromkeys(datasets))
    of, placed = _placed(database, names)
    protocol = protocols.named(of)
    cases = {case.digest: case for _, case in placed}
    files = layout_of(protocol, layout)
    return ImportTarget(protocol, files, names, _sampled(run, placed, 0), cases, None, files.digest)


def _placed(database: Database, datasets: Sequence[str]) -> tuple[str, list[PlacedCase]]:
    """The protocol of datasets, and their cases one after the other; raises RequestError for several."""
    protocol, available = placed_cases(database, datasets)
    return protocol, [pair for places in available.values() for pair in places]


def _sampled(run: str, placed: Sequence[PlacedCase], start: int) -> list[SampledCase]:
    return [
        SampledCase(
            run=run,
            place=number,
            dataset=place.dataset,
            key=place.key,
            digest=place.case,
            generator=place.generator,
        )
        for number, (place, _) in enumerate(placed, start)
    ]


def _with_datasets(run: Run, datasets: Sequence[str]) -> Run:
    """The run with the datasets that a later file added."""
    settings = evaluation_settings(run).model_copy(update={"datasets": tuple(datasets)})
    return run.model_copy(update={"settings": settings.model_dump(mode="json")})


def layout_of(protocol: Protocol, layout: str) -> OutcomeFiles:
    """The layout of this name, or the one that a file declares; raises RequestError and InputError."""
    if names_declaration(layout):
        return _declared_layout(protocol, Path(layout))
    if layout in HARNESSES:
        return SampleOutcomes(protocol)
    layouts = {files.name: files for files in protocol.outcome_files()}
    if layout not in layouts:
        known = ", ".join((*layouts, *HARNESSES))
        raise RequestError(
            f"outcomes of {protocol.title} have no layout {shown(layout)!r}; the layouts are {known}."
        )
    return layouts[layout]


def _declared_layout(protocol: Protocol, path: Path) -> OutcomeFiles:
    from reviewer.protocols.declared.declaration_reading import MOST_BYTES
    from reviewer.protocols.declared.outcome_declaration import read_outcome_declaration

    where = shown_path(path)
    text = read_source_text(path, where, MOST_BYTES, "give the TOML file of a declaration")
    return read_outcome_declaration(text, where, protocol)


def _named(datasets: Sequence[str]) -> str:
    return f"{agreeing(len(datasets), 'dataset', 'datasets')} {', '.join(datasets)}"


def _chosen(factors: Sequence[Factor], conditions: Iterable[Condition]) -> dict[str, tuple[str, ...]]:
    """The values of each factor that some condition has."""
    asked = list(conditions)
    return {
        factor.name: tuple(
            value for value in factor.values if any(each[factor.name] == value for each in asked)
        )
        for factor in factors
    }

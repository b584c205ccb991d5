"""Importing outcomes from a file that another package wrote, whole or not at all."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache, partial
from itertools import product
from pathlib import Path
from typing import Final

from reviewer.core.errors import InputError, RequestError
from reviewer.core.names import checked_name
from reviewer.core.sanitize import agreeing, counted, is_single_line, shown
from reviewer.core.source_text import read_source_text
from reviewer.exchange.evaluations.outcome_rows import Candidates, OutcomeKey, OutcomeRows, ValuesAtPlaces
from reviewer.exchange.rows.declaration_file import names_declaration
from reviewer.exchange.rows.incoming import all_problems
from reviewer.exchange.rows.row_files import AS_FOUND, RowOptions, open_rows
from reviewer.exchange.rows.source_file import shown_path
from reviewer.protocols.base import Protocol
from reviewer.protocols.declared.reading import MOST_BYTES
from reviewer.protocols.evaluation import Condition, Factor, conditions_of
from reviewer.protocols.outcome_files import FiledOutcome, OutcomeFiles
from reviewer.protocols.registry import Protocols, protocols_of
from reviewer.runs.evaluation.evaluated import EvaluationSettings, evaluation_plan_of, evaluation_settings
from store.cases import Filter, get_dataset, list_places, values_at_places
from store.clock import instant, now_ms
from store.database import Database
from store.evaluations import Evaluations
from store.records import Case, EvaluationRun, Outcome, OutcomeState, SampledCase
from store.revisions import withdrawn_places

NOT_IN_FILE: Final = "the file has no row of this run"
_LONGEST_MODEL: Final = 200


@dataclass(frozen=True, slots=True)
class OutcomeSource:
    """A file of outcomes, and what a person says about it.

    ``layout`` names the package that wrote it. ``datasets`` are those of a new run. ``model`` answered; None
    if the name of the file says which one did.
    """

    path: Path
    layout: str
    datasets: tuple[str, ...] = ()
    model: str | None = None
    options: RowOptions = AS_FOUND


@dataclass(frozen=True, slots=True)
class ImportedOutcomes:
    """What an import did. ``missing`` outcomes have no row; ``problems`` are the rows that were skipped.

    ``added``: they were not there already.
    """

    run: str
    model: str
    cases: int
    repeats: int
    read: int
    missing: int
    notices: tuple[str, ...]
    problems: tuple[InputError, ...]
    added: bool

    @property
    def sentence(self) -> str:
        """One line for people."""
        size = f"{counted(self.cases, 'case')}, {counted(self.repeats, 'repeat')}"
        if not self.added:
            return f"{self.run}: nothing changed, the outcomes of {self.model} are there already ({size})"
        return f"{self.run}: {counted(self.read, 'outcome')} of {self.model} added ({size})"


@dataclass(frozen=True, slots=True)
class _Target:
    """The run that outcomes go to: its places and cases, or those that a new run may have."""

    protocol: Protocol
    files: OutcomeFiles
    datasets: tuple[str, ...]
    places: Sequence[SampledCase]
    cases: Mapping[str, Case]
    run: EvaluationRun | None
    layout: str = ""
    """The digest of the declaration that describes the file; "" for a layout of the protocol."""

    @property
    def candidates(self) -> Candidates:
        names = ", ".join(self.datasets)
        described = f"the run's sample (dataset {names})" if self.run else f"dataset {names}"
        return Candidates.of(self.places, self.cases, self.files, described)

    def settled(self, run: str, found: Iterable[OutcomeKey], who: str) -> "_Settled":
        """The run with its sample: a new one has the cases, conditions and repeats of the file."""
        plan = evaluation_plan_of(self.protocol)
        if self.run is not None:
            return _Settled(self.run, self.places, plan.factors, plan.reader_version)
        keys = list(found)
        used = {place for place, _, _ in keys}
        settings = EvaluationSettings(
            datasets=self.datasets,
            conditions=_chosen(plan.factors, {condition for _, condition, _ in keys}),
            repeats=1 + max(repeat for _, _, repeat in keys),
            imported=True,
            layout=self.layout,
        )
        header = EvaluationRun(
            name=run,
            protocol=self.protocol.reference,
            settings=settings.model_dump(mode="json"),
            created_at=instant(now_ms()),
            created_by=who,
        )
        sample = [place for place in self.places if place.place in used]
        return _Settled(header, sample, plan.factors, plan.reader_version)

    def lacking(self, settled: "_Settled") -> tuple[str, ...]:
        """Notices if a new run lacks cases of its datasets or usual conditions, because the file does."""
        if self.run is not None:
            return ()
        return (*self._cases_lacking(settled), *settled.conditions_lacking)

    def _cases_lacking(self, settled: "_Settled") -> Iterator[str]:
        total, held = len(self.places), len(settled.places)
        if held < total:
            yield (
                f"the file lacks {total - held:,} of {counted(total, 'case')} of {_named(self.datasets)}; "
                f"the run has only the other {held:,}"
            )


@dataclass(frozen=True, slots=True)
class _Settled:
    """The run that outcomes are added to, with the sample as the file's places number it."""

    run: EvaluationRun
    places: Sequence[SampledCase]
    factors: Sequence[Factor]
    reader_version: int

    @property
    def settings(self) -> EvaluationSettings:
        return evaluation_settings(self.run)

    @property
    def conditions(self) -> tuple[Condition, ...]:
        return conditions_of(self.factors, self.settings.conditions)

    @property
    def conditions_lacking(self) -> Iterator[str]:
        """A notice for each factor of which the run has only some of the values that are usually asked."""
        for factor in self.factors:
            chosen = set(self.settings.conditions[factor.name])
            if chosen < set(factor.usual):
                lacks = " and ".join(value for value in factor.usual if value not in chosen)
                yield f"the file has no outcome with the {factor.name} “{lacks}”, and neither has the run"

    @property
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
        """Every outcome of the model; those without a row are missing."""
        keys = product(enumerate(self.places), self.conditions, range(self.settings.repeats))
        for (number, place), condition, repeat in keys:
            outcome = found.get((place.place, condition, repeat))
            yield Outcome(
                run=self.run.name,
                model=model,
                case=number,
                condition=condition.key,
                repeat=repeat,
                state=_state(outcome),
                label=outcome.label if outcome else None,
                why=NOT_IN_FILE if outcome is None else outcome.why,
                reply=outcome.reply if outcome else "",
                reader_version=self.reader_version,
                request="",
            )


def import_outcomes(
    database: Database, run: str, source: OutcomeSource, who: str, *, skip_invalid: bool = False
) -> ImportedOutcomes:
    """Add the outcomes of a file to a run, which is made if there is none; raises InputError, RequestError.

    The sample of a new run has the cases of the file. Importing the same file again changes nothing.
    """
    target = _target(database, checked_name("run", run), source)
    rows = open_rows(source.path, source.options)
    read = OutcomeRows(target.files, target.candidates, cache(partial(_published, database)))
    read.read(rows)
    if read.problems and not skip_invalid:
        raise all_problems(read.problems)
    if not read.outcomes:
        raise InputError(shown_path(source.path), "holds no valid row", "check that it is the right file")
    model = _model(source, target.files, read.models)
    settled = target.settled(run, read.outcomes, who)
    settled.check(read.outcomes)
    renamed = _renamed(database, run, model, read.models)
    outcomes = list(settled.outcomes(model, read.outcomes))
    added = _keep(Evaluations(database), settled, model, outcomes)
    return ImportedOutcomes(
        run=run,
        model=model,
        cases=len(settled.sample),
        repeats=settled.settings.repeats,
        read=len(read.outcomes),
        missing=len(outcomes) - len(read.outcomes),
        notices=(*rows.notices, *renamed, *read.notices, *target.lacking(settled)),
        problems=tuple(read.problems),
        added=added,
    )


def _published(database: Database, dataset: str) -> ValuesAtPlaces:
    with database.read() as session:
        return values_at_places(session, dataset)


def _target(database: Database, run: str, source: OutcomeSource) -> _Target:
    """Where the outcomes go; raises RequestError for datasets and layouts that do not fit."""
    evaluations, protocols = Evaluations(database), protocols_of(database)
    there = evaluations.find(run)
    if there is None:
        return _new_target(database, protocols, run, source)
    datasets = evaluation_settings(there).datasets
    if source.datasets and set(source.datasets) != set(datasets):
        raise RequestError(
            f"evaluation run {run!r} is about {_named(datasets)}; leave --dataset out, or choose another run."
        )
    protocol = protocols.named(there.protocol)
    files = layout_of(protocol, source.layout)
    sample, cases = evaluations.sample(run), evaluations.cases(run)
    return _Target(protocol, files, datasets, sample, cases, there, files.digest)


def _new_target(database: Database, protocols: Protocols, run: str, source: OutcomeSource) -> _Target:
    if not source.datasets:
        raise RequestError(
            f"there is no evaluation run {run!r}; name the datasets of a new one with --dataset."
        )
    with database.read() as session:
        names = dict.fromkeys(source.datasets)
        of = {get_dataset(session, name).protocol for name in names}
        placed = [pair for name in names for pair in list_places(session, Filter(datasets=(name,)))]
        withdrawn = withdrawn_places(session, names)
    if len(of) > 1:
        raise RequestError(f"{_named(tuple(names))} are of different protocols; import them into two runs.")
    protocol = protocols.named(of.pop())
    placed = [(place, case) for place, case in placed if (place.dataset, place.key) not in withdrawn]
    places = [
        SampledCase(
            run=run,
            place=number,
            dataset=place.dataset,
            key=place.key,
            digest=place.case,
            generator=place.generator,
        )
        for number, (place, _) in enumerate(placed)
    ]
    cases = {case.digest: case for _, case in placed}
    files = layout_of(protocol, source.layout)
    return _Target(protocol, files, tuple(names), places, cases, None, files.digest)


def layout_of(protocol: Protocol, layout: str) -> OutcomeFiles:
    """The layout of this name, or the one that a file declares; raises RequestError and InputError."""
    if names_declaration(layout):
        return _declared_layout(protocol, Path(layout))
    layouts = {files.name: files for files in protocol.outcome_files()}
    if layout not in layouts:
        known = f"the layouts are {', '.join(layouts)}" if layouts else "they have no layout"
        raise RequestError(f"outcomes of {protocol.title} have no layout {shown(layout)!r}; {known}.")
    return layouts[layout]


def _declared_layout(protocol: Protocol, path: Path) -> OutcomeFiles:
    from reviewer.protocols.declared.outcome_declaration import read_outcome_declaration

    evaluation_plan_of(protocol)
    where = shown_path(path)
    text = read_source_text(path, where, MOST_BYTES, "give the TOML file of a declaration")
    return read_outcome_declaration(text, where, protocol)


def _state(outcome: FiledOutcome | None) -> OutcomeState:
    if outcome is None:
        return "missing"
    return "unreadable" if outcome.label is None else "read"


def _model(source: OutcomeSource, files: OutcomeFiles, named: Iterable[str]) -> str:
    """The model that a person names, else the name of the file, else its rows; raises RequestError."""
    model = source.model or files.model_of(source.path.name) or next(iter(named), None)
    if model is None:
        raise RequestError(
            f"nothing says which model answered in {shown_path(source.path)}; name it with --model."
        )
    if not is_single_line(model) or not 0 < len(model) <= _LONGEST_MODEL or model != model.strip():
        raise RequestError(
            f"{shown(model)!r} cannot be the name of a model; give one line of at most {_LONGEST_MODEL} "
            "characters."
        )
    return model


def _renamed(database: Database, run: str, model: str, named: Iterable[str]) -> tuple[str, ...]:
    """A notice if the rows name another model.

    Raises RequestError if the run has outcomes of that one, or of one whose name is spelled otherwise.
    """
    known = {held.model for held in Evaluations(database).models(run)}
    alike = next((name for name in sorted(known) if name != model and _folded(name) == _folded(model)), None)
    if alike is not None:
        raise RequestError(
            f"evaluation run {run!r} has outcomes of {shown(alike)}, and {shown(model)} differs from that "
            "name only in capital letters or blanks; if both are one model, import one file of it only, else "
            "give another name with --model."
        )
    others = [name for name in named if name != model]
    if not others:
        return ()
    if others[0] in known:
        raise RequestError(
            f"the file names the model {shown(others[0])}, whose outcomes evaluation run {run!r} has; "
            "leave --model out, or choose another run."
        )
    return (f"the file names the model {shown(others[0])}; its outcomes are kept under {shown(model)}",)


def _folded(name: str) -> str:
    return "".join(name.split()).casefold()


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


def _keep(evaluations: Evaluations, settled: _Settled, model: str, outcomes: Sequence[Outcome]) -> bool:
    """Save the outcomes; False if all of them are there. Raises RequestError if the model has others."""
    name = settled.run.name
    before = {_key(outcome): outcome for outcome in evaluations.outcomes(name, model=model)}
    if not before:
        evaluations.keep_imported(settled.run, settled.sample, model, outcomes)
        return True
    if before == {_key(outcome): outcome for outcome in outcomes}:
        return False
    raise RequestError(
        f"evaluation run {name!r} has other outcomes of {shown(model)!r}; give the model another name with "
        "--model, or choose another run."
    )


def _key(outcome: Outcome) -> tuple[int, str, int]:
    return outcome.case, outcome.condition, outcome.repeat

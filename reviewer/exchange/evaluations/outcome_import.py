"""Importing outcomes from a file that another package wrote, whole or not at all."""

from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass
from functools import cache, partial
from pathlib import Path

from reviewer.core.errors import InputError, RequestError
from reviewer.core.names import checked_model, checked_name, likeness, lookalike_form
from reviewer.core.sanitize import counted, shown
from reviewer.exchange.evaluations.harness_logs import HARNESSES
from reviewer.exchange.evaluations.import_target import ImportedRun, import_target
from reviewer.exchange.evaluations.outcome_rows import OutcomeRows, ValuesAtPlaces
from reviewer.exchange.rows.row_files import AS_FOUND, RowOptions, open_rows
from reviewer.exchange.rows.source_file import shown_path
from reviewer.exchange.rows.source_reading import all_problems
from reviewer.protocols.outcome_files import OutcomeFiles
from store.cases import values_at_places
from store.database import Database
from store.evaluations import Evaluations
from store.records import Outcome


@dataclass(frozen=True, slots=True)
class OutcomeSource:
    """A file of outcomes, and a person's statements about it.

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
    """The result of an import. ``missing`` outcomes have no row; ``problems`` are the rows that were skipped.

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


def import_outcomes(
    database: Database, run: str, source: OutcomeSource, who: str, *, skip_invalid: bool = False
) -> ImportedOutcomes:
    """Add the outcomes of a file to a run, which is made if there is none; raises InputError, RequestError.

    The sample of a new run has the cases of the file. A run of imported outcomes gets further cases of later
    files; models that have no row of a case were not asked it. Importing the same file again changes nothing.
    """
    target = import_target(database, checked_name("run", run), source.datasets, source.layout)
    of_harness = HARNESSES.get(source.layout)
    rows = of_harness(source.path) if of_harness else open_rows(source.path, source.options)
    read = OutcomeRows(target.files, target.candidates, cache(partial(_published, database)))
    read.read(rows)
    if read.problems and not skip_invalid:
        raise all_problems(read.problems)
    if not read.outcomes:
        raise InputError(shown_path(source.path), "holds no valid row", "check that it is the right file")
    model = _model(source, target.files, read.models)
    settled = target.settled(run, read.outcomes, who)
    renamed = _renamed(database, run, model, read.models)
    outcomes = list(settled.outcomes(model, read.outcomes))
    added = _keep(Evaluations(database), settled, model, outcomes, read.models)
    used = {place for place, _, _ in read.outcomes}
    return ImportedOutcomes(
        run=run,
        model=model,
        cases=len(settled.sample),
        repeats=settled.settings.repeats,
        read=len(read.outcomes),
        missing=sum(outcome.state == "missing" for outcome in outcomes),
        notices=(*rows.notices, *renamed, *read.notices, *target.lacking(settled, used)),
        problems=tuple(read.problems),
        added=added,
    )


def _published(database: Database, dataset: str) -> ValuesAtPlaces:
    with database.read() as session:
        return values_at_places(session, dataset)


def _model(source: OutcomeSource, files: OutcomeFiles, named: Iterable[str]) -> str:
    """The model that a person names, else the name of the file, else its rows; raises RequestError."""
    model = source.model or files.model_of(source.path.name) or next(iter(named), None)
    if model is None:
        raise RequestError(
            f"nothing says which model answered in {shown_path(source.path)}; name it with --model."
        )
    return checked_model(model)


def _renamed(database: Database, run: str, model: str, named: Iterable[str]) -> tuple[str, ...]:
    """A notice if the rows name another model.

    Raises RequestError if the run has outcomes of that one, or of one whose name is spelled otherwise.
    """
    known = {held.model for held in Evaluations(database).models(run)}
    alike = next((name for name in sorted(known) if name != model and _folded(name) == _folded(model)), None)
    if alike is not None:
        raise RequestError(
            f"evaluation run {run!r} has outcomes of {shown(alike)}, and {shown(model)} looks like that name "
            f"({likeness(model, alike)}); if both are one model, import one file of it only, else give "
            "another name with --model."
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
    return "".join(lookalike_form(name).split())


def _keep(
    evaluations: Evaluations,
    settled: ImportedRun,
    model: str,
    outcomes: Sequence[Outcome],
    named: Collection[str],
) -> bool:
    """Save the outcomes; False if all of them are there. Raises RequestError if the model has others.

    The file says that ``named`` models answered.
    """
    name = settled.run.name
    before = dict(map(_by_key, evaluations.outcomes(name, model=model)))
    if not before:
        others = [held.model for held in evaluations.models(name)]
        evaluations.keep_imported(
            settled.run,
            settled.sample[len(settled.sample) - settled.more :],
            model,
            [*outcomes, *settled.not_asked(others)],
        )
        return True
    if before == dict(map(_by_key, outcomes)):
        return False
    rename = "" if model in named else "give the model another name with --model, or "
    raise RequestError(
        f"evaluation run {name!r} has other outcomes of {shown(model)!r}; {rename}choose another run."
    )


def _by_key(outcome: Outcome) -> tuple[tuple[int, str, int], Outcome]:
    """The outcome at its place. The version of the reader does not make the same file another one."""
    key = outcome.case, outcome.condition, outcome.repeat
    return key, outcome.model_copy(update={"reader_version": 0})

"""Over which cases effects are computed: all, audit-clean, passed by experts, or picked by a file."""

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from reviewer.agreement.clustered_ratios import Bools
from reviewer.core.errors import InputError, RequestError
from reviewer.core.names import closest
from reviewer.core.sanitize import agreeing, counted
from reviewer.results.outcomes.evaluated import Evaluation
from reviewer.study.design.listed_cases import PickedCases
from store.database import Database
from store.findings import failed_checks_in

if TYPE_CHECKING:
    from reviewer.runs.audit.audit_state import AuditState

ALL_CASES = "all"


@dataclass(frozen=True, eq=False)
class AmongCases:
    """A choice of the cases of a run: its name in tables, the chosen ones, and what became of the others.

    ``judged`` are the cases on which the choice had to decide, and ``judged_title`` says which these are; ""
    if they are all cases.
    """

    title: str
    chosen: Bools
    note: str = ""
    judged: Bools | None = None
    judged_title: str = ""


@dataclass(frozen=True, slots=True)
class CaseChoice:
    """What somebody asked for: audit-clean cases (``strict``: without doubtful findings), or those that
    passed studies, or those of a file, or those that do not fail the checks of ``without``. A case must meet
    all of it.
    """

    audit_clean: bool = False
    strict: bool = False
    passed: tuple[str, ...] = ()
    picked: PickedCases | None = None
    without: tuple[str, ...] = ()


def among(database: Database, evaluation: Evaluation, choice: CaseChoice) -> AmongCases:
    """The cases that meet everything that was asked for. Raises RequestError, and InputError for a file."""
    steps = list(_steps(database, evaluation, choice))
    if not steps:
        return all_cases(evaluation)
    chosen = np.logical_and.reduce([step.chosen for step in steps])
    title = " and ".join(step.title for step in steps)
    narrower = [step.judged for step in steps if step.judged is not None]
    judged = np.logical_and.reduce(narrower) if narrower else None
    judged_title = " and".join(step.judged_title for step in steps if step.judged_title)
    return AmongCases(title, chosen, " ".join(step.note for step in steps if step.note), judged, judged_title)


def compared_with(evaluation: Evaluation, cases: AmongCases) -> tuple[str, Bools] | None:
    """The cases that a choice was made from, with their name; None if it leaves none of them out.

    A study decides only on the cases that it reviewed, so the others are not compared with.
    """
    wider = all_cases(evaluation).chosen if cases.judged is None else cases.judged
    if bool((wider == cases.chosen).all()):
        return None
    number = counted(int(wider.sum()), "case")
    return f"{'the' if cases.judged_title else 'all'} {number}{cases.judged_title}", wider


def ladder(
    database: Database,
    evaluation: Evaluation,
    studies: Sequence[str],
    picked: PickedCases | None,
    without: Sequence[str] = (),
) -> list[AmongCases]:
    """The choices that a headline must survive: all, audit-clean, strictly clean, without those that fail a
    check, passed, picked.
    """
    rungs = [
        all_cases(evaluation),
        _audited(database, evaluation, strict=False),
        _audited(database, evaluation, strict=True),
        *(_without(database, evaluation, check) for check in without),
        *(_passed(database, evaluation, study) for study in studies),
    ]
    return [*rungs, _picked(evaluation, picked)] if picked else rungs


def remarks_on(choices: Sequence[AmongCases]) -> tuple[str, ...]:
    """Which choices have no case, and what became of the cases that choices leave out."""
    empty = (f"{choice.title}: no case." for choice in choices if not choice.chosen.any())
    return tuple(dict.fromkeys((*empty, *(choice.note for choice in choices if choice.note))))


def all_cases(evaluation: Evaluation) -> AmongCases:
    """Every case of the run."""
    return AmongCases(ALL_CASES, np.ones(len(evaluation.cases), dtype=np.bool_))


def _steps(database: Database, evaluation: Evaluation, choice: CaseChoice) -> Iterator[AmongCases]:
    if choice.audit_clean or choice.strict:
        yield _audited(database, evaluation, strict=choice.strict)
    for study in choice.passed:
        yield _passed(database, evaluation, study)
    if choice.picked:
        yield _picked(evaluation, choice.picked)
    for check in choice.without:
        yield _without(database, evaluation, check)


def _audited(database: Database, evaluation: Evaluation, *, strict: bool) -> AmongCases:
    """The audit-clean cases by what is stored now; a case that nobody audited is not clean."""
    from reviewer.runs.audit.audit_state import AUDIT_CLEAN, STRICTLY_CLEAN

    audits = _audits(database, evaluation)
    clean = {name: audit.strictly_clean if strict else audit.audit_clean for name, audit in audits.items()}
    chosen = _mask(case.digest in clean[case.dataset] for case in evaluation.cases)
    title = STRICTLY_CLEAN if strict else AUDIT_CLEAN
    return AmongCases(title, chosen, _unaudited(evaluation, audits, "cannot be clean"))


def _audits(database: Database, evaluation: Evaluation) -> "dict[str, AuditState]":
    """How far each dataset of the run is audited, withdrawn cases included."""
    from reviewer.runs.audit.audit_state import audit_state  # loads much, and few ask for it

    datasets = {case.dataset for case in evaluation.cases}
    return {name: audit_state(database, name, evaluation.protocol, withdrawn=True) for name in datasets}


def _unaudited(evaluation: Evaluation, audits: "Mapping[str, AuditState]", consequence: str) -> str:
    """How many cases no present audit covers, and what follows from it; "" if none."""
    number = sum(case.digest not in audits[case.dataset].current for case in evaluation.cases)
    return f"{counted(number, 'case')} without a present audit {consequence}." if number else ""


def _without(database: Database, evaluation: Evaluation, check: str) -> AmongCases:
    """The cases that do not fail a check by what is stored now; raises RequestError for an unknown check."""
    of_cases, of_dataset = evaluation.protocol.machine_checks, evaluation.protocol.dataset_checks
    if check in of_dataset:
        return _without_repeating(database, evaluation, check)
    known = {**of_cases, **of_dataset}
    if check not in known:
        raise RequestError(f"there is no check {check!r}; {closest(check, list(known), 'use one of')}.")
    failed, audits = set[tuple[str, str]](), _audits(database, evaluation)
    for dataset in audits:
        with database.read() as session:
            failures = failed_checks_in(session, dataset)
        failed |= {(dataset, case) for case, name, _, gone in failures if name == check and not gone}
    chosen = _mask((case.dataset, case.digest) not in failed for case in evaluation.cases)
    return AmongCases(f"without {check}", chosen, _unaudited(evaluation, audits, "may fail the check"))


def _without_repeating(database: Database, evaluation: Evaluation, check: str) -> AmongCases:
    """The cases that a finding about the whole dataset does not list, as the dataset is now."""
    from reviewer.runs.check.dataset_findings import repeating_cases

    datasets = {case.dataset for case in evaluation.cases}
    found = {(dataset, key) for dataset in datasets for key in repeating_cases(database, dataset, (check,))}
    chosen = _mask((case.dataset, case.key) not in found for case in evaluation.cases)
    return AmongCases(f"without {check}", chosen)


def _passed(database: Database, evaluation: Evaluation, study: str) -> AmongCases:
    """The cases whose exact content passed a closed study: adjudicated labels first, then the votes."""
    from reviewer.results.labels.final_labels import read_closed_study  # loads much, and few ask for it

    closed = read_closed_study(database, study)
    results = closed.results()
    states = [results.get(case.digest, "not reviewed") for case in evaluation.cases]
    counts = Counter(states)
    note = (
        f"Study {study}: {counts['passed']:,} passed, {counts['failed']:,} failed, {counts['undecided']:,} "
        f"undecided, {counts['not reviewed']:,} not reviewed."
    )
    for title, digests in closed.contradicted.items():
        number = sum(case.digest in digests for case in evaluation.cases)
        note += (
            f" Of the failed, {number:,} {agreeing(number, 'has', 'have')} another {title} than the raters'."
        )
    passed, reviewed = (_mask(state in of for state in states) for of in (("passed",), _REVIEWED))
    return AmongCases(f"passed {study}", passed, note, reviewed, f" that study {study} reviewed")


_REVIEWED = ("passed", "failed", "undecided")


def _picked(evaluation: Evaluation, picked: PickedCases) -> AmongCases:
    """The cases that a file lists; raises InputError for one that is not in the run."""
    keys: dict[str, set[tuple[str, str]]] = {}
    for case in evaluation.cases:
        keys.setdefault(case.key, set()).add((case.dataset, case.key))
    wanted: set[tuple[str, str]] = set()
    for entry in picked.cases:
        places = {place for place in keys.get(entry.key, ()) if entry.dataset in (None, place[0])}
        if len(places) != 1:
            wrong = (
                f"key {entry.key!r} is in several datasets" if places else f"no case {entry.key!r} in the run"
            )
            remedy = "add a column dataset to the file" if places else "list cases of the run only"
            raise InputError(entry.where, wrong, remedy)
        wanted |= places
    chosen = _mask((case.dataset, case.key) in wanted for case in evaluation.cases)
    return AmongCases(f"picked by {picked.file}", chosen)


def _mask(values: Iterable[bool]) -> Bools:
    return np.fromiter(values, dtype=np.bool_)

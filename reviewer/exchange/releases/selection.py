"""Which cases of a dataset a release holds, how many it leaves out and why, and which it only seals."""

import re
from collections import Counter
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

from reviewer.core.errors import RequestError
from reviewer.core.sanitize import counted, shown
from reviewer.exchange.releases.release_content import LeftOutCases, ReleaseOptions
from reviewer.exchange.rows.dataset_export import stored_cases
from reviewer.protocols.formats import StoredCase
from reviewer.results.labels.final_labels import CaseResult, ClosedStudy
from reviewer.runs.audit.audit_findings import refuse_unknown_checks
from store.cases import get_dataset
from store.database import Database
from store.findings import failed_checks_in, get_findings
from store.records import Finding, Release, digest_of
from store.revisions import histories, withdrawn_places


@dataclass(frozen=True)
class Selection:
    """The released cases in order, the numbers left out, and the data that decided it.

    ``places`` counts all cases of the dataset, and ``present`` are those that are not left out as
    withdrawn. ``withdrawn`` are the keys of released withdrawn cases.
    ``findings`` are those of every case of the dataset, by digest; ``dismissed`` names case and check of the
    dismissed ones. ``held_out`` are digests of cases that are sealed and not published.
    """

    cases: tuple[StoredCase, ...]
    left_out: tuple[LeftOutCases, ...]
    places: int
    present: tuple[StoredCase, ...]
    withdrawn: tuple[str, ...]
    findings: Mapping[str, Sequence[Finding]]
    dismissed: frozenset[tuple[str, str]]
    held_out: frozenset[str] = frozenset()


def selected_cases(
    database: Database, dataset: str, options: ReleaseOptions, passed: Sequence[ClosedStudy]
) -> Selection:
    """The cases of a release with these options; raises RequestError if they do not fit the dataset."""
    with database.read() as session:
        header = get_dataset(session, dataset)
        _refuse_conflicts(
            sum(history.in_conflict for history in histories(session, [dataset]).values()), header.name
        )
        gone = {key for _, key in withdrawn_places(session, [dataset])}
        failed = failed_checks_in(session, dataset)
    held = stored_cases(database, dataset, withdrawn=True)
    digests = list(dict.fromkeys(stored.case.digest for stored in held))
    with database.read() as session:
        findings = get_findings(session, digests)
    refuse_unknown_checks(options.without, findings)
    _check_studies(passed, set(digests), dataset)
    standing = {(case, check) for case, check, _, dismissed in failed if not dismissed}
    results = {study.bundle.study.name: study.results() for study in passed}
    reasons = [_why_left_out(stored, options, gone, standing, results) for stored in held]
    cases = tuple(stored for stored, reason in zip(held, reasons, strict=True) if reason is None)
    if not cases:
        raise RequestError(f"no case of dataset {dataset!r} is left with these options; name fewer.")
    return Selection(
        cases,
        tuple(_left_out(reasons)),
        len(held),
        tuple(stored for stored in held if options.with_withdrawn or stored.place.key not in gone),
        tuple(stored.place.key for stored in cases if stored.place.key in gone),
        findings,
        frozenset((case, check) for case, check, _, dismissed in failed if dismissed),
    )


_Reason = tuple[str, str] | None
_REASONS = ("withdrawn", "finding", "failed", "undecided", "not reviewed")


def _why_left_out(
    stored: StoredCase,
    options: ReleaseOptions,
    gone: Collection[str],
    standing: Collection[tuple[str, str]],
    results: Mapping[str, Mapping[str, CaseResult]],
) -> _Reason:
    """The first reason that applies, in the order of ``_REASONS``."""
    case = stored.case.digest
    if stored.place.key in gone and not options.with_withdrawn:
        return "withdrawn", ""
    for check in options.without:
        if (case, check) in standing:
            return "finding", check
    states = {study: by_case.get(case, "not reviewed") for study, by_case in results.items()}
    reasons = ((why, study) for why in _REASONS for study, state in states.items() if state == why)
    return next(reasons, None)


def _left_out(reasons: Sequence[_Reason]) -> Iterator[LeftOutCases]:
    counts = Counter(reason for reason in reasons if reason is not None)
    for (why, of), cases in sorted(counts.items(), key=lambda pair: (_REASONS.index(pair[0][0]), pair[0][1])):
        yield LeftOutCases.model_validate({"why": why, "of": of, "cases": cases})


def _refuse_conflicts(conflicts: int, dataset: str) -> None:
    if conflicts:
        raise RequestError(
            f"{counted(conflicts, 'case')} of dataset {dataset!r} {'has' if conflicts == 1 else 'have'} "
            f"repairs of two authors that conflict; settle them first with `reviewer datasets settle "
            f"{dataset}`."
        )


def _check_studies(studies: Sequence[ClosedStudy], digests: Collection[str], dataset: str) -> None:
    for study in studies:
        if not any(place.case in digests for place in study.bundle.counted):
            name, drawn = study.bundle.study.name, ", ".join(study.bundle.design.datasets)
            raise RequestError(
                f"study {name!r} has no case that dataset {dataset!r} holds with the same content; its cases "
                f"came from {drawn or 'elsewhere'}. Name a study of this dataset with --passed."
            )


_SHARE = re.compile(r"(\d{1,3}(?:\.\d{1,6})?)%")


def checked_share(text: str) -> float:
    """The share that a text such as ``20%`` names; raises RequestError."""
    match = _SHARE.fullmatch(text.strip())
    if match is None:
        raise RequestError(f"{shown(text)!r} is not a share; give --hold-out a percentage, such as 20%.")
    share = float(match[1]) / 100
    if not 0 < share < 1:
        raise RequestError(
            f"--hold-out {match[0]} holds out {'no case' if share == 0 else 'all cases'}; give a share "
            "between 0% and 100%, such as 20%, or leave it out."
        )
    return share


def hold_out(chosen: Selection, share: str, earlier: Sequence[Release]) -> Selection:
    """The selection without a share of its cases, such as ``20%``; raises RequestError for none or all.

    Cases that an earlier release held out come first, and those that one published come last. The rest stand
    in an order of digests, the same in all versions, so that a larger share holds out the same cases too.
    """
    held_before, published = _known(earlier, "held_out"), _known(earlier, "cases")
    digests = sorted(
        {stored.case.digest for stored in chosen.cases},
        key=lambda case: (case not in held_before, case in published, digest_of(["held out", case])),
    )
    number = round(checked_share(share) * len(digests))
    if not 0 < number < len(digests):
        found = "all of them" if number else "no case"
        raise RequestError(
            f"--hold-out {share} of {counted(len(digests), 'case')} is {found}; give another share."
        )
    held = frozenset(digests[:number])
    cases_kept = tuple(stored for stored in chosen.cases if stored.case.digest not in held)
    kept = {stored.place.key for stored in cases_kept}
    left_out = LeftOutCases(why="held out", cases=len(chosen.cases) - len(cases_kept))
    return replace(
        chosen,
        cases=cases_kept,
        left_out=(*chosen.left_out, left_out),
        withdrawn=tuple(key for key in chosen.withdrawn if key in kept),
        held_out=held,
    )


def _known(earlier: Sequence[Release], name: str) -> Collection[str]:
    """The digests that earlier releases have under a name of their content."""
    found = set[str]()
    for release in earlier:
        held = release.content.get(name, ())
        found.update(map(str, held.values() if isinstance(held, dict) else held))
    return found

"""``reviewer study new``: draws a sample and freezes it."""

from collections.abc import Sequence
from datetime import date
from pathlib import Path
from shlex import quote

import click

from reviewer.cli.options import note, open_store
from reviewer.core.errors import InputError, RequestError
from reviewer.core.sanitize import agreeing, counted, one_line
from reviewer.exchange.rows.case_list import read_case_list
from reviewer.exchange.rows.guideline_file import read_briefing, read_guidelines
from reviewer.exchange.rows.known_answers_csv import read_known_answers
from reviewer.options.study import StudyNewOptions
from reviewer.protocols.registry import protocols_of
from reviewer.runs.audit.dataset_audit import MARK
from reviewer.runs.check.dataset_findings import repeating_cases
from reviewer.study.design.design_facts import panels_in_words
from reviewer.study.design.known_answers import GivenAnswer
from reviewer.study.design.listed_cases import ListedCase
from reviewer.study.design.sampling import Design, create_study
from reviewer.study.design.study_design import Options, StudyDesign
from reviewer.study.session.blinding import generators_told_by_names
from store.cases import find_dataset, places_of
from store.database import Database
from store.findings import failed_checks_in, failed_findings, marks_in
from store.records import Membership, Study
from store.revisions import revised_since
from store.studies import sample_of

_ANSWERS = "CSV with the columns dataset, key, question, label and why"


def study_new_command(options: StudyNewOptions) -> None:
    """Carry out ``reviewer study new``."""
    drawing = {
        "--per-group": options.per_group is not None,
        "--total": options.total is not None,
        "--include-seeds": options.include_seeds,
        "--finding": bool(options.findings),
        "--others": options.others is not None,
        "--revised-since": options.since is not None,
    }
    listed = _listed(options.cases, options.datasets, [option for option, given in drawing.items() if given])
    if options.others is not None and options.since is None and not options.findings:
        raise click.UsageError(
            "--others draws cases beside those of --finding CHECK or --revised-since DATE."
        )
    if options.beside_old and options.since is None:
        raise click.UsageError("--beside-old is about repaired cases; give --revised-since DATE too.")
    if options.training_pass is not None and options.training is None:
        raise click.UsageError("--training-pass is about the training round; give its --training FILE too.")
    how = Options(
        asking=options.asking,
        reveal=options.reveal,
        swap=options.swap,
        repeats=options.repeats,
        briefing=read_briefing(options.briefing) if options.briefing else "",
        training_pass=options.training_pass,
    )
    chosen, given = tuple(dict.fromkeys(options.datasets)), _given(options.training, options.gold)
    database = open_store(options.store, must_exist=True)
    only = _with_findings(database, chosen, options.findings) if options.findings else None
    before = {} if options.since is None else _revised(database, chosen, options.since, only)
    if options.since is not None:
        only = frozenset(before)
    design = Design(
        chosen,
        options.per_group,
        options.seed,
        options.view,
        options.include_seeds,
        options.raters,
        how,
        given,
        only,
        listed,
        options.questions,
        read_guidelines(options.guideline) if options.guideline else (),
        options.total,
        revised_since=options.since or "",
        before=before if options.beside_old else {},
        raters_per_case=options.raters_per_case,
        others=options.others or 0,
    )
    study = create_study(database, options.name, design, options.lead)
    _warn_of_names(database, study)
    _say_what_was_drawn(
        options.name, StudyDesign.of(study), options.lead, next(iter(options.raters), "YOUR-NAME")
    )


def _listed(cases: Path | None, datasets: Sequence[str], others: Sequence[str]) -> tuple[ListedCase, ...]:
    """The cases of a list, which nothing else may choose from."""
    if cases is None:
        if not datasets:
            raise click.UsageError("Give --dataset to draw from, or --cases with a list of cases.")
        return ()
    if cases.name.isdigit() and not cases.exists():
        raise click.UsageError(
            f"--cases names a file with a list of cases; to draw {cases}, give --total {cases}."
        )
    if others:
        raise click.UsageError(f"--cases lists every case of the sample; leave {', '.join(others)} out.")
    listed = tuple(read_case_list(cases))
    if lost := next((line for line in listed if line.dataset is None and not datasets), None):
        raise InputError(lost.where, "names no dataset", "give --dataset, or add a column dataset")
    return listed


def _with_findings(database: Database, datasets: Sequence[str], checks: Sequence[str]) -> frozenset[str]:
    """Digests of the cases on which one of the checks found something."""
    with database.read() as session:
        headers = [header for name in datasets if (header := find_dataset(session, name))]
    held = [header.name for header in headers]
    repeating = {place.case for dataset in held for place in _repeating(database, dataset, checks)}
    protocols = protocols_of(database)
    whole = {check for header in headers for check in protocols.named(header.protocol).dataset_checks}
    with database.read() as session:
        findings = [finding for dataset in held for finding in failed_findings(session, dataset, checks)]
        bare = [
            dataset
            for dataset in held
            if not whole.issuperset(checks)
            and not (findings or marks_in(session, dataset, MARK) or failed_checks_in(session, dataset))
        ]
    if bare:
        raise RequestError(
            f"dataset {bare[0]!r} has not been audited, so it has no findings; run "
            f"`reviewer audit {quote(bare[0])}` first."
        )
    if not (findings or repeating):
        raise RequestError(
            f"no case of {', '.join(datasets)} has a finding of {one_line(' or '.join(checks))}; "
            "see `reviewer audit DATASET --summary check`."
        )
    return frozenset({placed.place.case for placed in findings} | repeating)


def _repeating(database: Database, dataset: str, checks: Sequence[str]) -> list[Membership]:
    """The places of cases that repeat each other by one of the checks of the whole dataset."""
    keys = repeating_cases(database, dataset, checks)
    with database.read() as session:
        return [place for place in places_of(session, dataset) if place.key in keys] if keys else []


def _revised(
    database: Database, datasets: Sequence[str], since: str, only: frozenset[str] | None
) -> dict[str, str]:
    """The cases that were repaired since a day, among ``only`` these if they are given, as digests.

    Each stands with its content before.
    """
    try:
        day = date.fromisoformat(since).isoformat()
    except ValueError as error:
        raise click.UsageError(
            f"--revised-since {one_line(since, 40)!r} is not a date; give year, month and day as 2026-05-01."
        ) from error
    with database.read() as session:
        earlier = revised_since(session, datasets, day)
    earlier = {case: before for case, before in earlier.items() if only is None or case in only}
    if not earlier:
        raise RequestError(
            f"no case of {', '.join(datasets)} that fits was repaired since {day}; "
            "see `reviewer datasets history DATASET`."
        )
    return earlier


def _given(training: Path | None, gold: Path | None) -> tuple[GivenAnswer, ...]:
    return (
        *(read_known_answers(training, "training") if training else ()),
        *(read_known_answers(gold, "gold") if gold else ()),
    )


def _warn_of_names(database: Database, study: Study) -> None:
    """Say whose name raters can read in a dataset's name or a key, though the protocol hides generators."""
    protocol = protocols_of(database).named(study.protocol)
    with database.read() as session:
        sample = sample_of(session, study.name)
    if told := generators_told_by_names(protocol, sample):
        note(
            f"Raters see datasets and keys, and these name {', '.join(map(one_line, told))}, though the "
            f"protocol {protocol.name} hides who wrote cases. To keep it hidden, import the cases under "
            "neutral names, and draw the study again."
        )


def _say_what_was_drawn(name: str, drawn: StudyDesign, lead: str, rater: str) -> None:
    parts = ", ".join(f"{question} {count}" for question, count in drawn.asked.items())
    click.echo(f"{name}: {counted(drawn.cases, 'case')}, {drawn.slots_in_words} a rater ({parts})")
    if drawn.panels:
        note(f"Raters of each case: {panels_in_words(drawn)}.")
    extra = {
        counted(drawn.training, "training case"): drawn.training,
        counted(drawn.gold, "gold case"): drawn.gold,
        f"the second showing of {counted(len(drawn.repeated), 'case')}": drawn.repeated,
    }
    if extras := [words for words, holds in extra.items() if holds]:
        note(f"The verdicts include {', '.join(extras)}, which are not counted in agreement.")
    for dataset, groups in drawn.lacking.items():
        note(f"Dataset {dataset} has {_no_case(drawn)} in {', '.join(groups)}.")
    for dataset, number in drawn.withdrawn.items():
        are = agreeing(number, "is", "are")
        note(f"In dataset {dataset} {counted(number, 'case')} {are} withdrawn and so not drawn.")
    note(f"Its lead is {lead}; `reviewer study lead {name} NAME` names another.")
    note(f"Begin with: reviewer review {name} --rater {quote(rater)}")


def _no_case(drawn: StudyDesign) -> str:
    """Which cases of a dataset there were to draw from, where there is none."""
    if drawn.listed:
        return "no case of the list"
    if drawn.revised_since:
        return "no case that was asked for"
    return "no case with such a finding" if drawn.picked else "no case that could be drawn"

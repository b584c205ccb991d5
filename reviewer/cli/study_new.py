"""``reviewer study new``: draws a sample and freezes it."""

from collections.abc import Sequence
from datetime import date
from shlex import quote
from typing import TYPE_CHECKING

import click

from reviewer.cli.printing import note
from reviewer.cli.store_access import open_store
from reviewer.cli.viewer import check_influence, check_outcomes, viewer
from reviewer.core.errors import InputError, RequestError
from reviewer.core.sanitize import agreeing, counted, enumerated, one_line
from reviewer.exchange.rows.study_inputs import (
    read_briefing,
    read_case_list,
    read_guidelines,
    read_known_answers,
    read_themes,
)
from reviewer.options.study import StudyNewOptions
from reviewer.protocols.registry import protocols_of
from reviewer.study.design.design_facts import panels_in_words
from reviewer.study.design.inclusion import Inclusion
from reviewer.study.design.listed_cases import ListedCase
from reviewer.study.design.strata import Strata
from reviewer.study.design.study_creation import Design, create_study
from reviewer.study.design.study_design import Options, StudyDesign, WantedRule
from reviewer.study.session.blinding import Influence, generators_told_by_names
from store.cases import find_dataset, places_of
from store.database import Database
from store.findings import failed_checks_in, failed_findings, marks_in
from store.records import Membership, Study
from store.revisions import revised_since
from store.studies import sample_of

if TYPE_CHECKING:
    from reviewer.results.outcomes.answer_cases import AnswersForStudy


def study_new_command(options: StudyNewOptions) -> None:
    """Carry out ``reviewer study new``."""
    listed = _listed(options)
    _check_together(options)
    chosen = tuple(dict.fromkeys(options.datasets))
    given = (
        *(read_known_answers(options.training, "training", note) if options.training else ()),
        *(read_known_answers(options.gold, "gold", note) if options.gold else ()),
    )
    database = open_store(options.store)
    answers = None if options.answers is None else _answers(database, options, options.answers)
    _check_choice(database, chosen, options)
    found = _with_findings(database, chosen, options.findings) if options.findings else None
    before = {} if options.since is None else _revised(database, chosen, options.since, found)
    only = found if options.since is None else frozenset(before)
    design = Design(
        (answers.drawn.dataset,) if answers else chosen,
        options.per_group,
        options.seed,
        options.view,
        options.include_seeds,
        options.raters,
        _how(options),
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
        strata=_strata(database, chosen, options) if options.strata else None,
        answers=answers.drawn if answers else None,
        themes=read_themes(options.themes, note) if options.themes else (),
        third=options.third or "",
        stop=None if options.stop is None else WantedRule.read(options.stop),
    )
    if options.judge is not None:
        # The machine's work loads for the few studies that have a machine rater.
        from reviewer.exchange.evaluations.judged_sample import check_machine_rater, declare_machine_rater

        check_machine_rater(database, options.name, options.judge)
    study = create_study(database, options.name, design, options.lead)
    if design.strata and (shrunk := design.strata.shrunk_in_words):
        note(shrunk)
    _warn_of_names(database, study)
    if answers:
        _say_of_answers(answers)
    if options.judge is not None:
        command = declare_machine_rater(database, options.name, options.judge, options.lead)
        note(f"Ask the machine rater before raters begin: {command}")
    _say_what_was_drawn(
        options.name, StudyDesign.of(study), options.lead, next(iter(options.raters), "YOUR-NAME")
    )


def _how(options: StudyNewOptions) -> Options:
    """How raters are asked."""
    marks = {} if options.gold_pass is None else {"gold_pass": options.gold_pass}
    return Options(
        asking=options.asking,
        reveal=options.reveal,
        swap=options.swap,
        repeats=options.repeats,
        briefing=read_briefing(options.briefing) if options.briefing else "",
        training_pass=options.training_pass,
        machine_rater=options.judge is not None,
        confidence=options.confidence,
        **marks,
    )


def _check_together(options: StudyNewOptions) -> None:
    """Raise UsageError for an option that means nothing without another one, or beside one."""
    if options.answers is not None:
        _check_no_cases(options)
    if options.others is not None and options.since is None and not options.findings:
        raise click.UsageError(
            "--others draws cases beside those of --finding CHECK or --revised-since DATE."
        )
    if not options.strata and (lost := options.given("allocate", "guesses", "guess_from")):
        raise click.UsageError(f"{lost[0]} is about strata; give --strata too, such as --strata findings.")
    if options.answers is None and (lost := options.given("where", "per_case", "models", "groups", "themes")):
        raise click.UsageError(f"{lost[0]} is about answers of models; give --answers RUN too.")
    if options.judge is not None and options.reveal == "none":
        raise click.UsageError("--judge shows an answer after the rater's own; leave out --reveal none.")
    if options.beside_old and options.since is None:
        raise click.UsageError("--beside-old is about repaired cases; give --revised-since DATE too.")
    if options.training_pass is not None and options.training is None:
        raise click.UsageError("--training-pass is about the training round; give its --training FILE too.")
    if options.gold_pass is not None and options.gold is None:
        raise click.UsageError("--gold-pass is about cases with known answers; give their --gold FILE too.")


def _check_no_cases(options: StudyNewOptions) -> None:
    """Raise UsageError for an option that chooses cases of datasets in another way."""
    if lost := options.given(
        *("datasets", "cases", "include_seeds", "findings", "others"),
        *("since", "strata", "training", "gold"),
    ):
        raise click.UsageError(f"--answers draws answers of a run; leave {', '.join(lost)} out.")


def _answers(database: Database, options: StudyNewOptions, run: str) -> "AnswersForStudy":
    """The drawn answers, which nobody may draw who still has to answer about their cases."""
    from reviewer.results.outcomes.answer_cases import AnswersWanted, answers_for_study
    from reviewer.results.outcomes.answer_draw import DrawSize
    from reviewer.results.outcomes.evaluated import read_evaluation

    if options.per_group is not None and options.total is not None:
        raise RequestError("give the answers per model and group or their total, not both.")
    evaluation = read_evaluation(database, protocols_of(database), run)
    check_outcomes(database, evaluation.settings.datasets)
    size = DrawSize(options.per_group, options.total, options.per_case or 1)
    wanted = AnswersWanted(options.where or "all", size, options.seed, options.models, options.groups)
    return answers_for_study(database, evaluation, options.name, wanted)


def _say_of_answers(answers: "AnswersForStudy") -> None:
    """Say which part was drawn from, how often answers repeat, and which names were taken out."""
    source, drawn = answers.drawn.source, answers.drawn
    note(
        f"Drawn from {counted(source.outcomes, 'outcome')} ({source.meaning}) of run {source.run}, which "
        f"have {counted(source.answers, 'different answer')}; they are dataset {drawn.dataset}."
    )
    if source.where != "all":
        note(f"Shares will be about this part of the run alone: {source.meaning}.")
    if answers.masked:
        names = enumerated([f"{one_line(name)} ({count:,})" for name, count in answers.masked.items()])
        note(
            f"Names of models were taken out of answers, so that raters do not read who answered: {names}. "
            "Names that the case itself has stay."
        )


def _strata(database: Database, datasets: Sequence[str], options: StudyNewOptions) -> Strata:
    from reviewer.results.case_strata import StrataRequest, strata_of

    request = StrataRequest(options.strata, options.allocate, options.guesses, options.guess_from)
    return strata_of(database, datasets, request, viewer(database))


def _check_choice(database: Database, datasets: Sequence[str], options: StudyNewOptions) -> None:
    """Raise RequestError if the sample would show findings or changes that this person may not see yet."""
    for dataset in datasets:
        if options.findings:
            check_influence(database, dataset, Influence.FINDINGS)
        if options.since is not None:
            check_influence(database, dataset, Influence.HISTORY)


def _listed(options: StudyNewOptions) -> tuple[ListedCase, ...]:
    """The cases of a list, which nothing else may choose from."""
    cases, datasets = options.cases, options.datasets
    if cases is None:
        if not datasets and not options.answers:
            raise click.UsageError(
                "Give --dataset to draw from, --cases with a list of cases, or --answers with a run."
            )
        return ()
    if cases.name.isdigit() and not cases.exists():
        raise click.UsageError(
            f"--cases names a file with a list of cases; to draw {cases}, give --total {cases}."
        )
    if others := options.given(
        "per_group", "total", "include_seeds", "findings", "others", "since", "strata"
    ):
        raise click.UsageError(f"--cases lists every case of the sample; leave {', '.join(others)} out.")
    listed = tuple(read_case_list(cases, note))
    if lost := next((line for line in listed if line.dataset is None and not datasets), None):
        raise InputError(lost.where, "names no dataset", "give --dataset, or add a column dataset")
    return listed


def _with_findings(database: Database, datasets: Sequence[str], checks: Sequence[str]) -> frozenset[str]:
    """Digests of the cases on which one of the checks found something."""
    from reviewer.runs.audit.dataset_audit import MARK

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
    from reviewer.runs.check.dataset_findings import repeating_cases

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
    if drawn.draw and drawn.draw.by:
        note(f"Drawn of each stratum: {Inclusion(drawn.draw.strata).in_words()}.")
    if drawn.panels:
        note(f"Raters of each case: {panels_in_words(drawn)}.")
    if drawn.stop:
        note(
            "Cases come in one random order for all raters. Leads who do not rate see with "
            f"`reviewer progress {name}` whether the claim may be made."
        )
        if drawn.asking == "question" and len(drawn.asked) > 1:
            note(
                "Raters answer all cases of one question before the next, so no case is complete before the "
                "last question begins; with --asking case the study can stop earlier."
            )
    if drawn.third:
        note(
            f"When raters have answered, ask for third votes: reviewer study third {name} --as {quote(lead)}"
        )
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
    if drawn.draw and drawn.draw.by:
        return "no drawn case"
    return "no case with such a finding" if drawn.picked else "no case that could be drawn"
